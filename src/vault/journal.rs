//! The journal of one landing: which refs and files are about to move, written before they do, so
//! that the next command can finish what a crash cut short.

use super::files::{self, Applied};
use super::{FileChange, Result, Store, VaultError, io_at, refs};
use crate::git::{Cached, GitError, Leaf, Oid, RefMove};
use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A lock file younger than this may belong to a living process: 2 s (the house's rule).
const STALE_LOCK: Duration = Duration::from_secs(2);

#[derive(Serialize, Deserialize)]
struct RefRow {
    name: String,
    old: Option<String>,
    new: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct FileRow {
    path: String,
    before: Option<String>,
    after: Option<String>,
    mode: u32,
}

/// The journal's content.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Journal {
    refs: Vec<RefRow>,
    files: Vec<FileRow>,
}

fn path_of(store: &Store) -> PathBuf {
    store.state_file("journal.json")
}

fn id(hex: &Option<String>) -> Option<Oid> {
    hex.as_deref().and_then(Oid::parse)
}

impl Journal {
    pub(super) fn write(store: &Store, moves: &[RefMove], files: &[FileChange]) -> Result<()> {
        let hex = |id: Option<Oid>| id.map(|id| id.to_string());
        let journal = Journal {
            refs: moves
                .iter()
                .map(|m| RefRow { name: m.name.clone(), old: hex(m.old), new: hex(m.new) })
                .collect(),
            files: files
                .iter()
                .map(|f| FileRow {
                    path: f.path.clone(),
                    before: hex(f.before),
                    after: hex(f.after.map(|l| l.id)),
                    mode: f.after.map_or(0, |l| l.mode),
                })
                .collect(),
        };
        let bytes = serde_json::to_vec(&journal).expect("strings and numbers serialise");
        let file = path_of(store);
        // Written in place: one that is torn was being written, so no ref had moved yet. A lone ref
        // move is atomic by itself, and its journal only names the lock file: it need not wait for
        // the disk.
        let durable = !files.is_empty() || moves.len() > 1;
        let write = || {
            let mut out = open(&file)?;
            out.write_all(&bytes)?;
            out.set_len(bytes.len() as u64)?;
            if durable { out.sync_all() } else { Ok(()) }
        };
        write().map_err(io_at(&file))
    }

    /// Says that the landing is done, by its first byte: making, emptying or replacing the file
    /// costs more than everything else here (some file systems then wait for the disk).
    pub(super) fn clear(store: &Store) -> Result<()> {
        let file = path_of(store);
        open(&file).and_then(|mut out| out.write_all(&[DONE])).map_err(io_at(&file))
    }
}

/// The first byte of a journal whose landing is done.
const DONE: u8 = b'-';

fn open(file: &Path) -> std::io::Result<std::fs::File> {
    OpenOptions::new().create(true).truncate(false).write(true).open(file)
}

/// Finishes what a crash cut short. Called with the store's lock held, before anything else.
/// `true` when there was something to finish.
pub(super) fn recover(store: &Store) -> Result<bool> {
    let file = path_of(store);
    let bytes = match std::fs::read(&file) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(e) => return Err(io_at(&file)(e)),
    };
    if bytes.first() == Some(&DONE) {
        return Ok(false);
    }
    let Ok(journal) = serde_json::from_slice::<Journal>(&bytes) else {
        // Torn while it was written: no ref had moved.
        Journal::clear(store)?;
        return Ok(true);
    };
    for row in &journal.refs {
        set_stale_lock_aside(store, &row.name)?;
    }
    if finish_refs(store, &journal)? {
        finish_files(store, &journal)?;
    }
    mend_index(store, &journal)?;
    Journal::clear(store)?;
    Ok(true)
}

/// Moves the refs that did not get to move; `false` when none had moved (the landing never began).
fn finish_refs(store: &Store, journal: &Journal) -> Result<bool> {
    let mut behind = Vec::new();
    let mut moved = journal.refs.is_empty();
    for row in &journal.refs {
        let now = store.repo.reference(&row.name)?;
        if now == id(&row.old) && now != id(&row.new) {
            behind.push(RefMove::new(&row.name, now, id(&row.new)));
        } else {
            moved = true;
        }
    }
    if moved && !behind.is_empty() {
        store.repo.move_refs(&behind, "kith: finished after a crash")?;
    }
    Ok(moved)
}

fn finish_files(store: &Store, journal: &Journal) -> Result<()> {
    let tree = store.repo.tree_of(store.repo.reference(refs::MAIN)?)?;
    for row in &journal.files {
        let after = id(&row.after).map(|id| Leaf { mode: row.mode, id });
        if store.repo.leaf(tree, row.path.as_bytes())? != after {
            continue; // The line has moved on; its own capture and merge settle this path.
        }
        let change = FileChange { path: row.path.clone(), before: id(&row.before), after };
        files::clear_leftovers(store, &change)?;
        match files::apply(store, &change)? {
            // A live text that is neither is an edit; the next capture takes it.
            Applied::Done(_) | Applied::There(_) | Applied::Changed | Applied::Held(_) => {}
        }
    }
    Ok(())
}

/// The index follows what the landing changed; what a person has staged besides stays staged.
fn mend_index(store: &Store, journal: &Journal) -> Result<()> {
    let repo = &store.repo;
    let Some(tree) = repo.tree_of(repo.reference(refs::MAIN)?)? else { return Ok(()) };
    let main = journal.refs.iter().find(|row| row.name == refs::MAIN);
    let before = repo.tree_of(main.and_then(|row| id(&row.old)))?;
    let changed: Vec<Cached> = repo
        .diff(before, Some(tree))?
        .into_iter()
        .map(|c| Cached { path: c.path, old: c.old, new: c.new, stat: None })
        .collect();
    match repo.refresh_index(tree, &changed, repo.index_cache().as_ref()) {
        Err(GitError::Locked { name, lock }) => Err(VaultError::Busy { what: name, lock }),
        other => Ok(other?),
    }
}

/// Moves the lock file of a ref aside that a process of ours left behind. One that is younger than
/// [`STALE_LOCK`] may belong to a living process and is waited for.
pub(super) fn set_stale_lock_aside(store: &Store, name: &str) -> Result<()> {
    let lock = store.repo.lock_file(name);
    let mut waited = Duration::ZERO;
    loop {
        let Ok(made) = std::fs::metadata(&lock).and_then(|m| m.modified()) else { return Ok(()) };
        // The file system's own clock is compared with itself: a probe's time stands for now.
        let probe = store.state_file("now");
        std::fs::File::create(&probe).map_err(io_at(&probe))?;
        let now = std::fs::metadata(&probe).and_then(|m| m.modified()).map_err(io_at(&probe))?;
        if now.duration_since(made).is_ok_and(|age| age > STALE_LOCK) {
            let aside = store.state_file("stale.lock");
            return std::fs::rename(&lock, &aside).map_err(io_at(&lock));
        }
        if waited > 2 * STALE_LOCK {
            return Err(VaultError::Busy { what: "a lock file".into(), lock });
        }
        std::thread::sleep(LOCK_STEP);
        waited += LOCK_STEP;
    }
}

/// How often a lock is looked at again while it is waited for.
const LOCK_STEP: Duration = Duration::from_millis(50);
