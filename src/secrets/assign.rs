//! Reads `name = value` in the forms that code, configuration, commands and prose give it. Whether
//! the value is a secret is for `assigned.rs` to say.

use std::ops::Range;

use super::names::judge_name;

/// Longest name in bytes, to each side of a keyword.
const NAME_REACH: usize = 64;
/// Longest value in bytes.
const VALUE_REACH: usize = 512;
/// Longest white space or punctuation between name, operator and value.
const GAP_REACH: usize = 16;
/// Longest indentation of a value on its own line.
const INDENT_REACH: usize = 40;
/// Words that may stand between a name and its operator (`var token string = …`).
const WORDS_BETWEEN: usize = 3;

/// A name with its value.
pub(super) struct Assigned {
    /// The whole name around the keyword.
    pub(super) name: Range<usize>,
    /// The value without quotes; never empty.
    pub(super) value: Range<usize>,
    /// The value stands in quotes.
    pub(super) quoted: bool,
    /// Other words stand between name and value.
    pub(super) loose: bool,
}

/// Reads the assignment whose name contains `keyword`.
pub(super) fn read(text: &[u8], keyword: Range<usize>) -> Option<Assigned> {
    let name = name_around(text, keyword);
    let Link { name_end, value_at, operator } = link_after(text, &name)?;
    let (value, quoted) = value_after(text, value_at, operator, &name)?;
    let loose = operator == Operator::Is || name_end > name.end;
    Some(Assigned { name: name.start..name_end, value, quoted, loose })
}

/// The value of a name that has the whole word `keyword` (a vendor) in it and speaks of a secret,
/// or is that word alone.
pub(super) fn read_named(text: &[u8], keyword: Range<usize>) -> Option<Range<usize>> {
    let starts_word = match text[..keyword.start] {
        [.., last] => !last.is_ascii_lowercase() || text[keyword.start].is_ascii_uppercase(),
        [] => true,
    };
    if !starts_word {
        return None;
    }
    let assigned = read(text, keyword.clone())?;
    let secret = assigned.name == keyword || judge_name(&text[assigned.name.clone()]).is_some();
    secret.then_some(assigned.value)
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// The whole name that `keyword` is part of.
pub(super) fn name_around(text: &[u8], keyword: Range<usize>) -> Range<usize> {
    let before = text[keyword.start.saturating_sub(NAME_REACH)..keyword.start].iter().rev();
    let after = text[keyword.end..].iter().take(NAME_REACH);
    let left = before.take_while(|&&byte| is_name(byte)).count();
    let right = after.take_while(|&&byte| is_name(byte)).count();
    keyword.start - left..keyword.end + right
}

fn skip(text: &[u8], from: usize, most: usize, wanted: impl Fn(u8) -> bool) -> usize {
    from + text[from.min(text.len())..].iter().take(most).take_while(|&&byte| wanted(byte)).count()
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    /// `=`, `:`, `:=`, `=>` and their like.
    Assign,
    /// The `>` of an element's start tag.
    Tag,
    /// A comma, a table's bar, or a blank after an option.
    Beside,
    /// The word "is" of a sentence.
    Is,
}

/// What lies between a name and its value.
struct Link {
    /// Words before the operator belong to the name: `token digest: …` is no token.
    name_end: usize,
    value_at: usize,
    operator: Operator,
}

fn link_after(text: &[u8], name: &Range<usize>) -> Option<Link> {
    let closer = |byte| is_blank(byte) || matches!(byte, b'"' | b'\'' | b'`' | b'*' | b']' | b'\\');
    let mut at = skip(text, name.end, GAP_REACH, closer);
    let closed = text[name.end..at].iter().any(|&byte| matches!(byte, b'"' | b'\''));
    let mut name_end = name.end;
    for words in 0..=WORDS_BETWEEN {
        let link = |value_at, operator| Some(Link { name_end, value_at, operator });
        let end = skip(text, at, 4, |byte| matches!(byte, b':' | b'=' | b'?' | b'>' | b'.' | b'~'));
        match &text[at..end] {
            [] => match text.get(at) {
                Some(b',') if closed && words == 0 => return link(at + 1, Operator::Beside),
                Some(b'|') if words == 0 => return link(at + 1, Operator::Beside),
                _ if words == 0 && separated_by_blank(text, name, at) => {
                    return link(at, Operator::Beside);
                }
                _ => {}
            },
            [b'>'] => return link(end, Operator::Tag),
            signs if signs.contains(&b'=') || signs.ends_with(b":") => {
                return link(end, Operator::Assign);
            }
            _ => return None,
        }
        let word = skip(text, at, 24, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let next = skip(text, word, 4, is_blank);
        if text[at..word].eq_ignore_ascii_case(b"is") && next > word {
            return link(next, Operator::Is);
        }
        if word == at || (next == word && !matches!(text.get(word), Some(b':' | b'='))) {
            return None;
        }
        (at, name_end) = (next, word);
    }
    None
}

/// `--token VALUE` on a command line, `password VALUE` behind a login in a netrc file.
fn separated_by_blank(text: &[u8], name: &Range<usize>, at: usize) -> bool {
    let is_option = text[name.clone()].starts_with(b"--") && at == name.end + 1;
    let before = &text[name.start.saturating_sub(200)..name.start];
    let is_netrc = text[name.clone()].eq_ignore_ascii_case(b"password")
        && before.windows(6).any(|here| here == b"login ")
        && before.windows(8).any(|here| here == b"machine ");
    is_option || is_netrc
}

/// The value at or after `at`, and whether it stands in quotes.
fn value_after(
    text: &[u8],
    at: usize,
    operator: Operator,
    name: &Range<usize>,
) -> Option<(Range<usize>, bool)> {
    let opener = |byte| is_blank(byte) || matches!(byte, b'*' | b'(' | b'\\' | b'@');
    let mut start = skip(text, at, GAP_REACH, opener);
    if matches!(text.get(start), Some(b'\n' | b'\r')) {
        let line = skip(text, start, INDENT_REACH, |byte| byte.is_ascii_whitespace());
        if operator != Operator::Tag && !matches!(text.get(line), Some(b'"' | b'\'')) {
            return None;
        }
        start = line;
    }
    let quote = text.get(start).copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    if let Some(quote) = quote {
        let end = skip(text, start + 1, VALUE_REACH, |byte| byte != quote && byte != b'\n');
        if text.get(end) == Some(&quote) {
            // An escaped quote ends with its backslash.
            let escaped = usize::from(text[end - 1] == b'\\' && end > start + 1);
            let value = start + 1..end - escaped;
            return (!value.is_empty()).then_some((value, true));
        }
        start += 1;
    }
    let in_query = name.start > 0 && matches!(text[name.start - 1], b'?' | b'&');
    let part = |byte: u8| {
        let ends = matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b',' | b';' | b'|' | b')');
        !(ends || byte.is_ascii_whitespace() || (in_query && byte == b'&'))
    };
    let mut end = skip(text, start, VALUE_REACH, part);
    if let Some(escape) = escape_in(&text[start..end]) {
        end = start + escape;
    }
    while end > start && matches!(text[end - 1], b'.' | b':' | b'*' | b'\\' | b'?') {
        end -= 1;
    }
    let typed = skip(text, end, GAP_REACH, is_blank);
    if text.get(typed) == Some(&b'=') && operator == Operator::Assign && typed > end {
        // `token: &str = "…"`: that was the type.
        return value_after(text, typed + 1, Operator::Beside, name);
    }
    (end > start).then_some((start..end, false))
}

/// Where an escaped line break or quote ends a value inside a string.
fn escape_in(value: &[u8]) -> Option<usize> {
    value.windows(2).position(|pair| matches!(pair, [b'\\', b'n' | b'r' | b't']))
}
