//! What of a text is still there in another one, and where three texts agree.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::memory::limits::EXACT_DIFF_LINES;

/// For each element of `old`, its place in `new`, if it is still there; places only grow.
///
/// Exact where that is affordable. Longer texts are cut at elements that stand once in each; what
/// is then still too long and has no such element counts as replaced.
pub(super) fn matches<T: Hash + Eq + Ord>(old: &[T], new: &[T]) -> Vec<Option<usize>> {
    let mut out = vec![None; old.len()];
    let mut open = vec![(0..old.len(), 0..new.len())];
    while let Some((mut o, mut n)) = open.pop() {
        while !o.is_empty() && !n.is_empty() && old[o.start] == new[n.start] {
            out[o.start] = Some(n.start);
            (o.start, n.start) = (o.start + 1, n.start + 1);
        }
        while !o.is_empty() && !n.is_empty() && old[o.end - 1] == new[n.end - 1] {
            (o.end, n.end) = (o.end - 1, n.end - 1);
            out[o.end] = Some(n.end);
        }
        if o.is_empty() || n.is_empty() {
            continue;
        }
        if o.len() + n.len() <= EXACT_DIFF_LINES {
            exact(&old[o.clone()], &new[n.clone()], (o.start, n.start), &mut out);
            continue;
        }
        let (mut from, mut at) = (o.start, n.start);
        let anchors = anchors(&old[o.clone()], &new[n.clone()]);
        for (a, b) in anchors.iter().map(|(a, b)| (o.start + a, n.start + b)) {
            out[a] = Some(b);
            open.push((from..a, at..b));
            (from, at) = (a + 1, b + 1);
        }
        if !anchors.is_empty() {
            open.push((from..o.end, at..n.end));
        }
    }
    out
}

fn exact<T: Hash + Eq + Ord>(
    old: &[T],
    new: &[T],
    (from, at): (usize, usize),
    out: &mut [Option<usize>],
) {
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            (0..len).for_each(|n| out[from + old_index + n] = Some(at + new_index + n));
        }
    }
}

/// Pairs of elements that stand once in each, as many as go in order.
fn anchors<T: Hash + Eq>(old: &[T], new: &[T]) -> Vec<(usize, usize)> {
    let mut places: HashMap<&T, [Option<usize>; 2]> = HashMap::new();
    let mut twice: HashSet<&T> = HashSet::new();
    for (side, text) in [old, new].into_iter().enumerate() {
        for (n, element) in text.iter().enumerate() {
            if places.entry(element).or_default()[side].replace(n).is_some() {
                twice.insert(element);
            }
        }
    }
    let once = |(n, element): (usize, &T)| {
        let there = places.get(element)?[1].filter(|_| !twice.contains(element));
        there.map(|m| (n, m))
    };
    let pairs: Vec<(usize, usize)> = old.iter().enumerate().filter_map(once).collect();
    // The longest run of growing places: for each length, the run that ends lowest.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (n, (_, place)) in pairs.iter().enumerate() {
        let len = ends.partition_point(|end| pairs[*end].1 < *place);
        before.push(len.checked_sub(1).map(|last| ends[last]));
        if len == ends.len() { ends.push(n) } else { ends[len] = n }
    }
    let mut out = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(n) = next {
        out.push(pairs[n]);
        next = before[n];
    }
    out.reverse();
    out
}

/// A stretch of three texts: either all agree line by line, or at least one differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) stable: bool,
    pub(super) base: Range<usize>,
    pub(super) first: Range<usize>,
    pub(super) second: Range<usize>,
}

impl Segment {
    /// The last `count` lines cut off as a stretch of their own; only for stable stretches.
    fn split_off(&mut self, count: usize) -> Self {
        let cut = |range: &mut Range<usize>| {
            let at = range.end - count;
            let tail = at..range.end;
            range.end = at;
            tail
        };
        Self {
            stable: true,
            base: cut(&mut self.base),
            first: cut(&mut self.first),
            second: cut(&mut self.second),
        }
    }

    /// Takes in the stretch that follows.
    fn absorb(&mut self, next: &Self) {
        self.stable = false;
        self.base.end = next.base.end;
        self.first.end = next.first.end;
        self.second.end = next.second.end;
    }
}

/// Lengths of the three texts: base, first, second.
pub(super) type Lengths = [usize; 3];

/// Cuts three texts into stretches where all agree and stretches where they do not.
pub(super) fn segments(
    [base_len, first_len, second_len]: Lengths,
    to_first: &[Option<usize>],
    to_second: &[Option<usize>],
) -> Vec<Segment> {
    let mut out = Vec::new();
    let (mut base, mut first, mut second) = (0, 0, 0);
    loop {
        let run = (base..base_len)
            .take_while(|at| {
                let n = at - base;
                to_first[*at] == Some(first + n) && to_second[*at] == Some(second + n)
            })
            .count();
        if run > 0 {
            out.push(Segment {
                stable: true,
                base: base..base + run,
                first: first..first + run,
                second: second..second + run,
            });
            (base, first, second) = (base + run, first + run, second + run);
        }
        let meet = (base..base_len).find_map(|at| Some((at, to_first[at]?, to_second[at]?)));
        let (b, f, s) = meet.unwrap_or((base_len, first_len, second_len));
        if (b, f, s) == (base, first, second) {
            return out;
        }
        out.push(Segment { stable: false, base: base..b, first: first..f, second: second..s });
        (base, first, second) = (b, f, s);
    }
}

/// Widens each stretch that `contested` picks until it begins and ends where `may_cut` allows,
/// taking in its neighbours, so that no fence or comment is resolved in parts.
pub(super) fn widen(
    segments: Vec<Segment>,
    contested: impl Fn(&Segment) -> bool,
    may_cut: impl Fn([usize; 3]) -> bool,
) -> Vec<Segment> {
    let mut out: Vec<Segment> = Vec::new();
    let mut pending = segments.into_iter();
    let mut next = pending.next();
    while let Some(mut here) = next.take() {
        if here.stable || !contested(&here) {
            next = pending.next();
            out.push(here);
            continue;
        }
        while !may_cut([here.base.start, here.first.start, here.second.start]) {
            let Some(mut before) = out.pop() else { break };
            if before.stable {
                let len = before.base.len();
                let take = (1..=len).find(|n| {
                    let at = |r: &Range<usize>| r.end - n;
                    may_cut([at(&before.base), at(&before.first), at(&before.second)])
                });
                let tail = before.split_off(take.unwrap_or(len));
                if !before.base.is_empty() {
                    out.push(before);
                }
                before = tail;
            }
            before.absorb(&here);
            here = before;
        }
        next = pending.next();
        while !may_cut([here.base.end, here.first.end, here.second.end]) {
            let Some(mut after) = next.take() else { break };
            if after.stable {
                let len = after.base.len();
                let take = (1..=len).find(|n| {
                    let at = |r: &Range<usize>| r.start + n;
                    may_cut([at(&after.base), at(&after.first), at(&after.second)])
                });
                let rest = len - take.unwrap_or(len);
                let tail = after.split_off(rest);
                here.absorb(&after);
                next = if rest > 0 { Some(tail) } else { pending.next() };
            } else {
                here.absorb(&after);
                next = pending.next();
            }
        }
        out.push(here);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(base: &str, first: &str, second: &str) -> Vec<Segment> {
        let [b, f, s] = [base, first, second].map(|t| t.bytes().collect::<Vec<_>>());
        segments([b.len(), f.len(), s.len()], &matches(&b, &f), &matches(&b, &s))
    }

    #[test]
    fn stretches_cover_all_three_texts_in_order() {
        let all = cut("abcdef", "abXdef", "Yabcdf");
        for pair in all.windows(2) {
            assert_eq!(pair[0].base.end, pair[1].base.start);
            assert_eq!(pair[0].first.end, pair[1].first.start);
            assert_eq!(pair[0].second.end, pair[1].second.start);
        }
        assert_eq!(all.iter().filter(|s| s.stable).count(), 3);
        assert_eq!(all.last().map(|s| s.second.end), Some(6));
    }

    #[test]
    fn long_texts_are_aligned_at_lines_that_stand_once() {
        let old: Vec<usize> =
            (0..EXACT_DIFF_LINES).map(|n| if n % 3 == 0 { n } else { 1 }).collect();
        let mut new = old.clone();
        new[5] = 7_000_000;
        new.splice(900..903, [8_000_000]);
        let end = new.len() - 4;
        new[end] = 9_000_000;
        let found = matches(&old, &new);
        let kept = found.iter().flatten().count();
        assert!(kept + 8 >= old.len(), "{kept} of {}", old.len());
        let places: Vec<_> = found.iter().flatten().collect();
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(found.iter().enumerate().all(|(o, n)| n.is_none_or(|n| old[o] == new[n])));
    }

    #[test]
    fn a_contested_stretch_grows_to_where_it_may_be_cut() {
        let all = cut("abcdef", "abXdef", "abYdef");
        let wide = widen(all, |_| true, |[b, _, _]| b == 1 || b == 5);
        let bounds: Vec<_> = wide.iter().map(|s| (s.stable, s.base.clone())).collect();
        assert_eq!(bounds, [(true, 0..1), (false, 1..5), (true, 5..6)]);
    }
}
