//! The plan of a sync: for each path its three entries (base, local, remote) decide what becomes
//! live, what the base table says, and what goes out. Reads objects and writes merged blobs;
//! moves nothing.

use super::Result;
use crate::config::TeamPush;
use crate::git::{Changed, CommitInfo, Leaf, Oid, TreeChanges};
use crate::guard::{self, Names, Refusal};
use crate::memory::{MemoryPath, merge};
use crate::vault::{Held, HeldReason, Quarantined, Store, gate, held_by_name};
use std::collections::{BTreeMap, BTreeSet};

/// What a plan is made from.
pub(super) struct Inputs<'a> {
    pub store: &'a Store,
    /// The live line after the capture.
    pub local: Option<Oid>,
    /// The base table.
    pub base: Option<Oid>,
    /// The remote head.
    pub remote: Option<Oid>,
    /// The parked table.
    pub parked: Option<Oid>,
    /// Live paths that are not what the live line says.
    pub unsettled: &'a BTreeSet<Vec<u8>>,
    pub mode: TeamPush,
}

/// A change of ours that may go out.
#[derive(Clone, Debug)]
pub(super) struct Release {
    pub base: Option<Leaf>,
    pub remote: Option<Leaf>,
    pub target: Option<Leaf>,
}

/// What is to happen.
#[derive(Default)]
pub(super) struct Plan {
    /// Live entries that change.
    pub live: Vec<Changed>,
    /// The base table's changes once the pull is applied.
    pub base: TreeChanges,
    /// What goes out.
    pub released: BTreeMap<Vec<u8>, Release>,
    /// The parked table's changes.
    pub parked: TreeChanges,
    pub waiting: Vec<Vec<u8>>,
    pub held: Vec<Held>,
    pub quarantined: Vec<Quarantined>,
    pub frozen: Vec<Vec<u8>>,
    pub contested: Vec<Vec<u8>>,
    pub merged: usize,
}

struct Triple {
    path: Vec<u8>,
    base: Option<Leaf>,
    local: Option<Leaf>,
    remote: Option<Leaf>,
}

struct Planner<'a> {
    inputs: &'a Inputs<'a>,
    plan: Plan,
    live_names: Option<Names>,
    remote_names: Option<Names>,
    local_tree: Option<Oid>,
    remote_tree: Option<Oid>,
    refused_paths: Vec<Vec<u8>>,
}

/// Makes the plan.
pub(super) fn plan(inputs: &Inputs<'_>) -> Result<Plan> {
    let repo = &inputs.store.repo;
    let (local_tree, remote_tree) = (repo.tree_of(inputs.local)?, repo.tree_of(inputs.remote)?);
    let mut triples: BTreeMap<Vec<u8>, Triple> = BTreeMap::new();
    for c in repo.diff(inputs.base, remote_tree)? {
        let triple = Triple { path: c.path.clone(), base: c.old, local: c.old, remote: c.new };
        triples.insert(c.path, triple);
    }
    for c in repo.diff(inputs.base, local_tree)? {
        let path = c.path.clone();
        triples
            .entry(c.path)
            .or_insert(Triple { path, base: c.old, local: c.old, remote: c.old })
            .local = c.new;
    }
    let mut planner = Planner {
        inputs,
        plan: Plan::default(),
        live_names: None,
        remote_names: None,
        local_tree,
        remote_tree,
        refused_paths: Vec::new(),
    };
    for triple in triples.into_values() {
        planner.path(triple)?;
    }
    planner.name_senders()?;
    Ok(planner.plan)
}

impl Planner<'_> {
    /// One path, in the order of the rules.
    fn path(&mut self, t: Triple) -> Result<()> {
        // 1. The live file is not what the line says: nothing is applied, nothing of it goes out.
        if self.inputs.unsettled.contains(&t.path) {
            return Ok(());
        }
        // 2. What came in passes the guard, or it stays outside and our own edits wait.
        let incoming = t.remote != t.base;
        if let Some(refusal) = if incoming { self.refused(&t)? } else { None } {
            return self.quarantine(&t, &refusal);
        }
        // 3. A parked change waits as long as the remote is what it was made against.
        let parked = self.inputs.store.repo.leaf(self.inputs.parked, &t.path)?;
        let parked = self.judge_parked(&t, parked);
        if parked == Parked::Waits {
            self.plan.waiting.push(t.path);
            return Ok(());
        }
        // 4. The merge.
        let Some(target) = self.merged(&t)? else { return Ok(()) };
        if target != t.local {
            self.plan.live.push(Changed { path: t.path.clone(), old: t.local, new: target });
            if let (Some(names), None, Ok(path)) =
                (&mut self.live_names, target, std::str::from_utf8(&t.path))
            {
                names.release(path);
            }
        }
        if t.remote != t.base {
            self.plan.base.insert(t.path.clone(), t.remote);
        }
        // 5. What is ours goes out, unless it waits or a gate holds it.
        if target == t.remote {
            return Ok(());
        }
        if parked == Parked::Shrunk || self.inputs.mode == TeamPush::Review {
            self.plan.waiting.push(t.path);
            return Ok(());
        }
        if let Some(reason) = self.held_outgoing(&t, target)? {
            self.plan.held.push(Held::new(&t.path, reason));
            return Ok(());
        }
        let release = Release { base: t.base, remote: t.remote, target };
        self.plan.released.insert(t.path, release);
        Ok(())
    }

    fn judge_parked(&mut self, t: &Triple, bound: Option<Leaf>) -> Parked {
        let Some(bound) = bound else { return Parked::No };
        let full = self.inputs.mode == TeamPush::Full;
        if full || t.local == t.base {
            self.plan.parked.insert(t.path.clone(), None);
            return Parked::No;
        }
        match (t.local, t.remote == Some(bound)) {
            (None, true) => Parked::Waits,
            (None, false) => {
                // A teammate edited (or deleted) it meanwhile: the deletion is void.
                self.plan.parked.insert(t.path.clone(), None);
                Parked::No
            }
            (Some(_), same) => {
                if !same {
                    self.plan.parked.insert(t.path.clone(), t.remote);
                }
                Parked::Shrunk
            }
        }
    }

    fn refused(&mut self, t: &Triple) -> Result<Option<Refusal>> {
        let Some(leaf) = t.remote else { return Ok(None) };
        if !self.inputs.store.kind.holds(&t.path) {
            return Ok(Some(Refusal::Unlisted { path: guard::show(&t.path) }));
        }
        let repo = &self.inputs.store.repo;
        let size = if leaf.is_file() { repo.blob_size(leaf.id)? } else { 0 };
        if let Err(refusal) = guard::check_entry(&t.path, leaf.mode, size) {
            return Ok(Some(refusal));
        }
        let path = String::from_utf8_lossy(&t.path).into_owned();
        if t.local.is_none()
            && let Err(refusal) = self.live_names()?.claim(&path)
        {
            return Ok(Some(refusal));
        }
        Ok(guard::check_content(&repo.blob(leaf.id)?).err())
    }

    /// The names that are live now or have been accepted in this plan.
    fn live_names(&mut self) -> Result<&mut Names> {
        if self.live_names.is_none() {
            let mut leaves = self.inputs.store.repo.leaves(self.local_tree)?;
            for c in &self.plan.live {
                match c.new {
                    Some(leaf) => leaves.insert(c.path.clone(), leaf),
                    None => leaves.remove(&c.path),
                };
            }
            // From here on `claim` and `release` keep it up to date.
            let paths = leaves.keys().filter_map(|p| std::str::from_utf8(p).ok());
            self.live_names = Some(Names::from_paths(paths));
        }
        Ok(self.live_names.as_mut().expect("set above"))
    }

    fn quarantine(&mut self, t: &Triple, refusal: &Refusal) -> Result<()> {
        self.plan.quarantined.push(Quarantined {
            path: guard::show(&t.path),
            code: refusal.code().to_string(),
            reason: refusal.to_string(),
            by: None,
        });
        self.refused_paths.push(t.path.clone());
        if t.local != t.base {
            self.plan.frozen.push(t.path.clone());
        }
        Ok(())
    }

    /// The merged entry; `None` when the result may not be written (it is held then).
    fn merged(&mut self, t: &Triple) -> Result<Option<Option<Leaf>>> {
        if t.local == t.remote || t.remote == t.base {
            return Ok(Some(t.local));
        }
        if t.local == t.base {
            return Ok(Some(t.remote));
        }
        let repo = &self.inputs.store.repo;
        let path = String::from_utf8_lossy(&t.path).into_owned();
        let Ok(memory_path) = MemoryPath::new(&path) else { return Ok(Some(t.local)) };
        let text = |leaf: Option<Leaf>| leaf.map(|l| repo.blob(l.id)).transpose();
        let (base, ours, theirs) = (text(t.base)?, text(t.local)?, text(t.remote)?);
        let merged = merge::merge(
            &memory_path,
            base.as_deref(),
            merge::Side { text: ours.as_deref(), time: self.time(self.inputs.local, t)? },
            merge::Side { text: theirs.as_deref(), time: self.time(self.inputs.remote, t)? },
        );
        if merged.edit_beat_delete || !merged.contested.is_empty() {
            self.plan.contested.push(t.path.clone());
        }
        self.plan.merged += 1;
        let Some(text) = merged.text else { return Ok(Some(None)) };
        if let Some(reason) = gate(self.inputs.store.kind, &text) {
            self.plan.held.push(Held::new(&t.path, reason));
            return Ok(None);
        }
        let (old, new) = (t.base.map(|l| l.mode), t.local.or(t.remote).map(|l| l.mode));
        let mode = if new == old { t.remote.or(t.local) } else { t.local.or(t.remote) };
        let mode = mode.map_or(0o100_644, |l| l.mode);
        Ok(Some(Some(Leaf { mode, id: repo.write_blob(&text)? })))
    }

    /// The author time of the newest first-parent commit that set this path's entry.
    fn time(&self, tip: Option<Oid>, t: &Triple) -> Result<i64> {
        let made = last_change(self.inputs.store, tip, &t.path)?;
        Ok(made.map_or(0, |c| c.author.time))
    }

    fn held_outgoing(&mut self, t: &Triple, target: Option<Leaf>) -> Result<Option<HeldReason>> {
        let Some(leaf) = target else { return Ok(None) };
        let store = self.inputs.store;
        let path = String::from_utf8_lossy(&t.path).into_owned();
        if !store.kind.holds(&t.path) || !guard::allowed(&path) || !leaf.is_file() {
            let why = "is neither a note nor a policy file".to_string();
            return Ok(Some(HeldReason::Name(why)));
        }
        if t.remote.is_none() {
            if let Some(reason) = held_by_name(&t.path) {
                return Ok(Some(reason));
            }
            if self.remote_names.is_none() {
                let leaves = store.repo.leaves(self.remote_tree)?;
                let paths = leaves.keys().filter_map(|p| std::str::from_utf8(p).ok());
                self.remote_names = Some(Names::from_paths(paths));
            }
            let names = self.remote_names.as_mut().expect("set above");
            if let Err(refusal) = names.claim(&path) {
                return Ok(Some(HeldReason::Name(refusal.to_string())));
            }
        }
        Ok(gate(store.kind, &store.repo.blob(leaf.id)?))
    }

    fn name_senders(&mut self) -> Result<()> {
        for (q, path) in self.plan.quarantined.iter_mut().zip(&self.refused_paths) {
            let made = last_change(self.inputs.store, self.inputs.remote, path)?;
            q.by = made.map(|c| crate::secrets::redact(&c.author.name).into_owned());
        }
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Parked {
    No,
    Waits,
    Shrunk,
}

/// How far back the commit that set an entry is looked for.
const LOOK_BACK: usize = 200;

/// The newest first-parent commit from `tip` on that changed `path`.
fn last_change(store: &Store, tip: Option<Oid>, path: &[u8]) -> Result<Option<CommitInfo>> {
    let line = store.repo.first_parents(tip, LOOK_BACK, |_| false)?;
    for (at, commit) in line.iter().enumerate() {
        let here = store.repo.leaf(Some(commit.tree), path)?;
        let before = match line.get(at + 1) {
            Some(older) => store.repo.leaf(Some(older.tree), path)?,
            None if commit.parents.is_empty() => None,
            None => here,
        };
        if here != before {
            return Ok(Some(commit.clone()));
        }
    }
    Ok(None)
}
