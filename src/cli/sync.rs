//! `kith pull`, `push` and `sync`: the team store, and the private one where it has a remote.

use super::asking::{self, Readers};
use super::commit::held_back;
use super::{CommandError, Context, Kind};
use crate::secrets;
use crate::team::{self, HeldRow, Outbox, Report, TeamError, Trouble, remote_of};
use crate::ui::count;
use crate::vault::{Store, Vault, VaultError};
use serde_json::{Value, json};

/// Arguments of `pull`, `push` and `sync`.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs `pull`.
pub fn pull(ctx: &Context, _args: &Args) -> Result<(), CommandError> {
    all(ctx, false)
}

/// Runs `push`: what the remote has is taken in first, or nothing could be sent on top of it.
pub fn push(ctx: &Context, _args: &Args) -> Result<(), CommandError> {
    all(ctx, true)
}

/// Runs `sync`.
pub fn run(ctx: &Context, _args: &Args) -> Result<(), CommandError> {
    all(ctx, true)
}

fn all(ctx: &Context, push: bool) -> Result<(), CommandError> {
    let mut failed: Option<CommandError> = None;
    for vault in vaults(ctx)? {
        if let Err(e) = one(ctx, &vault, push) {
            // Both are said; the end is that of the first, which is the team's.
            match &failed {
                Some(_) => ctx.ui.error(&e.message, &e.hints),
                None => failed = Some(e),
            }
        }
    }
    failed.map_or(Ok(()), Err)
}

/// The stores to sync: an agent's where one is named, else the team's first, then the private one.
fn vaults(ctx: &Context) -> Result<Vec<Vault>, CommandError> {
    if ctx.global.agent.is_some() || ctx.global.team {
        return Ok(vec![ctx.vault()?]);
    }
    let mut found = Vec::new();
    match Store::open(&ctx.registry, &ctx.places.team_dir()) {
        Ok(store) => found.push(ctx.vault_of(store)?),
        Err(VaultError::NoStore { .. }) => {}
        Err(e) => return Err(e.into()),
    }
    let private = ctx.vault();
    match private {
        Ok(vault) if remote_of(&vault.store.repo).is_some() => found.push(vault),
        Ok(_) if found.is_empty() => return Err(TeamError::NoRemote { kind: "team" }.into()),
        Ok(_) => {}
        Err(_) if !found.is_empty() => {}
        Err(e) => return Err(e),
    }
    Ok(found)
}

/// Syncs one store, with or without sending, and prints what came of it.
pub(super) fn one(ctx: &Context, vault: &Vault, push: bool) -> Result<(), CommandError> {
    let repo = &vault.store.repo;
    let kind = vault.store.kind.as_str();
    let remote = remote_of(repo).ok_or(TeamError::NoRemote { kind })?;
    let readers = if push { asking::readers(ctx, repo, &remote.url)? } else { Readers::Settled };
    let push = push && readers == Readers::Settled;
    let report = team::sync(vault, &ctx.sync_options(push))?;
    match ctx.ui.is_json() {
        true => ctx.ui.json(&object(kind, &report)),
        false => print(ctx, kind, &report),
    }
    verdict(ctx, kind, &report, readers)
}

fn object(kind: &str, report: &Report) -> Value {
    let mut value = serde_json::to_value(report).expect("a report has string keys only");
    value["store"] = json!(kind);
    if let Some(trouble) = &report.trouble {
        let (code, why) = words(trouble);
        value["trouble"] = json!({ "code": code, "message": secrets::redact(&why) });
    }
    value
}

fn words(trouble: &Trouble) -> (&'static str, String) {
    match trouble {
        Trouble::Unreachable(why) => ("unreachable", why.clone()),
        Trouble::Refused(code, why) => (*code, why.clone()),
        Trouble::Vanished(name) => ("vanished", format!("the remote no longer has {name}")),
        Trouble::Contended => ("contended", "too many others push at the same time".to_string()),
    }
}

/// How the command ends: leaks weigh more than trouble, since they never go away by waiting.
/// Whether something of it is a person's to decide.
fn awaits(report: &Report) -> bool {
    !(report.parked.is_empty() && report.frozen.is_empty() && report.quarantined.is_empty())
        || report.parked_branch.is_some()
}

fn verdict(
    ctx: &Context,
    kind: &str,
    report: &Report,
    readers: Readers,
) -> Result<(), CommandError> {
    if !report.leaks.is_empty() {
        return Err(leaks(report));
    }
    if readers == Readers::Everybody {
        let message =
            format!("everybody can read the remote of the {kind} store, so nothing was sent");
        let flag = if kind == "team" { "--team-url" } else { "--url" };
        return Err(CommandError::refused(message)
            .hint("Close the repository to strangers and try again.")
            .hint(format!("If that is meant, `kith init {flag} URL --public` says so.")));
    }
    match &report.trouble {
        None if readers == Readers::Unknown => {
            let message = format!(
                "whether everybody can read the remote of the {kind} store is not known yet, so \
                 nothing was sent"
            );
            Err(CommandError::unreachable(message).hint("Try again when the remote answers."))
        }
        None if ctx.global.exit_code && awaits(report) => Err(CommandError::silent(Kind::Awaits)),
        None => Ok(()),
        Some(trouble) => Err(troubled(kind, report, trouble)),
    }
}

fn leaks(report: &Report) -> CommandError {
    let place = |row: &HeldRow| {
        let commit = row.commit.as_deref().map(|c| c.get(..10).unwrap_or(c)).unwrap_or("a commit");
        let rule = row.rule.as_deref().unwrap_or(row.reason);
        format!("{} in {commit} ({rule})", row.path)
    };
    let places: Vec<String> = report.leaks.iter().map(place).collect();
    let what = count(places.len(), "secret");
    CommandError::refused(format!("{what} in local commits stayed here: {}", places.join(", ")))
        .hint("Everything else was sent. Take the secret out of the note and the note goes too.")
        .hint("Change the secret where it is used: it is written in this machine's history.")
}

fn troubled(kind: &str, report: &Report, trouble: &Trouble) -> CommandError {
    let (_, why) = words(trouble);
    let error = match trouble {
        Trouble::Unreachable(_) => {
            CommandError::unreachable(format!("the {kind} remote cannot be reached: {why}"))
        }
        Trouble::Refused(code, _) => {
            let error = CommandError::unreachable(format!("the {kind} remote refused: {why}"));
            match *code {
                "auth" => error.hint(
                    "Give git the credentials (a credential helper, an ssh key); `git ls-remote \
                     URL` must work without a question.",
                ),
                "no_repo" => error.hint("Look at the URL that `kith where` shows."),
                _ => error.hint("The server's own rules decide there; ask who runs it."),
            }
        }
        Trouble::Vanished(_) => CommandError::unreachable(why).hint(
            "It is not made again unasked: somebody may have removed it on purpose. Find out, then \
             name the remote anew with `kith init`.",
        ),
        Trouble::Contended => CommandError::unreachable(why),
    };
    match report.outbox {
        Outbox::Waiting => {
            error.hint("Everything is committed here; the next `kith sync` sends it.")
        }
        Outbox::None | Outbox::Integrated => error.hint("Everything is committed here."),
    }
}

fn print(ctx: &Context, kind: &str, report: &Report) {
    let ui = &ctx.ui;
    let mut done = Vec::new();
    for (n, what) in
        [(report.pulled, "came in"), (report.pushed, "went out"), (report.merged, "merged")]
    {
        if n > 0 {
            done.push(format!("{} {what}", count(n, "note")));
        }
    }
    match done.is_empty() {
        false => {
            ui.done(&format!("{kind}: {}", done.join(", ")));
        }
        true if report.trouble.is_none() => {
            ui.done(&format!("{kind}: nothing new on either side"));
        }
        true => {}
    }
    for held in report.held.iter().chain(&report.capped) {
        ui.warn(&held_back(held));
    }
    for entry in &report.quarantined {
        ui.warn(&format!("refused from the remote: {}: {}", entry.path, entry.reason));
    }
    let each = |paths: &[String], what: &str| {
        for path in paths {
            ui.warn(&format!("{path} {what}"));
        }
    };
    each(&report.contested, "was changed on both sides in one place; both texts are in it");
    each(&report.frozen, "waits: the remote's entry of that name was refused");
    each(
        &report.parked,
        "waits here: `kith restore --team` brings it back, the setting team.push=full sends it",
    );
    each(
        &report.restored,
        "had been written over by a program that did not know its last version; both are in it now",
    );
    each(&report.busy, "is being written; the next sync takes it");
    if let Some(branch) = &report.parked_branch {
        ui.warn(&format!(
            "many notes are gone or old at once: this state is parked on {branch}; `kith restore .` \
             brings the notes back, `kith commit --yes` accepts the change"
        ));
    }
}
