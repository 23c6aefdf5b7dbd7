//! Units: the parts of a contested stretch that are followed from the base into both sides.

use std::ops::Range;

use crate::memory::blocks::Kind;

use super::doc::From;

/// What counts as one unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// A block with the blank lines after it.
    Units,
    /// A single line, inside a block that both sides edited.
    Lines,
}

/// A unit of one text.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    pub(super) from: From,
    /// Its lines without blank ones at the end; for a blank unit, its blank lines.
    pub(super) content: Range<usize>,
    /// The end of the blank lines that follow it.
    pub(super) end: usize,
    pub(super) kind: Kind,
    /// Equal for units with equal content.
    pub(super) key: usize,
}

/// What became of a base unit on one side.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fate<'u> {
    Same(&'u Unit),
    Edited(&'u Unit),
    Deleted,
}

pub(super) fn index_of(from: From) -> usize {
    match from {
        From::Base => 0,
        From::First => 1,
        From::Second => 2,
    }
}

pub(super) fn fate<'u>(base: &Unit, side: Option<&'u Unit>) -> Fate<'u> {
    match side {
        None => Fate::Deleted,
        Some(unit) if unit.key == base.key => Fate::Same(unit),
        Some(unit) => Fate::Edited(unit),
    }
}

/// The units of a side that stand right before base unit `k`, and where its next ones begin.
/// `before` ends with, and `after` begins with, what became of unit `k`; `at` is the first unit
/// of the side that is not yet used.
pub(super) fn gap(
    before: &[Option<usize>],
    after: &[Option<usize>],
    at: usize,
    len: usize,
) -> (Range<usize>, usize) {
    match after.first().copied().flatten() {
        Some(there) => (at..there, there + 1),
        // What replaced deleted units stands where the first of them stood.
        None => {
            let opens = before.len() < 2 || before[before.len() - 2].is_some();
            if !opens {
                return (at..at, at);
            }
            let until = after.iter().copied().flatten().next().unwrap_or(len);
            (at..until, until)
        }
    }
}
