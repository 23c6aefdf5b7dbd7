//! A repository as an attacker could push it: trees written raw, with entries that no checkout
//! would make, beside notes that are fine.

use super::remote::Remote;
use super::{note, token};

/// What is wrong with an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Good,
    Symlink,
    Submodule,
    GitDirectory,
    /// An entry named `..`, or whose name leads upward.
    Upward,
    /// Names that are one file where Unicode forms are folded.
    UnicodePair,
    /// Names that are one file where case is folded.
    CasePair,
    TooBig,
    DeviceName,
    Control,
    Bidi,
    NotUtf8,
    SecretName,
    Executable,
}

/// An entry that was laid. `shown` is a part of its path that a report may print; empty for a
/// path that must not be printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Laid {
    pub path: String,
    pub shown: String,
    pub kind: Kind,
}

/// The repository and what lies in it.
pub struct HostileRepo {
    pub remote: Remote,
    pub laid: Vec<Laid>,
}

/// One entry of a raw tree.
struct Entry {
    mode: &'static str,
    name: Vec<u8>,
    id: String,
}

impl HostileRepo {
    /// Lays the hostile tree as the head of `main` in a bare repository.
    pub fn lay(remote: Remote) -> Self {
        let mut repo = Self { remote, laid: Vec::new() };
        let mut entries = repo.good();
        entries.extend(repo.odd_modes());
        entries.extend(repo.upward());
        entries.extend(repo.odd_names());
        let tree = repo.tree(entries);
        let made = repo.remote.git(&["commit-tree", "-m", "notes", &tree]).ok();
        repo.remote.git(&["update-ref", "refs/heads/main", made.stdout.trim()]).ok();
        repo
    }

    /// The entries of one kind.
    pub fn of(&self, kind: Kind) -> Vec<&Laid> {
        self.laid.iter().filter(|l| l.kind == kind).collect()
    }

    fn note(&mut self, path: &str, kind: Kind) {
        self.note_shown_as(path, path, kind);
    }

    fn note_shown_as(&mut self, path: &str, shown: &str, kind: Kind) {
        self.laid.push(Laid { path: path.to_string(), shown: shown.to_string(), kind });
    }

    fn blob(&self, text: &[u8]) -> String {
        let made = self.remote.git_with_input(&["hash-object", "-w", "--stdin"], text).ok();
        made.stdout.trim().to_string()
    }

    /// Writes a tree that git's own porcelain would refuse.
    fn tree(&self, mut entries: Vec<Entry>) -> String {
        let key = |e: &Entry| {
            let mut name = e.name.clone();
            if e.mode == "40000" {
                name.push(b'/');
            }
            name
        };
        entries.sort_by_key(key);
        let mut raw = Vec::new();
        for entry in &entries {
            raw.extend_from_slice(entry.mode.as_bytes());
            raw.push(b' ');
            raw.extend_from_slice(&entry.name);
            raw.push(0);
            let digits: Vec<u8> = (0..entry.id.len())
                .step_by(2)
                .map(|i| u8::from_str_radix(&entry.id[i..i + 2], 16).unwrap())
                .collect();
            raw.extend_from_slice(&digits);
        }
        let args = ["hash-object", "-t", "tree", "--literally", "-w", "--stdin"];
        self.remote.git_with_input(&args, &raw).ok().stdout.trim().to_string()
    }

    fn file(&self, name: &str) -> Entry {
        let text = note(name.trim_end_matches(".md"), "a note", "Something the team knows.");
        Entry { mode: "100644", name: name.as_bytes().to_vec(), id: self.blob(text.as_bytes()) }
    }

    fn good(&mut self) -> Vec<Entry> {
        let index =
            "- [Build](build.md) — how the build runs\n- [Deploy](deploy.md) — who deploys\n";
        self.note("MEMORY.md", Kind::Good);
        let id = self.blob(index.as_bytes());
        let mut entries = vec![Entry { mode: "100644", name: b"MEMORY.md".to_vec(), id }];
        for name in ["build.md", "deploy.md"] {
            self.note(name, Kind::Good);
            entries.push(self.file(name));
        }
        let inner = self.tree(vec![self.file("inner.md")]);
        self.note("area/inner.md", Kind::Good);
        entries.push(Entry { mode: "40000", name: b"area".to_vec(), id: inner });
        entries
    }

    fn odd_modes(&mut self) -> Vec<Entry> {
        let mut entries = Vec::new();
        for (name, target) in [("link.md", "/etc/passwd"), ("linkdir", "../../..")] {
            self.note(name, Kind::Symlink);
            let id = self.blob(target.as_bytes());
            entries.push(Entry { mode: "120000", name: name.as_bytes().to_vec(), id });
        }
        self.note("module", Kind::Submodule);
        let id = "1234567890123456789012345678901234567890".to_string();
        entries.push(Entry { mode: "160000", name: b"module".to_vec(), id });
        self.note("tool.md", Kind::Executable);
        let run = self.file("tool.md");
        entries.push(Entry { mode: "100755", ..run });
        self.note("big.md", Kind::TooBig);
        let id = self.blob("A line of an entry that is over the cap.\n".repeat(7_500).as_bytes());
        entries.push(Entry { mode: "100644", name: b"big.md".to_vec(), id });
        entries
    }

    fn upward(&mut self) -> Vec<Entry> {
        let mut entries = Vec::new();
        let hook = self.blob(b"#!/bin/sh\ntouch \"$HOME/pwned\"\n");
        let config = self.blob(b"[core]\n\tfsmonitor = touch $HOME/pwned\n");
        for name in [".git", ".GIT", "git~1"] {
            self.note_shown_as(&format!("{name}/config"), name, Kind::GitDirectory);
            let post = Entry { mode: "100755", name: b"post-checkout".to_vec(), id: hook.clone() };
            let hooks = Entry { mode: "40000", name: b"hooks".to_vec(), id: self.tree(vec![post]) };
            let config = Entry { mode: "100644", name: b"config".to_vec(), id: config.clone() };
            let id = self.tree(vec![hooks, config]);
            entries.push(Entry { mode: "40000", name: name.as_bytes().to_vec(), id });
        }
        for (name, shown) in [
            ("../up.md", "up.md"),
            ("a/../../over.md", "over.md"),
            ("/rooted.md", "rooted.md"),
            ("back\\slash.md", "slash.md"),
            ("%2e%2e%2fcoded.md", "coded.md"),
        ] {
            self.note_shown_as(name, shown, Kind::Upward);
            entries.push(self.file(name));
        }
        self.note_shown_as("../dots.md", "..", Kind::Upward);
        let id = self.tree(vec![self.file("dots.md")]);
        entries.push(Entry { mode: "40000", name: b"..".to_vec(), id });
        entries
    }

    fn odd_names(&mut self) -> Vec<Entry> {
        let named = [
            ("caf\u{e9}.md", "caf", Kind::UnicodePair),
            ("cafe\u{301}.md", "caf", Kind::UnicodePair),
            ("Rules.md", "Rules.md", Kind::CasePair),
            ("rules.md", "rules.md", Kind::CasePair),
            ("aux.md", "aux.md", Kind::DeviceName),
            ("con.md", "con.md", Kind::DeviceName),
            ("bell\u{7}.md", "bell", Kind::Control),
            ("line\nbreak.md", "line", Kind::Control),
            ("dm\u{202e}gnp.md", "dm", Kind::Bidi),
        ];
        let mut entries = Vec::new();
        for (name, shown, kind) in named {
            self.note_shown_as(name, shown, kind);
            entries.push(self.file(name));
        }
        let secret = format!("key-{}.md", token());
        self.note_shown_as(&secret, "", Kind::SecretName);
        entries.push(self.file(&secret));
        self.note_shown_as("latin-\u{fffd}.md", "latin-", Kind::NotUtf8);
        entries.push(Entry { name: b"latin-\xff.md".to_vec(), ..self.file("latin.md") });
        entries
    }
}
