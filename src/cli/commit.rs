//! `kith commit`: captures what changed, and names what was not.

use super::show_paths::{self, HeldLine};
use super::{CommandError, Context};
use crate::guard;
use crate::secrets;
use crate::ui::count;
use crate::vault::{CaptureOptions, Captured};
use serde_json::json;

/// Arguments of `commit`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The message instead of the usual one
    #[arg(short, long, value_name = "MSG")]
    pub message: Option<String>,
}

/// Runs `commit`.
pub fn run(ctx: &Context, args: &Args) -> Result<(), CommandError> {
    let message = args.message.as_deref();
    if let Some(found) = message.and_then(|m| secrets::scan_blocking(m.as_bytes())) {
        return Err(CommandError::refused(format!("the message holds a secret ({})", found.rule))
            .hint("Nothing was committed; say it without."));
    }
    let vault = ctx.vault()?;
    let options = CaptureOptions { message, accept_mass: ctx.global.yes };
    let captured = vault.enter()?.capture(options)?;
    print(ctx, &captured);
    Ok(())
}

fn print(ctx: &Context, captured: &Captured) {
    if ctx.ui.is_json() {
        ctx.ui.json(&json!({
            "commit": captured.commit.map(|id| id.to_string()),
            "changes": show_paths::changes(&captured.changes),
            "held": show_paths::held(&captured.held),
            "busy": show_paths::paths(&captured.busy),
            "restored": show_paths::paths(&captured.restored),
            "parked_branch": captured.parked_branch,
        }));
        return;
    }
    match captured.commit {
        Some(id) => {
            let notes = count(captured.changes.len(), "note");
            ctx.ui.done(&format!("committed {notes} as {}", id.short()));
            for change in &captured.changes {
                ctx.ui.done(&format!(
                    "  {:<8} {}",
                    change.change.as_str(),
                    guard::show(&change.path)
                ));
            }
        }
        None if captured.parked_branch.is_none() => {
            ctx.ui.done("nothing to commit");
        }
        None => {}
    }
    left_over(ctx, captured);
}

/// Names what a capture did not simply take: held, busy, restored, parked.
pub(super) fn left_over(ctx: &Context, captured: &Captured) {
    for held in show_paths::held(&captured.held) {
        ctx.ui.warn(&held_back(&held));
    }
    for path in &captured.busy {
        let path = guard::show(path);
        ctx.ui.warn(&format!("{path} is being written; the next command takes it"));
    }
    for path in &captured.restored {
        let path = guard::show(path);
        ctx.ui.warn(&format!(
            "restored: {path} had been written over by a program that did not know its last \
             version; both are in it now"
        ));
    }
    if let Some(branch) = &captured.parked_branch {
        ctx.ui.warn(&format!(
            "many notes are gone or old at once, so this state is parked on {branch} and the \
             live line is as it was"
        ));
        ctx.ui
            .say("`kith restore .` brings the notes back; `kith commit --yes` accepts the change");
    }
}

/// A held path as a sentence.
pub(super) fn held_back(held: &HeldLine) -> String {
    format!("held back: {}: {}", held.path, held.message)
}
