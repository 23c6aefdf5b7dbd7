//! The settings as the rest of the crate asks for them: by name and type.

use std::time::Duration;

use super::keys::{self, Durability, MemoryMode, TeamPush};
use super::{Env, Settings};

/// Whether memory is on, and what says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// On: nobody has switched it off.
    On,
    /// On, forced by `CLAUDE_CODE_DISABLE_AUTO_MEMORY` being false.
    OnByEnv,
    /// Off by `CLAUDE_CODE_DISABLE_AUTO_MEMORY`.
    OffByEnv,
    /// Off: a remote session without a memory directory that outlives it.
    OffByRemote,
    /// Off by `autoMemoryEnabled` or `memory.enabled`.
    OffBySetting,
}

impl Switch {
    /// Whether memory is on.
    #[must_use]
    pub fn is_on(self) -> bool {
        match self {
            Self::On | Self::OnByEnv => true,
            Self::OffByEnv | Self::OffByRemote | Self::OffBySetting => false,
        }
    }

    /// A short stable name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::OnByEnv => "on_by_env",
            Self::OffByEnv => "off_by_env",
            Self::OffByRemote => "off_by_remote",
            Self::OffBySetting => "off_by_setting",
        }
    }
}

impl Settings {
    /// Whether memory is on for this process, before a session's own toggle is asked.
    #[must_use]
    pub fn auto_memory_enabled(&self, env: &Env) -> bool {
        self.auto_memory(env).is_on()
    }

    /// The same with what says so.
    #[must_use]
    pub fn auto_memory(&self, env: &Env) -> Switch {
        match env.truthy("CLAUDE_CODE_DISABLE_AUTO_MEMORY") {
            Some(true) => return Switch::OffByEnv,
            Some(false) => return Switch::OnByEnv,
            None => {}
        }
        let remote = env.truthy("CLAUDE_CODE_REMOTE") == Some(true);
        if remote && env.get("CLAUDE_CODE_REMOTE_MEMORY_DIR").is_none() {
            return Switch::OffByRemote;
        }
        if self.switch("memory.enabled") { Switch::On } else { Switch::OffBySetting }
    }

    /// `team.push`.
    #[must_use]
    pub fn team_push(&self) -> TeamPush {
        match self.text("team.push") {
            "full" => TeamPush::Full,
            "review" => TeamPush::Review,
            _ => TeamPush::Auto,
        }
    }

    /// `memory.mode`.
    #[must_use]
    pub fn memory_mode(&self) -> MemoryMode {
        match self.text("memory.mode") {
            "daily-log" => MemoryMode::DailyLog,
            _ => MemoryMode::Topics,
        }
    }

    /// `durability`.
    #[must_use]
    pub fn durability(&self) -> Durability {
        match self.text("durability") {
            "full" => Durability::Full,
            _ => Durability::Git,
        }
    }

    /// `network.timeout`: how long one talk with a remote may take.
    #[must_use]
    pub fn network_timeout(&self) -> Duration {
        self.time("network.timeout")
    }

    /// `network.retries`: how often a lost race is tried again.
    #[must_use]
    pub fn network_retries(&self) -> u64 {
        self.count("network.retries")
    }

    /// `extract.enabled`.
    #[must_use]
    pub fn extract_enabled(&self) -> bool {
        self.switch("extract.enabled")
    }

    /// `extract.every_turns`: turns from one extraction to the next.
    #[must_use]
    pub fn extract_every_turns(&self) -> u64 {
        self.count("extract.every_turns")
    }

    /// `dream.enabled`: whether the automatic dream is on.
    #[must_use]
    pub fn dream_enabled(&self) -> bool {
        self.switch("dream.enabled")
    }

    /// `dream.min_hours`: hours from one automatic dream to the next.
    #[must_use]
    pub fn dream_min_hours(&self) -> u64 {
        self.count("dream.min_hours")
    }

    /// `dream.min_sessions`: sessions that must have been touched since the last one.
    #[must_use]
    pub fn dream_min_sessions(&self) -> u64 {
        self.count("dream.min_sessions")
    }

    /// `dream.scan_interval`: time from one look at the sessions to the next.
    #[must_use]
    pub fn dream_scan_interval(&self) -> Duration {
        self.time("dream.scan_interval")
    }

    /// `session_memory.enabled`.
    #[must_use]
    pub fn session_memory_enabled(&self) -> bool {
        self.switch("session_memory.enabled")
    }

    /// `model.command`: the program and its arguments; empty where none is set.
    #[must_use]
    pub fn model_command(&self) -> Vec<String> {
        keys::parse_command(self.text("model.command")).unwrap_or_default()
    }

    fn text(&self, key: &str) -> &str {
        let value = self.values.iter().find(|value| value.key == key);
        &value.expect("only names of KEYS are asked for").value
    }

    fn switch(&self, key: &str) -> bool {
        self.text(key) == "true"
    }

    fn count(&self, key: &str) -> u64 {
        self.text(key).parse().expect("a count was checked when it was set")
    }

    fn time(&self, key: &str) -> Duration {
        keys::parse_time(self.text(key)).expect("a time was checked when it was set")
    }
}
