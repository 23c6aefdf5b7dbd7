//! The result of a body merge, line by line, with the place of each line in all three texts.

use crate::memory::blocks::Kind;
use crate::memory::lines::Eol;

use super::doc::{Doc, From};

/// Why a line is in the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    /// The base has it and no side took it away.
    Kept,
    /// Both sides changed what it stands in; it may go only if it stands elsewhere.
    Edited,
    /// A side put it there; it may also go if it was only moved and the other side deleted it.
    Added,
}

/// One line of the result.
#[derive(Debug, Clone, Copy)]
pub(super) struct OutLine {
    /// Its line in base, first and second, where it has one. A blank line made here has none.
    pub(super) at: [Option<usize>; 3],
    pub(super) eol: Eol,
    pub(super) claim: Claim,
}

/// The three texts of a merge.
#[derive(Debug)]
pub(super) struct Docs<'a> {
    pub(super) base: Doc<'a>,
    pub(super) first: Doc<'a>,
    pub(super) second: Doc<'a>,
}

impl<'a> Docs<'a> {
    pub(super) fn get(&self, from: From) -> &Doc<'a> {
        match from {
            From::Base => &self.base,
            From::First => &self.first,
            From::Second => &self.second,
        }
    }

    /// A text that has this line, and where; `None` for a line made by the merge.
    pub(super) fn place(&self, line: &OutLine) -> Option<(&Doc<'a>, usize)> {
        let [base, first, second] = line.at;
        first
            .map(|n| (&self.first, n))
            .or_else(|| second.map(|n| (&self.second, n)))
            .or_else(|| base.map(|n| (&self.base, n)))
    }

    pub(super) fn is_blank(&self, line: &OutLine) -> bool {
        self.place(line).is_none_or(|(doc, n)| doc.is_blank(n))
    }
}

/// The lines of the result so far.
#[derive(Debug)]
pub(super) struct Output<'d, 'a> {
    pub(super) docs: &'d Docs<'a>,
    pub(super) lines: Vec<OutLine>,
    eol: Eol,
}

impl<'d, 'a> Output<'d, 'a> {
    pub(super) fn new(docs: &'d Docs<'a>) -> Self {
        let ends = |doc: &Doc<'_>| doc.lines.iter().map(|l| l.eol).find(|e| *e != Eol::None);
        let eol = ends(&docs.first).or_else(|| ends(&docs.second)).unwrap_or(Eol::Lf);
        Self { docs, lines: Vec::new(), eol }
    }

    /// A line that all three texts have: its ending is the one that a side changed it to.
    pub(super) fn push_stable(&mut self, base: usize, first: usize, second: usize) {
        let docs = self.docs;
        let eol = super::three([
            docs.base.lines[base].eol,
            docs.first.lines[first].eol,
            docs.second.lines[second].eol,
        ]);
        let at = [Some(base), Some(first), Some(second)];
        self.lines.push(OutLine { at, eol, claim: Claim::Kept });
    }

    /// A line of one text, or of both sides.
    pub(super) fn push(&mut self, at: [Option<usize>; 3], claim: Claim) {
        let probe = OutLine { at, eol: self.eol, claim };
        let eol = self.docs.place(&probe).map_or(self.eol, |(doc, n)| doc.lines[n].eol);
        self.lines.push(OutLine { eol, ..probe });
    }

    /// Whether a line would follow the last one as it does in one of the texts.
    pub(super) fn follows(&self, at: [Option<usize>; 3]) -> bool {
        let Some(last) = self.lines.last() else {
            return at.contains(&Some(0));
        };
        last.at.iter().zip(at).any(|(before, next)| {
            matches!((before, next), (Some(before), Some(next)) if before + 1 == next)
        })
    }

    pub(super) fn ends_blank(&self) -> bool {
        self.lines.last().is_none_or(|line| self.docs.is_blank(line))
    }

    /// Puts a blank line where two things meet that never met before and would run together.
    pub(super) fn part(&mut self, at: [Option<usize>; 3]) {
        if self.ends_blank() || self.follows(at) {
            return;
        }
        let next = OutLine { at, eol: self.eol, claim: Claim::Added };
        let (Some((doc, line)), Some(last)) = (self.docs.place(&next), self.lines.last()) else {
            return;
        };
        let Some((last_doc, last_line)) = self.docs.place(last) else { return };
        let apart = match (last_doc.kind_at(last_line), doc.kind_at(line)) {
            (Kind::Raw, _) | (_, Kind::Raw | Kind::Blank) | (Kind::Row, Kind::Row) => false,
            (Kind::Item, Kind::Item) => is_loose(doc, line),
            (_, _) => last_doc.open_after(last_line + 1) || doc.open_before(line),
        };
        if apart {
            self.lines.push(OutLine { at: [None; 3], eol: self.eol, claim: Claim::Added });
        }
    }

    /// Takes back blank lines that a side added, before one that was there already.
    pub(super) fn unpart(&mut self) {
        while self.ends_blank() && self.lines.last().is_some_and(|l| l.claim == Claim::Added) {
            self.lines.pop();
        }
    }

    /// The result as bytes. Its last line ends as it does where it comes from.
    pub(super) fn render(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for (n, line) in self.lines.iter().enumerate() {
            if let Some((doc, at)) = self.docs.place(line) {
                out.extend_from_slice(doc.lines[at].text);
            }
            let last = n + 1 == self.lines.len();
            let eol = if line.eol == Eol::None && !last { self.eol } else { line.eol };
            out.extend_from_slice(eol.bytes());
        }
        out
    }
}

/// Whether the list that an item lies in has blank lines between its items.
fn is_loose(doc: &Doc<'_>, line: usize) -> bool {
    let blanks = doc.lines[..line].iter().rev().take_while(|l| l.is_blank()).count();
    blanks > 0 && line > blanks && doc.kind_at(line - blanks - 1) == Kind::Item
}
