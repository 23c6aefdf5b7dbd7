//! Stale writers: an agent that had read a note before an apply and writes it whole afterwards
//! would undo what the apply brought. Each apply leaves the versions before and after; a captured
//! text that misses everything the apply brought is an edit of the version before.

use super::state::{load, save};
use super::{FileChange, Result, Store};
use crate::git::Oid;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// How many applies are remembered for one path; a writer that is older than that is not known.
const PER_PATH: usize = 4;
/// How many paths are remembered; the least recently applied go first.
const PATHS: usize = 4_000;
/// How long a writer is taken to hold an old version: 3 days, longer than a session lasts.
const MAX_AGE_SECONDS: i64 = 3 * 24 * 3600;

#[derive(Clone, Serialize, Deserialize)]
struct Row {
    before: String,
    after: String,
    at: i64,
}

/// The remembered applies of a store.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Applies(BTreeMap<String, Vec<Row>>);

impl Applies {
    pub(super) fn read(store: &Store) -> Result<Applies> {
        load(&store.state_file("applied.json"))
    }

    fn write(&self, store: &Store) -> Result<()> {
        save(&store.state_file("applied.json"), self)
    }

    /// The version that a live text was written from, if it misses all that some apply brought.
    pub(super) fn known_version(
        &self,
        store: &Store,
        path: &str,
        live: &[u8],
    ) -> Result<Option<Oid>> {
        for row in self.0.get(path).into_iter().flatten() {
            let (Some(before), Some(after)) = (Oid::parse(&row.before), Oid::parse(&row.after))
            else {
                continue;
            };
            if misses_all(&store.repo.blob(before)?, &store.repo.blob(after)?, live) {
                return Ok(Some(before));
            }
        }
        Ok(None)
    }
}

/// Remembers what an apply changed; the paths of `forget` forget theirs, so that a person who takes
/// a line out twice, or chooses between two texts, is believed.
pub(super) fn record(
    store: &Store,
    files: &[FileChange],
    forget: &[String],
    now: i64,
) -> Result<()> {
    if files.iter().all(|f| f.before.is_none()) && forget.is_empty() {
        return Ok(());
    }
    let mut applies = Applies::read(store)?;
    for f in files {
        if let (Some(before), Some(after)) = (f.before, f.after) {
            let rows = applies.0.entry(f.path.clone()).or_default();
            rows.push(Row { before: before.to_string(), after: after.id.to_string(), at: now });
            let extra = rows.len().saturating_sub(PER_PATH);
            rows.drain(..extra);
        }
    }
    for path in forget {
        applies.0.remove(path);
    }
    for rows in applies.0.values_mut() {
        rows.retain(|row| now - row.at < MAX_AGE_SECONDS);
    }
    applies.0.retain(|_, rows| !rows.is_empty());
    while applies.0.len() > PATHS {
        let oldest = applies
            .0
            .iter()
            .min_by_key(|(_, rows)| rows.last().map_or(0, |row| row.at))
            .map(|(path, _)| path.clone());
        oldest.map(|path| applies.0.remove(&path));
    }
    applies.write(store)
}

fn lines(text: &[u8]) -> HashSet<&[u8]> {
    text.split(|b| *b == b'\n').map(<[u8]>::trim_ascii).filter(|l| !l.is_empty()).collect()
}

/// Whether `live` has none of the lines that came with `after`; where only lines went, whether it
/// has them all again.
fn misses_all(before: &[u8], after: &[u8], live: &[u8]) -> bool {
    let (before, after, live) = (lines(before), lines(after), lines(live));
    let mut brought = after.difference(&before).peekable();
    let mut taken = before.difference(&after).peekable();
    match (brought.peek().is_some(), taken.peek().is_some()) {
        (true, _) => brought.all(|line| !live.contains(line)),
        (false, true) => taken.all(|line| live.contains(line)),
        (false, false) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::misses_all;

    #[test]
    fn a_text_without_the_line_that_came_is_stale() {
        assert!(misses_all(b"a\nb\n", b"a\nT\nb\n", b"a\nb\nmine\n"));
    }

    #[test]
    fn a_text_with_the_line_that_came_is_not_stale() {
        assert!(!misses_all(b"a\nb\n", b"a\nT\nb\n", b"a\nT\nb\nmine\n"));
    }

    #[test]
    fn a_text_that_has_a_removed_line_again_is_stale() {
        assert!(misses_all(b"a\nb\nc\n", b"a\nc\n", b"a\nb\nc\nmine\n"));
        assert!(!misses_all(b"a\nb\nc\n", b"a\nc\n", b"a\nc\nmine\n"));
    }
}
