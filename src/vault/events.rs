//! The event log: one JSON object a line, appended whole. Fields are numbers, ids and rule names;
//! never note text, never a secret.

use super::{Result, io_at};
use serde::Serialize;
use serde_json::{Map, Value};
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

/// Above this size the log is set aside as `events.1.jsonl` (one generation is kept): 8 MiB.
const ROTATE_BYTES: u64 = 8 * 1024 * 1024;

/// One event to be logged.
#[derive(Clone, Debug)]
pub struct Event {
    name: &'static str,
    fields: Map<String, Value>,
}

impl Event {
    /// An event of this name.
    pub fn new(name: &'static str) -> Event {
        Event { name, fields: Map::new() }
    }

    /// Adds a field.
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Event {
        self.fields.insert(key.to_string(), value.into());
        self
    }
}

#[derive(Serialize)]
struct Line<'a> {
    time: &'a str,
    event: &'static str,
    #[serde(flatten)]
    fields: &'a Map<String, Value>,
}

/// The event log under `<base>/kith/`.
#[derive(Clone, Debug)]
pub struct Events {
    file: PathBuf,
}

impl Events {
    /// The log in this folder.
    pub fn new(kith_dir: &Path) -> Events {
        Events { file: kith_dir.join("events.jsonl") }
    }

    /// Appends an event; `time` is RFC 3339.
    pub fn log(&self, time: &str, event: Event) -> Result<()> {
        let row = Line { time, event: event.name, fields: &event.fields };
        let mut line = serde_json::to_string(&row).expect("strings and numbers serialise");
        line.push('\n');
        if std::fs::metadata(&self.file).is_ok_and(|m| m.len() > ROTATE_BYTES) {
            let old = self.file.with_file_name("events.1.jsonl");
            std::fs::rename(&self.file, &old).map_err(io_at(&self.file))?;
        }
        let append = || {
            if let Some(dir) = self.file.parent() {
                std::fs::create_dir_all(dir)?;
            }
            let mut file =
                std::fs::OpenOptions::new().create(true).append(true).open(&self.file)?;
            file.write_all(line.as_bytes())
        };
        append().map_err(io_at(&self.file))
    }

    /// The logged lines from byte `from` on, and the byte after the last whole line.
    pub fn read(&self, from: u64) -> Result<(Vec<String>, u64)> {
        use std::io::Seek;
        let mut file = match std::fs::File::open(&self.file) {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok((Vec::new(), 0)),
            Err(e) => return Err(io_at(&self.file)(e)),
        };
        let read = |e| io_at(&self.file)(e);
        let size = file.metadata().map_err(read)?.len();
        let from = if from > size { 0 } else { from };
        file.seek(std::io::SeekFrom::Start(from)).map_err(read)?;
        let mut lines = Vec::new();
        let mut at = from;
        let mut reader = std::io::BufReader::new(file);
        loop {
            let mut line = String::new();
            let n = reader.read_line(&mut line).map_err(read)?;
            if n == 0 || !line.ends_with('\n') {
                return Ok((lines, at));
            }
            at += n as u64;
            lines.push(line.trim_end().to_string());
        }
    }
}
