//! How a path that others chose is printed.

use std::fmt::Write as _;

use super::invisible;
use crate::secrets;

/// Most characters of a path that are printed; a hostile one may have megabytes.
const SHOWN_CHARS: usize = 512;

/// The path as it may be printed anywhere: a secret in it is `<redacted:rule>`, bytes that are
/// not UTF-8 are `\xNN`, and control, bidi and invisible characters are `\u{…}`, so that a name
/// can neither leak, nor drive a terminal, nor pass for another one.
#[must_use]
pub fn show(path: &[u8]) -> String {
    let mut text = String::with_capacity(path.len());
    for chunk in path.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a String cannot fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    let text = secrets::redact(&text);
    let mut out = String::with_capacity(text.len());
    let mut before = None;
    for (at, c) in text.chars().enumerate() {
        if at == SHOWN_CHARS {
            out.push('…');
            break;
        }
        match invisible::refused(c) {
            Some(_) if !invisible::picks_form(before, c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            Some(_) | None => out.push(c),
        }
        before = Some(c);
    }
    out
}
