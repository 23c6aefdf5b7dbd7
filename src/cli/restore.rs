//! `kith restore`: brings a note, a folder or everything back as it was.

use super::commit::left_over;
use super::log::{memory_path, revision};
use super::{CommandError, Context};
use crate::ui::count;
use serde_json::json;

/// Arguments of `restore`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A note or folder; `.` for all
    #[arg(value_name = "PATH")]
    path: String,
    /// The commit to take it from. Without it: what the directory has lost, as last committed; else
    /// a removed note in its last version, a changed one as before its last change
    #[arg(long, value_name = "REV")]
    from: Option<String>,
}

/// Runs `restore`.
///
/// # Errors
/// No store, no such version; refused when what would come back holds a secret.
pub fn run(ctx: &Context, args: &Args) -> Result<(), CommandError> {
    let vault = ctx.vault()?;
    let wanted = memory_path(&vault, &args.path)?;
    let from = args.from.as_deref().map(|rev| revision(&vault, rev)).transpose()?;
    let done = vault.restore(&wanted, from)?;
    if ctx.ui.is_json() {
        ctx.ui.json(&json!({
            "from": done.from.map(|id| id.to_string()),
            "commit": done.commit.map(|id| id.to_string()),
            "restored": done.paths,
        }));
        return Ok(());
    }
    let source = done.from.map(|id| format!(" from {}", id.short())).unwrap_or_default();
    if done.paths.is_empty() {
        ctx.ui.say(&format!("nothing to restore: it is as it was{source}"));
    } else {
        let commit = done.commit.map(|id| format!(" as {}", id.short())).unwrap_or_default();
        ctx.ui.line(&format!("restored {}{source}{commit}", count(done.paths.len(), "note")));
        for path in &done.paths {
            ctx.ui.line(&format!("  {path}"));
        }
    }
    if let Some(captured) = &done.captured {
        left_over(ctx, captured);
    }
    Ok(())
}
