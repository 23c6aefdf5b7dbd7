//! The three-way merge of memory files.
//!
//! Owns how two edits of one file become one: header key by key, body by the things a person
//! sees in it, index by target. It never writes a conflict marker, never drops what a side added,
//! never revives what a side deleted and the other left alone, and gives the same bytes whichever
//! side is called first. It does not know where the texts come from.
//!
//! How: both sides are put in a fixed order (time, then bytes). The texts are aligned line by
//! line; where only one side changed, its text is taken, as any line merge does. Where both
//! changed, the stretch is cut into units (`blocks`), each unit is followed from the base into
//! both sides (`units`), and what truly contradicts is kept twice and named (`contested`).

mod align;
mod body;
mod dedupe;
mod doc;
mod header;
mod index;
mod keys;
mod output;
mod pairs;
mod union;
mod unit;
mod units;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashSet;

use crate::memory::frontmatter;
use crate::memory::lines::{self, Eol};
use crate::memory::path::{MemoryPath, NoteKind};

/// One side of a merge.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// Its text; `None` where the side has no such file.
    pub text: Option<&'a [u8]>,
    /// When its author wrote it, in seconds of Unix time. Orders what is kept from both sides.
    pub time: i64,
}

/// What a merge gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The merged text; `None` where the file is gone.
    pub text: Option<Vec<u8>>,
    /// Names of the units where the two sides contradict: a header key, the heading over the
    /// text, or the target of an index entry.
    pub contested: Vec<String>,
    /// Whether one side edited what the other deleted; the edit is in the text.
    pub edit_beat_delete: bool,
}

impl Merged {
    fn settled(text: Option<&[u8]>) -> Self {
        Self { text: text.map(<[u8]>::to_vec), contested: Vec::new(), edit_beat_delete: false }
    }
}

/// Merges two versions of the file at `path` that both derive from `base`.
///
/// Symmetric to the byte: the order of `a` and `b` does not matter.
#[must_use]
pub fn merge(path: &MemoryPath, base: Option<&[u8]>, a: Side<'_>, b: Side<'_>) -> Merged {
    if a.text == b.text || b.text == base {
        return Merged::settled(a.text);
    }
    if a.text == base {
        return Merged::settled(b.text);
    }
    let (Some(text_a), Some(text_b)) = (a.text, b.text) else {
        let kept = a.text.or(b.text);
        return Merged { edit_beat_delete: true, ..Merged::settled(kept) };
    };
    let (first, second) =
        if (a.time, text_a) <= (b.time, text_b) { (text_a, text_b) } else { (text_b, text_a) };
    let texts = harmonise([base.unwrap_or_default(), first, second]);
    let texts = [&*texts[0], &*texts[1], &*texts[2]];
    three_way(path, texts)
}

/// Merges base, first and second, which all differ.
fn three_way(path: &MemoryPath, texts: [&[u8]; 3]) -> Merged {
    let mut out = Draft::default();
    let name = path.file_name();
    let is_yaml = name.ends_with(".yaml") || name.ends_with(".yml");
    let is_text = texts.iter().all(|t| std::str::from_utf8(t).is_ok());
    if is_yaml && is_text && header::merge_file(texts, &mut out) {
        return out.done();
    }
    if !is_text || is_yaml || path.kind() == NoteKind::Other {
        body::merge(texts, body::Mode::Raw, &mut out);
        return out.done();
    }
    let mode = match path.kind() {
        NoteKind::Index => body::Mode::Index,
        NoteKind::Topic | NoteKind::Log | NoteKind::Policy | NoteKind::Other => body::Mode::Note,
    };
    let parts = texts.map(frontmatter::split);
    let plain = parts.iter().all(|p| p.header.is_none() && p.bom.is_empty());
    if plain || header::is_too_long(texts, &parts) {
        body::merge(texts, mode, &mut out);
        return out.done();
    }
    header::merge_note(texts, &parts, mode, &mut out);
    out.done()
}

/// A result in the making.
#[derive(Debug, Default)]
struct Draft {
    text: Vec<u8>,
    contested: Vec<String>,
    known: HashSet<String>,
    edit_beat_delete: bool,
    /// How often a contradiction was found, also where its name was known already.
    clashes: usize,
}

impl Draft {
    fn contest(&mut self, name: impl Into<String>) {
        let name = name.into();
        self.clashes += 1;
        if self.known.insert(name.clone()) {
            self.contested.push(name);
        }
    }

    /// Takes back what was named after the first `count` names.
    fn uncontest(&mut self, count: usize) {
        for name in self.contested.drain(count..) {
            self.known.remove(&name);
        }
    }

    fn done(self) -> Merged {
        Merged {
            text: Some(self.text),
            contested: self.contested,
            edit_beat_delete: self.edit_beat_delete,
        }
    }
}

/// What both sides agree on: the first side's value if it changed it, else the second's.
fn three<T: PartialEq + Copy>([base, first, second]: [T; 3]) -> T {
    if first == base { second } else { first }
}

/// If one side changed the line endings of the whole text, the other texts get the same, so that
/// such a change does not make every line differ.
fn harmonise(texts: [&[u8]; 3]) -> [Cow<'_, [u8]>; 3] {
    let styles = texts.map(|t| lines::style(&lines::split(t)));
    let [base, first, second] = styles;
    let known = base.is_some() || texts[0].is_empty();
    let target = match (first, second) {
        (Some(f), Some(s)) if f != s && known => {
            // Without a base to tell who changed it, plain newlines win.
            if base.is_some() { three([base, first, second]) } else { Some(Eol::Lf) }
        }
        (_, _) => None,
    };
    texts.map(|text| match target {
        Some(eol) => Cow::Owned(with_endings(text, eol)),
        None => Cow::Borrowed(text),
    })
}

fn with_endings(text: &[u8], eol: Eol) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for line in lines::split(text) {
        out.extend_from_slice(line.text);
        let ending = if line.eol == Eol::None { Eol::None } else { eol };
        out.extend_from_slice(ending.bytes());
    }
    out
}
