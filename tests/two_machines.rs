//! Two and three machines share a team's memory through one remote: every edit arrives, nothing
//! is lost, and nothing leaves before a person named where to.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod support;

use support::{
    Access, HttpServer, Machine, Remote, SshServer, assert_no_marker, note, notes, snapshot,
};
use tempfile::TempDir;

const BODY: &str = "# Release\n\nThe release branch is cut on Monday.\n\n## Checks\n\nThe smoke tests run first.\n\n## After\n\nThe notes go to the channel.";

fn remote() -> (TempDir, Remote) {
    let root = TempDir::new().unwrap();
    let remote = Remote::bare(&root.path().join("team.git"));
    (root, remote)
}

#[track_caller]
fn assert_same_team(machines: &[&Machine]) {
    let first = notes(&machines[0].team_dir());
    assert_no_marker(&first);
    for other in &machines[1..] {
        assert_eq!(first, notes(&other.team_dir()), "two machines hold different team notes");
    }
}

/// Ana remembers, both sync, Ben has the note and its index line byte for byte.
fn remembered_note_arrives(url: &str, ready: impl Fn(&Machine)) {
    let (ana, ben) = (Machine::new("Ana"), Machine::new("Ben"));
    ready(&ana);
    ready(&ben);
    ana.kith(&["init", "--team-url", url]).ok();
    let text = "Deploys run on Tuesdays, from the release branch, never from a laptop.";
    ana.kith(&["remember", text, "--name", "deploy-day", "--type", "project", "--team"]).ok();
    ana.sync();
    ben.kith(&["init", "--team-url", url]).ok();
    ben.sync();
    assert_same_team(&[&ana, &ben]);
    let held = notes(&ben.team_dir());
    let (name, bytes) = held.iter().find(|(n, _)| n.contains("deploy")).expect("the note came");
    assert!(String::from_utf8_lossy(bytes).contains(text));
    let index = ben.read_team("MEMORY.md").expect("the index came");
    assert!(index.contains(&format!("({name})")), "no line for {name} in:\n{index}");
}

#[test]
fn a_note_remembered_on_one_machine_is_on_the_other_byte_for_byte() {
    let (_root, remote) = remote();
    remembered_note_arrives(remote.url(), |_| {});
}

#[test]
fn the_same_over_http_with_a_password() {
    let (root, _remote) = remote();
    let Some(server) = HttpServer::start(root.path(), Access::Password) else { return };
    remembered_note_arrives(&server.url("team.git"), |m| {
        m.store_credentials(&server.credentials());
    });
}

#[test]
fn the_same_over_ssh_with_a_key() {
    let (root, _remote) = remote();
    let Some(server) = SshServer::start(root.path()) else { return };
    remembered_note_arrives(&server.url("team.git"), |m| server.let_in(m));
}

/// Both machines hold one note and an index, then each edits both at once.
fn concurrent_edits_all_arrive(ana: &Machine, ben: &Machine) {
    ana.write_team("release.md", &note("release", "how a release goes", BODY));
    ana.write_team("MEMORY.md", "- [Release](release.md) — how a release goes\n");
    ana.sync();
    ben.sync();
    assert_same_team(&[ana, ben]);

    let edit = |m: &Machine, from: &str, to: &str, new: &str| {
        let text = m.read_team("release.md").unwrap();
        assert!(text.contains(from));
        m.write_team("release.md", &text.replace(from, to));
        m.write_team(&format!("{new}.md"), &note(new, "one more", "Known since today."));
        let index = m.read_team("MEMORY.md").unwrap();
        m.write_team("MEMORY.md", &format!("{index}- [{new}]({new}.md) — one more\n"));
    };
    edit(ana, "cut on Monday", "cut on Monday at noon", "from-ana");
    edit(ben, "go to the channel", "go to the channel and the wiki", "from-ben");
    ana.sync();
    ben.sync();
    ana.sync();

    assert_same_team(&[ana, ben]);
    let text = ben.read_team("release.md").unwrap();
    assert!(
        text.contains("cut on Monday at noon") && text.contains("channel and the wiki"),
        "{text}"
    );
    let index = ana.read_team("MEMORY.md").unwrap();
    for name in ["release.md", "from-ana.md", "from-ben.md"] {
        assert_eq!(index.matches(&format!("({name})")).count(), 1, "{index}");
    }
}

#[test]
fn edits_of_one_note_and_of_the_index_at_once_are_on_both_machines() {
    let (_root, remote) = remote();
    let ana = Machine::in_team("Ana", remote.url());
    let ben = Machine::in_team("Ben", remote.url());
    concurrent_edits_all_arrive(&ana, &ben);
    assert!(remote.refs().contains_key("refs/heads/main"));
}

#[test]
fn edits_at_once_arrive_over_http_with_a_password_too() {
    let (root, _remote) = remote();
    let Some(server) = HttpServer::start(root.path(), Access::Password) else { return };
    let (ana, ben) = (Machine::new("Ana"), Machine::new("Ben"));
    for machine in [&ana, &ben] {
        machine.store_credentials(&server.credentials());
        machine.kith(&["init", "--team-url", &server.url("team.git")]).ok();
    }
    concurrent_edits_all_arrive(&ana, &ben);
}

#[test]
fn two_edits_of_one_line_are_both_kept_and_named_as_contested() {
    let (_root, remote) = remote();
    let ana = Machine::in_team("Ana", remote.url());
    let ben = Machine::in_team("Ben", remote.url());
    ana.write_team("release.md", &note("release", "how a release goes", BODY));
    ana.sync();
    ben.sync();
    for (machine, day) in [(&ana, "Wednesday"), (&ben, "Friday")] {
        let text = machine.read_team("release.md").unwrap().replace("Monday", day);
        machine.write_team("release.md", &text);
    }
    ana.sync();
    let merged = ben.sync();
    ana.sync();
    assert_same_team(&[&ana, &ben]);
    let text = ana.read_team("release.md").unwrap();
    assert!(text.contains("Wednesday") && text.contains("Friday"), "{text}");
    assert_eq!(merged["contested"], serde_json::json!(["release.md"]));
}

#[test]
fn offline_the_work_is_committed_with_exit_4_and_the_next_sync_delivers_it() {
    let (root, remote) = remote();
    let ana = Machine::in_team("Ana", remote.url());
    let ben = Machine::in_team("Ben", remote.url());
    ana.write_team("first.md", &note("first", "seen by both", "Known to both."));
    ana.sync();
    let away = root.path().join("away.git");
    std::fs::rename(&remote.dir, &away).unwrap();
    ana.write_team("offline.md", &note("offline", "written on a train", "Still here."));
    ana.kith(&["sync"]).exits(4);
    let status = ana.json(&["status", "--team"]);
    assert_eq!(status["dirty"], serde_json::json!([]), "the edit is not committed: {status}");
    assert!(status["ahead"].as_u64().unwrap() >= 1, "{status}");
    assert!(ana.kith(&["log", "--team", "offline.md"]).ok().stdout.contains("offline"));
    std::fs::rename(&away, &remote.dir).unwrap();
    ana.sync();
    ben.sync();
    assert_same_team(&[&ana, &ben]);
    assert!(ben.read_team("offline.md").unwrap().contains("Still here."));
}

#[test]
fn an_unreachable_url_is_recorded_and_used_when_it_answers() {
    let root = TempDir::new().unwrap();
    let dir = root.path().join("later.git");
    let ana = Machine::new("Ana");
    ana.kith(&["init", "--team-url", dir.to_str().unwrap()]).exits(4);
    ana.write_team("early.md", &note("early", "before the remote", "Written early."));
    ana.kith(&["sync"]).exits(4);
    let remote = Remote::bare(&dir);
    ana.sync();
    assert!(remote.read("early.md").unwrap().contains("Written early."));
}

#[test]
fn nothing_is_pushed_before_a_person_named_a_remote() {
    let (_root, remote) = remote();
    let ana = Machine::new("Ana");
    ana.git(ana.project(), &["remote", "add", "origin", remote.url()]).ok();
    ana.kith(&["init"]).ok();
    ana.write("idea.md", &note("idea", "mine alone", "A private idea."));
    ana.kith(&["commit"]).ok();
    ana.kith(&["remember", "A second private idea.", "--name", "second"]).ok();
    for command in ["sync", "push", "pull"] {
        let done = ana.kith(&[command]);
        assert!([0, 1].contains(&done.code), "{}", done.shown());
    }
    assert!(remote.refs().is_empty(), "something was pushed: {:?}", remote.refs());
}

#[test]
fn a_remote_that_anyone_can_read_gets_nothing_without_a_persons_word() {
    let (root, remote) = remote();
    let Some(server) = HttpServer::start(root.path(), Access::PublicRead) else { return };
    let ana = Machine::new("Ana");
    ana.store_credentials(&server.credentials());
    let url = server.url("team.git");
    let refused = ana.kith(&["init", "--team-url", &url]);
    let said = if refused.code == 0 {
        ana.kith(&["remember", "For the team.", "--name", "open", "--team"]);
        ana.kith(&["sync"]).exits(3)
    } else {
        refused.exits(3)
    };
    said.says("--public");
    assert!(remote.refs().is_empty(), "{:?}", remote.refs());
    ana.kith(&["init", "--team-url", &url, "--public"]).ok();
    ana.kith(&["remember", "For the team, and all.", "--name", "all", "--team"]).ok();
    ana.sync();
    assert!(remote.tree().keys().any(|n| n.contains("all")), "{:?}", remote.tree());
}

#[test]
fn init_twice_changes_nothing() {
    let (_root, remote) = remote();
    let ana = Machine::in_team("Ana", remote.url());
    ana.write("a.md", &note("a", "private", "Mine."));
    ana.write_team("b.md", &note("b", "shared", "Ours."));
    ana.kith(&["commit"]).ok();
    ana.sync();
    let state = || (snapshot(&ana.memory_dir(), &[]), remote.refs());
    let before = state();
    ana.kith(&["init", "--team-url", remote.url()]).ok();
    ana.kith(&["init"]).ok();
    assert_eq!(before, state());
}

#[test]
fn a_plain_directory_of_notes_becomes_a_store_without_a_byte_changed() {
    let ana = Machine::new("Ana");
    ana.write("MEMORY.md", "- [Odd](odd.md) — kept as it is\n");
    ana.write(
        "odd.md",
        "\u{feff}---\r\nname: Odd One\r\ndescription: a: b\r\n---\r\nno last newline",
    );
    ana.write("deep/er/note.md", "no header at all\n\n\n");
    let before = notes(&ana.memory_dir());
    ana.kith(&["init"]).ok();
    ana.kith(&["commit"]).ok();
    assert_eq!(before, notes(&ana.memory_dir()));
    let listed = ana.kith(&["git", "ls-tree", "-r", "--name-only", "HEAD"]).ok().stdout;
    assert_eq!(listed.lines().collect::<Vec<_>>(), ["MEMORY.md", "deep/er/note.md", "odd.md"]);
}

#[test]
fn three_machines_with_edits_in_between_converge_and_lose_nothing() {
    let (_root, remote) = remote();
    let team: Vec<Machine> =
        ["Ana", "Ben", "Cem"].iter().map(|p| Machine::in_team(p, remote.url())).collect();
    team[0].write_team("log.md", &note("log", "what we learned", "# Log\n\nBegun."));
    for machine in &team {
        machine.sync();
    }
    for round in 0..4 {
        for (i, machine) in team.iter().enumerate() {
            let own = format!("note-{i}-{round}");
            machine.write_team(&format!("{own}.md"), &note(&own, "one", &format!("Fact {own}.")));
            let log = machine.read_team("log.md").unwrap();
            machine.write_team("log.md", &format!("{log}\n## Entry {own}\n\nLearned {own}.\n"));
            if (i + round) % 3 != 0 {
                machine.sync();
            }
        }
    }
    for machine in team.iter().chain(&team) {
        machine.sync();
    }
    assert_same_team(&team.iter().collect::<Vec<_>>());
    let log = team[2].read_team("log.md").unwrap();
    for (i, round) in (0..3).flat_map(|i| (0..4).map(move |r| (i, r))) {
        let own = format!("note-{i}-{round}");
        assert_eq!(log.matches(&format!("Learned {own}.")).count(), 1, "{own} in:\n{log}");
        assert!(team[0].read_team(&format!("{own}.md")).is_some(), "{own}.md is lost");
    }
}
