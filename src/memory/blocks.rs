//! Which lines of a markdown text belong together.
//!
//! A block is what a person would call one thing: a heading, a paragraph, a list item with all
//! that is nested in it, a table row, a whole fenced block, a whole comment. Blank lines lie
//! between blocks, but for those inside an item, a fence or a comment.

use std::ops::Range;

use crate::memory::lines::Line;

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::memory) enum Kind {
    Blank,
    Heading,
    Paragraph,
    Item,
    Row,
    Fence,
    Comment,
    /// A line of a text that is no markdown.
    Raw,
}

impl Kind {
    /// Blocks that make no sense in parts, so that two versions of one are kept whole.
    pub(in crate::memory) fn is_atomic(self) -> bool {
        match self {
            Self::Fence | Self::Comment => true,
            Self::Blank | Self::Heading | Self::Paragraph | Self::Item | Self::Row | Self::Raw => {
                false
            }
        }
    }
}

/// One block: its kind and its lines.
#[derive(Debug, Clone)]
pub(in crate::memory) struct Block {
    pub(in crate::memory) kind: Kind,
    pub(in crate::memory) lines: Range<usize>,
}

/// Cuts lines into blocks that cover all of them in order; a run of blank lines is one block.
pub(in crate::memory) fn parse(lines: &[Line<'_>]) -> Vec<Block> {
    let mut parser = Parser { lines, unclosed: [usize::MAX; 2], uncommented: false };
    let mut out = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let (kind, end) = parser.block(at);
        out.push(Block { kind, lines: at..end });
        at = end;
    }
    out
}

/// Every line a block of its own, for texts that are no markdown.
pub(in crate::memory) fn parse_raw(lines: &[Line<'_>]) -> Vec<Block> {
    (0..lines.len()).map(|at| Block { kind: Kind::Raw, lines: at..at + 1 }).collect()
}

/// For each line, whether it lies in a fenced block or a comment, at any depth of nesting.
pub(in crate::memory) fn literal(lines: &[Line<'_>]) -> Vec<bool> {
    let mut parser = Parser { lines, unclosed: [usize::MAX; 2], uncommented: false };
    let mut out = vec![false; lines.len()];
    let mut at = 0;
    while at < lines.len() {
        match parser.fence(at).or_else(|| parser.comment(at)) {
            Some(end) => {
                out[at..end].fill(true);
                at = end;
            }
            None => at += 1,
        }
    }
    out
}

struct Parser<'a, 'b> {
    lines: &'a [Line<'b>],
    /// Shortest fence of backticks and of tildes that is known to have no end, so that a text of
    /// nothing but openings is still read in one go.
    unclosed: [usize; 2],
    uncommented: bool,
}

impl Parser<'_, '_> {
    fn block(&mut self, at: usize) -> (Kind, usize) {
        let line = &self.lines[at];
        if line.is_blank() {
            return (Kind::Blank, self.run(at, |l| l.is_blank()));
        }
        if let Some(end) = self.fence(at) {
            return (Kind::Fence, end);
        }
        if let Some(end) = self.comment(at) {
            return (Kind::Comment, end);
        }
        if is_heading(line.text) {
            return (Kind::Heading, at + 1);
        }
        if is_row(line.text) {
            return (Kind::Row, at + 1);
        }
        if is_item(line.text) {
            return (Kind::Item, self.item(at));
        }
        (Kind::Paragraph, self.paragraph(at))
    }

    fn run(&self, at: usize, is: impl Fn(&Line<'_>) -> bool) -> usize {
        self.lines[at..].iter().position(|l| !is(l)).map_or(self.lines.len(), |n| at + n)
    }

    /// The end of the fenced block that starts here; an opening without an end is plain text.
    fn fence(&mut self, at: usize) -> Option<usize> {
        let (mark, len) = fence_mark(self.lines[at].text)?;
        let known = &mut self.unclosed[usize::from(mark == b'~')];
        if len >= *known {
            return None;
        }
        let close = self.lines[at + 1..].iter().position(|l| closes(l.text, mark, len));
        match close {
            Some(n) => Some(at + n + 2),
            None => {
                *known = len;
                None
            }
        }
    }

    fn comment(&mut self, at: usize) -> Option<usize> {
        if self.uncommented || !trim_start(self.lines[at].text).starts_with(b"<!--") {
            return None;
        }
        let close = self.lines[at..].iter().position(|l| contains(l.text, b"-->"));
        self.uncommented = close.is_none();
        close.map(|n| at + n + 1)
    }

    /// A list item reaches to the next item of its own depth or less, or to the first line after
    /// a blank one that is not indented deeper.
    fn item(&mut self, at: usize) -> usize {
        let depth = indent(self.lines[at].text);
        let mut end = at + 1;
        let mut next = at + 1;
        while next < self.lines.len() {
            let line = &self.lines[next];
            if line.is_blank() {
                next = self.run(next, |l| l.is_blank());
                continue;
            }
            let deeper = indent(line.text) > depth;
            let after_blank = next > end;
            if !deeper && (after_blank || starts_block(line.text)) {
                break;
            }
            next = self.fence(next).unwrap_or(next + 1);
            end = next;
        }
        end
    }

    fn paragraph(&self, at: usize) -> usize {
        let rest = &self.lines[at + 1..];
        let stop = rest.iter().position(|l| l.is_blank() || starts_block(l.text));
        stop.map_or(self.lines.len(), |n| at + 1 + n)
    }
}

fn starts_block(text: &[u8]) -> bool {
    is_heading(text)
        || is_row(text)
        || is_item(text)
        || fence_mark(text).is_some()
        || trim_start(text).starts_with(b"<!--")
}

/// Width of the leading white space; a tab counts to the next multiple of four.
fn indent(text: &[u8]) -> usize {
    let mut width = 0;
    for byte in text {
        match byte {
            b' ' => width += 1,
            b'\t' => width = (width / 4 + 1) * 4,
            _ => break,
        }
    }
    width
}

pub(in crate::memory) fn trim_start(text: &[u8]) -> &[u8] {
    text.trim_ascii_start()
}

fn contains(text: &[u8], what: &[u8]) -> bool {
    text.windows(what.len()).any(|w| w == what)
}

pub(in crate::memory) fn is_heading(text: &[u8]) -> bool {
    let marks = text.iter().take_while(|b| **b == b'#').count();
    (1..=6).contains(&marks) && matches!(text.get(marks), None | Some(b' ' | b'\t'))
}

fn is_row(text: &[u8]) -> bool {
    trim_start(text).starts_with(b"|")
}

/// Whether the line opens a list item, with a bullet or a number.
pub(in crate::memory) fn is_item(text: &[u8]) -> bool {
    let text = trim_start(text);
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let (mark, width) = match (digits, text.get(digits)) {
        (0, Some(b'-' | b'*' | b'+')) => (true, 1),
        (1..=9, Some(b'.' | b')')) => (true, digits + 1),
        (_, _) => (false, 0),
    };
    mark && matches!(text.get(width), Some(b' ' | b'\t'))
}

/// The mark and length of an opening fence.
fn fence_mark(text: &[u8]) -> Option<(u8, usize)> {
    let text = trim_start(text);
    let mark = *text.first().filter(|b| matches!(b, b'`' | b'~'))?;
    let len = text.iter().take_while(|b| **b == mark).count();
    let info_is_clean = mark == b'~' || !text[len..].contains(&b'`');
    (len >= 3 && info_is_clean).then_some((mark, len))
}

fn closes(text: &[u8], mark: u8, len: usize) -> bool {
    let text = text.trim_ascii();
    text.len() >= len && text.iter().all(|b| *b == mark)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::lines::split;

    fn kinds(text: &str) -> Vec<(Kind, usize)> {
        parse(&split(text.as_bytes())).into_iter().map(|b| (b.kind, b.lines.len())).collect()
    }

    #[test]
    fn a_text_is_cut_into_the_things_a_person_sees() {
        let text =
            "# H\n\ntext\nmore\n- a\n  - b\n\n  c\n- d\n\n| x |\n|---|\n```\n# no\n\n```\nend\n";
        assert_eq!(
            kinds(text),
            [
                (Kind::Heading, 1),
                (Kind::Blank, 1),
                (Kind::Paragraph, 2),
                (Kind::Item, 4),
                (Kind::Item, 1),
                (Kind::Blank, 1),
                (Kind::Row, 1),
                (Kind::Row, 1),
                (Kind::Fence, 4),
                (Kind::Paragraph, 1),
            ]
        );
    }

    #[test]
    fn a_fence_without_an_end_is_plain_text() {
        assert_eq!(
            kinds("```\na\n\nb\n"),
            [(Kind::Paragraph, 2), (Kind::Blank, 1), (Kind::Paragraph, 1)]
        );
    }

    #[test]
    fn a_fence_inside_an_item_belongs_to_it() {
        assert_eq!(kinds("- a\n  ```\n- no\n  ```\n- b\n"), [(Kind::Item, 4), (Kind::Item, 1)]);
    }

    #[test]
    fn a_comment_is_one_block_up_to_its_end() {
        assert_eq!(kinds("<!-- a\n\n- b -->\nc\n"), [(Kind::Comment, 3), (Kind::Paragraph, 1)]);
    }
}
