//! What may come in from others: names, modes, sizes, collisions and content of the entries that
//! a teammate's tree holds. Pure checks over bytes; nothing here reads a disk or a store, and
//! nothing here decides what happens to a refused entry (the vault and the team room do).

mod entry;
mod invisible;
mod name;
mod names;
mod show;

#[cfg(test)]
mod tests;

pub use entry::{allowed, check_content, check_entry, is_temporary};
pub use name::{check_name, suggest};
pub use names::Names;
pub use show::show;

use thiserror::Error;

/// Most components in a path; memory is flat, daily logs go five deep.
pub const PATH_DEPTH: usize = 16;

/// Why an entry is not let in. Every `path` in it has gone through [`show`] already.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The name cannot be used safely on every system.
    #[error("{path}: the name is refused: {why}{}", hint(.suggested))]
    Name {
        /// The path, safe to print.
        path: String,
        /// What is wrong with it, as a clause.
        why: String,
        /// A name that would pass, where one can be made.
        suggested: Option<String>,
    },
    /// The name is not UTF-8, not in NFC, or holds characters that nobody can see.
    #[error("{path}: the name is refused: {why}{}", hint(.suggested))]
    Unicode {
        /// The path, safe to print.
        path: String,
        /// What is wrong with it, as a clause.
        why: String,
        /// A name that would pass, where one can be made.
        suggested: Option<String>,
    },
    /// A component is, or would on some file system become, `.git`.
    #[error("{path}: the name reaches into a git directory")]
    GitDir {
        /// The path, safe to print.
        path: String,
    },
    /// The entry is a symbolic link.
    #[error("{path}: symbolic links are not let in")]
    Symlink {
        /// The path, safe to print.
        path: String,
    },
    /// The entry is a submodule.
    #[error("{path}: submodules are not let in")]
    Submodule {
        /// The path, safe to print.
        path: String,
    },
    /// The entry's mode is none of those of a plain file.
    #[error("{path}: mode {mode:06o} is not that of a plain file")]
    Mode {
        /// The path, safe to print.
        path: String,
        /// The mode as the tree gives it.
        mode: u32,
    },
    /// The name is sound, but not of a kind that memory holds.
    #[error("{path}: memory holds notes (*.md), logs and its policy, not such a file")]
    Unlisted {
        /// The path, safe to print.
        path: String,
    },
    /// The entry is larger than an entry may be.
    #[error("{path}: {bytes} bytes, more than the {max} that an entry may have")]
    Size {
        /// The path, safe to print.
        path: String,
        /// Its size in bytes.
        bytes: u64,
        /// The limit in bytes.
        max: u64,
    },
    /// The name falls together with another one where case or Unicode form is ignored.
    #[error("{path}: cannot stand beside {with} where case or Unicode form is ignored")]
    Collision {
        /// The path, safe to print.
        path: String,
        /// The path that was there first, safe to print.
        with: String,
    },
    /// The content holds a secret.
    #[error("line {line} holds a secret ({rule})")]
    Secret {
        /// The rule that found it.
        rule: String,
        /// The line, counted from 1.
        line: u32,
    },
}

impl Refusal {
    /// The short stable name of the kind, as `--json` and events give it.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Name { .. } | Self::Unlisted { .. } => "name",
            Self::Unicode { .. } => "unicode",
            Self::GitDir { .. } => "git",
            Self::Symlink { .. } => "symlink",
            Self::Submodule { .. } => "submodule",
            Self::Mode { .. } => "mode",
            Self::Size { .. } => "size",
            Self::Collision { .. } => "collision",
            Self::Secret { .. } => "secret",
        }
    }
}

fn hint(suggested: &Option<String>) -> String {
    match suggested {
        Some(name) => format!("; {name} would do"),
        None => String::new(),
    }
}
