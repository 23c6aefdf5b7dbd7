//! A note with a header: header key by key, body as text, and what the header cannot hold.

use crate::memory::frontmatter::{self, Split};
use crate::memory::limits::HEADER_KEYS;
use crate::memory::lines;
use crate::memory::yaml;

use super::body::{self, Mode};
use super::keys::{self, Findings};
use super::{Draft, three};

/// Merges notes of which at least one has a header or a byte order mark.
pub(super) fn merge_note(texts: [&[u8]; 3], parts: &[Split; 3], mode: Mode, out: &mut Draft) {
    let part =
        |pick: fn(&Split) -> std::ops::Range<usize>| [0, 1, 2].map(|n| &texts[n][pick(&parts[n])]);
    let headers =
        [0, 1, 2].map(|n| parts[n].header.clone().map_or(&b""[..], |range| &texts[n][range]));
    let bodies = part(|p| p.body.clone());
    out.text.extend_from_slice(three(part(|p| p.bom.clone())));

    let mut found = Findings::default();
    let [_, first_body, second_body] = bodies;
    // A side whose body already carries the other's value has seen it and chosen its own.
    let prefer = |key: &str, first: &str, second: &str| {
        let knows = |body: &[u8], value: &str| has_line(body, &lost_line(key, value));
        knows(second_body, first) || !knows(first_body, second)
    };
    let merged = merge_header(headers, &prefer, &mut found);
    let fences = three([0, 1, 2].map(|n| fences(texts[n], &parts[n])));
    let fences = fences.or_else(|| fences_of_any(texts, parts));
    if let Some((open, close)) = fences.filter(|_| !merged.is_empty()) {
        out.text.extend_from_slice(open);
        out.text.extend_from_slice(&merged);
        out.text.extend_from_slice(close);
        if !close.ends_with(b"\n") {
            out.text.push(b'\n');
        }
    }
    out.edit_beat_delete |= found.edit_beat_delete;
    found.contested.into_iter().for_each(|key| out.contest(key));

    let start = out.text.len();
    body::merge(bodies, mode, out);
    for (key, value) in found.lost {
        append_line(&mut out.text, start, &lost_line(&key, &value));
    }
}

/// Whether a header has more keys than a header would.
pub(super) fn is_too_long(texts: [&[u8]; 3], parts: &[Split; 3]) -> bool {
    (0..3).any(|n| {
        let header = parts[n].header.clone();
        header.is_some_and(|range| frontmatter::keys(&texts[n][range]).len() > HEADER_KEYS)
    })
}

/// Merges files that are one mapping. Says whether they are, and it worked.
pub(super) fn merge_file(texts: [&[u8]; 3], out: &mut Draft) -> bool {
    let is_mapping =
        |text: &[u8]| (1..=HEADER_KEYS).contains(&frontmatter::keys(text).len()) && parses(text);
    if frontmatter::keys(texts[0]).len() > HEADER_KEYS || !texts[1..].iter().all(|t| is_mapping(t))
    {
        return false;
    }
    let mut found = Findings::default();
    let text = merge_header(texts, &|_, _, _| true, &mut found);
    out.text.extend_from_slice(&text);
    out.edit_beat_delete |= found.edit_beat_delete;
    found.contested.into_iter().for_each(|key| out.contest(key));
    true
}

/// The merged bytes of a header. If both sides are YAML and the merge is not, the later side's
/// header stands and the other's text is kept.
fn merge_header(texts: [&[u8]; 3], prefer: keys::Prefer<'_>, found: &mut Findings) -> Vec<u8> {
    let [base, first, second] = texts;
    if first == second || second == base {
        return first.to_vec();
    }
    if first == base {
        return second.to_vec();
    }
    let merged = keys::merge(texts, 0, 0, prefer, found);
    if !parses(first) || !parses(second) || parses(&merged) {
        return merged;
    }
    *found = Findings { edit_beat_delete: found.edit_beat_delete, ..Findings::default() };
    for entry in frontmatter::keys(first) {
        let theirs = frontmatter::keys(second).into_iter().find(|e| e.key == entry.key);
        let bytes = &first[entry.range.clone()];
        if theirs.is_none_or(|e| &second[e.range] != bytes) {
            let value = String::from_utf8_lossy(&first[entry.value.start..entry.range.end]);
            found.lost.push((entry.key.clone(), value.trim().to_owned()));
            found.contested.push(entry.key);
        }
    }
    second.to_vec()
}

fn parses(header: &[u8]) -> bool {
    std::str::from_utf8(header).is_ok_and(|text| yaml::check(text).is_ok())
}

/// The two `---` lines of a text, as they are written.
fn fences<'a>(text: &'a [u8], part: &Split) -> Option<(&'a [u8], &'a [u8])> {
    let header = part.header.clone()?;
    Some((&text[part.bom.end..header.start], &text[header.end..part.body.start]))
}

fn fences_of_any<'a>(texts: [&'a [u8]; 3], parts: &[Split; 3]) -> Option<(&'a [u8], &'a [u8])> {
    [1, 2, 0].into_iter().find_map(|n| fences(texts[n], &parts[n]))
}

/// The fixed form in which a value that the header cannot hold stands in the body.
fn lost_line(key: &str, value: &str) -> String {
    let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("> Other {key}: {value}")
}

fn has_line(body: &[u8], line: &str) -> bool {
    lines::split(body).iter().any(|l| l.text == line.as_bytes())
}

/// Adds a last line to the body, which starts at `start`, unless it is there.
fn append_line(text: &mut Vec<u8>, start: usize, line: &str) {
    if has_line(&text[start..], line) {
        return;
    }
    let split = lines::split(text);
    let eol = split.first().map_or(&b"\n"[..], |l| l.eol.bytes()).to_vec();
    let last = split.last().map(|l| (l.text.starts_with(b"> Other "), l.is_blank(), l.eol));
    if let Some((is_lost_line, is_blank, ending)) = last {
        if ending == lines::Eol::None {
            text.extend_from_slice(&eol);
        }
        if !is_lost_line && !is_blank {
            text.extend_from_slice(&eol);
        }
    }
    text.extend_from_slice(line.as_bytes());
    text.extend_from_slice(&eol);
}
