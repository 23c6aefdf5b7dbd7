//! kith keeps the memory of coding agents in git.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod cli;
pub mod config;
pub mod git;
pub mod guard;
pub mod memory;
pub mod secrets;
pub mod team;
pub mod text;
pub mod ui;
pub mod vault;
