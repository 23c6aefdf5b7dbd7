//! Commit messages: a subject, and trailers that are the log.

use std::fmt::Write;

/// What made a commit (`Kith-Op`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Changes found in the live directory.
    Capture,
    /// A note written by `remember`.
    Remember,
    /// What came in was merged with what is here.
    Merge,
    /// A commit was undone.
    Revert,
    /// A path was brought back.
    Restore,
    /// A directory was taken over.
    Adopt,
    /// A waiting change was released.
    Share,
}

impl Op {
    /// The trailer's value.
    pub fn as_str(self) -> &'static str {
        match self {
            Op::Capture => "capture",
            Op::Remember => "remember",
            Op::Merge => "merge",
            Op::Revert => "revert",
            Op::Restore => "restore",
            Op::Adopt => "adopt",
            Op::Share => "share",
        }
    }
}

/// A message in the making.
#[derive(Clone, Debug)]
pub struct Message {
    subject: String,
    trailers: Vec<(&'static str, String)>,
}

impl Message {
    /// A message with its subject and op.
    pub fn new(op: Op, subject: impl Into<String>) -> Message {
        Message { subject: subject.into(), trailers: vec![("Kith-Op", op.as_str().into())] }
    }

    /// Adds a trailer. Line breaks in the value become spaces.
    pub fn trailer(mut self, key: &'static str, value: &str) -> Message {
        self.trailers.push((key, value.replace(['\n', '\r'], " ")));
        self
    }

    /// The whole text.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n\n", self.subject.trim_end());
        for (key, value) in &self.trailers {
            let _ = writeln!(text, "{key}: {value}");
        }
        text
    }
}
