//! The registry: which memory directory has which store. Stores are found through it, by real path
//! or by device and inode, never by walking up from a folder.

use super::state::{load, save, write_atomic};
use super::{Result, StoreKind, lock::FileLock};
use serde::{Deserialize, Serialize};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// One registered store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registered {
    /// The random id.
    pub id: String,
    /// The real path of the memory directory when last seen.
    pub dir: PathBuf,
    /// Its device.
    pub dev: u64,
    /// Its inode.
    pub ino: u64,
    /// Private, team or agent.
    pub kind: StoreKind,
}

#[derive(Default, Serialize, Deserialize)]
struct Table {
    #[serde(default)]
    stores: Vec<Registered>,
}

/// How a directory relates to the registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Match {
    /// It is this store's own directory.
    Own(Registered),
    /// It is this store's directory, moved: same device and inode, another path.
    Moved(Registered),
    /// The path is registered, but another directory stands there now.
    Replaced(Registered),
    /// Nothing is known.
    Unknown,
}

/// The registry file under `<base>/kith/`.
#[derive(Clone, Debug)]
pub struct Registry {
    dir: PathBuf,
}

impl Registry {
    /// The registry in this folder (`<base>/kith`).
    pub fn new(kith_dir: &Path) -> Registry {
        Registry { dir: kith_dir.to_path_buf() }
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    fn file(&self) -> PathBuf {
        self.dir.join("registry.json")
    }

    /// All registered stores.
    pub fn all(&self) -> Result<Vec<Registered>> {
        Ok(load::<Table>(&self.file())?.stores)
    }

    pub(super) fn find(&self, dir: &Path) -> Result<Match> {
        let Ok(meta) = std::fs::metadata(dir) else {
            let known = self.all()?.into_iter().find(|s| s.dir == dir);
            return Ok(known.map_or(Match::Unknown, Match::Own));
        };
        let stores = self.all()?;
        // A device number may change over a restart; path and inode together are enough then.
        let own = stores.iter().find(|s| s.dir == dir && s.ino == meta.ino());
        let moved = stores.iter().find(|s| s.dev == meta.dev() && s.ino == meta.ino());
        let replaced = stores.iter().find(|s| s.dir == dir);
        Ok(match (own, moved, replaced) {
            (Some(s), _, _) => Match::Own(s.clone()),
            // The old path may still exist: then the inode was reused after a restore, not moved.
            (None, Some(s), _) if !s.dir.exists() => Match::Moved(s.clone()),
            (None, _, Some(s)) => Match::Replaced(s.clone()),
            (None, _, None) => Match::Unknown,
        })
    }

    /// Adds or replaces a store's row.
    pub(super) fn put(&self, row: Registered) -> Result<()> {
        std::fs::create_dir_all(&self.dir).map_err(super::io_at(&self.dir))?;
        // An enclosing work tree (a HOME kept in git) must not be offered the stores.
        let ignore = self.dir.join(".gitignore");
        if !ignore.exists() {
            write_atomic(&ignore, b"*\n", false)?;
        }
        let _lock = FileLock::wait(&self.dir.join("registry.lock"))?;
        let mut table: Table = load(&self.file())?;
        table.stores.retain(|s| s.id != row.id);
        table.stores.push(row);
        save(&self.file(), &table)
    }
}
