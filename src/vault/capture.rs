//! Capture: what changed in the live directory becomes a commit of its own.

use super::displaced;
use super::door::Door;
use super::files::{self, Applied};
use super::gate::{gate, held_by_name};
use super::land::{FileChange, Landing};
use super::stale::Applies;
use super::survey::survey;
use super::{
    Change, Event, Held, Message, Op, PathChange, Result, Survey, VaultError, io_at, kept, parked,
    refs, save_state,
};
use crate::git::{Changed, GitError, Leaf, Oid, RefMove, TreeChanges};
use crate::guard;
use crate::memory::{MemoryPath, merge};
use std::collections::{BTreeSet, HashMap};

/// More notes than this gone at once are a loss until a person says otherwise.
const MASS_GONE: usize = 5;
/// So are this many, when they are more than a tenth.
const MASS_GONE_OF_FEW: usize = 3;
/// This many notes back at older versions look like a restored backup.
const MASS_OLD: usize = 3;
/// How far back older versions are looked for, in commits.
const OLD_COMMITS: usize = 100;
/// The state file that says that a suspicious change is captured on a branch.
const PARKED_MARK: &str = "parked";
/// How often a capture starts over when another process was faster.
const TRIES: usize = 50;

/// What a capture is asked to do.
#[derive(Clone, Copy, Debug, Default)]
pub struct CaptureOptions<'a> {
    /// The subject instead of the usual one.
    pub message: Option<&'a str>,
    /// A person said yes to many notes gone at once.
    pub accept_mass: bool,
}

/// What a capture did.
#[derive(Debug, Default)]
pub struct Captured {
    /// The new commit, if anything changed.
    pub commit: Option<Oid>,
    /// The live line afterwards.
    pub head: Option<Oid>,
    /// What was committed.
    pub changes: Vec<PathChange>,
    /// What was held back.
    pub held: Vec<Held>,
    /// Notes that a writer has open.
    pub busy: Vec<Vec<u8>>,
    /// Notes whose stale writer was merged with what it had missed.
    pub restored: Vec<Vec<u8>>,
    /// The branch that a suspicious mass change was captured on instead of the live line.
    pub parked_branch: Option<String>,
    /// Live paths that are not what the live line says: nothing may be applied there now.
    pub unsettled: BTreeSet<Vec<u8>>,
}

struct Restored {
    path: Vec<u8>,
    live: Oid,
}

impl Door<'_> {
    /// Captures the live directory.
    pub fn capture(&mut self, options: CaptureOptions<'_>) -> Result<Captured> {
        let late = self.fold_late_edits()?;
        for _ in 0..TRIES {
            let head = self.head()?;
            let mut survey = survey(&self.vault.store, head)?;
            survey.held.extend(late.iter().cloned());
            if survey.live == 0 && survey.notes > 0 && !options.accept_mass {
                let dir = self.vault.store.dir.clone();
                return Err(VaultError::Emptied { dir, notes: survey.notes });
            }
            match self.capture_once(survey, options) {
                Err(VaultError::Git(GitError::Moved { .. })) => {}
                other => return other,
            }
        }
        Err(self.contended())
    }

    fn capture_once(
        &mut self,
        mut survey: Survey,
        options: CaptureOptions<'_>,
    ) -> Result<Captured> {
        let mut captured = Captured { head: survey.head, ..Captured::default() };
        let mut restored = Vec::new();
        self.fold_stale_writers(&mut survey, &mut restored)?;
        captured.held = std::mem::take(&mut survey.held);
        captured.busy = std::mem::take(&mut survey.busy);
        captured.unsettled = captured
            .held
            .iter()
            .map(|h| h.path.clone())
            .chain(captured.busy.iter().cloned())
            .collect();
        captured.changes = survey.changes();
        if !options.accept_mass && self.suspicious(&survey)? {
            return self.park_all(survey, captured);
        }
        self.end_parked_branches()?;
        if !survey.dirty.is_empty() || !survey.touched.is_empty() || survey.index.is_none() {
            self.commit_capture(survey, options, &restored, &mut captured)?;
        }
        captured.restored = restored.into_iter().map(|r| r.path).collect();
        Ok(captured)
    }

    fn commit_capture(
        &mut self,
        mut survey: Survey,
        options: CaptureOptions<'_>,
        restored: &[Restored],
        captured: &mut Captured,
    ) -> Result<()> {
        let store = &self.vault.store;
        let mut landing = Landing::default();
        let mut changes = TreeChanges::new();
        for d in &survey.dirty {
            let leaf = d.leaf();
            if let Some((bytes, _, stat)) = &d.live {
                store.repo.write_blob(bytes)?;
                landing.stats.insert(d.path.clone(), *stat);
            }
            changes.insert(d.path.clone(), leaf);
            landing.changed.push(Changed { path: d.path.clone(), old: d.old, new: leaf });
        }
        for r in restored {
            let after = changes.get(&r.path).copied().flatten();
            let Ok(path) = String::from_utf8(r.path.clone()) else { continue };
            landing.stats.remove(&r.path);
            landing.forget.push(path.clone());
            landing.files.push(FileChange { path, before: Some(r.live), after });
        }
        for t in std::mem::take(&mut survey.touched) {
            landing.stats.extend(t.stat.map(|s| (t.path.clone(), s)));
            landing.changed.push(Changed { path: t.path, old: t.old, new: t.new });
        }
        if !changes.is_empty() {
            let tree = store.repo.splice(survey.tree, &changes)?;
            let subject =
                options.message.map_or_else(|| subject(&survey.changes()), str::to_string);
            let message = Message::new(Op::Capture, crate::secrets::redact(&subject)).text();
            let commit = self.vault.record(tree, survey.head, &message)?;
            landing.refs.push(RefMove::new(refs::MAIN, survey.head, Some(commit)));
            landing.refs.extend(parked::update(store, &survey.dirty)?);
            captured.commit = Some(commit);
            captured.head = Some(commit);
        }
        if landing.refs.is_empty() {
            return self.vault.refresh_only(&landing, survey.index.take());
        }
        self.land_with(&landing, survey.index.take())?;
        Ok(())
    }

    /// What a writer still put into a displaced file is an edit of the version it was: merged into
    /// the live file, where the survey then finds it. One that holds a secret stays in keeping.
    fn fold_late_edits(&mut self) -> Result<Vec<Held>> {
        let store = &self.vault.store;
        let mut held = Vec::new();
        let late = displaced::look(store)?;
        if late.is_empty() {
            return Ok(held);
        }
        let tree = store.repo.tree_of(self.head()?)?;
        for edit in late {
            if let Some(reason) = gate(store.kind, &edit.bytes) {
                held.push(Held::new(edit.path.as_bytes(), reason));
                continue;
            }
            // Only over a live text that is captured; else the next command has another look.
            let current = files::read_live(store, &edit.path)?;
            let line = store.repo.leaf(tree, edit.path.as_bytes())?;
            if current.as_deref().map(Oid::of_blob) != line.map(|l| l.id) {
                continue;
            }
            let known = store.repo.blob(edit.known).ok();
            let merged = self.merged(&edit.path, known.as_deref(), &edit.bytes, current.as_deref());
            let Some(text) = merged else { continue };
            if let Some(reason) = gate(store.kind, &text) {
                held.push(Held::new(edit.path.as_bytes(), reason));
                continue;
            }
            let after = Leaf::file(store.repo.write_blob(&text)?);
            let before = current.as_deref().map(Oid::of_blob);
            let change = FileChange { path: edit.path.clone(), before, after: Some(after) };
            match files::apply(store, &change)? {
                Applied::Done(_) | Applied::There(_) => displaced::taken(&edit)?,
                Applied::Changed | Applied::Held(_) => {}
            }
        }
        Ok(held)
    }

    /// A captured text that misses all that an apply brought is an edit of the version before it.
    fn fold_stale_writers(&self, survey: &mut Survey, restored: &mut Vec<Restored>) -> Result<()> {
        let store = &self.vault.store;
        if survey.dirty.iter().all(|d| d.change() != Change::Edited) {
            return Ok(());
        }
        let applies = Applies::read(store)?;
        for d in &mut survey.dirty {
            let (Some(old), Some((bytes, mode, stat))) = (d.old, &d.live) else { continue };
            let Ok(path) = std::str::from_utf8(&d.path) else { continue };
            let Some(known) = applies.known_version(store, path, bytes)? else { continue };
            let (known, now) = (store.repo.blob(known)?, store.repo.blob(old.id)?);
            let Some(text) = self.merged(path, Some(&known), bytes, Some(&now)) else { continue };
            if text == *bytes || gate(store.kind, &text).is_some() {
                continue;
            }
            restored.push(Restored { path: d.path.clone(), live: Oid::of_blob(bytes) });
            d.live = Some((text, *mode, *stat));
        }
        Ok(())
    }

    fn merged(
        &self,
        path: &str,
        base: Option<&[u8]>,
        ours: &[u8],
        theirs: Option<&[u8]>,
    ) -> Option<Vec<u8>> {
        let path = MemoryPath::new(path).ok()?;
        let now = self.vault.now();
        let side = |text| merge::Side { text, time: now };
        merge::merge(&path, base, side(Some(ours)), side(theirs)).text
    }

    /// Whether this looks like a loss rather than work.
    fn suspicious(&self, survey: &Survey) -> Result<bool> {
        let gone = survey.dirty.iter().filter(|d| d.change() == Change::Deleted).count();
        if gone > MASS_GONE || (gone >= MASS_GONE_OF_FEW && gone * 10 > survey.notes) {
            return Ok(true);
        }
        let edited: HashMap<&[u8], Leaf> = survey
            .dirty
            .iter()
            .filter(|d| d.change() == Change::Edited)
            .filter_map(|d| Some((d.path.as_slice(), d.leaf()?)))
            .collect();
        if edited.len() < MASS_OLD {
            return Ok(false);
        }
        let repo = &self.vault.store.repo;
        let mut back = BTreeSet::new();
        for commit in repo.first_parents(survey.head, OLD_COMMITS, |_| false)? {
            for (path, leaf) in &edited {
                if !back.contains(path) && repo.leaf(Some(commit.tree), path)? == Some(*leaf) {
                    back.insert(*path);
                }
            }
            if back.len() >= MASS_OLD {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Captures a suspicious state on a branch of its own; the live line stays.
    fn park_all(&mut self, survey: Survey, mut captured: Captured) -> Result<Captured> {
        let store = &self.vault.store;
        let mut changes = TreeChanges::new();
        for d in &survey.dirty {
            if let Some((bytes, _, _)) = &d.live {
                store.repo.write_blob(bytes)?;
            }
            changes.insert(d.path.clone(), d.leaf());
            captured.unsettled.insert(d.path.clone());
        }
        let tree = store.repo.splice(survey.tree, &changes)?;
        let name = format!("{}{}", refs::PARKED_BRANCHES, tree.short());
        if store.repo.reference(&name)?.is_none() {
            let gone = survey.dirty.iter().filter(|d| d.change() == Change::Deleted).count();
            let message = Message::new(Op::Capture, format!("parked: {gone} notes gone at once"));
            let commit = self.vault.record(tree, survey.head, &message.text())?;
            store.repo.move_refs(&[RefMove::new(&name, None, Some(commit))], "kith: parked")?;
            self.vault.log(Event::new("capture_parked").with("gone", gone))?;
        }
        captured.parked_branch = name.strip_prefix("refs/heads/").map(str::to_string);
        captured.changes.clear();
        save_state(&store.state_file(PARKED_MARK), &true)?;
        Ok(captured)
    }

    /// Once the live directory is in order again, or a person said yes, what had been captured
    /// aside is kept out of sight.
    fn end_parked_branches(&self) -> Result<()> {
        let store = &self.vault.store;
        let mark = store.state_file(PARKED_MARK);
        if !mark.exists() {
            return Ok(());
        }
        for (name, id) in store.repo.references(refs::PARKED_BRANCHES)? {
            let mut moves = vec![RefMove::new(&name, Some(id), None)];
            moves.push(kept::link(self.vault, id)?);
            store.repo.move_refs(&moves, "kith: settled")?;
        }
        std::fs::remove_file(&mark).map_err(io_at(&mark))
    }
}

/// The usual subject: how many notes, and which when they are few. Names pass the redaction.
fn subject(changes: &[PathChange]) -> String {
    let shown: Vec<String> = changes
        .iter()
        .take(3)
        .map(|c| format!("{} {}", verb(c.change), guard::show(&c.path)))
        .collect();
    match changes.len() {
        n if n <= 3 => format!("capture: {}", shown.join(", ")),
        n => format!("capture: {}, and {} more", shown.join(", "), n - 3),
    }
}

fn verb(change: Change) -> &'static str {
    match change {
        Change::Added => "add",
        Change::Edited => "edit",
        Change::Deleted => "delete",
    }
}

/// What may be written under this name with these bytes, else the reason.
pub(super) fn refusal(
    kind: super::StoreKind,
    path: &[u8],
    bytes: &[u8],
    new: bool,
) -> Option<super::HeldReason> {
    let name = if new { held_by_name(path) } else { None };
    name.or_else(|| gate(kind, bytes))
}
