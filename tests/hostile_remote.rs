//! A remote that an attacker filled: nothing is written outside the team's directory, each bad
//! entry is named, the good notes are there, and a later push leaves the bad ones as they were.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod support;

use std::collections::BTreeMap;
use std::path::Path;
use support::{HostileRepo, Kind, Machine, Remote, note, notes, snapshot, token};
use tempfile::TempDir;

/// Entries of these kinds never become a file.
const NEVER_LIVE: &[Kind] = &[
    Kind::Symlink,
    Kind::Submodule,
    Kind::GitDirectory,
    Kind::Upward,
    Kind::TooBig,
    Kind::DeviceName,
    Kind::Control,
    Kind::Bidi,
    Kind::NotUtf8,
];

fn hostile() -> (TempDir, HostileRepo) {
    let root = TempDir::new().unwrap();
    let repo = HostileRepo::lay(Remote::bare(&root.path().join("hostile.git")));
    (root, repo)
}

/// Everything around kith's own places: the rest of the home and what lies beside it.
fn surroundings(machine: &Machine) -> BTreeMap<String, Vec<u8>> {
    let home = machine.home();
    let own = [".claude", ".config/kith", ".local/state/kith", ".local/share/kith", ".cache/kith"]
        .map(|p| home.join(p));
    let mut without: Vec<&Path> = own.iter().map(|p| p.as_path()).collect();
    let temporary = machine.root().join("tmp");
    without.push(&temporary);
    snapshot(&machine.root(), &without)
}

#[test]
fn joining_writes_only_good_notes_and_nothing_outside_the_directory() {
    let (_root, repo) = hostile();
    let ana = Machine::new("Ana");
    ana.kith(&["init"]).ok();
    let around = surroundings(&ana);
    ana.kith(&["init", "--team-url", repo.remote.url()]).ok();
    ana.sync();
    assert_eq!(around, surroundings(&ana), "something outside kith's places changed");
    assert!(!Path::new("/rooted.md").exists());

    let live = notes(&ana.team_dir());
    for good in repo.of(Kind::Good) {
        assert!(live.contains_key(&good.path), "{} is not there: {:?}", good.path, live.keys());
    }
    for laid in repo.laid.iter().filter(|l| NEVER_LIVE.contains(&l.kind)) {
        assert!(!live.contains_key(&laid.path), "{laid:?} is a file");
    }
    for pair in [Kind::UnicodePair, Kind::CasePair] {
        let both = repo.of(pair).iter().filter(|l| live.contains_key(&l.path)).count();
        assert!(both <= 1, "both names of {pair:?} are files");
    }
    let inside = snapshot(&ana.memory_dir(), &[]);
    for (name, bytes) in &inside {
        assert!(!bytes.starts_with(b"-> "), "{name} is a link");
        let dotted = name.to_lowercase().split('/').any(|part| part == "git~1");
        assert!(!dotted, "{name} lies in a git directory");
    }
    let own_git = ana.team_dir().join(".git");
    assert!(!own_git.is_dir(), "the hostile .git became a directory");
}

#[test]
fn each_refused_entry_is_named_with_a_reason_and_no_secret_is_shown() {
    let (_root, repo) = hostile();
    let ana = Machine::in_team("Ana", repo.remote.url());
    let sync = ana.kith(&["sync", "--json"]).ok();
    let output = ana.kith(&["status", "--team", "--json"]).ok();
    let status = output.json();
    let quarantined = status["quarantined"].as_array().expect("a list").clone();
    let named: Vec<String> =
        quarantined.iter().map(|q| q["path"].as_str().unwrap().to_string()).collect();
    for laid in repo.laid.iter().filter(|l| NEVER_LIVE.contains(&l.kind)) {
        let found = named.iter().any(|n| n.contains(&laid.shown));
        assert!(found, "{laid:?} is not named in {named:?}");
    }
    for pair in [Kind::UnicodePair, Kind::CasePair] {
        let found = repo.of(pair).iter().any(|l| named.iter().any(|n| n.contains(&l.shown)));
        assert!(found, "no name of {pair:?} in {named:?}");
    }
    for entry in &quarantined {
        assert!(!entry["reason"].as_str().unwrap().is_empty(), "{entry}");
    }
    for good in repo.of(Kind::Good) {
        assert!(!named.contains(&good.path), "{} is good", good.path);
    }
    let human = ana.kith(&["status", "--team"]).ok();
    for text in [sync, output, human] {
        let shown = format!("{}{}", text.stdout, text.stderr);
        assert!(!shown.contains(&token()), "a secret name is shown by {}", text.command);
        assert!(!shown.contains('\u{202e}') && !shown.contains('\u{7}'), "{}", text.command);
    }
}

#[test]
fn a_later_push_leaves_every_entry_of_the_remote_with_its_id_and_mode() {
    let (_root, repo) = hostile();
    let ana = Machine::in_team("Ana", repo.remote.url());
    ana.sync();
    let before = repo.remote.tree();
    ana.write_team("mine.md", &note("mine", "added by Ana", "A note of mine."));
    ana.sync();
    let mut after = repo.remote.tree();
    assert!(after.remove("mine.md").is_some(), "the new note did not land");
    assert_eq!(before, after);
}

#[test]
fn entries_that_turn_bad_later_are_kept_out_and_the_last_good_file_stays() {
    let root = TempDir::new().unwrap();
    let remote = Remote::bare(&root.path().join("team.git"));
    let ana = Machine::in_team("Ana", remote.url());
    ana.write_team("plan.md", &note("plan", "the plan", "The first plan."));
    ana.sync();
    let plain = ana.home().join("plain");
    ana.git(ana.home(), &["clone", "-q", remote.url(), "plain"]).ok();
    std::fs::remove_file(plain.join("plan.md")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", plain.join("plan.md")).unwrap();
    ana.git(&plain, &["commit", "-q", "-am", "swap"]).ok();
    ana.git(&plain, &["push", "-q", "origin", "HEAD:main"]).ok();
    ana.sync();
    let file = ana.team_dir().join("plan.md");
    assert!(std::fs::symlink_metadata(&file).unwrap().is_file());
    assert!(ana.read_team("plan.md").unwrap().contains("The first plan."));
    let status = ana.json(&["status", "--team"]);
    assert_eq!(status["quarantined"][0]["path"], "plan.md", "{status}");
}
