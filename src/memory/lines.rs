//! Texts as lines, and lines as small numbers, so that comparing is cheap and exact.

use std::collections::HashMap;

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::memory) enum Eol {
    /// The last line of a text without a final newline.
    None,
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
}

impl Eol {
    pub(in crate::memory) fn bytes(self) -> &'static [u8] {
        match self {
            Self::None => b"",
            Self::Lf => b"\n",
            Self::CrLf => b"\r\n",
        }
    }
}

/// One line without its ending.
#[derive(Debug, Clone, Copy)]
pub(in crate::memory) struct Line<'a> {
    pub(in crate::memory) text: &'a [u8],
    pub(in crate::memory) eol: Eol,
}

impl Line<'_> {
    pub(in crate::memory) fn is_blank(&self) -> bool {
        self.text.iter().all(u8::is_ascii_whitespace)
    }
}

/// Cuts a text into lines; their texts and endings together are the text again.
pub(in crate::memory) fn split(text: &[u8]) -> Vec<Line<'_>> {
    text.split_inclusive(|b| *b == b'\n')
        .map(|line| match line {
            [text @ .., b'\r', b'\n'] => Line { text, eol: Eol::CrLf },
            [text @ .., b'\n'] => Line { text, eol: Eol::Lf },
            text => Line { text, eol: Eol::None },
        })
        .collect()
}

/// The one ending that all lines of a text have, if they agree and there is one.
pub(in crate::memory) fn style(lines: &[Line<'_>]) -> Option<Eol> {
    let mut endings = lines.iter().map(|l| l.eol).filter(|e| *e != Eol::None);
    let first = endings.next()?;
    endings.all(|e| e == first).then_some(first)
}

/// Gives equal lines equal numbers, across all texts of one merge. Endings do not count.
#[derive(Debug, Default)]
pub(in crate::memory) struct Interner<'a> {
    known: HashMap<&'a [u8], u32>,
}

impl<'a> Interner<'a> {
    pub(in crate::memory) fn ids(&mut self, lines: &[Line<'a>]) -> Vec<u32> {
        lines
            .iter()
            .map(|line| {
                let next = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
                *self.known.entry(line.text).or_insert(next)
            })
            .collect()
    }

    pub(in crate::memory) fn len(&self) -> usize {
        self.known.len()
    }
}
