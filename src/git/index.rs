//! The store's index file, as git itself keeps it. kith never builds commits from it: it serves as
//! the stat cache of a capture, and is brought up to date after every commit so that a person's own
//! `git status`, `git add` and `git commit` there see the new `HEAD`.

use super::{GitError, Leaf, Oid, Repo, Result};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The stat fields that tell whether a file may have changed. Times are (seconds, nanoseconds).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Last change of the bytes.
    pub mtime: (i64, u32),
    /// Last change of the inode.
    pub ctime: (i64, u32),
    /// Inode number.
    pub ino: u64,
    /// Device number.
    pub dev: u64,
    /// Bytes.
    pub size: u64,
    /// Permission and type bits.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
}

impl Stat {
    /// From metadata that was read without following links.
    pub fn of(m: &std::fs::Metadata) -> Stat {
        Stat {
            mtime: (m.mtime(), m.mtime_nsec() as u32),
            ctime: (m.ctime(), m.ctime_nsec() as u32),
            ino: m.ino(),
            dev: m.dev(),
            size: m.size(),
            mode: m.mode(),
            uid: m.uid(),
            gid: m.gid(),
        }
    }

    /// The mode that git would record: executable or plain.
    pub fn git_mode(&self) -> u32 {
        if self.mode & 0o100 != 0 { 0o100_755 } else { 0o100_644 }
    }
}

/// A path's new state for the index after a commit.
#[derive(Clone, Debug)]
pub struct Cached {
    /// Path with `/`.
    pub path: Vec<u8>,
    /// The entry of the old `HEAD`.
    pub old: Option<Leaf>,
    /// The entry of the new `HEAD`.
    pub new: Option<Leaf>,
    /// The live file's stat where its bytes are `new`.
    pub stat: Option<Stat>,
}

/// An index as read.
pub struct IndexCache {
    inner: git2::Index,
    written: (i64, u32),
}

fn time(t: (i64, u32)) -> git2::IndexTime {
    git2::IndexTime::new(t.0 as i32, t.1)
}

fn entry(path: &[u8], leaf: Leaf, stat: Option<Stat>) -> git2::IndexEntry {
    let zero = Stat {
        mtime: (0, 0),
        ctime: (0, 0),
        ino: 0,
        dev: 0,
        size: 0,
        mode: 0,
        uid: 0,
        gid: 0,
    };
    let s = stat.unwrap_or(zero);
    git2::IndexEntry {
        ctime: time(s.ctime),
        mtime: time(s.mtime),
        dev: s.dev as u32,
        ino: s.ino as u32,
        mode: leaf.mode,
        uid: s.uid,
        gid: s.gid,
        file_size: s.size as u32,
        id: leaf.id.0,
        flags: 0,
        flags_extended: 0,
        path: path.to_vec(),
    }
}

impl IndexCache {
    /// Whether the file at `path` with this stat is known unchanged, and as which blob. An entry
    /// whose file was touched in the instant the index was written is never trusted.
    pub fn known(&self, path: &Path, stat: &Stat) -> Option<Oid> {
        let e = self.inner.get_path(path, 0)?;
        let same = e.mtime == time(stat.mtime)
            && e.ctime == time(stat.ctime)
            && e.ino == stat.ino as u32
            && e.file_size == stat.size as u32
            && e.mode == stat.git_mode();
        let racy = stat.mtime >= self.written || stat.ctime >= self.written;
        (same && !racy).then_some(Oid(e.id))
    }
}

impl Repo {
    fn index_file(&self) -> std::path::PathBuf {
        self.dir().join("index")
    }

    /// The index, or nothing when there is none yet or it cannot be read.
    pub fn index_cache(&self) -> Option<IndexCache> {
        let file = self.index_file();
        let meta = std::fs::metadata(&file).ok()?;
        let inner = git2::Index::open(&file).ok()?;
        Some(IndexCache { inner, written: (meta.mtime(), meta.mtime_nsec() as u32) })
    }

    /// Brings the index up to the new `HEAD`. What a person has staged under a changed path stays
    /// staged; a missing or unreadable index is made anew from the tree.
    ///
    /// # Errors
    /// [`GitError::Locked`] while another program holds `index.lock`.
    pub fn refresh_index(&self, tree: Oid, changed: &[Cached], cache: Option<IndexCache>) -> Result<()> {
        let file = self.index_file();
        let mut index = match cache {
            Some(cache) => cache.inner,
            None => {
                let _ = std::fs::remove_file(&file);
                let mut index = git2::Index::open(&file)?;
                index.read_tree(&self.inner.find_tree(tree.0)?)?;
                index
            }
        };
        for c in changed {
            let path = Path::new(std::str::from_utf8(&c.path).unwrap_or_default());
            let staged = index.get_path(path, 0).map(|e| Leaf { mode: e.mode, id: Oid(e.id) });
            if staged != c.old && staged != c.new {
                continue;
            }
            match c.new {
                Some(leaf) => index.add(&entry(&c.path, leaf, c.stat))?,
                None if staged.is_some() => index.remove(path, 0)?,
                None => {}
            }
        }
        index.write().map_err(|e| match e.code() {
            git2::ErrorCode::Locked => {
                GitError::Locked { name: "index".into(), lock: self.dir().join("index.lock") }
            }
            _ => GitError::Other(e),
        })
    }
}
