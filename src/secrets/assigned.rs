//! Judges whether a value that a name was given is a secret, by what `names.rs` says of the name
//! and `value.rs` of the value.

use super::assign::Assigned;
use super::names::{NameKind, judge_name};
use super::rule::Tier;
use super::value::{Classes, entropy, is_hex, is_masked, is_sequence, is_uuid, wordiness};

/// How far before a name a resource name (`arn:…`) is looked for, in bytes.
const RESOURCE_REACH: usize = 64;
/// A random value from this length on is a secret where its name says so.
const LONG_SECRET: usize = 32;
/// The same where the name says whose it is.
const NAMED_SECRET: usize = 20;

/// How sure it is that an assignment gives a secret, or `None`.
pub(super) fn judge(text: &[u8], assigned: &Assigned) -> Option<Tier> {
    let kind = judge_name(&text[assigned.name.clone()])?;
    let before = &text[assigned.name.start.saturating_sub(RESOURCE_REACH)..assigned.name.start];
    let word_before = before.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
    if word_before.windows(4).any(|here| here == b"arn:") {
        return None;
    }
    let value = &text[assigned.value.clone()];
    let rest = &text[assigned.value.end..];
    let cut_off = rest.starts_with(b"..") || rest.starts_with("\u{2026}".as_bytes());
    if cut_off || is_masked(value) || is_sequence(value) || says_no_secret(value, assigned.quoted) {
        return None;
    }
    let tier = match kind {
        NameKind::Password => judge_password(value)?,
        NameKind::Secret { named } => judge_secret(value, named)?,
        NameKind::Weak => judge_secret(value, false).filter(|_| value.len() >= NAMED_SECRET)?,
    };
    Some(if assigned.loose { Tier::Warn } else { tier })
}

/// Beginnings of things that are code, references, places or digests.
const NOT_VALUES: [&str; 27] = [
    "$",
    "%",
    "{",
    "[",
    "/",
    "./",
    "../",
    "~/",
    "http://",
    "https://",
    "#",
    "&",
    "process.",
    "os.",
    "env.",
    "self.",
    "this.",
    "config.",
    "settings.",
    "var.",
    "local.",
    "data.",
    "sha256",
    "sha512",
    "sha384",
    "sha1",
    "md5",
];
/// Ends of file names.
const FILE_ENDS: [&str; 20] = [
    ".md", ".json", ".yaml", ".yml", ".txt", ".toml", ".env", ".pem", ".key", ".rs", ".py", ".js",
    ".ts", ".tsx", ".sh", ".go", ".html", ".css", ".sql", ".com",
];
/// Words that say that a value is made up.
const MADE_UP: [&str; 12] = [
    "fake", "sample", "secret_", "secret-", "short", "not_", "not-", "my-", "my_", "test-", "todo",
    "none",
];

fn says_no_secret(value: &[u8], quoted: bool) -> bool {
    let lower = value.to_ascii_lowercase();
    let classes = Classes::of(value);
    let code = |byte: &u8| matches!(byte, b'(' | b'[' | b'{' | b'}' | b']');
    NOT_VALUES.iter().any(|it| lower.starts_with(it.as_bytes()))
        || FILE_ENDS.iter().any(|it| lower.ends_with(it.as_bytes()))
        || MADE_UP.iter().any(|it| lower.starts_with(it.as_bytes()))
        || lower.windows(4).any(|here| here == b"fake")
        || lower.windows(3).any(|here| here == b"://")
        || (!quoted && value.iter().any(code))
        || value.iter().any(|byte| byte.is_ascii_whitespace() || *byte >= 0x80)
        || classes.letters() == 0
}

fn judge_password(value: &[u8]) -> Option<Tier> {
    let classes = Classes::of(value);
    let words = wordiness(value);
    let mixed = classes.digit > 0 && classes.kinds() >= 2;
    if value.len() < 6 || (words >= 0.6 && classes.digit == 0) || is_uuid(value) {
        return None;
    }
    let real = value.len() >= 8
        && ((mixed && (classes.kinds() >= 3 || words < 0.5))
            || (classes.kinds() >= 2 && words < 0.3 && entropy(value) >= 3.0));
    if real {
        return Some(Tier::Block);
    }
    mixed.then_some(Tier::Warn)
}

fn judge_secret(value: &[u8], named: bool) -> Option<Tier> {
    let classes = Classes::of(value);
    let least = if is_hex(value) { 2.7 } else { 3.0 };
    let mixed = classes.digit >= 2 && classes.letters() >= 4;
    let unlike_words = wordiness(value) < 0.35;
    if is_uuid(value) {
        return named.then_some(Tier::Warn);
    }
    if value.len() < 10 || !unlike_words || entropy(value) < least {
        return None;
    }
    let both_cases = classes.upper >= 4 && classes.lower >= 4;
    let lettered = both_cases && value.len() >= 20 && entropy(value) >= 3.6;
    if !(mixed || lettered) {
        return None;
    }
    let long = value.len() >= LONG_SECRET;
    let sure = if has_vendor_prefix(value) {
        // A vendor's own rule decides about its format; what fails there is malformed or unknown.
        false
    } else if is_hex(value) {
        // A bare `token: 40 hex digits` may be any digest; with an owner it is a credential.
        named && long
    } else {
        // Enough of every kind of byte: no identifier, digest or version reads so.
        let every_kind = classes.upper.min(classes.lower).min(classes.digit) >= 3;
        every_kind && value.len() >= if named { NAMED_SECRET } else { LONG_SECRET }
    };
    Some(if sure { Tier::Block } else { Tier::Warn })
}

/// Begins as vendors mark their tokens: `sk-…`, `acme_live_…`.
fn has_vendor_prefix(value: &[u8]) -> bool {
    let mark = value.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    (2..=12).contains(&mark)
        && matches!(value.get(mark), Some(b'_' | b'-'))
        && Classes::of(&value[..mark]).kinds() == 1
}
