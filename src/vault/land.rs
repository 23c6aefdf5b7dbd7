//! Landing: refs in one transaction, then files, then the index, under the journal.

use super::files::{Applied, apply};
use super::gate::HeldReason;
use super::journal::Journal;
use super::{Held, Result, Store, VaultError, refs, stale};
use crate::git::{Cached, Changed, GitError, IndexCache, Leaf, Oid, RefMove, Stat};
use std::collections::HashMap;
use std::time::Duration;

/// How long a foreign lock is waited for: 2 s (the house's rule), in steps.
const LOCK_WAIT: Duration = Duration::from_secs(2);
const LOCK_STEP: Duration = Duration::from_millis(20);

/// One live file to be changed.
#[derive(Clone, Debug)]
pub struct FileChange {
    /// The path.
    pub path: String,
    /// The blob that the live file is expected to be (`None`: absent).
    pub before: Option<Oid>,
    /// What it becomes (`None`: deleted).
    pub after: Option<Leaf>,
}

/// What an engine wants to happen, all of it or nothing.
#[derive(Debug, Default)]
pub struct Landing {
    /// The refs to move, compare-and-swap.
    pub refs: Vec<RefMove>,
    /// Live files that follow.
    pub files: Vec<FileChange>,
    /// Entries of the live line that change, for the index.
    pub changed: Vec<Changed>,
    /// Stats of live files that are already what the live line says.
    pub stats: HashMap<Vec<u8>, Stat>,
    /// Paths whose applies are not remembered for stale writers: one was just merged, or a person
    /// is asked to choose between two texts and the choice must not be undone.
    pub forget: Vec<String>,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Landed {
    /// Live files that were changed.
    pub applied: usize,
    /// Live files that had been edited meanwhile; the next capture merges them.
    pub left: Vec<String>,
    /// Paths where something else stands.
    pub held: Vec<Held>,
}

/// Lands. On [`GitError::Moved`] nothing happened and the caller starts over.
pub(super) fn land(
    store: &Store,
    landing: &Landing,
    index: Option<IndexCache>,
    now: i64,
) -> Result<Landed> {
    // 1. The journal names what is about to move.
    Journal::write(store, &landing.refs, &landing.files)?;
    // 2. The refs, all or none.
    if let Err(e) = move_refs(store, &landing.refs) {
        Journal::clear(store)?;
        return Err(e);
    }
    // 3. What a stale writer may not know.
    stale::record(store, &landing.files, &landing.forget, now)?;
    // 4. The files.
    let mut landed = Landed::default();
    let mut stats = landing.stats.clone();
    for change in &landing.files {
        let path = change.path.as_bytes().to_vec();
        match apply(store, change)? {
            Applied::Done(stat) => {
                landed.applied += 1;
                stats.extend(stat.map(|s| (path, s)));
            }
            Applied::There(stat) => stats.extend(stat.map(|s| (path, s))),
            Applied::Changed => landed.left.push(change.path.clone()),
            Applied::Held(reason) => landed.held.push(Held { path, reason }),
        }
    }
    // 5. The index.
    refresh(store, landing, &stats, index)?;
    Journal::clear(store)?;
    Ok(landed)
}

fn move_refs(store: &Store, moves: &[RefMove]) -> Result<()> {
    waiting(|| store.repo.move_refs(moves, "kith"))
}

pub(super) fn refresh(
    store: &Store,
    landing: &Landing,
    stats: &HashMap<Vec<u8>, Stat>,
    index: Option<IndexCache>,
) -> Result<()> {
    let Some(tree) = store.repo.tree_of(store.repo.reference(refs::MAIN)?)? else { return Ok(()) };
    if landing.changed.is_empty() && index.is_some() {
        return Ok(());
    }
    let cached: Vec<Cached> = landing
        .changed
        .iter()
        .map(|c| Cached {
            path: c.path.clone(),
            old: c.old,
            new: c.new,
            stat: stats.get(&c.path).copied(),
        })
        .collect();
    waiting(|| store.repo.refresh_index(tree, &cached, index.as_ref()))
}

/// Runs a step again while a foreign lock is in its way, for 2 s.
fn waiting(mut step: impl FnMut() -> std::result::Result<(), GitError>) -> Result<()> {
    let mut waited = Duration::ZERO;
    loop {
        match step() {
            Err(GitError::Locked { .. }) if waited < LOCK_WAIT => {
                std::thread::sleep(LOCK_STEP);
                waited += LOCK_STEP;
            }
            Err(GitError::Locked { name, lock }) => {
                return Err(VaultError::Busy { what: name, lock });
            }
            other => return Ok(other?),
        }
    }
}

/// The live files that follow a change of the live line.
pub fn file_changes(changed: &[Changed]) -> Vec<FileChange> {
    changed
        .iter()
        .filter_map(|c| {
            let path = String::from_utf8(c.path.clone()).ok()?;
            Some(FileChange { path, before: c.old.map(|l| l.id), after: c.new })
        })
        .collect()
}

/// A held row for a path that could not be changed because something else stands there.
impl Held {
    /// A held row.
    pub fn new(path: &[u8], reason: HeldReason) -> Held {
        Held { path: path.to_vec(), reason }
    }
}
