//! What two sides inserted at one place, put one after the other without repeating.

use std::collections::{HashMap, HashSet};

use crate::memory::blocks::Kind;

use super::output::Docs;
use super::unit::{Level, Unit};

/// A unit to emit, with its equal on the other side if both inserted it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pick<'u> {
    pub(super) unit: &'u Unit,
    pub(super) twin: Option<&'u Unit>,
}

/// Whether both sides inserted something, and neither all that the other did.
pub(super) fn differ(first: &[Unit], second: &[Unit]) -> bool {
    let set = |units: &[Unit]| -> HashSet<usize> {
        units.iter().filter(|u| u.kind != Kind::Blank).map(|u| u.key).collect()
    };
    let (first, second) = (set(first), set(second));
    !first.is_subset(&second) && !second.is_subset(&first)
}

/// A heading (or nothing, before the first) and the units under it.
#[derive(Debug, Clone, Copy)]
struct Section<'u> {
    head: Option<&'u Unit>,
    units: &'u [Unit],
}

/// Both insertions in one order: the first side's, then the second's, with equal sections joined
/// and equal units once.
pub(super) fn union<'u>(
    docs: &Docs<'_>,
    level: Level,
    first: &'u [Unit],
    second: &'u [Unit],
) -> Vec<Pick<'u>> {
    if first.is_empty() || second.is_empty() {
        return first.iter().chain(second).map(|unit| Pick { unit, twin: None }).collect();
    }
    if level == Level::Lines {
        return sequence(docs, first, second);
    }
    let (mine, theirs) = (sections(first), sections(second));
    let key = |s: &Section<'_>| s.head.map(|u| u.key);
    let mut known: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    for (n, section) in theirs.iter().enumerate().rev() {
        known.entry(key(section)).or_default().push(n);
    }
    let pairs: Vec<Option<usize>> =
        mine.iter().map(|s| known.get_mut(&key(s)).and_then(Vec::pop)).collect();
    let mut joined = vec![false; theirs.len()];
    pairs.iter().flatten().for_each(|n| joined[*n] = true);
    let mut out = Vec::new();
    let mut next = 0;
    let mut rest = |out: &mut Vec<Pick<'u>>, until: usize| {
        (next..until).filter(|n| !joined[*n]).for_each(|n| alone(out, &theirs[n]));
        next = next.max(until);
    };
    for (section, there) in mine.iter().zip(pairs) {
        if let Some(there) = there {
            rest(&mut out, there);
            let other = &theirs[there];
            if let Some(unit) = section.head {
                out.push(Pick { unit, twin: other.head });
            }
            out.extend(sequence(docs, section.units, other.units));
        } else {
            alone(&mut out, section);
        }
    }
    rest(&mut out, theirs.len());
    out
}

fn alone<'u>(out: &mut Vec<Pick<'u>>, section: &Section<'u>) {
    out.extend(section.head.iter().map(|unit| Pick { unit, twin: None }));
    out.extend(section.units.iter().map(|unit| Pick { unit, twin: None }));
}

/// The units cut at headings; there is always a first section without one.
fn sections(units: &[Unit]) -> Vec<Section<'_>> {
    let mut out = Vec::new();
    let mut head = None;
    let mut from = 0;
    for (n, unit) in units.iter().enumerate() {
        if unit.kind == Kind::Heading {
            out.push(Section { head, units: &units[from..n] });
            (head, from) = (Some(unit), n + 1);
        }
    }
    out.push(Section { head, units: &units[from..] });
    out
}

/// Units without headings: what one side has beyond the other keeps its place; else equal
/// beginnings and ends once, and in between the first side's, then the second's.
fn sequence<'u>(docs: &Docs<'_>, first: &'u [Unit], second: &'u [Unit]) -> Vec<Pick<'u>> {
    let counts = |units: &[Unit]| {
        let mut out: HashMap<usize, usize> = HashMap::new();
        for unit in units.iter().filter(|u| u.kind != Kind::Blank) {
            *out.entry(unit.key).or_default() += 1;
        }
        out
    };
    let (mine, theirs) = (counts(first), counts(second));
    let within = |a: &HashMap<usize, usize>, b: &HashMap<usize, usize>| {
        a.iter().all(|(key, n)| b.get(key).is_some_and(|m| m >= n))
    };
    if within(&theirs, &mine) {
        return twinned(first, second);
    }
    if within(&mine, &theirs) {
        return twinned(second, first);
    }
    let head = first.iter().zip(second).take_while(|(a, b)| a.key == b.key).count();
    let limit = first.len().min(second.len()) - head;
    let tail = (first.iter().rev().zip(second.iter().rev()))
        .take(limit)
        .take_while(|(a, b)| a.key == b.key && docs.get(a.from).letters(a.content.clone(), 1) > 0)
        .count();
    let (mine, theirs) = (first.len() - tail, second.len() - tail);
    let mut out = twinned(&first[..head], &second[..head]);
    out.extend(first[head..mine].iter().map(|unit| Pick { unit, twin: None }));
    out.extend(second[head..theirs].iter().map(|unit| Pick { unit, twin: None }));
    out.extend(twinned(&first[mine..], &second[theirs..]));
    out
}

/// All of `more`, each with its equal in `less` where there is one.
fn twinned<'u>(more: &'u [Unit], less: &'u [Unit]) -> Vec<Pick<'u>> {
    let mut left: HashMap<usize, Vec<&Unit>> = HashMap::new();
    for unit in less.iter().rev() {
        left.entry(unit.key).or_default().push(unit);
    }
    more.iter()
        .map(|unit| Pick { unit, twin: left.get_mut(&unit.key).and_then(Vec::pop) })
        .collect()
}
