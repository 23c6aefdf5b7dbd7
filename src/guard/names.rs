//! Names that fall together where a file system ignores case or Unicode form.

use std::collections::HashMap;

use super::{Refusal, show};
use crate::text;

/// The names that are taken, by their folded form. Folders are names too: `Team/a.md` and
/// `team/b.md` cannot both be checked out where case is ignored, nor can a note `a` and a
/// folder `A`.
#[derive(Debug, Default, Clone)]
pub struct Names {
    taken: HashMap<String, Name>,
}

#[derive(Debug, Clone)]
struct Name {
    /// As it was first written.
    exact: String,
    /// How many claimed paths lie below it; 0 for a file.
    below: usize,
}

impl Names {
    /// No names yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes all of `paths`, which are what is live: where two of them already collide, the
    /// first one stands.
    pub fn from_paths<'a>(paths: impl IntoIterator<Item = &'a str>) -> Self {
        let mut names = Self::new();
        for path in paths {
            // What is live is on the disk already; the later one of a pair is simply not taken.
            let _ = names.claim(path);
        }
        names
    }

    /// Takes a path, unless it falls together with another one. Claiming a path that is already
    /// taken, spelled the same, is fine.
    ///
    /// # Errors
    /// The collision; nothing is taken then.
    pub fn claim(&mut self, path: &str) -> Result<(), Refusal> {
        let key = fold(path);
        if let Some(name) = self.taken.get(&key) {
            if name.exact == path && name.below == 0 {
                return Ok(());
            }
            return Err(collision(path, &name.exact));
        }
        for (folder, key) in parents(path, &key) {
            if let Some(name) = self.taken.get(key)
                && (name.exact != folder || name.below == 0)
            {
                return Err(collision(path, &name.exact));
            }
        }
        for (folder, key) in parents(path, &key) {
            match self.taken.get_mut(key) {
                Some(name) => name.below += 1,
                None => {
                    let name = Name { exact: folder.to_owned(), below: 1 };
                    self.taken.insert(key.to_owned(), name);
                }
            }
        }
        self.taken.insert(key, Name { exact: path.to_owned(), below: 0 });
        Ok(())
    }

    /// Gives a path back, and each folder of which it was the last: what a deletion or the old
    /// side of a rename does. A path that was never taken changes nothing.
    pub fn release(&mut self, path: &str) {
        let key = fold(path);
        let held = self.taken.get(&key).is_some_and(|name| name.exact == path && name.below == 0);
        if !held {
            return;
        }
        self.taken.remove(&key);
        for (_, key) in parents(path, &key) {
            if let Some(name) = self.taken.get_mut(key) {
                name.below -= 1;
                if name.below == 0 {
                    self.taken.remove(key);
                }
            }
        }
    }
}

/// The folded form of a path. Nearly all are ASCII, where it is the lower case.
fn fold(path: &str) -> String {
    if path.is_ascii() { path.to_ascii_lowercase() } else { text::fold_key(path) }
}

/// The folders above a path, outermost first, each with its folded form; `key` is the path's.
/// Folding keeps the slashes and crosses none.
fn parents<'a>(path: &'a str, key: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    path.match_indices('/')
        .zip(key.match_indices('/'))
        .map(|((at, _), (key_at, _))| (&path[..at], &key[..key_at]))
}

fn collision(path: &str, with: &str) -> Refusal {
    Refusal::Collision { path: show(path.as_bytes()), with: show(with.as_bytes()) }
}
