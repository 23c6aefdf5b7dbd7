//! The command line as clap reads it: the flags of every command, and the commands.

use super::{
    commit, completions, config, demo, diff, events, git, hook, init, log, remember, restore,
    revert, scan, show, status, sync, where_,
};
use crate::config::AgentScope;
use crate::ui::Colour;
use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Keeps the memory of coding agents in git: shared with a team, and no secret leaves.
#[derive(Debug, Parser)]
#[command(name = "kith", version)]
pub struct Cli {
    /// Flags of every command.
    #[command(flatten)]
    pub global: Global,
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The flags that every command has.
#[derive(Clone, Debug, clap::Args)]
pub struct Global {
    /// A memory directory, instead of finding it
    #[arg(long, global = true, value_name = "DIR", help_heading = "Global options")]
    pub dir: Option<PathBuf>,
    /// The project whose memory is meant
    #[arg(
        long,
        global = true,
        value_name = "PATH",
        default_value = ".",
        hide_default_value = true,
        help_heading = "Global options"
    )]
    pub project: PathBuf,
    /// Act on the team store
    #[arg(long, global = true, help_heading = "Global options")]
    pub team: bool,
    /// Act on the memory of this agent
    #[arg(
        long,
        global = true,
        value_name = "NAME",
        conflicts_with = "team",
        help_heading = "Global options"
    )]
    pub agent: Option<String>,
    /// Whose memory of that agent is meant
    #[arg(long, global = true, value_name = "SCOPE", help_heading = "Global options")]
    pub agent_scope: Option<Scope>,
    /// Print data as JSON, one object a line
    #[arg(long, global = true, help_heading = "Global options")]
    pub json: bool,
    /// Exit with 5 when something awaits a person
    #[arg(long, global = true, help_heading = "Global options")]
    pub exit_code: bool,
    /// Say nothing but data, warnings and errors
    #[arg(short, long, global = true, help_heading = "Global options")]
    pub quiet: bool,
    /// Say more
    #[arg(short, long, global = true, help_heading = "Global options")]
    pub verbose: bool,
    /// When to use colours
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true,
        help_heading = "Global options"
    )]
    pub color: When,
    /// Never ask: the answer is yes
    #[arg(long, global = true, help_heading = "Global options")]
    pub yes: bool,
}

impl Default for Global {
    /// No flag given.
    fn default() -> Global {
        Global {
            dir: None,
            project: PathBuf::from("."),
            team: false,
            agent: None,
            agent_scope: None,
            json: false,
            exit_code: false,
            quiet: false,
            verbose: false,
            color: When::Auto,
            yes: false,
        }
    }
}

/// Values of `--agent-scope`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Scope {
    /// The person's, in all projects
    User,
    /// The project's, versioned by its repository
    Project,
    /// The person's, in this project
    Local,
}

impl From<Scope> for AgentScope {
    fn from(scope: Scope) -> AgentScope {
        match scope {
            Scope::User => AgentScope::User,
            Scope::Project => AgentScope::Project,
            Scope::Local => AgentScope::Local,
        }
    }
}

/// Values of `--color`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum When {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl From<When> for Colour {
    fn from(when: When) -> Colour {
        match when {
            When::Auto => Colour::Auto,
            When::Always => Colour::Always,
            When::Never => Colour::Never,
        }
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make the memory directory a store, or join the team's
    Init(init::Args),
    /// Show every directory of this project and the rule that chose it
    Where(where_::Args),
    /// Write down something to know: a note and its index line, committed
    Remember(remember::Args),
    /// Show what changed, what is held back and why, and what awaits a person
    Status(status::Args),
    /// Capture what changed
    Commit(commit::Args),
    /// Bring in what the team has
    Pull(sync::Args),
    /// Send what is released
    Push(sync::Args),
    /// Pull and push
    Sync(sync::Args),
    /// List the commits, newest first
    Log(log::Args),
    /// Show one commit
    Show(show::Args),
    /// Show what differs
    Diff(diff::Args),
    /// Undo a commit by a new one
    Revert(revert::Args),
    /// Bring a path back by a new commit
    Restore(restore::Args),
    /// Look for secrets
    Scan(scan::Args),
    /// Run plain git on the store
    Git(git::Args),
    /// List, read and write settings
    Config(config::Args),
    /// Print the event log
    Events(events::Args),
    /// See the main job end to end in a temporary folder
    Demo(demo::Args),
    /// Print the completions of a shell
    Completions(completions::Args),
    /// What git and agent programs call
    Hook(hook::Args),
}
