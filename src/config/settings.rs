//! The settings of one run, each with the layer that it comes from.
//!
//! Layers, later ones win: defaults, kith's settings file, Claude Code's own settings for the
//! switches that both have, the environment, flags.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use super::claude::{ClaudeSettings, Sourced, is_absent};
use super::edit;
use super::keys::{self, KEYS};
use super::places::absolute;
use super::{ConfigError, Env};
use crate::memory::yaml;

/// Claude Code's switches and the settings of ours that they are.
const SHARED_SWITCHES: [(&str, &str); 2] =
    [("autoMemoryEnabled", "memory.enabled"), ("autoDreamEnabled", "dream.enabled")];

/// Every setting of one run.
#[derive(Debug)]
pub struct Settings {
    /// One for each of `KEYS`, in its order.
    pub(super) values: Vec<Value>,
    warnings: Vec<String>,
    directory: Option<Sourced<String>>,
}

/// A setting, its value as text, and where that comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// Its name, with dots.
    pub key: &'static str,
    /// Its value; empty where there is none.
    pub value: String,
    /// The layer that has set it.
    pub origin: Origin,
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nobody has set it.
    Default,
    /// kith's settings file.
    File(PathBuf),
    /// A settings file of Claude Code.
    Claude(PathBuf),
    /// An environment variable.
    Env(String),
    /// The command line.
    Flag,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(file) | Self::Claude(file) => write!(f, "{}", file.display()),
            Self::Env(name) => write!(f, "env {name}"),
            Self::Flag => f.write_str("flag"),
        }
    }
}

impl Settings {
    /// Reads every layer. `project` is the directory that the work is done in, absolute; `flags`
    /// are settings that the command line has.
    ///
    /// # Errors
    /// A file of kith's that is no settings file, or a value that a setting cannot have. Unknown
    /// names in a file, and anything wrong with Claude Code's files, are warnings.
    pub fn load(
        env: &Env,
        project: &Path,
        flags: &[(String, String)],
    ) -> Result<Self, ConfigError> {
        let values = KEYS
            .iter()
            .map(|key| Value {
                key: key.name,
                value: key.default.to_owned(),
                origin: Origin::Default,
            })
            .collect();
        let mut settings = Self { values, warnings: Vec::new(), directory: None };
        if let Some(file) = settings_file(env) {
            settings.add_file(&file)?;
        }
        settings.add_claude(env, project);
        settings.add_env(env)?;
        for (key, value) in flags {
            let place = format!("the flag for {key}");
            settings.set_text(key, value, Origin::Flag, &place)?;
        }
        Ok(settings)
    }

    /// Every setting, in a fixed order.
    #[must_use]
    pub fn list(&self) -> Vec<Value> {
        self.values.clone()
    }

    /// One setting; `None` if there is no such.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Value> {
        self.values.iter().find(|value| value.key == key).cloned()
    }

    /// What was left out while reading, as sentences.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Writes one setting into kith's settings file, which is made if there is none. Comments and
    /// the order of the other lines stay where the file is written in the usual way, a setting a
    /// line.
    ///
    /// # Errors
    /// No such setting, a value that it cannot have, a file that is no settings file or cannot
    /// be written.
    pub fn set(env: &Env, key: &str, value: &str) -> Result<(), ConfigError> {
        let known = keys::find(key).ok_or_else(|| unknown(key))?;
        let normal = known.normal(value).ok_or_else(|| ConfigError::BadValue {
            place: "the value given".to_owned(),
            key: key.to_owned(),
            allowed: known.allowed(),
        })?;
        let file = settings_file(env).ok_or(ConfigError::NoHome)?;
        edit::set(&file, key, &normal)
    }

    /// `autoMemoryDirectory` as it stands in the file, with the file, unchecked.
    pub(super) fn directory(&self) -> Option<(&str, &Path)> {
        self.directory.as_ref().map(|found| (found.value.as_str(), found.file.as_path()))
    }

    fn add_file(&mut self, file: &Path) -> Result<(), ConfigError> {
        let text = match fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if is_absent(&error) => return Ok(()),
            Err(source) => return Err(ConfigError::Read { path: file.to_owned(), source }),
        };
        let map = yaml::mapping(&text).map_err(|error| ConfigError::Syntax {
            path: file.to_owned(),
            message: error.to_string(),
        })?;
        for (key, value) in edit::flatten(&map) {
            let place = match edit::line_of(&text, &key) {
                Some(line) => format!("{}, line {line}", file.display()),
                None => file.display().to_string(),
            };
            let Some(known) = keys::find(&key) else {
                self.warnings.push(format!("{place}: there is no setting {key:?}"));
                continue;
            };
            if value.is_null() {
                continue;
            }
            let normal = known.normal_json(&value).ok_or_else(|| ConfigError::BadValue {
                place,
                key: key.clone(),
                allowed: known.allowed(),
            })?;
            self.put(known.name, normal, Origin::File(file.to_owned()));
        }
        Ok(())
    }

    fn add_claude(&mut self, env: &Env, project: &Path) {
        let claude = ClaudeSettings::load(env, project, &mut self.warnings);
        for (theirs, ours) in SHARED_SWITCHES {
            if let Some(found) = claude.switch(theirs, &mut self.warnings) {
                self.put(ours, found.value.to_string(), Origin::Claude(found.file));
            }
        }
        self.directory = claude.directory(env, project, &mut self.warnings);
    }

    fn add_env(&mut self, env: &Env) -> Result<(), ConfigError> {
        for key in KEYS {
            let variable = keys::variable(key.name);
            if let Some(value) = env.get(&variable) {
                let origin = Origin::Env(variable.clone());
                self.set_text(key.name, value, origin, &variable)?;
            }
        }
        Ok(())
    }

    fn set_text(
        &mut self,
        key: &str,
        value: &str,
        origin: Origin,
        place: &str,
    ) -> Result<(), ConfigError> {
        let known = keys::find(key).ok_or_else(|| unknown(key))?;
        let normal = known.normal(value).ok_or_else(|| ConfigError::BadValue {
            place: place.to_owned(),
            key: key.to_owned(),
            allowed: known.allowed(),
        })?;
        self.put(known.name, normal, origin);
        Ok(())
    }

    fn put(&mut self, key: &str, value: String, origin: Origin) {
        if let Some(slot) = self.values.iter_mut().find(|slot| slot.key == key) {
            slot.value = value;
            slot.origin = origin;
        }
    }
}

fn unknown(key: &str) -> ConfigError {
    ConfigError::UnknownKey { key: key.to_owned(), near: keys::near(key) }
}

/// kith's settings file, which may not exist; `None` where no home is known.
fn settings_file(env: &Env) -> Option<PathBuf> {
    if let Some(file) = env.get("KITH_CONFIG") {
        return Some(absolute(env, Path::new(file)));
    }
    // The base directory specification says that a relative path in the variable is ignored.
    let xdg = env.get("XDG_CONFIG_HOME").map(Path::new).filter(|dir| dir.is_absolute());
    let base = match xdg {
        Some(dir) => dir.to_owned(),
        None => env.home()?.join(".config"),
    };
    Some(base.join("kith/config.yaml"))
}
