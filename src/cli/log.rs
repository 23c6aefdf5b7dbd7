//! `kith log`: the commits of the live line, newest first. Also how a commit's header is put in
//! words and JSON, for `show`, and how a person names a path or a revision.

use super::{CommandError, Context, show_paths};
use crate::git::{CommitInfo, Oid, trailer};
use crate::guard;
use crate::memory::MemoryPath;
use crate::ui::Style;
use crate::vault::{StoreKind, Vault, covers, refs};
use chrono::{DateTime, FixedOffset, SecondsFormat};
use serde::Serialize;
use std::path::Path;

/// Arguments of `log`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only commits that changed this note or folder
    #[arg(value_name = "PATH")]
    path: Option<String>,
    /// Only commits of this session
    #[arg(long, value_name = "ID")]
    by_session: Option<String>,
    /// At most this many
    #[arg(short = 'n', value_name = "N")]
    count: Option<usize>,
}

/// The header of a commit. Every text is safe to show.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Header {
    pub(super) commit: String,
    pub(super) time: String,
    pub(super) author: String,
    pub(super) email: String,
    /// What made it; `None` for a commit that was not kith's.
    pub(super) op: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) turn: Option<String>,
    /// The commit on its author's machine that this one publishes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) local: Option<String>,
    pub(super) subject: String,
}

#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    header: Header,
    paths: Vec<String>,
}

impl Header {
    pub(super) fn of(commit: &CommitInfo) -> Header {
        let safe = |text: &str| guard::show(text.as_bytes());
        let mark = |key| trailer(&commit.message, key).map(safe);
        let when = time_of(commit);
        Header {
            commit: commit.id.to_string(),
            time: when.to_rfc3339_opts(SecondsFormat::Secs, true),
            author: safe(&commit.author.name),
            email: safe(&commit.author.email),
            op: mark("Kith-Op"),
            session: mark("Kith-Session"),
            turn: mark("Kith-Turn"),
            local: mark("Kith-Local"),
            subject: safe(commit.subject()),
        }
    }
}

/// Runs `log`.
///
/// # Errors
/// No store, a path that is none, a history that cannot be read.
pub fn run(ctx: &Context, args: &Args) -> Result<(), CommandError> {
    let vault = ctx.vault()?;
    let repo = &vault.store.repo;
    let wanted = args.path.as_deref().map(|path| memory_path(&vault, path)).transpose()?;
    let Some(tip) = repo.reference(refs::MAIN)? else {
        ctx.ui.say("no commits yet");
        return Ok(());
    };
    let mut shown = 0;
    for id in repo.range(tip, &[])? {
        if args.count.is_some_and(|count| shown >= count) {
            break;
        }
        let commit = repo.commit(id)?;
        let session = trailer(&commit.message, "Kith-Session");
        if args.by_session.is_some() && session != args.by_session.as_deref() {
            continue;
        }
        let mut paths = Vec::new();
        if wanted.is_some() || ctx.ui.is_json() {
            paths = repo.changes_of(&commit)?.into_iter().map(|c| c.path).collect();
        }
        if wanted.as_deref().is_some_and(|w| !paths.iter().any(|path| covers(w, path))) {
            continue;
        }
        shown += 1;
        if !print(ctx, &commit, &paths) {
            break;
        }
    }
    if shown == 0 {
        ctx.ui.say("no such commit");
    }
    Ok(())
}

/// Prints a commit; `false` when nobody reads on.
fn print(ctx: &Context, commit: &CommitInfo, paths: &[Vec<u8>]) -> bool {
    let header = Header::of(commit);
    if ctx.ui.is_json() {
        ctx.ui.json(&Row { header, paths: show_paths::paths(paths) });
        return true;
    }
    let when = ago(time_of(commit), ctx.clock.now());
    let session = header.session.map(|id| format!(" [{id}]")).unwrap_or_default();
    let op = header.op.as_deref().unwrap_or("git");
    let subject = header.subject.strip_prefix(op).and_then(|rest| rest.strip_prefix(": "));
    ctx.ui.line(&format!(
        "{}  {}  {}  {}{session}  {}",
        ctx.ui.style(Style::Id, &commit.id.short()),
        ctx.ui.style(Style::Dim, &format!("{when:<11}")),
        format_args!("{:<12}", header.author),
        format_args!("{:<8}", op),
        subject.unwrap_or(&header.subject),
    ))
}

/// When the change was written, with its author's offset from UTC.
pub(super) fn time_of(commit: &CommitInfo) -> DateTime<FixedOffset> {
    let utc = FixedOffset::east_opt(0).expect("no offset is an offset");
    let offset = FixedOffset::east_opt(commit.author.offset.saturating_mul(60)).unwrap_or(utc);
    DateTime::from_timestamp(commit.author.time, 0).unwrap_or_default().with_timezone(&offset)
}

/// How long ago that is, or the date where it is more than two weeks.
fn ago(then: DateTime<FixedOffset>, now: DateTime<FixedOffset>) -> String {
    let passed = now.signed_duration_since(then);
    match (passed.num_seconds(), passed.num_minutes(), passed.num_hours(), passed.num_days()) {
        (0..60, ..) => "just now".into(),
        (0.., minutes @ 0..60, ..) => format!("{minutes} min ago"),
        (0.., _, hours @ 0..24, _) => format!("{hours} h ago"),
        (0.., _, _, 1) => "1 day ago".into(),
        (0.., _, _, days @ 0..=14) => format!("{days} days ago"),
        (..) => then.format("%Y-%m-%d").to_string(),
    }
}

/// A path as a person writes it, relative to the memory directory or absolute inside it; empty for
/// the directory itself.
pub(super) fn memory_path(vault: &Vault, text: &str) -> Result<String, CommandError> {
    let dir = &vault.store.dir;
    let given = Path::new(text);
    let inside = if given.is_absolute() {
        let parent = given.parent().and_then(|p| std::fs::canonicalize(p).ok());
        let real = parent.zip(given.file_name()).map(|(parent, name)| parent.join(name));
        let found = real.as_deref().and_then(|real| real.strip_prefix(dir).ok());
        let found = found.or_else(|| given.strip_prefix(dir).ok()).map(Path::to_path_buf);
        found.ok_or_else(|| {
            let shown = guard::show(text.as_bytes());
            CommandError::user(format!("{shown} is not in {}", dir.display()))
        })?
    } else {
        given.components().collect()
    };
    let path = inside.to_string_lossy().into_owned();
    if path.is_empty() || path == "." {
        return Ok(String::new());
    }
    if vault.store.kind == StoreKind::Private && covers("team", path.as_bytes()) {
        let shown = guard::show(path.as_bytes());
        return Err(CommandError::user(format!("{shown} belongs to the team store"))
            .hint("Use --team and the path inside team/."));
    }
    match MemoryPath::new(&path) {
        Ok(path) => Ok(path.as_str().to_string()),
        Err(e) => Err(CommandError::user(e.to_string())),
    }
}

/// The commit that a revision names.
pub(super) fn revision(vault: &Vault, text: &str) -> Result<Oid, CommandError> {
    vault.store.repo.resolve(text).map_err(|_| {
        let shown = guard::show(text.as_bytes());
        CommandError::user(format!("`{shown}` names no commit of this store"))
            .hint("`kith log` lists them.")
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn times_are_told_by_how_long_ago_they_were_and_old_ones_by_their_date() {
        let now = DateTime::parse_from_rfc3339("2026-03-20T12:00:00+01:00").unwrap();
        let told = |text| ago(DateTime::parse_from_rfc3339(text).unwrap(), now);
        assert_eq!(told("2026-03-20T11:59:30+01:00"), "just now");
        assert_eq!(told("2026-03-20T10:15:00+00:00"), "45 min ago");
        assert_eq!(told("2026-03-20T01:00:00+01:00"), "11 h ago");
        assert_eq!(told("2026-03-19T11:00:00+01:00"), "1 day ago");
        assert_eq!(told("2026-03-10T12:00:00+01:00"), "10 days ago");
        assert_eq!(told("2026-01-02T12:00:00+01:00"), "2026-01-02");
        assert_eq!(told("2026-03-21T12:00:00+01:00"), "2026-03-21", "a clock that runs ahead");
    }
}
