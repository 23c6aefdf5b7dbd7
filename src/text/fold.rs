//! Unicode forms: one spelling of a text, and a key that is equal where file systems would
//! confuse two names.

use unicode_normalization::UnicodeNormalization;

/// The text in its composed form (NFC).
#[must_use]
pub fn nfc(text: &str) -> String {
    text.nfc().collect()
}

/// A key that is equal for two names wherever a case-insensitive or normalising file system would
/// take them for the same file.
///
/// Case is folded by way of upper case, so that `ß` and `ss`, or the two small sigmas, agree.
#[must_use]
pub fn fold_key(text: &str) -> String {
    let once = |s: &str| -> String {
        s.nfd().flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfc().collect()
    };
    // Upper case can yield characters that decompose again; the second round settles them.
    once(&once(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_that_collide_have_equal_keys() {
        assert_eq!(fold_key("Feedback_Tests.md"), fold_key("feedback_tests.md"));
        assert_eq!(fold_key("caf\u{e9}.md"), fold_key("cafe\u{301}.MD"));
        assert_eq!(fold_key("stra\u{df}e"), fold_key("STRASSE"));
        assert_eq!(fold_key("\u{3c2}"), fold_key("\u{3c3}"));
        assert_ne!(fold_key("a.md"), fold_key("b.md"));
    }

    #[test]
    fn nfc_composes() {
        assert_eq!(nfc("e\u{301}"), "\u{e9}");
    }

    proptest! {
        #[test]
        fn a_key_is_its_own_key(text in "\\PC{0,20}") {
            let key = fold_key(&text);
            prop_assert_eq!(fold_key(&key), key);
        }
    }
}
