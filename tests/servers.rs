//! The harness proves itself: plain git clones from and pushes to each server, a password is
//! asked for, and the hostile repository holds what it says.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod support;

use support::{Access, DaemonServer, HostileRepo, HttpServer, Kind, Machine, Remote, SshServer};
use tempfile::TempDir;

/// Clones, commits and pushes from one machine, and clones again from a second.
fn round_trip(url: &str, ready: impl Fn(&Machine)) {
    let ana = Machine::new("Ana");
    let ben = Machine::new("Ben");
    ready(&ana);
    ready(&ben);
    ana.git(ana.home(), &["clone", "-q", url, "a"]).ok();
    let dir = ana.home().join("a");
    std::fs::write(dir.join("note.md"), "known\n").unwrap();
    ana.git(&dir, &["add", "."]).ok();
    ana.git(&dir, &["commit", "-q", "-m", "note"]).ok();
    ana.git(&dir, &["push", "-q", "origin", "HEAD:main"]).ok();
    ben.git(ben.home(), &["clone", "-q", url, "b"]).ok();
    assert_eq!(std::fs::read_to_string(ben.home().join("b/note.md")).unwrap(), "known\n");
}

fn served() -> TempDir {
    let root = TempDir::new().unwrap();
    Remote::bare(&root.path().join("team.git"));
    root
}

#[test]
fn git_goes_both_ways_over_open_http() {
    let root = served();
    let Some(server) = HttpServer::start(root.path(), Access::Open) else { return };
    round_trip(&server.url("team.git"), |_| {});
}

#[test]
fn git_goes_both_ways_over_http_with_a_password_and_not_without() {
    let root = served();
    let Some(server) = HttpServer::start(root.path(), Access::Password) else { return };
    let mut stranger = Machine::new("Eve");
    stranger.set_env("GIT_TERMINAL_PROMPT", "0");
    let refused = stranger.git(stranger.home(), &["ls-remote", &server.url("team.git")]);
    assert_ne!(refused.code, 0, "{}", refused.shown());
    round_trip(&server.url("team.git"), |m| m.store_credentials(&server.credentials()));
}

#[test]
fn a_public_http_remote_is_read_by_anyone_and_written_with_the_password() {
    let root = served();
    let Some(server) = HttpServer::start(root.path(), Access::PublicRead) else { return };
    let mut stranger = Machine::new("Eve");
    stranger.set_env("GIT_TERMINAL_PROMPT", "0");
    stranger.git(stranger.home(), &["ls-remote", &server.url("team.git")]).ok();
    let push = ["push", &server.url("team.git"), "HEAD:main"];
    let refused = stranger.git(stranger.project(), &push);
    assert_ne!(refused.code, 0, "{}", refused.shown());
    round_trip(&server.url("team.git"), |m| m.store_credentials(&server.credentials()));
}

#[test]
fn git_goes_both_ways_over_the_git_daemon() {
    let root = served();
    let Some(server) = DaemonServer::start(root.path()) else { return };
    round_trip(&server.url("team.git"), |_| {});
}

#[test]
fn git_goes_both_ways_over_ssh() {
    let root = served();
    let Some(server) = SshServer::start(root.path()) else { return };
    round_trip(&server.url("team.git"), |m| server.let_in(m));
}

#[test]
fn the_hostile_repository_holds_every_kind_of_entry() {
    let root = TempDir::new().unwrap();
    let repo = HostileRepo::lay(Remote::bare(&root.path().join("hostile.git")));
    let tree = repo.remote.tree();
    for laid in &repo.laid {
        assert!(tree.contains_key(&laid.path), "{laid:?} is not in {:?}", tree.keys());
    }
    let (mode, id) = &tree["big.md"];
    let size = repo.remote.git(&["cat-file", "-s", id]).ok().stdout;
    assert!(mode == "100644" && size.trim().parse::<usize>().unwrap() > 300_000);
    assert_eq!(tree["module"].0, "160000");
    assert_eq!(tree["link.md"].0, "120000");
    assert_eq!(repo.of(Kind::UnicodePair).len(), 2);
    assert_eq!(repo.of(Kind::Good).len(), 4);
}
