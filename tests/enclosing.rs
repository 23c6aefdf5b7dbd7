//! A repository around the memory directory notices nothing: its status and what it would add
//! are the same before and after anything kith does.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod support;

use std::path::{Path, PathBuf};
use support::{Machine, Remote, note};
use tempfile::TempDir;

/// What the enclosing repository says, and what it would add.
fn seen(machine: &Machine, dir: &Path) -> (String, String) {
    let status = machine.git(dir, &["status", "--porcelain"]).ok().stdout;
    let adds = machine.git(dir, &["add", "-A", "-n"]).ok().stdout;
    (status, adds)
}

/// The same, each untracked file listed.
fn seen_plainly(machine: &Machine, dir: &Path) -> (String, String) {
    let status = machine.git(dir, &["status", "--porcelain", "-uall"]).ok().stdout;
    let adds = machine.git(dir, &["add", "-A", "-n"]).ok().stdout;
    (status, adds)
}

fn remote_with_a_note() -> (TempDir, Remote) {
    let root = TempDir::new().unwrap();
    let remote = Remote::bare(&root.path().join("team.git"));
    let ben = Machine::in_team("Ben", remote.url());
    ben.write_team("shared.md", &note("shared", "from Ben", "A team note."));
    ben.sync();
    (root, remote)
}

/// A home that is a dotfiles repository, its Claude directory ignored, but one note tracked.
fn dotfiles() -> Machine {
    let ana = Machine::new("Ana");
    ana.write("tracked.md", &note("tracked", "kept in dotfiles", "A tracked note."));
    let home = ana.home();
    std::fs::write(home.join(".gitignore"), ".claude/\n.config/\n.local/\n.cache/\n").unwrap();
    ana.git(home, &["init", "-q"]).ok();
    let tracked = ana.memory_dir().join("tracked.md");
    ana.git(home, &["add", ".gitignore", ".gitconfig"]).ok();
    ana.git(home, &["add", "-f", tracked.to_str().unwrap()]).ok();
    ana.git(home, &["commit", "-q", "-m", "dotfiles"]).ok();
    std::fs::write(home.join("loose.txt"), "untracked\n").unwrap();
    ana
}

#[test]
fn a_dotfiles_repository_sees_nothing_of_init_sync_and_a_moved_home() {
    let (_root, remote) = remote_with_a_note();
    let mut ana = dotfiles();
    let before = seen(&ana, ana.home());
    ana.kith(&["init", "--team-url", remote.url()]).ok();
    assert_eq!(before, seen(&ana, ana.home()), "after init");
    assert!(!ana.memory_dir().join(".git").exists(), "a .git file inside a work tree");
    ana.write("private.md", &note("private", "mine", "An ignored note."));
    ana.kith(&["commit"]).ok();
    ana.sync();
    assert_eq!(before, seen(&ana, ana.home()), "after sync");
    assert!(ana.read_team("shared.md").is_some());

    ana.move_home("moved");
    assert_eq!(before, seen(&ana, ana.home()), "after the move");
    ana.kith(&["status"]);
    assert_eq!(before, seen(&ana, ana.home()), "after a command in the moved home");
}

#[test]
fn a_dotfiles_repository_sees_nothing_when_kiths_stores_are_removed() {
    let (_root, remote) = remote_with_a_note();
    let ana = dotfiles();
    let before = seen(&ana, ana.home());
    ana.kith(&["init", "--team-url", remote.url()]).ok();
    ana.sync();
    std::fs::remove_dir_all(ana.home().join(".claude/kith")).unwrap();
    assert_eq!(before, seen(&ana, ana.home()));
}

#[test]
fn a_home_under_git_that_ignores_nothing_is_offered_no_file_of_a_store() {
    let ana = Machine::new("Ana");
    ana.write("first.md", &note("first", "mine", "A note."));
    ana.git(ana.home(), &["init", "-q"]).ok();
    let before = seen_plainly(&ana, ana.home());
    ana.kith(&["init"]).ok();
    ana.kith(&["commit"]).ok();
    assert_eq!(before, seen_plainly(&ana, ana.home()));
}

/// A code repository that keeps its notes in `notes/`, used with `--dir`.
fn code_with_notes(ana: &Machine) -> PathBuf {
    let dir = ana.project().join("notes");
    std::fs::create_dir_all(dir.join("team")).unwrap();
    std::fs::write(dir.join("design.md"), note("design", "tracked", "A design note.")).unwrap();
    std::fs::write(dir.join("team").join("shared.md"), note("shared", "from Ben", "A team note."))
        .unwrap();
    ana.git(ana.project(), &["add", "."]).ok();
    ana.git(ana.project(), &["commit", "-q", "-m", "notes"]).ok();
    dir
}

#[test]
fn a_code_repository_around_the_notes_sees_nothing_of_init_commit_and_sync() {
    let (_root, remote) = remote_with_a_note();
    let ana = Machine::new("Ana");
    let dir = code_with_notes(&ana);
    let at = dir.to_str().unwrap();
    let before = seen(&ana, ana.project());
    ana.kith(&["--dir", at, "init", "--team-url", remote.url()]).ok();
    ana.kith(&["--dir", at, "commit"]).ok();
    ana.kith(&["--dir", at, "sync"]).ok();
    assert_eq!(before, seen(&ana, ana.project()));
    assert!(!dir.join(".git").exists() && !dir.join("team/.git").exists());
    let log = ana.kith(&["--dir", at, "git", "log", "--format=%s"]).ok().stdout;
    assert!(!log.trim().is_empty(), "nothing was captured");
}

#[test]
fn only_the_code_is_in_a_commit_that_the_code_repository_makes_afterwards() {
    let ana = Machine::new("Ana");
    let dir = code_with_notes(&ana);
    ana.kith(&["--dir", dir.to_str().unwrap(), "init"]).ok();
    std::fs::write(ana.project().join("main.rs"), "fn main() {}\n").unwrap();
    ana.git(ana.project(), &["add", "-A"]).ok();
    ana.git(ana.project(), &["commit", "-q", "-m", "code"]).ok();
    let listed = ana.git(ana.project(), &["show", "--name-only", "--format=", "HEAD"]).ok();
    assert_eq!(listed.stdout.trim(), "main.rs");
}
