//! The laws of the merge, on generated notes, indexes, plain markdown and bytes.
#![allow(clippy::unwrap_used)]

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use proptest::test_runner::Config;

use super::*;
use crate::memory::{Header, index, yaml};

mod cases;
mod made;

use made::{Triple, bytes, indexes, notes, plain};

/// Cases of each law in an ordinary run; `PROPTEST_CASES` raises it.
const CASES: u32 = 600;

fn config() -> Config {
    let default = Config::default();
    let cases = default.cases.max(CASES);
    Config { cases, max_shrink_iters: 4_000, failure_persistence: None, ..default }
}

fn side(text: &[u8], time: i64) -> Side<'_> {
    Side { text: Some(text), time }
}

fn both(t: &Triple, x: &[u8], y: &[u8]) -> Merged {
    merge(&t.path, Some(&t.base), side(x, 1), side(y, 2))
}

/// The lines without what an ending or a byte order mark leaves on them.
fn lines(text: &[u8]) -> Vec<&[u8]> {
    let bare = |mut line: &'_ [u8]| -> usize {
        let whole = line.len();
        while let Some(rest) = line.strip_prefix(b"\xef\xbb\xbf") {
            line = rest;
        }
        whole - line.len()
    };
    text.split(|b| *b == b'\n').map(|line| line[bare(line)..].trim_ascii()).collect()
}

fn says(line: &[u8]) -> bool {
    line.iter().any(|b| b.is_ascii_alphanumeric() || *b >= 0x80)
}

fn counts(text: &[u8]) -> HashMap<&[u8], usize> {
    let mut out = HashMap::new();
    for line in lines(text).into_iter().filter(|l| says(l)) {
        *out.entry(line).or_default() += 1;
    }
    out
}

/// The lines of the body; the header has laws of its own.
fn body<'a>(t: &Triple, text: &'a [u8]) -> &'a [u8] {
    if t.raw {
        return text;
    }
    &text[crate::memory::frontmatter::split(text).body]
}

/// Fences stay whole when they are moved, edited or kept twice, so their lines do not count alone.
fn in_fence(t: &Triple, line: &[u8]) -> bool {
    t.has_fence && (line.starts_with(b"run ") || line.starts_with(b"```"))
}

fn check_simple(t: &Triple) -> Result<(), TestCaseError> {
    for (base, x) in [(&t.base, &t.x), (&t.base, &t.y), (&t.x, &t.y)] {
        for (a, b) in [(x, x), (base, x), (x, base)] {
            let m = merge(&t.path, Some(base), side(a, 7), side(b, 3));
            prop_assert_eq!(m.text.as_ref(), Some(x));
            prop_assert!(m.contested.is_empty() && !m.edit_beat_delete);
        }
        let gone = merge(&t.path, Some(base), Side { text: None, time: 1 }, side(base, 2));
        prop_assert_eq!(gone.text, None);
        if base != x {
            let kept = merge(&t.path, Some(base), side(x, 1), Side { text: None, time: 2 });
            prop_assert_eq!((kept.text.as_ref(), kept.edit_beat_delete), (Some(x), true));
        }
        let new = merge(&t.path, None, side(x, 1), Side { text: None, time: 2 });
        prop_assert_eq!((new.text.as_ref(), new.edit_beat_delete), (Some(x), false));
    }
    Ok(())
}

fn check_symmetry(t: &Triple) -> Result<(), TestCaseError> {
    for (base, time) in [(Some(&*t.base), 2), (None, 2), (Some(&*t.base), 1)] {
        let one = merge(&t.path, base, side(&t.x, 1), side(&t.y, time));
        let two = merge(&t.path, base, side(&t.y, time), side(&t.x, 1));
        prop_assert_eq!(one, two);
    }
    Ok(())
}

fn check_additions(t: &Triple) -> Result<(), TestCaseError> {
    let m = both(t, &t.x, &t.y);
    let text = m.text.unwrap();
    let (base, out) = (counts(body(t, &t.base)), counts(body(t, &text)));
    let index = t.path.kind() == NoteKind::Index;
    let other_target: HashSet<String> = m.contested.into_iter().collect();
    for (name, x) in [("x", &t.x), ("y", &t.y)] {
        for (line, n) in counts(body(t, x)) {
            let lost = n > base.get(line).copied().unwrap_or(0) && !out.contains_key(line);
            let beaten =
                index && index::entries(line).iter().any(|e| other_target.contains(&e.target));
            prop_assert!(!lost || beaten, "{name} lost {:?}", String::from_utf8_lossy(line));
        }
    }
    Ok(())
}

fn check_deletions(t: &Triple) -> Result<(), TestCaseError> {
    let m = both(t, &t.x, &t.y);
    if m.edit_beat_delete {
        return Ok(());
    }
    let text = m.text.unwrap();
    let (x, y, out) = (counts(body(t, &t.x)), counts(body(t, &t.y)), counts(body(t, &text)));
    for (line, base) in counts(body(t, &t.base)) {
        let [in_x, in_y] = [&x, &y].map(|c| c.get(line).copied().unwrap_or(0));
        let gone = (in_x == 0 && in_y <= base) || (in_y == 0 && in_x <= base);
        prop_assert!(
            !gone || in_fence(t, line) || !out.contains_key(line),
            "revived {:?}",
            String::from_utf8_lossy(line)
        );
    }
    Ok(())
}

fn check_repetitions(t: &Triple) -> Result<(), TestCaseError> {
    let m = both(t, &t.x, &t.y);
    let text = m.text.unwrap();
    let [x, y, base] = [&t.x, &t.y, &t.base].map(|text| counts(body(t, text)));
    for (line, n) in counts(body(t, &text)) {
        let most = [&x, &y, &base].map(|c| c.get(line).copied().unwrap_or(0)).into_iter().max();
        let own = line.starts_with(b"> Other ");
        let distinct = line.len() > 60 || t.unique;
        prop_assert!(
            own || !distinct || Some(n) <= most,
            "{n} times {:?}",
            String::from_utf8_lossy(line)
        );
    }
    Ok(())
}

fn check_header(t: &Triple) -> Result<(), TestCaseError> {
    let text = both(t, &t.x, &t.y).text.unwrap();
    let strict = |text: &[u8]| Header::read(text).map(|h| h.strict().is_ok());
    if strict(&t.x) == Some(true) && strict(&t.y) == Some(true) {
        prop_assert_eq!(strict(&text), Some(true), "{}", String::from_utf8_lossy(&text));
    }
    let keys = |text: &[u8]| -> Vec<String> {
        Header::read(text).map_or(vec![], |h| h.entries.into_iter().map(|e| e.key).collect())
    };
    let unique = |keys: &[String]| keys.iter().collect::<HashSet<_>>().len() == keys.len();
    if [&t.base, &t.x, &t.y].iter().all(|s| unique(&keys(s))) {
        prop_assert!(unique(&keys(&text)));
    }
    let targets = |text: &[u8]| -> Vec<String> {
        index::entries(text).into_iter().map(|e| e.target).collect()
    };
    if t.path.kind() == NoteKind::Index && [&t.base, &t.x, &t.y].iter().all(|s| unique(&targets(s)))
    {
        prop_assert!(unique(&targets(&text)), "{}", String::from_utf8_lossy(&text));
    }
    prop_assert!(yaml::check("a: 1").is_ok());
    Ok(())
}

/// Merging a result again and again with what went into it settles: an index is right at once; in
/// a note, a line whose surroundings both sides rewrote may come to stand once more, and no more.
fn check_criss_cross(t: &Triple) -> Result<(), TestCaseError> {
    let spare = usize::from(!t.unique);
    let written = [&t.base, &t.x, &t.y].map(|text| counts(body(t, text)));
    let mut last = both(t, &t.x, &t.y).text.unwrap();
    let first = counts(body(t, &last)).into_iter().map(|(l, n)| (l.to_vec(), n));
    let first: HashMap<Vec<u8>, usize> = first.collect();
    for _ in 0..4 {
        for old in [&t.x, &t.y] {
            last = merge(&t.path, Some(&t.base), side(&last, 3), side(old, 2)).text.unwrap();
            for (line, n) in &counts(body(t, &last)) {
                let most = written.iter().filter_map(|c| c.get(line)).max();
                let most = most.max(first.get(*line)).copied().unwrap_or(0);
                prop_assert!(
                    *n <= most + spare || line.starts_with(b"> Other ") || in_fence(t, line),
                    "grew {:?} to {n}",
                    String::from_utf8_lossy(line)
                );
            }
        }
    }
    // Two versions of a fence may stand side by side, but no more of them with each round.
    let parts = t.base.len() + t.x.len() + t.y.len();
    prop_assert!(last.len() <= 2 * parts + 200, "{} of {parts}", last.len());
    Ok(())
}

fn check_markers(t: &Triple) -> Result<(), TestCaseError> {
    let text = both(t, &t.x, &t.y).text.unwrap();
    let known: HashSet<&[u8]> = lines(&t.x).into_iter().chain(lines(&t.y)).collect();
    for line in lines(&text) {
        let marker = [&b"<<<<<<<"[..], b"=======", b">>>>>>>"].iter().any(|m| line.starts_with(m));
        prop_assert!(!marker || known.contains(line));
    }
    Ok(())
}

fn check_all(t: &Triple) -> Result<(), TestCaseError> {
    check_simple(t)?;
    check_symmetry(t)?;
    check_additions(t)?;
    check_deletions(t)?;
    check_repetitions(t)?;
    check_header(t)?;
    check_criss_cross(t)?;
    check_markers(t)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_laws_hold_for_notes_with_headers(t in notes()) {
        check_all(&t)?;
    }

    #[test]
    fn the_laws_hold_for_indexes(t in indexes()) {
        check_all(&t)?;
    }

    #[test]
    fn the_laws_hold_for_plain_markdown(t in plain()) {
        check_all(&t)?;
    }

    #[test]
    fn bytes_of_any_kind_merge_symmetrically_and_keep_what_was_added(t in bytes()) {
        check_simple(&t)?;
        check_symmetry(&t)?;
        check_additions(&t)?;
        check_markers(&t)?;
    }
}
