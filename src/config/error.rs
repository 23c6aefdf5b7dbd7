//! What can go wrong before a command has begun.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// An error of settings, environment or places. Values are never repeated in it, since a setting
/// may hold a credential.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// No home directory, and nothing that stands in for it.
    #[error("no home directory is known")]
    NoHome,
    /// The current directory is gone or cannot be read.
    #[error("the current directory cannot be found")]
    NoCwd(#[source] io::Error),
    /// An environment variable that kith reads is not UTF-8.
    #[error("the environment variable {0} is not UTF-8")]
    NotUnicode(String),
    /// The project directory is not there.
    #[error("there is no directory {}", path.display())]
    NoProject {
        /// The directory that was named.
        path: PathBuf,
    },
    /// A settings file cannot be read.
    #[error("{} cannot be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The settings file cannot be written.
    #[error("{} cannot be written", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The settings file is no YAML mapping.
    #[error("{} is not a settings file: {message}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What the parser says, with the line.
        message: String,
    },
    /// A setting has a value that it cannot have.
    #[error("{place}: {key} must be {allowed}")]
    BadValue {
        /// Where it was set: a file with its line, a variable, a flag.
        place: String,
        /// The setting.
        key: String,
        /// What it may be, as a phrase.
        allowed: String,
    },
    /// There is no such setting.
    #[error("there is no setting {key:?}")]
    UnknownKey {
        /// The name that was given.
        key: String,
        /// Settings with a name like it.
        near: Vec<&'static str>,
    },
}

impl ConfigError {
    /// What to do about it, as a sentence, where that is not plain from the error.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoHome => Some("Set HOME, or CLAUDE_CONFIG_DIR to a directory.".to_owned()),
            Self::NoCwd(_) | Self::NoProject { .. } => {
                Some("Go to a directory that exists, or name one with --project.".to_owned())
            }
            Self::UnknownKey { near, .. } if near.is_empty() => {
                Some("`kith config list` names every setting.".to_owned())
            }
            Self::UnknownKey { near, .. } => Some(format!("Did you mean {}?", near.join(" or "))),
            Self::Syntax { .. }
            | Self::BadValue { .. }
            | Self::NotUnicode(_)
            | Self::Read { .. }
            | Self::Write { .. } => None,
        }
    }
}
