//! The store's index file, as git itself keeps it. kith never builds commits from it: it serves as
//! the stat cache of a capture, and is brought up to date after every commit so that a person's own
//! `git status`, `git add` and `git commit` there see the new `HEAD`.

use super::index_file::{Image, Row};
use super::{GitError, Leaf, Oid, Repo, Result};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

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
    image: Image,
    written: (i64, u32),
    ino: u64,
}

/// git's own lock of an index; removed when it is not put in place.
struct IndexLock {
    file: PathBuf,
    own: PathBuf,
    out: Option<std::fs::File>,
}

impl IndexLock {
    /// Takes git's lock by a link to a file that carries our process id in its name: a lock that a
    /// killed process of ours has left can then be told from a person's, and goes.
    fn take(dir: &Path) -> Result<IndexLock> {
        let file = dir.join("index.lock");
        let own = dir.join(format!("{OWN_PREFIX}{}", std::process::id()));
        let io = |source| GitError::Io { path: own.clone(), source };
        // One of this name may be a second name of the index: it is unlinked, never written over.
        let _ = std::fs::remove_file(&own);
        let made = std::fs::OpenOptions::new().write(true).create_new(true).open(&own);
        let out = made.map_err(io)?;
        let mut linked = std::fs::hard_link(&own, &file);
        if linked.is_err() && remove_dead_lock(dir, &file) {
            linked = std::fs::hard_link(&own, &file);
        }
        match linked {
            Ok(()) => Ok(IndexLock { file, own, out: Some(out) }),
            Err(e) => {
                let _ = std::fs::remove_file(&own);
                if e.kind() == std::io::ErrorKind::AlreadyExists {
                    return Err(GitError::Locked { name: "index".into(), lock: file });
                }
                Err(GitError::Io { path: file, source: e })
            }
        }
    }

    fn put(mut self, bytes: &[u8], index: &Path) -> Result<()> {
        let mut out = self.out.take().expect("a lock is put once");
        let put = out.write_all(bytes).and_then(|()| std::fs::rename(&self.file, index));
        if put.is_err() {
            self.out = Some(out);
        }
        put.map_err(|source| GitError::Io { path: index.to_path_buf(), source })
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        // A leftover of this name is harmless: it is only a second name of a lock or an index.
        let _ = std::fs::remove_file(&self.own);
        if self.out.is_some() {
            // Nothing was put in place; a lock left behind would stop the person's git.
            let _ = std::fs::remove_file(&self.file);
        }
    }
}

/// The name of our own end of an index lock, followed by the process id.
const OWN_PREFIX: &str = "index.kith-";

/// Removes an index lock whose other end is ours and whose process is dead.
fn remove_dead_lock(dir: &Path, lock: &Path) -> bool {
    let (Ok(held), Ok(entries)) = (std::fs::metadata(lock), std::fs::read_dir(dir)) else {
        return false;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|n| n.strip_prefix(OWN_PREFIX)?.parse().ok());
        let Some(pid) = pid.and_then(rustix::process::Pid::from_raw) else { continue };
        let dead = rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::SRCH);
        if dead && entry.metadata().is_ok_and(|m| m.ino() == held.ino()) {
            let gone = std::fs::remove_file(lock).is_ok();
            return std::fs::remove_file(entry.path()).is_ok() && gone;
        }
    }
    false
}

impl IndexCache {
    fn is_of(&self, meta: &std::fs::Metadata) -> bool {
        self.ino == meta.ino() && self.written == (meta.mtime(), meta.mtime_nsec() as u32)
    }

    /// Whether the file at `path` with this stat is known unchanged, and as which blob. An entry
    /// whose file was touched in the instant the index was written is never trusted.
    pub fn known(&self, path: &[u8], stat: &Stat) -> Option<Oid> {
        let row = self.image.find(path)?;
        let racy = stat.mtime >= self.written || stat.ctime >= self.written;
        (!racy && row.is_of(stat)).then(|| row.leaf().id)
    }
}

impl Repo {
    fn index_path(&self) -> PathBuf {
        self.dir().join("index")
    }

    /// The index, or nothing when there is none yet or it has a form that only git reads.
    pub fn index_cache(&self) -> Option<IndexCache> {
        let file = self.index_path();
        let meta = std::fs::metadata(&file).ok()?;
        let image = Image::parse(std::fs::read(&file).ok()?)?;
        Some(IndexCache {
            image,
            written: (meta.mtime(), meta.mtime_nsec() as u32),
            ino: meta.ino(),
        })
    }

    /// Brings the index up to the new `HEAD`. What a person has staged under a changed path stays
    /// staged; a missing or unreadable index is made anew from the tree.
    ///
    /// # Errors
    /// [`GitError::Locked`] while another program holds `index.lock`.
    pub fn refresh_index(
        &self,
        tree: Oid,
        changed: &[Cached],
        cache: Option<&IndexCache>,
    ) -> Result<()> {
        // Locked before it is looked at: what a person stages meanwhile is not written over.
        let lock = IndexLock::take(self.dir())?;
        let now = std::fs::metadata(self.index_path()).ok();
        let made;
        let image = match cache {
            Some(cache) if now.is_some_and(|m| cache.is_of(&m)) => &cache.image,
            Some(_) | None => {
                made = match self.index_cache() {
                    Some(cache) => cache.image,
                    None => self.plain_index(tree)?,
                };
                &made
            }
        };
        let mut rows: Vec<(&[u8], Option<Row>)> = Vec::with_capacity(changed.len());
        for c in changed {
            let staged = image.find(&c.path).map(|row| row.leaf());
            if staged == c.old || staged == c.new {
                let row = c.new.map(|leaf| Row::new(leaf, c.stat.as_ref()));
                rows.push((&c.path, row));
            }
        }
        rows.sort_by_key(|(path, _)| *path);
        lock.put(&image.with(&rows), &self.index_path())
    }

    /// An index in the plain form: what a person's git left in another one is converted, with what
    /// is staged in it; a missing or broken one is made from the tree.
    fn plain_index(&self, tree: Oid) -> Result<Image> {
        let file = self.index_path();
        let index = match git2::Index::open(&file) {
            Ok(index) if file.exists() => index,
            Ok(_) | Err(_) => {
                let mut index = git2::Index::new()?;
                index.read_tree(&self.inner.find_tree(tree.0)?)?;
                index
            }
        };
        let rows: Vec<(Vec<u8>, Row)> = index
            .iter()
            .filter(|e| e.flags & STAGE_MASK == 0)
            .map(|e| (e.path.clone(), Row::from_entry(&e)))
            .collect();
        let rows: Vec<(&[u8], Option<Row>)> =
            rows.iter().map(|(path, row)| (path.as_slice(), Some(*row))).collect();
        let bytes = Image::default().with(&rows);
        Image::parse(bytes).ok_or_else(|| GitError::Object {
            id: "index".into(),
            reason: "cannot be made anew".into(),
        })
    }
}

/// The bits of an entry's flags that hold its merge stage.
const STAGE_MASK: u16 = 0x3000;
