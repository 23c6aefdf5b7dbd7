//! Paths as they are printed: through `guard::show` always, as rows for JSON and for sentences.

use crate::guard;
use crate::team::HeldRow;
use crate::vault::{Held, PathChange};
use serde::Serialize;

/// A held path, ready to print.
pub(super) type HeldLine = HeldRow;

/// A changed path, ready to print.
#[derive(Debug, Serialize)]
pub(super) struct ChangeLine {
    pub(super) path: String,
    pub(super) change: &'static str,
}

/// Changed paths.
pub(super) fn changes(changes: &[PathChange]) -> Vec<ChangeLine> {
    let line =
        |c: &PathChange| ChangeLine { path: guard::show(&c.path), change: c.change.as_str() };
    changes.iter().map(line).collect()
}

/// Held paths.
pub(super) fn held(held: &[Held]) -> Vec<HeldLine> {
    held.iter().map(HeldRow::from).collect()
}

/// Plain paths.
pub(super) fn paths(paths: &[Vec<u8>]) -> Vec<String> {
    paths.iter().map(|p| guard::show(p)).collect()
}
