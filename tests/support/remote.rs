//! A bare repository that stands for the team's server, and ways to look into it.

use super::run::{Output, git_program, run, search_path};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A bare repository on this disk.
pub struct Remote {
    pub dir: PathBuf,
}

impl Remote {
    /// Makes an empty bare repository whose HEAD is `main` and that takes pushes over http.
    pub fn bare(dir: &Path) -> Self {
        std::fs::create_dir_all(dir).unwrap();
        let remote = Self { dir: dir.to_path_buf() };
        remote.git(&["init", "-q", "--bare", "-b", "main"]).ok();
        remote.git(&["config", "http.receivepack", "true"]).ok();
        remote
    }

    /// The path as a URL that git takes.
    pub fn url(&self) -> &str {
        self.dir.to_str().unwrap()
    }

    /// Runs git in the bare repository.
    pub fn git(&self, args: &[&str]) -> Output {
        run(self.command(args), b"")
    }

    /// Runs git in the bare repository with bytes on standard input.
    pub fn git_with_input(&self, args: &[&str], stdin: &[u8]) -> Output {
        run(self.command(args), stdin)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(git_program());
        command.current_dir(&self.dir).env_clear().env("PATH", search_path());
        command.env("HOME", &self.dir).env("LC_ALL", "C").env("GIT_CONFIG_NOSYSTEM", "1");
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "Server");
            command.env(format!("GIT_{role}_EMAIL"), "server@example.com");
        }
        command.args(args);
        command
    }

    /// Every ref with the object it names.
    pub fn refs(&self) -> BTreeMap<String, String> {
        let listed = self.git(&["for-each-ref", "--format=%(refname) %(objectname)"]).ok();
        let pairs = listed.stdout.lines().filter_map(|l| l.split_once(' '));
        pairs.map(|(name, id)| (name.to_string(), id.to_string())).collect()
    }

    /// What `main` holds: path → (mode, object), in git's order, names as lossy text.
    pub fn tree(&self) -> BTreeMap<String, (String, String)> {
        let listed = self.git(&["ls-tree", "-r", "-z", "--full-tree", "main"]);
        let entries = listed.stdout.split('\0').filter(|e| !e.is_empty());
        entries
            .map(|e| {
                let (meta, name) = e.split_once('\t').unwrap();
                let words: Vec<&str> = meta.split(' ').collect();
                (name.to_string(), (words[0].to_string(), words[2].to_string()))
            })
            .collect()
    }

    /// The text of a path of `main`.
    pub fn read(&self, path: &str) -> Option<String> {
        let (_, id) = self.tree().get(path)?.clone();
        Some(self.git(&["cat-file", "blob", &id]).ok().stdout)
    }

    /// Whether any object (note, tree with its names, commit with its message) or ref of the
    /// repository holds this text, reachable or not.
    pub fn holds(&self, text: &str) -> bool {
        let all = self.git(&["cat-file", "--batch-all-objects", "--batch", "--buffer"]).ok();
        all.stdout.contains(text) || self.refs().keys().any(|r| r.contains(text))
    }

    /// Commits on `main` that say this in their message.
    pub fn commits_saying(&self, text: &str) -> usize {
        let log = self.git(&["log", "--format=%H", "--fixed-strings", "--grep", text, "main"]);
        log.stdout.lines().count()
    }
}
