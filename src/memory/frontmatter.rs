//! The YAML header of a note: found, read leniently and edited in place.
//!
//! A header is never written anew from its values. An edit of one key changes the bytes of that
//! key's line and nothing else, so that unknown keys, order, quotes and comments stay as they are.

use std::ops::Range;

use crate::memory::yaml;

pub use crate::memory::header_edit::{set, set_nested};

/// Keys that make a header a memory header and not some other YAML at the top of a text.
const MEMORY_KEYS: [&str; 6] =
    ["name", "description", "type", "metadata", "originSessionId", "modified"];
/// The byte order mark in UTF-8.
const BOM: &[u8] = b"\xef\xbb\xbf";
/// Bytes of a header key at most; a longer run before a colon is prose (our choice).
const KEY_BYTES: usize = 100;

/// Where the parts of a text are. The parts and the two `---` lines cover the whole text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// The byte order mark; empty where there is none.
    pub bom: Range<usize>,
    /// The bytes between the two `---` lines; `None` where the text has no header.
    pub header: Option<Range<usize>>,
    /// Everything after the closing `---` line, or after the mark where there is no header.
    pub body: Range<usize>,
}

/// One key of a header and the bytes that belong to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyEntry {
    /// The key, its quotes undone.
    pub key: String,
    /// Its bytes in the header: its line, nested lines, comments and blank lines up to the next.
    pub range: Range<usize>,
    /// What follows the colon on its line, without white space around it.
    pub value: Range<usize>,
    /// The end of its own line, ending included.
    pub line_end: usize,
}

/// A header and its keys.
#[derive(Debug, Clone)]
pub struct Header<'a> {
    /// The bytes between the two `---` lines.
    pub bytes: &'a [u8],
    /// Its keys in order.
    pub entries: Vec<KeyEntry>,
}

/// Finds the parts of a text.
///
/// A block between `---` lines counts as a header only if it reads as keys; a rule, or prose
/// between two rules, is body.
#[must_use]
pub fn split(text: &[u8]) -> Split {
    let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let bom = 0..start;
    let none = Split { bom: bom.clone(), header: None, body: start..text.len() };
    let mut at = start;
    let mut open = None;
    for line in text[start..].split_inclusive(|b| *b == b'\n') {
        let end = at + line.len();
        let is_fence = line.starts_with(b"---") && line[3..].trim_ascii().is_empty();
        match open {
            None if is_fence && line.ends_with(b"\n") => open = Some(end),
            None => return none,
            Some(from) if is_fence => {
                let header = from..at;
                if !is_header(&text[header.clone()]) {
                    return none;
                }
                return Split { bom, header: Some(header), body: end..text.len() };
            }
            Some(_) => {}
        }
        at = end;
    }
    none
}

/// Whether the bytes between two rules are keys and not prose.
fn is_header(bytes: &[u8]) -> bool {
    let entries = keys(bytes);
    let Some(first) = entries.first() else { return false };
    let plain = |line: &[u8]| {
        let line = line.trim_ascii_start();
        line.is_empty() || line.starts_with(b"#")
    };
    let quiet = |range: Range<usize>| bytes[range].split(|b| *b == b'\n').all(plain);
    if !quiet(0..first.range.start) {
        return false;
    }
    let conforms = entries.iter().all(|e| {
        bytes[e.line_end..e.range.end].split(|b| *b == b'\n').all(|line| {
            plain(line) || matches!(line.first(), Some(b' ' | b'\t' | b'-' | b'}' | b']'))
        })
    });
    conforms || entries.iter().any(|e| MEMORY_KEYS.contains(&e.key.as_str()))
}

/// The keys of a mapping whose keys start at the first column.
#[must_use]
pub fn keys(bytes: &[u8]) -> Vec<KeyEntry> {
    keys_at(bytes, 0)
}

/// The keys of a mapping whose keys are indented by `indent` spaces.
#[must_use]
pub fn keys_at(bytes: &[u8], indent: usize) -> Vec<KeyEntry> {
    let mut out: Vec<KeyEntry> = Vec::new();
    let mut at = 0;
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        let end = at + line.len();
        if let Some((key, value)) = key_of(line, indent) {
            if let Some(last) = out.last_mut() {
                last.range.end = at;
            }
            let value = at + value.start..at + value.end;
            out.push(KeyEntry { key, range: at..bytes.len(), value, line_end: end });
        }
        at = end;
    }
    out
}

/// The key of a line and where its value is, if the line opens a key at this depth.
fn key_of(line: &[u8], indent: usize) -> Option<(String, Range<usize>)> {
    let spaces = line.iter().take_while(|b| **b == b' ').count();
    let rest = &line[spaces..];
    if spaces != indent || matches!(rest.first()?, b'-' | b'#' | b'\t' | b'{' | b'[' | b'}' | b']')
    {
        return None;
    }
    let colon = match *rest.first()? {
        quote @ (b'"' | b'\'') => {
            let close = rest[1..].iter().position(|b| *b == quote)? + 1;
            (rest.get(close + 1) == Some(&b':')).then_some(close + 1)?
        }
        _ => rest
            .windows(2)
            .position(|w| w[0] == b':' && w[1].is_ascii_whitespace())
            .or_else(|| (rest.last() == Some(&b':')).then_some(rest.len() - 1))?,
    };
    let key = std::str::from_utf8(&rest[..colon]).ok()?.trim();
    if key.is_empty() || key.len() > KEY_BYTES {
        return None;
    }
    let key = key.trim_matches(|c| c == '"' || c == '\'').to_owned();
    let after = &rest[colon + 1..];
    let lead = after.len() - after.trim_ascii_start().len();
    let from = if after.trim_ascii().is_empty() { 0 } else { lead };
    let len = after.trim_ascii().len();
    let start = spaces + colon + 1 + from;
    Some((key, start..start + len))
}

impl<'a> Header<'a> {
    /// The header of a text, if it has one.
    #[must_use]
    pub fn read(text: &'a [u8]) -> Option<Self> {
        let range = split(text).header?;
        Some(Self::of(&text[range]))
    }

    /// The header whose bytes, without the `---` lines, these are.
    #[must_use]
    pub fn of(bytes: &'a [u8]) -> Self {
        Self { bytes, entries: keys(bytes) }
    }

    /// Whether it has a key that memory headers have.
    #[must_use]
    pub fn is_memory(&self) -> bool {
        self.entries.iter().any(|e| MEMORY_KEYS.contains(&e.key.as_str()))
    }

    /// Whether a strict YAML parser takes it.
    ///
    /// # Errors
    /// What the parser said, its line counted from the first line of the header.
    pub fn strict(&self) -> Result<(), yaml::YamlError> {
        match std::str::from_utf8(self.bytes) {
            Ok(text) => yaml::mapping(text).map(|_| ()),
            Err(error) => {
                Err(yaml::YamlError { message: error.to_string(), line: None, column: None })
            }
        }
    }

    /// The value of a key as its author meant it: what follows the first colon, quotes undone.
    /// Also where YAML would cut or refuse it. `None` if the key is absent or has no scalar.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<String> {
        let entry = self.entries.iter().find(|e| e.key == key)?;
        scalar(self.bytes, entry)
    }

    /// The value of a key inside a nested mapping, as `metadata` is.
    #[must_use]
    pub fn get_nested(&self, outer: &str, key: &str) -> Option<String> {
        let entry = self.entries.iter().find(|e| e.key == outer)?;
        let block = &self.bytes[entry.line_end..entry.range.end];
        let nested = keys_at(block, nested_indent(block)?);
        scalar(block, nested.iter().find(|e| e.key == key)?)
    }
}

/// The indentation of the first line of a nested block that says something.
#[must_use]
pub fn nested_indent(block: &[u8]) -> Option<usize> {
    let spaces = |line: &[u8]| line.iter().take_while(|b| **b == b' ').count();
    let line = block.split(|b| *b == b'\n').find(|line| {
        let said = line.trim_ascii();
        !said.is_empty() && !said.starts_with(b"#")
    })?;
    Some(spaces(line)).filter(|n| *n > 0)
}

/// The scalar of an entry, read leniently.
#[must_use]
pub fn scalar(bytes: &[u8], entry: &KeyEntry) -> Option<String> {
    let first = String::from_utf8_lossy(&bytes[entry.value.clone()]).into_owned();
    let rest = String::from_utf8_lossy(&bytes[entry.line_end..entry.range.end]).into_owned();
    let more: Vec<&str> = rest
        .lines()
        .filter(|l| l.starts_with([' ', '\t']) && !l.trim_start().starts_with('#'))
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .collect();
    if first.is_empty() && more.is_empty() {
        return (!rest.lines().any(|l| l.starts_with('-'))).then(String::new);
    }
    if more.is_empty() {
        return Some(unquote(&first));
    }
    let whole = String::from_utf8_lossy(&bytes[entry.range.clone()]).into_owned();
    let dedented = whole.trim_start_matches(' ');
    if let Ok(map) = yaml::mapping(dedented)
        && let Some(value) = map.get(&entry.key)
    {
        return match value {
            serde_json::Value::String(text) => Some(text.trim_end().to_owned()),
            serde_json::Value::Null
            | serde_json::Value::Bool(_)
            | serde_json::Value::Number(_)
            | serde_json::Value::Array(_)
            | serde_json::Value::Object(_) => None,
        };
    }
    if first.is_empty() {
        return None;
    }
    let head = first.trim_start_matches(['>', '|', '-', '+']).trim();
    Some([&[head][..], &more].concat().join(" ").trim().to_owned())
}

/// Undoes YAML quotes, if the text has any.
fn unquote(text: &str) -> String {
    let quoted = text.starts_with('"') || text.starts_with('\'');
    if quoted && let Ok(value) = yaml::from_str::<String>(text) {
        return value;
    }
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|t| t.strip_suffix(quote)) {
            return inner.to_owned();
        }
    }
    text.to_owned()
}

#[cfg(test)]
mod tests;
