//! `kith events`: the event log, from a point of time on, or as it grows.

use super::{CommandError, Context};
use chrono::{DateTime, FixedOffset, TimeDelta};
use serde_json::Value;
use std::fmt::Write;
use std::time::Duration;

/// How often a followed log is looked at.
const LOOK: Duration = Duration::from_millis(250);

/// Arguments of `events`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Go on printing what is logged from now on
    #[arg(long)]
    pub follow: bool,
    /// Only what is not older: a time (2026-03-01T10:00:00Z) or an age (10m, 2h, 3d)
    #[arg(long, value_name = "T")]
    pub since: Option<String>,
}

/// Runs `events`.
pub fn run(ctx: &Context, args: &Args) -> Result<(), CommandError> {
    let since = args.since.as_deref().map(|text| since(text, ctx.clock.now())).transpose()?;
    let mut at = 0;
    loop {
        let (lines, next) = ctx.events.read(at)?;
        at = next;
        for line in lines {
            let Ok(event) = serde_json::from_str::<Value>(&line) else { continue };
            if since.is_some_and(|since| !is_since(&event, since)) {
                continue;
            }
            let text = if ctx.ui.is_json() { line } else { sentence(&event) };
            if !ctx.ui.line(&text) {
                return Ok(());
            }
        }
        if !args.follow {
            return Ok(());
        }
        std::thread::sleep(LOOK);
    }
}

fn is_since(event: &Value, since: DateTime<FixedOffset>) -> bool {
    let time = event["time"].as_str().and_then(|t| DateTime::parse_from_rfc3339(t).ok());
    time.is_some_and(|time| time >= since)
}

/// `2026-03-01T10:00:00Z team_mem_sync_pull notes=3`.
fn sentence(event: &Value) -> String {
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_string);
    let mut text = format!("{} {}", word(&event["time"]), word(&event["event"]));
    for (key, value) in event.as_object().into_iter().flatten() {
        if key != "time" && key != "event" {
            // Writing to a String cannot fail.
            let _ = write!(text, " {key}={}", word(value));
        }
    }
    text
}

fn since(text: &str, now: DateTime<FixedOffset>) -> Result<DateTime<FixedOffset>, CommandError> {
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Ok(time);
    }
    age(text).and_then(|age| now.checked_sub_signed(age)).ok_or_else(|| {
        CommandError::user(format!("{text:?} is neither a time nor an age"))
            .hint("Write a time as 2026-03-01T10:00:00Z, an age as 30s, 10m, 2h or 3d.")
    })
}

fn age(text: &str) -> Option<TimeDelta> {
    let unit = text.chars().next_back()?;
    let number: i64 = text[..text.len() - unit.len_utf8()].parse().ok().filter(|n| *n >= 0)?;
    match unit {
        's' => TimeDelta::try_seconds(number),
        'm' => TimeDelta::try_minutes(number),
        'h' => TimeDelta::try_hours(number),
        'd' => TimeDelta::try_days(number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_point_of_time_is_a_time_or_an_age() {
        let now = DateTime::parse_from_rfc3339("2026-03-01T10:00:00Z").unwrap();
        let at = |text: &str| since(text, now).unwrap().to_rfc3339();
        assert_eq!(at("2h"), "2026-03-01T08:00:00+00:00");
        assert_eq!(at("3d"), "2026-02-26T10:00:00+00:00");
        assert_eq!(at("2026-02-01T00:00:00Z"), "2026-02-01T00:00:00+00:00");
        for bad in ["", "h", "-2h", "2w", "2é", "99999999999999999d"] {
            assert_eq!(since(bad, now).unwrap_err().kind.code(), 1, "{bad}");
        }
    }
}
