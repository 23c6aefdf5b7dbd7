//! The nouns of an agent's memory and their laws: paths, headers, topics, indexes, and the
//! three-way merge that never loses a note.
//!
//! Owns what a memory file means. Everything here is pure: no files, no clock, no environment.
//! Nothing here knows git, secrets, or who may change what.

mod blocks;
pub mod frontmatter;
mod header_edit;
pub mod index;
pub mod limits;
mod lines;
pub mod merge;
pub mod path;
pub mod topic;
pub mod yaml;

pub use frontmatter::Header;
pub use merge::{Merged, Side, merge};
pub use path::{INDEX_NAME, MemoryPath, NoteKind, PathError};
pub use topic::{NewTopic, Topic, TopicType};
