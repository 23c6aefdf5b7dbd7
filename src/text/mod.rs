//! Pure work on text: names for files and keys for collisions.
//!
//! Owns what can be said about a text without knowing what a memory is.

pub mod fold;
pub mod slug;

pub use fold::{fold_key, nfc};
pub use slug::slug;
