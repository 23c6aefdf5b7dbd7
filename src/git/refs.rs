//! Refs move by compare-and-swap only, several of them in one transaction.

use super::{GitError, Oid, Repo, Result};
use std::path::PathBuf;

/// One ref's move: from the value that must be there now (`None`: absent) to the next one
/// (`None`: removed).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefMove {
    /// Full name, e.g. `refs/heads/main`.
    pub name: String,
    /// The value that must be there.
    pub old: Option<Oid>,
    /// The value afterwards.
    pub new: Option<Oid>,
}

impl RefMove {
    /// A move of `name` from `old` to `new`.
    pub fn new(name: &str, old: Option<Oid>, new: Option<Oid>) -> RefMove {
        RefMove { name: name.to_string(), old, new }
    }
}

impl Repo {
    /// What a ref points to, or nothing when it is absent.
    pub fn reference(&self, name: &str) -> Result<Option<Oid>> {
        match self.inner.refname_to_id(name) {
            Ok(id) => Ok(Some(Oid(id))),
            Err(e) if e.code() == git2::ErrorCode::NotFound => Ok(None),
            Err(e) => {
                Err(GitError::Ref { name: name.to_string(), reason: e.message().to_string() })
            }
        }
    }

    /// The branch that `HEAD` names, `None` when detached.
    pub fn head_branch(&self) -> Result<Option<String>> {
        let head = self.inner.find_reference("HEAD")?;
        Ok(head.symbolic_target().ok().flatten().map(str::to_string))
    }

    /// The refs under a prefix, by name.
    pub fn references(&self, prefix: &str) -> Result<Vec<(String, Oid)>> {
        let mut found = Vec::new();
        for reference in self.inner.references_glob(&format!("{prefix}*"))? {
            let reference = reference?;
            if let (Ok(name), Some(id)) = (reference.name(), reference.target()) {
                found.push((name.to_string(), Oid(id)));
            }
        }
        found.sort();
        Ok(found)
    }

    /// Moves all the refs or none: each is locked, compared with its `old`, then all are written.
    ///
    /// # Errors
    /// [`GitError::Moved`] when a ref has another value, [`GitError::Locked`] when it is locked.
    pub fn move_refs(&self, moves: &[RefMove], reason: &str) -> Result<()> {
        let mut transaction = self.inner.transaction()?;
        for m in moves {
            transaction.lock_ref(&m.name).map_err(|e| self.lock_error(&m.name, &e))?;
        }
        let signature = git2::Signature::new("kith", "kith@localhost", &git2::Time::new(0, 0))?;
        for m in moves {
            if self.reference(&m.name)? != m.old {
                return Err(GitError::Moved { name: m.name.clone() });
            }
            match m.new {
                Some(new) => {
                    transaction.set_target(&m.name, new.0, Some(&signature), reason)?;
                }
                None if m.old.is_some() => transaction.remove(&m.name)?,
                None => {}
            }
        }
        let first = moves.first().map_or("", |m| m.name.as_str());
        transaction.commit().map_err(|e| self.lock_error(first, &e))
    }

    /// The lock file of a ref.
    pub fn lock_file(&self, name: &str) -> PathBuf {
        self.dir().join(format!("{name}.lock"))
    }

    fn lock_error(&self, name: &str, e: &git2::Error) -> GitError {
        if e.code() == git2::ErrorCode::Locked {
            GitError::Locked { name: name.to_string(), lock: self.lock_file(name) }
        } else {
            GitError::Ref { name: name.to_string(), reason: e.message().to_string() }
        }
    }
}

impl Repo {
    /// Puts `HEAD` on `refs/heads/main` at `tip`; `main` is what that branch is now.
    pub fn put_head_on_main(&self, tip: Option<Oid>, main: Option<Oid>) -> Result<()> {
        const MAIN: &str = "refs/heads/main";
        if tip != main {
            self.move_refs(&[RefMove::new(MAIN, main, tip)], "kith: the live line")?;
        }
        self.inner.set_head(MAIN)?;
        Ok(())
    }
}
