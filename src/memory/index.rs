//! The index of a memory directory: one line a note.
//!
//! Owns reading its entries and changing one of them with every other byte left alone. Which
//! notes belong into an index, and in which order, is not decided here.

use crate::memory::blocks;
use crate::memory::limits::INDEX_LINE_CHARS;
use crate::memory::lines::{self, Eol, Line};

/// An entry of an index: `- [Title](file.md) — hook`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The text of the link.
    pub title: String,
    /// The path that the link names, relative to the folder of the index.
    pub target: String,
    /// What follows the link, without the dash.
    pub hook: String,
    /// Its line, from 1.
    pub line: usize,
}

/// An entry as parts of its line.
#[derive(Debug, Clone, Copy)]
pub(in crate::memory) struct Parsed<'a> {
    pub(in crate::memory) title: &'a str,
    pub(in crate::memory) target: &'a str,
    pub(in crate::memory) hook: &'a str,
}

/// The entries in order. Links inside fences and comments are no entries, and neither are links
/// to the web.
#[must_use]
pub fn entries(text: &[u8]) -> Vec<Entry> {
    let lines = lines::split(text);
    let literal = blocks::literal(&lines);
    let numbered = lines.iter().enumerate().filter(|(n, _)| !literal[*n]);
    numbered
        .filter_map(|(n, line)| {
            let Parsed { title, target, hook } = parse_line(line.text)?;
            Some(Entry {
                title: title.to_owned(),
                target: target.to_owned(),
                hook: hook.to_owned(),
                line: n + 1,
            })
        })
        .collect()
}

/// Reads a line as an entry: a list item that begins with a link to a file.
pub(in crate::memory) fn parse_line(line: &[u8]) -> Option<Parsed<'_>> {
    if !blocks::is_item(line) {
        return None;
    }
    let text = std::str::from_utf8(line).ok()?.trim_start();
    let text = text.split_once([' ', '\t'])?.1.trim_start();
    let text = text.trim_start_matches("**").strip_prefix('[')?;
    let (title, rest) = text.split_once("](")?;
    let close = closing(rest)?;
    let target = rest[..close].trim();
    let target = target.strip_prefix('<').and_then(|t| t.strip_suffix('>')).unwrap_or(target);
    let target = target.strip_prefix("./").unwrap_or(target);
    let is_web = target.contains("://") || target.starts_with("mailto:") || target.starts_with('#');
    if target.is_empty() || is_web {
        return None;
    }
    let hook = rest[close + 1..].trim_start_matches("**").trim();
    let hook = hook.trim_start_matches(['—', '–', '-', ':']).trim();
    Some(Parsed { title, target, hook })
}

/// Where the parenthesis that was opened before `text` closes; pairs inside belong to the target.
fn closing(text: &str) -> Option<usize> {
    if text.starts_with('<') {
        return text.find(">)").map(|n| n + 1);
    }
    let mut depth = 0usize;
    for (n, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(n),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The line of an entry, without its ending, of at most 150 characters: the hook is cut first,
/// at a word, then the title. A target longer than that is kept whole.
#[must_use]
pub fn entry_line(title: &str, target: &str, hook: &str) -> String {
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let target =
        if target.contains([' ', '(', ')']) { format!("<{target}>") } else { target.to_owned() };
    let title = one_line(title).replace('[', "(").replace(']', ")");
    let title = if title.is_empty() { target.clone() } else { title };
    let frame = "- []()".chars().count() + target.chars().count();
    let title = shorten(&title, INDEX_LINE_CHARS.saturating_sub(frame).max(1));
    let link = format!("- [{title}]({target})");
    let hook = one_line(hook);
    let room = INDEX_LINE_CHARS.saturating_sub(link.chars().count() + " — ".chars().count());
    let hook = shorten(&hook, room);
    if hook.is_empty() { link } else { format!("{link} — {hook}") }
}

/// The text cut to `limit` characters, at a word where that leaves most of it, with `…`.
fn shorten(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    if limit < 2 {
        return String::new();
    }
    let cut: String = text.chars().take(limit - 1).collect();
    let word = cut.rfind(' ').filter(|at| *at * 2 > cut.len()).unwrap_or(cut.len());
    format!("{}…", cut[..word].trim_end())
}

/// The index with one entry added at the end of its last list, or with the line of that target
/// replaced. Everything else keeps its bytes; a missing index is made.
#[must_use]
pub fn with_entry(text: Option<&[u8]>, title: &str, target: &str, hook: &str) -> Vec<u8> {
    let text = text.unwrap_or_default();
    let mut split = lines::split(text);
    let written = entry_line(title, target, hook);
    let known: Vec<usize> = lines_of(&split, target);
    if let Some(at) = known.first() {
        split[*at].text = written.as_bytes();
        return join(&split);
    }
    let literal = blocks::literal(&split);
    let is_entry = |n: &usize| !literal[*n] && parse_line(split[*n].text).is_some();
    let said = (0..split.len()).rev().find(|n| !split[*n].is_blank());
    let after = (0..split.len()).rev().find(is_entry).or(said);
    let eol = split.iter().map(|l| l.eol).find(|e| *e != Eol::None).unwrap_or(Eol::Lf);
    let Some(after) = after else {
        let mut out = text.to_vec();
        out.extend_from_slice(written.as_bytes());
        out.extend_from_slice(eol.bytes());
        return out;
    };
    let mut added = vec![Line { text: written.as_bytes(), eol: split[after].eol }];
    let is_list = blocks::is_item(split[after].text);
    if !is_list {
        added.insert(0, Line { text: b"", eol });
    }
    if split[after].eol == Eol::None {
        split[after].eol = eol;
    }
    split.splice(after + 1..after + 1, added);
    join(&split)
}

/// The index without the lines of one target; everything else keeps its bytes.
#[must_use]
pub fn without_entry(text: &[u8], target: &str) -> Vec<u8> {
    let mut split = lines::split(text);
    let ends_open = split.last().is_some_and(|l| l.eol == Eol::None);
    let known = lines_of(&split, target);
    for at in known.iter().rev() {
        split.remove(*at);
    }
    if ends_open
        && !known.is_empty()
        && let Some(last) = split.last_mut()
    {
        last.eol = Eol::None;
    }
    join(&split)
}

fn lines_of(split: &[Line<'_>], target: &str) -> Vec<usize> {
    let target = target.strip_prefix("./").unwrap_or(target);
    let literal = blocks::literal(split);
    let names =
        |n: &usize| !literal[*n] && parse_line(split[*n].text).is_some_and(|e| e.target == target);
    (0..split.len()).filter(names).collect()
}

fn join(split: &[Line<'_>]) -> Vec<u8> {
    let parts: Vec<&[u8]> = split.iter().flat_map(|l| [l.text, l.eol.bytes()]).collect();
    parts.concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const INDEX: &str = "# Memory\r\n\r\n- [A](a.md) — first\r\n- [B](./b.md): second\r\n\r\n```\r\n- [C](c.md) — no\r\n```\r\n<!-- - [D](d.md) -->\r\n";

    #[test]
    fn entries_are_list_items_that_begin_with_a_link_to_a_file() {
        let found = entries(INDEX.as_bytes());
        let brief: Vec<_> = found.iter().map(|e| (&*e.target, &*e.hook, e.line)).collect();
        assert_eq!(brief, [("a.md", "first", 3), ("b.md", "second", 4)]);
        assert!(entries(b"- [Docs](https://example.org/x.md)\n- see [A](a.md)\n").is_empty());
        let odd = entries("* **[T (x)](<a b(1).md>)** – hook\n".as_bytes());
        assert_eq!(
            (&*odd[0].title, &*odd[0].target, &*odd[0].hook),
            ("T (x)", "a b(1).md", "hook")
        );
    }

    #[test]
    fn a_new_entry_joins_the_last_list_and_changes_no_other_byte() {
        let out = with_entry(Some(INDEX.as_bytes()), "E", "e.md", "new");
        let text = String::from_utf8_lossy(&out).into_owned();
        assert_eq!(text, INDEX.replace("second\r\n", "second\r\n- [E](e.md) — new\r\n"));
        assert_eq!(without_entry(&out, "e.md"), INDEX.as_bytes());
    }

    #[test]
    fn a_known_target_gets_its_line_replaced() {
        let out = with_entry(Some(INDEX.as_bytes()), "B2", "b.md", "other");
        let text = String::from_utf8_lossy(&out).into_owned();
        assert_eq!(text, INDEX.replace("- [B](./b.md): second", "- [B2](b.md) — other"));
    }

    #[test]
    fn a_missing_final_newline_stays_missing() {
        let out = with_entry(Some(b"- [A](a.md)"), "B", "b.md", "");
        assert_eq!(out, b"- [A](a.md)\n- [B](b.md)");
        assert_eq!(without_entry(&out, "b.md"), b"- [A](a.md)");
        assert_eq!(with_entry(None, "A", "a.md", "h"), "- [A](a.md) — h\n".as_bytes());
        assert_eq!(with_entry(Some(b"# T\n"), "A", "a.md", ""), b"# T\n\n- [A](a.md)\n");
    }

    #[test]
    fn a_long_line_loses_its_hook_first() {
        let line = entry_line("Title", "file.md", &"word ".repeat(60));
        assert!(line.chars().count() <= INDEX_LINE_CHARS && line.ends_with("word…"), "{line}");
        let line = entry_line(&"title ".repeat(60), "file.md", "hook");
        assert!(line.chars().count() <= INDEX_LINE_CHARS && line.contains("](file.md)"), "{line}");
    }

    proptest! {
        #[test]
        fn a_written_entry_is_read_back(
            title in "[a-zA-Z\\[\\] ]{0,200}", stem in "[a-z() ]{0,20}[a-z]", hook in "\\PC{0,200}"
        ) {
            let target = format!("{stem}.md");
            let line = entry_line(&title, &target, &hook);
            prop_assert!(line.chars().count() <= INDEX_LINE_CHARS);
            let found = entries(line.as_bytes());
            prop_assert_eq!(found.len(), 1);
            prop_assert_eq!(&found[0].target, &target);
        }
    }
}
