//! Readers of structures: key blocks, credentials in URLs, authorization headers. Each gets the
//! place of its keyword and returns the range of the secret with its tier. No rule data here.

use std::ops::Range;

use super::checks::decode_base64;
use super::rule::Tier;
use super::value::{Classes, entropy, is_masked, wordiness};

/// Longest label between `-----BEGIN` and the closing dashes.
const LABEL_REACH: usize = 64;
/// A key body has at least so many base64 digits.
const LEAST_BODY: usize = 24;
/// Longest user, password and host that are read.
const AUTHORITY_REACH: usize = 300;
/// Longest header value.
const HEADER_REACH: usize = 2048;

/// A private key block that starts at `start`, to its end line or the end of its body.
pub(super) fn pem(text: &[u8], start: usize) -> Option<(Range<usize>, Tier)> {
    let label_end = start + b"-----BEGIN".len();
    let label = &text[label_end..text.len().min(label_end + LABEL_REACH)];
    let dashes = label.windows(5).position(|here| here == b"-----")?;
    if !label[..dashes].windows(11).any(|here| here == b"PRIVATE KEY") {
        return None;
    }
    let body_start = label_end + dashes + 5;
    let in_body = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || byte.is_ascii_whitespace()
            || matches!(byte, b'+' | b'/' | b'=' | b'\\' | b'"' | b'\'' | b',' | b':' | b'.' | b'-')
            || matches!(byte, b'>' | b'#' | b'*' | b'|' | b'(' | b')')
    };
    let rest = &text[body_start..];
    // No further than the next dashes: many headers in a row are each read once.
    let goes_on = |at: &usize| in_body(&rest[*at]) && !rest[*at..].starts_with(b"-----");
    let length = (0..rest.len()).take_while(goes_on).count();
    let mut end = body_start + length;
    if rest[length..].starts_with(b"-----END") {
        let tail = &rest[length + 8..rest.len().min(length + 8 + LABEL_REACH)];
        let close = tail.windows(5).position(|here| here == b"-----").map_or(0, |it| it + 5);
        end += 8 + close;
    }
    let body = &rest[..length];
    let line = longest_line(body);
    let digits = body.iter().filter(|byte| byte.is_ascii_alphanumeric()).count();
    let holds = digits >= LEAST_BODY && line >= LEAST_BODY && entropy(body) >= 3.0;
    (holds && !body.windows(3).any(|here| here == b"..." || here.eq_ignore_ascii_case(b"xxx")))
        .then_some((start..end, Tier::Block))
}

/// The longest unbroken row of base64 digits.
fn longest_line(body: &[u8]) -> usize {
    let digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    body.split(|byte| !digit(byte)).map(<[u8]>::len).max().unwrap_or(0)
}

/// Passwords that nobody means as a secret; only what guards them makes them one.
const TRIVIAL: [&str; 24] = [
    "password",
    "pass",
    "pwd",
    "passwd",
    "pw",
    "secret",
    "user",
    "username",
    "root",
    "admin",
    "postgres",
    "mysql",
    "guest",
    "test",
    "token",
    "mypassword",
    "mypass",
    "foo",
    "bar",
    "123456",
    "12345678",
    "1234",
    "p",
    "x",
];

/// The password of `scheme://user:password@host`, whose `://` is at `keyword`.
pub(super) fn url(text: &[u8], keyword: Range<usize>) -> Option<(Range<usize>, Tier)> {
    let start = keyword.end;
    let scheme = text[..keyword.start].last()?;
    if !scheme.is_ascii_alphanumeric() {
        return None;
    }
    let ends = |byte: &u8| {
        *byte <= b' '
            || matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>')
            || matches!(byte, b'\\' | b'|' | b')' | b']')
    };
    let authority = &text[start..text.len().min(start + AUTHORITY_REACH)];
    let authority = authority.split(ends).next()?;
    let at = authority.iter().rposition(|&byte| byte == b'@')?;
    let colon = authority[..at].iter().position(|&byte| byte == b':')?;
    let (user, password) = (&authority[..colon], &authority[colon + 1..at]);
    let in_host = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let host_end = authority[at + 1..].iter().position(|byte| !in_host(byte));
    let host = &authority[at + 1..host_end.map_or(authority.len(), |length| at + 1 + length)];
    let tier = judge_login(user, password, host)?;
    Some((start + colon + 1..start + at, tier))
}

fn judge_login(user: &[u8], password: &[u8], host: &[u8]) -> Option<Tier> {
    let is_reference = |part: &[u8]| part.iter().any(|byte| matches!(byte, b'$' | b'{' | b'['));
    if password.is_empty() || host.is_empty() || is_masked(password) {
        return None;
    }
    if is_reference(&password[..1]) || password.contains(&b'{') || is_masked(user) {
        return None;
    }
    let lower = password.to_ascii_lowercase();
    let trivial = TRIVIAL.iter().any(|it| it.as_bytes() == lower) || password == user;
    let classes = Classes::of(password);
    let shouts = classes.lower + classes.digit == 0 && wordiness(password) >= 0.5;
    match (trivial || password.len() < 4 || shouts, is_nowhere(host)) {
        (true, true) => None,
        (true, false) => (!shouts).then_some(Tier::Warn),
        (false, true) if classes.kinds() < 2 || password.len() < 8 => Some(Tier::Warn),
        (false, _) => Some(Tier::Block),
    }
}

/// Hosts that examples use: this machine, the reserved names.
fn is_nowhere(host: &[u8]) -> bool {
    let lower = host.to_ascii_lowercase();
    let parts: Vec<&[u8]> = lower.split(|&byte| byte == b'.').collect();
    let reserved =
        |part: &&[u8]| [&b"example"[..], b"localhost", b"invalid", b"test"].contains(part);
    lower.starts_with(b"127.")
        || lower == b"0.0.0.0"
        || lower == b"host"
        || lower == b"hostname"
        || parts.iter().rev().take(2).any(reserved)
}

/// The credential after `Bearer ` or `Basic ` at `keyword`.
pub(super) fn header(text: &[u8], keyword: Range<usize>) -> Option<(Range<usize>, Tier)> {
    let start = keyword.end;
    let part = |byte: &&u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'.' | b'_' | b'~' | b'+' | b'/' | b'=' | b'-')
    };
    let length = text[start..].iter().take(HEADER_REACH).take_while(part).count();
    let value = &text[start..start + length];
    if length < 12 || is_masked(value) {
        return None;
    }
    let is_secret = if text[keyword].eq_ignore_ascii_case(b"basic ") {
        let decoded = decode_base64(value);
        let printable = decoded.iter().all(|byte| (b' '..=b'~').contains(byte));
        let colon = decoded.iter().position(|&byte| byte == b':');
        let password = colon.map(|at| decoded[at + 1..].to_ascii_lowercase());
        let before = &text[start.saturating_sub(40)..start];
        printable
            && before.windows(4).any(|here| here.eq_ignore_ascii_case(b"auth"))
            && password.is_some_and(|it| {
                it.len() >= 4 && !is_masked(&it) && !TRIVIAL.iter().any(|t| t.as_bytes() == it)
            })
    } else {
        let classes = Classes::of(value);
        let random = classes.digit > 1 && classes.letters() > 1 && wordiness(value) < 0.4;
        length >= 16 && random && entropy(value) >= 3.0
    };
    is_secret.then_some((start..start + length, Tier::Block))
}
