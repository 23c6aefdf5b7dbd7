//! Trees, read and spliced as bytes: entries that a change does not name keep their id, mode and
//! place, whatever they hold. That is what lets a hostile or odd entry pass through unharmed.

use super::objects::object_error;
use super::{Oid, Repo, Result};
use std::collections::BTreeMap;

const DIR_MODE: u32 = 0o040_000;

/// A file-like entry of a tree: git's mode (octal as in `ls-tree`) and object id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Leaf {
    /// Git's mode, `0o100644` for a plain file.
    pub mode: u32,
    /// The blob (or the commit of a submodule).
    pub id: Oid,
}

impl Leaf {
    /// A plain file.
    pub fn file(id: Oid) -> Leaf {
        Leaf { mode: 0o100_644, id }
    }

    /// Whether it is a regular file's blob.
    pub fn is_file(&self) -> bool {
        self.mode & 0o170_000 == 0o100_000
    }
}

/// What to set (`Some`) or remove (`None`), by path with `/`.
pub type TreeChanges = BTreeMap<Vec<u8>, Option<Leaf>>;

/// A path whose entry differs between two trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The whole path.
    pub path: Vec<u8>,
    /// In the first tree.
    pub old: Option<Leaf>,
    /// In the second tree.
    pub new: Option<Leaf>,
}

#[derive(Clone)]
struct Entry {
    mode: u32,
    name: Vec<u8>,
    id: Oid,
}

impl Entry {
    fn is_dir(&self) -> bool {
        self.mode == DIR_MODE
    }

    /// Git's order: directories compare as if their name ended in `/`.
    fn key(&self) -> impl Iterator<Item = u8> + '_ {
        self.name.iter().copied().chain(self.is_dir().then_some(b'/'))
    }
}

fn parse(raw: &[u8]) -> Option<Vec<Entry>> {
    let mut entries = Vec::with_capacity(raw.len() / 36);
    let mut rest = raw;
    while !rest.is_empty() {
        let space = rest.iter().position(|b| *b == b' ')?;
        let mode = u32::from_str_radix(std::str::from_utf8(&rest[..space]).ok()?, 8).ok()?;
        rest = &rest[space + 1..];
        let nul = rest.iter().position(|b| *b == 0)?;
        let id = rest.get(nul + 1..nul + 21)?;
        entries.push(Entry { mode, name: rest[..nul].to_vec(), id: Oid::from_raw(id) });
        rest = &rest[nul + 21..];
    }
    Some(entries)
}

impl Repo {
    fn entries(&self, tree: Option<Oid>) -> Result<Vec<Entry>> {
        let Some(id) = tree else { return Ok(Vec::new()) };
        let odb = self.inner.odb()?;
        let object = odb.read(id.0).map_err(|e| object_error(id, &e))?;
        if object.kind() != git2::ObjectType::Tree {
            return Err(super::GitError::Object {
                id: id.to_string(),
                reason: "is not a tree".into(),
            });
        }
        parse(object.data()).ok_or_else(|| super::GitError::Object {
            id: id.to_string(),
            reason: "is a malformed tree".into(),
        })
    }

    fn write_entries(&self, entries: &[Entry]) -> Result<Oid> {
        let mut raw = Vec::with_capacity(entries.len() * 40);
        for e in entries {
            raw.extend_from_slice(format!("{:o} ", e.mode).as_bytes());
            raw.extend_from_slice(&e.name);
            raw.push(0);
            raw.extend_from_slice(e.id.0.as_bytes());
        }
        Ok(Oid(self.inner.odb()?.write(git2::ObjectType::Tree, &raw)?))
    }

    /// The tree without entries.
    pub fn empty_tree(&self) -> Result<Oid> {
        self.write_entries(&[])
    }

    /// A new tree: `base` with the changes spliced in. Directories that become empty vanish.
    pub fn splice(&self, base: Option<Oid>, changes: &TreeChanges) -> Result<Oid> {
        match self.splice_level(base, changes)? {
            Some(id) => Ok(id),
            None => self.empty_tree(),
        }
    }

    fn splice_level(&self, base: Option<Oid>, changes: &TreeChanges) -> Result<Option<Oid>> {
        let mut files: BTreeMap<Vec<u8>, Option<Leaf>> = BTreeMap::new();
        let mut dirs: BTreeMap<Vec<u8>, TreeChanges> = BTreeMap::new();
        for (path, leaf) in changes {
            match path.iter().position(|b| *b == b'/') {
                Some(at) => {
                    dirs.entry(path[..at].to_vec())
                        .or_default()
                        .insert(path[at + 1..].to_vec(), *leaf);
                }
                None => {
                    files.insert(path.clone(), *leaf);
                }
            }
        }
        let mut entries = Vec::new();
        for e in self.entries(base)? {
            if e.is_dir() {
                match dirs.remove(&e.name) {
                    Some(inner) => {
                        if let Some(id) = self.splice_level(Some(e.id), &inner)? {
                            entries.push(Entry { id, ..e });
                        }
                    }
                    // A file set under a directory's name replaces the directory.
                    None if files.get(&e.name).is_some_and(Option::is_some) => {}
                    None => entries.push(e),
                }
            } else {
                match files.remove(&e.name) {
                    Some(Some(leaf)) => entries.push(Entry { mode: leaf.mode, id: leaf.id, ..e }),
                    Some(None) => {}
                    None => entries.push(e),
                }
            }
        }
        self.insert_new(&mut entries, files, dirs)?;
        if entries.is_empty() { Ok(None) } else { self.write_entries(&entries).map(Some) }
    }

    fn insert_new(
        &self,
        entries: &mut Vec<Entry>,
        files: BTreeMap<Vec<u8>, Option<Leaf>>,
        dirs: BTreeMap<Vec<u8>, TreeChanges>,
    ) -> Result<()> {
        let mut fresh = Vec::new();
        for (name, leaf) in files {
            if let Some(leaf) = leaf {
                fresh.push(Entry { mode: leaf.mode, name, id: leaf.id });
            }
        }
        for (name, inner) in dirs {
            if let Some(id) = self.splice_level(None, &inner)? {
                entries.retain(|e| e.is_dir() || e.name != name);
                fresh.push(Entry { mode: DIR_MODE, name, id });
            }
        }
        for e in fresh {
            let at = entries.partition_point(|x| x.key().lt(e.key()));
            entries.insert(at, e);
        }
        Ok(())
    }

    /// The entry at `path`, if it is a leaf.
    pub fn leaf(&self, tree: Option<Oid>, path: &[u8]) -> Result<Option<Leaf>> {
        let mut at = tree;
        let mut rest = path;
        while let Some(slash) = rest.iter().position(|b| *b == b'/') {
            let dir = self.entries(at)?.into_iter().find(|e| e.is_dir() && e.name == rest[..slash]);
            let Some(dir) = dir else { return Ok(None) };
            at = Some(dir.id);
            rest = &rest[slash + 1..];
        }
        let found = self.entries(at)?.into_iter().find(|e| !e.is_dir() && e.name == rest);
        Ok(found.map(|e| Leaf { mode: e.mode, id: e.id }))
    }

    /// Every leaf of a tree by path. Of a name that stands twice in one tree the first counts.
    pub fn leaves(&self, tree: Option<Oid>) -> Result<BTreeMap<Vec<u8>, Leaf>> {
        let mut all = BTreeMap::new();
        self.collect(tree, &mut Vec::new(), &mut |path, leaf| {
            all.entry(path).or_insert(leaf);
        })?;
        Ok(all)
    }

    fn collect(
        &self,
        tree: Option<Oid>,
        prefix: &mut Vec<u8>,
        visit: &mut impl FnMut(Vec<u8>, Leaf),
    ) -> Result<()> {
        for e in self.entries(tree)? {
            let length = prefix.len();
            prefix.extend_from_slice(&e.name);
            if e.is_dir() {
                prefix.push(b'/');
                self.collect(Some(e.id), prefix, visit)?;
            } else {
                visit(prefix.clone(), Leaf { mode: e.mode, id: e.id });
            }
            prefix.truncate(length);
        }
        Ok(())
    }

    /// The paths whose entries differ, in byte order; equal subtrees are not opened.
    pub fn diff(&self, old: Option<Oid>, new: Option<Oid>) -> Result<Vec<Changed>> {
        let mut found = BTreeMap::new();
        self.diff_level(old, new, &mut Vec::new(), &mut found)?;
        Ok(found.into_iter().map(|(path, (old, new))| Changed { path, old, new }).collect())
    }

    fn diff_level(
        &self,
        old: Option<Oid>,
        new: Option<Oid>,
        prefix: &mut Vec<u8>,
        found: &mut BTreeMap<Vec<u8>, (Option<Leaf>, Option<Leaf>)>,
    ) -> Result<()> {
        if old == new {
            return Ok(());
        }
        let mut names: BTreeMap<(Vec<u8>, bool), (Option<Entry>, Option<Entry>)> = BTreeMap::new();
        for e in self.entries(old)? {
            names.entry((e.name.clone(), e.is_dir())).or_default().0.get_or_insert(e);
        }
        for e in self.entries(new)? {
            names.entry((e.name.clone(), e.is_dir())).or_default().1.get_or_insert(e);
        }
        for ((name, is_dir), (a, b)) in names {
            let length = prefix.len();
            prefix.extend_from_slice(&name);
            if is_dir {
                prefix.push(b'/');
                self.diff_level(a.map(|e| e.id), b.map(|e| e.id), prefix, found)?;
            } else {
                let leaf = |e: Option<Entry>| e.map(|e| Leaf { mode: e.mode, id: e.id });
                let (a, b) = (leaf(a), leaf(b));
                if a != b {
                    found.insert(prefix.clone(), (a, b));
                }
            }
            prefix.truncate(length);
        }
        Ok(())
    }
}
