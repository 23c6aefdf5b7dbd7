//! The settings that exist: names, kinds, defaults; how a value is read and checked.

use std::time::Duration;

use super::env::switch;

/// A setting that exists.
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// As a person would write it; empty where there is none.
    pub(super) default: &'static str,
}

/// What values a setting takes.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// On or off.
    Switch,
    /// A whole number between both, inclusive.
    Count(u64, u64),
    /// A time between both, inclusive, in milliseconds.
    Time(u64, u64),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Any text of one line.
    Text,
    /// A program with its arguments.
    Command,
}

const MINUTE_MS: u64 = 60_000;
const DAY_MS: u64 = 24 * 60 * MINUTE_MS;
/// More hours than anybody waits for a dream (ten years).
const MAX_HOURS: u64 = 87_600;
const MAX_COUNT: u64 = 1_000_000_000;

/// Every setting, in the order in which they are listed. Defaults of the engines are the
/// behaviour that the client documents; those of the network are ours.
pub(super) const KEYS: &[Key] = &[
    key("memory.enabled", Kind::Switch, "true"),
    key("memory.mode", Kind::Choice(&["topics", "daily-log"]), "topics"),
    key("durability", Kind::Choice(&["git", "full"]), "git"),
    key("team.push", Kind::Choice(&["auto", "full", "review"]), "auto"),
    key("network.timeout", Kind::Time(1, DAY_MS), "60s"),
    key("network.retries", Kind::Count(0, 1_000), "8"),
    key("extract.enabled", Kind::Switch, "true"),
    key("extract.every_turns", Kind::Count(1, MAX_COUNT), "1"),
    key("dream.enabled", Kind::Switch, "true"),
    key("dream.min_hours", Kind::Count(0, MAX_HOURS), "24"),
    key("dream.min_sessions", Kind::Count(0, MAX_COUNT), "5"),
    key("dream.scan_interval", Kind::Time(0, DAY_MS), "10m"),
    key("session_memory.enabled", Kind::Switch, "true"),
    key("session_memory.first_tokens", Kind::Count(0, MAX_COUNT), "10000"),
    key("session_memory.every_tokens", Kind::Count(0, MAX_COUNT), "5000"),
    key("session_memory.min_tool_calls", Kind::Count(0, MAX_COUNT), "3"),
    key(
        "model.provider",
        Kind::Choice(&["auto", "rules", "claude", "command", "anthropic", "openai", "off"]),
        "auto",
    ),
    key("model.command", Kind::Command, ""),
    key("model.base_url", Kind::Text, ""),
    key("model.name", Kind::Text, ""),
];

const fn key(name: &'static str, kind: Kind, default: &'static str) -> Key {
    Key { name, kind, default }
}

pub(super) fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// The environment variable of a setting.
pub(super) fn variable(name: &str) -> String {
    format!("KITH_{}", name.to_ascii_uppercase().replace('.', "_"))
}

/// Settings with a name like `name`, best first.
pub(super) fn near(name: &str) -> Vec<&'static str> {
    /// Edits between two names up to which one may have been meant for the other.
    const MISTYPED: usize = 3;
    let name = name.to_ascii_lowercase().replace('-', "_");
    let mut found: Vec<(usize, &str)> = KEYS
        .iter()
        .filter_map(|key| {
            let last = key.name.rsplit('.').next().unwrap_or(key.name);
            let distance = edits(&name, key.name).min(edits(&name, last));
            let part = name.len() > 3 && (key.name.contains(&name) || name.contains(key.name));
            (distance <= MISTYPED || part).then_some((distance, key.name))
        })
        .collect();
    found.sort_unstable();
    found.into_iter().take(3).map(|(_, name)| name).collect()
}

/// How many characters must be put in, taken out or changed to make one text of the other.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

impl Key {
    /// What the setting may be, as a phrase.
    pub(super) fn allowed(&self) -> String {
        match self.kind {
            Kind::Switch => "true or false".to_owned(),
            Kind::Count(min, max) => format!("a whole number from {min} to {max}"),
            Kind::Time(min, max) => {
                format!("a time from {} to {}, such as 90s, 10m or 2h", time(min), time(max))
            }
            Kind::Choice(words) => format!("one of {}", words.join(", ")),
            Kind::Text => "text of one line".to_owned(),
            Kind::Command => "a list of a program and its arguments".to_owned(),
        }
    }

    /// The value in its one spelling, or `None` if the setting cannot have it. No text is no
    /// value where the default is none.
    pub(super) fn normal(&self, text: &str) -> Option<String> {
        let text = text.trim();
        if text.is_empty() {
            return self.default.is_empty().then(String::new);
        }
        match self.kind {
            Kind::Switch => switch(text).map(|on| on.to_string()),
            Kind::Count(min, max) => {
                let count = text.parse().ok().filter(|n| (min..=max).contains(n))?;
                Some(count.to_string())
            }
            Kind::Time(min, max) => {
                let fits =
                    (min..=max).contains(&u64::try_from(parse_time(text)?.as_millis()).ok()?);
                fits.then(|| text.to_owned())
            }
            Kind::Choice(words) => words.contains(&text).then(|| text.to_owned()),
            Kind::Text => (!text.contains(char::is_control)).then(|| text.to_owned()),
            Kind::Command => {
                let argv = parse_command(text)?;
                Some(serde_json::Value::from(argv).to_string())
            }
        }
    }

    /// The same for a value of a settings file.
    pub(super) fn normal_json(&self, value: &serde_json::Value) -> Option<String> {
        use serde_json::Value;
        match value {
            Value::String(text) => self.normal(text),
            Value::Bool(_) | Value::Number(_) => self.normal(&value.to_string()),
            Value::Array(_) if matches!(self.kind, Kind::Command) => {
                self.normal(&value.to_string())
            }
            Value::Array(_) | Value::Object(_) | Value::Null => None,
        }
    }
}

/// Reads `500ms`, `10s`, `2m`, `1h`, or plain seconds.
pub(super) fn parse_time(text: &str) -> Option<Duration> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..digits].parse().ok()?;
    let unit_ms = match text[digits..].trim() {
        "ms" => 1,
        "" | "s" => 1_000,
        "m" => MINUTE_MS,
        "h" => 60 * MINUTE_MS,
        "d" => DAY_MS,
        _ => return None,
    };
    number.checked_mul(unit_ms).map(Duration::from_millis)
}

/// A time as [`parse_time`] reads it, in its largest whole unit.
fn time(ms: u64) -> String {
    match ms {
        ms if ms > 0 && ms.is_multiple_of(60 * MINUTE_MS) => format!("{}h", ms / (60 * MINUTE_MS)),
        ms if ms.is_multiple_of(1_000) => format!("{}s", ms / 1_000),
        ms => format!("{ms}ms"),
    }
}

/// Reads a JSON list of texts, or words between spaces.
pub(super) fn parse_command(text: &str) -> Option<Vec<String>> {
    let argv: Vec<String> = if text.starts_with('[') {
        serde_json::from_str(text).ok()?
    } else {
        text.split_whitespace().map(str::to_owned).collect()
    };
    let program = argv.first().is_some_and(|program| !program.is_empty());
    (program && !argv.iter().any(|word| word.contains('\0'))).then_some(argv)
}

/// `team.push`: what goes to the team without a person's word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TeamPush {
    /// Released changes, by themselves.
    Auto,
    /// The same with every engine's proposals.
    Full,
    /// Nothing before a person has reviewed it.
    Review,
}

/// `memory.mode`: what extraction writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryMode {
    /// Topic files and the index.
    Topics,
    /// The daily log alone; the dream distils it.
    DailyLog,
}

/// `durability`: what a capture waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// As git does: files are flushed where git would.
    Git,
    /// Every object, ref and file is flushed to the disk.
    Full,
}
