//! No secret reaches the remote, whatever road it takes: in no object, ref or message there, and
//! in nothing that kith prints or logs. What is clean goes on.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod support;

use support::{Access, HttpServer, Machine, Output, Remote, note, token};
use tempfile::TempDir;

/// One machine in a team whose remote lies on this disk, with one clean note not yet pushed.
struct Scene {
    _root: TempDir,
    remote: Remote,
    ana: Machine,
    secret: String,
    said: Vec<Output>,
}

impl Scene {
    fn new() -> Self {
        let root = TempDir::new().unwrap();
        let remote = Remote::bare(&root.path().join("team.git"));
        let ana = Machine::in_team("Ana", remote.url());
        ana.write_team("good.md", &note("good", "harmless", "The build takes four minutes."));
        Self { _root: root, remote, ana, secret: token(), said: Vec::new() }
    }

    fn kith(&mut self, args: &[&str]) -> Output {
        let output = self.ana.kith(args);
        self.said.push(output.clone());
        output
    }

    /// Plain git on the team store.
    fn git(&mut self, args: &[&str]) {
        let mut all = vec!["--team", "git"];
        all.extend(args);
        self.kith(&all).ok();
    }

    fn leaky_note(&self) -> String {
        note("access", "how to get in", &format!("Use token {} for the mirror.", self.secret))
    }

    /// The value is nowhere it must not be; the clean note landed.
    #[track_caller]
    fn assert_kept_in(mut self) -> Self {
        for args in [
            ["status", "--team"].as_slice(),
            &["status", "--team", "--json"],
            &["events"],
            &["events", "--json"],
            &["scan", "--team"],
            &["scan", "--team", "--json"],
            &["scan", "--team", "--history"],
            &["config", "list"],
            &["where", "--json"],
        ] {
            self.kith(args);
        }
        assert!(!self.remote.holds(&self.secret), "the remote holds the secret");
        for output in &self.said {
            let shown = format!("{}{}", output.stdout, output.stderr);
            assert!(!shown.contains(&self.secret), "the secret was printed by {}", output.command);
        }
        let good = self.remote.read("good.md").expect("the clean note landed");
        assert!(good.contains("four minutes"));
        self
    }

    /// What the team's status holds back, as (path, reason).
    fn held(&self) -> Vec<(String, String)> {
        let status = self.ana.json(&["status", "--team"]);
        let held = status["held"].as_array().cloned().unwrap_or_default();
        let text = |v: &serde_json::Value| v.as_str().unwrap_or_default().to_string();
        held.iter().map(|h| (text(&h["path"]), text(&h["reason"]))).collect()
    }
}

#[test]
fn a_note_with_a_secret_is_held_and_named_while_the_others_land() {
    let mut scene = Scene::new();
    scene.ana.write_team("access.md", &scene.leaky_note());
    let sync = scene.kith(&["sync", "--json"]).ok().json();
    assert_eq!(sync["held"][0]["path"], "access.md", "{sync}");
    assert_eq!(sync["held"][0]["reason"], "secret", "{sync}");
    let scene = scene.assert_kept_in();
    assert_eq!(scene.held(), [("access.md".to_string(), "secret".to_string())]);
    assert!(scene.ana.read_team("access.md").unwrap().contains(&scene.secret), "the file changed");
}

#[test]
fn a_held_note_goes_once_its_secret_is_gone() {
    let mut scene = Scene::new();
    scene.ana.write_team("access.md", &scene.leaky_note());
    scene.kith(&["sync"]).ok();
    scene.ana.write_team("access.md", &note("access", "how to get in", "Ask Ben for access."));
    scene.kith(&["sync"]).ok();
    assert!(scene.remote.read("access.md").unwrap().contains("Ask Ben"));
    scene.assert_kept_in();
}

#[test]
fn an_edit_that_brings_a_secret_leaves_the_last_clean_version_with_the_team() {
    let mut scene = Scene::new();
    scene.ana.write_team("access.md", &note("access", "how to get in", "Ask Ben for access."));
    scene.kith(&["sync"]).ok();
    scene.ana.write_team("access.md", &scene.leaky_note());
    scene.kith(&["sync"]).ok();
    assert!(scene.remote.read("access.md").unwrap().contains("Ask Ben"));
    scene.assert_kept_in();
}

#[test]
fn a_secret_that_plain_git_committed_stays_while_the_other_notes_go_with_exit_3() {
    let mut scene = Scene::new();
    scene.ana.write_team("access.md", &scene.leaky_note());
    scene.git(&["add", "access.md"]);
    scene.git(&["commit", "-q", "--no-verify", "-m", "how to get in"]);
    scene.kith(&["push"]).exits(3);
    let scene = scene.assert_kept_in();
    assert!(scene.remote.read("access.md").is_none());
}

#[test]
fn a_secret_that_plain_git_committed_and_removed_again_does_not_leave() {
    let mut scene = Scene::new();
    scene.ana.write_team("access.md", &scene.leaky_note());
    scene.git(&["add", "access.md"]);
    scene.git(&["commit", "-q", "--no-verify", "-m", "how to get in"]);
    scene.ana.write_team("access.md", &note("access", "how to get in", "Ask Ben for access."));
    scene.git(&["add", "access.md"]);
    scene.git(&["commit", "-q", "--no-verify", "-m", "better so"]);
    scene.kith(&["push"]).exits(3);
    let scene = scene.assert_kept_in();
    scene.ana.write_team("next.md", &note("next", "later", "A later note."));
    let next = scene.ana.kith(&["sync"]);
    assert!([0, 3].contains(&next.code), "{}", next.shown());
    assert!(scene.remote.read("next.md").is_some(), "the next commit does not work");
    assert!(!scene.remote.holds(&scene.secret));
}

#[test]
fn a_secret_in_a_links_target_that_plain_git_committed_does_not_leave() {
    let mut scene = Scene::new();
    let link = scene.ana.team_dir().join("link.md");
    scene.kith(&["sync"]).ok();
    std::os::unix::fs::symlink(&scene.secret, &link).unwrap();
    scene.git(&["add", "-f", "link.md"]);
    scene.git(&["commit", "-q", "-m", "a link"]);
    std::fs::remove_file(&link).unwrap();
    scene.ana.write_team("link.md", &note("link", "plain now", "A file."));
    scene.git(&["add", "-f", "link.md"]);
    scene.git(&["commit", "-q", "-m", "a file"]);
    scene.kith(&["push"]).exits(3);
    let scene = scene.assert_kept_in();
    assert!(scene.remote.read("link.md").is_some());
}

#[test]
fn a_secret_in_a_further_header_of_a_commit_does_not_leave() {
    let mut scene = Scene::new();
    scene.kith(&["sync"]).ok();
    scene.ana.write_team("more.md", &note("more", "clean", "A clean note."));
    scene.git(&["add", "more.md"]);
    scene.git(&["commit", "-q", "-m", "more"]);
    let said = scene.ana.kith(&["--team", "git", "cat-file", "commit", "HEAD"]).ok().stdout;
    let odd = said.replacen("\n\n", &format!("\nx-note {}\n\n", scene.secret), 1);
    let made = ["--team", "git", "hash-object", "-t", "commit", "-w", "--stdin"];
    let id = scene.ana.kith_with_input(&made, &odd).ok().stdout;
    scene.git(&["update-ref", "refs/heads/main", id.trim()]);
    scene.kith(&["push"]);
    assert!(scene.remote.read("more.md").is_some(), "the note itself goes");
    assert!(!scene.remote.holds(&scene.secret));
}

#[test]
fn a_teams_folder_in_a_private_remote_reaches_neither_the_disk_nor_the_team() {
    let mut scene = Scene::new();
    let private = Remote::bare(&scene._root.path().join("private.git"));
    let blob =
        private.git_with_input(&["hash-object", "-w", "--stdin"], b"dear diary\n").ok().stdout;
    let entry =
        |mode: &str, kind: &str, id: &str, name: &str| format!("{mode} {kind} {id}\t{name}\n");
    let inner = entry("100644", "blob", blob.trim(), "diary.md");
    let inner = private.git_with_input(&["mktree"], inner.as_bytes()).ok().stdout;
    let outer = entry("100644", "blob", blob.trim(), "ok.md")
        + &entry("040000", "tree", inner.trim(), "team");
    let outer = private.git_with_input(&["mktree"], outer.as_bytes()).ok().stdout;
    let args = ["-c", "user.name=x", "-c", "user.email=x@example.com", "commit-tree", "-m", "x"];
    let commit = private.git(&[&args[..], &[outer.trim()]].concat()).ok().stdout;
    private.git(&["update-ref", "refs/heads/main", commit.trim()]).ok();
    scene.kith(&["init", "--url", private.url()]).ok();
    scene.kith(&["sync"]).ok();
    assert!(scene.ana.read("ok.md").is_some());
    assert!(scene.ana.read_team("diary.md").is_none());
    assert!(scene.remote.read("diary.md").is_none());
    let status = scene.kith(&["status", "--json"]).json();
    assert_eq!(status["quarantined"][0]["path"], "team/diary.md", "{status}");
    assert_eq!(status["parked"].as_array().map(Vec::len), Some(0), "{status}");
}

#[test]
fn the_teams_remote_is_refused_as_the_private_one() {
    let mut scene = Scene::new();
    let url = scene.remote.url().to_string();
    scene.kith(&["init", "--url", &url]).exits(1);
    scene.ana.write("diary.md", &note("diary", "mine", "Nobody's business."));
    scene.kith(&["sync"]).ok();
    assert!(!scene.remote.holds("Nobody's business."));
}

#[test]
fn a_secret_in_a_file_name_is_held_and_shown_redacted() {
    let mut scene = Scene::new();
    let name = format!("key-{}.md", scene.secret);
    scene.ana.write_team(&name, &note("key", "where the key is", "Look at the name."));
    let sync = scene.kith(&["sync", "--json"]).ok().json();
    let path = sync["held"][0]["path"].as_str().unwrap();
    assert!(path.contains("<redacted:"), "{path}");
    scene.assert_kept_in();
}

#[test]
fn a_secret_in_a_directory_name_is_held_too() {
    let mut scene = Scene::new();
    let name = format!("{}/note.md", scene.secret);
    scene.ana.write_team(&name, &note("inner", "inside", "An innocent text."));
    scene.kith(&["sync", "--json"]).ok();
    scene.assert_kept_in();
}

#[test]
fn a_secret_in_a_commit_message_does_not_leave_and_the_notes_do() {
    let mut scene = Scene::new();
    scene.git(&["add", "good.md"]);
    let message = format!("use {} from now on", scene.secret);
    let committed =
        scene.ana.kith(&["--team", "git", "commit", "-q", "--no-verify", "-m", &message]);
    assert_eq!(committed.code, 0, "plain git committed");
    scene.ana.write_team("other.md", &note("other", "another", "Another clean note."));
    let push = scene.kith(&["sync"]);
    assert!([0, 3].contains(&push.code), "{}", push.shown());
    let scene = scene.assert_kept_in();
    assert!(scene.remote.read("other.md").is_some());
}

#[test]
fn a_message_with_a_secret_given_to_commit_is_refused_with_exit_3() {
    let mut scene = Scene::new();
    let message = format!("use {} from now on", scene.secret);
    let refused = scene.ana.kith(&["--team", "commit", "-m", &message]).exits(3);
    assert!(!format!("{}{}", refused.stdout, refused.stderr).contains(&scene.secret));
    scene.kith(&["sync"]).ok();
    scene.assert_kept_in();
}

#[test]
fn a_secret_to_be_remembered_is_refused_with_exit_3() {
    let mut scene = Scene::new();
    let text = format!("The mirror's token is {}", scene.secret);
    let refused = scene.ana.kith(&["remember", &text, "--name", "mirror", "--team"]).exits(3);
    assert!(!format!("{}{}", refused.stdout, refused.stderr).contains(&scene.secret));
    assert!(scene.ana.read_team("mirror.md").is_none());
    scene.kith(&["sync"]).ok();
    scene.assert_kept_in();
}

#[test]
fn a_secret_in_an_authors_name_does_not_leave() {
    let mut scene = Scene::new();
    let name = format!("user.name={}", scene.secret);
    scene.ana.write_team("other.md", &note("other", "another", "Another clean note."));
    scene.git(&["add", "other.md"]);
    let commit = ["--team", "git", "-c", &name, "commit", "-q", "--no-verify", "-m", "other"];
    let committed = scene.ana.kith(&commit);
    assert_eq!(committed.code, 0, "plain git committed");
    let push = scene.kith(&["sync"]);
    assert!([0, 3].contains(&push.code), "{}", push.shown());
    scene.assert_kept_in();
}

#[test]
fn a_password_in_the_remotes_url_is_printed_nowhere() {
    let root = TempDir::new().unwrap();
    let remote = Remote::bare(&root.path().join("team.git"));
    let Some(server) = HttpServer::start(root.path(), Access::Password) else { return };
    let ana = Machine::new("Ana");
    let url = format!("{}/git/team.git", server.credentials());
    let mut said = vec![ana.kith(&["init", "--team-url", &url])];
    ana.kith(&["remember", "A clean note.", "--name", "clean", "--team"]);
    for args in [
        ["sync"].as_slice(),
        &["sync", "--json"],
        &["status", "--team", "--json"],
        &["where"],
        &["where", "--json"],
        &["events"],
        &["config", "list", "--show-origin"],
    ] {
        said.push(ana.kith(args));
    }
    for output in said {
        let shown = format!("{}{}", output.stdout, output.stderr);
        assert!(!shown.contains(HttpServer::PASSWORD), "printed:\n{}", output.shown());
        assert_ne!(output.code, 255, "{}", output.shown());
    }
    assert!(!remote.holds(HttpServer::PASSWORD));
}

#[test]
fn scan_names_place_and_rule_and_exits_3() {
    let scene = Scene::new();
    scene.ana.write_team("access.md", &scene.leaky_note());
    let found = scene.ana.kith(&["scan", "--team", "--json"]).exits(3).json();
    assert_eq!(found["path"], "access.md", "{found}");
    assert_eq!(found["line"], 9, "{found}");
    assert_eq!(found["tier"], "block", "{found}");
    assert!(found["rule"].is_string(), "{found}");
}
