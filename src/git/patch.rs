//! What differs, as entries and as text: a commit from its first parent, the index from `HEAD`, one
//! text from another as a unified patch. Texts lose their secrets before they are compared, so that
//! no patch holds one, whole or in pieces.

use super::{Changed, CommitInfo, Leaf, Oid, Repo, Result};
use crate::secrets;
use std::collections::BTreeMap;

/// Unchanged lines around a change, as git shows them.
const CONTEXT_LINES: u32 = 3;
/// A NUL among this many first bytes makes a file binary (git's own rule).
const BINARY_PROBE_BYTES: usize = 8_000;

/// The difference between two versions of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    /// Hunks in unified form, without a file header; empty for binary files.
    pub text: String,
    /// Whether either version is no text.
    pub is_binary: bool,
    /// Whether a secret was taken out of either version.
    pub is_redacted: bool,
}

/// The patch from `old` to `new` (`None`: no such file). Bytes that are no UTF-8 are replaced.
pub fn patch(old: Option<&[u8]>, new: Option<&[u8]>) -> Result<Patch> {
    let both = [old.unwrap_or_default(), new.unwrap_or_default()];
    if both.iter().any(|bytes| is_binary(bytes)) {
        return Ok(Patch { is_binary: true, ..Patch::default() });
    }
    let texts = both.map(String::from_utf8_lossy);
    let clean = [secrets::redact(&texts[0]), secrets::redact(&texts[1])];
    let is_redacted = clean.iter().zip(&texts).any(|(clean, text)| clean != text);
    let mut options = git2::DiffOptions::new();
    options.context_lines(CONTEXT_LINES).indent_heuristic(true).force_text(true);
    let made = git2::Patch::from_buffers(
        clean[0].as_bytes(),
        None,
        clean[1].as_bytes(),
        None,
        Some(&mut options),
    )?;
    let mut text = String::new();
    for hunk in 0..made.num_hunks() {
        let (head, lines) = made.hunk(hunk)?;
        text.push_str(&String::from_utf8_lossy(head.header()));
        for line in 0..lines {
            let line = made.line_in_hunk(hunk, line)?;
            // The other origins are git's remarks on a missing last newline.
            if matches!(line.origin(), '+' | '-' | ' ') {
                text.push(line.origin());
            }
            text.push_str(&String::from_utf8_lossy(line.content()));
        }
    }
    // The marks of a patch can join what the two texts kept apart.
    let text = secrets::redact(&text).into_owned();
    Ok(Patch { text, is_binary: false, is_redacted })
}

fn is_binary(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(BINARY_PROBE_BYTES)].contains(&0)
}

impl Repo {
    /// What a commit changed: against its first parent, a first commit against nothing.
    pub fn changes_of(&self, commit: &CommitInfo) -> Result<Vec<Changed>> {
        let parent = self.tree_of(commit.parents.first().copied())?;
        self.diff(parent, Some(commit.tree))
    }

    /// The entries of the index that are not those of the tree: what a person has staged.
    pub fn staged(&self, tree: Option<Oid>) -> Result<BTreeMap<Vec<u8>, Leaf>> {
        let file = self.dir().join("index");
        if !file.exists() {
            return Ok(BTreeMap::new());
        }
        let committed = self.leaves(tree)?;
        let index = git2::Index::open(&file)?;
        let entries = index.iter().map(|e| (e.path, Leaf { mode: e.mode, id: Oid(e.id) }));
        Ok(entries.filter(|(path, leaf)| committed.get(path) != Some(leaf)).collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn text(old: &str, new: &str) -> String {
        patch(Some(old.as_bytes()), Some(new.as_bytes())).unwrap().text
    }

    #[test]
    fn a_changed_line_is_shown_with_the_lines_around_it() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let shown = text(old, &old.replace('5', "five"));
        assert_eq!(shown, "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
    }

    #[test]
    fn a_new_file_is_all_added_and_a_removed_one_all_removed() {
        let new = patch(None, Some(b"a\nb\n")).unwrap();
        assert_eq!(new.text, "@@ -0,0 +1,2 @@\n+a\n+b\n");
        let gone = patch(Some(b"a\n"), None).unwrap();
        assert_eq!(gone.text, "@@ -1 +0,0 @@\n-a\n");
    }

    #[test]
    fn equal_texts_have_an_empty_patch() {
        assert_eq!(text("a\n", "a\n"), "");
    }

    #[test]
    fn a_missing_last_newline_is_remarked() {
        let shown = text("a\nb", "a\nc\n");
        assert!(shown.contains("-b\n\\ No newline at end of file\n+c\n"), "{shown}");
    }

    #[test]
    fn a_binary_file_is_named_and_not_shown() {
        let made = patch(Some(b"a\0b"), Some(b"text\n")).unwrap();
        assert!(made.is_binary && made.text.is_empty());
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        let made = patch(None, Some(b"caf\xe9\n")).unwrap();
        assert_eq!(made.text, "@@ -0,0 +1 @@\n+caf\u{fffd}\n");
    }

    #[test]
    fn a_secret_is_taken_out_before_and_after() {
        let secret = format!("{}{}", concat!("gh", "p_"), "Zq7Lw2Xc9Vb4Nm6Kj1Hg8Fd3Sa5Po04BbLsV");
        let old = format!("token {secret}\nkept\n");
        let made = patch(Some(old.as_bytes()), Some(b"kept\n")).unwrap();
        assert!(made.is_redacted);
        assert!(!made.text.contains(&secret[4..20]), "{}", made.text);
        assert!(made.text.contains("-token <redacted:"), "{}", made.text);
    }

    #[test]
    fn the_lines_of_a_private_key_are_taken_out_together() {
        let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
        let name = concat!("PRIVATE", " KEY-----");
        let key = format!("-----BEGIN {name}\n{line}\n{line}\n-----END {name}\n");
        let made = patch(None, Some(format!("before\n{key}after\n").as_bytes())).unwrap();
        assert!(!made.text.contains("MIIEvQIB"), "{}", made.text);
        assert!(made.text.contains("+before\n") && made.text.contains("+after\n"), "{}", made.text);
    }

    #[test]
    fn what_is_staged_differs_from_the_tree() {
        let dir = tempfile::tempdir().unwrap();
        let repo = Repo::init(dir.path()).unwrap();
        let (a, b) = (repo.write_blob(b"a").unwrap(), repo.write_blob(b"b").unwrap());
        let both = [(b"a.md".to_vec(), a), (b"b.md".to_vec(), a)];
        let tree = |set: &[(Vec<u8>, Oid)]| {
            let set = set.iter().map(|(path, id)| (path.clone(), Some(Leaf::file(*id))));
            repo.splice(None, &set.collect()).unwrap()
        };
        assert!(repo.staged(Some(tree(&both))).unwrap().is_empty());
        let new = tree(&[(b"a.md".to_vec(), a), (b"b.md".to_vec(), b)]);
        repo.refresh_index(new, &[], None).unwrap();
        let staged = repo.staged(Some(tree(&both))).unwrap();
        assert_eq!(staged.into_iter().collect::<Vec<_>>(), [(b"b.md".to_vec(), Leaf::file(b))]);
    }
}
