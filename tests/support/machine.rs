//! A machine: a temporary home with a cleared environment, a project under git, and the real
//! `kith` binary run there.

use super::run::{Output, git_program, run, search_path};
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// One person's machine. Everything it writes lies below one temporary folder.
pub struct Machine {
    root: TempDir,
    home: PathBuf,
    project: PathBuf,
    env: Vec<(OsString, OsString)>,
}

impl Machine {
    /// A machine whose person has this name, with a project under git.
    pub fn new(person: &str) -> Self {
        let root = tempfile::Builder::new().prefix("kith-e2e-").tempdir().unwrap();
        let real = root.path().canonicalize().unwrap();
        let home = real.join("home");
        let project = home.join("work").join("app");
        for dir in [&project, &home.join(".config"), &real.join("tmp")] {
            std::fs::create_dir_all(dir).unwrap();
        }
        let config = format!(
            "[user]\n\tname = {person}\n\temail = {}@example.com\n[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n",
            person.to_lowercase()
        );
        std::fs::write(home.join(".gitconfig"), config).unwrap();
        let machine = Self { root, home, project, env: Vec::new() };
        machine.git(&machine.project, &["init", "-q"]).ok();
        machine.git(&machine.project, &["commit", "-q", "--allow-empty", "-m", "begin"]).ok();
        machine
    }

    /// A machine that has joined the team of this remote.
    #[track_caller]
    pub fn in_team(person: &str, url: &str) -> Self {
        let machine = Self::new(person);
        machine.kith(&["init", "--team-url", url]).ok();
        machine
    }

    pub fn home(&self) -> &Path {
        &self.home
    }

    pub fn project(&self) -> &Path {
        &self.project
    }

    /// The folder that holds the home, for snapshots of everything around it.
    pub fn root(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap()
    }

    /// Sets a variable for every later command.
    pub fn set_env(&mut self, key: &str, value: &str) {
        self.env.push((key.into(), value.into()));
    }

    /// Moves the home directory: every path changes, no byte does.
    pub fn move_home(&mut self, name: &str) {
        let to = self.root().join(name);
        std::fs::rename(&self.home, &to).unwrap();
        self.project = to.join(self.project.strip_prefix(&self.home).unwrap());
        self.home = to;
    }

    /// A command with this machine's environment and nothing else.
    pub fn command(&self, program: &Path, dir: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(dir).env_clear();
        command.env("PATH", search_path()).env("HOME", &self.home).env("LC_ALL", "C");
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("TMPDIR", self.root().join("tmp"));
        for (key, below) in [
            ("XDG_CONFIG_HOME", ".config"),
            ("XDG_DATA_HOME", ".local/share"),
            ("XDG_STATE_HOME", ".local/state"),
            ("XDG_CACHE_HOME", ".cache"),
        ] {
            command.env(key, self.home.join(below));
        }
        command.envs(self.env.iter().map(|(k, v)| (k, v)));
        command
    }

    /// Runs kith in the project.
    pub fn kith(&self, args: &[&str]) -> Output {
        self.kith_in(&self.project, args)
    }

    /// Runs kith in a directory.
    pub fn kith_in(&self, dir: &Path, args: &[&str]) -> Output {
        let mut command = self.command(Path::new(env!("CARGO_BIN_EXE_kith")), dir);
        command.args(args);
        run(command, b"")
    }

    /// Runs kith in the project with this on standard input.
    pub fn kith_with_input(&self, args: &[&str], stdin: &str) -> Output {
        let mut command = self.command(Path::new(env!("CARGO_BIN_EXE_kith")), &self.project);
        command.args(args);
        run(command, stdin.as_bytes())
    }

    /// Runs plain git in a directory.
    pub fn git(&self, dir: &Path, args: &[&str]) -> Output {
        let mut command = self.command(&git_program(), dir);
        command.args(args);
        run(command, b"")
    }

    /// The JSON object of a command that must succeed; `--json` is added.
    #[track_caller]
    pub fn json(&self, args: &[&str]) -> Value {
        let mut all = args.to_vec();
        all.push("--json");
        self.kith(&all).ok().json()
    }

    /// The private memory directory, as `kith where` names it.
    #[track_caller]
    pub fn memory_dir(&self) -> PathBuf {
        path_of(&self.json(&["where"])["memory_dir"])
    }

    /// The team's directory, as `kith where` names it.
    #[track_caller]
    pub fn team_dir(&self) -> PathBuf {
        path_of(&self.json(&["where"])["team"]["dir"])
    }

    /// The git directory of the private store, as `kith where` names it.
    #[track_caller]
    pub fn git_dir(&self) -> PathBuf {
        path_of(&self.json(&["where"])["git_dir"])
    }

    /// Writes a file of the private memory, as an agent would.
    pub fn write(&self, path: &str, text: &str) {
        write(&self.memory_dir().join(path), text);
    }

    /// Writes a file of the team's memory, as an agent would.
    pub fn write_team(&self, path: &str, text: &str) {
        write(&self.team_dir().join(path), text);
    }

    /// A file of the private memory, if it is there.
    pub fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.memory_dir().join(path)).ok()
    }

    /// A file of the team's memory, if it is there.
    pub fn read_team(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.team_dir().join(path)).ok()
    }

    /// `kith sync`, which must succeed: the JSON object of the team store.
    #[track_caller]
    pub fn sync(&self) -> Value {
        self.json(&["sync"])
    }

    /// Makes git answer this URL's password prompt from a file, as a credential helper does.
    pub fn store_credentials(&self, url_with_password: &str) {
        write(&self.home.join(".git-credentials"), &format!("{url_with_password}\n"));
        self.git(&self.home, &["config", "--global", "credential.helper", "store"]).ok();
    }
}

/// Writes a file, making its directories.
pub fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[track_caller]
fn path_of(value: &Value) -> PathBuf {
    PathBuf::from(value.as_str().unwrap_or_else(|| panic!("not a path: {value}")))
}
