//! The body of a note or index: aligned by lines, resolved by units.

use crate::memory::lines::{self, Interner};

use super::align::{self, Segment};
use super::doc::{Doc, From};
use super::index::{self, Entries};
use super::output::{Claim, Docs, Output};
use super::unit::Level;
use super::units::Resolver;
use super::{Draft, dedupe};

/// How a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Markdown.
    Note,
    /// Markdown with entries that are known by their target.
    Index,
    /// Lines of bytes.
    Raw,
}

/// Merges base, first and second and appends the result to the draft.
pub(super) fn merge(texts: [&[u8]; 3], mode: Mode, draft: &mut Draft) {
    let [base, first, second] = texts;
    if first == second || second == base {
        draft.text.extend_from_slice(first);
        return;
    }
    if first == base {
        draft.text.extend_from_slice(second);
        return;
    }
    let mut split = texts.map(lines::split);
    let entries = match mode {
        Mode::Index => index::settle(&mut split, draft),
        Mode::Note | Mode::Raw => Entries::default(),
    };
    let mut interner = Interner::default();
    let [base, first, second] = split.map(|l| {
        let ids = interner.ids(&l);
        Doc::new(l, ids, mode == Mode::Raw)
    });
    let docs = Docs { base, first, second };
    let mut out = Output::new(&docs);
    align_and_resolve(&docs, &mut out, draft);
    draft.edit_beat_delete |= dedupe::run(&mut out, interner.len(), &entries, mode == Mode::Raw);
    let text = out.render();
    draft.text.extend_from_slice(&text);
}

fn align_and_resolve<'d, 'a>(docs: &'d Docs<'a>, out: &mut Output<'d, 'a>, draft: &mut Draft) {
    let to_first = align::matches(&docs.base.ids, &docs.first.ids);
    let to_second = align::matches(&docs.base.ids, &docs.second.ids);
    let lengths = [docs.base.ids.len(), docs.first.ids.len(), docs.second.ids.len()];
    let stretches = align::segments(lengths, &to_first, &to_second);
    let stretches = align::widen(
        stretches,
        |s| contested(docs, s),
        |[b, f, s]| docs.base.may_cut(b) && docs.first.may_cut(f) && docs.second.may_cut(s),
    );
    let mut resolved = false;
    for s in stretches {
        let start = [s.base.start, s.first.start, s.second.start].map(Some);
        let fresh = resolved && !s.base.is_empty() && s.stable && !out.follows(start);
        if fresh && docs.base.is_blank(s.base.start) {
            out.unpart();
        } else if fresh {
            out.part(start);
        }
        resolved = false;
        if s.stable {
            for n in 0..s.base.len() {
                out.push_stable(s.base.start + n, s.first.start + n, s.second.start + n);
            }
        } else if contested(docs, &s) {
            let inside = docs.first.inside(&s.first) && docs.second.inside(&s.second);
            let level = if inside && s.base.is_empty() { Level::Lines } else { Level::Units };
            Resolver::new(docs, out, draft).stretch(level, s);
            resolved = true;
        } else {
            take_changed(docs, out, &s);
        }
    }
}

/// Whether both sides changed the stretch, and not to the same.
fn contested(docs: &Docs<'_>, s: &Segment) -> bool {
    let base = &docs.base.ids[s.base.clone()];
    let first = &docs.first.ids[s.first.clone()];
    let second = &docs.second.ids[s.second.clone()];
    first != base && second != base && first != second
}

/// Takes a stretch that one side changed, or both to the same.
pub(super) fn take_changed(docs: &Docs<'_>, out: &mut Output<'_, '_>, s: &Segment) {
    let base = &docs.base.ids[s.base.clone()];
    let first = &docs.first.ids[s.first.clone()];
    let second = &docs.second.ids[s.second.clone()];
    if first == second {
        for (f, n) in s.first.clone().zip(s.second.clone()) {
            out.push([None, Some(f), Some(n)], Claim::Added);
        }
        return;
    }
    let from = if first == base { From::Second } else { From::First };
    match from {
        From::Second | From::Base => {
            s.second.clone().for_each(|n| out.push([None, None, Some(n)], Claim::Added));
        }
        From::First => s.first.clone().for_each(|n| out.push([None, Some(n), None], Claim::Added)),
    }
}
