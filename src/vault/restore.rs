//! Bringing back what was: a commit undone by a new one, a note or folder as it stood in an earlier
//! commit, and live files that went without a word. Nothing here rewrites history, and every edit
//! that is in the way is captured first.

use super::door::Door;
use super::land::{FileChange, Landed, Landing};
use super::survey::survey;
use super::{
    CaptureOptions, Captured, Change, Message, Note, Op, Result, Survey, Vault, VaultError,
};
use crate::git::{Changed, Leaf, Oid, Repo};
use crate::guard;
use crate::memory::{MemoryPath, merge};
use crate::secrets;

/// What a revert did.
#[derive(Debug, Default)]
pub struct Reverted {
    /// The new commit; `None` when nothing of the old one is left to undo.
    pub commit: Option<Oid>,
    /// The paths that changed.
    pub paths: Vec<String>,
    /// Paths where a later edit stands in the same place: both texts are kept.
    pub contested: Vec<String>,
    /// Paths that stay because they were edited after the commit that is undone.
    pub kept: Vec<String>,
    /// Entries of that commit that are no notes; they are left alone.
    pub skipped: Vec<Vec<u8>>,
    /// The capture before it.
    pub captured: Captured,
}

/// What a restore did.
#[derive(Debug, Default)]
pub struct Restored {
    /// The commit whose state came back.
    pub from: Option<Oid>,
    /// The new commit; `None` when the live line had it already.
    pub commit: Option<Oid>,
    /// The paths that came back.
    pub paths: Vec<String>,
    /// The capture before the new commit, if there was one.
    pub captured: Option<Captured>,
}

/// A changed note with both of its texts.
#[derive(Clone, Debug)]
pub struct LiveChange {
    /// The path.
    pub path: Vec<u8>,
    /// How it changed.
    pub change: Change,
    /// The text of the live line.
    pub old: Option<Vec<u8>>,
    /// The live text.
    pub new: Option<Vec<u8>>,
}

/// Whether `path` is `wanted` or lies in the folder `wanted`; the empty one is everything.
pub fn covers(wanted: &str, path: &[u8]) -> bool {
    let rest = path.strip_prefix(wanted.as_bytes());
    wanted.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

impl Vault {
    /// The texts of what a survey found changed: what a capture would take.
    pub fn live_changes(&self, survey: &Survey) -> Result<Vec<LiveChange>> {
        let read = |leaf: Option<Leaf>| leaf.map(|l| self.store.repo.blob(l.id)).transpose();
        let rows = survey.dirty.iter().map(|d| {
            Ok(LiveChange {
                path: d.path.clone(),
                change: d.change(),
                old: read(d.old)?,
                new: d.live.as_ref().map(|(bytes, _, _)| bytes.clone()),
            })
        });
        rows.collect()
    }

    /// Undoes what the commit `id` changed by a new commit. Later edits of the same notes stay.
    ///
    /// # Errors
    /// [`VaultError::Refused`] when what would come back does not pass the gates.
    pub fn revert(&self, id: Oid) -> Result<Reverted> {
        // 1. What the commit changed.
        let repo = &self.store.repo;
        let commit = repo.commit(id)?;
        let changes = repo.changes_of(&commit)?;
        let before = commit.parents.first().map(|p| repo.commit(*p)).transpose()?;
        let before = before.map_or(commit.author.time, |c| c.author.time);
        let subject = format!("revert {}: {}", id.short(), secrets::redact(commit.subject()));
        let message = Message::new(Op::Revert, subject);
        // 2. The same backwards, merged into what is there now.
        let mut done = Reverted::default();
        let times = [self.now(), before];
        let (captured, commit) = self.enter()?.change(&message, |repo, tree| {
            done = Reverted::default();
            let mut notes = Vec::new();
            for change in &changes {
                notes.extend(backwards(repo, tree, change, times, &mut done)?);
            }
            Ok(notes)
        })?;
        Ok(Reverted { commit, captured, ..done })
    }

    /// Brings a note or folder (`wanted`; empty: everything) back as it was in `from`. Without
    /// `from`: what the directory has lost as the live line has it; else a removed note in its last
    /// version, a changed one in the version before its last change. Notes that `from` did not have
    /// stay.
    ///
    /// # Errors
    /// [`VaultError::NotFound`] when there is no such version, [`VaultError::Refused`] when it
    /// does not pass the gates.
    pub fn restore(&self, wanted: &str, from: Option<Oid>) -> Result<Restored> {
        let mut door = self.enter()?;
        // 1. What went from the directory unrecorded: no commit is needed.
        let back = door.restore_files(|path| covers(wanted, path))?;
        if from.is_none() && !back.is_empty() {
            let paths = back.iter().map(|p| guard::show(p.as_bytes())).collect();
            return Ok(Restored { from: door.head()?, paths, ..Restored::default() });
        }
        // 2. Edits that are not recorded yet are, before anything goes over them.
        let captured = door.capture(CaptureOptions::default())?;
        if let Some(held) = captured.held.iter().find(|h| covers(wanted, &h.path)) {
            let path = guard::show(&held.path);
            return Err(VaultError::Refused { path, reason: held.reason.clone() });
        }
        // 3. Which state.
        let from = match from {
            Some(id) => id,
            None => self.earlier(wanted, captured.head)?,
        };
        let texts = self.texts_in(wanted, from)?;
        if texts.is_empty() {
            let what = format!("{} at {}", shown(wanted), from.short());
            return Err(VaultError::NotFound { what });
        }
        // 4. It comes back by a commit of its own.
        let message = Message::new(Op::Restore, subject(wanted, &texts, from));
        let mut paths = Vec::new();
        let (again, commit) = door.change(&message, |repo, tree| {
            paths.clear();
            for note in &texts {
                let now = repo.leaf(tree, note.path.as_bytes())?;
                if now.map(|l| l.id) != note.text.as_deref().map(Oid::of_blob) {
                    paths.push(guard::show(note.path.as_bytes()));
                }
            }
            Ok(texts.clone())
        })?;
        let captured = Some(if captured.commit.is_some() { captured } else { again });
        Ok(Restored { from: Some(from), commit, paths, captured })
    }

    /// The newest commit with another version of `wanted` than `head` has.
    fn earlier(&self, wanted: &str, head: Option<Oid>) -> Result<Oid> {
        let repo = &self.store.repo;
        let tree = repo.tree_of(head)?;
        let now = repo.leaf(tree, wanted.as_bytes())?;
        let absent = || VaultError::NotFound { what: format!("an earlier {}", shown(wanted)) };
        let has_folder = |tree| -> Result<bool> {
            Ok(repo.leaves(tree)?.keys().any(|path| covers(wanted, path)))
        };
        if now.is_none() && has_folder(tree)? {
            let what = format!("anything missing from {}", shown(wanted));
            return Err(VaultError::NotFound { what });
        }
        let Some(head) = head else { return Err(absent()) };
        // The live line's own past first, then what came in by merges.
        let line = repo.first_parents(Some(head), usize::MAX, |_| false)?;
        let line = line.into_iter().map(|commit| commit.id);
        for id in line.chain(repo.range(head, &[])?) {
            let tree = repo.tree_of(Some(id))?;
            let then = repo.leaf(tree, wanted.as_bytes())?;
            if (then.is_some() && then != now) || (now.is_none() && has_folder(tree)?) {
                return Ok(id);
            }
        }
        Err(absent())
    }

    /// The notes of a commit at or below `wanted`.
    fn texts_in(&self, wanted: &str, commit: Oid) -> Result<Vec<Note>> {
        let repo = &self.store.repo;
        let mut notes = Vec::new();
        for (path, leaf) in repo.leaves(repo.tree_of(Some(commit))?)? {
            let Ok(path) = String::from_utf8(path) else { continue };
            if covers(wanted, path.as_bytes()) && leaf.is_file() && guard::allowed(&path) {
                notes.push(Note { path, text: Some(repo.blob(leaf.id)?) });
            }
        }
        Ok(notes)
    }
}

impl Door<'_> {
    /// Puts notes of the live line back that are gone from the live directory. They are not
    /// recorded as deleted, so there is nothing to commit; this is the way back where the guards
    /// refuse to capture (an emptied directory, many notes gone at once). Gives their paths.
    pub fn restore_files(&mut self, wanted: impl Fn(&[u8]) -> bool) -> Result<Vec<String>> {
        let store = &self.vault.store;
        let found = survey(store, self.head()?)?;
        let mut landing = Landing::default();
        for gone in found.dirty.iter().filter(|d| d.change() == Change::Deleted) {
            let (Some(leaf), true) = (gone.old, wanted(&gone.path)) else { continue };
            let Ok(path) = String::from_utf8(gone.path.clone()) else { continue };
            landing.files.push(FileChange { path, before: None, after: Some(leaf) });
            // The index learns the new file's stat.
            let old = Some(leaf);
            landing.changed.push(Changed { path: gone.path.clone(), old, new: old });
        }
        if landing.files.is_empty() {
            return Ok(Vec::new());
        }
        let Landed { left, held, .. } = self.land_with(&landing, found.index)?;
        if let Some(held) = held.into_iter().next() {
            return Err(VaultError::Refused { path: guard::show(&held.path), reason: held.reason });
        }
        let paths = landing.files.into_iter().map(|f| f.path);
        Ok(paths.filter(|path| !left.contains(path)).collect())
    }
}

/// One path of a revert: from the commit's entry to its parent's, merged with the present one.
fn backwards(
    repo: &Repo,
    tree: Option<Oid>,
    change: &Changed,
    [now_time, then_time]: [i64; 2],
    done: &mut Reverted,
) -> Result<Option<Note>> {
    let sides = [change.old, change.new].into_iter().flatten();
    let path = std::str::from_utf8(&change.path).ok().and_then(|p| MemoryPath::new(p).ok());
    let Some(path) = path.filter(|_| sides.clone().all(|leaf| leaf.is_file())) else {
        done.skipped.push(change.path.clone());
        return Ok(None);
    };
    let read = |leaf: Option<Leaf>| leaf.map(|l| repo.blob(l.id)).transpose();
    let (base, then) = (read(change.new)?, read(change.old)?);
    let now = read(repo.leaf(tree, &change.path)?)?;
    let merged = merge::merge(
        &path,
        base.as_deref(),
        merge::Side { text: now.as_deref(), time: now_time },
        merge::Side { text: then.as_deref(), time: then_time },
    );
    let shown = guard::show(&change.path);
    if merged.text == now {
        if merged.edit_beat_delete {
            done.kept.push(shown);
        }
        return Ok(None);
    }
    if !merged.contested.is_empty() {
        done.contested.push(shown.clone());
    }
    done.paths.push(shown);
    Ok(Some(Note { path: path.as_str().to_string(), text: merged.text }))
}

fn shown(wanted: &str) -> String {
    if wanted.is_empty() { "the directory".into() } else { guard::show(wanted.as_bytes()) }
}

fn subject(wanted: &str, texts: &[Note], from: Oid) -> String {
    match texts {
        [one] => format!("restore: {} from {}", guard::show(one.path.as_bytes()), from.short()),
        many => format!("restore: {} notes of {} from {}", many.len(), shown(wanted), from.short()),
    }
}

#[cfg(test)]
mod tests {
    use super::covers;

    #[test]
    fn a_folder_covers_what_lies_in_it_and_not_its_namesakes() {
        assert!(covers("logs", b"logs/2026/a.md"));
        assert!(covers("a.md", b"a.md"));
        assert!(covers("", b"a.md"));
        assert!(!covers("log", b"logs/a.md"));
        assert!(!covers("a.md", b"b/a.md"));
    }
}
