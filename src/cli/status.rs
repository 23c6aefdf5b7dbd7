//! `kith status`: what changed, what is held back and why, what awaits a person, how far the
//! remote is.

use super::show_paths::{self, ChangeLine, HeldLine};
use super::{CommandError, Context, Kind};
use crate::guard;
use crate::team::{self, Counts, remote_of};
use crate::ui::{Style, count};
use crate::vault::{Quarantined, Store, Survey, SyncState, Vault, VaultError, load_state, refs};
use serde::Serialize;
use std::collections::BTreeSet;

/// Arguments of `status`.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// The state of one store; the keys are the contract's.
#[derive(Debug, Serialize)]
struct Status {
    store: &'static str,
    dir: String,
    dirty: Vec<ChangeLine>,
    held: Vec<HeldLine>,
    busy: Vec<String>,
    parked: Vec<String>,
    parked_branches: Vec<String>,
    frozen: Vec<String>,
    quarantined: Vec<Quarantined>,
    contested: Vec<String>,
    ahead: usize,
    behind: usize,
    proposals: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_sync: Option<String>,
    #[serde(skip)]
    emptied: bool,
    #[serde(skip)]
    has_remote: bool,
}

impl Status {
    /// Whether a person must decide something here.
    fn awaits(&self) -> bool {
        !self.parked.is_empty()
            || !self.frozen.is_empty()
            || !self.quarantined.is_empty()
            || self.proposals > 0
    }
}

/// Runs `status`.
pub fn run(ctx: &Context, _args: &Args) -> Result<(), CommandError> {
    let mut all = vec![of(&ctx.vault()?)?];
    let alone = ctx.global.team || ctx.global.agent.is_some() || ctx.ui.is_json();
    if !alone {
        match Store::open(&ctx.registry, &ctx.places.team_dir()) {
            Ok(store) => all.push(of(&ctx.vault_of(store)?)?),
            Err(VaultError::NoStore { .. }) => {}
            Err(e) => return Err(e.into()),
        }
    }
    for status in &all {
        match ctx.ui.is_json() {
            true => ctx.ui.json(status),
            false => print(ctx, status),
        }
    }
    if ctx.global.exit_code && all.iter().any(Status::awaits) {
        return Err(CommandError::silent(Kind::Awaits));
    }
    Ok(())
}

fn of(vault: &Vault) -> Result<Status, CommandError> {
    let survey = vault.survey()?;
    let store = &vault.store;
    let sync: SyncState = load_state(&store.state_file("sync.json"))?;
    let has_remote = remote_of(&store.repo).is_some();
    let counts = if has_remote { team::counts(vault)? } else { Counts::default() };
    let (parked, parked_branches) = parked(store, &survey)?;
    Ok(Status {
        store: store.kind.as_str(),
        dir: store.dir.to_string_lossy().into_owned(),
        dirty: show_paths::changes(&survey.changes()),
        held: show_paths::held(&survey.held),
        busy: show_paths::paths(&survey.busy),
        parked,
        parked_branches,
        frozen: sync.frozen,
        quarantined: sync.quarantined,
        contested: sync.contested,
        ahead: counts.ahead,
        behind: counts.behind,
        proposals: 0,
        suppressed: sync.suppressed,
        last_sync: sync.last_sync,
        emptied: survey.live == 0 && survey.notes > 0,
        has_remote,
    })
}

/// Paths that wait for a person, and the branches on which whole states wait: of those the paths
/// that are in the directory as they are on the branch.
fn parked(store: &Store, survey: &Survey) -> Result<(Vec<String>, Vec<String>), CommandError> {
    let repo = &store.repo;
    let table = repo.reference(refs::PARKED)?;
    let mut paths: BTreeSet<Vec<u8>> = repo.leaves(table)?.into_keys().collect();
    let dirty: BTreeSet<Vec<u8>> = survey.changes().into_iter().map(|c| c.path).collect();
    let mut branches = Vec::new();
    for (name, tip) in repo.references(refs::PARKED_BRANCHES)? {
        let commit = repo.commit(tip)?;
        let before = repo.tree_of(commit.parents.first().copied())?;
        let changed = repo.diff(before, Some(commit.tree))?;
        let mut here = changed.into_iter().map(|c| c.path).filter(|p| dirty.contains(p)).peekable();
        // A branch outlives what it was made for; it is named while that is still so.
        if here.peek().is_some() {
            branches.push(name.trim_start_matches("refs/heads/").to_string());
        }
        paths.extend(here);
    }
    Ok((paths.iter().map(|p| guard::show(p)).collect(), branches))
}

fn print(ctx: &Context, status: &Status) {
    let ui = &ctx.ui;
    ui.line(&ui.style(Style::Bold, &format!("{} store {}", status.store, status.dir)));
    if status.emptied {
        ui.warn("the directory is empty; `kith restore .` brings its notes back");
    }
    let list = |title: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            ui.line(&format!("  {title}"));
            for line in lines {
                ui.line(&format!("    {line}"));
            }
        }
    };
    let changed = status.dirty.iter().map(|c| format!("{:<8} {}", c.change, c.path)).collect();
    list("changed, taken by the next commit or sync:", changed);
    let held = status.held.iter().map(|h| format!("{}: {}", h.path, h.message)).collect();
    list("held back:", held);
    list("being written, taken next time:", status.busy.clone());
    list("waiting for your word before the team gets it:", status.parked.clone());
    list("states set aside, to be looked at:", status.parked_branches.clone());
    let quarantined =
        status.quarantined.iter().map(|q| format!("{}: {}", q.path, q.reason)).collect();
    list("refused from the remote:", quarantined);
    list("own edits that wait because the remote's entry was refused:", status.frozen.clone());
    list("both texts kept, please look:", status.contested.clone());
    if let Some(why) = &status.suppressed {
        ui.line(&format!("  pushes are suppressed ({why}); `kith push` tries again"));
    }
    let nothing = status.dirty.is_empty() && status.held.is_empty() && status.busy.is_empty();
    if nothing {
        ui.line("  everything is committed");
    }
    if status.has_remote {
        let when = status.last_sync.as_deref().unwrap_or("never");
        let out = count(status.ahead, "note");
        ui.line(&format!("  {out} to send, {} to take in; last sync: {when}", status.behind));
    }
}
