//! `kith init`: makes the memory directory a store, and joins or makes the team's.

use super::asking::{self, Answer};
use super::commit::left_over;
use super::{CommandError, Context, shell_word, sync};
use crate::config::enclosing_work_tree;
use crate::git::Repo;
use crate::secrets;
use crate::team::{remote_of, set_remote};
use crate::ui::count;
use crate::vault::{CaptureOptions, Captured, Created, Store, StoreKind, refs};
use serde_json::json;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const PRE_PUSH: &str = include_str!("../../hooks/pre-push");
const MERGE_DRIVER: &str = include_str!("../../hooks/merge-driver");
const MARK: &str = "# kith:begin";

/// Arguments of `init`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A remote for the private store: your own other machines
    #[arg(long, value_name = "URL", conflicts_with = "team")]
    pub url: Option<String>,
    /// The team's remote: a git URL or an absolute path
    #[arg(long, value_name = "URL")]
    pub team_url: Option<String>,
    /// The team's branch there; else the remote's default, else main
    #[arg(long, value_name = "B", requires = "team_url")]
    pub team_branch: Option<String>,
    /// Everybody may read the remote, and that is meant
    #[arg(long)]
    pub public: bool,
    /// Install no git hooks in the store
    #[arg(long)]
    pub no_hooks: bool,
}

/// A remote to be named.
struct Wish<'a> {
    url: &'a str,
    branch: Option<&'a str>,
}

/// Runs `init`.
pub fn run(ctx: &Context, args: &Args) -> Result<(), CommandError> {
    let team_only = ctx.global.team;
    if !team_only {
        let wish = args.url.as_deref().map(|url| Wish { url, branch: None });
        one(ctx, args, (&ctx.dir()?, ctx.kind()), wish)?;
    }
    if team_only || args.team_url.is_some() {
        let branch = args.team_branch.as_deref();
        let wish = args.team_url.as_deref().map(|url| Wish { url, branch });
        one(ctx, args, (&ctx.places.team_dir(), StoreKind::Team), wish)?;
    }
    Ok(())
}

/// Makes one store, names its remote, syncs it for the first time.
fn one(
    ctx: &Context,
    args: &Args,
    (dir, kind): (&Path, StoreKind),
    wish: Option<Wish<'_>>,
) -> Result<(), CommandError> {
    let around = foreign_around(dir);
    let Created { store, fresh, took_over } =
        Store::create(&ctx.registry, dir, kind, ctx.seed(), around.as_deref())?;
    set_up(ctx, args, &store)?;
    let vault = ctx.vault_of(store)?;
    // A first capture that failed is made up for.
    let first = fresh || vault.store.repo.reference(refs::MAIN)?.is_none();
    let captured =
        if first { Some(vault.enter()?.capture(CaptureOptions::default())?) } else { None };
    say(ctx, &vault.store, (fresh, took_over), captured.as_ref());
    let Some(wish) = wish else {
        if !first {
            ctx.ui.say("  nothing changed");
        }
        return Ok(());
    };
    let url = absolute(ctx.env.cwd(), wish.url);
    other_stores_remote(ctx, kind, &url)?;
    let silent = name_remote(ctx, &vault.store.repo, &url, wish.branch)?;
    if args.public {
        asking::agree(&vault.store.repo)?;
    }
    if let Some(why) = silent {
        let message = format!("{} does not answer: {why}; it is recorded", secrets::redact(&url));
        return Err(CommandError::unreachable(message)
            .hint("Everything is committed here; the next `kith sync` sends it."));
    }
    sync::one(ctx, &vault, true)
}

/// Private notes must not reach the team by a mistaken flag: one repository, one store.
fn other_stores_remote(ctx: &Context, kind: StoreKind, url: &str) -> Result<(), CommandError> {
    let (other, flag) = match kind {
        StoreKind::Private | StoreKind::Agent => (ctx.places.team_dir(), "--url"),
        StoreKind::Team => (ctx.dir()?, "--team-url"),
    };
    let Ok(store) = Store::open(&ctx.registry, &other) else { return Ok(()) };
    if remote_of(&store.repo).is_none_or(|remote| remote.url != url) {
        return Ok(());
    }
    Err(CommandError::user(format!(
        "{} is the remote of the {} store already",
        secrets::redact(url),
        store.kind.as_str()
    ))
    .hint(format!("Name another repository with {flag}: one holds one store.")))
}

/// Records the remote. Gives the reason when it does not answer.
fn name_remote(
    ctx: &Context,
    repo: &Repo,
    url: &str,
    branch: Option<&str>,
) -> Result<Option<String>, CommandError> {
    let known = remote_of(repo);
    let same = known.as_ref().is_some_and(|r| r.url == url);
    if same && branch.is_none() {
        return Ok(None);
    }
    if let Some(known) = known.as_ref().filter(|_| !same) {
        other_remote(ctx, repo, &known.url)?;
    }
    let shown = secrets::redact(url);
    // Recorded at once: a wrong URL is refused before anything is asked.
    set_remote(repo, url, branch.unwrap_or("main"))?;
    if !same {
        asking::forget(repo)?;
        ctx.ui.say(&format!("  its remote: {shown}"));
    }
    match asking::head(ctx, url)? {
        Answer::Silent(why) => Ok(Some(why)),
        Answer::Head(Some((default, _))) if branch.is_none() => {
            set_remote(repo, url, &default)?;
            Ok(None)
        }
        Answer::Head(_) => Ok(None),
    }
}

/// What came in from one remote says nothing about what another one has, and notes that are not
/// there would count as deleted; so a remote that was used is not exchanged without a word.
fn other_remote(ctx: &Context, repo: &Repo, old: &str) -> Result<(), CommandError> {
    if repo.reference(refs::REMOTE)?.is_none() || ctx.global.yes {
        return Ok(());
    }
    let old = secrets::redact(old).into_owned();
    Err(CommandError::user(format!("this store is synced with another remote already: {old}"))
        .hint("If that repository has moved and is the same one, say so with --yes."))
}

/// The work tree of somebody else's repository around a directory; kith's own stores are none.
pub(super) fn foreign_around(dir: &Path) -> Option<PathBuf> {
    // An ordinary repository of the directory itself is taken over, and so is not around it.
    let start = if dir.join(".git").is_dir() { dir.parent()? } else { dir };
    let mut found = enclosing_work_tree(start)?;
    loop {
        let above = enclosing_work_tree(&found)?;
        if above == found {
            return Some(found);
        }
        found = above;
    }
}

/// A path is made absolute: the remote stays the same wherever kith is called.
fn absolute(cwd: &Path, url: &str) -> String {
    let scp = url.find(':').is_some_and(|colon| !url[..colon].contains('/'));
    if url.is_empty() || url.starts_with(['/', '-']) || url.contains("://") || scp {
        return url.to_string();
    }
    let path = cwd.join(url);
    std::fs::canonicalize(&path).unwrap_or(path).to_string_lossy().into_owned()
}

/// What git calls in this store: the merge driver and the hooks.
fn set_up(ctx: &Context, args: &Args, store: &Store) -> Result<(), CommandError> {
    let program = ctx.env.program().map_or_else(|| "kith".into(), |p| p.to_string_lossy());
    let program = shell_word(&program);
    // git itself replaces what begins with a percent sign.
    let driver = MERGE_DRIVER.trim().replace("@KITH@", &program.replace('%', "%%"));
    store.repo.set_merge_driver(&driver)?;
    if args.no_hooks {
        return Ok(());
    }
    let file = store.repo.dir().join("hooks/pre-push");
    let text = format!("#!/bin/sh\n{}", PRE_PUSH.replace("@KITH@", &program));
    match std::fs::read_to_string(&file) {
        Ok(old) if old == text => Ok(()),
        Ok(old) if !old.contains(MARK) => {
            ctx.ui.warn(&format!(
                "{} is a hook of your own and stays; let it call `kith hook pre-push \"$@\"`",
                file.display()
            ));
            Ok(())
        }
        Ok(_) | Err(_) => write_hook(&file, &text)
            .map_err(|e| CommandError::user(format!("{}: {e}", file.display()))),
    }
}

fn write_hook(file: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let temp = file.with_extension("kith-tmp");
    let mut out = std::fs::File::create(&temp)?;
    out.write_all(text.as_bytes())?;
    out.set_permissions(std::fs::Permissions::from_mode(0o755))?;
    std::fs::rename(&temp, file)
}

fn say(
    ctx: &Context,
    store: &Store,
    (fresh, took_over): (bool, bool),
    captured: Option<&Captured>,
) {
    let ui = &ctx.ui;
    let kind = store.kind.as_str();
    let dir = store.dir.display();
    let article = if store.kind == StoreKind::Agent { "an" } else { "a" };
    if ui.is_json() {
        ui.json(&json!({
            "store": kind,
            "dir": dir.to_string(),
            "git_dir": store.repo.dir().to_string_lossy(),
            "fresh": fresh,
            "took_over": took_over,
            "commit": captured.and_then(|c| c.commit).map(|id| id.to_string()),
        }));
    } else if fresh {
        ui.done(&format!("{dir} is now {article} {kind} store"));
        ui.say(&format!("  its git directory: {}", store.repo.dir().display()));
    } else {
        ui.done(&format!("{dir} is already {article} {kind} store"));
    }
    if took_over {
        ui.say("  the repository that was in its .git was taken over, with its history");
    }
    if let Some(captured) = captured {
        if captured.commit.is_some() {
            ui.say(&format!("  captured {}", count(captured.changes.len(), "note")));
        }
        left_over(ctx, captured);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_relative_path_is_made_absolute_and_an_address_is_not() {
        let cwd = Path::new("/work/nowhere");
        assert_eq!(absolute(cwd, "team.git"), "/work/nowhere/team.git");
        for url in ["https://h/x.git", "git@h:x.git", "/a/b.git", "-x", ""] {
            assert_eq!(absolute(cwd, url), url);
        }
    }

    #[test]
    fn a_store_around_the_teams_directory_is_nobody_elses_work_tree() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let memory = root.join("memory");
        let team = memory.join("team");
        std::fs::create_dir_all(root.join("kith/stores/a.git")).unwrap();
        std::fs::create_dir_all(&team).unwrap();
        std::fs::write(memory.join(".git"), "gitdir: ../kith/stores/a.git\n").unwrap();
        assert_eq!(foreign_around(&team), None);
        std::fs::create_dir(root.join(".git")).unwrap();
        assert_eq!(foreign_around(&team), Some(root.clone()));
        std::fs::create_dir_all(root.join("own/.git")).unwrap();
        assert_eq!(foreign_around(&root.join("own")), Some(root));
    }
}
