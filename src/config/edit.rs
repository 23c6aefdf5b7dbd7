//! Writing one setting into a settings file and leaving the rest of its text alone.

use std::fs::{self, File};
use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::ConfigError;
use super::claude::is_absent;
use crate::memory::yaml;

/// The settings of a file by their names with dots, however they are nested.
pub(super) fn flatten(map: &Map<String, Value>) -> Vec<(String, Value)> {
    let mut out = Vec::new();
    for (key, value) in map {
        match value {
            Value::Object(inner) => {
                out.extend(flatten(inner).into_iter().map(|(k, v)| (format!("{key}.{k}"), v)));
            }
            _ => out.push((key.clone(), value.clone())),
        }
    }
    out
}

/// The line, from 1, on which a setting stands, where the file is written a setting a line.
pub(super) fn line_of(text: &str, key: &str) -> Option<usize> {
    scan(text).iter().find(|found| found.key == key).map(|found| found.lines.start + 1)
}

/// Sets `key` in `file`, atomically: a reader sees the old text or the new one.
pub(super) fn set(file: &Path, key: &str, value: &str) -> Result<(), ConfigError> {
    let fault = |source| ConfigError::Write { path: file.to_owned(), source };
    // A link stays one: settings often live in a repository of their owner's.
    let file: PathBuf = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let folder = file.parent().unwrap_or(Path::new("/")).to_owned();
    fs::create_dir_all(&folder).map_err(fault)?;
    // Two commands that set at the same time must not undo each other. Where the file system has
    // no locks, the last one wins.
    let lock = File::open(&folder).map_err(fault)?;
    let _ = rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive);
    let old = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if is_absent(&error) => String::new(),
        Err(source) => return Err(ConfigError::Read { path: file, source }),
    };
    let new = edited(&old, key, value)
        .map_err(|message| ConfigError::Syntax { path: file.clone(), message })?;
    if new == old {
        return Ok(());
    }
    let temp = file.with_extension(format!("tmp.{}", std::process::id()));
    let written = write_through(&temp, &file, &new);
    if written.is_err() {
        // The error to tell is the first one.
        let _ = fs::remove_file(&temp);
    }
    written.map_err(fault)?;
    // The rename is on the disk once its folder is.
    lock.sync_all().map_err(fault)
}

fn write_through(temp: &Path, file: &Path, text: &str) -> std::io::Result<()> {
    let mut out = File::create(temp)?;
    out.write_all(text.as_bytes())?;
    if let Ok(meta) = fs::metadata(file) {
        out.set_permissions(meta.permissions())?;
    }
    out.sync_all()?;
    fs::rename(temp, file)
}

/// The text with `key` set to `value`. A text that is not written a setting a line is written
/// anew, with the comments at its top.
fn edited(text: &str, key: &str, value: &str) -> Result<String, String> {
    let mut wanted = yaml::mapping(text).map_err(|error| error.to_string())?;
    let old = flatten(&wanted);
    let expected = match (value, serde_json::from_str(value)) {
        (value, Ok(json @ Value::Array(_))) if value.starts_with('[') => json,
        (value, _) => Value::String(value.to_owned()),
    };
    let scalar = match &expected {
        Value::Array(_) => value.to_owned(),
        _ => written(value),
    };
    let new = replaced(text, key, &scalar);
    let holds = yaml::mapping(&new).is_ok_and(|map| {
        let new = flatten(&map);
        let same = |(k, v): &(String, Value)| k == key || new.contains(&(k.clone(), v.clone()));
        let set: Vec<&Value> = new.iter().filter(|(k, _)| k == key).map(|(_, v)| v).collect();
        let [set] = set.as_slice() else { return false };
        let added = usize::from(!old.iter().any(|(k, _)| k == key));
        new.len() == old.len() + added && old.iter().all(same) && text_of(set) == value
    });
    if holds {
        return Ok(new);
    }
    remove(&mut wanted, key);
    wanted.insert(key.to_owned(), expected);
    let comments = text.lines().take_while(|line| line.starts_with('#'));
    let mut out: String = comments.map(|line| format!("{line}\n")).collect();
    out.push_str(&yaml::to_string(&wanted).map_err(|error| error.to_string())?);
    Ok(out)
}

/// A value as text, in the spelling of `Key::normal`.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    }
}

/// A value as it is written: numbers and switches bare, texts quoted where YAML needs it.
fn written(value: &str) -> String {
    let bare = value == "true" || value == "false" || value.parse::<u64>().is_ok();
    if bare { value.to_owned() } else { yaml::scalar(value) }
}

fn remove(map: &mut Map<String, Value>, key: &str) {
    map.remove(key);
    for (outer, value) in map.iter_mut() {
        let inner = key.strip_prefix(outer.as_str()).and_then(|rest| rest.strip_prefix('.'));
        if let (Some(inner), Value::Object(map)) = (inner, value) {
            remove(map, inner);
        }
    }
}

/// A `name:` that begins a line.
struct Found {
    /// With the names that it is nested in.
    key: String,
    indent: usize,
    /// The lines from it to the end of its value, counted from 0.
    lines: Range<usize>,
    /// Where its value begins, in its first line.
    value: usize,
}

fn scan(text: &str) -> Vec<Found> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found: Vec<Found> = Vec::new();
    // Indices into `found` of the names that the current line is nested in.
    let mut open: Vec<usize> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(body) = content(line) else { continue };
        let indent = line.len() - line.trim_start().len();
        let item = body.starts_with("- ") || body == "-";
        open.retain(|&i| found[i].indent < indent || (item && found[i].indent == indent));
        for &i in &open {
            found[i].lines.end = at + 1;
        }
        let Some(colon) = body.find(':') else { continue };
        let (name, rest) = (&body[..colon], &body[colon + 1..]);
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let ends = rest.is_empty() || rest.starts_with([' ', '\t']);
        if item || !ends || name.is_empty() || !name.chars().all(plain) {
            continue;
        }
        let key = match open.last() {
            Some(&outer) => format!("{}.{name}", found[outer].key),
            None => name.to_owned(),
        };
        open.push(found.len());
        found.push(Found { key, indent, lines: at..at + 1, value: indent + colon + 1 });
    }
    found
}

/// What a line says, or `None` if it is empty or a comment.
fn content(line: &str) -> Option<&str> {
    let body = line.trim();
    (!body.is_empty() && !body.starts_with('#')).then_some(body)
}

/// The text with the setting's line changed, or a line added beside its siblings or at the end.
fn replaced(text: &str, key: &str, value: &str) -> String {
    let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let found = scan(text);
    if let Some(old) = found.iter().rev().find(|found| found.key == key) {
        let line = &lines[old.lines.start];
        let new = format!("{} {value}{}", &line[..old.value], comment(&line[old.value..]));
        lines.splice(old.lines.clone(), [new]);
    } else if let Some((outer, name)) = key.split_once('.') {
        let parent = found.iter().find(|found| {
            found.key == outer && content(&lines[found.lines.start][found.value..]).is_none()
        });
        let inner = format!("{outer}.");
        match parent {
            Some(parent) => {
                let child = found.iter().find(|found| found.key.starts_with(&inner));
                let indent = child.map_or(parent.indent + 2, |child| child.indent);
                lines.insert(parent.lines.end, format!("{:indent$}{name}: {value}", ""));
            }
            None => lines.extend([format!("{outer}:"), format!("  {name}: {value}")]),
        }
    } else {
        lines.push(format!("{key}: {value}"));
    }
    lines.iter().flat_map(|line| [line.as_str(), eol]).collect()
}

/// The comment at the end of a line, with the space before it.
fn comment(value: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in value.char_indices() {
        match (quote, c) {
            (None, '#') if before.is_whitespace() => {
                return &value[value[..at].trim_end().len()..];
            }
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
        before = c;
    }
    ""
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_setting_is_changed_and_everything_else_stays() {
        let text = "# mine\ndream:\n  enabled: true # nightly\n  min_hours: 24\n\n# team\nteam:\n    \
                    push: auto\n";
        assert_eq!(edited(text, "dream.enabled", "false").unwrap(), text.replace("true", "false"));
        assert_eq!(edited(text, "team.push", "review").unwrap(), text.replace("auto", "review"));
    }

    #[test]
    fn a_new_setting_goes_beside_its_siblings_or_to_the_end() {
        let text = "dream:\n    min_hours: 3\n\n# last\nteam:\n  push: full\n";
        assert_eq!(
            edited(text, "dream.enabled", "true").unwrap(),
            "dream:\n    min_hours: 3\n    enabled: true\n\n# last\nteam:\n  push: full\n"
        );
        assert_eq!(
            edited("a: 1\n", "network.timeout", "10s").unwrap(),
            "a: 1\nnetwork:\n  timeout: 10s\n"
        );
        assert_eq!(edited("", "durability", "full").unwrap(), "durability: full\n");
    }

    #[test]
    fn values_of_several_lines_are_replaced_whole() {
        let text = "model:\n  command:\n  - a\n  - \"b: c\"\n  name: x\nlast: 1\n";
        assert_eq!(
            edited(text, "model.command", r#"["p","q r"]"#).unwrap(),
            "model:\n  command: [\"p\",\"q r\"]\n  name: x\nlast: 1\n"
        );
    }

    #[test]
    fn names_with_dots_and_line_ends_of_windows_are_kept() {
        assert_eq!(
            edited("dream.enabled: true\r\nx: 1\r\n", "dream.enabled", "false").unwrap(),
            "dream.enabled: false\r\nx: 1\r\n"
        );
        assert_eq!(edited("x: 'a # b' # c\n", "x", "d").unwrap(), "x: d # c\n");
    }

    #[test]
    fn a_text_of_another_shape_is_written_anew_without_losing_a_setting() {
        let new = edited("# top\n{dream: {enabled: true}, z: [1]}\n", "dream.enabled", "false");
        let new = new.unwrap();
        assert!(new.starts_with("# top\n"));
        let map = yaml::mapping(&new).unwrap();
        assert_eq!(map["dream.enabled"], Value::String("false".to_owned()));
        assert_eq!(map["z"], serde_json::json!([1]));
    }

    proptest! {
        #[test]
        fn what_was_set_is_read_and_the_rest_is_untouched(
            lines in proptest::collection::vec("(  )?(a|b|c\\.d|dream|enabled|- x|# n)(: ?[v\"#1|\\[]{0,3})?", 0..6),
            value in "[a-z0-9 :#'\"-]{1,8}",
        ) {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let Ok(old) = yaml::mapping(&text) else { return Ok(()) };
            let value = value.trim();
            prop_assume!(!value.is_empty());
            let new = yaml::mapping(&edited(&text, "dream.enabled", value).unwrap()).unwrap();
            let new = flatten(&new);
            for (key, was) in flatten(&old) {
                // A name that was a text of its own cannot also hold names.
                if key != "dream.enabled" && key != "dream" {
                    prop_assert!(new.contains(&(key, was)));
                }
            }
            let set = new.iter().find(|(key, _)| key == "dream.enabled").unwrap();
            let text = set.1.as_str().map_or(set.1.to_string(), str::to_owned);
            prop_assert_eq!(text, value);
        }
    }
}
