//! A stretch that both sides changed, resolved unit by unit.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::memory::blocks::Kind;

use super::Draft;
use super::align::{self, Segment};
use super::doc::{Doc, From};
use super::output::{Claim, Docs, Output};
use super::union::{self, Pick};
use super::unit::{Fate, Level, Unit, fate, gap, index_of};
use super::{body, pairs};

/// Resolves stretches into an output.
pub(super) struct Resolver<'r, 'd, 'a> {
    docs: &'d Docs<'a>,
    out: &'r mut Output<'d, 'a>,
    draft: &'r mut Draft,
    keys: HashMap<Vec<u32>, usize>,
    /// How many units of each key the first and the second side have brought in so far.
    brought: HashMap<usize, [usize; 2]>,
}

impl<'r, 'd, 'a> Resolver<'r, 'd, 'a> {
    pub(super) fn new(
        docs: &'d Docs<'a>,
        out: &'r mut Output<'d, 'a>,
        draft: &'r mut Draft,
    ) -> Self {
        Self { docs, out, draft, keys: HashMap::new(), brought: HashMap::new() }
    }

    /// Resolves one stretch.
    pub(super) fn stretch(&mut self, level: Level, s: Segment) {
        let base = self.units(From::Base, s.base, level);
        let first = self.units(From::First, s.first, level);
        let second = self.units(From::Second, s.second, level);
        let docs = self.docs;
        let keys = |units: &[Unit]| units.iter().map(|u| u.key).collect::<HashSet<_>>();
        let twins = &keys(&first) & &keys(&second);
        let old = (&docs.base, base.as_slice());
        let to_first = pairs::follow(level, old, (&docs.first, &first), &twins);
        let to_second = pairs::follow(level, old, (&docs.second, &second), &twins);
        let (mut f, mut n) = (0, 0);
        for (k, unit) in base.iter().enumerate() {
            let gone = to_first[k].is_none() && to_second[k].is_none();
            let (f_gap, f_next) = gap(&to_first[..=k], &to_first[k..], f, first.len());
            let (n_gap, n_next) = gap(&to_second[..=k], &to_second[k..], n, second.len());
            self.bring(level, &first[f_gap], &second[n_gap], gone);
            (f, n) = (f_next, n_next);
            let fate_f = fate(unit, to_first[k].map(|at| &first[at]));
            let fate_n = fate(unit, to_second[k].map(|at| &second[at]));
            self.settle(level, unit, fate_f, fate_n);
        }
        self.bring(level, &first[f..], &second[n..], false);
    }

    fn units(&mut self, from: From, range: Range<usize>, level: Level) -> Vec<Unit> {
        let doc = self.docs.get(from);
        let mut out: Vec<Unit> = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let kind = doc.kind_at(at);
            let end = match level {
                Level::Units => doc.blocks[doc.block_of[at]].lines.end.min(range.end),
                Level::Lines => at + 1,
            };
            let attaches = kind == Kind::Blank && level == Level::Units;
            match out.last_mut() {
                Some(last) if attaches => last.end = end,
                Some(_) | None => {
                    let ids = if kind == Kind::Blank { &[] } else { &doc.ids[at..end] };
                    let next = self.keys.len();
                    let key = *self.keys.entry(ids.to_vec()).or_insert(next);
                    out.push(Unit { from, content: at..end, end, kind, key });
                }
            }
            at = end;
        }
        out
    }

    /// Emits what the sides inserted at one place. `gone`: the base unit that stood here is on
    /// neither side any more, so that both texts replace it.
    fn bring(&mut self, level: Level, first: &[Unit], second: &[Unit], gone: bool) {
        if first.is_empty() && second.is_empty() {
            return;
        }
        let both = gone && union::differ(first, second);
        if both && let Some(unit) = first.iter().chain(second).find(|u| u.kind != Kind::Blank) {
            self.contest(&unit.clone());
        }
        for pick in union::union(self.docs, level, first, second) {
            self.emit_added(level, &pick);
        }
    }

    /// Emits an inserted unit, unless the other side has brought the same already.
    fn emit_added(&mut self, level: Level, pick: &Pick<'_>) {
        let unit = pick.unit;
        let says = self.says_something(level, unit);
        let mine = usize::from(unit.from == From::Second);
        let brought = self.brought.entry(unit.key).or_default();
        brought[mine] += 1;
        if pick.twin.is_some() {
            brought[1 - mine] += 1;
        } else if says && brought[mine] <= brought[1 - mine] {
            return;
        }
        self.emit(level, unit, pick.twin, Claim::Added);
    }

    fn says_something(&self, level: Level, unit: &Unit) -> bool {
        let doc = self.docs.get(unit.from);
        match level {
            Level::Units => doc.says_something(&doc.blocks[doc.block_of[unit.content.start]]),
            Level::Lines => doc.letters(unit.content.clone(), 1) > 0,
        }
    }

    /// Emits a unit with the blank lines after it.
    fn emit(&mut self, level: Level, unit: &Unit, twin: Option<&Unit>, claim: Claim) {
        let place = |n: usize| {
            let mut at = [None; 3];
            at[index_of(unit.from)] = Some(unit.content.start + n);
            if let Some(twin) = twin {
                let line = twin.content.start + n;
                at[index_of(twin.from)] = (line < twin.end).then_some(line);
            }
            at
        };
        let start = place(0);
        if unit.kind == Kind::Blank && level == Level::Units {
            if !self.out.ends_blank() || self.out.follows(start) {
                (0..unit.content.len()).for_each(|n| self.out.push(place(n), claim));
            }
            return;
        }
        if level == Level::Units {
            self.out.part(start);
        }
        (0..unit.content.len()).for_each(|n| self.out.push(place(n), claim));
        (unit.content.len()..unit.end - unit.content.start)
            .for_each(|n| self.out.push(place(n), claim));
    }

    /// Decides what becomes of one base unit.
    fn settle(&mut self, level: Level, base: &Unit, first: Fate<'_>, second: Fate<'_>) {
        match (first, second) {
            (Fate::Same(f), Fate::Same(s)) => self.emit_kept(level, base, f, s),
            (Fate::Same(_), Fate::Edited(s)) => self.emit(level, s, None, Claim::Added),
            (Fate::Edited(f), Fate::Same(_)) => self.emit(level, f, None, Claim::Added),
            (Fate::Deleted, Fate::Edited(u)) | (Fate::Edited(u), Fate::Deleted) => {
                if u.kind != Kind::Blank {
                    self.draft.edit_beat_delete = true;
                }
                self.emit(level, u, None, Claim::Edited);
            }
            (Fate::Edited(f), Fate::Edited(s)) if f.key == s.key => {
                self.emit(level, f, Some(s), Claim::Edited);
            }
            (Fate::Edited(f), Fate::Edited(s)) => self.both_edited(level, base, f, s),
            (Fate::Deleted, Fate::Deleted | Fate::Same(_)) | (Fate::Same(_), Fate::Deleted) => {}
        }
    }

    /// A unit that neither side touched; of the blank lines after it, the changed ones.
    fn emit_kept(&mut self, level: Level, base: &Unit, first: &Unit, second: &Unit) {
        let blanks = |u: &Unit| u.end - u.content.start;
        let (unit, twin) =
            if blanks(first) == blanks(base) { (second, first) } else { (first, second) };
        self.emit(level, unit, Some(twin), Claim::Kept);
    }

    /// Two edits of one unit: joined where they touch different lines, else both kept.
    fn both_edited(&mut self, level: Level, base: &Unit, first: &Unit, second: &Unit) {
        let lines = [base, first, second].map(|u| u.content.len());
        let many = level == Level::Units && lines.iter().any(|n| *n > 1);
        let s = Segment {
            stable: false,
            base: base.content.clone(),
            first: first.content.clone(),
            second: second.content.clone(),
        };
        if many && self.joined(base, first, second, s) {
            return;
        }
        self.contest(first);
        self.emit(level, first, None, Claim::Edited);
        self.emit(level, second, None, Claim::Edited);
    }

    /// Joins two edits of one unit line by line. A unit that must stay whole is joined only where
    /// nothing in it contradicts; says whether it is done.
    fn joined(&mut self, base: &Unit, first: &Unit, second: &Unit, s: Segment) -> bool {
        let (length, named) = (self.out.lines.len(), self.draft.contested.len());
        let (clashes, edited) = (self.draft.clashes, self.draft.edit_beat_delete);
        let atomic = [base, first, second].iter().any(|u| u.kind.is_atomic());
        self.out.part([None, Some(s.first.start), Some(s.second.start)]);
        self.lines(s);
        if atomic && (self.draft.clashes > clashes || self.repeats(length, first, second)) {
            self.out.lines.truncate(length);
            self.draft.uncontest(named);
            self.draft.edit_beat_delete = edited;
            return false;
        }
        let blanks = |u: &Unit| u.end - u.content.end;
        let unit = if blanks(first) == blanks(base) { second } else { first };
        for n in unit.content.end..unit.end {
            let mut at = [None; 3];
            at[index_of(unit.from)] = Some(n);
            self.out.push(at, Claim::Edited);
        }
        true
    }

    /// Whether the lines from `start` on hold one more often than both edits of a unit do.
    fn repeats(&self, start: usize, first: &Unit, second: &Unit) -> bool {
        let docs = self.docs;
        let mut left: HashMap<u32, [usize; 2]> = HashMap::new();
        for (side, (doc, unit)) in [(&docs.first, first), (&docs.second, second)].iter().enumerate()
        {
            for id in &doc.ids[unit.content.clone()] {
                left.entry(*id).or_default()[side] += 1;
            }
        }
        let placed = self.out.lines[start..].iter().filter_map(|line| docs.place(line));
        let mut seen: HashMap<u32, usize> = HashMap::new();
        for id in placed.filter(|(doc, n)| !doc.is_blank(*n)).map(|(doc, n)| doc.ids[n]) {
            *seen.entry(id).or_default() += 1;
        }
        seen.iter().any(|(id, n)| left.get(id).is_none_or(|[f, s]| n > f.max(s)))
    }

    /// Merges the lines of one unit.
    fn lines(&mut self, s: Segment) {
        let stretches = self.line_segments(&s);
        for part in stretches {
            if part.stable {
                for n in 0..part.base.len() {
                    let [b, f, s] = [&part.base, &part.first, &part.second].map(|r| r.start + n);
                    self.out.push_stable(b, f, s);
                }
            } else if self.is_contested(&part) {
                let brought = std::mem::take(&mut self.brought);
                self.stretch(Level::Lines, part);
                self.brought = brought;
            } else {
                body::take_changed(self.docs, self.out, &part);
            }
        }
    }

    fn is_contested(&self, s: &Segment) -> bool {
        let ids = |doc: &'d Doc<'a>, r: &Range<usize>| &doc.ids[r.clone()];
        let base = ids(&self.docs.base, &s.base);
        let first = ids(&self.docs.first, &s.first);
        let second = ids(&self.docs.second, &s.second);
        first != base && second != base && first != second
    }

    fn line_segments(&self, s: &Segment) -> Vec<Segment> {
        let docs = self.docs;
        let base = &docs.base.ids[s.base.clone()];
        let first = &docs.first.ids[s.first.clone()];
        let second = &docs.second.ids[s.second.clone()];
        let lengths = [base.len(), first.len(), second.len()];
        let (to_first, to_second) = (align::matches(base, first), align::matches(base, second));
        let shift = |r: Range<usize>, by: usize| r.start + by..r.end + by;
        align::segments(lengths, &to_first, &to_second)
            .into_iter()
            .map(|part| Segment {
                stable: part.stable,
                base: shift(part.base, s.base.start),
                first: shift(part.first, s.first.start),
                second: shift(part.second, s.second.start),
            })
            .collect()
    }

    fn contest(&mut self, unit: &Unit) {
        let heading = self.docs.get(unit.from).heading_over(unit.content.start);
        self.draft.contest(heading.unwrap_or_else(|| "text".to_owned()));
    }
}
