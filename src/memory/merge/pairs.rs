//! Which unit of a side was made from which unit of the base.

use std::collections::HashSet;
use std::ops::Range;

use crate::memory::index::parse_line;
use crate::memory::limits::{LIKENESS_PAIRS, LIKENESS_PERCENT, TWIN_PERCENT};

use super::align;
use super::doc::Doc;
use super::unit::{Level, Unit};

/// The score of a pair that is beyond doubt, in percent.
const CERTAIN: u32 = 100;

/// A text and the units of it that are compared.
pub(super) type Units<'u, 'a> = (&'u Doc<'a>, &'u [Unit]);

/// For each base unit, the unit of the side that it is or became; places only grow. Lines of one
/// block that were replaced by as many others are taken one by one. `twins`: the keys of units
/// that both sides have.
pub(super) fn follow(
    level: Level,
    (base_doc, base): Units<'_, '_>,
    (side_doc, side): Units<'_, '_>,
    twins: &HashSet<usize>,
) -> Vec<Option<usize>> {
    let keys = |units: &[Unit]| units.iter().map(|u| u.key).collect::<Vec<_>>();
    let mut out = align::matches(&keys(base), &keys(side));
    let (mut from, mut at) = (0, 0);
    let mut gaps: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for (n, there) in out.iter().enumerate() {
        if let Some(there) = *there {
            gaps.push((from..n, at..there));
            (from, at) = (n + 1, there + 1);
        }
    }
    gaps.push((from..base.len(), at..side.len()));
    let fresh = (fresh(base_doc, base, side_doc, side), fresh(side_doc, side, base_doc, base));
    for (old, new) in gaps {
        let fresh = (&fresh.0[old.clone()], &fresh.1[new.clone()]);
        let one_by_one = level == Level::Lines && old.len() == new.len();
        let pairs = if one_by_one {
            (0..old.len()).filter(|n| fresh.0[*n] && fresh.1[*n]).map(|n| (n, n)).collect()
        } else {
            let (old, new) = (&base[old.clone()], &side[new.clone()]);
            alike(fresh, (base_doc, old), (side_doc, new), twins)
        };
        for (o, n) in pairs {
            out[old.start + o] = Some(new.start + n);
        }
    }
    out
}

/// For each unit, whether nothing on the other side is the same: what is the same was moved, and
/// is no edit of anything else.
fn fresh(doc: &Doc<'_>, units: &[Unit], other_doc: &Doc<'_>, other: &[Unit]) -> Vec<bool> {
    let keys: HashSet<_> = other.iter().map(|u| u.key).collect();
    let moved = |unit: &Unit| match &doc.ids[unit.content.clone()] {
        [id] => other_doc.known.contains(id),
        _ => keys.contains(&unit.key),
    };
    units.iter().map(|unit| !moved(unit)).collect()
}

/// Pairs of units that are versions of one another, in order, chosen for the greatest likeness.
/// Only units that are fresh, that is on one side alone, are compared.
fn alike(
    (old_fresh, new_fresh): (&[bool], &[bool]),
    (old_doc, old): Units<'_, '_>,
    (new_doc, new): Units<'_, '_>,
    twins: &HashSet<usize>,
) -> Vec<(usize, usize)> {
    if old.is_empty() || new.is_empty() || old.len() * new.len() > LIKENESS_PAIRS {
        return Vec::new();
    }
    let old_words: Vec<_> = old.iter().map(|u| words(old_doc, u)).collect();
    let new_words: Vec<_> = new.iter().map(|u| words(new_doc, u)).collect();
    let old_targets: Vec<_> = old.iter().map(|u| target(old_doc, u)).collect();
    let new_targets: Vec<_> = new.iter().map(|u| target(new_doc, u)).collect();
    let score = |o: usize, n: usize| match (old_targets[o], new_targets[n]) {
        _ if old[o].kind != new[n].kind => 0,
        (Some(here), Some(there)) if here == there => CERTAIN,
        (Some(_), Some(_)) => 0,
        (_, _) if contains((old_doc, &old[o]), (new_doc, &new[n])) => CERTAIN,
        _ if !old_fresh[o] || !new_fresh[n] => 0,
        _ if old[o].kind.is_atomic() && only(old, o) && only(new, n) => CERTAIN,
        (_, _) => {
            let likeness = likeness(&old_words[o], &new_words[n]);
            match twins.contains(&new[n].key) {
                true if likeness > TWIN_PERCENT => CERTAIN + likeness,
                false if likeness > LIKENESS_PERCENT => likeness,
                true | false => 0,
            }
        }
    };
    let scores: Vec<u32> = (0..old.len())
        .flat_map(|o| (0..new.len()).map(move |n| (o, n)))
        .map(|(o, n)| score(o, n))
        .collect();
    best_pairs(&scores, old.len(), new.len())
}

/// The pairs in order with the greatest sum of scores; `scores` holds a row for each old unit.
fn best_pairs(scores: &[u32], old: usize, new: usize) -> Vec<(usize, usize)> {
    let width = new + 1;
    let mut best = vec![0u32; (old + 1) * width];
    for o in (0..old).rev() {
        for n in (0..new).rev() {
            let here = scores[o * new + n];
            let paired = if here > 0 { here + best[(o + 1) * width + n + 1] } else { 0 };
            let skip = best[(o + 1) * width + n].max(best[o * width + n + 1]);
            best[o * width + n] = paired.max(skip);
        }
    }
    let mut out = Vec::new();
    let (mut o, mut n) = (0, 0);
    while o < old && n < new {
        let here = scores[o * new + n];
        if here > 0 && best[o * width + n] == here + best[(o + 1) * width + n + 1] {
            out.push((o, n));
            (o, n) = (o + 1, n + 1);
        } else if best[(o + 1) * width + n] >= best[o * width + n + 1] {
            o += 1;
        } else {
            n += 1;
        }
    }
    out
}

/// Whether one unit has all lines of the other, so that lines were only added or only taken away.
fn contains((a_doc, a): (&Doc<'_>, &Unit), (b_doc, b): (&Doc<'_>, &Unit)) -> bool {
    let (a, b) = (&a_doc.ids[a.content.clone()], &b_doc.ids[b.content.clone()]);
    let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let mut rest = many.iter();
    many.len() > 1 && few.iter().all(|id| rest.any(|other| other == id))
}

/// Whether a unit is the only one of its kind.
fn only(units: &[Unit], at: usize) -> bool {
    units.iter().filter(|u| u.kind == units[at].kind).count() == 1
}

/// The file that a unit points to, if it is an entry of an index.
fn target<'a>(doc: &Doc<'a>, unit: &Unit) -> Option<&'a str> {
    parse_line(doc.lines[unit.content.start].text).map(|entry| entry.target)
}

/// The distinct words of a unit: runs of ASCII letters and digits, and each other character.
fn words<'a>(doc: &Doc<'a>, unit: &Unit) -> HashSet<&'a [u8]> {
    let mut out = HashSet::new();
    for line in &doc.lines[unit.content.clone()] {
        let mut at = 0;
        while at < line.text.len() {
            let rest = &line.text[at..];
            let word = rest.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
            let len = if word > 0 {
                word
            } else {
                1 + rest[1..].iter().take_while(|b| (0x80..0xc0).contains(*b)).count()
            };
            let is_word = word > 0 || rest[0] >= 0x80;
            if is_word {
                out.insert(&rest[..len]);
            }
            at += len;
        }
    }
    out
}

/// Common words in percent of the mean number of words.
fn likeness(a: &HashSet<&[u8]>, b: &HashSet<&[u8]>) -> u32 {
    let total = a.len() + b.len();
    if total == 0 {
        return 0;
    }
    let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let common = few.iter().filter(|w| many.contains(*w)).count();
    u32::try_from(200 * common / total).unwrap_or(0)
}
