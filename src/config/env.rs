//! The process environment: the only place of the crate that reads it, once, for `main`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::ConfigError;

/// Where administrators put Claude Code's policy.
const POLICY_FILE: &str = if cfg!(target_os = "macos") {
    "/Library/Application Support/ClaudeCode/managed-settings.json"
} else {
    "/etc/claude-code/managed-settings.json"
};

/// The environment variables, the current directory and the home directory of this process.
#[derive(Debug, Clone)]
pub struct Env {
    vars: HashMap<String, String>,
    cwd: PathBuf,
    policy: Option<PathBuf>,
    program: Option<PathBuf>,
}

impl Env {
    /// Reads the environment of this process.
    ///
    /// # Errors
    /// The current directory is gone, or a variable that kith reads is not UTF-8.
    #[allow(clippy::disallowed_methods)] // The one place that asks the system for them.
    pub fn read() -> Result<Self, ConfigError> {
        let mut vars = HashMap::new();
        for (key, value) in std::env::vars_os() {
            // A name that is not UTF-8 is none that anybody asks for.
            let Ok(key) = key.into_string() else { continue };
            match value.into_string() {
                Ok(value) => {
                    vars.insert(key, value);
                }
                Err(_) if is_ours(&key) => return Err(ConfigError::NotUnicode(key)),
                Err(_) => {}
            }
        }
        let cwd = std::env::current_dir().map_err(ConfigError::NoCwd)?;
        let program = std::env::current_exe().ok();
        Ok(Self { vars, cwd, policy: Some(PathBuf::from(POLICY_FILE)), program })
    }

    /// An environment of exactly these variables, without an administrator's policy: for tests.
    #[must_use]
    pub fn fixed(vars: &[(&str, &str)], cwd: &Path) -> Self {
        let vars = vars.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        Self { vars: vars.collect(), cwd: cwd.to_owned(), policy: None, program: None }
    }

    /// The same with the policy in `file`: for tests.
    #[must_use]
    pub fn with_policy(mut self, file: &Path) -> Self {
        self.policy = Some(file.to_owned());
        self
    }

    /// The value of a variable; one that is set to nothing counts as not set.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.vars.get(key).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// What a switch says: `1 true yes on` or `0 false no off`, in any case; anything else says
    /// nothing.
    #[must_use]
    pub fn truthy(&self, key: &str) -> Option<bool> {
        switch(self.get(key)?)
    }

    /// The current directory, without symbolic links.
    #[must_use]
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// Where this program lies, for files that call it; `None` where the system cannot say.
    #[must_use]
    pub fn program(&self) -> Option<&Path> {
        self.program.as_deref()
    }

    /// The home directory, if an absolute one is set.
    #[must_use]
    pub fn home(&self) -> Option<&Path> {
        self.get("HOME").map(Path::new).filter(|home| home.is_absolute())
    }

    /// The administrator's settings file of Claude Code, which may not exist.
    pub(super) fn policy(&self) -> Option<&Path> {
        self.policy.as_deref()
    }
}

/// `true` and `false` as people write them.
pub(super) fn switch(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Some(true),
        "0" | "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

fn is_ours(key: &str) -> bool {
    key == "HOME" || ["KITH_", "CLAUDE_", "XDG_"].iter().any(|prefix| key.starts_with(prefix))
}
