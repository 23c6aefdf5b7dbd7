//! Claude Code's own settings files: read, never written, and believed only as far as the one who
//! may write them is trusted.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::Env;
use super::places::absolute;

/// Bytes up to which a settings file is read. The project's come from a repository that anybody
/// may have written.
const SETTINGS_BYTES: u64 = 1 << 20;
/// Bytes up to which the client's own state is read; it keeps a history and grows.
const STATE_BYTES: u64 = 64 << 20;

/// Who may write a settings file, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layer {
    /// The administrator of the machine.
    Policy,
    /// The person, for this project; the file lies in the project's folder.
    Local,
    /// Whoever can commit to the project.
    Project,
    /// The person.
    User,
}

/// The settings files that could be read, strongest first.
#[derive(Debug)]
pub(super) struct ClaudeSettings {
    files: Vec<(Layer, PathBuf, Map<String, Value>)>,
}

/// A value with the file that it is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sourced<T> {
    pub(super) value: T,
    pub(super) file: PathBuf,
}

impl ClaudeSettings {
    /// Reads every file that exists; what is wrong with one goes to `warnings`.
    pub(super) fn load(env: &Env, project: &Path, warnings: &mut Vec<String>) -> Self {
        let folder = project.join(".claude");
        let user = config_dir(env).map(|dir| dir.join("settings.json"));
        let places = [
            (Layer::Policy, env.policy().map(Path::to_owned)),
            (Layer::Local, Some(folder.join("settings.local.json"))),
            (Layer::Project, Some(folder.join("settings.json"))),
            (Layer::User, user),
        ];
        let mut files = Vec::new();
        for (layer, path) in places {
            let Some(path) = path else { continue };
            match read_json(&path, SETTINGS_BYTES) {
                Ok(Some(map)) => files.push((layer, path, map)),
                Ok(None) => {}
                Err(why) => warnings.push(format!("{} is left out: {why}", path.display())),
            }
        }
        Self { files }
    }

    /// `autoMemoryDirectory` as the strongest layer that may set it has it. The project's own
    /// file never may: a hostile repository would have notes written where it likes. The local
    /// file lies in the project too, and counts only where the person trusts the workspace.
    pub(super) fn directory(
        &self,
        env: &Env,
        project: &Path,
        warnings: &mut Vec<String>,
    ) -> Option<Sourced<String>> {
        for (layer, file, map) in &self.files {
            let Some(value) = map.get("autoMemoryDirectory") else { continue };
            let believed = match layer {
                Layer::Policy | Layer::User => true,
                Layer::Project => false,
                Layer::Local => trusted(env, project),
            };
            match value.as_str() {
                Some(value) if believed => {
                    return Some(Sourced { value: value.to_owned(), file: file.clone() });
                }
                Some(_) => warnings.push(format!(
                    "{} sets autoMemoryDirectory and is not believed: {}",
                    file.display(),
                    if *layer == Layer::Local {
                        "the workspace is not trusted"
                    } else {
                        "a project cannot choose where memory lies"
                    }
                )),
                None => {
                    warnings.push(format!("{}: autoMemoryDirectory is not a text", file.display()))
                }
            }
        }
        None
    }

    /// A switch as the strongest layer has it.
    pub(super) fn switch(&self, key: &str, warnings: &mut Vec<String>) -> Option<Sourced<bool>> {
        for (_, file, map) in &self.files {
            match map.get(key) {
                Some(Value::Bool(value)) => {
                    return Some(Sourced { value: *value, file: file.clone() });
                }
                Some(_) => {
                    warnings.push(format!("{}: {key} is neither true nor false", file.display()));
                }
                None => {}
            }
        }
        None
    }
}

/// The client's own directory: `CLAUDE_CONFIG_DIR`, else `~/.claude`.
pub(super) fn config_dir(env: &Env) -> Option<PathBuf> {
    match env.get("CLAUDE_CONFIG_DIR") {
        Some(dir) => Some(absolute(env, Path::new(dir))),
        None => env.home().map(|home| home.join(".claude")),
    }
}

#[derive(Deserialize)]
struct State {
    #[serde(default)]
    projects: HashMap<String, ProjectState>,
}

#[derive(Deserialize)]
struct ProjectState {
    #[serde(default, rename = "hasTrustDialogAccepted")]
    trusted: bool,
}

/// Whether the person has said yes to the client's question of trust for this directory or one
/// above it. Anything unreadable is a no.
fn trusted(env: &Env, project: &Path) -> bool {
    let file = match env.get("CLAUDE_CONFIG_DIR") {
        Some(dir) => absolute(env, Path::new(dir)).join(".claude.json"),
        None => match env.home() {
            Some(home) => home.join(".claude.json"),
            None => return false,
        },
    };
    let Ok(Some(text)) = read(&file, STATE_BYTES) else { return false };
    let Ok(state) = serde_json::from_slice::<State>(&text) else { return false };
    let real = fs::canonicalize(project).ok();
    let said_yes = |dir: &Path| {
        dir.to_str().and_then(|dir| state.projects.get(dir)).is_some_and(|state| state.trusted)
    };
    project.ancestors().any(said_yes) || real.is_some_and(|real| real.ancestors().any(said_yes))
}

fn read_json(path: &Path, max: u64) -> Result<Option<Map<String, Value>>, String> {
    let Some(text) = read(path, max).map_err(|error| error.to_string())? else { return Ok(None) };
    match serde_json::from_slice(&text) {
        Ok(Value::Object(map)) => Ok(Some(map)),
        Ok(_) => Err("it is not a JSON object".to_owned()),
        // The parser's sentence names line and column, never the text.
        Err(error) => Err(format!("it is not JSON ({error})")),
    }
}

/// The bytes of a regular file, `None` if there is none. A pipe in its place would wait forever.
fn read(path: &Path, max: u64) -> io::Result<Option<Vec<u8>>> {
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    if !meta.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    if meta.len() > max {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is too large"));
    }
    match fs::read(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether the error only says that there is no such file.
pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
