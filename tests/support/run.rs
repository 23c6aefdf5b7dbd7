//! Runs a program with a deadline and keeps what it said.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long one command may take before the test kills it.
const DEADLINE: Duration = Duration::from_secs(120);

/// What a command left: its streams and its exit code (-1 when a signal ended it).
#[derive(Debug, Clone)]
pub struct Output {
    pub stdout: String,
    pub stderr: String,
    pub code: i32,
    pub command: String,
}

impl Output {
    /// Asserts exit code 0.
    #[track_caller]
    pub fn ok(self) -> Self {
        self.exits(0)
    }

    /// Asserts the exit code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "wrong exit code\n{}", self.shown());
        self
    }

    /// Asserts that standard output and error together say `part`.
    #[track_caller]
    pub fn says(self, part: &str) -> Self {
        let said = self.stdout.contains(part) || self.stderr.contains(part);
        assert!(said, "`{part}` was not said\n{}", self.shown());
        self
    }

    /// The first JSON value on standard output.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        let all = self.json_lines();
        assert!(!all.is_empty(), "no JSON on standard output\n{}", self.shown());
        all[0].clone()
    }

    /// Every JSON value on standard output.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<serde_json::Value> {
        serde_json::Deserializer::from_str(&self.stdout)
            .into_iter()
            .map(|v| v.unwrap_or_else(|e| panic!("not JSON: {e}\n{}", self.shown())))
            .collect()
    }

    /// Both streams, for messages.
    pub fn shown(&self) -> String {
        let Self { stdout, stderr, code, command } = self;
        format!("$ {command}\nexit {code}\n--- stdout\n{stdout}\n--- stderr\n{stderr}")
    }
}

/// Runs a prepared command. Streams go to files: a child that lives on cannot hold the test.
pub fn run(mut command: Command, stdin: &[u8]) -> Output {
    let mut input = tempfile::tempfile().unwrap();
    input.write_all(stdin).unwrap();
    input.seek(SeekFrom::Start(0)).unwrap();
    let out = tempfile::tempfile().unwrap();
    let err = tempfile::tempfile().unwrap();
    command.stdin(Stdio::from(input));
    command.stdout(Stdio::from(out.try_clone().unwrap()));
    command.stderr(Stdio::from(err.try_clone().unwrap()));
    let shown = format!("{command:?}");
    let mut child = command.spawn().unwrap_or_else(|e| panic!("{shown}: {e}"));
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begin.elapsed() > DEADLINE {
            child.kill().unwrap();
            let _ = child.wait();
            panic!("{shown}: still running after {DEADLINE:?}\n{}{}", text(out), text(err));
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    Output {
        stdout: text(out),
        stderr: text(err),
        code: status.code().unwrap_or(-1),
        command: shown,
    }
}

fn text(mut file: File) -> String {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0)).unwrap();
    file.read_to_end(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The `PATH` of machines: the caller's, with the directory of `KITH_TEST_GIT` first.
pub fn search_path() -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let Some(git) = std::env::var_os("KITH_TEST_GIT") else { return path };
    let first = Path::new(&git).parent().expect("KITH_TEST_GIT is a program's path");
    let rest = std::env::split_paths(&path);
    std::env::join_paths(std::iter::once(first.to_path_buf()).chain(rest)).unwrap()
}

/// The git that machines find first.
pub fn git_program() -> PathBuf {
    tool("git").expect("git is needed by every end-to-end test")
}

/// Where a program lies: on the machines' `PATH` or in the system's own directories.
pub fn tool(name: &str) -> Option<PathBuf> {
    let path = search_path();
    let system = ["/usr/sbin", "/usr/local/sbin", "/sbin"].map(PathBuf::from);
    std::env::split_paths(&path).chain(system).map(|d| d.join(name)).find(|p| p.is_file())
}

/// Says that a test is skipped for want of a tool; where CI runs that is a failure.
pub fn missing<T>(what: &str) -> Option<T> {
    let ci = std::env::var("CI").is_ok_and(|v| v == "true");
    assert!(!ci, "{what} is not installed, and CI may not skip");
    eprintln!("SKIPPED: {what} is not installed");
    None
}
