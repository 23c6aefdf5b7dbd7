//! The end-to-end harness: machines (a temporary home and the real binary), remotes, servers,
//! and a repository laid by an attacker. It owns set-up and looking; what must hold is said by
//! the tests.
//!
//! A test file uses part of it, hence `dead_code`; it is a private module of each, hence
//! `unreachable_pub`; and unlike the crate itself it reads the environment and writes files.
#![allow(dead_code, unreachable_pub, unused_imports)]
#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::print_stderr)]

mod hostile;
mod machine;
mod remote;
mod run;
mod servers;

pub use hostile::{HostileRepo, Kind, Laid};
pub use machine::Machine;
pub use remote::Remote;
pub use run::{Output, git_program, missing, run, tool};
pub use servers::{Access, DaemonServer, HttpServer, SshServer};

use std::collections::BTreeMap;
use std::path::Path;

/// A note in the current form with a few paragraphs.
pub fn note(name: &str, description: &str, body: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: {description}\nmetadata:\n  node_type: memory\n  type: project\n---\n\n{body}\n"
    )
}

/// Every file, link and empty directory below `dir` with its bytes, links not followed.
/// Directories in `without` (names relative to `dir`) are left out.
pub fn snapshot(dir: &Path, without: &[&Path]) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(next) = open.pop() {
        let entries: Vec<_> = match std::fs::read_dir(&next) {
            Ok(entries) => entries.map(|e| e.unwrap().path()).collect(),
            Err(_) => continue,
        };
        if entries.is_empty() && next != dir {
            found.insert(format!("{}/", shown(&next, dir)), Vec::new());
        }
        for path in entries {
            if without.iter().any(|w| path.starts_with(w)) {
                continue;
            }
            let kind = std::fs::symlink_metadata(&path).unwrap().file_type();
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_symlink() {
                let target = std::fs::read_link(&path).unwrap();
                found.insert(shown(&path, dir), format!("-> {}", target.display()).into_bytes());
            } else {
                found.insert(shown(&path, dir), std::fs::read(&path).unwrap_or_default());
            }
        }
    }
    found
}

fn shown(path: &Path, dir: &Path) -> String {
    path.strip_prefix(dir).unwrap().to_string_lossy().into_owned()
}

/// The notes of a memory directory: its files without `.git`, `.kith` and the team's directory.
pub fn notes(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = snapshot(dir, &[&dir.join(".git"), &dir.join(".kith"), &dir.join("team")]);
    all.retain(|name, _| !name.ends_with('/') && name != ".consolidate-lock");
    all
}

/// Fails when a merge left a conflict marker in any of the notes.
pub fn assert_no_marker(notes: &BTreeMap<String, Vec<u8>>) {
    for (name, bytes) in notes {
        for line in String::from_utf8_lossy(bytes).lines() {
            let marker = ["<<<<<<<", ">>>>>>>", "======="].iter().any(|m| line.starts_with(m));
            assert!(!marker, "{name} holds a conflict marker: {line}");
        }
    }
}

/// A token with the shape and the checksum of a forge's, made at run time and valid nowhere.
pub fn token() -> String {
    let body = "Zq7Lw2Xc9Vb4Nm6Kj1Hg8Fd3Sa5Po0";
    format!("{}{body}{}", concat!("gh", "p_"), "4BbLsV")
}
