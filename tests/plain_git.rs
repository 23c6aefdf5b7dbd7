//! A person's plain git on the store does no harm, and what kith did looks right to it.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod support;

use support::{Machine, assert_no_marker, note, notes};

fn with_two_notes() -> Machine {
    let ana = Machine::new("Ana");
    ana.kith(&["init"]).ok();
    ana.write("a.md", &note("a", "the first", "First text."));
    ana.write("b.md", &note("b", "the second", "Second text."));
    ana.kith(&["commit"]).ok();
    ana
}

fn git(machine: &Machine, args: &[&str]) -> String {
    let mut all = vec!["git"];
    all.extend(args);
    machine.kith(&all).ok().stdout
}

#[test]
fn after_a_kith_commit_a_commit_by_plain_git_changes_only_what_was_added() {
    let ana = with_two_notes();
    assert_eq!(git(&ana, &["status", "--porcelain"]), "");
    ana.write("a.md", &note("a", "the first", "First text, changed."));
    ana.kith(&["commit"]).ok();
    ana.write("b.md", &note("b", "the second", "Second text, changed."));
    git(&ana, &["add", "b.md"]);
    git(&ana, &["commit", "-q", "-m", "b by hand"]);
    assert_eq!(git(&ana, &["show", "--name-only", "--format=", "HEAD"]).trim(), "b.md");
    assert_eq!(git(&ana, &["status", "--porcelain"]), "");
    assert!(git(&ana, &["show", "HEAD:a.md"]).contains("First text, changed."));
}

#[test]
fn every_kind_of_change_leaves_plain_gits_status_clean() {
    let ana = with_two_notes();
    ana.kith(&["remember", "The third thing to know.", "--name", "third"]).ok();
    assert_eq!(git(&ana, &["status", "--porcelain"]), "", "after remember");
    std::fs::remove_file(ana.memory_dir().join("a.md")).unwrap();
    ana.kith(&["commit"]).ok();
    assert_eq!(git(&ana, &["status", "--porcelain"]), "", "after a deletion");
    ana.kith(&["restore", "a.md", "--from", "HEAD~1"]).ok();
    assert!(ana.read("a.md").unwrap().contains("First text."));
    assert_eq!(git(&ana, &["status", "--porcelain"]), "", "after restore");
    ana.kith(&["revert", "HEAD"]).ok();
    assert!(ana.read("a.md").is_none());
    assert_eq!(git(&ana, &["status", "--porcelain"]), "", "after revert");
    git(&ana, &["fsck", "--strict"]);
}

#[test]
fn a_commit_by_plain_git_is_known_to_the_next_kith_command() {
    let ana = with_two_notes();
    ana.write("c.md", &note("c", "by hand", "Third text."));
    git(&ana, &["add", "c.md"]);
    git(&ana, &["commit", "-q", "-m", "c by hand"]);
    let head = git(&ana, &["rev-parse", "HEAD"]);
    assert_eq!(ana.json(&["status"])["dirty"], serde_json::json!([]));
    ana.kith(&["commit"]).ok();
    assert_eq!(git(&ana, &["rev-parse", "HEAD"]), head, "nothing changed, nothing to commit");
}

#[test]
fn the_git_file_is_there_with_a_relative_path_where_no_work_tree_is_around() {
    let ana = with_two_notes();
    let dir = ana.memory_dir();
    let file = std::fs::read_to_string(dir.join(".git")).expect("a .git file");
    let target = file.strip_prefix("gitdir: ").expect("it names a directory").trim();
    assert!(target.starts_with("../"), "{file}");
    assert_eq!(ana.git(&dir, &["status", "--porcelain"]).ok().stdout, "");
    assert!(!ana.git_dir().starts_with(&dir), "the git directory lies in the memory directory");
}

#[test]
fn a_merge_by_plain_git_keeps_both_edits_and_writes_no_marker() {
    let ana = with_two_notes();
    let live = git(&ana, &["symbolic-ref", "--short", "HEAD"]);
    git(&ana, &["checkout", "-q", "-b", "side"]);
    ana.write("a.md", &note("a", "the first", "First text, seen from the side."));
    git(&ana, &["commit", "-q", "-am", "side"]);
    git(&ana, &["checkout", "-q", live.trim()]);
    ana.write("a.md", &note("a", "the first", "First text, seen from the front."));
    git(&ana, &["commit", "-q", "-am", "front"]);
    git(&ana, &["merge", "-q", "-m", "both", "side"]);
    let held = notes(&ana.memory_dir());
    assert_no_marker(&held);
    let text = ana.read("a.md").unwrap();
    assert!(text.contains("from the side") && text.contains("from the front"), "{text}");
}

#[test]
fn a_filter_or_hook_that_a_person_set_up_does_not_run_on_notes() {
    let mut ana = with_two_notes();
    let trace = ana.root().join("ran");
    let touch = format!("touch {}; cat", trace.display());
    ana.git(ana.home(), &["config", "--global", "filter.spy.clean", &touch]).ok();
    ana.git(ana.home(), &["config", "--global", "filter.spy.smudge", &touch]).ok();
    let attributes = ana.home().join("attributes");
    std::fs::write(&attributes, "* filter=spy\n").unwrap();
    let path = attributes.to_str().unwrap().to_string();
    ana.git(ana.home(), &["config", "--global", "core.attributesFile", &path]).ok();
    ana.set_env("GIT_ATTR_NOSYSTEM", "1");
    ana.write("a.md", &note("a", "the first", "Another text."));
    ana.kith(&["commit"]).ok();
    git(&ana, &["status", "--porcelain"]);
    assert!(!trace.exists(), "a filter ran");
}
