//! `kith show`: a commit with its patch, or a note as it was. Also how a patch is printed, for
//! `diff`. What is printed holds no secret and no character that drives a terminal.

use super::log::{Header, memory_path, revision};
use super::{CommandError, Context};
use crate::git::{Changed, CommitInfo, Leaf, Patch, Repo, patch};
use crate::guard;
use crate::secrets;
use crate::ui::{Style, Ui};
use crate::vault::{Change, Vault};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Write;

/// Arguments of `show`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A commit, or COMMIT:PATH for a note as it was there
    #[arg(value_name = "REV", default_value = "HEAD")]
    revision: String,
}

/// The change of one path. Every text is safe to show.
#[derive(Debug, Serialize)]
pub(super) struct FileDiff {
    path: String,
    change: &'static str,
    /// In unified form; empty where there is no text to compare.
    patch: String,
    /// Why there is no patch, or not all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    remark: Option<&'static str>,
}

#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    header: Header,
    message: String,
    parents: Vec<String>,
    changes: Vec<FileDiff>,
}

/// Runs `show`.
///
/// # Errors
/// No store, no such commit or note.
pub fn run(ctx: &Context, args: &Args) -> Result<(), CommandError> {
    let vault = ctx.vault()?;
    if let Some((rev, path)) = args.revision.split_once(':').filter(|(rev, _)| !rev.is_empty()) {
        return show_note(ctx, &vault, rev, path);
    }
    let repo = &vault.store.repo;
    let commit = repo.commit(revision(&vault, &args.revision)?)?;
    let changes = repo.changes_of(&commit)?;
    let changes = changes.iter().map(|change| FileDiff::of(repo, change));
    let changes: Vec<FileDiff> = changes.collect::<Result<_, _>>()?;
    if ctx.ui.is_json() {
        ctx.ui.json(&Shown {
            header: Header::of(&commit),
            message: secrets::redact(&commit.message).into_owned(),
            parents: commit.parents.iter().map(ToString::to_string).collect(),
            changes,
        });
    } else {
        print_header(&ctx.ui, &commit);
        for change in &changes {
            change.print(&ctx.ui);
        }
    }
    Ok(())
}

/// The bytes of a note as it was; a secret in them is taken out.
fn show_note(ctx: &Context, vault: &Vault, rev: &str, path: &str) -> Result<(), CommandError> {
    let repo = &vault.store.repo;
    let path = memory_path(vault, path)?;
    let tree = repo.tree_of(Some(revision(vault, rev)?))?;
    let Some(leaf) = repo.leaf(tree, path.as_bytes())?.filter(Leaf::is_file) else {
        let (path, rev) = (guard::show(path.as_bytes()), guard::show(rev.as_bytes()));
        return Err(CommandError::user(format!("{path} is no note of {rev}"))
            .hint(format!("`kith log {path}` lists the commits that changed it.")));
    };
    let bytes = repo.blob(leaf.id)?;
    if secrets::scan(&bytes).is_empty() {
        ctx.ui.raw(&bytes);
    } else {
        ctx.ui.raw(secrets::redact(&String::from_utf8_lossy(&bytes)).as_bytes());
    }
    Ok(())
}

fn print_header(ui: &Ui, commit: &CommitInfo) {
    let header = Header::of(commit);
    ui.line(&ui.style(Style::Id, &format!("commit {}", header.commit)));
    if commit.parents.len() > 1 {
        let parents: Vec<String> = commit.parents.iter().map(|p| p.short()).collect();
        ui.line(&format!("Merge:  {}", parents.join(" ")));
    }
    ui.line(&format!("Author: {} <{}>", header.author, header.email));
    ui.line(&format!("Date:   {}", header.time));
    ui.line("");
    for line in secrets::redact(&commit.message).trim_end().lines() {
        ui.line(format!("    {}", visible(line)).trim_end());
    }
}

impl FileDiff {
    /// The change between two entries.
    pub(super) fn of(repo: &Repo, changed: &Changed) -> Result<FileDiff, CommandError> {
        let read = |leaf: Option<Leaf>| match leaf {
            Some(leaf) if leaf.is_file() => repo.blob(leaf.id).map(Some),
            Some(_) | None => Ok(None),
        };
        let (old, new) = (read(changed.old)?, read(changed.new)?);
        let change = match (changed.old, changed.new) {
            (None, _) => Change::Added,
            (Some(_), None) => Change::Deleted,
            (Some(_), Some(_)) => Change::Edited,
        };
        let mut diff = FileDiff::between(&changed.path, change, (old.as_deref(), new.as_deref()))?;
        if [changed.old, changed.new].into_iter().flatten().any(|leaf| !leaf.is_file()) {
            diff.remark = Some("not a plain file");
        } else if diff.patch.is_empty() && old == new {
            diff.remark = Some("its mode changed");
        }
        Ok(diff)
    }

    /// The change between two texts.
    pub(super) fn between(
        path: &[u8],
        change: Change,
        (old, new): (Option<&[u8]>, Option<&[u8]>),
    ) -> Result<FileDiff, CommandError> {
        let path = guard::show(path);
        let Patch { text, is_binary, is_redacted } = patch(old, new)?;
        let remark = match (is_binary, is_redacted, text.is_empty()) {
            (true, ..) => Some("a binary file"),
            (_, true, true) => Some("only a secret differs"),
            (_, true, false) => Some("a secret was taken out"),
            (_, false, true) if old != new => Some("an empty file"),
            (_, false, _) => None,
        };
        let patch = if text.is_empty() {
            String::new()
        } else {
            let side = |prefix, text: Option<&[u8]>| match text {
                Some(_) => format!("{prefix}/{path}"),
                None => "/dev/null".to_string(),
            };
            format!("--- {}\n+++ {}\n{text}", side("a", old), side("b", new))
        };
        Ok(FileDiff { path, change: change.as_str(), patch, remark })
    }

    /// Prints it as text, after an empty line.
    pub(super) fn print(&self, ui: &Ui) {
        let remark = self.remark.map(|r| format!(" ({r})")).unwrap_or_default();
        ui.line("");
        ui.line(&ui.style(Style::Bold, &format!("{} {}{remark}", self.change, self.path)));
        let mut text = String::new();
        for line in self.patch.lines() {
            let shown = visible(line);
            let style = match line.as_bytes() {
                [b'-', b'-', b'-', b' ', ..] | [b'+', b'+', b'+', b' ', ..] => Style::Bold,
                [b'@', ..] => Style::Dim,
                [b'+', ..] => Style::Good,
                [b'-', ..] => Style::Bad,
                _ => {
                    // Writing to a String cannot fail.
                    let _ = writeln!(text, "{shown}");
                    continue;
                }
            };
            let _ = writeln!(text, "{}", ui.style(style, &shown));
        }
        ui.raw(text.as_bytes());
    }
}

/// The line with what would drive a terminal or turn the text around written as `\u{…}`.
pub(super) fn visible(line: &str) -> Cow<'_, str> {
    let hidden = |c: char| {
        (c.is_control() && c != '\t')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !line.contains(hidden) {
        return Cow::Borrowed(line);
    }
    let escaped = line.chars().fold(String::with_capacity(line.len()), |mut text, c| {
        if hidden(c) {
            // As above.
            let _ = write!(text, "\\u{{{:x}}}", u32::from(c));
        } else {
            text.push(c);
        }
        text
    });
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_would_drive_a_terminal_is_written_out() {
        assert_eq!(visible("a\x1b[31mb\tc"), "a\\u{1b}[31mb\tc");
        assert_eq!(visible("left\u{202e}right"), "left\\u{202e}right");
        assert_eq!(visible("größer — 日本"), "größer — 日本");
    }

    #[test]
    fn a_patch_names_both_sides_and_nothing_where_a_side_is_absent() {
        let made = FileDiff::between(b"a.md", Change::Added, (None, Some(b"x\n"))).unwrap();
        assert_eq!(made.patch, "--- /dev/null\n+++ b/a.md\n@@ -0,0 +1 @@\n+x\n");
        assert_eq!((made.change, made.remark), ("added", None));
        let empty = FileDiff::between(b"a.md", Change::Added, (None, Some(b""))).unwrap();
        assert_eq!((&*empty.patch, empty.remark), ("", Some("an empty file")));
    }
}
