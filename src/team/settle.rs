//! Settling: the refs and live files after a pull or push, handed to the vault as one landing.

use super::Result;
use super::plan::{Inputs, Plan};
use crate::git::{Oid, RefMove, TreeChanges};
use crate::vault::{Door, Landing, Message, Op, Store, file_changes, keep_line, refs};

/// Where a sync stands when it settles.
pub(super) struct Settled<'a> {
    pub inputs: &'a Inputs<'a>,
    pub plan: &'a Plan,
    /// The last published local commit before.
    pub published: Option<Oid>,
    /// What `refs/kith/remote/main` is now.
    pub remote_ref: Option<Oid>,
    /// The head that the push put on the remote, if it landed.
    pub pushed: Option<Oid>,
}

/// Builds the landing.
pub(super) fn landing(door: &Door<'_>, s: &Settled<'_>) -> Result<Landing> {
    let store = s.inputs.store;
    let repo = &store.repo;
    let remote = s.pushed.or(s.inputs.remote);
    let changes: TreeChanges = s.plan.live.iter().map(|c| (c.path.clone(), c.new)).collect();
    let old_tree = repo.tree_of(s.inputs.local)?;
    let live_tree =
        if changes.is_empty() { old_tree } else { Some(repo.splice(old_tree, &changes)?) };
    let main = next_main(door, s, live_tree, remote)?;
    let mut landing = Landing { changed: s.plan.live.clone(), ..Landing::default() };
    landing.files = file_changes(&s.plan.live);
    let contested = s.plan.contested.iter();
    landing.forget = contested.filter_map(|p| String::from_utf8(p.clone()).ok()).collect();
    let mut moves = Moves { store, moves: &mut landing.refs };
    moves.to(refs::MAIN, s.inputs.local, main);
    moves.to(refs::REMOTE, s.remote_ref, remote);
    moves.to(refs::BASE, s.inputs.base, base(s)?);
    let parked = if s.plan.parked.is_empty() {
        s.inputs.parked
    } else {
        Some(repo.splice(s.inputs.parked, &s.plan.parked)?)
    };
    moves.to(refs::PARKED, s.inputs.parked, parked);
    let done = s.pushed.is_some() || s.plan.released.is_empty();
    let published = if done && s.plan.held.is_empty() && s.plan.waiting.is_empty() {
        main
    } else if s.pushed.is_some() {
        s.inputs.local
    } else {
        s.published
    };
    moves.to(refs::PUBLISHED, s.published, published);
    moves.keep_replaced(door, s.inputs.local, main)?;
    Ok(landing)
}

/// The live line afterwards: the remote head itself where the trees are equal, else a merge commit
/// if something came in, else as it is.
fn next_main(
    door: &Door<'_>,
    s: &Settled<'_>,
    live_tree: Option<Oid>,
    remote: Option<Oid>,
) -> Result<Option<Oid>> {
    let repo = &s.inputs.store.repo;
    if remote.is_some() && live_tree == repo.tree_of(remote)? {
        return Ok(remote);
    }
    let (Some(tree), Some(remote)) = (live_tree, remote) else { return Ok(s.inputs.local) };
    if s.plan.live.is_empty() {
        return Ok(s.inputs.local);
    }
    let parents = s.inputs.local.into_iter().chain([remote]);
    let subject = format!("merge: {} from the team", notes(s.plan.live.len()));
    let message = Message::new(Op::Merge, subject).trailer("Kith-Merge", "1");
    Ok(Some(door.vault().record(tree, parents, &message.text())?))
}

fn notes(n: usize) -> String {
    if n == 1 { "1 note".into() } else { format!("{n} notes") }
}

/// The base table afterwards: the remote's entries where they were applied, ours where they landed.
fn base(s: &Settled<'_>) -> Result<Option<Oid>> {
    let mut changes = s.plan.base.clone();
    if s.pushed.is_some() {
        changes.extend(s.plan.released.iter().map(|(path, r)| (path.clone(), r.target)));
    }
    if changes.is_empty() {
        return Ok(s.inputs.base);
    }
    Ok(Some(s.inputs.store.repo.splice(s.inputs.base, &changes)?))
}

struct Moves<'a> {
    store: &'a Store,
    moves: &'a mut Vec<RefMove>,
}

impl Moves<'_> {
    fn to(&mut self, name: &str, old: Option<Oid>, new: Option<Oid>) {
        if old != new {
            self.moves.push(RefMove::new(name, old, new));
        } else if name == refs::MAIN && new.is_some() {
            // Compared too, so that a capture of another process in between starts this over.
            self.moves.push(RefMove::new(name, old, new));
        }
    }

    /// A local line that the remote's replaces stays reachable: one chain, not a ref each.
    fn keep_replaced(&mut self, door: &Door<'_>, old: Option<Oid>, new: Option<Oid>) -> Result<()> {
        let (Some(old), Some(new)) = (old, new) else { return Ok(()) };
        let repo = &self.store.repo;
        if repo.is_ancestor(old, new)? {
            return Ok(());
        }
        self.moves.push(keep_line(door.vault(), old)?);
        Ok(())
    }
}
