//! Team sync: pull, merge, replay what is released, push with a lease, settle.
//!
//! Owns the policy between the three trees (live, published, remote). It builds commits and hands
//! them to the vault; it never touches a live file or a ref itself.

mod outgoing;
mod plan;
mod remote;
mod report;
mod settle;
mod sync;

pub use remote::{remote_of, set_remote};
pub use report::{HeldRow, Outbox, Report, Trouble};
pub use sync::{Counts, SyncOptions, counts, sync};

use crate::git::GitError;
use crate::vault::VaultError;

/// What can go wrong in a sync; an unreachable remote is no error but a [`Trouble`] of the report.
#[derive(Debug, thiserror::Error)]
pub enum TeamError {
    /// The store has no remote.
    #[error("the {kind} store has no remote")]
    NoRemote {
        /// Which store.
        kind: &'static str,
    },
    /// The remote URL cannot be used.
    #[error("{url:?} cannot be a remote: {why}")]
    BadUrl {
        /// The URL, redacted.
        url: String,
        /// Why.
        why: String,
    },
    /// The vault refused or failed.
    #[error(transparent)]
    Vault(#[from] VaultError),
}

impl From<GitError> for TeamError {
    fn from(e: GitError) -> TeamError {
        TeamError::Vault(VaultError::Git(e))
    }
}

/// Results of the team room.
pub type Result<T> = std::result::Result<T, TeamError>;
