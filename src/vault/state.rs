//! Small files of a store's state: atomic writes, and what the last sync left.

use super::{Result, VaultError, io_at};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::io::Write;
use std::path::Path;

/// What the last sync of a store left behind, for `status` and the next sync.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SyncState {
    /// When the last sync ended, RFC 3339.
    pub last_sync: Option<String>,
    /// Remote entries that were refused here: path (lossy), refusal code and sentence.
    pub quarantined: Vec<Quarantined>,
    /// Paths of our own whose edits wait because the remote's entry is quarantined.
    pub frozen: Vec<String>,
    /// Why pushes are suppressed, if they are.
    pub suppressed: Option<String>,
    /// Paths whose two texts were both kept.
    pub contested: Vec<String>,
    /// Whether the last push is still to be made.
    pub waiting: bool,
}

/// One refused entry of the remote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quarantined {
    /// The path, safe to show.
    pub path: String,
    /// The refusal's code.
    pub code: String,
    /// The refusal as a sentence.
    pub reason: String,
    /// Who brought it in, where known.
    pub by: Option<String>,
}

/// Reads a JSON state file; an absent one is the default.
pub fn load<T: DeserializeOwned + Default>(path: &Path) -> Result<T> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(T::default()),
        Err(e) => return Err(io_at(path)(e)),
    };
    serde_json::from_slice(&bytes)
        .map_err(|e| VaultError::State { path: path.to_path_buf(), reason: e.to_string() })
}

/// Writes a JSON state file atomically.
pub fn save<T: Serialize>(path: &Path, value: &T) -> Result<()> {
    let bytes = serde_json::to_vec(value)
        .map_err(|e| VaultError::State { path: path.to_path_buf(), reason: e.to_string() })?;
    write_atomic(path, &bytes, false)
}

/// Writes a file whole or not at all: a temporary one beside it, then a rename. `durable` waits for
/// the disk.
pub(super) fn write_atomic(path: &Path, bytes: &[u8], durable: bool) -> Result<()> {
    let mut name = path.file_name().map(std::ffi::OsStr::to_os_string).unwrap_or_default();
    name.push(format!(".{}.tmp", std::process::id()));
    let temp = path.with_file_name(name);
    let write = || {
        let mut file = std::fs::File::create(&temp)?;
        file.write_all(bytes)?;
        if durable {
            file.sync_all()?;
        }
        std::fs::rename(&temp, path)
    };
    write().map_err(io_at(path))
}
