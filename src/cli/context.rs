//! What every command gets: printing, settings, directories, the clock, and the way to a store.
//! Made once for a run; the environment is read here, by `Env`, and nowhere later.

use super::args::Global;
use super::error::CommandError;
use crate::config::{AgentScope, Env, Places, Settings};
use crate::git::{self, Identity};
use crate::team::SyncOptions;
use crate::ui::{Options, Ui};
use crate::vault::{
    Author, Clock, Events, Registry, Store, StoreKind, Vault, VaultError, known_author,
};
use chrono::DateTime;
use std::path::{Path, PathBuf};

/// What a command works with.
pub struct Context {
    /// Printing.
    pub ui: Ui,
    /// The environment as it was at the start.
    pub env: Env,
    /// Every setting.
    pub settings: Settings,
    /// Every directory.
    pub places: Places,
    /// The time.
    pub clock: Clock,
    /// The flags that every command has.
    pub global: Global,
    /// Which directory has which store.
    pub registry: Registry,
    /// The event log.
    pub events: Events,
}

impl Context {
    /// A context for these flags in this environment.
    ///
    /// # Errors
    /// Settings or fixed values that cannot be read, a project that is not there.
    pub fn new(env: Env, global: Global) -> Result<Context, CommandError> {
        let ui = ui(&env, &global);
        let project = env.cwd().join(&global.project);
        let settings = Settings::load(&env, &project, &[])?;
        let mut places = Places::locate(&env, &settings, &global.project, global.dir.as_deref())?;
        let clock = clock(&env)?;
        let registry = Registry::new(&places.kith_dir);
        // Inside a memory directory that one is meant, not a project of that name.
        if global.dir.is_none() && places.project.starts_with(&places.base) {
            let around = registry
                .all()?
                .into_iter()
                .find(|row| row.kind == StoreKind::Private && places.project.starts_with(&row.dir));
            if let Some(row) = around {
                places = Places::locate(&env, &settings, &global.project, Some(&row.dir))?;
            }
        }
        let events = Events::new(&places.kith_dir);
        Ok(Context { ui, env, settings, places, clock, global, registry, events })
    }

    /// The memory directory that the flags select: the private one, the team's, or an agent's.
    ///
    /// # Errors
    /// An agent that has no memory, or one in several scopes.
    pub fn dir(&self) -> Result<PathBuf, CommandError> {
        match &self.global.agent {
            Some(name) => self.agent_dir(name),
            None if self.global.team => Ok(self.places.team_dir()),
            None => Ok(self.places.memory_dir.clone()),
        }
    }

    /// What the selected directory holds.
    pub fn kind(&self) -> StoreKind {
        match &self.global.agent {
            Some(_) => StoreKind::Agent,
            None if self.global.team => StoreKind::Team,
            None => StoreKind::Private,
        }
    }

    /// The store that the flags select.
    ///
    /// # Errors
    /// Those of [`Store::open`], and of [`Context::dir`].
    pub fn vault(&self) -> Result<Vault, CommandError> {
        match Store::open(&self.registry, &self.dir()?) {
            Ok(store) => self.vault_of(store),
            Err(e @ VaultError::NoStore { .. }) if self.global.team => {
                Err(CommandError::user(e.to_string())
                    .hint("`kith init --team-url URL` joins the team's, or makes it."))
            }
            Err(e) => Err(e.into()),
        }
    }

    /// The store of a directory.
    ///
    /// # Errors
    /// Those of [`Store::open`].
    pub fn vault_at(&self, dir: &Path) -> Result<Vault, CommandError> {
        self.vault_of(Store::open(&self.registry, dir)?)
    }

    /// A vault on an open store.
    ///
    /// # Errors
    /// An author in `KITH_AUTHOR` that is none.
    pub fn vault_of(&self, store: Store) -> Result<Vault, CommandError> {
        Ok(Vault {
            store,
            author: self.author()?,
            clock: self.clock.clone(),
            events: self.events.clone(),
        })
    }

    /// The seed of ids, in tests.
    pub fn seed(&self) -> Option<&str> {
        self.env.get("KITH_SEED")
    }

    /// What a sync is asked to do, by the settings.
    pub fn sync_options(&self, push: bool) -> SyncOptions {
        SyncOptions {
            push,
            mode: self.settings.team_push(),
            timeout: self.settings.network_timeout(),
            retries: u32::try_from(self.settings.network_retries()).unwrap_or(u32::MAX),
            project: self.places.project.clone(),
        }
    }

    /// Who commits: the fixed author of tests, git's own variables, the project's configuration,
    /// else the user of this machine.
    fn author(&self) -> Result<Author, CommandError> {
        if let Some(author) = self.env.get("KITH_AUTHOR") {
            let identity = parse_author(author).ok_or_else(|| {
                CommandError::user("KITH_AUTHOR must be of the form `Name <address>`")
            })?;
            return Ok(known_author(identity));
        }
        let get = |key| self.env.get(key).map(str::to_string);
        let user = get("USER").or_else(|| get("LOGNAME")).unwrap_or_else(|| "kith".into());
        let (name, email) = (get("GIT_AUTHOR_NAME"), get("GIT_AUTHOR_EMAIL"));
        let project = self.places.project.clone();
        Ok(Author::new(Box::new(move || {
            let known = git::identity(&project);
            let (known_name, known_email) = known.map(|k| (k.name, k.email)).unzip();
            let email = email.or(known_email).and_then(|email| signable(&email));
            Identity {
                email: email.unwrap_or_else(|| format!("{user}@localhost")),
                name: name.or(known_name).and_then(|name| signable(&name)).unwrap_or(user),
            }
        })))
    }

    fn agent_dir(&self, name: &str) -> Result<PathBuf, CommandError> {
        let scope = self.global.agent_scope.map(AgentScope::from);
        if let Some(scope) = scope {
            return Ok(self.places.agent_dir(scope, name));
        }
        let folder = name.replace(':', "-");
        let known = self.places.agents();
        let found: Vec<_> = known.iter().filter(|(_, n, _)| *n == folder).collect();
        match found.as_slice() {
            [(_, _, dir)] => Ok(dir.clone()),
            [] => Err(CommandError::user(format!("no agent {name:?} has a memory here"))
                .hint("`kith where` lists the agents; --agent-scope names a new one's place.")),
            _ => Err(CommandError::user(format!("the agent {name:?} has several memories"))
                .hint("Say which with --agent-scope user, project or local.")),
        }
    }
}

/// How this run prints.
pub(super) fn ui(env: &Env, global: &Global) -> Ui {
    Ui::new(Options {
        json: global.json,
        quiet: global.quiet,
        verbose: global.verbose,
        colour: global.color.into(),
        no_colour: env.get("NO_COLOR").is_some() || env.get("TERM") == Some("dumb"),
    })
}

fn clock(env: &Env) -> Result<Clock, CommandError> {
    match env.get("KITH_NOW") {
        None => Ok(Clock::system()),
        Some(text) => match DateTime::parse_from_rfc3339(text) {
            Ok(at) => Ok(Clock::fixed(at)),
            Err(_) => {
                Err(CommandError::user("KITH_NOW must be a time such as 2026-03-01T10:00:00Z"))
            }
        },
    }
}

/// A name or address as a commit can carry it: git allows no angle brackets and no line breaks.
fn signable(text: &str) -> Option<String> {
    let clean = text.replace(|c: char| "<>".contains(c) || c.is_control(), "");
    Some(clean.trim().to_string()).filter(|text| !text.is_empty())
}

/// Reads `Name <address>`.
fn parse_author(text: &str) -> Option<Identity> {
    let (name, rest) = text.split_once('<')?;
    let (email, _) = rest.split_once('>')?;
    let (name, email) = (name.trim(), email.trim());
    (!name.is_empty() && !email.is_empty())
        .then(|| Identity { name: name.to_string(), email: email.to_string() })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_author_is_a_name_and_an_address() {
        let found = parse_author("Ana Lima <ana@example.com>").unwrap();
        assert_eq!((&*found.name, &*found.email), ("Ana Lima", "ana@example.com"));
        for bad in ["Ana", "<ana@example.com>", "Ana <>", "Ana ana@example.com"] {
            assert!(parse_author(bad).is_none(), "{bad}");
        }
    }
}
