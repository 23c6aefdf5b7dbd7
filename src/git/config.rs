//! Configuration files of git: a store's own, and who the user is.

use super::{GitError, Repo, Result};
use std::path::Path;

/// The configuration every store has. The reasons: notes are bytes (no line-end conversion, no
/// links, no filters), small captures want cheap compression, the index stays in the form that kith
/// splices, the merge driver keeps a person's own
/// `git merge` from writing markers, and an older kith must see a format it does not know.
pub struct StoreConfig;

impl StoreConfig {
    /// The store format that this version writes and understands.
    pub const FORMAT: i32 = 1;

    const VALUES: [(&str, &str); 11] = [
        ("core.autocrlf", "false"),
        ("core.symlinks", "false"),
        ("core.logAllRefUpdates", "true"),
        ("core.looseCompression", "1"),
        ("core.untrackedCache", "false"),
        ("core.fsmonitor", "false"),
        ("core.splitIndex", "false"),
        ("index.version", "2"),
        ("gc.auto", "0"),
        ("merge.kith.name", "kith note merge"),
        ("merge.kith.driver", "kith hook merge-driver %O %A %B %P"),
    ];
    const ATTRIBUTES: &str = include_str!("../../templates/store/attributes");
}

/// The name and address that commits carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// `user.name`.
    pub name: String,
    /// `user.email`.
    pub email: String,
}

/// `user.name` and `user.email` as the checkout at `project` sees them (conditional includes and
/// its own settings count), else as the user's own configuration has them.
pub fn identity(project: &Path) -> Option<Identity> {
    let config = git2::Repository::open_ext(
        project,
        git2::RepositoryOpenFlags::empty(),
        std::iter::empty::<&std::ffi::OsStr>(),
    )
    .and_then(|repo| repo.config())
    .or_else(|_| git2::Config::open_default())
    .ok()?;
    let config = { config }.snapshot().ok()?;
    let name = config.get_str("user.name").ok()?.to_string();
    let email = config.get_str("user.email").ok()?.to_string();
    Some(Identity { name, email })
}

impl Repo {
    fn config_file(&self) -> Result<git2::Config> {
        Ok(git2::Config::open(&self.dir().join("config"))?)
    }

    /// The same for reading; libgit2 looks for itself whether the file has changed.
    fn known_config(&self) -> Option<&git2::Config> {
        match self.config.get() {
            Some(config) => Some(config),
            None => {
                let config = self.config_file().ok()?;
                Some(self.config.get_or_init(|| config))
            }
        }
    }

    /// Writes the store's configuration, attributes and exclusions.
    pub fn configure(&self, bare: bool, exclude: &str) -> Result<()> {
        let mut config = self.config_file()?;
        config.set_bool("core.bare", bare)?;
        for (key, value) in StoreConfig::VALUES {
            config.set_str(key, value)?;
        }
        config.set_i32("kith.format", StoreConfig::FORMAT)?;
        self.write_info("attributes", StoreConfig::ATTRIBUTES)?;
        self.write_info("exclude", exclude)
    }

    /// Names the command that git runs to merge notes (`%O %A %B %P` become its arguments).
    pub fn set_merge_driver(&self, command: &str) -> Result<()> {
        const KEY: &str = "merge.kith.driver";
        if self.config_value(KEY).as_deref() == Some(command) {
            return Ok(());
        }
        self.set_config(KEY, Some(command))
    }

    fn write_info(&self, name: &str, text: &str) -> Result<()> {
        let file = self.dir().join("info").join(name);
        let write = || {
            std::fs::create_dir_all(self.dir().join("info"))?;
            let temp = file.with_extension("tmp");
            std::fs::File::create(&temp).and_then(|mut f| {
                std::io::Write::write_all(&mut f, text.as_bytes())?;
                f.sync_all()
            })?;
            std::fs::rename(&temp, &file)
        };
        write().map_err(|source| GitError::Io { path: file.clone(), source })
    }

    /// One value of the store's own configuration.
    pub fn config_value(&self, key: &str) -> Option<String> {
        self.known_config()?.get_string(key).ok()
    }

    /// Sets one value of the store's own configuration; `None` removes it.
    pub fn set_config(&self, key: &str, value: Option<&str>) -> Result<()> {
        let mut config = self.config_file()?;
        match value {
            Some(value) => config.set_str(key, value)?,
            None => match config.remove(key) {
                Err(e) if e.code() != git2::ErrorCode::NotFound => return Err(e.into()),
                Ok(()) | Err(_) => {}
            },
        }
        Ok(())
    }

    /// The store format recorded in it, 0 when there is none.
    pub fn format(&self) -> i32 {
        self.config_value("kith.format").and_then(|v| v.parse().ok()).unwrap_or(0)
    }
}
