//! The checks of a name that others chose: it must be one path, strictly inside the directory,
//! the same on every file system, and look like what it is.

use unicode_normalization::{UnicodeNormalization, is_nfc};

use super::{PATH_DEPTH, Refusal, invisible, show};
use crate::memory::limits::{PATH_BYTES, PATH_COMPONENT_BYTES};
use crate::secrets::redact;

/// Rounds of decoding after which a name that still changes is refused; honest names change in
/// none.
const DECODE_ROUNDS: usize = 8;
/// Names that Windows keeps for devices, whatever extension follows; `COM` and `LPT` with a
/// digit besides.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Checks a path as a tree of others names it: relative, `/` between components, any bytes.
///
/// # Errors
/// The first reason to refuse it: `GitDir`, `Name` or `Unicode`.
pub fn check_name(path: &[u8]) -> Result<(), Refusal> {
    match flaw(path) {
        None => Ok(()),
        Some(Flaw::Git) => Err(Refusal::GitDir { path: show(path) }),
        Some(Flaw::Name(why)) => {
            Err(Refusal::Name { path: show(path), why: why.to_owned(), suggested: suggest(path) })
        }
        Some(Flaw::Unicode(why)) => Err(Refusal::Unicode {
            path: show(path),
            why: why.to_owned(),
            suggested: suggest(path),
        }),
    }
}

/// A name near `path` that [`check_name`] takes, or `None` where none can be made honestly (a
/// path that tries to leave the directory, reach `.git`, or is far too long).
#[must_use]
pub fn suggest(path: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(path).ok()?;
    // A name with a secret in it is not repeated, not even in part.
    if redact(text) != text {
        return None;
    }
    let parts: Vec<String> = text.split('/').map(mend).collect();
    let name = parts.join("/");
    (name != text && flaw(name.as_bytes()).is_none() && redact(&name) == name).then_some(name)
}

enum Flaw {
    Git,
    Name(&'static str),
    Unicode(&'static str),
}

fn flaw(path: &[u8]) -> Option<Flaw> {
    if path.is_empty() {
        return Some(Flaw::Name("it is empty"));
    }
    if path.len() > PATH_BYTES {
        return Some(Flaw::Name("it is too long"));
    }
    let Ok(text) = std::str::from_utf8(path) else {
        return Some(Flaw::Unicode("it is not UTF-8"));
    };
    if let Some(flaw) = climbs(text) {
        return Some(flaw);
    }
    if text.contains('%') || !text.is_ascii() {
        match decoded(text) {
            None => return Some(Flaw::Name("it is encoded many times over")),
            Some(plain) => {
                if let Some(flaw) = climbs(&plain) {
                    return Some(flaw);
                }
            }
        }
    }
    if let Some(why) = unseen(text) {
        return Some(Flaw::Unicode(why));
    }
    if text.split('/').count() > PATH_DEPTH {
        return Some(Flaw::Name("it is nested too deep"));
    }
    if let Some(why) = text.split('/').find_map(component) {
        return Some(Flaw::Name(why));
    }
    (!is_nfc(text)).then_some(Flaw::Unicode("it is not in Unicode's composed form (NFC)"))
}

/// What a text does as a path on some system: leave the directory, or reach a git directory.
fn climbs(text: &str) -> Option<Flaw> {
    if text.contains('\0') {
        return Some(Flaw::Name("it holds a NUL"));
    }
    if text.split(['/', '\\']).any(is_git) {
        return Some(Flaw::Git);
    }
    if text.starts_with(['/', '\\']) || is_drive(text) {
        return Some(Flaw::Name("it is absolute"));
    }
    text.split(['/', '\\'])
        .any(|part| {
            let dots: String = part.chars().filter(|c| invisible::refused(*c).is_none()).collect();
            let dots = dots.trim();
            dots.starts_with("..") && dots.trim_end_matches(['.', ' ']).is_empty()
        })
        .then_some(Flaw::Name("it climbs out of its directory (`..`)"))
}

fn is_drive(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && chars.next() == Some(':')
        && matches!(chars.next(), Some('/' | '\\'))
}

/// Whether some file system takes the component for `.git`: case ignored, characters that HFS+
/// ignores left out, NTFS's short name, stream suffix, trailing dots and spaces.
fn is_git(part: &str) -> bool {
    let seen: String = part
        .chars()
        .filter(|c| invisible::refused(*c).is_none())
        .flat_map(char::to_lowercase)
        .collect();
    let stem = seen.split(':').next().unwrap_or(&seen);
    let stem = stem.trim_start().trim_end_matches(['.', ' ']);
    let short = stem.strip_prefix("git~");
    stem == ".git" || short.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// The text with every layer of percent encoding and compatibility form taken off, or `None` if
/// there seems to be no end of layers.
fn decoded(text: &str) -> Option<String> {
    let mut plain = text.to_owned();
    for _ in 0..DECODE_ROUNDS {
        let next: String = unpercent(&plain).nfkc().collect();
        if next == plain {
            return Some(plain);
        }
        plain = next;
    }
    None
}

/// One round of percent decoding. Overlong UTF-8 for `.`, `/` and `\` counts as what lax
/// decoders make of it.
fn unpercent(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 3).and_then(|two| std::str::from_utf8(two).ok());
        let plain = digits.filter(|two| two.bytes().all(|b| b.is_ascii_hexdigit()));
        match (bytes[at], plain.and_then(|two| u8::from_str_radix(two, 16).ok())) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 3;
            }
            (byte, _) => {
                out.push(byte);
                at += 1;
            }
        }
        match out.as_slice() {
            [.., 0xc0, 0xae] => replace_last_two(&mut out, b'.'),
            [.., 0xc0, 0xaf] => replace_last_two(&mut out, b'/'),
            [.., 0xc1, 0x9c] => replace_last_two(&mut out, b'\\'),
            _ => {}
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn replace_last_two(out: &mut Vec<u8>, byte: u8) {
    out.truncate(out.len() - 2);
    out.push(byte);
}

/// Why a text does not look like what it is.
fn unseen(text: &str) -> Option<&'static str> {
    let mut before = None;
    for c in text.chars() {
        if let Some(why) = invisible::refused(c)
            && !invisible::picks_form(before, c)
        {
            return Some(why);
        }
        before = Some(c);
    }
    None
}

/// Why one component cannot stand on some system.
fn component(part: &str) -> Option<&'static str> {
    if part.is_empty() || part == "." {
        return Some("it has an empty component");
    }
    if part.len() > PATH_COMPONENT_BYTES {
        return Some("a component of it is too long");
    }
    if part.contains('\\') {
        return Some("it holds a backslash");
    }
    if part.contains(['<', '>', ':', '"', '|', '?', '*']) {
        return Some("it holds one of < > : \" | ? *, which Windows has no names with");
    }
    if part.ends_with(['.', ' ']) {
        return Some("it ends in a dot or a space, which Windows drops");
    }
    is_device(part).then_some("Windows keeps that name for a device")
}

fn is_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).trim_end();
    // The compatibility form turns the superscript digits, which Windows takes too, into digits.
    let stem: String = stem.nfkc().flat_map(char::to_lowercase).collect();
    let numbered = |kind: &str| {
        stem.strip_prefix(kind).is_some_and(|n| n.len() == 1 && n.as_bytes()[0].is_ascii_digit())
    };
    DEVICES.contains(&stem.as_str()) || numbered("com") || numbered("lpt")
}

/// The component as it could stand everywhere.
fn mend(part: &str) -> String {
    let mut before = None;
    let mut out = String::with_capacity(part.len());
    for c in part.nfc() {
        match c {
            '<' | '>' | ':' | '"' | '|' | '?' | '*' | '\\' => out.push('-'),
            c if invisible::refused(c).is_none() || invisible::picks_form(before, c) => out.push(c),
            _ => {}
        }
        before = Some(c);
    }
    let mut out: String = out.trim_end_matches(['.', ' ']).nfc().collect();
    if is_device(&out) {
        let stem = out.find('.').unwrap_or(out.len());
        out.insert(stem, '_');
    }
    out
}
