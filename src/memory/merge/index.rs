//! Index entries, settled by their target before the lines are merged.
//!
//! Each target gets the one line that it shall have; that line is put into all three texts, so
//! that the merge of lines only decides where it stands.

use std::collections::{HashMap, HashSet};

use crate::memory::blocks;
use crate::memory::index::parse_line;
use crate::memory::lines::Line;

use super::Draft;

/// The texts of lines that are entries of settled targets.
#[derive(Debug, Default)]
pub(super) struct Entries<'a> {
    lines: HashSet<&'a [u8]>,
}

impl Entries<'_> {
    pub(super) fn contains(&self, line: &[u8]) -> bool {
        self.lines.contains(line)
    }
}

/// Where the one entry of a target stands in each text; `None` where it does not.
type Places = [Option<usize>; 3];

/// Settles all targets that no text has twice, editing the texts in place.
pub(super) fn settle<'a>(texts: &mut [Vec<Line<'a>>; 3], draft: &mut Draft) -> Entries<'a> {
    let mut places: HashMap<String, Places> = HashMap::new();
    let mut order: Vec<String> = Vec::new();
    let mut repeated: HashSet<String> = HashSet::new();
    for (side, lines) in texts.iter().enumerate() {
        let literal = blocks::literal(lines);
        for (n, line) in lines.iter().enumerate() {
            let Some(entry) = parse_line(line.text).filter(|_| !literal[n]) else { continue };
            let known = places.entry(entry.target.to_owned()).or_insert_with(|| {
                order.push(entry.target.to_owned());
                [None; 3]
            });
            if known[side].replace(n).is_some() {
                repeated.insert(entry.target.to_owned());
            }
        }
    }
    let mut entries = Entries::default();
    let mut gone: [HashSet<usize>; 3] = Default::default();
    for target in order.iter().filter(|t| !repeated.contains(*t)) {
        let at = places[target];
        let text = |side: usize| at[side].map(|n| texts[side][n].text);
        let choice = choose(target, [text(0), text(1), text(2)], draft);
        for side in 0..3 {
            let Some(n) = at[side] else { continue };
            match choice.line {
                Some(line) => texts[side][n].text = line,
                None => {
                    gone[side].insert(n);
                }
            }
        }
        if choice.revived
            && let Some(n) = at[0]
        {
            // Without its base line, the edit counts as an addition and stays where it stands.
            gone[0].insert(n);
        }
        entries.lines.extend(choice.line);
    }
    for (lines, gone) in texts.iter_mut().zip(&gone) {
        let mut n = 0;
        lines.retain(|_| {
            n += 1;
            !gone.contains(&(n - 1))
        });
    }
    entries
}

/// The line of one target.
struct Choice<'a> {
    line: Option<&'a [u8]>,
    /// One side deleted it and the other edited it.
    revived: bool,
}

fn choose<'a>(target: &str, texts: [Option<&'a [u8]>; 3], draft: &mut Draft) -> Choice<'a> {
    let [base, first, second] = texts;
    let plain = |line| Choice { line, revived: false };
    if first == second || second == base {
        return plain(first);
    }
    if first == base {
        return plain(second);
    }
    let (Some(a), Some(b)) = (first, second) else {
        draft.edit_beat_delete = true;
        return Choice { line: first.or(second), revived: true };
    };
    let words = |line: &[u8]| -> Vec<Vec<u8>> {
        let words = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
        words.map(<[u8]>::to_vec).collect()
    };
    if words(a) != words(b) {
        draft.contest(target);
    }
    // The sides are in order of time: the later one has the say.
    plain(Some(b))
}
