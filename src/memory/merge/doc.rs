//! One text of a merge, ready to be compared: lines, their numbers, and their blocks.

use std::collections::HashSet;
use std::ops::Range;

use crate::memory::blocks::{self, Block, Kind};
use crate::memory::limits::SAYING_CHARS;
use crate::memory::lines::Line;

/// Which of the three texts a line comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum From {
    Base,
    First,
    Second,
}

/// A text in lines and blocks.
#[derive(Debug)]
pub(super) struct Doc<'a> {
    pub(super) lines: Vec<Line<'a>>,
    pub(super) ids: Vec<u32>,
    /// The numbers that occur in it.
    pub(super) known: HashSet<u32>,
    pub(super) blocks: Vec<Block>,
    /// For each line, the block that it lies in.
    pub(super) block_of: Vec<usize>,
    /// For each block, the line of the heading that it lies under, or is.
    heading_of: Vec<Option<usize>>,
}

impl<'a> Doc<'a> {
    /// Reads lines whose numbers are known; as markdown, or each line for itself.
    pub(super) fn new(lines: Vec<Line<'a>>, ids: Vec<u32>, raw: bool) -> Self {
        let known = ids.iter().copied().collect();
        let blocks = if raw { blocks::parse_raw(&lines) } else { blocks::parse(&lines) };
        let mut block_of = Vec::with_capacity(lines.len());
        for (n, block) in blocks.iter().enumerate() {
            block_of.resize(block.lines.end, n);
        }
        let mut heading = None;
        let heading_of = blocks.iter().map(|block| {
            heading = if block.kind == Kind::Heading { Some(block.lines.start) } else { heading };
            heading
        });
        let heading_of = heading_of.collect();
        Self { lines, ids, known, blocks, block_of, heading_of }
    }

    pub(super) fn kind_at(&self, line: usize) -> Kind {
        self.blocks[self.block_of[line]].kind
    }

    pub(super) fn is_blank(&self, line: usize) -> bool {
        self.lines[line].is_blank()
    }

    /// Whether the place before `line` does not lie inside a block that must stay whole.
    pub(super) fn may_cut(&self, line: usize) -> bool {
        if line == 0 || line >= self.lines.len() {
            return true;
        }
        let inside = self.block_of[line] == self.block_of[line - 1];
        !(inside && (self.kind_at(line).is_atomic() || self.kind_at(line) == Kind::Item))
    }

    /// Whether all the lines belong to a block that began before them.
    pub(super) fn inside(&self, lines: &Range<usize>) -> bool {
        let block = |n: usize| self.block_of[n];
        !lines.is_empty() && lines.start > 0 && block(lines.start - 1) == block(lines.end - 1)
    }

    /// Whether a blank line or the start of the text comes before `line`.
    pub(super) fn open_before(&self, line: usize) -> bool {
        line == 0 || self.is_blank(line - 1)
    }

    /// Whether a blank line or the end of the text comes at `line`.
    pub(super) fn open_after(&self, end: usize) -> bool {
        end >= self.lines.len() || self.is_blank(end)
    }

    /// The heading that the line lies under, as it is written.
    pub(super) fn heading_over(&self, line: usize) -> Option<String> {
        let last = line.min(self.lines.len().checked_sub(1)?);
        let heading = self.heading_of[self.block_of[last]]?;
        Some(String::from_utf8_lossy(self.lines[heading].text).trim().to_owned())
    }

    /// Whether a block says something of its own, so that it need not stand twice. A label like
    /// `**Why:**` or the head of a table only makes sense with what follows it.
    pub(super) fn says_something(&self, block: &Block) -> bool {
        let lines = block.lines.clone();
        let enough = || self.letters(lines.clone(), SAYING_CHARS) >= SAYING_CHARS;
        match block.kind {
            Kind::Blank => false,
            Kind::Row => enough() && !self.heads_table(block),
            Kind::Fence | Kind::Comment => true,
            Kind::Heading | Kind::Raw => enough(),
            Kind::Paragraph | Kind::Item => {
                let text = self.lines[lines.start].text.trim_ascii_end();
                let label = text.ends_with(b":") || text.ends_with(b"**");
                enough() && !(label && lines.len() == 1)
            }
        }
    }

    /// Whether the row below is the border that follows the head of a table.
    fn heads_table(&self, block: &Block) -> bool {
        let border = |l: &Line<'_>| {
            let text = l.text.trim_ascii();
            text.starts_with(b"|") && text.iter().all(|b| b"|-: ".contains(b))
        };
        self.lines.get(block.lines.end).is_some_and(border)
    }

    /// Letters and digits of some lines, counted up to `limit`; any character beyond ASCII counts.
    pub(super) fn letters(&self, lines: Range<usize>, limit: usize) -> usize {
        let mut count = 0;
        for line in &self.lines[lines] {
            // Continuation bytes of UTF-8 are not counted again.
            let in_line = line
                .text
                .iter()
                .filter(|b| b.is_ascii_alphanumeric() || **b >= 0xc0)
                .take(limit - count)
                .count();
            count += in_line;
            if count >= limit {
                break;
            }
        }
        count
    }
}
