//! Fetch and push by the user's own `git`, judged by refs before and after and by the porcelain
//! output of push, never by wording alone where a ref can tell.

use super::{Finished, Git, Oid, Repo, Result};
use std::path::PathBuf;
use std::time::Duration;

/// A remote line: where it is and which ref it is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// The URL as the person gave it.
    pub url: String,
    /// The full ref on the remote, e.g. `refs/heads/main`.
    pub remote_ref: String,
}

/// Why the remote will not be asked again by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suppression {
    /// Credentials were refused or none were found.
    Auth,
    /// There is no such repository.
    NoRepo,
    /// A hook or a protection rule said no.
    Policy,
}

impl Suppression {
    /// The word used in status and events.
    pub fn as_str(self) -> &'static str {
        match self {
            Suppression::Auth => "auth",
            Suppression::NoRepo => "no_repo",
            Suppression::Policy => "policy",
        }
    }
}

/// What a fetch brought.
#[derive(Debug, PartialEq, Eq)]
pub enum FetchOutcome {
    /// The remote head is this (`None`: the remote has no such ref yet).
    Head(Option<Oid>),
    /// The remote could not be reached or did not answer in time.
    Unreachable(String),
    /// The remote answered and refused.
    Refused(Suppression, String),
}

/// How a push ended.
#[derive(Debug, PartialEq, Eq)]
pub enum PushOutcome {
    /// The remote's ref is ours now.
    Landed,
    /// Another client was faster.
    Lost,
    /// The remote could not be reached or did not answer in time.
    Unreachable(String),
    /// The remote answered and refused.
    Refused(Suppression, String),
}

impl Remote {
    /// The path of a remote on this machine, else `None`.
    pub fn local_path(&self) -> Option<PathBuf> {
        let path = self.url.strip_prefix("file://").unwrap_or(&self.url);
        path.starts_with('/').then(|| PathBuf::from(path))
    }

    fn read_in_process(&self) -> Option<Option<Oid>> {
        let repo = git2::Repository::open(self.local_path()?).ok()?;
        match repo.refname_to_id(&self.remote_ref) {
            Ok(id) => Some(Some(Oid(id))),
            Err(e) if e.code() == git2::ErrorCode::NotFound => Some(None),
            Err(_) => None,
        }
    }

    /// The remote head of a path remote when nothing needs to be fetched, read without a child.
    pub fn unchanged(&self, have: Option<Oid>) -> bool {
        have.is_some() && self.read_in_process().is_some_and(|head| head == have)
    }

    /// The arguments of a fetch of this line into `into`.
    pub fn fetch_args(&self, into: &str) -> Vec<String> {
        let fixed = [
            // The guard judges what comes in, entry by entry; fsck would refuse all of it at once.
            "-c",
            "fetch.fsckObjects=false",
            "-c",
            "transfer.fsckObjects=false",
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-auto-maintenance",
            "--no-recurse-submodules",
            "--",
        ];
        let mut args: Vec<String> = fixed.iter().map(|a| (*a).to_string()).collect();
        args.push(self.url.clone());
        args.push(format!("+{}:{into}", self.remote_ref));
        args
    }

    /// Judges a finished fetch.
    pub fn fetched(&self, repo: &Repo, into: &str, end: &Finished) -> Result<FetchOutcome> {
        if end.code == Some(0) {
            return Ok(FetchOutcome::Head(repo.reference(into)?));
        }
        if end.stderr.contains("couldn't find remote ref") {
            return Ok(FetchOutcome::Head(None));
        }
        Ok(match refusal(end) {
            Some(why) => FetchOutcome::Refused(why, reason(end)),
            None => FetchOutcome::Unreachable(reason(end)),
        })
    }

    /// Pushes `new` with a lease on `old`. `new` descends from `old`, so nothing is ever forced.
    pub fn push(
        &self,
        git: &Git,
        old: Option<Oid>,
        new: Oid,
        deadline: Duration,
    ) -> Result<PushOutcome> {
        let old = old.map(|id| id.to_string()).unwrap_or_default();
        let lease = format!("--force-with-lease={}:{old}", self.remote_ref);
        let refspec = format!("{new}:{}", self.remote_ref);
        let args = [
            "push",
            "--porcelain",
            "--no-verify",
            "--no-signed",
            "--recurse-submodules=no",
            &lease,
            "--",
            &self.url,
            &refspec,
        ];
        let end = git.run(&args, deadline)?;
        if end.code == Some(0) {
            return Ok(PushOutcome::Landed);
        }
        let line = String::from_utf8_lossy(&end.stdout)
            .lines()
            .find(|l| l.starts_with('!'))
            .map(str::to_string);
        Ok(match line {
            Some(line) if lost(&line) => PushOutcome::Lost,
            Some(line) => PushOutcome::Refused(Suppression::Policy, rejected(&line, &end)),
            None => match refusal(&end) {
                Some(why) => PushOutcome::Refused(why, reason(&end)),
                None => PushOutcome::Unreachable(reason(&end)),
            },
        })
    }
}

/// Whether a rejected line of push says that somebody else moved the ref.
fn lost(line: &str) -> bool {
    const RACES: [&str; 8] = [
        "stale info",
        "non-fast-forward",
        "fetch first",
        "remote ref updated since checkout",
        "cannot lock ref",
        "failed to update ref",
        "failed to lock",
        "reference already exists",
    ];
    RACES.iter().any(|race| line.contains(race))
}

fn rejected(line: &str, end: &Finished) -> String {
    let why = line.rsplit('\t').next().unwrap_or(line);
    let remote: Vec<&str> =
        end.stderr.lines().filter_map(|l| l.strip_prefix("remote: ")).map(str::trim).collect();
    if remote.is_empty() { why.to_string() } else { format!("{why}: {}", remote.join(" ")) }
}

/// The reason in one line: git's `fatal:` or last line.
fn reason(end: &Finished) -> String {
    if end.timed_out {
        return "no answer within the deadline".into();
    }
    let lines = || end.stderr.lines().map(str::trim).filter(|l| !l.is_empty());
    let line = lines().find(|l| l.starts_with("fatal:")).or_else(|| lines().next_back());
    line.unwrap_or("git gave no reason").trim_start_matches("fatal: ").to_string()
}

fn refusal(end: &Finished) -> Option<Suppression> {
    const AUTH: [&str; 7] = [
        "Authentication failed",
        "could not read Username",
        "could not read Password",
        "Permission denied",
        "error: 401",
        "error: 403",
        "Host key verification failed",
    ];
    const NO_REPO: [&str; 6] = [
        "does not appear to be a git repository",
        "repository not found",
        "Repository not found",
        "' not found",
        "does not exist",
        "access denied or repository not exported",
    ];
    let has = |words: &[&str]| words.iter().any(|w| end.stderr.contains(w));
    if end.timed_out {
        None
    } else if has(&AUTH) {
        Some(Suppression::Auth)
    } else if has(&NO_REPO) {
        Some(Suppression::NoRepo)
    } else {
        None
    }
}
