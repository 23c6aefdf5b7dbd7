//! `kith diff`: what a commit would take, or what differs between two commits.

use super::commit::held_back;
use super::log::revision;
use super::show::FileDiff;
use super::{CommandError, Context, show_paths};
use crate::guard;
use crate::vault::{Vault, refs};

/// Arguments of `diff`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The older commit; without any, the live directory is compared with the last commit
    #[arg(value_name = "A")]
    old: Option<String>,
    /// The newer commit; without it, the last one
    #[arg(value_name = "B")]
    new: Option<String>,
}

/// Runs `diff`.
///
/// # Errors
/// No store, no such commit.
pub fn run(ctx: &Context, args: &Args) -> Result<(), CommandError> {
    let vault = ctx.vault()?;
    let diffs = match &args.old {
        None => live(ctx, &vault)?,
        Some(old) => {
            let repo = &vault.store.repo;
            let new = match &args.new {
                Some(new) => Some(revision(&vault, new)?),
                None => repo.reference(refs::MAIN)?,
            };
            let old = repo.tree_of(Some(revision(&vault, old)?))?;
            let changes = repo.diff(old, repo.tree_of(new)?)?;
            changes.iter().map(|c| FileDiff::of(repo, c)).collect::<Result<Vec<_>, _>>()?
        }
    };
    if diffs.is_empty() {
        ctx.ui.say("nothing differs");
    }
    for diff in &diffs {
        if ctx.ui.is_json() {
            ctx.ui.json(diff);
        } else {
            diff.print(&ctx.ui);
        }
    }
    Ok(())
}

/// What a commit would take. What it would not take is named.
fn live(ctx: &Context, vault: &Vault) -> Result<Vec<FileDiff>, CommandError> {
    let survey = vault.survey()?;
    for held in show_paths::held(&survey.held) {
        ctx.ui.warn(&held_back(&held));
    }
    for path in &survey.busy {
        ctx.ui.warn(&format!("{} is being written; the next command takes it", guard::show(path)));
    }
    let changes = vault.live_changes(&survey)?;
    let diffs = changes
        .iter()
        .map(|c| FileDiff::between(&c.path, c.change, (c.old.as_deref(), c.new.as_deref())));
    diffs.collect()
}
