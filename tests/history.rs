//! History can be read and undone: `log`, `show`, `diff`, `revert` and `restore`, also where the
//! directory has lost what it had.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod support;

use serde_json::{Value, json};
use support::{Machine, Output, Remote, note, notes, token};
use tempfile::TempDir;

const BODY: &str = "# Rules\n\nReviews take one day.\n\n## Tests\n\nThey run before the merge.\n\n## After\n\nThe branch is removed.";

fn start() -> Machine {
    let ana = Machine::new("Ana");
    ana.kith(&["init"]).ok();
    ana.write("rules.md", &note("rules", "how we work", BODY));
    ana.kith(&["commit", "-m", "rules of the house"]).ok();
    ana
}

/// Replaces a text of `rules.md` and commits.
#[track_caller]
fn change(machine: &Machine, from: &str, to: &str, message: &str) {
    let text = machine.read("rules.md").unwrap();
    assert!(text.contains(from), "{text}");
    machine.write("rules.md", &text.replace(from, to));
    machine.kith(&["commit", "-m", message]).ok();
}

fn rows(output: Output) -> Vec<Value> {
    output.ok().json_lines()
}

fn subjects(machine: &Machine, args: &[&str]) -> Vec<String> {
    let mut all = vec!["log", "--json"];
    all.extend(args);
    let text = |row: &Value| row["subject"].as_str().unwrap().to_string();
    rows(machine.kith(&all)).iter().map(text).collect()
}

fn head(machine: &Machine) -> String {
    machine.kith(&["git", "rev-parse", "HEAD"]).ok().stdout.trim().to_string()
}

fn is_clean(machine: &Machine) -> bool {
    let status = machine.json(&["status"]);
    status["dirty"] == json!([]) && status["held"] == json!([])
}

#[test]
fn log_lists_the_commits_newest_first_with_what_made_them() {
    let ana = start();
    change(&ana, "one day", "two days", "more time");
    ana.kith(&["remember", "The build takes four minutes.", "--name", "build-time"]).ok();
    let log = rows(ana.kith(&["log", "--json"]));
    assert_eq!(log.len(), 3, "{log:?}");
    assert_eq!((&log[0]["op"], &log[1]["op"]), (&json!("remember"), &json!("capture")));
    assert_eq!(log[1]["subject"], "more time");
    assert_eq!(log[1]["author"], "Ana");
    assert_eq!(log[1]["email"], "ana@example.com");
    assert_eq!(log[1]["paths"], json!(["rules.md"]));
    assert!(log[1]["time"].as_str().unwrap().contains('T'));
    assert!(log[1].get("session").is_none(), "{}", log[1]);
    assert_eq!(log[0]["commit"], head(&ana).as_str());
    let text = ana.kith(&["log"]).ok().stdout;
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(text.lines().nth(2).unwrap().contains("rules of the house"), "{text}");
    assert!(text.starts_with(&head(&ana)[..10]) && text.contains("just now"), "{text}");
}

#[test]
fn log_of_a_path_lists_only_what_changed_it_and_n_ends_it() {
    let ana = start();
    ana.write("logs/2026/03/day.md", &note("day", "one day", "It rained."));
    ana.kith(&["commit", "-m", "a day"]).ok();
    change(&ana, "one day", "two days", "more time");
    assert_eq!(subjects(&ana, &["rules.md"]), ["more time", "rules of the house"]);
    assert_eq!(subjects(&ana, &["logs"]), ["a day"]);
    assert_eq!(subjects(&ana, &["-n", "1"]), ["more time"]);
    let absolute = ana.memory_dir().join("logs");
    assert_eq!(subjects(&ana, &[absolute.to_str().unwrap()]), ["a day"]);
    ana.kith(&["log", "/etc/passwd"]).exits(1);
    ana.kith(&["log", "../outside"]).exits(1);
}

#[test]
fn log_by_session_reads_the_trailer_and_plain_git_commits_have_no_op() {
    let ana = start();
    let message = "by hand\n\nKith-Session: s-17\nKith-Turn: 4";
    ana.kith(&["git", "commit", "-q", "--allow-empty", "-m", message]).ok();
    ana.kith(&["git", "commit", "-q", "--allow-empty", "-m", "bare"]).ok();
    let log = rows(ana.kith(&["log", "--by-session", "s-17", "--json"]));
    assert_eq!(log.len(), 1);
    assert_eq!((&log[0]["session"], &log[0]["turn"]), (&json!("s-17"), &json!("4")));
    assert_eq!(log[0]["op"], Value::Null);
    assert_eq!(subjects(&ana, &["--by-session", "s-1"]).len(), 0);
}

#[test]
fn show_prints_a_commit_with_its_patch_and_a_note_as_it_was() {
    let ana = start();
    change(&ana, "one day", "two days", "more time");
    let shown = ana.kith(&["show", "HEAD"]).ok().stdout;
    for part in ["Author: Ana <ana@example.com>", "more time", "Kith-Op: capture", "--- a/rules.md"]
    {
        assert!(shown.contains(part), "no {part} in:\n{shown}");
    }
    assert!(shown.contains("\n-Reviews take one day.\n+Reviews take two days.\n"), "{shown}");
    let object = ana.json(&["show", "HEAD"]);
    assert_eq!(object["changes"][0]["path"], "rules.md", "{object}");
    assert_eq!(object["changes"][0]["change"], "edited");
    assert!(object["changes"][0]["patch"].as_str().unwrap().contains("+Reviews take two days."));
    let first = ana.json(&["show", "HEAD~1"]);
    assert_eq!(first["changes"][0]["change"], "added");
    let was = ana.kith(&["show", "HEAD~1:rules.md"]).ok().stdout;
    assert_eq!(was, note("rules", "how we work", BODY));
    ana.kith(&["show", "no-such-commit"]).exits(1).says("kith log");
    ana.kith(&["show", "HEAD:no-such-note.md"]).exits(1);
}

#[test]
fn a_secret_in_history_is_never_printed() {
    let ana = start();
    let secret = token();
    ana.write("access.md", &note("access", "how to get in", &format!("Use {secret} there.")));
    ana.kith(&["git", "add", "access.md"]).ok();
    let message = format!("use {secret} from now on");
    ana.kith(&["git", "commit", "-q", "--no-verify", "-m", &message]).ok();
    ana.write("access.md", &note("access", "how to get in", "Ask Ben."));
    ana.kith(&["commit"]).ok();
    for args in [
        ["log"].as_slice(),
        &["log", "--json"],
        &["show", "HEAD"],
        &["show", "HEAD~1"],
        &["show", "HEAD~1", "--json"],
        &["show", "HEAD~1:access.md"],
        &["diff", "HEAD~2"],
        &["diff", "HEAD~2", "HEAD~1", "--json"],
    ] {
        let output = ana.kith(args).ok();
        assert!(!format!("{}{}", output.stdout, output.stderr).contains(&secret), "{args:?}");
        assert!(!output.stdout.is_empty(), "{args:?} printed nothing");
    }
    // Neither comes the secret back.
    let revert = ana.kith(&["revert", "HEAD"]).exits(3);
    let restore = ana.kith(&["restore", "access.md", "--from", "HEAD~1"]).exits(3);
    for output in [revert, restore] {
        assert!(!format!("{}{}", output.stdout, output.stderr).contains(&secret));
    }
    assert!(ana.read("access.md").unwrap().contains("Ask Ben."));
}

#[test]
fn diff_shows_what_a_commit_would_take_and_names_what_it_would_not() {
    let ana = start();
    assert_eq!(ana.kith(&["diff"]).ok().stdout, "");
    ana.write("rules.md", &note("rules", "how we work", &BODY.replace("one day", "two days")));
    ana.write("new.md", &note("new", "just written", "A new fact."));
    ana.write("access.md", &note("access", "secret", &format!("Use {} there.", token())));
    let diff = ana.kith(&["diff"]).ok();
    assert!(diff.stdout.contains("+Reviews take two days."), "{}", diff.shown());
    assert!(diff.stdout.contains("--- /dev/null\n+++ b/new.md\n"), "{}", diff.shown());
    assert!(!diff.stdout.contains("access.md") && diff.stderr.contains("access.md"));
    assert!(!format!("{}{}", diff.stdout, diff.stderr).contains(&token()));
    let rows = rows(ana.kith(&["diff", "--json"]));
    let paths: Vec<&str> = rows.iter().map(|r| r["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["new.md", "rules.md"]);
    assert_eq!(head(&ana), ana.json(&["show", "HEAD"])["commit"], "diff changed the line");
}

#[test]
fn diff_of_commits_compares_their_notes() {
    let ana = start();
    change(&ana, "one day", "two days", "more time");
    change(&ana, "two days", "three days", "even more");
    let both = ana.kith(&["diff", "HEAD~2", "HEAD~1"]).ok().stdout;
    assert!(both.contains("+Reviews take two days."), "{both}");
    let one = ana.kith(&["diff", "HEAD~2"]).ok().stdout;
    assert!(one.contains("-Reviews take one day.\n+Reviews take three days."), "{one}");
}

#[test]
fn what_would_drive_a_terminal_is_not_printed_raw() {
    let ana = start();
    ana.write("odd.md", &note("odd", "colours", "red \u{1b}[31m and \u{202e}turned"));
    assert!(!ana.kith(&["diff"]).ok().stdout.contains(['\u{1b}', '\u{202e}']));
    ana.kith(&["commit"]).ok();
    assert!(!ana.kith(&["show"]).ok().stdout.contains(['\u{1b}', '\u{202e}']));
}

#[test]
fn revert_undoes_one_commit_and_keeps_what_came_later() {
    let ana = start();
    change(&ana, "one day", "two days", "more time");
    change(&ana, "branch is removed", "branch and its tag are removed", "tags too");
    let undone = ana.json(&["revert", "HEAD~1"]);
    assert_eq!(undone["paths"], json!(["rules.md"]), "{undone}");
    let text = ana.read("rules.md").unwrap();
    assert!(text.contains("one day") && text.contains("branch and its tag"), "{text}");
    let log = rows(ana.kith(&["log", "--json"]));
    assert_eq!(log[0]["op"], "revert");
    assert!(log[0]["subject"].as_str().unwrap().contains("more time"), "{}", log[0]);
    assert!(is_clean(&ana));
}

#[test]
fn revert_takes_edits_that_are_not_committed_first_and_keeps_them() {
    let ana = start();
    change(&ana, "one day", "two days", "more time");
    let text = ana.read("rules.md").unwrap();
    ana.write("rules.md", &text.replace("before the merge", "before and after the merge"));
    ana.kith(&["revert", "HEAD"]).ok();
    let text = ana.read("rules.md").unwrap();
    assert!(text.contains("one day") && text.contains("before and after"), "{text}");
}

#[test]
fn revert_of_a_new_note_that_was_edited_since_keeps_the_note_and_says_so() {
    let ana = start();
    ana.write("new.md", &note("new", "just written", "A new fact."));
    ana.kith(&["commit", "-m", "new"]).ok();
    ana.write("new.md", &note("new", "just written", "A new fact, made better."));
    ana.kith(&["commit"]).ok();
    ana.kith(&["revert", "HEAD~1"]).ok().says("new.md stays");
    assert!(ana.read("new.md").unwrap().contains("made better"));
}

#[test]
fn revert_of_what_is_undone_already_makes_no_commit() {
    let ana = start();
    change(&ana, "one day", "two days", "more time");
    ana.kith(&["revert", "HEAD"]).ok();
    let before = head(&ana);
    let again = ana.json(&["revert", "HEAD~1"]);
    assert_eq!(again["commit"], Value::Null, "{again}");
    assert_eq!(head(&ana), before);
}

#[test]
fn restore_brings_a_changed_note_back_to_before_its_last_change() {
    let ana = start();
    change(&ana, "one day", "two days", "more time");
    ana.write("other.md", &note("other", "another", "Unrelated."));
    ana.kith(&["commit"]).ok();
    ana.kith(&["restore", "rules.md"]).ok();
    assert!(ana.read("rules.md").unwrap().contains("one day"));
    let log = rows(ana.kith(&["log", "--json", "-n", "1"]));
    assert_eq!((&log[0]["op"], &log[0]["paths"]), (&json!("restore"), &json!(["rules.md"])));
    assert!(is_clean(&ana));
}

#[test]
fn restore_loses_no_edit_that_was_not_committed() {
    let ana = start();
    ana.write("rules.md", "overwritten by mistake\n");
    ana.kith(&["restore", "rules.md"]).ok();
    assert_eq!(ana.read("rules.md").unwrap(), note("rules", "how we work", BODY));
    assert!(ana.kith(&["show", "HEAD~1:rules.md"]).ok().stdout.contains("by mistake"));
}

#[test]
fn restore_brings_a_removed_note_and_a_removed_folder_back() {
    let ana = start();
    for i in 0..30 {
        ana.write(&format!("kept{i}.md"), &note("kept", "stays", "Stays."));
    }
    ana.write("deep/er/a.md", &note("a", "inside", "Inside."));
    ana.write("deep/er/b.md", &note("b", "inside", "Inside too."));
    ana.kith(&["commit"]).ok();
    std::fs::remove_file(ana.memory_dir().join("rules.md")).unwrap();
    ana.kith(&["commit"]).ok();
    std::fs::remove_dir_all(ana.memory_dir().join("deep")).unwrap();
    ana.kith(&["commit"]).ok();
    ana.kith(&["restore", "rules.md"]).ok();
    assert_eq!(ana.read("rules.md").unwrap(), note("rules", "how we work", BODY));
    let folder = ana.json(&["restore", "deep/"]);
    assert_eq!(folder["restored"], json!(["deep/er/a.md", "deep/er/b.md"]), "{folder}");
    assert!(ana.read("deep/er/b.md").unwrap().contains("Inside too."));
    assert!(is_clean(&ana));
}

#[test]
fn restore_from_a_commit_brings_its_notes_back_and_leaves_newer_ones() {
    let ana = start();
    change(&ana, "one day", "two days", "more time");
    ana.write("newer.md", &note("newer", "later", "Later."));
    ana.kith(&["commit"]).ok();
    ana.kith(&["restore", ".", "--from", "HEAD~2"]).ok();
    assert!(ana.read("rules.md").unwrap().contains("one day"));
    assert!(ana.read("newer.md").unwrap().contains("Later."));
}

#[test]
fn restore_of_what_never_was_says_so() {
    let ana = start();
    ana.kith(&["restore", "never.md"]).exits(1).says("kith log");
    ana.kith(&["restore", "rules.md"]).exits(1);
    ana.kith(&["restore", "."]).exits(1);
    ana.kith(&["restore", "rules.md", "--from", "nothing"]).exits(1);
}

/// A store with this many notes, and the notes.
fn with_notes(count: usize) -> (Machine, std::collections::BTreeMap<String, Vec<u8>>) {
    let ana = start();
    for i in 0..count {
        ana.write(&format!("deep/n{i:02}.md"), &note("n", "one", &format!("Fact {i}.")));
    }
    ana.kith(&["commit"]).ok();
    let all = notes(&ana.memory_dir());
    (ana, all)
}

#[test]
fn restore_brings_back_all_that_an_emptied_directory_has_lost() {
    let (ana, before) = with_notes(12);
    let line = head(&ana);
    std::fs::remove_dir_all(ana.memory_dir().join("deep")).unwrap();
    std::fs::remove_file(ana.memory_dir().join("rules.md")).unwrap();
    ana.kith(&["commit"]).exits(1).says("kith restore .");
    ana.kith(&["restore", "."]).ok();
    assert_eq!(notes(&ana.memory_dir()), before);
    assert_eq!(head(&ana), line, "nothing was recorded as gone, so nothing is to be committed");
    assert!(is_clean(&ana));
    assert_eq!(ana.kith(&["git", "status", "--porcelain"]).ok().stdout, "");
}

#[test]
fn restore_brings_back_notes_whose_going_was_parked() {
    let (ana, before) = with_notes(12);
    std::fs::remove_dir_all(ana.memory_dir().join("deep")).unwrap();
    ana.kith(&["commit"]).ok();
    ana.kith(&["restore", "deep/n03.md"]).ok();
    assert!(ana.read("deep/n03.md").unwrap().contains("Fact 3."));
    assert!(ana.read("deep/n04.md").is_none());
    ana.kith(&["restore", "."]).ok();
    assert_eq!(notes(&ana.memory_dir()), before);
    assert!(is_clean(&ana));
}

#[test]
fn restore_does_not_go_over_a_live_note_that_holds_a_secret() {
    let ana = start();
    change(&ana, "one day", "two days", "more time");
    let leaky = note("rules", "how we work", &format!("Use {} there.", token()));
    ana.write("rules.md", &leaky);
    ana.kith(&["restore", "rules.md"]).exits(3);
    assert_eq!(ana.read("rules.md").unwrap(), leaky, "the only copy of an edit is gone");
}

#[test]
fn a_note_restored_in_the_team_store_reaches_the_others() {
    let root = TempDir::new().unwrap();
    let remote = Remote::bare(&root.path().join("team.git"));
    let ana = Machine::in_team("Ana", remote.url());
    let ben = Machine::in_team("Ben", remote.url());
    ana.write_team("rules.md", &note("rules", "how we work", BODY));
    ana.sync();
    ben.sync();
    ben.write_team("rules.md", "overwritten by mistake\n");
    ben.sync();
    ana.sync();
    ana.kith(&["restore", "--team", "rules.md"]).ok();
    ana.sync();
    ben.sync();
    assert_eq!(ben.read_team("rules.md").unwrap(), note("rules", "how we work", BODY));
    let kinds = rows(ben.kith(&["log", "--team", "--json", "rules.md"]));
    assert_eq!(kinds[0]["op"], "restore", "{kinds:?}");
    ana.kith(&["log", "team/rules.md"]).exits(1).says("--team");
}
