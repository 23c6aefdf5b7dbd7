//! Paths inside a memory directory and the kind of file that each stands for.
//!
//! Owns the shape of a path. Whether a path may come in from others (Unicode tricks, reserved
//! names, collisions) is judged elsewhere.

use std::fmt;

use crate::memory::limits::{PATH_BYTES, PATH_COMPONENT_BYTES};

/// The file name of an index, in the memory directory itself or in any folder of it.
pub const INDEX_NAME: &str = "MEMORY.md";

/// A relative path inside a memory directory, with `/` between its components.
///
/// Never empty, never absolute, without empty, `.` or `..` components, NUL or `\`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryPath(String);

/// Why a text is no path of a memory directory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// The text is empty.
    #[error("a memory path cannot be empty")]
    Empty,
    /// The path starts with `/`.
    #[error("`{0}` is absolute; memory paths are relative to the memory directory")]
    Absolute(String),
    /// A component is empty, `.` or `..`.
    #[error("`{0}` has an empty, `.` or `..` component")]
    Component(String),
    /// The path holds NUL or `\`.
    #[error("`{0}` holds a NUL or a backslash")]
    Character(String),
    /// The path or one component of it is too long.
    #[error("`{0}` is too long for a memory path")]
    TooLong(String),
}

/// What a file of a memory directory is, judged by its path alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NoteKind {
    /// `MEMORY.md` in any folder: one line a note.
    Index,
    /// A markdown note.
    Topic,
    /// Below `logs/`: append-only daily logs.
    Log,
    /// Below `.kith/`: what the team agreed on.
    Policy,
    /// Anything else.
    Other,
}

impl MemoryPath {
    /// Checks `text` and makes it a path.
    ///
    /// # Errors
    /// [`PathError`] says which rule the text breaks.
    pub fn new(text: &str) -> Result<Self, PathError> {
        if text.is_empty() {
            return Err(PathError::Empty);
        }
        if text.contains(['\0', '\\']) {
            return Err(PathError::Character(text.escape_default().to_string()));
        }
        if text.starts_with('/') {
            return Err(PathError::Absolute(text.to_owned()));
        }
        if text.len() > PATH_BYTES {
            return Err(PathError::TooLong(text.to_owned()));
        }
        for part in text.split('/') {
            if part.is_empty() || part == "." || part == ".." {
                return Err(PathError::Component(text.to_owned()));
            }
            if part.len() > PATH_COMPONENT_BYTES {
                return Err(PathError::TooLong(text.to_owned()));
            }
        }
        Ok(Self(text.to_owned()))
    }

    /// The whole path.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last component.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The last component without its extension.
    #[must_use]
    pub fn file_stem(&self) -> &str {
        let name = self.file_name();
        match name.rfind('.') {
            Some(dot) if dot > 0 => &name[..dot],
            Some(_) | None => name,
        }
    }

    /// The folder that the file lies in; `None` at the top.
    #[must_use]
    pub fn parent(&self) -> Option<&str> {
        self.0.rfind('/').map(|slash| &self.0[..slash])
    }

    /// What kind of file this path stands for.
    #[must_use]
    pub fn kind(&self) -> NoteKind {
        if self.0.starts_with(".kith/") {
            NoteKind::Policy
        } else if self.0.starts_with("logs/") {
            NoteKind::Log
        } else if self.file_name() == INDEX_NAME {
            NoteKind::Index
        } else if self.file_name().ends_with(".md") {
            NoteKind::Topic
        } else {
            NoteKind::Other
        }
    }
}

impl fmt::Display for MemoryPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for MemoryPath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_path_that_could_leave_the_directory_is_refused() {
        for bad in ["", "/a", "a//b", "./a", "a/..", "..", "a/./b", "a\\b", "a\0b", "a/"] {
            assert!(MemoryPath::new(bad).is_err(), "{bad:?} was taken");
        }
        assert!(MemoryPath::new(&"x".repeat(PATH_COMPONENT_BYTES + 1)).is_err());
        assert_eq!(MemoryPath::new("a/b..md").unwrap().as_str(), "a/b..md");
    }

    #[test]
    fn the_kind_follows_from_the_path() {
        let kind = |p: &str| MemoryPath::new(p).unwrap().kind();
        assert_eq!(kind("MEMORY.md"), NoteKind::Index);
        assert_eq!(kind("team/MEMORY.md"), NoteKind::Index);
        assert_eq!(kind("feedback_tests.md"), NoteKind::Topic);
        assert_eq!(kind("logs/2026/03/2026-03-01.md"), NoteKind::Log);
        assert_eq!(kind(".kith/policy.yaml"), NoteKind::Policy);
        assert_eq!(kind("image.png"), NoteKind::Other);
    }

    #[test]
    fn stem_and_parent_are_parts_of_the_path() {
        let path = MemoryPath::new("a/b/note.v2.md").unwrap();
        assert_eq!(path.file_stem(), "note.v2");
        assert_eq!(path.parent(), Some("a/b"));
        assert_eq!(MemoryPath::new(".md").unwrap().file_stem(), ".md");
        assert_eq!(MemoryPath::new("note").unwrap().parent(), None);
    }
}
