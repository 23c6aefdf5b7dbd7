//! Repetitions taken out again: what both sides added in different places, and what one side
//! moved while the other deleted it.

use std::collections::HashMap;

use crate::memory::blocks::Kind;

use super::index::Entries;
use super::output::{Claim, OutLine, Output};

/// How often something stands in base, first and second.
type Counts = [usize; 3];

/// Drops added lines that the result should not have.
pub(super) fn run(out: &mut Output<'_, '_>, ids: usize, entries: &Entries<'_>) {
    let lines = line_counts(out, ids);
    let mut drop = vec![false; out.lines.len()];
    repeated_units(out, &mut drop);
    for (n, line) in out.lines.iter().enumerate() {
        drop[n] |= line.claim == Claim::Added && was_deleted(out, line, &lines);
    }
    repeated_text(out, &lines, &mut drop);
    if overlap(&lines) {
        repeated_lines(out, &lines, &mut drop);
    }
    repeated_entries(out, &lines, entries, &mut drop);
    if drop.contains(&true) {
        remove(out, &drop);
    }
}

fn line_counts(out: &Output<'_, '_>, ids: usize) -> Vec<Counts> {
    let mut counts = vec![[0; 3]; ids];
    for (side, doc) in [&out.docs.base, &out.docs.first, &out.docs.second].iter().enumerate() {
        for id in &doc.ids {
            counts[*id as usize][side] += 1;
        }
    }
    counts
}

/// How often it may stand in the result.
fn allowed([base, first, second]: Counts) -> usize {
    if first >= base && second >= base {
        first.max(second)
    } else if first <= base && second <= base {
        first.min(second)
    } else {
        (first + second).saturating_sub(base)
    }
}

/// Whether one side deleted this line and the other only moved it.
fn was_deleted(out: &Output<'_, '_>, line: &OutLine, counts: &[Counts]) -> bool {
    let Some((doc, n)) = out.docs.place(line) else { return false };
    if doc.kind_at(n).is_atomic() || doc.letters(n..n + 1, 1) == 0 {
        return false;
    }
    let [base, first, second] = counts[doc.ids[n] as usize];
    base > 0 && ((second == 0 && first <= base) || (first == 0 && second <= base))
}

/// A whole block in the result: its lines there.
#[derive(Debug, Clone, Copy)]
struct Found {
    from: usize,
    to: usize,
    kind: Kind,
    added: bool,
}

/// The whole blocks of the result that say something, by their lines.
fn blocks_of<'o>(out: &'o Output<'_, '_>) -> Vec<(&'o [u32], Found)> {
    let docs = out.docs;
    let mut all = Vec::new();
    let mut n = 0;
    while n < out.lines.len() {
        let Some((doc, at)) = docs.place(&out.lines[n]) else {
            n += 1;
            continue;
        };
        let block = &doc.blocks[doc.block_of[at]];
        let len = block.lines.len();
        let same = |k: usize| {
            docs.place(&out.lines[n + k]).is_some_and(|(d, m)| d.ids[m] == doc.ids[at + k])
        };
        let whole = block.lines.start == at && n + len <= out.lines.len() && (1..len).all(same);
        if !whole {
            n += 1;
            continue;
        }
        if doc.says_something(block) {
            let added = out.lines[n..n + len].iter().all(|l| l.claim != Claim::Kept);
            let found = Found { from: n, to: n + len, kind: block.kind, added };
            all.push((&doc.ids[block.lines.clone()], found));
        }
        n += len;
    }
    all
}

/// Marks whole blocks that both sides added in different places, but for the earliest. The text
/// under a repeated heading goes under the one that stays.
fn repeated_units(out: &mut Output<'_, '_>, drop: &mut [bool]) {
    let docs = out.docs;
    let mut counts: HashMap<&[u32], Counts> = HashMap::new();
    for (side, doc) in [&docs.base, &docs.first, &docs.second].iter().enumerate() {
        for block in doc.blocks.iter().filter(|b| b.kind != Kind::Blank) {
            counts.entry(&doc.ids[block.lines.clone()]).or_default()[side] += 1;
        }
    }
    let all = blocks_of(out);
    let mut kept: HashMap<&[u32], usize> = HashMap::new();
    for (key, _) in all.iter().filter(|(_, found)| !found.added) {
        *kept.entry(key).or_default() += 1;
    }
    let mut first: HashMap<&[u32], usize> = HashMap::new();
    let mut moves: Vec<(usize, Found)> = Vec::new();
    for (key, found) in &all {
        let earliest = *first.entry(key).or_insert(found.from);
        if !found.added {
            continue;
        }
        let seen = kept.entry(key).or_default();
        *seen += 1;
        if *seen <= counts.get(key).map_or(1, |c| allowed(*c)) {
            continue;
        }
        *seen -= 1;
        if found.kind != Kind::Heading {
            drop[found.from..found.to].fill(true);
        } else if earliest < found.from {
            moves.push((earliest, *found));
        }
    }
    join_sections(out, drop, &moves);
}

/// Marks what a side brought in when all its lines stand elsewhere already, as it happens when a
/// result is merged again with what went into it and its lines lie in other blocks by now.
fn repeated_text(out: &Output<'_, '_>, counts: &[Counts], drop: &mut [bool]) {
    let docs = out.docs;
    let id_of = |n: usize| docs.place(&out.lines[n]).map(|(doc, at)| doc.ids[at] as usize);
    let mut standing = vec![0usize; counts.len()];
    for id in (0..out.lines.len()).filter(|n| !drop[*n]).filter_map(id_of) {
        standing[id] += 1;
    }
    let mut end = out.lines.len();
    while end > 0 {
        let last = end - 1;
        let Some((doc, at)) = docs.place(&out.lines[last]) else {
            end = last;
            continue;
        };
        let block = doc.block_of[at];
        let joins = |n: usize| {
            let place = docs.place(&out.lines[n]).filter(|_| out.lines[n].claim != Claim::Kept);
            place.is_some_and(|(d, m)| std::ptr::eq(d, doc) && d.block_of[m] == block)
        };
        let from = (0..last).rev().take_while(|n| joins(*n)).last().unwrap_or(last);
        let run = from..end;
        end = from;
        let block = &doc.blocks[block];
        let movable = run.clone().all(|n| out.lines[n].claim != Claim::Kept);
        if !movable || block.kind.is_atomic() || !doc.says_something(block) {
            continue;
        }
        let left: Vec<usize> = run.clone().filter(|n| !drop[*n]).filter_map(id_of).collect();
        if left.iter().all(|id| standing[*id] > allowed(counts[*id])) {
            left.iter().for_each(|id| standing[*id] -= 1);
            drop[run].fill(true);
        }
    }
}

/// Whether most of what one side added is what the other added too, so that they are no
/// independent edits: one has the other in it, or both have a third.
fn overlap(counts: &[Counts]) -> bool {
    let added = |side: usize| counts.iter().filter(move |c| c[side] > c[0]);
    let shared = added(1).filter(|c| c[2] > c[0]).count();
    2 * shared > added(1).count().min(added(2).count())
}

/// Marks single lines beyond what either side has, but for the earliest. Too strict for
/// independent edits, where two lists may well hold the same short line.
fn repeated_lines(out: &Output<'_, '_>, counts: &[Counts], drop: &mut [bool]) {
    let docs = out.docs;
    let line = |n: usize| {
        let (doc, at) = docs.place(&out.lines[n])?;
        let counted = !doc.kind_at(at).is_atomic() && doc.letters(at..at + 1, 1) > 0;
        counted.then_some(doc.ids[at] as usize)
    };
    let mut standing = vec![0usize; counts.len()];
    let (kept, brought): (Vec<usize>, Vec<usize>) = (0..out.lines.len())
        .filter(|n| !drop[*n])
        .partition(|n| out.lines[*n].claim == Claim::Kept);
    kept.into_iter().filter_map(line).for_each(|id| standing[id] += 1);
    for n in brought {
        let Some(id) = line(n) else { continue };
        if standing[id] >= allowed(counts[id]) {
            drop[n] = true;
        } else {
            standing[id] += 1;
        }
    }
}

/// Takes out repeated headings, moving what a side added under each to the section that stays.
fn join_sections(out: &mut Output<'_, '_>, drop: &mut [bool], moves: &[(usize, Found)]) {
    let docs = out.docs;
    let is_heading =
        |line: &OutLine| docs.place(line).is_some_and(|(doc, n)| doc.kind_at(n) == Kind::Heading);
    // Where each moved line goes; every other line stays in its place.
    let mut place: Vec<usize> = (0..out.lines.len()).collect();
    let ends: Vec<usize> = section_ends(&out.lines, is_heading);
    for (earliest, found) in moves {
        let end = ends[found.from];
        let (target, section) = (ends[*earliest], found.to..end);
        let adjoins = target == found.from;
        let free = section.clone().all(|n| out.lines[n].claim != Claim::Kept);
        if adjoins {
            drop[found.from] = true;
        } else if free {
            drop[found.from] = true;
            section.for_each(|n| place[n] = target - 1);
        }
    }
    let mut order: Vec<usize> = (0..out.lines.len()).collect();
    order.sort_by_key(|n| (place[*n], *n));
    let lines = order.iter().map(|n| out.lines[*n]).collect();
    let marks: Vec<bool> = order.iter().map(|n| drop[*n]).collect();
    out.lines = lines;
    drop.copy_from_slice(&marks);
}

/// For each line, where the next heading after it stands, or the end.
fn section_ends(lines: &[OutLine], is_heading: impl Fn(&OutLine) -> bool) -> Vec<usize> {
    let mut ends = vec![lines.len(); lines.len()];
    let mut next = lines.len();
    for n in (0..lines.len()).rev() {
        ends[n] = next;
        if is_heading(&lines[n]) {
            next = n;
        }
    }
    ends
}

/// Marks index lines that would name a target more often than a side does.
fn repeated_entries(
    out: &Output<'_, '_>,
    counts: &[Counts],
    entries: &Entries<'_>,
    drop: &mut [bool],
) {
    if entries.is_empty() {
        return;
    }
    let mut seen: HashMap<u32, usize> = HashMap::new();
    let of_entry = |line: &OutLine| {
        let (doc, n) = out.docs.place(line)?;
        entries.contains(doc.lines[n].text).then_some(doc.ids[n])
    };
    let kept =
        out.lines.iter().zip(drop.iter()).filter(|(l, gone)| l.claim == Claim::Kept && !**gone);
    for id in kept.filter_map(|(line, _)| of_entry(line)) {
        *seen.entry(id).or_default() += 1;
    }
    for (line, gone) in out.lines.iter().zip(drop.iter_mut()) {
        if let Some(id) = of_entry(line).filter(|_| line.claim != Claim::Kept && !*gone) {
            let seen = seen.entry(id).or_default();
            *seen += 1;
            *gone = *seen > allowed(counts[id as usize]);
        }
    }
}

/// Takes the marked lines out, and added blank lines that would then stand twice.
fn remove(out: &mut Output<'_, '_>, drop: &[bool]) {
    let docs = out.docs;
    let mut kept: Vec<OutLine> = Vec::with_capacity(out.lines.len());
    let mut dropped = false;
    for (line, gone) in out.lines.iter().zip(drop) {
        if *gone {
            dropped = true;
            continue;
        }
        let blank = docs.is_blank(line);
        let after_blank = kept.last().is_none_or(|l| docs.is_blank(l));
        if dropped && blank && line.claim == Claim::Added && after_blank {
            continue;
        }
        dropped &= blank;
        kept.push(*line);
    }
    out.lines = kept;
}
