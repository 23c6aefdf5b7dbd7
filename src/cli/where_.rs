//! `kith where`: every directory of this project, and the rule that chose it.

use super::{CommandError, Context};
use crate::secrets;
use crate::team::remote_of;
use crate::ui::Style;
use crate::vault::{Store, VaultError};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Arguments of `where`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Give a copied directory a store of its own, with the history
    #[arg(long, value_name = "DIR")]
    pub adopt: Option<PathBuf>,
}

/// What is known of a directory's store.
struct Found {
    git_dir: Option<String>,
    remote: Option<String>,
    note: String,
}

/// Runs `where`.
pub fn run(ctx: &Context, args: &Args) -> Result<(), CommandError> {
    if let Some(dir) = &args.adopt {
        return adopt(ctx, &ctx.env.cwd().join(dir));
    }
    let private = look(ctx, &ctx.places.memory_dir)?;
    let team = look(ctx, &ctx.places.team_dir())?;
    match ctx.ui.is_json() {
        true => ctx.ui.json(&object(ctx, &private, &team)),
        false => text(ctx, &private, &team),
    }
    Ok(())
}

fn adopt(ctx: &Context, dir: &Path) -> Result<(), CommandError> {
    let store = Store::adopt(&ctx.registry, dir, ctx.seed())?;
    let git_dir = shown(store.repo.dir());
    if ctx.ui.is_json() {
        ctx.ui.json(&json!({ "dir": shown(&store.dir), "git_dir": git_dir }));
    } else {
        ctx.ui.done(&format!("{} has its own store: {git_dir}", shown(&store.dir)));
    }
    Ok(())
}

fn look(ctx: &Context, dir: &Path) -> Result<Found, CommandError> {
    let none = |note: String| Found { git_dir: None, remote: None, note };
    match Store::open(&ctx.registry, dir) {
        Ok(store) => Ok(Found {
            git_dir: Some(shown(store.repo.dir())),
            remote: remote_of(&store.repo).map(|r| secrets::redact(&r.url).into_owned()),
            note: String::new(),
        }),
        Err(VaultError::NoStore { .. }) => Ok(none("no store yet".into())),
        Err(
            e @ (VaultError::Copied { .. }
            | VaultError::Replaced { .. }
            | VaultError::NewerFormat { .. }),
        ) => Ok(none(e.to_string())),
        Err(e) => Err(e.into()),
    }
}

fn object(ctx: &Context, private: &Found, team: &Found) -> Value {
    let places = &ctx.places;
    let agents = places.agents();
    let agents = agents.iter().map(
        |(scope, name, dir)| json!({ "name": name, "scope": scope.as_str(), "dir": shown(dir) }),
    );
    let strays = places.strays();
    let strays = strays.iter().map(|s| json!({ "path": shown(&s.path), "why": s.why }));
    json!({
        "memory_dir": shown(&places.memory_dir),
        "rule": places.rule.as_str(),
        "git_dir": private.git_dir,
        "remote": private.remote,
        "team": {
            "dir": shown(&places.team_dir()),
            "git_dir": team.git_dir,
            "remote": team.remote,
        },
        "strays": strays.collect::<Vec<_>>(),
        "agents": agents.collect::<Vec<_>>(),
        "transcripts": shown(&places.transcripts_dir()),
        "project": shown(&places.project),
        "root": shown(&places.root),
    })
}

fn text(ctx: &Context, private: &Found, team: &Found) {
    let places = &ctx.places;
    let row = |name: &str, value: &str| {
        ctx.ui.line(&format!("{} {value}", ctx.ui.style(Style::Bold, &format!("{name:<12}"))));
    };
    row("memory", &format!("{} ({})", shown(&places.memory_dir), places.rule));
    row("store", private.git_dir.as_deref().unwrap_or(&private.note));
    if let Some(remote) = &private.remote {
        row("remote", remote);
    }
    row("team", &shown(&places.team_dir()));
    row("team store", team.git_dir.as_deref().unwrap_or(&team.note));
    row("team remote", team.remote.as_deref().unwrap_or("none"));
    for (scope, name, dir) in places.agents() {
        row("agent", &format!("{} ({name}, {})", shown(&dir), scope.as_str()));
    }
    row("transcripts", &shown(&places.transcripts_dir()));
    for stray in places.strays() {
        row("stray", &format!("{} ({})", shown(&stray.path), stray.why));
    }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
