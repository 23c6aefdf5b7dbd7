//! One key of a header set, and every other byte left as it is.

use crate::memory::frontmatter::{KeyEntry, Split, keys, keys_at, nested_indent, split};
use crate::memory::lines::{self, Eol, Line};
use crate::memory::yaml;

/// Sets a top-level key of a text's header: its line changes, or a line is added at the end of the
/// header, or a header is added at the top of a text that has none.
#[must_use]
pub fn set(text: &[u8], key: &str, value: &str) -> Vec<u8> {
    let Split { header: Some(header), .. } = split(text) else {
        return with_new_header(text, &format!("{key}: {}", yaml::scalar(value)));
    };
    let bytes = &text[header.clone()];
    let entry = keys(bytes).into_iter().find(|e| e.key == key);
    let edited = set_in(bytes, entry.as_ref(), key, value, 0);
    [&text[..header.start], &edited, &text[header.end..]].concat()
}

/// Sets a key inside a nested mapping, as `metadata` is; the mapping is added where it is absent.
#[must_use]
pub fn set_nested(text: &[u8], outer: &str, key: &str, value: &str) -> Vec<u8> {
    let line = format!("{outer}:\n  {key}: {}", yaml::scalar(value));
    let Split { header: Some(header), .. } = split(text) else {
        return with_new_header(text, &line);
    };
    let bytes = &text[header.clone()];
    let Some(entry) = keys(bytes).into_iter().find(|e| e.key == outer) else {
        let eol = eol_of(text);
        let added = line.replace('\n', eol) + eol;
        return [&text[..header.end], added.as_bytes(), &text[header.end..]].concat();
    };
    let block = &bytes[entry.line_end..entry.range.end];
    let indent = nested_indent(block).unwrap_or(2);
    let nested = keys_at(block, indent).into_iter().find(|e| e.key == key);
    let edited = set_in(block, nested.as_ref(), key, value, indent);
    let start = header.start + entry.line_end;
    let end = header.start + entry.range.end;
    [&text[..start], &edited, &text[end..]].concat()
}

/// `bytes` with the line of one key replaced, or added after the last line that says something.
fn set_in(
    bytes: &[u8],
    entry: Option<&KeyEntry>,
    key: &str,
    value: &str,
    indent: usize,
) -> Vec<u8> {
    let written = yaml::scalar(value);
    if let Some(entry) = entry {
        let gap: &[u8] = if bytes[entry.value.start - 1] == b':' { b" " } else { b"" };
        // A value that went on over more lines is replaced with all of them.
        let tail = continuation_end(bytes, entry, indent);
        let ending = &bytes[entry.value.end..entry.line_end];
        return [
            &bytes[..entry.value.start],
            gap,
            written.as_bytes(),
            line_ending(ending),
            &bytes[tail..],
        ]
        .concat();
    }
    let line = format!("{}{key}: {written}{}", " ".repeat(indent), eol_of(bytes));
    let mut end = bytes.len();
    let last = keys_at(bytes, indent).pop();
    if let Some(last) = last {
        let mut tail = lines::split(&bytes[last.range.clone()]);
        while tail.last().is_some_and(Line::is_blank) {
            tail.pop();
        }
        end = last.range.start
            + tail.iter().map(|l| l.text.len() + l.eol.bytes().len()).sum::<usize>();
    }
    [&bytes[..end], line.as_bytes(), &bytes[end..]].concat()
}

fn line_ending(bytes: &[u8]) -> &[u8] {
    let len = if bytes.ends_with(b"\r\n") { 2 } else { usize::from(bytes.ends_with(b"\n")) };
    &bytes[bytes.len() - len..]
}

/// The end of the lines that are indented deeper than their key.
fn continuation_end(bytes: &[u8], entry: &KeyEntry, indent: usize) -> usize {
    let mut end = entry.line_end;
    for line in bytes[entry.line_end..entry.range.end].split_inclusive(|b| *b == b'\n') {
        let spaces = line.iter().take_while(|b| **b == b' ').count();
        if line.trim_ascii().is_empty() || (spaces <= indent && line.first() != Some(&b'\t')) {
            break;
        }
        end += line.len();
    }
    end
}

fn eol_of(text: &[u8]) -> &'static str {
    match lines::style(&lines::split(text)) {
        Some(Eol::CrLf) => "\r\n",
        Some(Eol::Lf | Eol::None) | None => "\n",
    }
}

fn with_new_header(text: &[u8], content: &str) -> Vec<u8> {
    let eol = eol_of(text);
    let header = format!("---\n{content}\n---\n\n").replace('\n', eol);
    let Split { bom, body, .. } = split(text);
    [&text[bom], header.as_bytes(), &text[body]].concat()
}
