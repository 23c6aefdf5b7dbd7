//! Where every directory of a project is, and which rule chose it.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::chosen::{chosen, dir_name};
use super::claude::config_dir;
use super::root::canonical_root;
use super::slug::{existing, slug};
use super::{ConfigError, Env, Settings};
use crate::text::nfc;

/// Folders of agent memory: below the base, and below the project.
const AGENTS_USER: &str = "agent-memory";
const AGENTS_PROJECT: &str = ".claude/agent-memory";
const AGENTS_LOCAL: &str = ".claude/agent-memory-local";

/// The directories of one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// Below which all memory lies.
    pub base: PathBuf,
    /// The directory that the work is done in, without symbolic links.
    pub project: PathBuf,
    /// The same as it was named, which may go through symbolic links.
    pub as_given: PathBuf,
    /// The canonical git root, or outside git the project.
    pub root: PathBuf,
    /// The name of the project's folder.
    pub slug: String,
    /// The memory directory, which may not exist yet.
    pub memory_dir: PathBuf,
    /// What chose it.
    pub rule: Rule,
    /// kith's own directory: stores, their state, the registry.
    pub kith_dir: PathBuf,
    /// A name that stands in for every slug of this process.
    pub dir_name: Option<String>,
    /// Choices that were refused, as sentences.
    pub warnings: Vec<String>,
}

/// What chose the memory directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// `--dir`.
    DirFlag,
    /// `CLAUDE_COWORK_MEMORY_PATH_OVERRIDE`.
    CoworkOverride,
    /// `autoMemoryDirectory` of a settings file.
    Setting {
        /// The file.
        file: PathBuf,
    },
    /// The slug of the root.
    Slug,
    /// A folder that differs from the slug by the hash alone and was there already.
    SlugPrefix,
    /// `CLAUDE_CODE_PROJECT_DIR_NAME`.
    ProjectDirName,
}

impl Rule {
    /// A short stable name.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::DirFlag => "dir-flag",
            Self::CoworkOverride => "cowork-override",
            Self::Setting { .. } => "setting",
            Self::Slug => "slug",
            Self::SlugPrefix => "slug-prefix",
            Self::ProjectDirName => "project-dir-name",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DirFlag => f.write_str("named by --dir"),
            Self::CoworkOverride => f.write_str("set by CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"),
            Self::Setting { file } => {
                write!(f, "set by autoMemoryDirectory in {}", file.display())
            }
            Self::Slug => f.write_str("the project's folder, named after its git root"),
            Self::SlugPrefix => {
                f.write_str("the project's folder, found by the start of its long name")
            }
            Self::ProjectDirName => f.write_str("named by CLAUDE_CODE_PROJECT_DIR_NAME"),
        }
    }
}

/// Whose an agent's memory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AgentScope {
    /// The person's, in all projects.
    User,
    /// The project's, versioned by its repository.
    Project,
    /// The person's, in this project.
    Local,
}

impl AgentScope {
    /// The name that `--agent-scope` takes.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
        }
    }
}

impl Places {
    /// Finds the directories of `project` (relative to the current directory, or absolute).
    /// `dir` is a memory directory that the command line names. Nothing is made.
    ///
    /// # Errors
    /// The project does not exist, or no home is known.
    pub fn locate(
        env: &Env,
        settings: &Settings,
        project: &Path,
        dir: Option<&Path>,
    ) -> Result<Self, ConfigError> {
        let as_given = as_given(env, project);
        let project = fs::canonicalize(absolute(env, project))
            .ok()
            .filter(|real| real.is_dir())
            .ok_or_else(|| ConfigError::NoProject { path: project.to_owned() })?;
        let base = nfc_path(base_dir(env).ok_or(ConfigError::NoHome)?);
        let root = canonical_root(&project).unwrap_or_else(|| project.clone());
        let mut warnings = Vec::new();
        let dir_name = dir_name(env, &mut warnings);
        let projects = base.join("projects");
        let own = slug(&root);
        let (slug, rule) = match &dir_name {
            Some(name) => (name.clone(), Rule::ProjectDirName),
            None => {
                let found = existing(&projects, own.clone());
                let rule = if found == own { Rule::Slug } else { Rule::SlugPrefix };
                (found, rule)
            }
        };
        let (memory_dir, rule) = match dir {
            Some(dir) => {
                let dir = absolute(env, dir);
                (fs::canonicalize(&dir).unwrap_or(dir), Rule::DirFlag)
            }
            None => chosen(env, settings, &mut warnings)
                .unwrap_or_else(|| (nfc_path(projects.join(&slug).join("memory")), rule)),
        };
        let kith_dir = base.join("kith");
        Ok(Self {
            base,
            project,
            as_given,
            root,
            slug,
            memory_dir,
            rule,
            kith_dir,
            dir_name,
            warnings,
        })
    }

    /// The team's memory.
    #[must_use]
    pub fn team_dir(&self) -> PathBuf {
        self.memory_dir.join("team")
    }

    /// Where the sessions of the project directory (not of its root) are recorded.
    #[must_use]
    pub fn transcripts_dir(&self) -> PathBuf {
        let projects = self.projects_dir();
        let name = match &self.dir_name {
            Some(name) => name.clone(),
            None => existing(&projects, slug(&self.project)),
        };
        projects.join(name)
    }

    /// Where an agent's memory is or would be.
    #[must_use]
    pub fn agent_dir(&self, scope: AgentScope, name: &str) -> PathBuf {
        self.agents_dir(scope).join(name.replace(':', "-"))
    }

    /// The agents that have a memory, by scope and name.
    #[must_use]
    pub fn agents(&self) -> Vec<(AgentScope, String, PathBuf)> {
        let mut agents = Vec::new();
        for scope in [AgentScope::User, AgentScope::Project, AgentScope::Local] {
            for entry in fs::read_dir(self.agents_dir(scope)).into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                if !name.starts_with('.') && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    agents.push((scope, name, entry.path()));
                }
            }
        }
        agents.sort();
        agents
    }

    pub(super) fn projects_dir(&self) -> PathBuf {
        self.base.join("projects")
    }

    fn agents_dir(&self, scope: AgentScope) -> PathBuf {
        match scope {
            AgentScope::User => self.base.join(AGENTS_USER),
            AgentScope::Project => self.project.join(AGENTS_PROJECT),
            AgentScope::Local => self.project.join(AGENTS_LOCAL),
        }
    }
}

/// The path, made absolute by the current directory; links and dots in it stay.
pub(super) fn absolute(env: &Env, path: &Path) -> PathBuf {
    env.cwd().join(path)
}

/// The project as its user sees it: a shell keeps the way it went through links in `PWD`.
fn as_given(env: &Env, project: &Path) -> PathBuf {
    let seen = env.get("PWD").map(Path::new).filter(|pwd| {
        pwd.is_absolute() && fs::canonicalize(pwd).is_ok_and(|real| real == env.cwd())
    });
    tidy(&seen.unwrap_or(env.cwd()).join(project))
}

fn base_dir(env: &Env) -> Option<PathBuf> {
    match env.get("CLAUDE_CODE_REMOTE_MEMORY_DIR") {
        Some(dir) => Some(absolute(env, Path::new(dir))),
        None => config_dir(env),
    }
}

/// The path without `.` and `..`, as text: links are not asked. `..` above the start of a
/// relative path stays.
pub(super) fn tidy(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => match out.components().next_back() {
                Some(Component::Normal(_)) => {
                    out.pop();
                }
                Some(Component::RootDir | Component::Prefix(_)) => {}
                Some(Component::CurDir | Component::ParentDir) | None => out.push(".."),
            },
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    out
}

/// The path in NFC; one that is not UTF-8 stays as it is.
pub(super) fn nfc_path(path: PathBuf) -> PathBuf {
    match path.as_os_str().to_str().filter(|text| !text.is_ascii()).map(nfc) {
        Some(text) => PathBuf::from(OsStr::new(&text)),
        None => path,
    }
}
