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
        let subject = format!("revert: {} ({})", secrets::redact(commit.subject()), id.short());
        let message = Message::new(Op::Revert, subject);
        // 2. The same backwards, merged into what is there now.
        let mut done = Reverted::default();
        let times = [self.now(), before];
        let mut door = self.enter()?;
        let captured = door.capture(CaptureOptions::default())?;
        none_held(&captured, |held| changes.iter().any(|c| c.path == held))?;
        let (_, commit) = door.change(&message, |repo, tree| {
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
        none_held(&captured, |held| covers(wanted, held))?;
        // 3. Which state.
        let from = match from {
            Some(id) => id,
            None => self.earlier(wanted, captured.head)?,
        };
        let there = self.notes_of(wanted, from)?;
        if there.is_empty() {
            let what = format!("{} at {}", shown(wanted), from.short());
            return Err(VaultError::NotFound { what });
        }
        // 4. It comes back by a commit of its own.
        let repo = &self.store.repo;
        let paths = differing(repo, repo.tree_of(captured.head)?, &there)?;
        let message = Message::new(Op::Restore, subject(wanted, &paths, from));
        let (_, commit) = door.change(&message, |repo, tree| {
            let wanted = differing(repo, tree, &there)?.into_iter();
            wanted.map(|(path, leaf)| Ok(Note { path, text: Some(repo.blob(leaf.id)?) })).collect()
        })?;
        let paths = paths.iter().map(|(path, _)| guard::show(path.as_bytes())).collect();
        Ok(Restored { from: Some(from), commit, paths, captured: Some(captured) })
    }

    /// The newest commit with another version of the note `wanted` than `head` has, or with notes
    /// in the folder `wanted` where `head` has none.
    fn earlier(&self, wanted: &str, head: Option<Oid>) -> Result<Oid> {
        let repo = &self.store.repo;
        let absent = || VaultError::NotFound { what: format!("an earlier {}", shown(wanted)) };
        let Some(head) = head else { return Err(absent()) };
        let is_note = guard::allowed(wanted);
        if !is_note && !self.notes_of(wanted, head)?.is_empty() {
            let what = format!("anything missing from {}", shown(wanted));
            return Err(VaultError::NotFound { what });
        }
        let now = repo.leaf(repo.tree_of(Some(head))?, wanted.as_bytes())?;
        // The live line's own past first, then what came in by merges.
        let line = repo.first_parents(Some(head), usize::MAX, |_| false)?;
        let line = line.into_iter().map(|commit| commit.id);
        for id in line.chain(repo.range(head, &[])?) {
            let found = if is_note {
                let then = repo.leaf(repo.tree_of(Some(id))?, wanted.as_bytes())?;
                then.is_some() && then != now
            } else {
                !self.notes_of(wanted, id)?.is_empty()
            };
            if found {
                return Ok(id);
            }
        }
        Err(absent())
    }

    /// The notes of a commit at or below `wanted`.
    fn notes_of(&self, wanted: &str, commit: Oid) -> Result<Vec<(String, Leaf)>> {
        let repo = &self.store.repo;
        let leaves = repo.leaves(repo.tree_of(Some(commit))?)?.into_iter();
        let named = leaves.filter_map(|(path, leaf)| Some((String::from_utf8(path).ok()?, leaf)));
        let wanted = named.filter(|(path, leaf)| {
            covers(wanted, path.as_bytes()) && leaf.is_file() && guard::allowed(path)
        });
        Ok(wanted.collect())
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

/// Refuses to go over a live file that is held back: it is the only copy of its edit.
fn none_held(captured: &Captured, concerned: impl Fn(&[u8]) -> bool) -> Result<()> {
    match captured.held.iter().find(|held| concerned(&held.path)) {
        Some(held) => {
            let path = guard::show(&held.path);
            Err(VaultError::Refused { path, reason: held.reason.clone() })
        }
        None => Ok(()),
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

/// Those of the notes that a tree has not, or has with another text.
fn differing(
    repo: &Repo,
    tree: Option<Oid>,
    notes: &[(String, Leaf)],
) -> Result<Vec<(String, Leaf)>> {
    let mut found = Vec::new();
    for (path, leaf) in notes {
        if repo.leaf(tree, path.as_bytes())?.map(|l| l.id) != Some(leaf.id) {
            found.push((path.clone(), *leaf));
        }
    }
    Ok(found)
}

fn subject(wanted: &str, notes: &[(String, Leaf)], from: Oid) -> String {
    match notes {
        [(one, _)] => format!("restore: {} from {}", guard::show(one.as_bytes()), from.short()),
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
