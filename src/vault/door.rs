//! The door: guard, lock, recovery, then captures and changes, one at a time.

use super::capture::refusal;
use super::land::{self, Landed, Landing, file_changes};
use super::lock::FileLock;
use super::{
    CaptureOptions, Captured, Clock, Event, Events, Message, Result, Store, VaultError, journal,
    refs,
};
use crate::git::{
    Changed, GitError, Identity, IndexCache, Leaf, NewCommit, Oid, Person, RefMove, Repo,
    TreeChanges,
};
use crate::guard;
use std::cell::LazyCell;

/// A store with what its operations need from outside.
#[derive(Debug)]
pub struct Vault {
    /// The store.
    pub store: Store,
    /// Who commits, found out when first needed.
    pub author: Author,
    /// The time.
    pub clock: Clock,
    /// The event log.
    pub events: Events,
}

/// Who commits: reading the user's git configuration is put off until something is committed.
pub type Author = LazyCell<Identity, Box<dyn FnOnce() -> Identity>>;

/// An author who is known already.
pub fn known_author(identity: Identity) -> Author {
    LazyCell::new(Box::new(move || identity))
}

/// A note's new text (`None`: removed).
#[derive(Clone, Debug)]
pub struct Note {
    /// The path.
    pub path: String,
    /// The text.
    pub text: Option<Vec<u8>>,
}

/// The opened door: the store's lock is held until it is dropped.
pub struct Door<'v> {
    pub(super) vault: &'v Vault,
    _lock: FileLock,
}

impl Vault {
    /// Unix seconds now.
    pub fn now(&self) -> i64 {
        self.clock.now().timestamp()
    }

    /// Who commits, now.
    pub fn person(&self) -> Person {
        let now = self.clock.now();
        Person {
            name: self.author.name.clone(),
            email: self.author.email.clone(),
            time: now.timestamp(),
            offset: now.offset().local_minus_utc() / 60,
        }
    }

    /// Writes a commit by the present author, now, on these parents; no ref moves.
    pub fn record(
        &self,
        tree: Oid,
        parents: impl IntoIterator<Item = Oid>,
        message: &str,
    ) -> Result<Oid> {
        let person = self.person();
        let parents: Vec<Oid> = parents.into_iter().collect();
        Ok(self.store.repo.write_commit(&NewCommit {
            tree,
            parents: &parents,
            author: &person,
            committer: &person,
            message,
        })?)
    }

    /// Now in RFC 3339, to the second.
    pub fn time(&self) -> String {
        self.clock.now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
    }

    /// Logs an event at the present time.
    pub fn log(&self, event: Event) -> Result<()> {
        self.events.log(&self.time(), event.with("store", self.store.id.clone()))
    }

    /// Steps 1 and 2 of the sequence: the guard, the lock, and what a crash left.
    pub fn enter(&self) -> Result<Door<'_>> {
        self.guard()?;
        let lock = FileLock::wait(&self.store.state_file("lock"))?;
        let door = Door { vault: self, _lock: lock };
        if journal::recover(&self.store)? {
            self.log(Event::new("recovered"))?;
        }
        Ok(door)
    }

    /// What differs between the live directory and the live line; nothing is changed.
    pub fn survey(&self) -> Result<super::Survey> {
        self.guard()?;
        super::survey::survey(&self.store, self.store.repo.reference(refs::MAIN)?)
    }

    fn guard(&self) -> Result<()> {
        let dir = &self.store.dir;
        if !dir.is_dir() {
            return Err(VaultError::Absent { dir: dir.clone() });
        }
        match self.store.repo.head_branch()? {
            Some(branch) if branch == refs::MAIN => {}
            Some(branch) => return Err(VaultError::OffLine { found: branch }),
            None => return Err(VaultError::OffLine { found: "detached".into() }),
        }
        match self.store.repo.open_operation() {
            Some(operation) => Err(VaultError::OpenOperation { operation }),
            None => Ok(()),
        }
    }

    /// Moves a lock file aside that a killed child left on a ref which only kith's children move.
    pub fn free_ref(&self, name: &str) -> Result<()> {
        journal::set_stale_lock_aside(&self.store, name)
    }

    pub(super) fn refresh_only(&self, landing: &Landing, index: Option<IndexCache>) -> Result<()> {
        land::refresh(&self.store, landing, &landing.stats, index)
    }
}

impl Door<'_> {
    /// The vault.
    pub fn vault(&self) -> &Vault {
        self.vault
    }

    /// The live line.
    pub fn head(&self) -> Result<Option<Oid>> {
        Ok(self.vault.store.repo.reference(refs::MAIN)?)
    }

    /// Lands what an engine built.
    ///
    /// # Errors
    /// [`GitError::Moved`] when a ref was moved by another process: nothing happened, start over.
    pub fn land(&mut self, landing: &Landing) -> Result<Landed> {
        let index = self.vault.store.repo.index_cache();
        self.land_with(landing, index)
    }

    pub(super) fn land_with(
        &mut self,
        landing: &Landing,
        index: Option<IndexCache>,
    ) -> Result<Landed> {
        land::land(&self.vault.store, landing, index, self.vault.now())
    }

    pub(super) fn contended(&self) -> VaultError {
        VaultError::Busy {
            what: "the live line (other processes keep moving it)".into(),
            lock: self.vault.store.repo.lock_file(refs::MAIN),
        }
    }

    /// Captures, then changes notes by a function of the live line's tree, as one commit. `None`
    /// when the function changes nothing.
    ///
    /// # Errors
    /// [`VaultError::Refused`] when a name or text does not pass the gates: nothing is changed.
    pub fn change(
        &mut self,
        message: &Message,
        mut edit: impl FnMut(&Repo, Option<Oid>) -> Result<Vec<Note>>,
    ) -> Result<(Captured, Option<Oid>)> {
        for _ in 0..50 {
            let captured = self.capture(CaptureOptions::default())?;
            match self.change_once(message, &captured, &mut edit) {
                Err(VaultError::Git(GitError::Moved { .. })) => {}
                other => return other.map(|commit| (captured, commit)),
            }
        }
        Err(self.contended())
    }

    fn change_once(
        &mut self,
        message: &Message,
        captured: &Captured,
        edit: &mut impl FnMut(&Repo, Option<Oid>) -> Result<Vec<Note>>,
    ) -> Result<Option<Oid>> {
        let store = &self.vault.store;
        let tree = store.repo.tree_of(captured.head)?;
        let mut changes = TreeChanges::new();
        let mut changed = Vec::new();
        for note in edit(&store.repo, tree)? {
            let path = note.path.clone().into_bytes();
            let old = store.repo.leaf(tree, &path)?;
            let new = match note.text {
                None => None,
                Some(text) => Some(self.write_note(&path, &text, old)?),
            };
            if captured.unsettled.contains(&path) {
                return Err(VaultError::Unsettled { path: guard::show(&path) });
            }
            if old != new {
                changes.insert(path.clone(), new);
                changed.push(Changed { path, old, new });
            }
        }
        if changes.is_empty() {
            return Ok(None);
        }
        let tree = store.repo.splice(tree, &changes)?;
        let commit = self.vault.record(tree, captured.head, &message.text())?;
        let mut landing = Landing {
            refs: vec![RefMove::new(refs::MAIN, captured.head, Some(commit))],
            files: file_changes(&changed),
            changed,
            ..Landing::default()
        };
        landing.refs.extend(self.unpark(&changes)?);
        self.land(&landing)?;
        Ok(Some(commit))
    }

    /// A person's own change of a path ends its waiting: what they asked for by a command goes.
    fn unpark(&self, changes: &TreeChanges) -> Result<Option<RefMove>> {
        let store = &self.vault.store;
        let Some(table) = store.repo.reference(refs::PARKED)? else { return Ok(None) };
        let mut free = TreeChanges::new();
        for path in changes.keys() {
            if store.repo.leaf(Some(table), path)?.is_some() {
                free.insert(path.clone(), None);
            }
        }
        if free.is_empty() {
            return Ok(None);
        }
        super::parked::table_move(store, Some(table), &free).map(Some)
    }

    fn write_note(&self, path: &[u8], text: &[u8], old: Option<Leaf>) -> Result<Leaf> {
        let store = &self.vault.store;
        if let Some(reason) = refusal(store.kind, path, text, old.is_none()) {
            return Err(VaultError::Refused { path: guard::show(path), reason });
        }
        let id = store.repo.write_blob(text)?;
        Ok(Leaf { mode: old.map_or(0o100_644, |l| l.mode), id })
    }
}
