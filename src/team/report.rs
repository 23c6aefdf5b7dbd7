//! What a sync reports; the keys are those of the command line's JSON.

use crate::guard;
use crate::vault::{Held, Quarantined};
use serde::Serialize;

/// Where the work waits that could not be pushed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outbox {
    /// Nothing waits.
    #[default]
    None,
    /// Committed here and waiting for the remote.
    Waiting,
    /// Another client has integrated it.
    Integrated,
}

/// One held-back path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HeldRow {
    /// The path, safe to show.
    pub path: String,
    /// The reason's code.
    pub reason: &'static str,
    /// The secret rule, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The line, where one is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The reason as a sentence.
    pub message: String,
    /// The commit that holds it, when it is not the live file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

impl From<&Held> for HeldRow {
    fn from(held: &Held) -> HeldRow {
        let secret = held.reason.secret();
        HeldRow {
            path: guard::show(&held.path),
            reason: held.reason.code(),
            rule: secret.map(|(rule, _)| rule.to_string()),
            line: secret.map(|(_, line)| line).filter(|line| *line > 0),
            message: held.reason.to_string(),
            commit: None,
        }
    }
}

/// Why work could not reach the remote, or come from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// No answer.
    Unreachable(String),
    /// An answer, and it was no: the reason's code and its words.
    Refused(&'static str, String),
    /// The remote's ref is gone although it was there; it is not made again unasked.
    Vanished(String),
    /// Too many clients push at once.
    Contended,
}

/// What a sync did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// Notes that came in.
    pub pulled: usize,
    /// Notes that went out.
    pub pushed: usize,
    /// Notes whose two texts were merged.
    pub merged: usize,
    /// Paths where both sides contradict and both texts were kept.
    pub contested: Vec<String>,
    /// Paths held back here.
    pub held: Vec<HeldRow>,
    /// Paths held back by a cap.
    pub capped: Vec<HeldRow>,
    /// Remote entries refused here.
    pub quarantined: Vec<Quarantined>,
    /// Own edits that wait because the remote's entry is quarantined.
    pub frozen: Vec<String>,
    /// Own changes that wait for a person.
    pub parked: Vec<String>,
    /// Notes whose stale writer was merged.
    pub restored: Vec<String>,
    /// Notes that a writer has open.
    pub busy: Vec<String>,
    /// Whether work waits.
    pub outbox: Outbox,
    /// Whether this person cannot push.
    pub reader: bool,
    /// How often the push was tried again.
    pub retries: u32,
    /// The whole run in milliseconds.
    pub duration_ms: u64,
    /// Secrets found in commits that are not published: they stay here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub leaks: Vec<HeldRow>,
    /// The branch that a suspicious mass change was captured on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parked_branch: Option<String>,
    /// What went wrong with the remote.
    #[serde(skip)]
    pub trouble: Option<Trouble>,
}
