//! Memory directories of the same project under another name: kept by clients that took the plain
//! working directory, a link, a worktree or another hash for the key.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::Places;
use super::places::Rule;
use super::root::{canonical_root, common_dir, small, work_tree};
use super::slug::{folders, plain, slug};

/// Levels of folders in which a note is looked for; logs lie three deep.
const NOTE_DEPTH: usize = 4;

/// A memory directory that holds notes of this project, or of a directory around it, and is not
/// the one in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stray {
    /// The directory.
    pub path: PathBuf,
    /// Which key led there, as a clause.
    pub why: String,
}

impl Places {
    /// Every stray memory directory that can be found. Reads the projects folder and git's list of
    /// worktrees: for `where` and `doctor`, not for each command.
    #[must_use]
    pub fn strays(&self) -> Vec<Stray> {
        let mut search = Search {
            projects: self.projects_dir(),
            seen: HashSet::from([real(&self.memory_dir)]),
            strays: Vec::new(),
        };
        match &self.rule {
            Rule::Slug | Rule::SlugPrefix => {
                search.key(&self.root, "its name has another hash");
            }
            rule @ (Rule::DirFlag
            | Rule::CoworkOverride
            | Rule::Setting { .. }
            | Rule::ProjectDirName) => {
                let why = format!("it is the usual place, but the one in use is {rule}");
                search.key(&self.root, &why);
            }
        }
        let tree = work_tree(&self.project).map_or_else(|| self.project.clone(), Path::to_owned);
        search.key(&tree, "it is kept by the worktree's own path");
        for dir in self.project.ancestors().take_while(|dir| **dir != *tree) {
            search.key(dir, "it is kept by a subdirectory");
        }
        search
            .folder(&plain(&self.project.to_string_lossy()), "it is kept by another Unicode form");
        for dir in self.as_given.ancestors() {
            if dir.starts_with(&tree) || real(dir).starts_with(&tree) {
                search.key(dir, "it is kept by a path through a symbolic link");
            }
        }
        let trees = worktrees(&self.root);
        for tree in &trees {
            search.key(tree, "it is kept by a worktree's own path");
        }
        for tree in trees.iter().chain([&self.root, &tree]) {
            search.subdirectories(tree);
        }
        for dir in self.root.ancestors().skip(1).chain(tree.ancestors().skip(1)) {
            // A repository around this one is another project.
            let another = dir.join(".git").exists()
                && canonical_root(dir).is_none_or(|root| root != self.root);
            if !another {
                search.key(dir, "it is kept by a directory above the project");
            }
        }
        search.strays
    }
}

struct Search {
    projects: PathBuf,
    seen: HashSet<PathBuf>,
    strays: Vec<Stray>,
}

impl Search {
    /// Looks under the slug of `dir`, with any hash.
    fn key(&mut self, dir: &Path, why: &str) {
        for name in folders(&self.projects, &slug(dir)) {
            self.folder(&name, why);
        }
    }

    fn folder(&mut self, name: &str, why: &str) {
        let path = self.projects.join(name).join("memory");
        if holds_notes(&path, NOTE_DEPTH) && self.seen.insert(real(&path)) {
            self.strays.push(Stray { path, why: why.to_owned() });
        }
    }

    /// Looks at every folder whose name may be that of a subdirectory of `tree`, and takes it if
    /// there is such a subdirectory: the names of `tree/a` and of `tree-a` are the same.
    fn subdirectories(&mut self, tree: &Path) {
        let start = format!("{}-", slug(tree));
        let mut names: Vec<String> = fs::read_dir(&self.projects)
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        names.sort_unstable();
        for name in names {
            if let Some(rest) = name.strip_prefix(&start)
                && descend(tree, rest)
            {
                self.folder(&name, "it is kept by a subdirectory");
            }
        }
    }
}

/// Whether a subdirectory of `dir` that is no repository of its own has this slug, seen from
/// `dir`.
fn descend(dir: &Path, rest: &str) -> bool {
    fs::read_dir(dir).into_iter().flatten().flatten().any(|entry| {
        let name = plain(&entry.file_name().to_string_lossy());
        let Some(below) = rest.strip_prefix(&name) else { return false };
        let path = entry.path();
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) || path.join(".git").exists() {
            return false;
        }
        below.is_empty() || below.strip_prefix('-').is_some_and(|below| descend(&path, below))
    })
}

/// The other work trees of the repository at `root`, as git lists them.
fn worktrees(root: &Path) -> Vec<PathBuf> {
    let mut trees: Vec<PathBuf> = fs::read_dir(common_dir(root).join("worktrees"))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let back = entry.path().join(small(&entry.path().join("gitdir"))?);
            back.parent().map(real)
        })
        .collect();
    trees.sort_unstable();
    trees
}

fn holds_notes(dir: &Path, depth: usize) -> bool {
    depth > 0
        && fs::read_dir(dir).into_iter().flatten().flatten().any(|entry| {
            let name = entry.file_name();
            let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else {
                return false;
            };
            match entry.file_type() {
                Ok(kind) if kind.is_file() => name.ends_with(".md"),
                Ok(kind) if kind.is_dir() => holds_notes(&entry.path(), depth - 1),
                Ok(_) | Err(_) => false,
            }
        })
}

fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
