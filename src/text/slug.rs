//! File names made from prose.

use unicode_normalization::UnicodeNormalization;

/// Characters of a slug at most (fits every file system with a folder and a suffix around it).
const SLUG_CHARS: usize = 60;
/// Offset basis of the 64-bit FNV-1a hash (its published constant).
const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
/// Prime of the 64-bit FNV-1a hash (its published constant).
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

/// A kebab-case name of at most 60 ASCII characters; cut at a word where it is too long.
///
/// Letters lose their accents. A text without any ASCII letter or digit gives `note-` and a short
/// hash of it, and so do names that Windows keeps for devices.
#[must_use]
pub fn slug(text: &str) -> String {
    let mut out = String::new();
    let mut gap = false;
    for c in text.nfkd().flat_map(char::to_lowercase).flat_map(ascii) {
        if c.is_ascii_alphanumeric() {
            if gap && !out.is_empty() {
                out.push('-');
            }
            gap = false;
            out.push(c);
        } else if c != '\'' && c != '\u{2019}' && !is_mark(c) {
            gap = true;
        }
    }
    if out.len() > SLUG_CHARS {
        let cut = out[..=SLUG_CHARS].rfind('-').filter(|at| *at > 0).unwrap_or(SLUG_CHARS);
        out.truncate(cut);
    }
    if out.is_empty() || is_device(&out) { fallback(text) } else { out }
}

/// The few Latin letters that have no decomposition, spelled in ASCII.
fn ascii(c: char) -> impl Iterator<Item = char> {
    let spelled: &'static str = match c {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'ł' => "l",
        'þ' => "th",
        'ı' => "i",
        _ => "",
    };
    spelled.chars().chain(spelled.is_empty().then_some(c))
}

/// Combining marks vanish instead of parting a word.
fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

/// Device names that no Windows file may have, with or without an extension.
fn is_device(name: &str) -> bool {
    let numbered = |prefix: &str| {
        name.strip_prefix(prefix).is_some_and(|n| matches!(n.as_bytes(), [b'0'..=b'9']))
    };
    matches!(name, "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
}

fn fallback(text: &str) -> String {
    let hash =
        text.trim().bytes().fold(FNV_OFFSET, |h, b| (h ^ u64::from(b)).wrapping_mul(FNV_PRIME));
    format!("note-{:08x}", (hash >> 32) ^ (hash & 0xffff_ffff))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn prose_becomes_a_kebab_name() {
        assert_eq!(slug("Prefers Tabs over   spaces!"), "prefers-tabs-over-spaces");
        assert_eq!(slug("Don't café Straße Øre"), "dont-cafe-strasse-ore");
        assert_eq!(slug("--a__b--"), "a-b");
    }

    #[test]
    fn a_text_without_ascii_and_a_device_name_fall_back_to_a_hash() {
        assert!(slug("测试记忆").starts_with("note-"));
        assert_ne!(slug("测试记忆"), slug("测试"));
        assert!(slug("").starts_with("note-"));
        assert!(slug("AUX").starts_with("note-"));
        assert_eq!(slug("auxiliary"), "auxiliary");
    }

    #[test]
    fn a_long_text_is_cut_at_a_word() {
        let name = slug(&"word ".repeat(40));
        assert!(name.len() <= SLUG_CHARS && name.ends_with("word"));
        assert_eq!(slug(&"x".repeat(100)).len(), SLUG_CHARS);
    }

    proptest! {
        #[test]
        fn a_slug_is_short_ascii_kebab_and_its_own_slug(text in "\\PC{0,80}") {
            let name = slug(&text);
            prop_assert!(!name.is_empty() && name.len() <= SLUG_CHARS);
            prop_assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'));
            prop_assert!(!name.starts_with('-') && !name.ends_with('-'));
            prop_assert_eq!(slug(&name), name.clone());
        }
    }
}
