//! `kith revert`: undoes a commit by a new one.

use super::commit::left_over;
use super::log::revision;
use super::{CommandError, Context, show_paths};
use crate::ui::count;
use serde_json::json;

/// Arguments of `revert`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The commit to undo
    #[arg(value_name = "REV")]
    revision: String,
}

/// Runs `revert`.
///
/// # Errors
/// No store, no such commit; refused when what would come back holds a secret.
pub fn run(ctx: &Context, args: &Args) -> Result<(), CommandError> {
    let vault = ctx.vault()?;
    let id = revision(&vault, &args.revision)?;
    let done = vault.revert(id)?;
    if ctx.ui.is_json() {
        ctx.ui.json(&json!({
            "reverted": id.to_string(),
            "commit": done.commit.map(|id| id.to_string()),
            "paths": done.paths,
            "contested": done.contested,
            "kept": done.kept,
            "skipped": show_paths::paths(&done.skipped),
        }));
        return Ok(());
    }
    match done.commit {
        Some(commit) => {
            let notes = count(done.paths.len(), "note");
            ctx.ui.line(&format!("undid {} in {notes} as {}", id.short(), commit.short()));
            for path in &done.paths {
                ctx.ui.line(&format!("  {path}"));
            }
        }
        None => ctx.ui.say(&format!("nothing of {} is left to undo", id.short())),
    }
    for path in &done.kept {
        ctx.ui.warn(&format!("{path} stays: it was edited after that commit"));
    }
    for path in &done.contested {
        ctx.ui.warn(&format!("{path} was edited in the same place since: both texts are in it"));
    }
    for path in show_paths::paths(&done.skipped) {
        ctx.ui.warn(&format!("{path} is no note and stays as it is"));
    }
    left_over(ctx, &done.captured);
    Ok(())
}
