//! The name that Claude Code gives a project's folder.

use std::fs;
use std::path::Path;

use crate::text::nfc;

/// Characters of a slug that stand for the path itself; a longer one is cut here and gets a hash.
const SLUG_UNITS: usize = 200;

/// The slug of a path: in NFC, every character but ASCII letters and digits becomes `-`. More
/// than 200 characters: the first 200, `-`, and a hash of the path.
///
/// A character is a UTF-16 unit, as in the client, so that one beyond the basic plane becomes
/// two dashes. Of the two hashes in the field this is the one that the client computes today:
/// 31 times the hash so far plus the unit, in 32 bits with a sign, its amount in base 36.
#[must_use]
pub fn slug(path: &Path) -> String {
    let text = nfc(&path.to_string_lossy());
    let mut slug = plain(&text);
    if slug.len() > SLUG_UNITS {
        slug.truncate(SLUG_UNITS);
        slug.push('-');
        slug.push_str(&hash(&text));
    }
    slug
}

/// Every character but ASCII letters and digits as `-`.
pub(super) fn plain(text: &str) -> String {
    text.encode_utf16()
        .map(|unit| {
            u8::try_from(unit).ok().filter(u8::is_ascii_alphanumeric).map_or('-', char::from)
        })
        .collect()
}

/// The part of a long slug that does not depend on the hash, with its dash; `None` if the slug is
/// a short one.
pub(super) fn stem(slug: &str) -> Option<&str> {
    (slug.len() > SLUG_UNITS).then(|| &slug[..=SLUG_UNITS])
}

/// The folders in `projects` that a slug may mean: itself, and where it is a long one also those
/// with another hash, itself first and the others in order of name.
pub(super) fn folders(projects: &Path, slug: &str) -> Vec<String> {
    let mut names: Vec<String> = match stem(slug) {
        None => Vec::new(),
        Some(stem) => fs::read_dir(projects)
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| name.starts_with(stem) && name != slug && projects.join(name).is_dir())
            .collect(),
    };
    names.sort_unstable();
    names.insert(0, slug.to_owned());
    names
}

/// The folder that a slug means: its own if that is there, or if there is no one other that
/// differs by the hash alone. Of two others neither can be told to be the right one.
pub(super) fn existing(projects: &Path, slug: String) -> String {
    if stem(&slug).is_none() || projects.join(&slug).is_dir() {
        return slug;
    }
    match folders(projects, &slug).as_slice() {
        [_, other] => other.clone(),
        _ => slug,
    }
}

fn hash(text: &str) -> String {
    let sum = text
        .encode_utf16()
        .fold(0_i32, |sum, unit| sum.wrapping_mul(31).wrapping_add(i32::from(unit)));
    let mut rest = sum.unsigned_abs();
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(rest % 36, 36).expect("a rest of 36 is a digit in base 36"));
        rest /= 36;
        if rest == 0 {
            return digits.iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn of(path: &str) -> String {
        slug(Path::new(path))
    }

    #[test]
    fn everything_but_letters_and_digits_becomes_a_dash() {
        assert_eq!(of("/home/me/My_repo.v2"), "-home-me-My-repo-v2");
        assert_eq!(of("/a//b--c"), "-a--b--c");
        assert_eq!(of("/p/記憶"), "-p---");
        assert_eq!(of("/p/e\u{1f600}\u{e9}.x"), "-p-e----x");
    }

    #[test]
    fn both_unicode_forms_have_one_slug() {
        assert_eq!(of("/p/ne\u{301}"), of("/p/n\u{e9}"));
        assert_eq!(of("/p/ne\u{301}"), "-p-n-");
    }

    #[test]
    fn a_long_slug_is_cut_and_ends_in_the_hash_of_the_path() {
        let name = "d".repeat(120);
        let long = of(&format!("/tmp/ccw/long/{name}/{name}"));
        assert_eq!(long.len(), 207);
        assert!(long.ends_with("ddd-pp2z3v"), "{long}");
        assert_eq!(of(&format!("/{}", "x".repeat(199))).len(), 200);
    }

    #[test]
    fn a_folder_with_another_hash_is_found_unless_two_could_be_meant() {
        let temp = tempfile::tempdir().unwrap();
        let long = of(&format!("/{}", "x".repeat(300)));
        assert_eq!(existing(temp.path(), long.clone()), long);
        let other = format!("{}other", stem(&long).unwrap());
        fs::create_dir(temp.path().join(&other)).unwrap();
        assert_eq!(existing(temp.path(), long.clone()), other);
        fs::create_dir(temp.path().join(format!("{other}2"))).unwrap();
        assert_eq!(existing(temp.path(), long.clone()), long);
        fs::create_dir(temp.path().join(&long)).unwrap();
        fs::remove_dir(temp.path().join(&other)).unwrap();
        assert_eq!(existing(temp.path(), long.clone()), long);
    }
}
