//! The kept chain: lines that were replaced stay reachable by one ref, not a ref each.

use super::{Result, Store, refs};
use crate::git::{NewCommit, Oid, Person, RefMove};

/// The move of the kept chain that makes `line` reachable for ever.
pub fn link(store: &Store, person: &Person, line: Oid) -> Result<RefMove> {
    let repo = &store.repo;
    let kept = repo.reference(refs::KEPT)?;
    let parents: Vec<Oid> = kept.into_iter().chain([line]).collect();
    let link = repo.write_commit(&NewCommit {
        tree: repo.empty_tree()?,
        parents: &parents,
        author: person,
        committer: person,
        message: "kept: a line that was replaced\n",
    })?;
    Ok(RefMove::new(refs::KEPT, kept, Some(link)))
}
