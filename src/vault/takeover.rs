//! Taking over a `.git` directory that a person made in a memory directory: only an ordinary
//! repository of that directory alone.

use super::{Result, VaultError, io_at};
use crate::git::Repo;
use std::path::Path;

/// Moves an ordinary `.git` directory to `target` and puts its branch on the live line. `false`
/// when there is none.
pub(super) fn take_git_dir(dir: &Path, target: &Path) -> Result<bool> {
    let git = dir.join(".git");
    let Ok(meta) = std::fs::symlink_metadata(&git) else { return Ok(false) };
    let refuse =
        |why: &str| Err(VaultError::ForeignGit { dir: dir.to_path_buf(), why: why.to_string() });
    if meta.is_file() {
        return refuse(
            "its .git file belongs to another repository (a worktree, a submodule or a store whose \
             registry is gone)",
        );
    }
    if !meta.is_dir() {
        return refuse("its .git is neither a file nor a directory");
    }
    const ODD: [(&str, &str); 5] = [
        ("commondir", "its .git is a worktree of another repository"),
        ("worktrees", "its repository has further worktrees"),
        ("modules", "its repository has submodules"),
        ("objects/info/alternates", "its repository borrows objects from another"),
        ("reftable", "its repository keeps its refs in a reftable"),
    ];
    if let Some((_, why)) = ODD.iter().find(|(file, _)| git.join(file).exists()) {
        return refuse(why);
    }
    let repo = Repo::open(&git)?;
    if repo.config_value("core.worktree").is_some() {
        return refuse("its repository has its work tree elsewhere");
    }
    if repo.config_value("core.bare").as_deref() == Some("true") {
        return refuse("its repository is bare");
    }
    if let Some(operation) = repo.open_operation() {
        return Err(VaultError::OpenOperation { operation });
    }
    let Some(branch) = repo.head_branch()? else {
        return refuse("its HEAD is detached");
    };
    let (tip, main) = (repo.reference(&branch)?, repo.reference(super::refs::MAIN)?);
    if branch != super::refs::MAIN && main.is_some() && main != tip {
        return refuse("it is on another branch and has a main branch too");
    }
    repo.put_head_on_main(tip, main)?;
    drop(repo);
    std::fs::rename(&git, target).map_err(io_at(&git))?;
    Ok(true)
}
