//! What a command fails with: a kind, which decides the exit code, a sentence, and the next step.

use crate::config::ConfigError;
use crate::git::GitError;
use crate::secrets;
use crate::team::TeamError;
use crate::vault::VaultError;

/// Why a command ends otherwise than well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The person's request or the configuration is wrong.
    User,
    /// The command line cannot be understood.
    Usage,
    /// Refused for safety.
    Refused,
    /// The remote cannot be reached, or work still waits for it.
    Unreachable,
    /// Something awaits a person, and `--exit-code` asked.
    Awaits,
    /// A fault of kith's own.
    Bug,
    /// The code of a program that was run for the person.
    Passed(u8),
}

impl Kind {
    /// The exit code, as the command line's contract has it.
    pub fn code(self) -> u8 {
        match self {
            Kind::User => 1,
            Kind::Usage => 2,
            Kind::Refused => 3,
            Kind::Unreachable => 4,
            Kind::Awaits => 5,
            Kind::Bug => 255,
            Kind::Passed(code) => code,
        }
    }
}

/// A command's failure. Its texts hold no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandError {
    /// What kind it is.
    pub kind: Kind,
    /// A sentence; empty when everything was said already.
    pub message: String,
    /// What to do next, a sentence each.
    pub hints: Vec<String>,
}

impl CommandError {
    /// A failure of this kind. Secrets in the message are taken out.
    pub fn new(kind: Kind, message: impl AsRef<str>) -> CommandError {
        let message = secrets::redact(message.as_ref()).into_owned();
        CommandError { kind, message, hints: Vec::new() }
    }

    /// The person's request cannot be met.
    pub fn user(message: impl AsRef<str>) -> CommandError {
        CommandError::new(Kind::User, message)
    }

    /// Refused for safety.
    pub fn refused(message: impl AsRef<str>) -> CommandError {
        CommandError::new(Kind::Refused, message)
    }

    /// The remote cannot be reached.
    pub fn unreachable(message: impl AsRef<str>) -> CommandError {
        CommandError::new(Kind::Unreachable, message)
    }

    /// Ends with the code of this kind without a word more.
    pub fn silent(kind: Kind) -> CommandError {
        CommandError { kind, message: String::new(), hints: Vec::new() }
    }

    /// Adds what to do next.
    pub fn hint(mut self, hint: impl AsRef<str>) -> CommandError {
        self.hints.push(secrets::redact(hint.as_ref()).into_owned());
        self
    }
}

impl From<ConfigError> for CommandError {
    fn from(e: ConfigError) -> CommandError {
        let because = std::error::Error::source(&e).map(|s| format!(": {s}")).unwrap_or_default();
        let error = CommandError::user(format!("{e}{because}"));
        match e.hint() {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}

impl From<GitError> for CommandError {
    fn from(e: GitError) -> CommandError {
        let error = CommandError::user(e.to_string());
        match e {
            GitError::NoGit(_) => error.hint("Install git (2.30 or newer) and put it on PATH."),
            GitError::Locked { lock, .. } => error.hint(format!(
                "If no git program is running there, remove {} and try again.",
                lock.display()
            )),
            GitError::Moved { .. } => error.hint("Another program works on this store; try again."),
            GitError::Object { .. } => {
                error.hint("`kith git fsck` checks the store; `kith log` lists its commits.")
            }
            GitError::Ref { .. } => error.hint("`kith git for-each-ref` lists the store's refs."),
            GitError::Open { .. } | GitError::Io { .. } | GitError::Other(_) => error,
        }
    }
}

impl From<VaultError> for CommandError {
    fn from(e: VaultError) -> CommandError {
        let user = || CommandError::user(e.to_string());
        match &e {
            VaultError::NoStore { .. } => user().hint("`kith init` makes it one."),
            VaultError::Absent { .. } => user().hint(
                "Make the directory again, say so with `kith where --adopt DIR`, and `kith restore .` \
                 brings its notes back; one that was moved is found by `kith --dir DIR status`.",
            ),
            VaultError::Emptied { dir, .. } => {
                let team = if dir.ends_with("team") { " --team" } else { "" };
                user()
                    .hint(format!("`kith restore{team} .` brings the notes back."))
                    .hint(format!("`kith commit{team} --yes` records that they are gone."))
            }
            VaultError::Replaced { dir, .. } => user().hint(format!(
                "If it takes that one's place, `kith where --adopt {}` says so; `kith restore .` \
                 then brings the notes back.",
                shell_word(&dir.display().to_string())
            )),
            VaultError::Unsettled { .. } => {
                user().hint("`kith status` says why it waits; try again when that is settled.")
            }
            VaultError::Copied { dir, .. } => user().hint(format!(
                "`kith where --adopt {}` gives it a store of its own, with the history.",
                shell_word(&dir.display().to_string())
            )),
            VaultError::OffLine { .. } => user().hint(
                "`kith git switch main` goes back to the live line; commit or stash first what \
                 you want to keep.",
            ),
            VaultError::OpenOperation { operation } => user().hint(mend(operation)),
            VaultError::NewerFormat { .. } => user().hint("Upgrade kith on this machine."),
            VaultError::Busy { lock, .. } => user().hint(format!(
                "Look for another kith, git or editor at {}, then try again.",
                crate::guard::show(lock.as_os_str().as_encoded_bytes())
            )),
            VaultError::Refused { .. } => {
                CommandError::refused(e.to_string()).hint("Nothing was written; say it without.")
            }
            VaultError::ForeignGit { .. } => user().hint(
                "kith takes over only an ordinary repository of that directory alone; move its \
                 .git elsewhere and `kith init` again.",
            ),
            VaultError::NotFound { .. } => user().hint("`kith log` lists what is there."),
            VaultError::Git(_) | VaultError::Io { .. } | VaultError::State { .. } => match e {
                VaultError::Git(inner) => inner.into(),
                other => CommandError::user(other.to_string()),
            },
        }
    }
}

impl From<TeamError> for CommandError {
    fn from(e: TeamError) -> CommandError {
        match e {
            TeamError::Vault(inner) => inner.into(),
            TeamError::NoRemote { kind } => {
                let flag = if kind == "team" { "--team-url" } else { "--url" };
                CommandError::user(format!("the {kind} store has no remote"))
                    .hint(format!("`kith init {flag} URL` names one."))
            }
            TeamError::BadUrl { .. } => CommandError::user(e.to_string()).hint(
                "Name a URL without a password, such as https://host/team.git or \
                 git@host:team.git, or an absolute path.",
            ),
        }
    }
}

/// The command that ends a person's own open git operation.
fn mend(operation: &str) -> String {
    match operation {
        "bisect" => "`kith git bisect reset` ends it.".to_string(),
        other => {
            format!("`kith git {other} --continue` ends it, `kith git {other} --abort` undoes it.")
        }
    }
}

/// The text as one word of a shell.
pub fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@%,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_string();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn a_missing_store_names_init_and_an_emptied_one_both_ways_out() {
        let dir = PathBuf::from("/m");
        let e = CommandError::from(VaultError::NoStore { dir: dir.clone() });
        assert_eq!(e.kind.code(), 1);
        assert!(e.hints[0].contains("kith init"));
        let e = CommandError::from(VaultError::Emptied { dir, notes: 4 });
        assert!(e.hints[0].contains("kith restore .") && e.hints[1].contains("kith commit --yes"));
    }

    #[test]
    fn a_message_never_holds_a_secret() {
        let url = concat!("https://ana:", "Kq93hTz", "Vw2pL7@example.com/team.git");
        let e = CommandError::user(format!("cannot reach {url}"));
        assert!(!e.message.contains("Kq93hTz"), "{}", e.message);
    }

    #[test]
    fn a_word_for_the_shell_is_quoted_only_where_it_must_be() {
        assert_eq!(shell_word("/a/b-c.d"), "/a/b-c.d");
        assert_eq!(shell_word("/a b"), "'/a b'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word(""), "''");
    }
}
