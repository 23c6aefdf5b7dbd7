//! `kith scan` finds secrets in files, names, what is staged, history and standard input; it names
//! the place and never the value.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod support;

use serde_json::Value;
use support::{Machine, Output, note, token};

fn start() -> Machine {
    let ana = Machine::new("Ana");
    ana.kith(&["init"]).ok();
    ana.write("good.md", &note("good", "harmless", "The build takes four minutes."));
    ana.kith(&["commit"]).ok();
    ana
}

fn leaky() -> String {
    note("access", "how to get in", &format!("Use token {} for the mirror.", token()))
}

/// The findings of a scan that must have some; the value is nowhere in what it said.
#[track_caller]
fn found(output: Output) -> Vec<Value> {
    let output = output.exits(3);
    assert!(!format!("{}{}", output.stdout, output.stderr).contains(&token()), "printed");
    output.json_lines()
}

/// Commits what is written by plain git, past every gate.
fn commit_by_git(machine: &Machine, path: &str, message: &str) {
    machine.kith(&["git", "add", "--all", path]).ok();
    machine.kith(&["git", "commit", "-q", "--no-verify", "-m", message]).ok();
}

#[test]
fn a_clean_directory_has_no_finding() {
    let ana = start();
    let scan = ana.kith(&["scan"]).ok();
    assert_eq!(scan.stdout, "");
    assert!(scan.stderr.contains("no secrets"), "{}", scan.shown());
}

#[test]
fn a_finding_is_named_by_place_and_rule() {
    let ana = start();
    ana.write("access.md", &leaky());
    let rows = found(ana.kith(&["scan", "--json"]));
    assert_eq!(rows.len(), 1);
    assert_eq!((&rows[0]["path"], &rows[0]["line"]), (&"access.md".into(), &9.into()));
    assert_eq!((&rows[0]["column"], &rows[0]["tier"]), (&11.into(), &"block".into()));
    assert!(rows[0].get("commit").is_none());
    let text = ana.kith(&["scan"]).exits(3);
    assert!(text.stdout.starts_with("access.md:9:11 "), "{}", text.shown());
    assert!(text.stderr.contains("1 finding in 2 texts"), "{}", text.shown());
}

#[test]
fn the_private_scan_leaves_team_notes_to_the_team_and_looks_at_notes_only() {
    let ana = start();
    ana.write("team/access.md", &leaky());
    ana.write("photo.png", &leaky());
    ana.kith(&["scan"]).ok();
    let rows = found(ana.kith(&["scan", "--team", "--json"]));
    assert_eq!(rows[0]["path"], "access.md");
}

#[test]
fn named_files_and_folders_are_scanned_where_there_is_no_store() {
    let ana = Machine::new("Ana");
    let folder = ana.project().join("docs");
    std::fs::create_dir_all(folder.join("inner")).unwrap();
    std::fs::write(folder.join("inner/a.txt"), leaky()).unwrap();
    std::fs::write(folder.join("b.txt"), "harmless\n").unwrap();
    let rows = found(ana.kith(&["scan", "docs", "--json"]));
    assert_eq!(rows[0]["path"], "docs/inner/a.txt");
    ana.kith(&["scan", "docs/b.txt"]).ok();
    ana.kith(&["scan", "docs/none.txt"]).exits(1).says("docs/none.txt");
    found(ana.kith(&["scan", "docs/none.txt", "docs/inner/a.txt", "--json"]));
}

#[test]
fn a_link_in_a_folder_is_not_followed() {
    let ana = Machine::new("Ana");
    std::fs::write(ana.home().join("secret.txt"), leaky()).unwrap();
    let folder = ana.project().join("docs");
    std::fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(ana.home(), folder.join("home")).unwrap();
    ana.kith(&["scan", "docs"]).ok();
}

#[test]
fn a_secret_in_a_name_is_found_and_the_name_redacted() {
    let ana = start();
    ana.write(&format!("key-{}.md", token()), &note("key", "look above", "Harmless."));
    let rows = found(ana.kith(&["scan", "--json"]));
    assert!(rows[0]["path"].as_str().unwrap().contains("<redacted:"), "{}", rows[0]);
    assert_eq!(rows[0]["line"], 0);
    let text = ana.kith(&["scan"]).exits(3);
    assert!(text.stdout.contains("in the name") && !text.stdout.contains(&token()));
}

#[test]
fn standard_input_is_scanned() {
    let ana = Machine::new("Ana");
    ana.kith_with_input(&["scan", "--stdin"], "harmless\n").ok();
    let rows = found(ana.kith_with_input(&["scan", "--stdin", "--json"], &leaky()));
    assert_eq!(rows[0]["line"], 9);
}

#[test]
fn what_is_staged_is_scanned_and_nothing_else() {
    let ana = start();
    ana.write("access.md", &leaky());
    ana.kith(&["scan", "--staged"]).ok();
    ana.kith(&["git", "add", "access.md"]).ok();
    ana.write("access.md", &note("access", "how to get in", "Ask Ben."));
    let rows = found(ana.kith(&["scan", "--staged", "--json"]));
    assert_eq!(rows[0]["path"], "access.md");
}

#[test]
fn history_is_scanned_with_messages_and_names_and_the_commit_that_brought_it_named() {
    let ana = start();
    ana.write("access.md", &leaky());
    commit_by_git(&ana, "access.md", "how to get in");
    let brought = ana.kith(&["git", "rev-parse", "HEAD"]).ok().stdout.trim().to_string();
    ana.write("access.md", &note("access", "how to get in", "Ask Ben."));
    ana.kith(&["commit"]).ok();
    ana.kith(&["scan"]).ok();
    let rows = found(ana.kith(&["scan", "--history", "--json"]));
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!((&rows[0]["path"], &rows[0]["commit"]), (&"access.md".into(), &brought.into()));
    ana.kith(&["scan", "--range", "HEAD~1..HEAD"]).ok();
    assert_eq!(found(ana.kith(&["scan", "--range", "HEAD~2..HEAD", "--json"])).len(), 1);
    assert_eq!(found(ana.kith(&["scan", "--range", "HEAD~2..", "--json"])).len(), 1);

    let message = format!("use {} from now on", token());
    ana.kith(&["git", "commit", "-q", "--allow-empty", "--no-verify", "-m", &message]).ok();
    let rows = found(ana.kith(&["scan", "--range", "HEAD~1..HEAD", "--json"]));
    assert_eq!(rows[0]["path"], "(commit message)");
    ana.kith(&["scan", "--range", "none..HEAD"]).exits(1);
}

#[test]
fn history_reaches_branches_beside_the_live_line() {
    let ana = start();
    ana.kith(&["git", "switch", "-q", "-c", "side"]).ok();
    ana.write("access.md", &leaky());
    commit_by_git(&ana, "access.md", "how to get in");
    ana.kith(&["git", "switch", "-q", "main"]).ok();
    assert_eq!(found(ana.kith(&["scan", "--history", "--json"])).len(), 1);
}

#[test]
fn a_tier_is_looked_at_alone() {
    let ana = Machine::new("Ana");
    ana.kith_with_input(&["scan", "--stdin", "--tier", "warn"], &leaky()).ok();
    found(ana.kith_with_input(&["scan", "--stdin", "--tier", "block", "--json"], &leaky()));
    let likely = "password: hunter2horse\n";
    let row = ana.kith_with_input(&["scan", "--stdin", "--json"], likely).exits(3).json();
    assert_eq!(row["tier"], "warn", "{row}");
    ana.kith_with_input(&["scan", "--stdin", "--tier", "block"], likely).ok();
}

#[test]
fn two_sources_at_once_are_a_mistake_of_usage() {
    let ana = Machine::new("Ana");
    ana.kith(&["scan", "--stdin", "--history"]).exits(2);
    ana.kith(&["scan", "--staged", "a.md"]).exits(2);
}
