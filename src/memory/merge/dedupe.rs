//! Repetitions taken out again: what both sides added in different places, and what one side
//! moved while the other deleted it.

use std::collections::HashMap;
use std::ops::Range;

use crate::memory::blocks::{Block, Kind};
use crate::memory::lines::Line;

use super::doc::Doc;
use super::index::Entries;
use super::output::{Claim, Docs, OutLine, Output};

/// How often something stands in base, first and second.
type Counts = [usize; 3];

/// Drops lines that the result should not have. `ids`: how many line numbers are in use. Says
/// whether something that one side deleted stays because the other moved and edited it.
pub(super) fn run(out: &mut Output<'_, '_>, ids: usize, entries: &Entries<'_>, raw: bool) -> bool {
    let mut sieve = Sieve::new(out, ids, raw);
    let moves = sieve.repeated_units();
    sieve.deleted_elsewhere();
    sieve.repeated_text();
    sieve.repeated_lines();
    let edited = sieve.keep_heads();
    sieve.repeated_entries(entries);
    let order = sieve.join_sections(&moves);
    if let Some(lines) = sieve.remaining(&order) {
        out.lines = lines;
    }
    edited
}

struct Sieve<'s, 'a> {
    docs: &'s Docs<'a>,
    lines: &'s [OutLine],
    /// The result, read as a text of its own.
    read: Doc<'a>,
    /// How often each line stands in the three texts.
    counts: Vec<Counts>,
    /// Which line numbers stand for a line with a letter or digit.
    says: Vec<bool>,
    /// How many lines before each one, and in all, the base has and no side took away.
    kept_before: Vec<usize>,
    /// Which lines go.
    drop: Vec<bool>,
}

/// A heading that stands too often.
struct Repeated {
    /// Where the first of its kind stands.
    earliest: usize,
    /// Where it stands itself.
    at: usize,
    /// Whether no side added one, so that it can only have been moved by both.
    moved: bool,
}

impl<'s, 'a> Sieve<'s, 'a> {
    fn new(out: &'s Output<'_, 'a>, ids: usize, raw: bool) -> Self {
        let docs = out.docs;
        let mut counts = vec![[0; 3]; ids + 1];
        let mut says = vec![false; ids + 1];
        for (side, doc) in [&docs.base, &docs.first, &docs.second].iter().enumerate() {
            for (n, id) in doc.ids.iter().enumerate() {
                counts[*id as usize][side] += 1;
                says[*id as usize] = doc.letters(n..n + 1, 1) > 0;
            }
        }
        // A blank line made by the merge gets a number that no other line has.
        let made = u32::try_from(ids).unwrap_or(u32::MAX);
        let (mut lines, mut numbers) = (Vec::new(), Vec::new());
        for line in &out.lines {
            let place = docs.place(line);
            let text = place.map_or(&b""[..], |(doc, n)| doc.lines[n].text);
            lines.push(Line { text, eol: line.eol });
            numbers.push(place.map_or(made, |(doc, n)| doc.ids[n]));
        }
        let drop = vec![false; lines.len()];
        let read = Doc::new(lines, numbers, raw);
        let mut kept_before = vec![0];
        for line in &out.lines {
            let kept = kept_before[kept_before.len() - 1] + usize::from(line.claim == Claim::Kept);
            kept_before.push(kept);
        }
        Self { docs, lines: &out.lines, read, counts, says, kept_before, drop }
    }

    fn id(&self, line: usize) -> usize {
        self.read.ids[line] as usize
    }

    /// Whether sides brought in all these lines.
    fn brought(&self, lines: Range<usize>) -> bool {
        self.kept_before[lines.start] == self.kept_before[lines.end]
    }

    /// Whether a line says something and may be judged alone.
    fn judged(&self, line: usize) -> bool {
        !self.read.kind_at(line).is_atomic() && self.read.letters(line..line + 1, 1) > 0
    }

    /// Marks whole blocks that both sides added in different places, but for the earliest.
    /// Returns the repeated headings, as the text under them may have to move.
    fn repeated_units(&mut self) -> Vec<Repeated> {
        let docs = self.docs;
        let read = &self.read;
        let mut counts: HashMap<&[u32], Counts> = HashMap::new();
        for (side, doc) in [&docs.base, &docs.first, &docs.second].iter().enumerate() {
            for block in doc.blocks.iter().filter(|b| b.kind != Kind::Blank) {
                counts.entry(&doc.ids[block.lines.clone()]).or_default()[side] += 1;
            }
        }
        let key = |block: &Block| &read.ids[block.lines.clone()];
        let all: Vec<&Block> = read.blocks.iter().filter(|b| read.says_something(b)).collect();
        let mut standing: HashMap<&[u32], usize> = HashMap::new();
        for block in all.iter().filter(|b| !self.brought(b.lines.clone())) {
            *standing.entry(key(block)).or_default() += 1;
        }
        let mut earliest: HashMap<&[u32], usize> = HashMap::new();
        let mut moves = Vec::new();
        let mut gone = Vec::new();
        for block in all {
            let at = block.lines.start;
            let first = *earliest.entry(key(block)).or_insert(at);
            if !self.brought(block.lines.clone()) {
                continue;
            }
            let standing = standing.entry(key(block)).or_default();
            let count = counts.get(key(block)).copied().unwrap_or([0, 1, 1]);
            if *standing < allowed(count) {
                *standing += 1;
            } else if block.kind != Kind::Heading {
                gone.push(block.lines.clone());
            } else if first < at {
                let moved = count[1] <= count[0] && count[2] <= count[0];
                moves.push(Repeated { earliest: first, at, moved });
            }
        }
        gone.into_iter().for_each(|lines| self.drop[lines].fill(true));
        moves
    }

    /// Marks lines that one side deleted while the other only moved them.
    fn deleted_elsewhere(&mut self) {
        for n in 0..self.lines.len() {
            let [base, first, second] = self.counts[self.id(n)];
            let gone = (second == 0 && first <= base) || (first == 0 && second <= base);
            let moved = base > 0 && gone && self.lines[n].claim == Claim::Added;
            self.drop[n] |= moved && self.judged(n);
        }
    }

    /// Marks what a side brought in when all its lines stand elsewhere already, as it happens
    /// when a result is merged again with what went into it and its lines lie in other blocks by
    /// now.
    fn repeated_text(&mut self) {
        let mut standing = vec![0usize; self.counts.len()];
        for n in (0..self.lines.len()).filter(|n| !self.drop[*n]) {
            standing[self.id(n)] += 1;
        }
        for block in self.read.blocks.iter().rev() {
            let lines = block.lines.clone();
            let fixed = block.kind.is_atomic() || block.kind == Kind::Heading;
            if fixed || !self.brought(lines.clone()) || !self.read.says_something(block) {
                continue;
            }
            let left: Vec<usize> =
                lines.clone().filter(|n| !self.drop[*n]).map(|n| self.id(n)).collect();
            left.iter().for_each(|id| standing[*id] -= 1);
            if left.iter().all(|id| standing[*id] >= allowed(self.counts[*id])) {
                self.drop[lines].fill(true);
            } else {
                left.iter().for_each(|id| standing[*id] += 1);
            }
        }
    }

    /// Whether most of what one side added is what the other added too, so that they are no
    /// independent edits: one has the other in it, or both have a third.
    fn overlap(&self) -> bool {
        let counts = || self.counts.iter().zip(&self.says).filter(|(_, says)| **says);
        let added = |side: usize| counts().filter(move |(c, _)| c[side] > c[0]);
        let shared = added(1).filter(|(c, _)| c[2] > c[0]).count();
        2 * shared > added(1).count().min(added(2).count())
    }

    /// Marks single lines that stand elsewhere already, beyond what either side has: those that
    /// no side added but both moved, and where the sides overlap all others too. (Two independent
    /// edits may well add the same short line to two lists.)
    fn repeated_lines(&mut self) {
        let overlap = self.overlap();
        let mut standing = vec![0usize; self.counts.len()];
        let open = (0..self.lines.len()).filter(|n| !self.drop[*n] && self.judged(*n));
        let (kept, brought): (Vec<usize>, Vec<usize>) =
            open.partition(|n| self.lines[*n].claim == Claim::Kept);
        kept.into_iter().for_each(|n| standing[self.id(n)] += 1);
        for n in brought.into_iter().filter(|n| self.read.kind_at(*n) != Kind::Heading) {
            let id = self.id(n);
            let [base, first, second] = self.counts[id];
            let moved = first <= base && second <= base;
            if standing[id] < allowed(self.counts[id]).max(1) {
                standing[id] += 1;
            } else {
                self.drop[n] = moved || overlap;
            }
        }
    }

    /// An item whose own line would go goes whole if what is nested in it stands elsewhere too,
    /// and else keeps its line. Says whether there is such a line that one side deleted.
    fn keep_heads(&mut self) -> bool {
        let mut edited = false;
        let mut standing = vec![0usize; self.counts.len()];
        for n in (0..self.lines.len()).filter(|n| !self.drop[*n]) {
            standing[self.id(n)] += 1;
        }
        for block in self.read.blocks.iter().filter(|b| b.kind == Kind::Item) {
            let (head, lines) = (block.lines.start, block.lines.clone());
            // A line that stands elsewhere must not come back.
            if !self.drop[head] || standing[self.id(head)] > 0 {
                continue;
            }
            let nested = |n: &usize| {
                matches!(self.read.lines[*n].text.first(), Some(b' ' | b'\t')) && self.judged(*n)
            };
            let left: Vec<usize> = lines.clone().filter(|n| !self.drop[*n] && nested(n)).collect();
            if left.is_empty() {
                continue;
            }
            left.iter().for_each(|n| standing[self.id(*n)] -= 1);
            if left.iter().all(|n| standing[self.id(*n)] > 0) && self.brought(lines.clone()) {
                left.iter().for_each(|n| self.drop[*n] = true);
                continue;
            }
            left.iter().for_each(|n| standing[self.id(*n)] += 1);
            self.drop[head] = false;
            standing[self.id(head)] += 1;
            let [_, first, second] = self.counts[self.id(head)];
            edited |= first == 0 || second == 0;
        }
        edited
    }

    /// Marks index lines that would name a target more often than a side does.
    fn repeated_entries(&mut self, entries: &Entries<'_>) {
        let mut standing = vec![0usize; self.counts.len()];
        let named = (0..self.lines.len())
            .filter(|n| !self.drop[*n] && entries.contains(self.read.lines[*n].text));
        let (kept, brought): (Vec<usize>, Vec<usize>) =
            named.partition(|n| self.lines[*n].claim == Claim::Kept);
        kept.into_iter().for_each(|n| standing[self.id(n)] += 1);
        for n in brought {
            let id = self.id(n);
            standing[id] += 1;
            self.drop[n] = standing[id] > allowed(self.counts[id]);
        }
    }

    /// Takes out repeated headings, moving what a side added under one of them to the end of the
    /// section of the other. Returns the order of the lines.
    fn join_sections(&mut self, moves: &[Repeated]) -> Vec<usize> {
        let mut place: Vec<usize> = (0..self.lines.len()).collect();
        let ends = self.section_ends();
        let overlap = self.overlap();
        for Repeated { earliest, at: heading, moved } in moves {
            let (first, second) = (*earliest..ends[*earliest], *heading..ends[*heading]);
            if first.end == second.start {
                self.drop[*heading] = true;
            } else if self.brought(second.clone()) {
                self.drop[*heading] = true;
                second.for_each(|n| place[n] = first.end - 1);
            } else if self.brought(first.clone()) {
                self.drop[*earliest] = true;
                first.for_each(|n| place[n] = second.end - 1);
            } else {
                // The heading goes rather than standing once more with each merge.
                self.drop[*heading] = *moved || overlap;
            }
        }
        let mut order: Vec<usize> = (0..self.lines.len()).collect();
        order.sort_by_key(|n| (place[*n], *n));
        order
    }

    /// For each line, where the next heading after it stands, or the end.
    fn section_ends(&self) -> Vec<usize> {
        let mut next = self.lines.len();
        let mut ends = vec![next; next];
        for n in (0..self.lines.len()).rev() {
            ends[n] = next;
            if self.read.kind_at(n) == Kind::Heading {
                next = n;
            }
        }
        ends
    }

    /// The lines that stay, without blank lines that would now stand twice; `None` if all do.
    fn remaining(&self, order: &[usize]) -> Option<Vec<OutLine>> {
        if !self.drop.contains(&true) {
            return None;
        }
        let mut kept: Vec<OutLine> = Vec::with_capacity(order.len());
        let mut after_gap = false;
        let mut before = None;
        for n in order {
            // Where something was taken out or put in, blank lines of both sides meet.
            after_gap |= self.drop[*n] || before.is_some_and(|b: usize| b + 1 != *n);
            before = Some(*n);
            if self.drop[*n] {
                continue;
            }
            let line = self.lines[*n];
            let blank = self.docs.is_blank(&line);
            let twice = kept.last().is_none_or(|l| self.docs.is_blank(l));
            if after_gap && blank && twice && line.claim != Claim::Kept {
                continue;
            }
            after_gap &= blank;
            kept.push(line);
        }
        Some(kept)
    }
}

/// How often something may stand in the result.
fn allowed([base, first, second]: Counts) -> usize {
    if first >= base && second >= base {
        first.max(second)
    } else if first <= base && second <= base {
        first.min(second)
    } else {
        (first + second).saturating_sub(base)
    }
}
