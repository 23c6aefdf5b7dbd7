//! The three trees against a model, on real stores and a real remote: random histories of several
//! machines with held, parked and quarantined paths converge, lose nothing, and no push touches a
//! path that must wait.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, missing_docs)]

use kith::config::TeamPush;
use kith::git::{Identity, Leaf, NewCommit, Person, RefMove, Repo, TreeChanges};
use kith::team::{SyncOptions, set_remote, sync};
use kith::vault::{CaptureOptions, Clock, Events, Registry, Store, StoreKind, Vault, known_author};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

const NOTES: usize = 5;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// A line that every scanner of GitHub tokens knows, in pieces.
fn secret_line() -> String {
    format!("token: {}{}\n", concat!("gh", "p_"), "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx")
}

struct Machine {
    vault: Vault,
    dir: PathBuf,
}

impl Machine {
    fn new(root: &Path, name: &str, remote: &Path) -> Machine {
        let dir = root.join(name).join("team");
        std::fs::create_dir_all(&dir).unwrap();
        let kith = root.join(name).join("kith");
        let registry = Registry::new(&kith);
        let store = Store::create(&registry, &dir, StoreKind::Team, None, None).unwrap().store;
        set_remote(&store.repo, remote.to_str().unwrap(), "main").unwrap();
        let dir = store.dir.clone();
        let identity = Identity { name: name.into(), email: format!("{name}@example.com") };
        let events = Events::new(&kith);
        Machine {
            vault: Vault { store, author: known_author(identity), clock: Clock::system(), events },
            dir,
        }
    }

    fn file(&self, note: usize) -> PathBuf {
        self.dir.join(format!("n{note}.md"))
    }

    fn text(&self, note: usize) -> Option<String> {
        std::fs::read_to_string(self.file(note)).ok()
    }

    fn put(&self, note: usize, text: &str) {
        std::fs::write(self.file(note), text).unwrap();
    }

    fn capture(&self) {
        let mut door = self.vault.enter().unwrap();
        let captured = door.capture(CaptureOptions::default()).unwrap();
        if captured.parked_branch.is_some() {
            door.capture(CaptureOptions { accept_mass: true, message: None }).unwrap();
        }
    }

    fn sync(&self, mode: TeamPush) -> kith::team::Report {
        let report = sync(
            &self.vault,
            &SyncOptions {
                push: true,
                mode,
                timeout: Duration::from_secs(30),
                retries: 8,
                project: self.dir.clone(),
            },
        )
        .unwrap();
        assert_eq!(report.trouble, None);
        report
    }

    fn held(&self) -> BTreeSet<String> {
        let secret = secret_line();
        (0..NOTES)
            .filter(|n| self.text(*n).is_some_and(|t| t.contains(secret.trim())))
            .map(|n| format!("n{n}.md"))
            .collect()
    }
}

struct World {
    random: Random,
    machines: Vec<Machine>,
    remote: Repo,
    next: usize,
    added: BTreeMap<String, usize>,
    deleted: BTreeSet<String>,
}

fn lines(text: &str) -> BTreeSet<String> {
    text.lines().filter(|l| l.starts_with("- item")).map(str::to_string).collect()
}

impl World {
    fn tree(&self) -> BTreeMap<String, Leaf> {
        let head = self.remote.reference("refs/heads/main").unwrap();
        let leaves = self.remote.leaves(self.remote.tree_of(head).unwrap()).unwrap();
        leaves.into_iter().map(|(p, l)| (String::from_utf8(p).unwrap(), l)).collect()
    }

    fn remote_text(&self, name: &str) -> Option<String> {
        let leaf = *self.tree().get(name)?;
        Some(String::from_utf8(self.remote.blob(leaf.id).unwrap()).unwrap())
    }

    /// Somebody without kith commits straight on the remote.
    fn plain_commit(&mut self, name: &str, text: Option<&str>) {
        let head = self.remote.reference("refs/heads/main").unwrap();
        let tree = self.remote.tree_of(head).unwrap();
        let leaf = text.map(|t| Leaf::file(self.remote.write_blob(t.as_bytes()).unwrap()));
        let changes = TreeChanges::from([(name.as_bytes().to_vec(), leaf)]);
        let person =
            Person { name: "plain".into(), email: "p@example.com".into(), time: 1, offset: 0 };
        let parents: Vec<_> = head.into_iter().collect();
        let commit = self
            .remote
            .write_commit(&NewCommit {
                tree: self.remote.splice(tree, &changes).unwrap(),
                parents: &parents,
                author: &person,
                committer: &person,
                message: "plain\n",
            })
            .unwrap();
        self.remote.move_refs(&[RefMove::new("refs/heads/main", head, Some(commit))], "x").unwrap();
    }

    fn add_line(&mut self, m: usize, note: usize) {
        self.next += 1;
        let line = format!("- item {}", self.next);
        let old = self.machines[m].text(note).unwrap_or_default();
        let mut all: Vec<&str> = old.lines().collect();
        let at = self.random.below(all.len() + 1);
        all.insert(at, &line);
        self.machines[m].put(note, &(all.join("\n") + "\n"));
        self.added.insert(line, note);
    }

    fn delete_line(&mut self, m: usize, note: usize) {
        let Some(old) = self.machines[m].text(note) else { return };
        let items: Vec<String> = lines(&old).into_iter().collect();
        if items.is_empty() {
            return;
        }
        let gone = items[self.random.below(items.len())].clone();
        let kept: Vec<&str> = old.lines().filter(|l| *l != gone).collect();
        self.machines[m].put(note, &(kept.join("\n") + "\n"));
        self.deleted.insert(gone);
    }

    fn delete_note(&mut self, m: usize, note: usize) {
        if let Some(old) = self.machines[m].text(note) {
            self.deleted.extend(lines(&old));
            std::fs::remove_file(self.machines[m].file(note)).unwrap();
        }
    }

    fn hold(&mut self, m: usize, note: usize) {
        if let Some(old) = self.machines[m].text(note)
            && !old.contains("token:")
        {
            self.machines[m].put(note, &(old + &secret_line()));
        }
    }

    fn clean(text: &str) -> String {
        text.lines().filter(|l| !l.starts_with("token:")).map(|l| format!("{l}\n")).collect()
    }

    fn release(&mut self, m: usize, note: usize) {
        if let Some(old) = self.machines[m].text(note) {
            self.machines[m].put(note, &Self::clean(&old));
        }
    }

    fn quarantine(&mut self, note: usize, on: bool) {
        let name = format!("n{note}.md");
        let Some(old) = self.remote_text(&name) else { return };
        match (on, old.contains("token:")) {
            (true, false) => self.plain_commit(&name, Some(&(old + &secret_line()))),
            (false, true) => self.plain_commit(&name, Some(&Self::clean(&old))),
            (true, true) | (false, false) => {}
        }
    }

    fn sync(&mut self, m: usize, mode: TeamPush) {
        let before = self.tree();
        let held = self.machines[m].held();
        let quarantined: BTreeSet<String> = before
            .keys()
            .filter(|p| self.remote_text(p).is_some_and(|t| t.contains("token:")))
            .cloned()
            .collect();
        let report = self.machines[m].sync(mode);
        let after = self.tree();
        let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        for name in names {
            if before.get(name) != after.get(name) {
                assert!(!held.contains(name), "a push changed the held {name}");
                assert!(!quarantined.contains(name), "a push changed the quarantined {name}");
                assert!(!report.parked.contains(name), "a push changed the parked {name}");
            }
        }
        for name in &held {
            let text = self.machines[m].text(name[1..2].parse().unwrap()).unwrap();
            assert!(text.contains("token:"), "the held {name} was changed");
        }
    }

    fn step(&mut self) {
        let m = self.random.below(self.machines.len());
        let note = self.random.below(NOTES);
        match self.random.below(100) {
            0..35 => self.add_line(m, note),
            35..42 => self.delete_line(m, note),
            42..48 => self.delete_note(m, note),
            48..53 => self.hold(m, note),
            53..60 => self.release(m, note),
            60..64 => self.quarantine(note, true),
            64..70 => self.quarantine(note, false),
            _ => return self.sync(m, TeamPush::Auto),
        }
        if self.random.below(2) == 0 {
            self.machines[m].capture();
        }
    }

    fn live(&self, m: usize) -> BTreeMap<String, String> {
        let read = |e: std::fs::DirEntry| {
            let name = e.file_name().into_string().unwrap();
            name.ends_with(".md").then(|| (name, std::fs::read_to_string(e.path()).unwrap()))
        };
        let entries = std::fs::read_dir(&self.machines[m].dir).unwrap();
        entries.filter_map(|e| read(e.unwrap())).collect()
    }
}

fn history(seed: u64) {
    let root = tempfile::tempdir().unwrap();
    let bare = root.path().join("remote.git");
    let remote = Repo::init(&bare).unwrap();
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let count = 2 + random.below(3);
    let machines = (0..count).map(|i| Machine::new(root.path(), &format!("m{i}"), &bare)).collect();
    let (added, deleted) = (BTreeMap::new(), BTreeSet::new());
    let mut world = World { random, machines, remote, next: 0, added, deleted };
    std::fs::write(world.machines[0].dir.join("z.md"), "stays\n").unwrap();
    for m in 0..count {
        world.sync(m, TeamPush::Auto);
    }
    for _ in 0..20 + world.random.below(40) {
        world.step();
    }
    for note in 0..NOTES {
        world.quarantine(note, false);
        for m in 0..count {
            world.release(m, note);
        }
    }
    for _ in 0..3 {
        for m in 0..count {
            world.machines[m].capture();
            world.sync(m, TeamPush::Full);
        }
    }
    let tree = world.tree();
    let published: BTreeMap<String, String> =
        tree.keys().map(|p| (p.clone(), world.remote_text(p).unwrap())).collect();
    for m in 0..count {
        assert_eq!(world.live(m), published, "seed {seed}: machine {m} has not converged");
    }
    let all: BTreeSet<String> = published.values().flat_map(|t| lines(t)).collect();
    for line in world.added.keys() {
        assert!(all.contains(line) || world.deleted.contains(line), "seed {seed}: {line} was lost");
    }
}

#[test]
fn random_histories_of_several_machines_converge_and_lose_nothing() {
    let cases = std::env::var("KITH_MODEL_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(12);
    let first = std::env::var("KITH_MODEL_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    for seed in first..first + cases {
        history(seed);
    }
}
