//! `kith git`: plain git on the store, wherever its git directory is.

use super::{CommandError, Context, Kind};
use crate::git::Git;
use crate::vault::VaultError;
use std::path::Path;

/// Arguments of `git`.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub struct Args {
    /// What git is told
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    pub args: Vec<String>,
}

/// Runs git in the memory directory and ends with its code.
pub fn run(ctx: &Context, args: &Args) -> Result<(), CommandError> {
    let vault = ctx.vault()?;
    let store = &vault.store;
    if !store.dir.is_dir() {
        return Err(VaultError::Absent { dir: store.dir.clone() }.into());
    }
    let git = Git {
        git_dir: Some(store.repo.dir().to_path_buf()),
        work_tree: Some(store.dir.clone()),
        cwd: store.dir.clone(),
    };
    let path = Path::new(ctx.env.get("PATH").unwrap_or_default());
    match git.interactive(&args.args, path)? {
        0 => Ok(()),
        code => Err(CommandError::silent(Kind::Passed(u8::try_from(code).unwrap_or(u8::MAX)))),
    }
}
