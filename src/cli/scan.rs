//! `kith scan`: looks for secrets in files, in what is staged, in history, or in what it is given,
//! and names place and rule. It never prints a value.

use super::log::revision;
use super::{CommandError, Context};
use crate::git::{CommitInfo, Leaf, Oid, Repo};
use crate::guard;
use crate::secrets::{self, Finding, Tier};
use crate::ui::{Ui, count};
use crate::vault::{StoreKind, Vault, refs};
use serde::Serialize;
use std::collections::HashSet;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The path that findings in a commit's message or in its people's names have.
const MESSAGE: &[u8] = b"(commit message)";
const PEOPLE: &[u8] = b"(author and committer)";

/// Arguments of `scan`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files and folders; without any, the notes of the memory directory
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// What is staged in the store, against its last commit
    #[arg(long, group = "source", conflicts_with = "paths")]
    staged: bool,
    /// Every note, path and message of the commits that B has and A has not
    #[arg(long, value_name = "A..B", group = "source", conflicts_with = "paths")]
    range: Option<String>,
    /// Every note, path and message of all commits of the store
    #[arg(long, group = "source", conflicts_with = "paths")]
    history: bool,
    /// Standard input
    #[arg(long, group = "source", conflicts_with = "paths")]
    stdin: bool,
    /// Look at one tier only
    #[arg(long, value_name = "TIER")]
    tier: Option<TierArg>,
}

/// Values of `--tier`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum TierArg {
    /// Surely a secret: it is kept from every commit
    Block,
    /// Likely one: it is named, and nothing is kept back
    Warn,
}

impl TierArg {
    fn is(self, tier: Tier) -> bool {
        match tier {
            Tier::Block => self == TierArg::Block,
            Tier::Warn => self == TierArg::Warn,
        }
    }
}

#[derive(Serialize)]
struct Row {
    path: String,
    /// 0 where the path itself holds it.
    line: u32,
    column: u32,
    rule: &'static str,
    tier: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
}

/// Counts and prints what is found.
struct Scan<'a> {
    ui: &'a Ui,
    tier: Option<TierArg>,
    findings: usize,
    looked_at: usize,
    unreadable: usize,
}

/// Runs `scan`.
///
/// # Errors
/// Refused when anything was found; else when something could not be read.
pub fn run(ctx: &Context, args: &Args) -> Result<(), CommandError> {
    let mut scan = Scan { ui: &ctx.ui, tier: args.tier, findings: 0, looked_at: 0, unreadable: 0 };
    if args.stdin {
        scan.standard_input()?;
    } else if args.staged {
        scan.staged(&ctx.vault()?)?;
    } else if let Some(range) = &args.range {
        let vault = ctx.vault()?;
        let commits = commits_of(&vault, range)?;
        scan.commits(&vault.store.repo, &commits)?;
    } else if args.history {
        let vault = ctx.vault()?;
        scan.commits(&vault.store.repo, &all_commits(&vault.store.repo)?)?;
    } else if args.paths.is_empty() {
        scan.notes(&ctx.dir()?, ctx.kind())?;
    } else {
        for path in &args.paths {
            scan.given(ctx.env.cwd(), path);
        }
    }
    scan.done()
}

impl Scan<'_> {
    fn done(self) -> Result<(), CommandError> {
        let texts = count(self.looked_at, "text");
        if self.findings > 0 {
            let found = count(self.findings, "finding");
            return Err(CommandError::refused(format!("{found} in {texts}")).hint(
                "Take the value out of the note, and make it worthless where it is valid: it has \
                 been on disk.",
            ));
        }
        if self.unreadable > 0 {
            let texts = count(self.unreadable, "file");
            return Err(CommandError::user(format!("{texts} could not be read")));
        }
        self.ui.say(&format!("no secrets in {texts}"));
        Ok(())
    }

    fn print(&mut self, path: &[u8], finding: &Finding, (is_name, commit): (bool, Option<Oid>)) {
        if self.tier.is_some_and(|tier| !tier.is(finding.tier)) {
            return;
        }
        self.findings += 1;
        let tier = match finding.tier {
            Tier::Block => "block",
            Tier::Warn => "warn",
        };
        let row = Row {
            path: guard::show(path),
            line: if is_name { 0 } else { finding.line },
            column: finding.column,
            rule: finding.rule,
            tier,
            commit: commit.map(|id| id.to_string()),
        };
        if self.ui.is_json() {
            return self.ui.json(&row);
        }
        let Row { path, line, column, rule, .. } = row;
        let place = if is_name { " in the name".to_string() } else { String::new() };
        let commit = commit.map(|id| format!(" in {}", id.short())).unwrap_or_default();
        self.ui.line(&format!("{path}:{line}:{column} {rule} ({tier}){place}{commit}"));
    }

    fn name(&mut self, path: &[u8], commit: Option<Oid>) {
        for finding in secrets::scan(path) {
            self.print(path, &finding, (true, commit));
        }
    }

    fn text(&mut self, path: &[u8], bytes: &[u8], commit: Option<Oid>) {
        self.looked_at += 1;
        for finding in secrets::scan(bytes) {
            self.print(path, &finding, (false, commit));
        }
    }

    fn standard_input(&mut self) -> Result<(), CommandError> {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        read.map_err(|e| CommandError::user(format!("standard input cannot be read: {e}")))?;
        self.text(b"(standard input)", &bytes, None);
        Ok(())
    }

    fn staged(&mut self, vault: &Vault) -> Result<(), CommandError> {
        let repo = &vault.store.repo;
        let head = repo.tree_of(repo.reference(refs::MAIN)?)?;
        for (path, leaf) in repo.staged(head)? {
            self.name(&path, None);
            if has_blob(leaf) {
                self.text(&path, &repo.blob(leaf.id)?, None);
            }
        }
        Ok(())
    }

    /// Commits from the oldest, so that each finding is named with the commit that brought it.
    fn commits(&mut self, repo: &Repo, newest_first: &[Oid]) -> Result<(), CommandError> {
        let mut seen = HashSet::new();
        let mut names = HashSet::new();
        for id in newest_first.iter().rev() {
            let commit = repo.commit(*id)?;
            self.text(MESSAGE, commit.message.as_bytes(), Some(*id));
            let people = people(&commit);
            for finding in secrets::scan(people.as_bytes()) {
                self.print(PEOPLE, &finding, (false, Some(*id)));
            }
            for change in repo.changes_of(&commit)? {
                let Some(leaf) = change.new else { continue };
                if names.insert(change.path.clone()) {
                    self.name(&change.path, Some(*id));
                }
                if has_blob(leaf) && seen.insert((change.path.clone(), leaf.id)) {
                    self.text(&change.path, &repo.blob(leaf.id)?, Some(*id));
                }
            }
        }
        Ok(())
    }

    /// The notes of a memory directory, by their paths in it.
    fn notes(&mut self, dir: &Path, kind: StoreKind) -> Result<(), CommandError> {
        if !dir.is_dir() {
            let dir = dir.display();
            return Err(CommandError::user(format!("there is no memory directory at {dir}"))
                .hint("`kith where` shows every directory; `kith scan PATH` looks elsewhere."));
        }
        let mut found = Vec::new();
        self.list(dir, &mut |file| {
            let inside = file.strip_prefix(dir).unwrap_or(file);
            let others = kind == StoreKind::Private && inside.starts_with("team");
            let note = inside.to_str().is_none_or(guard::allowed);
            if note && !others {
                found.push(inside.to_path_buf());
            }
        });
        for inside in found {
            self.file(&dir.join(&inside), inside.as_os_str().as_bytes());
        }
        Ok(())
    }

    /// A file or folder that a person named, shown as they named it.
    fn given(&mut self, cwd: &Path, path: &Path) {
        let real = cwd.join(path);
        if !real.is_dir() {
            return self.file(&real, path.as_os_str().as_bytes());
        }
        let mut found = Vec::new();
        self.list(&real, &mut |file| found.push(file.to_path_buf()));
        for file in found {
            let shown = path.join(file.strip_prefix(&real).unwrap_or(&file));
            self.file(&file, shown.as_os_str().as_bytes());
        }
    }

    fn file(&mut self, file: &Path, shown: &[u8]) {
        self.name(shown, None);
        match std::fs::read(file) {
            Ok(bytes) => self.text(shown, &bytes, None),
            Err(e) => self.not_read(shown, &e),
        }
    }

    fn not_read(&mut self, shown: &[u8], e: &std::io::Error) {
        self.unreadable += 1;
        self.ui.warn(&format!("{} cannot be read: {e}", guard::show(shown)));
    }

    /// Visits the files below a folder in order of their names. Links are not followed, git
    /// directories not entered.
    fn list(&mut self, dir: &Path, visit: &mut dyn FnMut(&Path)) {
        let entries =
            std::fs::read_dir(dir).and_then(|entries| entries.collect::<std::io::Result<Vec<_>>>());
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(e) => return self.not_read(dir.as_os_str().as_bytes(), &e),
        };
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_file() {
                visit(&entry.path());
            } else if kind.is_dir() && entry.file_name() != ".git" {
                self.list(&entry.path(), visit);
            }
        }
    }
}

fn has_blob(leaf: Leaf) -> bool {
    const SYMLINK: u32 = 0o120_000;
    leaf.is_file() || leaf.mode == SYMLINK
}

fn people(commit: &CommitInfo) -> String {
    let (a, c) = (&commit.author, &commit.committer);
    format!("{} <{}>\n{} <{}>\n", a.name, a.email, c.name, c.email)
}

/// The commits of `A..B`, newest first; `B` alone has all of its past, and an empty `B` is the live
/// line.
fn commits_of(vault: &Vault, range: &str) -> Result<Vec<Oid>, CommandError> {
    let (from, to) = range.split_once("..").unwrap_or(("", range));
    let to = revision(vault, if to.is_empty() { refs::MAIN } else { to })?;
    let hidden = if from.is_empty() { Vec::new() } else { vec![revision(vault, from)?] };
    Ok(vault.store.repo.range(to, &hidden)?)
}

/// Every commit that a ref of the store reaches.
fn all_commits(repo: &Repo) -> Result<Vec<Oid>, CommandError> {
    let mut hidden = Vec::new();
    let mut lines = Vec::new();
    for (_, tip) in repo.references("refs/")? {
        // Two of kith's refs name trees whose entries are in the lines anyway.
        if repo.commit(tip).is_ok() {
            lines.push(repo.range(tip, &hidden)?);
            hidden.push(tip);
        }
    }
    // What an earlier line reaches is hidden from the later ones, and may be their past.
    lines.reverse();
    Ok(lines.concat())
}
