#![allow(clippy::unwrap_used)]

mod places;
mod roots;
mod settings;

use std::fs;
use std::path::{Path, PathBuf};

use super::*;

/// A home with a project in it, and nothing else.
struct World {
    _temp: tempfile::TempDir,
    home: PathBuf,
    project: PathBuf,
    vars: Vec<(String, String)>,
    policy: Option<PathBuf>,
}

impl World {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        // The folder of temporary files is behind a link on some systems.
        let root = fs::canonicalize(temp.path()).unwrap();
        let (home, project) = (root.join("home"), root.join("work/repo"));
        fs::create_dir_all(&home).unwrap();
        fs::create_dir_all(&project).unwrap();
        let vars = vec![("HOME".to_owned(), home.to_str().unwrap().to_owned())];
        Self { _temp: temp, home, project, vars, policy: None }
    }

    fn with(mut self, key: &str, value: impl AsRef<Path>) -> Self {
        self.vars.push((key.to_owned(), value.as_ref().to_str().unwrap().to_owned()));
        self
    }

    fn env(&self) -> Env {
        let vars: Vec<(&str, &str)> = self.vars.iter().map(|(k, v)| (&**k, &**v)).collect();
        let env = Env::fixed(&vars, &self.project);
        match &self.policy {
            Some(file) => env.with_policy(file),
            None => env,
        }
    }

    fn write(&self, path: impl AsRef<Path>, text: &str) -> PathBuf {
        let path = self.home.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn config(&self, text: &str) -> PathBuf {
        self.write(".config/kith/config.yaml", text)
    }

    fn settings(&self) -> Settings {
        Settings::load(&self.env(), &self.project, &[]).unwrap()
    }

    fn places_of(&self, project: &Path) -> Places {
        let settings = Settings::load(&self.env(), project, &[]).unwrap();
        Places::locate(&self.env(), &settings, project, None).unwrap()
    }

    fn places(&self) -> Places {
        self.places_of(&self.project)
    }

    fn usual(&self) -> PathBuf {
        self.home.join(".claude/projects").join(slug(&self.project)).join("memory")
    }

    fn user_directory(&self, value: &str) -> Places {
        let text = serde_json::json!({ "autoMemoryDirectory": value }).to_string();
        self.write(".claude/settings.json", &text);
        self.places()
    }

    fn note(&self, dir: &Path) -> PathBuf {
        let memory = self.home.join(".claude/projects").join(slug(dir)).join("memory");
        self.write(memory.join("note.md"), "a note\n");
        memory
    }
}

/// What `git worktree add` leaves: `tree` is one more work tree of the repository in `common`.
fn add_worktree(common: &Path, tree: &Path) {
    let name = tree.file_name().unwrap();
    let git = common.join("worktrees").join(name);
    fs::create_dir_all(&git).unwrap();
    fs::create_dir_all(tree).unwrap();
    fs::write(git.join("commondir"), "../..\n").unwrap();
    fs::write(git.join("gitdir"), format!("{}\n", tree.join(".git").display())).unwrap();
    fs::write(tree.join(".git"), format!("gitdir: {}\n", git.display())).unwrap();
}
