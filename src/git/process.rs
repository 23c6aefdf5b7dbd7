//! Starting the user's own `git`: no prompts, the C locale, a deadline, and the whole process group
//! killed after it.

use super::{GitError, Result};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};

/// How `git` is called: on which git directory, from which folder.
#[derive(Clone, Debug)]
pub struct Git {
    /// The git directory; `None` runs git without one.
    pub git_dir: Option<PathBuf>,
    /// The work tree, where a command needs one.
    pub work_tree: Option<PathBuf>,
    /// The folder it runs in.
    pub cwd: PathBuf,
}

/// How a child ended.
#[derive(Debug)]
pub struct Finished {
    /// The exit code; `None` when it was killed.
    pub code: Option<i32>,
    /// Whether the deadline ended it.
    pub timed_out: bool,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error, UTF-8 errors replaced.
    pub stderr: String,
}

/// A started child.
pub struct Running {
    runtime: tokio::runtime::Runtime,
    child: Child,
}

/// What every child gets so that nothing ever asks a person.
const QUIET: [(&str, &str); 6] = [
    ("LC_ALL", "C"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", "true"),
    ("SSH_ASKPASS", "true"),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("GCM_INTERACTIVE", "never"),
];

/// Variables that would point git elsewhere than the store.
const FOREIGN: [&str; 8] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
];

impl Git {
    fn arguments(&self, args: &[&str]) -> Vec<String> {
        let mut all = Vec::new();
        if let Some(dir) = &self.git_dir {
            all.push(format!("--git-dir={}", dir.display()));
        }
        if let Some(tree) = &self.work_tree {
            all.push(format!("--work-tree={}", tree.display()));
        }
        all.extend(args.iter().map(|a| (*a).to_string()));
        all
    }

    /// Starts git in the background with captured output.
    pub fn start(&self, args: &[&str]) -> Result<Running> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()
            .map_err(GitError::NoGit)?;
        let mut command = Command::new("git");
        command.args(self.arguments(args)).current_dir(&self.cwd);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.envs(QUIET).process_group(0).kill_on_drop(true);
        for name in FOREIGN {
            command.env_remove(name);
        }
        let child = {
            let _inside = runtime.enter();
            command.spawn().map_err(GitError::NoGit)?
        };
        Ok(Running { runtime, child })
    }

    /// Runs git to its end, at most for `deadline`.
    pub fn run(&self, args: &[&str], deadline: Duration) -> Result<Finished> {
        self.start(args)?.finish(deadline)
    }

    /// Runs git for a person: their terminal, their environment, no deadline. Gives the exit code.
    pub fn interactive(&self, args: &[String], path: &Path) -> Result<i32> {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let mut command = std::process::Command::new("git");
        command.args(self.arguments(&args)).current_dir(&self.cwd).env("PATH", path);
        for name in FOREIGN {
            command.env_remove(name);
        }
        let status = command.status().map_err(GitError::NoGit)?;
        Ok(status.code().unwrap_or(255))
    }
}

impl Running {
    /// Waits for the end; after `deadline` the child's whole process group is killed.
    pub fn finish(mut self, deadline: Duration) -> Result<Finished> {
        let group = self.child.id();
        let io = |source| GitError::Io { path: PathBuf::from("git"), source };
        let mut out = self.child.stdout.take().expect("stdout is piped");
        let mut err = self.child.stderr.take().expect("stderr is piped");
        let child = &mut self.child;
        self.runtime.block_on(async move {
            let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
            let work = async {
                let (a, b, status) = tokio::join!(
                    out.read_to_end(&mut stdout),
                    err.read_to_end(&mut stderr),
                    child.wait()
                );
                a.and(b).map_err(io)?;
                status.map_err(io)
            };
            let ended = tokio::time::timeout(deadline, work).await;
            let (code, timed_out) = match ended {
                Ok(status) => (status?.code(), false),
                Err(_) => {
                    kill_group(group);
                    (None, true)
                }
            };
            let stderr = String::from_utf8_lossy(&stderr).into_owned();
            Ok(Finished { code, timed_out, stdout, stderr })
        })
    }
}

fn kill_group(leader: Option<u32>) {
    let pid = leader.and_then(|id| rustix::process::Pid::from_raw(id as i32));
    if let Some(pid) = pid {
        // It may have ended by itself in this instant; there is nothing left to kill then.
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
}
