//! The git room: the only place that names `git2` or starts `git`.
//!
//! Owns objects, trees, refs (compare-and-swap only), history and the transport. It knows nothing
//! of what memory means: paths are bytes, contents are blobs.

mod config;
mod history;
mod index;
mod index_file;
mod objects;
mod patch;
mod process;
mod refs;
mod transport;
mod tree;

#[cfg(test)]
mod tests;

pub use config::{Identity, StoreConfig, identity};
pub use history::{CommitInfo, NewCommit, Person, trailer, trailers};
pub use index::{Cached, IndexCache, Stat};
pub use objects::{Oid, Repo};
pub use patch::{Patch, patch};
pub use process::{Finished, Git, Running};
pub use refs::RefMove;
pub use transport::{FetchOutcome, PushOutcome, Remote, Suppression};
pub use tree::{Changed, Leaf, TreeChanges};

use std::path::PathBuf;

/// What can go wrong in the git room.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// A git directory could not be opened or made.
    #[error("cannot open the git directory {}: {source}", path.display())]
    Open {
        /// The git directory.
        path: PathBuf,
        /// libgit2's reason.
        source: git2::Error,
    },
    /// An object is missing, corrupted or of another kind.
    #[error("object {id} cannot be used: {reason}")]
    Object {
        /// The object's id or the revision that was asked for.
        id: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A ref could not be read or moved.
    #[error("ref {name}: {reason}")]
    Ref {
        /// The full ref name.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// A ref is locked by somebody else.
    #[error("ref {name} is locked by another program ({})", lock.display())]
    Locked {
        /// The full ref name.
        name: String,
        /// The lock file.
        lock: PathBuf,
    },
    /// A compare-and-swap found another value than expected; the caller starts over.
    #[error("ref {name} moved meanwhile")]
    Moved {
        /// The full ref name.
        name: String,
    },
    /// A file of the git directory could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// No `git` program on PATH.
    #[error("cannot start git: {0}")]
    NoGit(std::io::Error),
    /// libgit2 failed in another way.
    #[error("git: {0}")]
    Other(#[from] git2::Error),
}

/// Results of the git room.
pub type Result<T> = std::result::Result<T, GitError>;
