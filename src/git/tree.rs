//! Trees, read and spliced as bytes: entries that a change does not name keep their id, mode and
//! place, whatever they hold. That is what lets a hostile or odd entry pass through unharmed.

use super::objects::object_error;
use super::{GitError, Oid, Repo, Result};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

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

    /// Whether it is a commit of another repository.
    pub fn is_submodule(&self) -> bool {
        self.mode & 0o170_000 == 0o160_000
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

/// How many parsed trees are kept at once.
const KEPT_TREES: usize = 256;

#[derive(Clone, PartialEq, Eq)]
struct Entry {
    mode: u32,
    name: Rc<[u8]>,
    id: Oid,
}

impl Entry {
    fn is_dir(&self) -> bool {
        self.mode == DIR_MODE
    }

    fn leaf(&self) -> Leaf {
        Leaf { mode: self.mode, id: self.id }
    }

    /// Git's order: directories compare as if their name ended in `/`.
    fn key(&self) -> impl Iterator<Item = u8> + '_ {
        key(&self.name, self.is_dir())
    }
}

fn key(name: &[u8], is_dir: bool) -> impl Iterator<Item = u8> + '_ {
    name.iter().copied().chain(is_dir.then_some(b'/'))
}

/// A parsed tree.
#[derive(Default)]
pub(super) struct Tree {
    entries: Vec<Entry>,
    /// Whether the entries are in git's order, each once; an attacker's tree need not be.
    sorted: bool,
}

impl Tree {
    fn new(entries: Vec<Entry>) -> Tree {
        let sorted = entries.windows(2).all(|w| w[0].key().lt(w[1].key()));
        Tree { entries, sorted }
    }

    fn find(&self, name: &[u8], is_dir: bool) -> Option<&Entry> {
        if self.sorted {
            let at = self.entries.partition_point(|e| e.key().lt(key(name, is_dir)));
            return self.entries.get(at).filter(|e| e.is_dir() == is_dir && *e.name == *name);
        }
        self.entries.iter().find(|e| e.is_dir() == is_dir && *e.name == *name)
    }
}

fn parse(raw: &[u8]) -> Option<Tree> {
    let mut entries = Vec::with_capacity(raw.len() / 36);
    let mut rest = raw;
    while !rest.is_empty() {
        let space = rest.iter().position(|b| *b == b' ')?;
        let mode = u32::from_str_radix(std::str::from_utf8(&rest[..space]).ok()?, 8).ok()?;
        rest = &rest[space + 1..];
        let nul = rest.iter().position(|b| *b == 0)?;
        let id = rest.get(nul + 1..nul + 21)?;
        entries.push(Entry { mode, name: Rc::from(&rest[..nul]), id: Oid::from_raw(id) });
        rest = &rest[nul + 21..];
    }
    Some(Tree::new(entries))
}

impl Repo {
    fn tree(&self, id: Option<Oid>) -> Result<Rc<Tree>> {
        let Some(id) = id else { return Ok(Rc::default()) };
        if let Some(known) = self.trees.borrow().get(&id) {
            return Ok(Rc::clone(known));
        }
        let odb = self.inner.odb()?;
        let object = odb.read(id.0).map_err(|e| object_error(id, &e))?;
        let bad = |reason: &str| GitError::Object { id: id.to_string(), reason: reason.into() };
        if object.kind() != git2::ObjectType::Tree {
            return Err(bad("is not a tree"));
        }
        let tree = parse(object.data()).ok_or_else(|| bad("is a malformed tree"))?;
        Ok(self.keep(id, tree))
    }

    fn keep(&self, id: Oid, tree: Tree) -> Rc<Tree> {
        let tree = Rc::new(tree);
        let mut trees = self.trees.borrow_mut();
        if trees.len() >= KEPT_TREES {
            trees.clear();
        }
        trees.insert(id, Rc::clone(&tree));
        tree
    }

    fn write_entries(&self, entries: Vec<Entry>) -> Result<Oid> {
        let mut raw = Vec::with_capacity(entries.len() * 48);
        for e in &entries {
            raw.extend_from_slice(mode_text(e.mode).as_bytes());
            raw.push(b' ');
            raw.extend_from_slice(&e.name);
            raw.push(0);
            raw.extend_from_slice(e.id.0.as_bytes());
        }
        let id = Oid(self.inner.odb()?.write(git2::ObjectType::Tree, &raw)?);
        self.keep(id, Tree::new(entries));
        Ok(id)
    }

    /// The tree without entries.
    pub fn empty_tree(&self) -> Result<Oid> {
        self.write_entries(Vec::new())
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
        for e in self.tree(base)?.entries.iter().cloned() {
            if e.is_dir() {
                match dirs.remove(&*e.name) {
                    Some(inner) => {
                        if let Some(id) = self.splice_level(Some(e.id), &inner)? {
                            entries.push(Entry { id, ..e });
                        }
                    }
                    // A file set under a directory's name replaces the directory.
                    None if files.get(&*e.name).is_some_and(Option::is_some) => {}
                    None => entries.push(e),
                }
            } else {
                match files.remove(&*e.name) {
                    Some(Some(leaf)) => entries.push(Entry { mode: leaf.mode, id: leaf.id, ..e }),
                    Some(None) => {}
                    None => entries.push(e),
                }
            }
        }
        self.insert_new(&mut entries, files, dirs)?;
        if entries.is_empty() { Ok(None) } else { self.write_entries(entries).map(Some) }
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
                fresh.push(Entry { mode: leaf.mode, name: Rc::from(name), id: leaf.id });
            }
        }
        for (name, inner) in dirs {
            if let Some(id) = self.splice_level(None, &inner)? {
                entries.retain(|e| e.is_dir() || *e.name != *name);
                fresh.push(Entry { mode: DIR_MODE, name: Rc::from(name), id });
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
            let Some(dir) = self.tree(at)?.find(&rest[..slash], true).map(|e| e.id) else {
                return Ok(None);
            };
            at = Some(dir);
            rest = &rest[slash + 1..];
        }
        Ok(self.tree(at)?.find(rest, false).map(Entry::leaf))
    }

    /// Every leaf of a tree by path. Of a name that stands twice in one tree the first counts.
    pub fn leaves(&self, tree: Option<Oid>) -> Result<BTreeMap<Vec<u8>, Leaf>> {
        Ok(self.leaf_list(tree)?.into_iter().collect())
    }

    /// The same as a list, sorted by the bytes of the paths.
    pub fn leaf_list(&self, tree: Option<Oid>) -> Result<Vec<(Vec<u8>, Leaf)>> {
        let mut all = Vec::new();
        self.collect(tree, &mut Vec::new(), &mut |path, leaf| all.push((path, leaf)))?;
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all.dedup_by(|later, first| later.0 == first.0);
        Ok(all)
    }

    fn collect(
        &self,
        tree: Option<Oid>,
        prefix: &mut Vec<u8>,
        visit: &mut impl FnMut(Vec<u8>, Leaf),
    ) -> Result<()> {
        for e in &self.tree(tree)?.entries {
            let length = prefix.len();
            prefix.extend_from_slice(&e.name);
            if e.is_dir() {
                prefix.push(b'/');
                self.collect(Some(e.id), prefix, visit)?;
            } else {
                visit(prefix.clone(), e.leaf());
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
        let (old, new) = (self.tree(old)?, self.tree(new)?);
        let (old, new) = differing(&old, &new);
        let mut names: BTreeMap<(&[u8], bool), [Option<&Entry>; 2]> = BTreeMap::new();
        for (side, entries) in [old, new].into_iter().enumerate() {
            for e in entries {
                names.entry((&e.name, e.is_dir())).or_default()[side].get_or_insert(e);
            }
        }
        for ((name, is_dir), [a, b]) in names {
            let length = prefix.len();
            prefix.extend_from_slice(name);
            if is_dir {
                prefix.push(b'/');
                self.diff_level(a.map(|e| e.id), b.map(|e| e.id), prefix, found)?;
            } else {
                let (a, b) = (a.map(Entry::leaf), b.map(Entry::leaf));
                if a != b {
                    found.insert(prefix.clone(), (a, b));
                }
            }
            prefix.truncate(length);
        }
        Ok(())
    }
}

/// The middle parts of two trees, without what is equal at both ends.
fn differing<'t>(old: &'t Tree, new: &'t Tree) -> (&'t [Entry], &'t [Entry]) {
    let (mut a, mut b) = (&old.entries[..], &new.entries[..]);
    if !old.sorted || !new.sorted {
        return (a, b);
    }
    let front = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    (a, b) = (&a[front..], &b[front..]);
    let back = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    (&a[..a.len() - back], &b[..b.len() - back])
}

/// The usual modes cost no formatting.
fn mode_text(mode: u32) -> Cow<'static, str> {
    match mode {
        0o100_644 => Cow::Borrowed("100644"),
        0o100_755 => Cow::Borrowed("100755"),
        DIR_MODE => Cow::Borrowed("40000"),
        other => Cow::Owned(format!("{other:o}")),
    }
}
