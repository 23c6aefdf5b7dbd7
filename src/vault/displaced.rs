//! Displaced files: what an apply moved out of the way is kept until its bytes are known and no
//! writer can have it open any more. What somebody still wrote into it is an edit.

use super::lease::{Writers, writers};
use super::state::{load, save};
use super::{Result, Store, VaultError, io_at};
use crate::git::Oid;
use rustix::fd::BorrowedFd;
use rustix::fs::CWD;
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where leases cannot tell, a displaced file is kept for 60 s (the house's rule).
const KEEP_UNKNOWN: Duration = Duration::from_secs(60);

#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Card {
    path: String,
    before: String,
    /// Where it lies when it could not leave its folder (another file system).
    beside: Option<PathBuf>,
}

/// An edit found in a displaced file.
pub(super) struct LateEdit {
    /// The note's path.
    pub path: String,
    /// The version that was edited.
    pub known: Oid,
    /// The bytes now.
    pub bytes: Vec<u8>,
    card: PathBuf,
}

fn folder(store: &Store) -> PathBuf {
    store.state_file("displaced")
}

/// Takes `name` in `dir` into keeping: the file of `path`, expected to be the blob `before`.
pub(super) fn keep(
    store: &Store,
    dir: BorrowedFd<'_>,
    name: &str,
    (path, before): (&str, Oid),
) -> Result<()> {
    let to = folder(store);
    std::fs::create_dir_all(&to).map_err(io_at(&to))?;
    let key = format!("{}-{name}", before.short());
    let file = to.join(&key);
    let mut card = Card { path: path.into(), before: before.to_string(), beside: None };
    let card_file = to.join(format!("{key}.json"));
    save(&card_file, &card)?;
    match rustix::fs::renameat(dir, name, CWD, &file) {
        Ok(()) => {}
        Err(Errno::XDEV) => {
            let parent = Path::new(path).parent().unwrap_or(Path::new(""));
            card.beside = Some(store.dir.join(parent).join(name));
            save(&card_file, &card)?;
        }
        Err(e) => return Err(VaultError::Io { path: file, source: e.into() }),
    }
    settle(store, &card_file)?;
    Ok(())
}

/// Looks at every displaced file again; gives those that somebody has written to since.
pub(super) fn look(store: &Store) -> Result<Vec<LateEdit>> {
    let Ok(entries) = std::fs::read_dir(folder(store)) else { return Ok(Vec::new()) };
    let mut edits = Vec::new();
    for entry in entries.flatten() {
        if entry.path().extension().is_some_and(|e| e == "json") {
            edits.extend(settle(store, &entry.path())?);
        }
    }
    Ok(edits)
}

/// Removes one displaced file if it is surely done with; an edit in it is given back.
fn settle(store: &Store, card_file: &Path) -> Result<Option<LateEdit>> {
    let card: Card = load(card_file)?;
    let file = card.beside.clone().unwrap_or_else(|| card_file.with_extension(""));
    let Ok(open) = std::fs::File::open(&file) else {
        // Nothing was moved (a crash before the rename) or it is settled already.
        let _ = std::fs::remove_file(card_file);
        return Ok(None);
    };
    let meta = open.metadata().map_err(io_at(&file))?;
    let quiet = match writers(&open) {
        Writers::None => true,
        Writers::Some => false,
        Writers::Unknown => {
            let probe = store.state_file("now");
            std::fs::File::create(&probe).map_err(io_at(&probe))?;
            let now =
                std::fs::metadata(&probe).and_then(|m| m.modified()).map_err(io_at(&probe))?;
            let touched = meta.modified().map_err(io_at(&file))?;
            now.duration_since(touched).is_ok_and(|age| age > KEEP_UNKNOWN)
        }
    };
    if !quiet {
        return Ok(None);
    }
    let bytes = std::fs::read(&file).map_err(io_at(&file))?;
    if Oid::of_blob(&bytes).to_string() == card.before {
        std::fs::remove_file(&file).map_err(io_at(&file))?;
        let _ = std::fs::remove_file(card_file);
        return Ok(None);
    }
    let known = Oid::parse(&card.before).unwrap_or_else(|| Oid::of_blob(b""));
    Ok(Some(LateEdit { path: card.path, known, bytes, card: card_file.to_path_buf() }))
}

/// Marks an edit as taken into the store: from now on its bytes are the known ones.
pub(super) fn taken(edit: &LateEdit) -> Result<()> {
    let mut card: Card = load(&edit.card)?;
    card.before = Oid::of_blob(&edit.bytes).to_string();
    save(&edit.card, &card)
}
