//! What a remote is asked before kith relies on it: its branch, its head, and whether everybody
//! may read it. Only asks; nothing is sent.

use super::{CommandError, Context};
use crate::git::{Finished, Git, Oid, Repo};
use crate::secrets;
use std::path::Path;
use std::time::Duration;

/// Where a store's configuration keeps the answer about its readers.
const READERS: &str = "kith.readers";
/// A person said that everybody may read the remote.
const PUBLIC: &str = "public";
/// The remote has refused to answer strangers.
const CLOSED: &str = "closed";
/// The longest that the question about the readers may take. It is a courtesy to people who mistook
/// a public repository for a private one, so it does not wait as long as a sync.
const READERS_DEADLINE: Duration = Duration::from_secs(15);

/// What the remote said about itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Its default branch and that branch's head, where it has one.
    Head(Option<(String, Oid)>),
    /// It did not answer; the reason.
    Silent(String),
}

/// Asks the remote for its default branch.
pub(super) fn head(ctx: &Context, url: &str) -> Result<Answer, CommandError> {
    let git = git(&ctx.places.project);
    let deadline = ctx.settings.network_timeout();
    let end = git.run(&["ls-remote", "--symref", "--", url, "HEAD"], deadline)?;
    Ok(match end.code {
        Some(0) => Answer::Head(read_head(&String::from_utf8_lossy(&end.stdout))),
        _ => Answer::Silent(reason(&end)),
    })
}

/// `ref: refs/heads/main<tab>HEAD`, then `<id><tab>HEAD`.
fn read_head(text: &str) -> Option<(String, Oid)> {
    let mut rows = text.lines().filter_map(|line| line.split_once('\t'));
    let (name, _) = rows.find(|(value, _)| value.starts_with("ref: "))?;
    let (id, _) = rows.find(|(_, name)| *name == "HEAD")?;
    let branch = name.strip_prefix("ref: ")?.strip_prefix("refs/heads/")?;
    Some((branch.to_string(), Oid::parse(id)?))
}

/// Who may read a remote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Readers {
    /// Not everybody, or a person said that everybody may.
    Settled,
    /// Everybody, and no person has agreed to that.
    Everybody,
    /// It did not say.
    Unknown,
}

/// Records that a person agreed to a remote that everybody can read.
pub(super) fn agree(repo: &Repo) -> Result<(), CommandError> {
    Ok(repo.set_config(READERS, Some(PUBLIC))?)
}

/// Forgets the answer, for a new remote.
pub(super) fn forget(repo: &Repo) -> Result<(), CommandError> {
    Ok(repo.set_config(READERS, None)?)
}

/// Finds out who may read the remote, once: a path is not asked, what was settled neither.
pub(super) fn readers(ctx: &Context, repo: &Repo, url: &str) -> Result<Readers, CommandError> {
    if repo.config_value(READERS).is_some() {
        return Ok(Readers::Settled);
    }
    let Some(url) = strangers_url(ctx, url)? else { return Ok(Readers::Settled) };
    let git = git(&ctx.places.project);
    let anonymous = [
        "-c",
        "credential.helper=",
        "-c",
        "http.extraHeader=",
        "-c",
        "core.askPass=",
        "ls-remote",
        "--",
        &url.address,
        "HEAD",
    ];
    let deadline = READERS_DEADLINE.min(ctx.settings.network_timeout());
    let end = git.run(&anonymous, deadline)?;
    if end.code == Some(0) {
        return Ok(Readers::Everybody);
    }
    if url.guessed || says_no(&end.stderr) {
        repo.set_config(READERS, Some(CLOSED))?;
        return Ok(Readers::Settled);
    }
    Ok(Readers::Unknown)
}

/// Whether the remote answered, and refused a stranger. Hosts hide what a stranger may not read.
fn says_no(stderr: &str) -> bool {
    const WORDS: [&str; 9] = [
        "Authentication failed",
        "could not read Username",
        "could not read Password",
        "error: 401",
        "error: 403",
        "not found",
        "Not Found",
        "error: 404",
        "access denied",
    ];
    WORDS.iter().any(|w| stderr.contains(w))
}

/// An address that a stranger would try.
struct Stranger {
    address: String,
    /// Whether it was made from an ssh address; no answer there says nothing against anybody.
    guessed: bool,
}

/// The address that a stranger would read this remote by; `None` for a path on this machine.
fn strangers_url(ctx: &Context, url: &str) -> Result<Option<Stranger>, CommandError> {
    // The user's own rewriting (`url.….insteadOf`) decides where git really goes.
    let git = git(&ctx.places.project);
    let end = git.run(&["ls-remote", "--get-url", "--", url], READERS_DEADLINE)?;
    let real = String::from_utf8_lossy(&end.stdout).trim().to_string();
    let real = if real.is_empty() { url } else { &real };
    Ok(stranger(real))
}

fn stranger(url: &str) -> Option<Stranger> {
    let plain = ["http://", "https://", "git://"].iter().any(|s| url.starts_with(s));
    if plain {
        return Some(Stranger { address: url.to_string(), guessed: false });
    }
    let ssh = url.strip_prefix("ssh://").or_else(|| url.strip_prefix("git+ssh://"));
    let (host, path) = match ssh {
        Some(rest) => rest.split_once('/')?,
        None if url.contains("://") => return None,
        None => url.split_once(':').filter(|(host, _)| !host.contains('/'))?,
    };
    let host = host.rsplit('@').next()?;
    let host = host.split(':').next().filter(|h| !h.is_empty())?;
    let path = path.trim_start_matches('/');
    let address = format!("https://{host}/{path}");
    // A host on this machine or without a domain has no web address that a stranger knows.
    let known = host.contains('.') && !host.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    known.then_some(Stranger { address, guessed: true })
}

fn git(project: &Path) -> Git {
    Git { git_dir: None, work_tree: None, cwd: project.to_path_buf() }
}

/// git's reason in one line.
fn reason(end: &Finished) -> String {
    if end.timed_out {
        return "no answer within the deadline".to_string();
    }
    let lines = || end.stderr.lines().map(str::trim).filter(|l| !l.is_empty());
    let line = lines().find(|l| l.starts_with("fatal:")).or_else(|| lines().next_back());
    let line = line.unwrap_or("git gave no reason").trim_start_matches("fatal: ");
    secrets::redact(line).into_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_default_branch_is_read_from_the_symbolic_head() {
        let id = "1234567890123456789012345678901234567890";
        let text = format!("ref: refs/heads/trunk\tHEAD\n{id}\tHEAD\n");
        assert_eq!(read_head(&text).unwrap().0, "trunk");
        assert_eq!(read_head(""), None);
        assert_eq!(read_head(&format!("{id}\tHEAD\n")), None);
    }

    #[test]
    fn a_stranger_tries_the_web_address_and_no_path() {
        let address = |url: &str| stranger(url).map(|s| (s.address, s.guessed));
        let plain = "https://host.example/a.git";
        assert_eq!(address(plain), Some((plain.to_string(), false)));
        let guessed = Some(("https://host.example/team/a.git".to_string(), true));
        assert_eq!(address("git@host.example:team/a.git"), guessed);
        assert_eq!(address("ssh://git@host.example:2222/team/a.git"), guessed);
        for quiet in ["/srv/a.git", "file:///srv/a.git", "ssh://git@127.0.0.1:2222/a", "alias:a"] {
            assert_eq!(address(quiet), None, "{quiet}");
        }
    }
}
