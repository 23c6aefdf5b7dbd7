//! `kith hook`: what git calls in a store. Works without a home, from git's own arguments.

use super::{CommandError, Global, Kind};
use crate::config::Env;
use crate::git::{Changed, CommitInfo, Identity, Oid, Repo};
use crate::guard;
use crate::memory::{MemoryPath, merge};
use crate::secrets;
use crate::ui::Ui;
use crate::vault::{
    Clock, Events, Registry, Store, SyncState, Vault, VaultError, known_author, load_state, refs,
};
use std::collections::{BTreeSet, HashSet};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Most faults that are named; the first ones say what to do.
const NAMED: usize = 10;

/// Arguments of `hook`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What happens
    #[command(subcommand)]
    pub event: Event,
}

/// What git calls.
#[derive(Debug, clap::Subcommand)]
pub enum Event {
    /// Merge one note (git's %O %A %B %P)
    MergeDriver {
        /// The common version
        base: PathBuf,
        /// Our version, which becomes the merge
        ours: PathBuf,
        /// Their version
        theirs: PathBuf,
        /// The note's path
        path: String,
    },
    /// Judge what a person's own git push would send (git's lines on standard input)
    PrePush {
        /// The store's git directory
        #[arg(long, value_name = "DIR")]
        git_dir: PathBuf,
        /// The remote's name
        name: Option<String>,
        /// Its URL
        url: Option<String>,
    },
}

/// Runs a hook.
pub fn run(env: &Env, global: &Global, args: &Args) -> Result<(), CommandError> {
    let ui = super::context::ui(env, global);
    match &args.event {
        Event::MergeDriver { base, ours, theirs, path } => {
            merge_driver(&ui, [base, ours, theirs].map(PathBuf::as_path), path)
        }
        Event::PrePush { git_dir, .. } => pre_push(&ui, &env.cwd().join(git_dir)),
    }
}

fn merge_driver(ui: &Ui, [base, ours, theirs]: [&Path; 3], path: &str) -> Result<(), CommandError> {
    let shown = guard::show(path.as_bytes());
    let path = MemoryPath::new(path)
        .map_err(|_| CommandError::user(format!("{shown} is no path of a note")))?;
    let read = |file: &Path| std::fs::read(file).map_err(|e| at(file, &e));
    let (base, first, second) = (read(base)?, read(ours)?, read(theirs)?);
    // git does not say when the sides were written; equal times order them by their bytes.
    let side = |text| merge::Side { text: Some(text), time: 0 };
    let merged = merge::merge(&path, Some(&base), side(&first), side(&second));
    let text = merged.text.unwrap_or_default();
    std::fs::File::create(ours)
        .and_then(|mut out| out.write_all(&text))
        .map_err(|e| at(ours, &e))?;
    if !merged.contested.is_empty() {
        ui.say(&format!("kith: {shown}: both texts are kept where the two sides contradict"));
    }
    Ok(())
}

fn at(file: &Path, e: &std::io::Error) -> CommandError {
    CommandError::user(format!("{}: {e}", guard::show(file.as_os_str().as_encoded_bytes())))
}

/// Refuses a push that carries a secret, or what waits here.
fn pre_push(ui: &Ui, git_dir: &Path) -> Result<(), CommandError> {
    let vault = vault_at(git_dir)?;
    let mut lines = String::new();
    std::io::stdin().read_to_string(&mut lines).map_err(|e| at(Path::new("stdin"), &e))?;
    let mut faults = BTreeSet::new();
    for line in lines.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [_, local, _, remote] = words[..] else { continue };
        if local.bytes().all(|b| b == b'0') {
            continue;
        }
        let local = vault.store.repo.resolve(local)?;
        let mut known: Vec<Oid> = vault.store.repo.reference(refs::REMOTE)?.into_iter().collect();
        known.extend(Oid::parse(remote).filter(|id| vault.store.repo.has(*id)));
        secrets_in(&vault.store.repo, local, &known, &mut faults)?;
        waiting_in(&vault, local, &mut faults)?;
    }
    if faults.is_empty() {
        return Ok(());
    }
    for fault in faults.iter().take(NAMED) {
        ui.warn(fault);
    }
    if faults.len() > NAMED {
        ui.warn(&format!("and {} more", faults.len() - NAMED));
    }
    Err(CommandError::new(Kind::User, "this push would send what must stay here")
        .hint("`kith push` sends everything else."))
}

/// The store that a git directory belongs to, by the registry that lies two folders above it.
fn vault_at(git_dir: &Path) -> Result<Vault, CommandError> {
    let foreign = || CommandError::user(format!("{} is not a store of kith", git_dir.display()));
    let git_dir = std::fs::canonicalize(git_dir).map_err(|e| at(git_dir, &e))?;
    let kith_dir = git_dir.parent().and_then(Path::parent).ok_or_else(foreign)?;
    let id = git_dir.file_stem().and_then(|s| s.to_str()).ok_or_else(foreign)?;
    let registry = Registry::new(kith_dir);
    let row = registry.all()?.into_iter().find(|row| row.id == id).ok_or_else(foreign)?;
    Ok(Vault {
        store: Store::open(&registry, &row.dir)?,
        author: known_author(Identity { name: "kith".into(), email: "kith@localhost".into() }),
        clock: Clock::system(),
        events: Events::new(kith_dir),
    })
}

/// Every BLOCK secret in the commits that the remote does not have: in names, messages, paths and
/// notes, also where a later commit took it out again.
fn secrets_in(
    repo: &Repo,
    tip: Oid,
    known: &[Oid],
    faults: &mut BTreeSet<String>,
) -> Result<(), CommandError> {
    let mut read = HashSet::new();
    for id in repo.range(tip, known)? {
        let commit = repo.commit(id)?;
        let people = [&commit.author, &commit.committer];
        let texts = people.iter().flat_map(|p| [&p.name, &p.email]).chain([&commit.message]);
        for text in texts {
            if let Some(found) = secrets::scan_blocking(text.as_bytes()) {
                let short = id.short();
                faults.insert(format!(
                    "commit {short}: its message or author holds a secret ({})",
                    found.rule
                ));
            }
        }
        for change in own_changes(repo, &commit)? {
            let Some(leaf) = change.new else { continue };
            let path = guard::show(&change.path);
            if let Some(found) = secrets::scan_blocking(&change.path) {
                faults.insert(format!("{path}: the name holds a secret ({})", found.rule));
            }
            if !leaf.is_file() || !read.insert(leaf.id) {
                continue;
            }
            if let Some(found) = secrets::scan_blocking(&repo.blob(leaf.id)?) {
                let (short, line) = (id.short(), found.line);
                faults.insert(format!(
                    "{path}: line {line} holds a secret ({}) in commit {short}",
                    found.rule
                ));
            }
        }
    }
    Ok(())
}

/// What a commit has that none of its parents had.
fn own_changes(repo: &Repo, commit: &CommitInfo) -> Result<Vec<Changed>, CommandError> {
    let first = repo.tree_of(commit.parents.first().copied())?;
    let mut changed = repo.diff(first, Some(commit.tree))?;
    for parent in commit.parents.iter().skip(1) {
        let tree = repo.tree_of(Some(*parent))?;
        let mut own = Vec::new();
        for change in changed {
            if repo.leaf(tree, &change.path)? != change.new {
                own.push(change);
            }
        }
        changed = own;
    }
    Ok(changed)
}

/// Paths that are held, parked or frozen here, where the push would change them on the remote.
fn waiting_in(vault: &Vault, tip: Oid, faults: &mut BTreeSet<String>) -> Result<(), CommandError> {
    let repo = &vault.store.repo;
    let parked = repo.leaves(repo.reference(refs::PARKED)?)?;
    let sync: SyncState = load_state(&vault.store.state_file("sync.json"))?;
    let held: Vec<Vec<u8>> = match vault.survey() {
        Ok(survey) => survey.held.into_iter().map(|h| h.path).collect(),
        // A person in the middle of a merge of their own pushes something else than what is live.
        Err(VaultError::OffLine { .. } | VaultError::OpenOperation { .. }) => Vec::new(),
        Err(e) => return Err(e.into()),
    };
    let remote = repo.tree_of(repo.reference(refs::REMOTE)?)?;
    for change in repo.diff(remote, repo.tree_of(Some(tip))?)? {
        let shown = guard::show(&change.path);
        let why = if held.contains(&change.path) {
            "is held back here"
        } else if parked.contains_key(&change.path) {
            "is a change that waits for a person's word"
        } else if sync.frozen.contains(&shown) {
            "waits, since the remote's entry of that name was refused"
        } else {
            continue;
        };
        faults.insert(format!("{shown} {why}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::git::{Leaf, NewCommit, Person, TreeChanges};

    fn commit(repo: &Repo, parents: &[Oid], text: &str, message: &str) -> Oid {
        let person =
            Person { name: "Ana".into(), email: "ana@example.com".into(), time: 1, offset: 0 };
        let leaf = Leaf::file(repo.write_blob(text.as_bytes()).unwrap());
        let changes = TreeChanges::from([(b"a.md".to_vec(), Some(leaf))]);
        let tree = repo.splice(None, &changes).unwrap();
        let (author, committer) = (&person, &person);
        repo.write_commit(&NewCommit { tree, parents, author, committer, message }).unwrap()
    }

    fn faults(repo: &Repo, tip: Oid, known: &[Oid]) -> Vec<String> {
        let mut faults = BTreeSet::new();
        secrets_in(repo, tip, known, &mut faults).unwrap();
        faults.into_iter().collect()
    }

    #[test]
    fn a_secret_that_a_later_commit_took_out_is_still_in_the_push() {
        let temp = tempfile::tempdir().unwrap();
        let repo = Repo::init(&temp.path().join("s.git")).unwrap();
        let secret = format!("{}Zq7Lw2Xc9Vb4Nm6Kj1Hg8Fd3Sa5Po04BbLsV", concat!("gh", "p_"));
        let clean = commit(&repo, &[], "clean", "one");
        let leaky = commit(&repo, &[clean], &format!("use {secret}"), "two");
        let mended = commit(&repo, &[leaky], "clean again", "three");
        let found = faults(&repo, mended, &[clean]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("a.md: line 1") && !found[0].contains(&secret), "{found:?}");
        assert_eq!(faults(&repo, mended, &[leaky]), Vec::<String>::new(), "the remote has it");
        let told = commit(&repo, &[clean], "clean", &format!("use {secret}"));
        assert!(faults(&repo, told, &[clean])[0].contains("message"));
    }

    #[test]
    fn a_merge_is_not_blamed_for_what_the_remotes_side_brought() {
        let temp = tempfile::tempdir().unwrap();
        let repo = Repo::init(&temp.path().join("s.git")).unwrap();
        let first = commit(&repo, &[], "first", "one");
        let theirs = commit(&repo, &[first], "theirs", "two");
        let merge = commit(&repo, &[first, theirs], "theirs", "merge");
        let own = |id| own_changes(&repo, &repo.commit(id).unwrap()).unwrap().len();
        assert_eq!((own(first), own(theirs), own(merge)), (1, 1, 0));
    }

    #[test]
    fn the_merge_driver_writes_both_edits_into_our_file() {
        let temp = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = temp.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let base = file("base", "one\n\ntwo\n\nthree\n");
        let ours = file("ours", "ONE\n\ntwo\n\nthree\n");
        let theirs = file("theirs", "one\n\ntwo\n\nTHREE\n");
        merge_driver(&Ui::default(), [&base, &ours, &theirs], "a.md").unwrap();
        assert_eq!(std::fs::read_to_string(&ours).unwrap(), "ONE\n\ntwo\n\nTHREE\n");
        assert!(merge_driver(&Ui::default(), [&base, &ours, &theirs], "../a.md").is_err());
    }
}
