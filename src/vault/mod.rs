//! The vault: the one door through which memory changes.
//!
//! Owns the sequence guard → lock → capture → gates → commit → compare-and-swap → files, the journal
//! that makes it repeatable after a crash, the stores and their registry, and the event log. It
//! does not know the policy of any one engine: engines build commits, the vault lands them.

mod capture;
mod clock;
mod displaced;
mod door;
mod events;
mod files;
mod gate;
mod journal;
mod kept;
mod land;
mod lease;
mod live;
mod lock;
mod message;
mod parked;
mod registry;
mod restore;
mod stale;
mod state;
mod store;
mod survey;
mod takeover;

#[cfg(test)]
mod tests;

pub use capture::{CaptureOptions, Captured};
pub use clock::Clock;
pub use door::{Author, Door, Note, Vault, known_author};
pub use events::{Event, Events};
pub use gate::{HeldReason, gate, held_by_name};
pub use kept::link as keep_line;
pub use land::{FileChange, Landed, Landing, file_changes};
pub use message::{Message, Op};
pub use registry::{Registered, Registry};
pub use restore::{LiveChange, Restored, Reverted, covers};
pub use state::{Quarantined, SyncState, load as load_state, save as save_state};
pub use store::{Created, Store, StoreKind, refs};
pub use survey::{Change, Held, PathChange, Survey};

use crate::git::GitError;
use std::path::{Path, PathBuf};

/// What can go wrong in the vault. Nothing is lost by any of these.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// The directory has no store yet.
    #[error("{} is not a kith store", dir.display())]
    NoStore {
        /// The memory directory.
        dir: PathBuf,
    },
    /// The memory directory is not there.
    #[error("the memory directory {} is absent; nothing was captured", dir.display())]
    Absent {
        /// The memory directory.
        dir: PathBuf,
    },
    /// The directory is empty although its last commit has notes.
    #[error("{} is empty but its last commit has {notes} notes; nothing was captured", dir.display())]
    Emptied {
        /// The memory directory.
        dir: PathBuf,
        /// How many notes the last commit has.
        notes: usize,
    },
    /// The store belongs to another directory.
    #[error("the store {id} belongs to {}, and {} is a copy of it; nothing was captured", owner.display(), dir.display())]
    Copied {
        /// The store's id.
        id: String,
        /// The directory it belongs to.
        owner: PathBuf,
        /// The directory that was asked for.
        dir: PathBuf,
    },
    /// Another directory stands where the store's was.
    #[error("another directory stands at {} than the one that store {id} belongs to; nothing was captured", dir.display())]
    Replaced {
        /// The store's id.
        id: String,
        /// The directory.
        dir: PathBuf,
    },
    /// `HEAD` is not on the live line.
    #[error("HEAD of the store is {found}, not the live line main; nothing was captured")]
    OffLine {
        /// What HEAD is.
        found: String,
    },
    /// A person's own git operation is open in the store.
    #[error("a {operation} is open in the store; nothing was captured")]
    OpenOperation {
        /// Which.
        operation: &'static str,
    },
    /// The store was written by a newer kith.
    #[error("the store has format {found}; this kith knows up to {known}")]
    NewerFormat {
        /// The store's format.
        found: i32,
        /// The newest known.
        known: i32,
    },
    /// Another process held a lock for too long.
    #[error("{what} is held by another program ({})", lock.display())]
    Busy {
        /// What is locked.
        what: String,
        /// The lock file.
        lock: PathBuf,
    },
    /// The live file is held back or being written, so nothing may go over it.
    #[error("{path} is held back or being written; nothing was changed")]
    Unsettled {
        /// The path, safe to show.
        path: String,
    },
    /// The thing asked for was refused for safety (a secret, a bad name, a cap).
    #[error("{path}: {reason}")]
    Refused {
        /// The path, safe to show.
        path: String,
        /// Why.
        reason: HeldReason,
    },
    /// A `.git` directory is there that is not ours to take.
    #[error("{}: {why}", dir.display())]
    ForeignGit {
        /// The memory directory.
        dir: PathBuf,
        /// What is odd about it.
        why: String,
    },
    /// A commit that was asked for is not there, or has no such path.
    #[error("{what} is not in the history of this store")]
    NotFound {
        /// What was asked for.
        what: String,
    },
    /// The git room failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A file of kith's own state cannot be understood.
    #[error("{}: {reason}", path.display())]
    State {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// Results of the vault.
pub type Result<T> = std::result::Result<T, VaultError>;

/// Wraps an I/O error with its path.
pub(crate) fn io_at(path: &Path) -> impl FnOnce(std::io::Error) -> VaultError + '_ {
    move |source| VaultError::Io { path: path.to_path_buf(), source }
}
