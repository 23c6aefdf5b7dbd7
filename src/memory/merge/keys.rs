//! A mapping merged key by key, each with the bytes it has on the side that it is taken from.

use crate::memory::frontmatter::{self, KeyEntry};
use crate::memory::limits::HEADER_DEPTH;
use crate::memory::lines;

use super::body::{self, Mode};
use super::{Draft, three};

/// Keys that hold the time of the last change: the later value is right.
const CHANGE_TIMES: [&str; 4] = ["modified", "updated", "updatedAt", "lastModified"];
/// Keys that record where a note came from; two values are no contradiction of content.
const ORIGINS: [&str; 2] = ["originSessionId", "node_type"];

/// What the merge of a header found, beyond its bytes.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) contested: Vec<String>,
    pub(super) edit_beat_delete: bool,
    /// Free text that found no place in the header: the key and the value.
    pub(super) lost: Vec<(String, String)>,
}

/// Decides between two values of a key: whether the second side's value stands.
pub(super) type Prefer<'p> = &'p dyn Fn(&str, &str, &str) -> bool;

/// One key of one text.
#[derive(Debug, Clone)]
struct Key<'a> {
    /// The key and how often it came before, as broken headers repeat keys.
    id: (String, usize),
    /// Its bytes: its line, nested lines, and the comments and blank lines after it.
    bytes: &'a [u8],
    line: &'a [u8],
    /// The nested lines.
    block: &'a [u8],
    /// The comments and blank lines after it.
    tail: &'a [u8],
    value: String,
}

impl Key<'_> {
    /// The bytes that hold its value.
    fn core(&self) -> &[u8] {
        &self.bytes[..self.bytes.len() - self.tail.len()]
    }
}

/// Merges the bytes of three mappings whose keys are indented by `indent` spaces.
pub(super) fn merge(
    texts: [&[u8]; 3],
    indent: usize,
    depth: usize,
    prefer: Prefer<'_>,
    found: &mut Findings,
) -> Vec<u8> {
    let sides = texts.map(|t| read(t, indent));
    let lead = three(sides.each_ref().map(|(preamble, _)| *preamble));
    let mut out = lead.to_vec();
    let [base, first, second] = sides.each_ref().map(|(_, keys)| keys.as_slice());
    for id in order(base, first, second) {
        let entry = |keys: &'_ [Key<'_>]| keys.iter().position(|k| k.id == id);
        let entries = [
            entry(base).map(|n| &base[n]),
            entry(first).map(|n| &first[n]),
            entry(second).map(|n| &second[n]),
        ];
        let bytes = resolve(entries, depth, prefer, found);
        if !out.is_empty() && !out.ends_with(b"\n") && !bytes.is_empty() {
            out.push(b'\n');
        }
        out.extend_from_slice(&bytes);
    }
    out
}

fn read(text: &[u8], indent: usize) -> (&[u8], Vec<Key<'_>>) {
    let entries = frontmatter::keys_at(text, indent);
    let preamble = &text[..entries.first().map_or(text.len(), |e| e.range.start)];
    let mut out: Vec<Key<'_>> = Vec::with_capacity(entries.len());
    for entry in &entries {
        let KeyEntry { key, range, line_end, .. } = entry;
        let before = out.iter().filter(|k| k.id.0 == *key).count();
        let core = *line_end + core_len(&text[*line_end..range.end]);
        out.push(Key {
            id: (key.clone(), before),
            bytes: &text[range.clone()],
            line: &text[range.start..*line_end],
            block: &text[*line_end..core],
            tail: &text[core..range.end],
            value: frontmatter::scalar(text, entry).unwrap_or_default(),
        });
    }
    (preamble, out)
}

/// Bytes of the nested lines without the comments and blank lines at their end.
fn core_len(nested: &[u8]) -> usize {
    let mut len = 0;
    let mut at = 0;
    for line in nested.split_inclusive(|b| *b == b'\n') {
        at += line.len();
        let said = line.trim_ascii();
        if !said.is_empty() && !said.starts_with(b"#") {
            len = at;
        }
    }
    len
}

/// All keys in the order of the side that changed it, with the other side's keys after the key
/// that they follow there.
fn order(base: &[Key<'_>], first: &[Key<'_>], second: &[Key<'_>]) -> Vec<(String, usize)> {
    let common = |keys: &[Key<'_>], with: &[Key<'_>]| -> Vec<(String, usize)> {
        let ids = keys.iter().map(|k| &k.id);
        ids.filter(|id| with.iter().any(|k| k.id == **id)).cloned().collect()
    };
    let moved = common(first, base) != common(base, first);
    let (lead, other) = if moved || base.is_empty() { (first, second) } else { (second, first) };
    let mut out: Vec<(String, usize)> = lead.iter().map(|k| k.id.clone()).collect();
    let mut after = None;
    for key in other {
        if let Some(at) = out.iter().position(|id| *id == key.id) {
            after = Some(at);
            continue;
        }
        // The leading side's own new keys at this place come first.
        let mut at = after.map_or(0, |n: usize| n + 1);
        while out.get(at).is_some_and(|id| !other.iter().any(|k| k.id == *id)) {
            at += 1;
        }
        out.insert(at, key.id.clone());
        after = Some(at);
    }
    out
}

/// The bytes of one key; empty where it is gone.
fn resolve(
    entries: [Option<&Key<'_>>; 3],
    depth: usize,
    prefer: Prefer<'_>,
    found: &mut Findings,
) -> Vec<u8> {
    let [base, first, second] = entries.map(|e| e.map(|k| k.bytes));
    if first == second || second == base {
        return first.unwrap_or_default().to_vec();
    }
    if first == base {
        return second.unwrap_or_default().to_vec();
    }
    let [base, Some(first), Some(second)] = entries else {
        found.edit_beat_delete = true;
        return first.or(second).unwrap_or_default().to_vec();
    };
    let mut out = core(base, first, second, (depth, prefer), found);
    let base_tail = base.map_or(&b""[..], |b| b.tail);
    let mut draft = Draft::default();
    body::merge([base_tail, first.tail, second.tail], Mode::Raw, &mut draft);
    if !out.ends_with(b"\n") && !draft.text.is_empty() {
        out.push(b'\n');
    }
    out.extend_from_slice(&draft.text);
    out
}

/// The line of a key and what is nested in it.
fn core(
    base: Option<&Key<'_>>,
    first: &Key<'_>,
    second: &Key<'_>,
    (depth, prefer): (usize, Prefer<'_>),
    found: &mut Findings,
) -> Vec<u8> {
    if first.core() == second.core() || base.is_some_and(|b| b.core() == first.core()) {
        return second.core().to_vec();
    }
    if base.is_some_and(|b| b.core() == second.core()) {
        return first.core().to_vec();
    }
    if let Some(bytes) = nested(base, first, second, (depth, prefer), found) {
        return bytes;
    }
    let scalars = [base, Some(first), Some(second)].iter().flatten().all(|k| k.block.is_empty());
    if scalars && first.value == second.value {
        return second.core().to_vec();
    }
    contradiction(first, second, prefer, found)
}

/// A key whose value is a block of keys or of list items on every side that has it.
fn nested(
    base: Option<&Key<'_>>,
    first: &Key<'_>,
    second: &Key<'_>,
    (depth, prefer): (usize, Prefer<'_>),
    found: &mut Findings,
) -> Option<Vec<u8>> {
    let all = [base, Some(first), Some(second)];
    let opens = |k: &Key<'_>| k.line.trim_ascii_end().ends_with(b":") && !k.block.is_empty();
    if depth >= HEADER_DEPTH || !all.iter().flatten().all(|k| opens(k)) {
        return None;
    }
    let line = three([base.map_or(second.line, |b| b.line), first.line, second.line]);
    let blocks = [base.map_or(&b""[..], |b| b.block), first.block, second.block];
    let items = |b: &[u8]| {
        lines::split(b).iter().all(|l| l.is_blank() || l.text.trim_ascii_start().starts_with(b"- "))
    };
    let mut out = line.to_vec();
    if blocks.iter().all(|b| items(b)) {
        let mut draft = Draft::default();
        body::merge(blocks, Mode::Raw, &mut draft);
        out.extend(without_repeats(&draft.text, blocks));
        return Some(out);
    }
    let indents = blocks.map(frontmatter::nested_indent);
    let indent = indents[1]?;
    let shared = indents[2] == Some(indent) && (base.is_none() || indents[0] == Some(indent));
    let keyed =
        |b: &[u8]| frontmatter::keys_at(b, indent).first().is_some_and(|k| k.range.start == 0);
    if !shared || !keyed(first.block) || !keyed(second.block) {
        return None;
    }
    out.extend(merge(blocks, indent, depth + 1, prefer, found));
    Some(out)
}

/// A list without items that stand more often than in any of the lists it was made from.
fn without_repeats(list: &[u8], from: [&[u8]; 3]) -> Vec<u8> {
    let count = |text: &[u8], item: &[u8]| {
        text.split(|b| *b == b'\n').filter(|l| l.trim_ascii() == item).count()
    };
    let mut out: Vec<u8> = Vec::with_capacity(list.len());
    for line in list.split_inclusive(|b| *b == b'\n') {
        let item = line.trim_ascii();
        let most = from.iter().map(|text| count(text, item)).max().unwrap_or(1);
        if item.is_empty() || count(&out, item) < most {
            out.extend_from_slice(line);
        }
    }
    out
}

/// Two values for one key: one is chosen, and the other named or kept as text.
fn contradiction(
    first: &Key<'_>,
    second: &Key<'_>,
    prefer: Prefer<'_>,
    found: &mut Findings,
) -> Vec<u8> {
    let name = first.id.0.as_str();
    if CHANGE_TIMES.contains(&name) {
        let later = if instant(&first.value) > instant(&second.value) { first } else { second };
        return later.core().to_vec();
    }
    let second_stands = prefer(name, &first.value, &second.value);
    let (winner, loser) = if second_stands { (second, first) } else { (first, second) };
    if !ORIGINS.contains(&name) {
        let name = name.to_owned();
        let text = if loser.value.is_empty() {
            String::from_utf8_lossy(loser.core()).into_owned()
        } else {
            loser.value.clone()
        };
        found.lost.push((name.clone(), text));
        found.contested.push(name);
    }
    winner.core().to_vec()
}

/// A time as something that sorts: by instant where it is RFC 3339, else by its text.
fn instant(text: &str) -> (i64, u32, String) {
    match chrono::DateTime::parse_from_rfc3339(text) {
        Ok(time) => (time.timestamp(), time.timestamp_subsec_nanos(), text.to_owned()),
        Err(_) => (i64::MIN, 0, text.to_owned()),
    }
}
