//! Settings in their layers, the process environment, trust in a workspace, and where every
//! directory of a project is. Knows nothing of what a memory holds; opens no store.

mod chosen;
mod claude;
mod edit;
mod env;
mod error;
mod getters;
mod keys;
mod places;
mod root;
mod settings;
mod slug;
mod strays;

#[cfg(test)]
mod tests;

pub use env::Env;
pub use error::ConfigError;
pub use getters::Switch;
pub use keys::{Durability, MemoryMode, TeamPush};
pub use places::{AgentScope, Places, Rule};
pub use root::{canonical_root, enclosing_work_tree};
pub use settings::{Origin, Settings, Value};
pub use slug::slug;
pub use strays::Stray;
