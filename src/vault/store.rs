//! A store: the git directory and the state of one memory directory.

use super::registry::{Match, Registered, Registry};
use super::state::write_atomic;
use super::{Result, VaultError, io_at, takeover};
use crate::git::{Repo, StoreConfig};
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The refs of a store (`refs/heads/main` and kith's own).
pub mod refs {
    /// The local line: what is live here.
    pub const MAIN: &str = "refs/heads/main";
    /// The remote line: what was fetched, byte for byte.
    pub const REMOTE: &str = "refs/kith/remote/main";
    /// The base table: a tree with the remote entry that each live path derives from.
    pub const BASE: &str = "refs/kith/base";
    /// The parked changes: a tree with the base entry that each waiting change is bound to.
    pub const PARKED: &str = "refs/kith/parked";
    /// The last local commit whose released changes are all on the remote line.
    pub const PUBLISHED: &str = "refs/kith/published";
    /// A chain that keeps local lines reachable after they were replaced by the remote's.
    pub const KEPT: &str = "refs/kith/kept";
    /// Where captures of suspicious mass changes go, a branch each.
    pub const PARKED_BRANCHES: &str = "refs/heads/kith/parked/";
}

/// What a store holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StoreKind {
    /// A person's own memory of a project.
    Private,
    /// Shared with a team.
    Team,
    /// An agent's memory.
    Agent,
}

impl StoreKind {
    /// Whether a path is this kind of store's business: a private one has nothing to do with the
    /// team's folder in it, and only a team has a policy.
    pub fn holds(self, path: &[u8]) -> bool {
        match self {
            StoreKind::Private => !path.starts_with(b"team/") && !path.starts_with(b".kith/"),
            StoreKind::Team => true,
            StoreKind::Agent => !path.starts_with(b".kith/"),
        }
    }

    /// The word used in output.
    pub fn as_str(self) -> &'static str {
        match self {
            StoreKind::Private => "private",
            StoreKind::Team => "team",
            StoreKind::Agent => "agent",
        }
    }
}

/// An open store.
#[derive(Debug)]
pub struct Store {
    /// The random id.
    pub id: String,
    /// What it holds.
    pub kind: StoreKind,
    /// The memory directory, by its real path.
    pub dir: PathBuf,
    /// The repository.
    pub repo: Repo,
    /// The folder with its state.
    pub state: PathBuf,
}

/// What [`Store::create`] did.
#[derive(Debug)]
pub struct Created {
    /// The store.
    pub store: Store,
    /// Whether it is new.
    pub fresh: bool,
    /// Whether an ordinary repository that was there was taken over.
    pub took_over: bool,
}

const EXCLUDE: &str = include_str!("../../templates/store/exclude");

impl Store {
    /// Opens the store of a memory directory.
    ///
    /// # Errors
    /// [`VaultError::NoStore`] when there is none, [`VaultError::Copied`] when the directory is a
    /// copy or another one stands at its path, [`VaultError::NewerFormat`].
    pub fn open(registry: &Registry, dir: &Path) -> Result<Store> {
        let dir = real(dir);
        match registry.find(&dir)? {
            Match::Own(row) => Store::at(registry, row, dir),
            Match::Moved(row) => {
                registry.put(row_of(&row.id, &dir, row.kind)?)?;
                let store = Store::at(registry, row, dir)?;
                if store.dir.join(".git").is_file() {
                    store.write_git_file()?;
                }
                Ok(store)
            }
            Match::Replaced(row) => Err(VaultError::Replaced { id: row.id, dir }),
            Match::Unknown => match store_named_by_git_file(registry, &dir)? {
                Some(row) => Err(VaultError::Copied { id: row.id, owner: row.dir, dir }),
                None => Err(VaultError::NoStore { dir }),
            },
        }
    }

    fn at(registry: &Registry, row: Registered, dir: PathBuf) -> Result<Store> {
        let stores = registry.dir().join("stores");
        let repo = Repo::open(&stores.join(format!("{}.git", row.id)))?;
        let format = repo.format();
        if format > StoreConfig::FORMAT {
            return Err(VaultError::NewerFormat { found: format, known: StoreConfig::FORMAT });
        }
        let state = stores.join(format!("{}.state", row.id));
        Ok(Store { id: row.id, kind: row.kind, dir, repo, state })
    }

    /// Makes a memory directory a store; harmless when it is one. `seed` fixes the id for tests;
    /// `enclosing` is a foreign work tree around the directory, if any.
    pub fn create(
        registry: &Registry,
        dir: &Path,
        kind: StoreKind,
        seed: Option<&str>,
        enclosing: Option<&Path>,
    ) -> Result<Created> {
        std::fs::create_dir_all(dir).map_err(io_at(dir))?;
        let dir = real(dir);
        match Store::open(registry, &dir) {
            Ok(store) => {
                store.ensure_git_file(enclosing)?;
                return Ok(Created { store, fresh: false, took_over: false });
            }
            Err(VaultError::NoStore { .. }) => {}
            Err(e) => return Err(e),
        }
        let id = random_id(seed, &dir)?;
        let stores = registry.dir().join("stores");
        std::fs::create_dir_all(&stores).map_err(io_at(&stores))?;
        let git_dir = stores.join(format!("{id}.git"));
        let took_over = takeover::take_git_dir(&dir, &git_dir)?;
        let repo = Repo::init(&git_dir)?;
        let exclude = match kind {
            StoreKind::Private => format!("/team/\n{EXCLUDE}"),
            StoreKind::Team | StoreKind::Agent => EXCLUDE.to_string(),
        };
        repo.configure(false, &exclude)?;
        let state = stores.join(format!("{id}.state"));
        std::fs::create_dir_all(state.join("displaced")).map_err(io_at(&state))?;
        registry.put(row_of(&id, &dir, kind)?)?;
        let store = Store { id, kind, dir, repo, state };
        store.ensure_git_file(enclosing)?;
        Ok(Created { store, fresh: true, took_over })
    }

    /// Gives a copied or replaced directory a store of its own, with the history of the one it came
    /// from; a directory that stands at its store's path again is simply bound to it anew.
    pub fn adopt(registry: &Registry, dir: &Path, seed: Option<&str>) -> Result<Store> {
        let dir = real(dir);
        let (owner, id) = match Store::open(registry, &dir) {
            Ok(store) => return Ok(store),
            Err(VaultError::Copied { owner, id, .. }) => (owner, id),
            Err(VaultError::Replaced { id, .. }) => (dir.clone(), id),
            Err(e) => return Err(e),
        };
        let rows = registry.all()?;
        let known = rows.into_iter().find(|r| r.id == id);
        let row = known.ok_or(VaultError::NoStore { dir: dir.clone() })?;
        if owner == dir || !owner.exists() {
            registry.put(row_of(&id, &dir, row.kind)?)?;
            let store = Store::open(registry, &dir)?;
            if store.dir.join(".git").is_file() {
                store.write_git_file()?;
            }
            return Ok(store);
        }
        let new = random_id(seed, &dir)?;
        let stores = registry.dir().join("stores");
        copy_folder(&stores.join(format!("{id}.git")), &stores.join(format!("{new}.git")))?;
        let state = stores.join(format!("{new}.state"));
        std::fs::create_dir_all(state.join("displaced")).map_err(io_at(&state))?;
        registry.put(row_of(&new, &dir, row.kind)?)?;
        let store = Store::open(registry, &dir)?;
        if store.dir.join(".git").is_file() {
            store.write_git_file()?;
        }
        Ok(store)
    }

    /// A `.git` file is written only where no enclosing work tree would see it.
    fn ensure_git_file(&self, enclosing: Option<&Path>) -> Result<()> {
        let file = self.dir.join(".git");
        if enclosing.is_none() && !file.exists() {
            self.write_git_file()?;
        }
        Ok(())
    }

    fn write_git_file(&self) -> Result<()> {
        let file = self.dir.join(".git");
        let target = relative(&self.dir, &real(self.repo.dir()));
        let text = format!("gitdir: {}\n", target.display());
        if std::fs::read_to_string(&file).is_ok_and(|old| old == text) {
            return Ok(());
        }
        write_atomic(&file, text.as_bytes(), false)
    }

    /// A file of the store's state.
    pub fn state_file(&self, name: &str) -> PathBuf {
        self.state.join(name)
    }
}

fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

fn row_of(id: &str, dir: &Path, kind: StoreKind) -> Result<Registered> {
    let meta = std::fs::metadata(dir).map_err(io_at(dir))?;
    Ok(Registered {
        id: id.to_string(),
        dir: dir.to_path_buf(),
        dev: meta.dev(),
        ino: meta.ino(),
        kind,
    })
}

/// The store that a `.git` file in an unregistered directory points to: it was copied with it.
fn store_named_by_git_file(registry: &Registry, dir: &Path) -> Result<Option<Registered>> {
    let Ok(text) = std::fs::read_to_string(dir.join(".git")) else { return Ok(None) };
    let Some(target) = text.strip_prefix("gitdir:") else { return Ok(None) };
    let name = Path::new(target.trim()).file_name().and_then(|n| n.to_str()).unwrap_or("");
    let id = name.strip_suffix(".git").unwrap_or("");
    Ok(registry.all()?.into_iter().find(|row| row.id == id))
}

/// The way from folder `from` to `to`, both real paths.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let (a, b): (Vec<_>, Vec<_>) = (from.components().collect(), to.components().collect());
    let same = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let mut path = PathBuf::new();
    for _ in same..a.len() {
        path.push("..");
    }
    path.extend(&b[same..]);
    path
}

/// 16 hex digits: from the system's randomness, or from the seed and the directory in tests.
fn random_id(seed: Option<&str>, dir: &Path) -> Result<String> {
    let bytes = match seed {
        Some(seed) => {
            let text = format!("{seed}\0{}", dir.display());
            crate::git::Oid::of_blob(text.as_bytes()).to_string()[..16].to_string()
        }
        None => {
            let source = Path::new("/dev/urandom");
            let mut raw = [0u8; 8];
            std::fs::File::open(source)
                .and_then(|mut f| f.read_exact(&mut raw))
                .map_err(io_at(source))?;
            raw.iter().map(|b| format!("{b:02x}")).collect()
        }
    };
    Ok(bytes)
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to).map_err(io_at(to))?;
    for entry in std::fs::read_dir(from).map_err(io_at(from))? {
        let entry = entry.map_err(io_at(from))?;
        let target = to.join(entry.file_name());
        if entry.file_type().map_err(io_at(from))?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            let bytes = std::fs::read(entry.path()).map_err(io_at(&entry.path()))?;
            write_atomic(&target, &bytes, false)?;
        }
    }
    Ok(())
}
