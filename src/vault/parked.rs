//! The parked table: changes of the live line that wait for a person before they go to the team
//! (deletions found by capture, notes emptied or halved), each bound to the remote entry it was
//! made against.

use super::survey::Dirty;
use super::{Result, Store, refs};
use crate::git::{Oid, RefMove, TreeChanges};

/// Below this many bytes a note that shrinks by half is everyday editing, not a loss: 400 (kith's
/// own choice, about five lines).
const HALVED_MIN_BYTES: u64 = 400;

/// How the parked table changes with a capture; `None` when it does not.
pub(super) fn update(store: &Store, dirty: &[Dirty]) -> Result<Option<RefMove>> {
    let base = store.repo.reference(refs::BASE)?;
    let old = store.repo.reference(refs::PARKED)?;
    let mut changes = TreeChanges::new();
    for d in dirty {
        let entry = store.repo.leaf(base, &d.path)?;
        let waits = match (&entry, &d.live) {
            (None, _) => None,
            (Some(base), None) => Some(*base),
            (Some(base), Some((bytes, _, _))) => {
                let was = store.repo.blob_size(base.id)?;
                let halved = was >= HALVED_MIN_BYTES && (bytes.len() as u64) * 2 < was;
                (halved || (bytes.is_empty() && was > 0)).then_some(*base)
            }
        };
        if store.repo.leaf(old, &d.path)? != waits {
            changes.insert(d.path.clone(), waits);
        }
    }
    if changes.is_empty() {
        return Ok(None);
    }
    table_move(store, old, &changes).map(Some)
}

/// The move of the parked table by these changes.
pub(super) fn table_move(
    store: &Store,
    old: Option<Oid>,
    changes: &TreeChanges,
) -> Result<RefMove> {
    let new = store.repo.splice(old, changes)?;
    Ok(RefMove::new(refs::PARKED, old, Some(new)))
}
