//! Which repository a directory belongs to, read from the files alone: this runs before every
//! command and may cost only a few system calls.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Bytes up to which git's small files are read (a path and a few words).
const SMALL_BYTES: u64 = 16 * 1024;
/// Where stores keep their git directories, below kith's own directory.
const STORES: &str = "kith/stores";

/// The root that all work trees and subdirectories of one repository share, as Claude Code finds
/// it: the main work tree; for work trees of a bare repository the bare repository itself; for a
/// submodule its own root. `None` outside git. `dir` must be a real path.
///
/// The folder that only points to a bare repository within it (`gitdir: ./.bare`) counts as that
/// repository, so that it shares the store of the work trees beside it.
#[must_use]
pub fn canonical_root(dir: &Path) -> Option<PathBuf> {
    let tree = work_tree(dir)?;
    Some(main_root(tree).unwrap_or_else(|| tree.to_owned()))
}

/// The nearest directory, `dir` or above it, that has a `.git`.
pub(super) fn work_tree(dir: &Path) -> Option<&Path> {
    dir.ancestors().find(|dir| dir.join(".git").exists())
}

/// The work tree that a git command in `dir` would find if `dir` were no store: its own `.git`
/// counts unless it is a file that points to a store of kith's.
#[must_use]
pub fn enclosing_work_tree(dir: &Path) -> Option<PathBuf> {
    let real = dir.ancestors().find_map(|above| {
        let rest = dir.strip_prefix(above).ok()?;
        fs::canonicalize(above).ok().map(|real| real.join(rest))
    })?;
    let own_store = git_dir(&real)
        .is_some_and(|git| git.parent().is_some_and(|stores| stores.ends_with(STORES)));
    let start = if own_store { real.parent()? } else { &real };
    work_tree(start).map(Path::to_owned)
}

/// The repository's own directory: what all its work trees have in common.
pub(super) fn common_dir(root: &Path) -> PathBuf {
    let inside = root.join(".git");
    if inside.is_dir() {
        return inside;
    }
    git_dir(root).unwrap_or_else(|| root.to_owned())
}

/// The root of a tree whose `.git` is a file, where it is another one than the tree itself.
fn main_root(tree: &Path) -> Option<PathBuf> {
    let git = git_dir(tree)?;
    let Some(common) = small(&git.join("commondir")) else {
        // A submodule, a separate git directory, or a pointer to a bare repository.
        let real = fs::canonicalize(&git).ok()?;
        return (real.starts_with(tree) && is_bare(&real)).then_some(real);
    };
    let git = fs::canonicalize(git).ok()?;
    let common = fs::canonicalize(git.join(common)).ok()?;
    // A repository can claim to be a work tree of any other one, and would be given that one's
    // memory. Only where the other one knows of it, it is one.
    let known = git.parent() == Some(&common.join("worktrees"))
        && small(&git.join("gitdir"))
            .and_then(|back| fs::canonicalize(git.join(back)).ok())
            .is_some_and(|back| Some(back) == fs::canonicalize(tree.join(".git")).ok());
    if !known {
        return None;
    }
    if common.file_name().is_some_and(|name| name == ".git") {
        common.parent().map(Path::to_owned)
    } else {
        Some(common)
    }
}

/// Where the `.git` file of `tree` points.
fn git_dir(tree: &Path) -> Option<PathBuf> {
    let text = small(&tree.join(".git"))?;
    Some(tree.join(text.strip_prefix("gitdir:")?.trim()))
}

fn is_bare(git: &Path) -> bool {
    small(&git.join("config")).is_some_and(|config| {
        config.lines().any(|line| {
            line.split_once('=').is_some_and(|(key, value)| {
                key.trim().eq_ignore_ascii_case("bare") && value.trim() == "true"
            })
        })
    })
}

/// The text of a small regular file, without space around it.
pub(super) fn small(path: &Path) -> Option<String> {
    // Looked at first: opening a pipe in its place would wait forever.
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    File::open(path).ok()?.take(SMALL_BYTES).read_to_string(&mut text).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
