//! Commits: making them, reading them, walking the first-parent line.

use super::objects::object_error;
use super::{GitError, Oid, Repo, Result};

/// Who and when. `time` is in unix seconds, `offset` in minutes east of UTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The name.
    pub name: String,
    /// The address.
    pub email: String,
    /// Unix seconds.
    pub time: i64,
    /// Minutes east of UTC.
    pub offset: i32,
}

impl Person {
    fn signature(&self) -> Result<git2::Signature<'static>> {
        let time = git2::Time::new(self.time, self.offset);
        Ok(git2::Signature::new(&self.name, &self.email, &time)?)
    }

    fn read(s: &git2::Signature<'_>) -> Person {
        Person {
            name: String::from_utf8_lossy(s.name_bytes()).into_owned(),
            email: String::from_utf8_lossy(s.email_bytes()).into_owned(),
            time: s.when().seconds(),
            offset: s.when().offset_minutes(),
        }
    }
}

/// A commit to be made.
#[derive(Clone, Debug)]
pub struct NewCommit<'a> {
    /// Its tree.
    pub tree: Oid,
    /// Its parents, the live line first.
    pub parents: &'a [Oid],
    /// Who wrote the change.
    pub author: &'a Person,
    /// Who records it.
    pub committer: &'a Person,
    /// The whole message.
    pub message: &'a str,
}

/// A commit as read.
#[derive(Clone, Debug)]
pub struct CommitInfo {
    /// Its id.
    pub id: Oid,
    /// Its tree.
    pub tree: Oid,
    /// Its parents.
    pub parents: Vec<Oid>,
    /// Who wrote the change.
    pub author: Person,
    /// Who recorded it.
    pub committer: Person,
    /// The whole message; bytes that are no UTF-8 are replaced.
    pub message: String,
}

impl CommitInfo {
    /// The first line of the message.
    pub fn subject(&self) -> &str {
        self.message.lines().next().unwrap_or("")
    }
}

impl Repo {
    /// Writes a commit; no ref moves.
    pub fn write_commit(&self, new: &NewCommit<'_>) -> Result<Oid> {
        let tree = self.inner.find_tree(new.tree.0).map_err(|e| object_error(new.tree, &e))?;
        let mut parents = Vec::new();
        for p in new.parents {
            parents.push(self.inner.find_commit(p.0).map_err(|e| object_error(*p, &e))?);
        }
        let parents: Vec<&git2::Commit<'_>> = parents.iter().collect();
        let (author, committer) = (new.author.signature()?, new.committer.signature()?);
        let id = self.inner.commit(None, &author, &committer, new.message, &tree, &parents)?;
        Ok(Oid(id))
    }

    /// Reads a commit.
    pub fn commit(&self, id: Oid) -> Result<CommitInfo> {
        let c = self.inner.find_commit(id.0).map_err(|e| object_error(id, &e))?;
        Ok(CommitInfo {
            id,
            tree: Oid(c.tree_id()),
            parents: c.parent_ids().map(Oid).collect(),
            author: Person::read(&c.author()),
            committer: Person::read(&c.committer()),
            message: String::from_utf8_lossy(c.message_bytes()).into_owned(),
        })
    }

    /// The tree of a commit, `None` for no commit.
    pub fn tree_of(&self, commit: Option<Oid>) -> Result<Option<Oid>> {
        let Some(id) = commit else { return Ok(None) };
        let c = self.inner.find_commit(id.0).map_err(|e| object_error(id, &e))?;
        Ok(Some(Oid(c.tree_id())))
    }

    /// The commit that a revision names (`HEAD~2`, a branch, an abbreviated id …).
    pub fn resolve(&self, revision: &str) -> Result<Oid> {
        let bad = |e: git2::Error| GitError::Object {
            id: revision.to_string(),
            reason: e.message().to_string(),
        };
        let object = self.inner.revparse_single(revision).map_err(bad)?;
        Ok(Oid(object.peel_to_commit().map_err(bad)?.id()))
    }

    /// The first-parent line from `tip` back to, without, the first commit for which `stop` holds;
    /// newest first, at most `max` commits.
    pub fn first_parents(
        &self,
        tip: Option<Oid>,
        max: usize,
        mut stop: impl FnMut(Oid) -> bool,
    ) -> Result<Vec<CommitInfo>> {
        let mut line = Vec::new();
        let mut at = tip;
        while let Some(id) = at {
            if line.len() >= max || stop(id) {
                break;
            }
            let commit = self.commit(id)?;
            at = commit.parents.first().copied();
            line.push(commit);
        }
        Ok(line)
    }

    /// All commits reachable from `tip` but not from `hidden`, newest first.
    pub fn range(&self, tip: Oid, hidden: &[Oid]) -> Result<Vec<Oid>> {
        let mut walk = self.inner.revwalk()?;
        walk.set_sorting(git2::Sort::TOPOLOGICAL | git2::Sort::TIME)?;
        walk.push(tip.0)?;
        for id in hidden {
            walk.hide(id.0)?;
        }
        walk.map(|id| Ok(Oid(id?))).collect()
    }

    /// How many commits each side has that the other lacks: `(ahead, behind)`.
    pub fn ahead_behind(&self, ours: Oid, theirs: Oid) -> Result<(usize, usize)> {
        Ok(self.inner.graph_ahead_behind(ours.0, theirs.0)?)
    }

    /// Whether `old` is `new` or one of its ancestors.
    pub fn is_ancestor(&self, old: Oid, new: Oid) -> Result<bool> {
        Ok(old == new || self.inner.graph_descendant_of(new.0, old.0)?)
    }
}

/// The trailers of a message: `Key: value` lines of its last paragraph.
pub fn trailers(message: &str) -> Vec<(&str, &str)> {
    let last = message.trim_end().rsplit("\n\n").next().unwrap_or("");
    last.lines()
        .filter_map(|line| line.split_once(": "))
        .filter(|(key, _)| key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'))
        .collect()
}

/// The last value of one trailer.
pub fn trailer<'a>(message: &'a str, key: &str) -> Option<&'a str> {
    trailers(message).into_iter().rev().find(|(k, _)| *k == key).map(|(_, v)| v.trim())
}
