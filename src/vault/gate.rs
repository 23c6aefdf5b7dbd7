//! The gates that a note's bytes and name pass before kith writes a blob of them.

use crate::guard::{self, Refusal};
use crate::memory::limits;
use crate::secrets;
use crate::vault::StoreKind;
use std::fmt;

/// Why a file is held back. The codes are those of the command line's JSON.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum HeldReason {
    /// A BLOCK secret, by rule and line (line 0: in the path).
    Secret {
        /// The rule.
        rule: String,
        /// The line, from 1; 0 when the path itself holds it.
        line: u32,
    },
    /// Over the size cap.
    Cap {
        /// Bytes found.
        bytes: u64,
        /// Bytes allowed.
        max: u64,
    },
    /// A name that would not survive on another machine.
    Name(String),
    /// A directory where a note is expected, or one that cannot be read.
    Directory,
    /// A symbolic link.
    Symlink,
    /// Another file system is mounted there.
    Mount,
    /// The file belongs to another user.
    Owner,
}

impl HeldReason {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            HeldReason::Secret { .. } => "secret",
            HeldReason::Cap { .. } => "cap",
            HeldReason::Name(_) => "name",
            HeldReason::Directory => "directory",
            HeldReason::Symlink => "symlink",
            HeldReason::Mount => "mount",
            HeldReason::Owner => "owner",
        }
    }

    /// Reads what [`fmt::Display`] cannot: rule and line of a secret.
    pub fn secret(&self) -> Option<(&str, u32)> {
        match self {
            HeldReason::Secret { rule, line } => Some((rule, *line)),
            HeldReason::Cap { .. }
            | HeldReason::Name(_)
            | HeldReason::Directory
            | HeldReason::Symlink
            | HeldReason::Mount
            | HeldReason::Owner => None,
        }
    }
}

impl fmt::Display for HeldReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeldReason::Secret { rule, line: 0 } => write!(f, "the name holds a secret ({rule})"),
            HeldReason::Secret { rule, line } => write!(f, "line {line} holds a secret ({rule})"),
            HeldReason::Cap { bytes, max } => {
                write!(f, "{bytes} bytes are over the cap of {max}")
            }
            HeldReason::Name(why) => f.write_str(why),
            HeldReason::Directory => f.write_str("a directory stands where a note is expected"),
            HeldReason::Symlink => f.write_str("is a symbolic link; notes are plain files"),
            HeldReason::Mount => f.write_str("another file system is mounted there"),
            HeldReason::Owner => f.write_str("belongs to another user"),
        }
    }
}

/// The size cap of a store's entries in bytes.
pub(super) fn size_cap(kind: StoreKind) -> u64 {
    match kind {
        StoreKind::Team => limits::ENTRY_BYTES as u64,
        StoreKind::Private | StoreKind::Agent => PRIVATE_ENTRY_BYTES,
    }
}

/// A private store shares nothing, so only what cannot be a note is held: 4 MB (kith's own bound,
/// sixteen times the team's).
const PRIVATE_ENTRY_BYTES: u64 = 4_000_000;

/// Judges a name that is new to the store.
pub fn held_by_name(path: &[u8]) -> Option<HeldReason> {
    if let Some(found) = secrets::scan_blocking(path) {
        return Some(HeldReason::Secret { rule: found.rule.to_string(), line: 0 });
    }
    match guard::check_name(path) {
        Ok(()) => None,
        Err(refusal) => Some(HeldReason::Name(refusal.to_string())),
    }
}

/// Judges a note's bytes.
pub fn gate(kind: StoreKind, bytes: &[u8]) -> Option<HeldReason> {
    let max = size_cap(kind);
    if bytes.len() as u64 > max {
        return Some(HeldReason::Cap { bytes: bytes.len() as u64, max });
    }
    secrets::scan_blocking(bytes)
        .map(|found| HeldReason::Secret { rule: found.rule.to_string(), line: found.line })
}

impl From<&Refusal> for HeldReason {
    fn from(refusal: &Refusal) -> HeldReason {
        HeldReason::Name(refusal.to_string())
    }
}
