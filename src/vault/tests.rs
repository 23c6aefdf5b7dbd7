#![allow(clippy::unwrap_used)]

use super::*;
use crate::git::{Identity, Leaf, NewCommit, Oid, RefMove, TreeChanges};
use std::io::Write;

struct House {
    _root: tempfile::TempDir,
    vault: Vault,
    dir: PathBuf,
}

fn vault_of(registry: &Registry, store: Store) -> Vault {
    Vault {
        store,
        author: known_author(Identity { name: "Ada".into(), email: "ada@example.com".into() }),
        clock: Clock::system(),
        events: Events::new(registry.dir()),
    }
}

fn house(kind: StoreKind) -> House {
    let root = tempfile::tempdir().unwrap();
    let registry = Registry::new(&root.path().join("kith"));
    let dir = root.path().join("memory");
    let store = Store::create(&registry, &dir, kind, None, None).unwrap().store;
    let dir = store.dir.clone();
    House { vault: vault_of(&registry, store), dir, _root: root }
}

impl House {
    fn put(&self, name: &str, text: &str) {
        let file = self.dir.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    fn get(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.dir.join(name)).ok()
    }
    fn capture(&self) -> Captured {
        self.vault.enter().unwrap().capture(CaptureOptions::default()).unwrap()
    }
    fn committed(&self, name: &str) -> Option<String> {
        let repo = &self.vault.store.repo;
        let tree = repo.tree_of(repo.reference(refs::MAIN).unwrap()).unwrap();
        let leaf = repo.leaf(tree, name.as_bytes()).unwrap()?;
        Some(String::from_utf8(repo.blob(leaf.id).unwrap()).unwrap())
    }
    /// A commit that an engine would make of one path's new text, and its landing.
    fn landing(&self, name: &str, text: Option<&str>) -> Landing {
        let repo = &self.vault.store.repo;
        let head = repo.reference(refs::MAIN).unwrap();
        let tree = repo.tree_of(head).unwrap();
        let old = repo.leaf(tree, name.as_bytes()).unwrap();
        let new = text.map(|t| Leaf::file(repo.write_blob(t.as_bytes()).unwrap()));
        let changes = TreeChanges::from([(name.as_bytes().to_vec(), new)]);
        let person = self.vault.person();
        let parents: Vec<Oid> = head.into_iter().collect();
        let commit = repo
            .write_commit(&NewCommit {
                tree: repo.splice(tree, &changes).unwrap(),
                parents: &parents,
                author: &person,
                committer: &person,
                message: "an engine\n",
            })
            .unwrap();
        Landing {
            refs: vec![RefMove::new(refs::MAIN, head, Some(commit))],
            files: vec![FileChange { path: name.into(), before: old.map(|l| l.id), after: new }],
            changed: vec![crate::git::Changed { path: name.into(), old, new }],
            ..Landing::default()
        }
    }
    fn apply(&self, name: &str, text: Option<&str>) -> Landed {
        self.vault.enter().unwrap().land(&self.landing(name, text)).unwrap()
    }
}

fn git(dir: &Path, args: &[&str]) -> String {
    let git = crate::git::Git { git_dir: None, work_tree: None, cwd: dir.to_path_buf() };
    let end = git.run(args, std::time::Duration::from_secs(30)).unwrap();
    assert_eq!(end.code, Some(0), "{}", end.stderr);
    String::from_utf8(end.stdout).unwrap()
}

fn secret() -> String {
    format!("token {}{}\n", concat!("gh", "p_"), "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx")
}

#[test]
fn a_capture_commits_the_notes_and_holds_the_one_with_a_secret() {
    let h = house(StoreKind::Private);
    h.put("a.md", "fine\n");
    h.put("b.md", &secret());
    h.put("x.json", "{}");
    let captured = h.capture();
    assert_eq!(captured.changes.len(), 1);
    assert_eq!(captured.held[0].path, b"b.md");
    assert_eq!(captured.held[0].reason.code(), "secret");
    assert_eq!(h.committed("a.md").as_deref(), Some("fine\n"));
    assert!(!h.vault.store.repo.has(Oid::of_blob(secret().as_bytes())));
    assert_eq!(h.capture().commit, None, "nothing changed since");
    h.put("b.md", "clean now\n");
    assert_eq!(h.capture().changes.len(), 1);
}

#[test]
fn a_writer_who_had_read_the_note_before_an_apply_is_merged_with_it() {
    let h = house(StoreKind::Private);
    h.put("a.md", "- one\n- two\n");
    h.capture();
    h.apply("a.md", Some("- one\n- from a teammate\n- two\n"));
    h.put("a.md", "- one\n- two\n- mine\n");
    let captured = h.capture();
    assert_eq!(captured.restored, vec![b"a.md".to_vec()]);
    let both = "- one\n- from a teammate\n- two\n- mine\n";
    assert_eq!(h.get("a.md").as_deref(), Some(both));
    assert_eq!(h.committed("a.md").as_deref(), Some(both));
    h.put("a.md", "- one\n- two\n- mine\n");
    assert!(h.capture().restored.is_empty(), "a line taken out twice stays out");
}

#[test]
fn a_writer_who_keeps_the_file_open_over_an_apply_loses_nothing() {
    let h = house(StoreKind::Private);
    h.put("a.md", "- one\n");
    h.capture();
    let mut open = std::fs::OpenOptions::new().append(true).open(h.dir.join("a.md")).unwrap();
    h.apply("a.md", Some("- one\n- from a teammate\n"));
    open.write_all(b"- written late\n").unwrap();
    h.capture();
    drop(open);
    h.capture();
    let text = h.committed("a.md").unwrap();
    assert!(text.contains("teammate") && text.contains("written late"), "{text}");
    assert_eq!(h.get("a.md").unwrap(), text);
    h.capture();
    let kept = std::fs::read_dir(h.vault.store.state_file("displaced")).unwrap().count();
    assert_eq!(kept, 0, "the displaced file is done with");
}

#[test]
fn a_file_that_is_being_written_is_taken_next_time() {
    let h = house(StoreKind::Private);
    h.put("a.md", "- one\n");
    h.capture();
    let mut open = std::fs::OpenOptions::new().append(true).open(h.dir.join("a.md")).unwrap();
    open.write_all(b"- two\n").unwrap();
    let captured = h.capture();
    assert_eq!(captured.busy, vec![b"a.md".to_vec()]);
    assert_eq!(captured.commit, None);
    drop(open);
    assert_eq!(h.capture().changes.len(), 1);
}

#[test]
fn a_live_file_that_was_edited_since_the_capture_is_not_overwritten() {
    let h = house(StoreKind::Private);
    h.put("a.md", "- one\n");
    h.capture();
    let landing = h.landing("a.md", Some("- one\n- incoming\n"));
    h.put("a.md", "- one\n- edited meanwhile\n");
    let landed = h.vault.enter().unwrap().land(&landing).unwrap();
    assert_eq!(landed.left, vec!["a.md".to_string()]);
    assert_eq!(h.get("a.md").as_deref(), Some("- one\n- edited meanwhile\n"));
    h.capture();
    let text = h.get("a.md").unwrap();
    assert!(text.contains("incoming") && text.contains("edited meanwhile"), "{text}");
}

#[test]
fn what_a_crash_cut_short_between_refs_and_files_is_finished() {
    let h = house(StoreKind::Private);
    h.put("a.md", "old\n");
    h.capture();
    for (name, text) in [("a.md", Some("new\n")), ("sub/b.md", Some("created\n")), ("a.md", None)] {
        let landing = h.landing(name, text);
        super::journal::Journal::write(&h.vault.store, &landing.refs, &landing.files).unwrap();
        h.vault.store.repo.move_refs(&landing.refs, "crashed here").unwrap();
        let captured = h.capture();
        assert_eq!(captured.commit, None, "{name}: the crash is no edit of anybody's");
        assert_eq!(h.get(name).as_deref(), text);
        assert!(std::fs::read(h.vault.store.state_file("journal.json")).unwrap().starts_with(b"-"));
    }
}

#[test]
fn a_crash_before_the_refs_moved_changes_nothing() {
    let h = house(StoreKind::Private);
    h.put("a.md", "old\n");
    let head = h.capture().head;
    let landing = h.landing("a.md", Some("new\n"));
    super::journal::Journal::write(&h.vault.store, &landing.refs, &landing.files).unwrap();
    assert_eq!(h.capture().head, head);
    assert_eq!(h.get("a.md").as_deref(), Some("old\n"));
}

#[test]
fn many_notes_gone_at_once_are_parked_until_a_person_says_yes() {
    let h = house(StoreKind::Private);
    for n in 0..20 {
        h.put(&format!("n{n}.md"), "x\n");
    }
    let head = h.capture().head;
    for n in 0..6 {
        std::fs::remove_file(h.dir.join(format!("n{n}.md"))).unwrap();
    }
    let captured = h.capture();
    assert_eq!(captured.head, head);
    let branch = captured.parked_branch.unwrap();
    assert!(branch.starts_with("kith/parked/"), "{branch}");
    let again = h.capture().parked_branch.unwrap();
    assert_eq!(again, branch, "the same loss is parked once");
    let yes = CaptureOptions { accept_mass: true, message: None };
    let captured = h.vault.enter().unwrap().capture(yes).unwrap();
    assert_eq!(captured.changes.len(), 6);
}

#[test]
fn notes_back_at_older_versions_together_are_parked() {
    let h = house(StoreKind::Private);
    for version in ["old", "new"] {
        for n in 0..4 {
            h.put(&format!("n{n}.md"), &format!("{version} {n}\n"));
        }
        h.capture();
    }
    for n in 0..3 {
        h.put(&format!("n{n}.md"), &format!("old {n}\n"));
    }
    assert!(h.capture().parked_branch.is_some());
}

#[test]
fn an_emptied_directory_captures_nothing() {
    let h = house(StoreKind::Private);
    h.put("a.md", "x\n");
    let head = h.capture().head;
    std::fs::remove_file(h.dir.join("a.md")).unwrap();
    let result = h.vault.enter().unwrap().capture(CaptureOptions::default());
    assert!(matches!(result, Err(VaultError::Emptied { notes: 1, .. })), "{result:?}");
    assert_eq!(h.vault.store.repo.reference(refs::MAIN).unwrap(), head);
}

#[test]
fn links_and_odd_names_are_held_and_named() {
    let h = house(StoreKind::Private);
    h.put("Note.md", "x\n");
    h.capture();
    std::os::unix::fs::symlink("/etc/hostname", h.dir.join("link.md")).unwrap();
    h.put("note.md", "x\n");
    h.put("aux.md", "x\n");
    std::fs::create_dir(h.dir.join("folder.md")).unwrap();
    let captured = h.capture();
    let held: Vec<(String, &str)> = captured
        .held
        .iter()
        .map(|held| (String::from_utf8(held.path.clone()).unwrap(), held.reason.code()))
        .collect();
    let expected = [
        ("aux.md", "name"),
        ("folder.md", "directory"),
        ("link.md", "symlink"),
        ("note.md", "name"),
    ];
    assert_eq!(held, expected.map(|(p, r)| (p.to_string(), r)));
    assert_eq!(captured.commit, None);
}

#[test]
fn a_note_that_a_link_replaced_is_no_deletion() {
    let h = house(StoreKind::Private);
    h.put("a.md", "x\n");
    h.put("b.md", "x\n");
    h.capture();
    std::fs::rename(h.dir.join("a.md"), h.dir.join("elsewhere")).unwrap();
    std::os::unix::fs::symlink("elsewhere", h.dir.join("a.md")).unwrap();
    assert_eq!(h.capture().commit, None);
    assert_eq!(h.committed("a.md").as_deref(), Some("x\n"));
}

#[test]
fn a_copied_directory_is_refused_and_can_be_adopted() {
    let h = house(StoreKind::Private);
    h.put("a.md", "x\n");
    h.capture();
    let copy = h.dir.with_file_name("copy");
    std::fs::create_dir(&copy).unwrap();
    for name in ["a.md", ".git"] {
        std::fs::copy(h.dir.join(name), copy.join(name)).unwrap();
    }
    let registry = Registry::new(&h.dir.with_file_name("kith"));
    let refused = Store::open(&registry, &copy);
    assert!(matches!(refused, Err(VaultError::Copied { .. })), "{refused:?}");
    let store = Store::adopt(&registry, &copy, None).unwrap();
    assert_ne!(store.id, h.vault.store.id);
    assert_eq!(
        store.repo.reference(refs::MAIN).unwrap(),
        h.vault.store.repo.reference(refs::MAIN).unwrap()
    );
    std::fs::write(copy.join("a.md"), "changed in the copy\n").unwrap();
    vault_of(&registry, store).enter().unwrap().capture(CaptureOptions::default()).unwrap();
    assert_eq!(h.committed("a.md").as_deref(), Some("x\n"));
}

#[test]
fn a_moved_directory_keeps_its_store() {
    let h = house(StoreKind::Private);
    h.put("a.md", "x\n");
    h.capture();
    let moved = h.dir.with_file_name("elsewhere");
    std::fs::rename(&h.dir, &moved).unwrap();
    let registry = Registry::new(&h.dir.with_file_name("kith"));
    let store = Store::open(&registry, &moved).unwrap();
    assert_eq!(store.id, h.vault.store.id);
    assert_eq!(store.dir, moved);
}

#[test]
fn an_ordinary_repository_of_the_directory_is_taken_over_with_its_history() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("memory");
    std::fs::create_dir(&dir).unwrap();
    std::fs::write(dir.join("a.md"), "x\n").unwrap();
    let me = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    git(&dir, &["init", "-q", "-b", "trunk"]);
    git(&dir, &["add", "a.md"]);
    git(&dir, &[&me[..], &["commit", "-q", "-m", "mine"]].concat());
    let tip = git(&dir, &["rev-parse", "HEAD"]);
    let registry = Registry::new(&root.path().join("kith"));
    let created = Store::create(&registry, &dir, StoreKind::Private, None, None).unwrap();
    assert!(created.took_over && created.fresh);
    let head = created.store.repo.reference(refs::MAIN).unwrap().unwrap();
    assert_eq!(head.to_string(), tip.trim());
    assert!(dir.join(".git").is_file());
    let again = Store::create(&registry, &dir, StoreKind::Private, None, None).unwrap();
    assert!(!again.fresh && !again.took_over);
}

#[test]
fn a_repository_that_is_not_of_the_directory_alone_is_left_alone() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("memory");
    std::fs::create_dir(&dir).unwrap();
    git(&dir, &["init", "-q"]);
    git(&dir, &["config", "core.worktree", "/tmp"]);
    let registry = Registry::new(&root.path().join("kith"));
    let refused = Store::create(&registry, &dir, StoreKind::Private, None, None);
    assert!(matches!(refused, Err(VaultError::ForeignGit { .. })), "{refused:?}");
    assert!(dir.join(".git").is_dir());
    assert!(registry.all().unwrap().is_empty());
}

#[test]
fn a_head_off_the_live_line_or_an_open_merge_captures_nothing() {
    let h = house(StoreKind::Private);
    h.put("a.md", "x\n");
    h.capture();
    let git = h.vault.store.repo.dir().to_path_buf();
    std::fs::write(git.join("MERGE_HEAD"), "x").unwrap();
    assert!(matches!(h.vault.enter(), Err(VaultError::OpenOperation { operation: "merge" })));
    std::fs::remove_file(git.join("MERGE_HEAD")).unwrap();
    std::fs::write(git.join("HEAD"), "ref: refs/heads/other\n").unwrap();
    assert!(matches!(h.vault.enter(), Err(VaultError::OffLine { .. })));
}

#[test]
fn a_newer_store_format_is_left_alone() {
    let h = house(StoreKind::Private);
    h.vault.store.repo.set_config("kith.format", Some("99")).unwrap();
    let registry = Registry::new(&h.dir.with_file_name("kith"));
    let refused = Store::open(&registry, &h.dir);
    assert!(matches!(refused, Err(VaultError::NewerFormat { found: 99, .. })), "{refused:?}");
}

#[test]
fn events_are_read_from_where_the_last_reading_ended() {
    let root = tempfile::tempdir().unwrap();
    let events = Events::new(root.path());
    events.log("2026-01-01T00:00:00Z", Event::new("one").with("n", 1)).unwrap();
    let (lines, at) = events.read(0).unwrap();
    assert_eq!(lines, [r#"{"time":"2026-01-01T00:00:00Z","event":"one","n":1}"#]);
    events.log("2026-01-01T00:00:01Z", Event::new("two")).unwrap();
    assert_eq!(events.read(at).unwrap().0.len(), 1);
}

#[test]
fn a_crash_between_exchange_and_keeping_leaves_the_displaced_file_to_its_writer() {
    let h = house(StoreKind::Private);
    h.put("a.md", "- one\n");
    h.capture();
    let landing = h.landing("a.md", Some("- one\n- incoming\n"));
    super::journal::Journal::write(&h.vault.store, &landing.refs, &landing.files).unwrap();
    h.vault.store.repo.move_refs(&landing.refs, "t").unwrap();
    // As after the exchange: the old file, still open, under the temporary name.
    let name = format!(".kith-{}-1-0", Oid::of_blob(b"a.md").short());
    std::fs::rename(h.dir.join("a.md"), h.dir.join(&name)).unwrap();
    h.put("a.md", "- one\n- incoming\n");
    let mut open = std::fs::OpenOptions::new().append(true).open(h.dir.join(&name)).unwrap();
    h.capture();
    open.write_all(b"- written late\n").unwrap();
    drop(open);
    h.capture();
    let text = h.committed("a.md").unwrap();
    assert!(text.contains("incoming") && text.contains("written late"), "{text}");
    assert!(!h.dir.join(&name).exists());
}

#[test]
fn a_torn_copy_of_ours_is_no_edit() {
    let h = house(StoreKind::Private);
    h.put("a.md", "- one\n");
    h.capture();
    let landing = h.landing("a.md", Some("- one\n- incoming\n"));
    super::journal::Journal::write(&h.vault.store, &landing.refs, &landing.files).unwrap();
    h.vault.store.repo.move_refs(&landing.refs, "t").unwrap();
    let name = format!(".kith-{}-1-0", Oid::of_blob(b"a.md").short());
    h.put(&name, "- on");
    h.capture();
    assert_eq!(h.get("a.md").as_deref(), Some("- one\n- incoming\n"));
    assert!(!h.dir.join(&name).exists());
}

#[test]
fn a_late_edit_waits_while_the_live_text_is_held() {
    let h = house(StoreKind::Private);
    h.put("a.md", "- one\n");
    h.capture();
    let mut open = std::fs::OpenOptions::new().append(true).open(h.dir.join("a.md")).unwrap();
    h.apply("a.md", Some("- one\n- incoming\n"));
    open.write_all(b"- written late\n").unwrap();
    drop(open);
    let held = format!("- one\n- incoming\n{}", secret());
    h.put("a.md", &held);
    h.capture();
    assert_eq!(h.get("a.md").as_deref(), Some(held.as_str()), "the held text was not touched");
    h.put("a.md", "- one\n- incoming\n");
    h.capture();
    h.capture();
    assert!(h.committed("a.md").unwrap().contains("written late"));
}

#[test]
fn a_private_store_has_nothing_to_do_with_the_teams_folder() {
    assert!(!StoreKind::Private.holds(b"team/x.md"));
    assert!(!StoreKind::Private.holds(b".kith/policy.yaml"));
    assert!(StoreKind::Private.holds(b"teamwork.md"));
    assert!(StoreKind::Team.holds(b".kith/policy.yaml"));
}
