//! Generated texts and edits of them, of the kinds that agents and people make.

use std::collections::HashSet;
use std::fmt;

use proptest::collection::vec;
use proptest::prelude::*;

use crate::memory::MemoryPath;

/// A base and two versions that derive from it.
#[derive(Clone)]
pub(super) struct Triple {
    pub(super) path: MemoryPath,
    pub(super) base: Vec<u8>,
    pub(super) x: Vec<u8>,
    pub(super) y: Vec<u8>,
    /// Whether every generated unit has a text of its own.
    pub(super) unique: bool,
    pub(super) has_fence: bool,
    /// Whether a header is no header but content like any other.
    pub(super) raw: bool,
}

impl fmt::Debug for Triple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |t: &[u8]| String::from_utf8_lossy(t).into_owned();
        let [base, x, y] = [&self.base, &self.x, &self.y].map(|t| text(t));
        write!(f, "{}\n base {base:?}\n x    {x:?}\n y    {y:?}", self.path)
    }
}

/// One thing in a body, before it is written down.
#[derive(Debug, Clone)]
enum Unit {
    Heading(u8),
    Paragraph(Vec<u16>),
    Item(u16, Vec<u16>),
    Row(u16),
    Fence(Vec<u16>),
    Blank,
}

/// A change of a list of units.
#[derive(Debug, Clone)]
enum Edit {
    Insert(prop::sample::Index, Unit),
    Append(Unit),
    Delete(prop::sample::Index),
    Change(prop::sample::Index, u16),
    Move(prop::sample::Index, prop::sample::Index),
}

fn word(n: u16) -> String {
    let names = ["deploy", "staging", "tabs", "merge", "never", "review", "schema", "flaky"];
    format!("{} {} rule{n}", names[usize::from(n % 8)], names[usize::from(n / 8 % 8)])
}

fn unit() -> impl Strategy<Value = Unit> {
    let id = || 0u16..400;
    prop_oneof![
        2 => (0u8..60).prop_map(Unit::Heading),
        4 => vec(id(), 1..4).prop_map(Unit::Paragraph),
        5 => (id(), vec(id(), 0..3)).prop_map(|(a, b)| Unit::Item(a, b)),
        1 => id().prop_map(Unit::Row),
        1 => vec(id(), 0..3).prop_map(Unit::Fence),
        2 => Just(Unit::Blank),
    ]
}

fn edit() -> impl Strategy<Value = Edit> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        3 => (at(), unit()).prop_map(|(i, u)| Edit::Insert(i, u)),
        3 => unit().prop_map(Edit::Append),
        2 => at().prop_map(Edit::Delete),
        3 => (at(), 400u16..800).prop_map(|(i, n)| Edit::Change(i, n)),
        1 => (at(), at()).prop_map(|(i, k)| Edit::Move(i, k)),
    ]
}

fn apply(units: &[Unit], edits: &[Edit]) -> Vec<Unit> {
    let mut out = units.to_vec();
    for edit in edits {
        match edit {
            Edit::Insert(at, unit) => out.insert(at.index(out.len() + 1), unit.clone()),
            Edit::Append(unit) => out.push(unit.clone()),
            Edit::Delete(at) if !out.is_empty() => {
                out.remove(at.index(out.len()));
            }
            Edit::Change(at, to) if !out.is_empty() => {
                let at = at.index(out.len());
                change(&mut out[at], *to);
            }
            Edit::Move(from, to) if !out.is_empty() => {
                let unit = out.remove(from.index(out.len()));
                out.insert(to.index(out.len() + 1), unit);
            }
            Edit::Delete(_) | Edit::Change(..) | Edit::Move(..) => {}
        }
    }
    out
}

fn change(unit: &mut Unit, to: u16) {
    match unit {
        Unit::Heading(n) => *n = u8::try_from(to % 60).unwrap(),
        Unit::Item(n, _) | Unit::Row(n) => *n = to,
        Unit::Paragraph(lines) | Unit::Fence(lines) => {
            let len = lines.len();
            if let Some(line) = lines.get_mut(usize::from(to) % len.max(1)) {
                *line = to;
            }
        }
        Unit::Blank => {}
    }
}

fn write(units: &[Unit], eol: &str, end: bool) -> String {
    let mut out = String::new();
    let mut after_paragraph = false;
    for unit in units {
        let is_paragraph = matches!(unit, Unit::Paragraph(_));
        if is_paragraph && after_paragraph {
            out.push('\n');
        }
        after_paragraph = is_paragraph;
        match unit {
            Unit::Heading(n) => out.push_str(&format!("\n## Part {n}\n\n")),
            Unit::Paragraph(lines) => {
                lines.iter().for_each(|n| out.push_str(&format!("Text {}.\n", word(*n))));
            }
            Unit::Item(n, nested) => {
                out.push_str(&format!("- {}\n", word(*n)));
                nested.iter().for_each(|n| out.push_str(&format!("  - why: {}\n", word(*n))));
            }
            Unit::Row(n) => out.push_str(&format!("| {} | {n} |\n", word(*n))),
            Unit::Fence(lines) => {
                out.push_str("```sh\n");
                lines.iter().for_each(|n| out.push_str(&format!("run {}\n", word(*n))));
                out.push_str("```\n");
            }
            Unit::Blank => out.push('\n'),
        }
    }
    if !end {
        out.truncate(out.trim_end().len());
    }
    out.replace('\n', eol)
}

fn path(text: &str) -> MemoryPath {
    MemoryPath::new(text).unwrap()
}

fn body_triple() -> impl Strategy<Value = ([String; 3], bool)> {
    let texts = (vec(unit(), 0..14), vec(edit(), 0..6), vec(edit(), 0..6));
    let style = (prop_oneof![4 => Just("\n"), 1 => Just("\r\n")], any::<[bool; 3]>());
    (texts, style).prop_map(|((mut units, first, second), (eol, ends))| {
        // A base says nothing twice; the edits may.
        let mut seen = HashSet::new();
        units.retain_mut(|unit| match unit {
            Unit::Blank => true,
            Unit::Heading(n) => seen.insert(('#', u16::from(*n))),
            Unit::Row(n) => seen.insert(('|', *n)),
            Unit::Item(n, nested) => {
                nested.retain(|n| seen.insert(('n', *n)));
                seen.insert(('-', *n))
            }
            Unit::Paragraph(lines) | Unit::Fence(lines) => {
                lines.retain(|n| seen.insert(('t', *n)));
                !lines.is_empty()
            }
        });
        let all = [units.clone(), apply(&units, &first), apply(&units, &second)];
        let has_fence = all.iter().flatten().any(|u| matches!(u, Unit::Fence(_)));
        let written = [0, 1, 2].map(|n| write(&all[n], eol, ends[n]));
        (written, has_fence)
    })
}

/// Markdown without a header.
pub(super) fn plain() -> impl Strategy<Value = Triple> {
    body_triple().prop_map(|(texts, has_fence)| {
        let [base, x, y] = texts.map(String::into_bytes);
        Triple { path: path("notes/plain.md"), base, x, y, unique: false, has_fence, raw: false }
    })
}

fn header() -> impl Strategy<Value = String> {
    let text = prop_oneof![
        Just("plain words here"),
        Just("\"quoted: with colon\""),
        Just("other words"),
        Just("'single # hash'"),
        Just("broken: colon"),
    ];
    let kind = prop_oneof![Just("feedback"), Just("project"), Just("odd")];
    let time = (1u8..28).prop_map(|d| format!("2026-03-{d:02}T10:00:00Z"));
    let form = 0u8..4;
    (text.clone(), text, kind, time, form, any::<[bool; 3]>()).prop_map(
        |(name, description, kind, time, form, [extra, comment, list])| {
            let mut out = format!("---\nname: {name}\ndescription: {description}\n");
            if extra {
                out.push_str("triggers: [a, b]\n");
            }
            if comment {
                out.push_str("# a remark\n\n");
            }
            if list {
                out.push_str(&format!("tags:\n  - {kind}\n  - {}\n", &time[8..10]));
            }
            match form {
                0 => out.push_str(&format!("type: {kind}\n")),
                1 => out.push_str(&format!("type: {kind}\noriginSessionId: s-{}\n", &time[8..10])),
                2 => out.push_str(&format!(
                    "metadata: \n  node_type: memory\n  type: {kind}\n  modified: {time}\n"
                )),
                _ => return String::new(),
            }
            out + "---\n\n"
        },
    )
}

/// Notes with headers of all generations, and without.
pub(super) fn notes() -> impl Strategy<Value = Triple> {
    let headers = prop_oneof![
        3 => [header(), header(), header()],
        1 => header().prop_map(|h| [h.clone(), h.clone(), h]),
    ];
    (body_triple(), headers, any::<[bool; 2]>()).prop_map(
        |((texts, has_fence), headers, [bom, crlf])| {
            let [base, x, y] = [0, 1, 2].map(|n| {
                let bom = if bom { "\u{feff}" } else { "" };
                let eol = if texts[n].contains('\r') || crlf { "\r\n" } else { "\n" };
                let header = headers[n].replace('\n', eol);
                format!("{bom}{header}{}", texts[n]).into_bytes()
            });
            Triple { path: path("topic.md"), base, x, y, unique: false, has_fence, raw: false }
        },
    )
}

/// Indexes: entries by target, with hooks that change, headings and prose.
pub(super) fn indexes() -> impl Strategy<Value = Triple> {
    let entry = (0u8..30, 0u8..5);
    let changes = || vec((any::<prop::sample::Index>(), 0u8..6, 0u8..30, 0u8..5), 0..6);
    (vec(entry, 0..15), changes(), changes(), any::<bool>()).prop_map(
        |(entries, first, second, prose)| {
            let mut base: Vec<(u8, u8)> = Vec::new();
            for (target, hook) in entries {
                if base.iter().all(|(t, _)| *t != target) {
                    base.push((target, hook));
                }
            }
            let edited = |changes: &[(prop::sample::Index, u8, u8, u8)]| {
                let mut out = base.clone();
                for (at, what, target, hook) in changes {
                    let at = at.index(out.len() + 1);
                    let known = out.iter().position(|(t, _)| t == target);
                    match (what, known) {
                        (0 | 1, None) => out.insert(at, (*target, *hook)),
                        (2, None) => out.push((*target, *hook)),
                        (3, Some(n)) => out[n].1 = *hook,
                        (4, Some(n)) => {
                            out.remove(n);
                        }
                        (5, Some(n)) => {
                            let entry = out.remove(n);
                            out.insert(at.min(out.len()), entry);
                        }
                        (_, _) => {}
                    }
                }
                out
            };
            let write = |entries: &[(u8, u8)]| {
                let mut out = String::from("# Memory index\n\n");
                for (n, (target, hook)) in entries.iter().enumerate() {
                    if prose && n == 4 {
                        out.push_str("\n## More\n\nSome prose.\n\n");
                    }
                    let word = super::made::word(u16::from(*target) * 5 + u16::from(*hook));
                    out.push_str(&format!("- [Note {target}](n{target}.md) — {word}\n"));
                }
                out.into_bytes()
            };
            let (x, y) = (edited(&first), edited(&second));
            let [base, x, y] = [&base, &x, &y].map(|e| write(e));
            Triple {
                path: path("MEMORY.md"),
                base,
                x,
                y,
                unique: true,
                has_fence: false,
                raw: false,
            }
        },
    )
}

/// Bytes that no note would hold, and text that looks like other formats.
pub(super) fn bytes() -> impl Strategy<Value = Triple> {
    let piece = || {
        prop_oneof![
            3 => vec(any::<u8>(), 0..12),
            2 => Just(b"\n".to_vec()),
            1 => Just(b"---\n".to_vec()),
            1 => Just(b"key: value\n".to_vec()),
            1 => Just(b"<<<<<<< ours\n".to_vec()),
            1 => Just(b"=======\n".to_vec()),
            1 => Just(b"```\n".to_vec()),
            1 => Just(b"<!--\n".to_vec()),
            1 => Just(b"\r\n\r".to_vec()),
            1 => Just(b"- [a](a.md)\n".to_vec()),
            1 => Just(b"\xef\xbb\xbf".to_vec()),
            1 => Just("- \u{6d4b}\u{8bd5}\n".as_bytes().to_vec()),
        ]
    };
    let text = || vec(piece(), 0..12).prop_map(|p| p.concat());
    let name =
        prop_oneof![Just("a.md"), Just("MEMORY.md"), Just(".kith/policy.yaml"), Just("a.bin")];
    (name, text(), text(), text(), text()).prop_map(|(name, head, base, x, y)| Triple {
        path: path(name),
        base: [&*head, &*base].concat(),
        x: [&*head, &*x].concat(),
        y: [&*y, &*head].concat(),
        unique: false,
        has_fence: true,
        raw: true,
    })
}
