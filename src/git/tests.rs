#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn repo() -> (tempfile::TempDir, Repo) {
    let dir = tempfile::tempdir().unwrap();
    let repo = Repo::init(dir.path()).unwrap();
    (dir, repo)
}

fn person() -> Person {
    Person { name: "A".into(), email: "a@example.com".into(), time: 1_700_000_000, offset: 60 }
}

fn path() -> impl Strategy<Value = String> {
    prop_oneof!["[abc]{1,2}", "[ab]/[abc]", "[ab]/[ab]/[a-c.-]{1,2}"]
        .prop_filter("plain names", |p| p.split('/').all(|c| c != "." && c != ".."))
}

/// What a tree with these files looks like when git itself builds it.
fn built_by_git(repo: &Repo, files: &BTreeMap<String, Leaf>) -> String {
    let mut index = git2::Index::new().unwrap();
    for (path, leaf) in files {
        let time = git2::IndexTime::new(0, 0);
        index
            .add(&git2::IndexEntry {
                ctime: time,
                mtime: time,
                dev: 0,
                ino: 0,
                mode: leaf.mode,
                uid: 0,
                gid: 0,
                file_size: 0,
                id: leaf.id.0,
                flags: 0,
                flags_extended: 0,
                path: path.clone().into_bytes(),
            })
            .unwrap();
    }
    index.write_tree_to(&repo.inner).unwrap().to_string()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_spliced_tree_is_the_tree_that_git_builds(
        steps in prop::collection::vec((path(), any::<bool>(), 0u8..4), 1..40)
    ) {
        let (_dir, repo) = repo();
        let mut model: BTreeMap<String, Leaf> = BTreeMap::new();
        let mut tree = None;
        for (path, put, text) in steps {
            let clash = model.keys().any(|p| {
                p.starts_with(&format!("{path}/")) || path.starts_with(&format!("{p}/"))
            });
            if put && clash {
                continue;
            }
            let leaf = put.then(|| Leaf::file(repo.write_blob(&[text]).unwrap()));
            match leaf {
                Some(leaf) => model.insert(path.clone(), leaf),
                None => model.remove(&path),
            };
            let before = tree;
            let change = TreeChanges::from([(path.clone().into_bytes(), leaf)]);
            tree = Some(repo.splice(tree, &change).unwrap());
            prop_assert_eq!(tree.unwrap().to_string(), built_by_git(&repo, &model));
            prop_assert_eq!(repo.leaf(tree, path.as_bytes()).unwrap(), leaf);
            for c in repo.diff(before, tree).unwrap() {
                prop_assert_eq!(c.path, path.clone().into_bytes());
                prop_assert_eq!(c.new, leaf);
            }
        }
    }
}

#[test]
fn entries_that_no_change_names_keep_their_bytes_whatever_they_hold() {
    let (_dir, repo) = repo();
    let blob = repo.write_blob(b"x").unwrap();
    // Unsorted, a name twice, `..`, a link and a submodule: as an attacker may lay it.
    let mut raw = Vec::new();
    for (mode, name) in
        [("100644", "z"), ("100644", ".."), ("120000", "link"), ("160000", "sub"), ("100644", "z")]
    {
        raw.extend_from_slice(format!("{mode} {name}\0").as_bytes());
        raw.extend_from_slice(blob.0.as_bytes());
    }
    let hostile = Oid(repo.inner.odb().unwrap().write(git2::ObjectType::Tree, &raw).unwrap());
    let change = TreeChanges::from([(b"a.md".to_vec(), Some(Leaf::file(blob)))]);
    let with = repo.splice(Some(hostile), &change).unwrap();
    let without = repo.splice(Some(with), &TreeChanges::from([(b"a.md".to_vec(), None)])).unwrap();
    assert_eq!(without, hostile);
}

#[test]
fn refs_move_together_or_not_at_all() {
    let (_dir, repo) = repo();
    let tree = repo.empty_tree().unwrap();
    let commit = |message| {
        repo.write_commit(&NewCommit {
            tree,
            parents: &[],
            author: &person(),
            committer: &person(),
            message,
        })
        .unwrap()
    };
    let (one, two) = (commit("one"), commit("two"));
    let main = "refs/heads/main";
    repo.move_refs(&[RefMove::new(main, None, Some(one))], "t").unwrap();
    let moves =
        [RefMove::new("refs/kith/base", None, Some(tree)), RefMove::new(main, None, Some(two))];
    assert!(matches!(repo.move_refs(&moves, "t"), Err(GitError::Moved { .. })));
    assert_eq!(repo.reference("refs/kith/base").unwrap(), None);
    assert_eq!(repo.reference(main).unwrap(), Some(one));
    let moves = [
        RefMove::new("refs/kith/base", None, Some(tree)),
        RefMove::new(main, Some(one), Some(two)),
    ];
    repo.move_refs(&moves, "t").unwrap();
    assert_eq!(repo.reference("refs/kith/base").unwrap(), Some(tree));
    assert_eq!(repo.reference(main).unwrap(), Some(two));
}

#[test]
fn a_locked_ref_is_named_with_its_lock_file() {
    let (dir, repo) = repo();
    let tree = repo.empty_tree().unwrap();
    std::fs::create_dir_all(dir.path().join("refs/kith")).unwrap();
    std::fs::write(dir.path().join("refs/kith/base.lock"), "").unwrap();
    let error = repo.move_refs(&[RefMove::new("refs/kith/base", None, Some(tree))], "t");
    assert!(matches!(error, Err(GitError::Locked { .. })), "{error:?}");
}

#[test]
fn trailers_are_read_from_the_last_paragraph() {
    let message = "subject\n\nbody: not one\n\nKith-Op: capture\nKith-Session: abc\n";
    assert_eq!(trailer(message, "Kith-Session"), Some("abc"));
    assert_eq!(trailer(message, "body"), None);
}

#[test]
fn a_child_past_its_deadline_is_killed_with_its_group() {
    let git = Git { git_dir: None, work_tree: None, cwd: std::env::temp_dir() };
    let args = ["-c", "alias.wait=!sleep 30", "wait"];
    let started = std::time::Instant::now();
    let end = git.run(&args, std::time::Duration::from_millis(300)).unwrap();
    assert!(end.timed_out);
    assert!(started.elapsed() < std::time::Duration::from_secs(10));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_spliced_index_is_read_by_git_as_what_it_should_hold(
        steps in prop::collection::vec(("[abc]{1,3}(/[ab]{1,9})?", any::<bool>(), 0u8..3), 1..30)
    ) {
        let (dir, repo) = repo();
        let tree = repo.empty_tree().unwrap();
        let mut model: BTreeMap<String, Leaf> = BTreeMap::new();
        for (path, put, text) in steps {
            let old = model.get(&path).copied();
            let new = put.then(|| Leaf::file(Oid::of_blob(&[text])));
            match new {
                Some(leaf) => model.insert(path.clone(), leaf),
                None => model.remove(&path),
            };
            let changed = Cached { path: path.into_bytes(), old, new, stat: None };
            repo.refresh_index(tree, &[changed], repo.index_cache().as_ref()).unwrap();
            let read = git2::Index::open(&dir.path().join("index")).unwrap();
            let found: BTreeMap<String, Leaf> = read
                .iter()
                .map(|e| {
                    let path = String::from_utf8(e.path.clone()).unwrap();
                    (path, Leaf { mode: e.mode, id: Oid(e.id) })
                })
                .collect();
            prop_assert_eq!(&found, &model);
        }
    }
}

#[test]
fn what_a_person_has_staged_stays_staged() {
    let (dir, repo) = repo();
    let tree = repo.empty_tree().unwrap();
    let [old, staged, new] = [b"1", b"2", b"3"].map(|t| Some(Leaf::file(Oid::of_blob(t))));
    let change = |old, new| [Cached { path: b"a.md".to_vec(), old, new, stat: None }];
    repo.refresh_index(tree, &change(None, staged), None).unwrap();
    repo.refresh_index(tree, &change(old, new), repo.index_cache().as_ref()).unwrap();
    let read = git2::Index::open(&dir.path().join("index")).unwrap();
    let entry = read.get_path(std::path::Path::new("a.md"), 0).unwrap();
    assert_eq!(Some(Oid(entry.id)), staged.map(|l| l.id));
    std::fs::write(dir.path().join("index.lock"), "").unwrap();
    let locked = repo.refresh_index(tree, &change(staged, new), None);
    assert!(matches!(locked, Err(GitError::Locked { .. })), "{locked:?}");
    assert!(dir.path().join("index.lock").exists(), "a foreign lock is left alone");
}

#[test]
fn an_index_lock_that_a_dead_process_of_ours_left_is_taken_over() {
    let (dir, repo) = repo();
    let tree = repo.empty_tree().unwrap();
    let change = [Cached {
        path: b"a.md".to_vec(),
        old: None,
        new: Some(Leaf::file(Oid::of_blob(b"1"))),
        stat: None,
    }];
    // A process id beyond what the system gives out is nobody's.
    let own = dir.path().join("index.kith-2147483646");
    std::fs::write(&own, "").unwrap();
    std::fs::hard_link(&own, dir.path().join("index.lock")).unwrap();
    repo.refresh_index(tree, &change, None).unwrap();
    let read = git2::Index::open(&dir.path().join("index")).unwrap();
    assert!(read.get_path(std::path::Path::new("a.md"), 0).is_some());
    let left: Vec<_> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("lock") || name.contains("index."))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}
