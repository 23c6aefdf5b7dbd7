//! The live directory is other programs' too: stale writers, open files, copies and accidents
//! lose nothing.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod support;

use std::io::Write;
use std::path::Path;
use support::{Machine, Remote, note, notes};
use tempfile::TempDir;

const BODY: &str = "# Rules\n\nReviews take one day.\n\nTests run before the merge.";

/// Two machines that hold one note, `rules.md`.
fn pair() -> (TempDir, Remote, Machine, Machine) {
    let root = TempDir::new().unwrap();
    let remote = Remote::bare(&root.path().join("team.git"));
    let ana = Machine::in_team("Ana", remote.url());
    let ben = Machine::in_team("Ben", remote.url());
    ana.write_team("rules.md", &note("rules", "how we work", BODY));
    ana.sync();
    ben.sync();
    (root, remote, ana, ben)
}

#[test]
fn a_writer_that_had_read_the_note_before_a_pull_does_not_erase_what_the_pull_brought() {
    let (_root, _remote, ana, ben) = pair();
    let read_before = ben.read_team("rules.md").unwrap();
    ana.write_team("rules.md", &format!("{read_before}\nAna: no merges on Friday.\n"));
    ana.sync();
    ben.sync();
    assert!(ben.read_team("rules.md").unwrap().contains("no merges on Friday"));

    ben.write_team("rules.md", &format!("{read_before}\nBen: name a second reviewer.\n"));
    let commit = ben.kith(&["commit", "--team"]).ok();
    assert!(commit.stderr.len() + commit.stdout.len() > 0, "the rescue is not named");
    let text = ben.read_team("rules.md").unwrap();
    assert!(text.contains("no merges on Friday"), "Ana's line is lost:\n{text}");
    assert!(text.contains("name a second reviewer"), "Ben's line is lost:\n{text}");
    ben.sync();
    ana.sync();
    assert_eq!(ana.read_team("rules.md").unwrap(), text);
}

#[test]
fn a_stale_write_found_by_sync_is_reported_as_restored() {
    let (_root, _remote, ana, ben) = pair();
    let read_before = ben.read_team("rules.md").unwrap();
    ana.write_team("rules.md", &format!("{read_before}\nAna: no merges on Friday.\n"));
    ana.sync();
    ben.sync();
    ben.write_team("rules.md", &format!("{read_before}\nBen: name a second reviewer.\n"));
    let sync = ben.sync();
    assert_eq!(sync["restored"], serde_json::json!(["rules.md"]), "{sync}");
    let text = ben.read_team("rules.md").unwrap();
    assert!(text.contains("no merges on Friday") && text.contains("second reviewer"), "{text}");
}

#[test]
fn a_file_that_a_writer_holds_open_is_busy_and_taken_next_time() {
    let (_root, remote, ana, ben) = pair();
    let before = ana.read_team("rules.md").unwrap();
    ana.write_team("rules.md", &before.replace("one day", "two days"));
    ana.sync();
    let path = ben.team_dir().join("rules.md");
    let mut writer = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    writer.write_all(b"\nBen: begun").unwrap();
    let sync = ben.sync();
    assert_eq!(sync["busy"], serde_json::json!(["rules.md"]), "{sync}");
    writer.write_all(b" and ended.\n").unwrap();
    drop(writer);
    ben.sync();
    let text = ben.read_team("rules.md").unwrap();
    assert!(text.contains("two days") && text.contains("Ben: begun and ended."), "{text}");
    assert!(remote.read("rules.md").unwrap().contains("Ben: begun and ended."));
}

#[test]
fn a_changed_live_file_gets_a_fresh_time() {
    let (_root, _remote, ana, ben) = pair();
    let path = ben.team_dir().join("rules.md");
    let before = std::fs::metadata(&path).unwrap().modified().unwrap();
    let text = ana.read_team("rules.md").unwrap();
    ana.write_team("rules.md", &text.replace("one day", "two days"));
    ana.sync();
    std::thread::sleep(std::time::Duration::from_millis(20));
    ben.sync();
    assert!(std::fs::metadata(&path).unwrap().modified().unwrap() > before);
}

fn copy_dir(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_dir(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), &target).unwrap();
        }
    }
}

/// A private store with this many notes, committed.
fn with_notes(count: usize) -> Machine {
    let ana = Machine::new("Ana");
    ana.kith(&["init"]).ok();
    for i in 0..count {
        ana.write(&format!("n{i:02}.md"), &note(&format!("n{i:02}"), "one", &format!("Fact {i}.")));
    }
    ana.kith(&["commit"]).ok();
    ana
}

fn head(machine: &Machine) -> String {
    machine.kith(&["git", "rev-parse", "HEAD"]).ok().stdout
}

#[test]
fn a_directory_copied_with_its_git_file_is_refused_and_told_how_to_get_its_own_store() {
    let ana = with_notes(4);
    let before = head(&ana);
    // Beside the original, so that a relative `.git` file still leads to the original's store.
    let copy = ana.memory_dir().with_file_name("memory-copy");
    copy_dir(&ana.memory_dir(), &copy);
    std::fs::write(copy.join("n00.md"), "changed in the copy\n").unwrap();
    let at = copy.to_str().unwrap();
    ana.kith(&["--dir", at, "commit"]).exits(1).says("where --adopt");
    assert_eq!(head(&ana), before, "the copy wrote into the original's store");
    ana.kith(&["where", "--adopt", at]).ok();
    ana.kith(&["--dir", at, "commit"]).ok();
    assert_eq!(head(&ana), before);
    assert!(ana.read("n00.md").unwrap().contains("Fact 0."));
}

#[test]
fn an_emptied_directory_captures_nothing_and_says_how_to_get_the_notes_back() {
    let ana = with_notes(4);
    let before = head(&ana);
    for name in notes(&ana.memory_dir()).keys() {
        std::fs::remove_file(ana.memory_dir().join(name)).unwrap();
    }
    ana.kith(&["commit"]).exits(1).says("restore");
    assert_eq!(head(&ana), before);
    ana.kith(&["restore", "n03.md"]).ok();
    assert!(ana.read("n03.md").unwrap().contains("Fact 3."));
}

#[test]
fn many_notes_gone_at_once_are_parked_named_and_still_in_the_line() {
    let ana = with_notes(20);
    let before = head(&ana);
    for i in 0..8 {
        std::fs::remove_file(ana.memory_dir().join(format!("n{i:02}.md"))).unwrap();
    }
    let commit = ana.kith(&["commit"]).ok();
    let said = format!("{}{}", commit.stdout, commit.stderr);
    assert!(said.contains("n00.md") || said.contains("parked"), "{}", commit.shown());
    assert_eq!(head(&ana), before, "the live line moved");
    let refs = ana.kith(&["git", "for-each-ref", "--format=%(refname)"]).ok().stdout;
    assert!(refs.contains("kith/parked/"), "{refs}");
    let parked = ana.json(&["status"])["parked"].as_array().unwrap().len();
    assert_eq!(parked, 8);
}

#[test]
fn a_few_notes_gone_are_a_deletion_and_can_be_restored() {
    let ana = with_notes(40);
    std::fs::remove_file(ana.memory_dir().join("n07.md")).unwrap();
    ana.kith(&["commit"]).ok();
    let listed = ana.kith(&["git", "ls-tree", "--name-only", "HEAD"]).ok().stdout;
    assert!(!listed.contains("n07.md"));
    ana.kith(&["restore", "n07.md", "--from", "HEAD~1"]).ok();
    assert!(ana.read("n07.md").unwrap().contains("Fact 7."));
}

#[test]
fn names_that_are_not_notes_are_left_alone() {
    let ana = with_notes(2);
    for name in ["n00.md.tmp.1234", ".#n00.md", "n00.md~", ".consolidate-lock", "photo.png"] {
        std::fs::write(ana.memory_dir().join(name), "not a note\n").unwrap();
    }
    ana.kith(&["commit"]).ok();
    let listed = ana.kith(&["git", "ls-tree", "-r", "--name-only", "HEAD"]).ok().stdout;
    assert_eq!(listed.lines().collect::<Vec<_>>(), ["n00.md", "n01.md"]);
}
