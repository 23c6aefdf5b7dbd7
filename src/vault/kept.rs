//! The kept chain: lines that were replaced stay reachable by one ref, not a ref each.

use super::{Result, Vault, refs};
use crate::git::{Oid, RefMove};

/// The move of the kept chain that makes `line` reachable for ever.
pub fn link(vault: &Vault, line: Oid) -> Result<RefMove> {
    let repo = &vault.store.repo;
    let kept = repo.reference(refs::KEPT)?;
    let parents = kept.into_iter().chain([line]);
    let link = vault.record(repo.empty_tree()?, parents, "kept: a line that was replaced\n")?;
    Ok(RefMove::new(refs::KEPT, kept, Some(link)))
}
