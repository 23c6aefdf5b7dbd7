//! The demo does what it tells, leaves nothing behind unless it is asked to, and shows no secret.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod support;

use support::{Machine, notes, snapshot, token};

#[test]
fn the_demo_holds_what_it_promises_and_leaves_nothing_behind() {
    let ana = Machine::new("Ana");
    let before = snapshot(ana.home(), &[]);
    let demo = ana.kith(&["demo"]).ok();
    assert!(demo.stdout.contains("byte for byte"), "{}", demo.shown());
    assert!(demo.stderr.contains("held back: staging-access.md"), "{}", demo.shown());
    assert!(!format!("{}{}", demo.stdout, demo.stderr).contains(&token()));
    assert!(snapshot(&ana.root().join("tmp"), &[]).is_empty(), "the folder is still there");
    assert_eq!(snapshot(ana.home(), &[]), before, "the demo touched the person's own home");
}

#[test]
fn a_kept_demo_can_be_looked_at() {
    let ana = Machine::new("Ana");
    let demo = ana.kith(&["demo", "--keep"]).ok();
    let kept = demo.stdout.trim_end().rsplit("kept in ").next().unwrap();
    let stores = std::path::Path::new(kept).join("ben/.claude/projects");
    let project = std::fs::read_dir(stores).unwrap().next().unwrap().unwrap().path();
    let team = notes(&project.join("memory/team"));
    assert!(team.contains_key("staging-access.md"), "{:?}", team.keys());
}
