//! Object ids, the open repository and blobs.

use super::tree::Tree;
use super::{GitError, Result};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// An object id (SHA-1), shown as 40 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Oid(pub(super) git2::Oid);

impl Oid {
    /// Reads 40 hex digits.
    pub fn parse(hex: &str) -> Option<Oid> {
        if hex.len() != 40 {
            return None;
        }
        git2::Oid::from_str(hex).ok().map(Oid)
    }

    /// The id that a blob of these bytes has.
    pub fn of_blob(bytes: &[u8]) -> Oid {
        Oid(git2::Oid::hash_object(git2::ObjectType::Blob, bytes)
            .expect("hashing memory cannot fail"))
    }

    /// The first ten digits, as shown to people.
    pub fn short(&self) -> String {
        let mut s = self.0.to_string();
        s.truncate(10);
        s
    }

    pub(super) fn from_raw(raw: &[u8]) -> Oid {
        Oid(git2::Oid::from_bytes(raw).expect("callers pass 20 bytes"))
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// An open store repository. It is always opened as bare: the work tree is the vault's matter.
pub struct Repo {
    pub(super) inner: git2::Repository,
    /// Trees read or written lately, parsed: a flat directory's tree is large, and one operation
    /// looks at the same few again and again.
    pub(super) trees: RefCell<HashMap<Oid, Rc<Tree>>>,
    /// The store's own configuration file, opened when first asked for.
    pub(super) config: OnceCell<git2::Config>,
    dir: PathBuf,
}

impl fmt::Debug for Repo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Repo({})", self.dir.display())
    }
}

impl Repo {
    /// Makes a git directory with `HEAD` at `refs/heads/main`; harmless when it is there already.
    pub fn init(dir: &Path) -> Result<Repo> {
        let mut options = git2::RepositoryInitOptions::new();
        options.bare(true).no_dotgit_dir(true).initial_head("main").mkpath(true);
        options.external_template(false);
        let inner = git2::Repository::init_opts(dir, &options)
            .map_err(|source| GitError::Open { path: dir.to_path_buf(), source })?;
        Ok(Repo::of(inner, dir))
    }

    fn of(inner: git2::Repository, dir: &Path) -> Repo {
        Repo { inner, trees: RefCell::default(), config: OnceCell::new(), dir: dir.to_path_buf() }
    }

    /// Opens a git directory.
    pub fn open(dir: &Path) -> Result<Repo> {
        // Referenced objects were written by us or checked by fetch; asking again costs a lookup
        // each. And as git itself does, a reader trusts zlib's checksum; fsck judges ids.
        git2::opts::strict_object_creation(false);
        git2::opts::strict_hash_verification(false);
        let inner = git2::Repository::open_bare(dir)
            .map_err(|source| GitError::Open { path: dir.to_path_buf(), source })?;
        Ok(Repo::of(inner, dir))
    }

    /// The git directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Writes a blob and gives its id. The caller has passed the gates.
    pub fn write_blob(&self, bytes: &[u8]) -> Result<Oid> {
        Ok(Oid(self.inner.blob(bytes)?))
    }

    /// A blob's bytes.
    pub fn blob(&self, id: Oid) -> Result<Vec<u8>> {
        let blob = self.inner.find_blob(id.0).map_err(|e| object_error(id, &e))?;
        Ok(blob.content().to_vec())
    }

    /// A blob's size in bytes, without reading it whole.
    pub fn blob_size(&self, id: Oid) -> Result<u64> {
        let odb = self.inner.odb()?;
        let (size, _) = odb.read_header(id.0).map_err(|e| object_error(id, &e))?;
        Ok(size as u64)
    }

    /// An object's bytes as stored, whatever it is: of a commit, every header too.
    pub fn raw(&self, id: Oid) -> Result<Vec<u8>> {
        let odb = self.inner.odb()?;
        let object = odb.read(id.0).map_err(|e| object_error(id, &e))?;
        Ok(object.data().to_vec())
    }

    /// Whether the object is here.
    pub fn has(&self, id: Oid) -> bool {
        self.inner.odb().map(|odb| odb.exists(id.0)).unwrap_or(false)
    }

    /// Whether a person's merge, rebase, bisect or the like is open in this repository.
    pub fn open_operation(&self) -> Option<&'static str> {
        const MARKS: [(&str, &str); 6] = [
            ("MERGE_HEAD", "merge"),
            ("rebase-merge", "rebase"),
            ("rebase-apply", "rebase"),
            ("BISECT_LOG", "bisect"),
            ("CHERRY_PICK_HEAD", "cherry-pick"),
            ("REVERT_HEAD", "revert"),
        ];
        MARKS.iter().find(|(file, _)| self.dir.join(file).exists()).map(|(_, name)| *name)
    }
}

pub(super) fn object_error(id: Oid, error: &git2::Error) -> GitError {
    GitError::Object { id: id.to_string(), reason: error.message().to_string() }
}
