//! `kith remember`: a note and its index line, as one commit.

use super::commit::left_over;
use super::{CommandError, Context};
use crate::git::{Oid, Repo};
use crate::guard;
use crate::memory::topic::{NewTopic, Topic, TopicType, new_topic};
use crate::memory::{frontmatter, index};
use crate::secrets;
use crate::text::slug;
use crate::vault::{Message, Note, Op, StoreKind, VaultError};
use chrono::SecondsFormat;
use serde_json::json;

/// Words of the text that become the name, where none is given.
const NAME_WORDS: usize = 6;
/// Characters of the description that is taken from the text.
const DESCRIPTION_CHARS: usize = 100;
/// The index of a memory directory.
const INDEX: &str = "MEMORY.md";

/// Arguments of `remember`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to remember
    #[arg(required = true, value_name = "TEXT")]
    pub text: Vec<String>,
    /// The note's name; else the first words of the text
    #[arg(long, value_name = "SLUG")]
    pub name: Option<String>,
    /// What kind of memory it is: user, feedback, project or reference
    #[arg(long = "type", value_name = "T", default_value = "project")]
    pub kind: TopicType,
    /// One line on what it is good for; else its first sentence
    #[arg(long, value_name = "D")]
    pub description: Option<String>,
}

/// What is to be written.
struct Wanted<'a> {
    text: &'a str,
    name: String,
    path: String,
    description: String,
    described: bool,
    kind: TopicType,
    modified: String,
}

/// Runs `remember`.
pub fn run(ctx: &Context, args: &Args) -> Result<(), CommandError> {
    let text = args.text.join(" ");
    let text = text.trim();
    if text.is_empty() {
        return Err(CommandError::user("there is nothing to remember"));
    }
    refuse_secrets(&[
        ("text", text),
        ("name", args.name.as_deref().unwrap_or_default()),
        ("description", args.description.as_deref().unwrap_or_default()),
    ])?;
    if args.kind == TopicType::User && ctx.kind() == StoreKind::Team {
        return Err(CommandError::user("what is known of a person is never shared with a team")
            .hint("Leave out --team, or choose another --type."));
    }
    let wanted = wanted(ctx, args, text);
    let vault = ctx.vault()?;
    let message = Message::new(Op::Remember, format!("remember: {}", wanted.name));
    let mut door = vault.enter()?;
    let (captured, commit) = door.change(&message, |repo, tree| notes(repo, tree, &wanted))?;
    drop(door);

    let path = guard::show(wanted.path.as_bytes());
    if ctx.ui.is_json() {
        let id = commit.map(|id| id.to_string());
        ctx.ui.json(&json!({ "path": path, "commit": id, "known": commit.is_none() }));
    } else if commit.is_some() {
        ctx.ui.done(&format!("remembered in {path}"));
    } else {
        ctx.ui.done(&format!("already known: {path}"));
    }
    left_over(ctx, &captured);
    Ok(())
}

/// Nothing is written, and nothing of the secret is shown, when any of the texts holds one.
fn refuse_secrets(texts: &[(&str, &str)]) -> Result<(), CommandError> {
    for (what, text) in texts {
        if let Some(found) = secrets::scan_blocking(text.as_bytes()) {
            let message =
                format!("line {} of the {what} holds a secret ({})", found.line, found.rule);
            return Err(CommandError::refused(message)
                .hint("Nothing was written; say where the secret is kept instead."));
        }
    }
    Ok(())
}

fn wanted<'a>(ctx: &Context, args: &Args, text: &'a str) -> Wanted<'a> {
    let words = || text.split_whitespace().take(NAME_WORDS).collect::<Vec<_>>().join(" ");
    let given = args.name.as_deref().map(|n| n.trim_end_matches(".md"));
    let mut name = slug(&given.map_or_else(words, str::to_string));
    // On a file system that knows no case it would be the index.
    if name.eq_ignore_ascii_case("memory") {
        name.push_str("-note");
    }
    let described = args.description.is_some();
    Wanted {
        text,
        path: format!("{name}.md"),
        name,
        description: args.description.clone().unwrap_or_else(|| first_sentence(text)),
        described,
        kind: args.kind,
        modified: ctx.clock.now().to_utc().to_rfc3339_opts(SecondsFormat::Secs, true),
    }
}

/// The notes to write; none when all of it is known.
fn notes(repo: &Repo, tree: Option<Oid>, wanted: &Wanted<'_>) -> Result<Vec<Note>, VaultError> {
    let read = |path: &str| -> Result<Option<Vec<u8>>, VaultError> {
        match repo.leaf(tree, path.as_bytes())? {
            Some(leaf) if leaf.is_file() => Ok(Some(repo.blob(leaf.id)?)),
            Some(_) | None => Ok(None),
        }
    };
    let old = read(&wanted.path)?;
    let new = match &old {
        None => fresh(wanted).into_bytes(),
        Some(old) => appended(old, wanted),
    };
    let index = read(INDEX)?;
    let hook = Topic::read(&new).description.unwrap_or_else(|| wanted.description.clone());
    let known = index::entries(index.as_deref().unwrap_or_default());
    let listed = known.iter().any(|entry| entry.target == wanted.path);
    let mut notes = Vec::new();
    if !listed || (wanted.described && old.as_ref() != Some(&new)) {
        let line = index::with_entry(index.as_deref(), &title(&wanted.name), &wanted.path, &hook);
        notes.push(Note { path: INDEX.into(), text: Some(line) });
    }
    if old.as_ref() != Some(&new) {
        notes.push(Note { path: wanted.path.clone(), text: Some(new) });
    }
    Ok(notes)
}

fn fresh(wanted: &Wanted<'_>) -> String {
    let fields = NewTopic {
        name: &wanted.name,
        description: &wanted.description,
        kind: Some(wanted.kind),
        origin_session_id: None,
        modified: Some(&wanted.modified),
    };
    new_topic(&fields, wanted.text)
}

/// The known note with the text as one more paragraph; the same bytes when it says that already.
fn appended(old: &[u8], wanted: &Wanted<'_>) -> Vec<u8> {
    if says(old, wanted.text) {
        return old.to_vec();
    }
    let crlf = old.windows(2).any(|w| w == b"\r\n");
    let eol: &[u8] = if crlf { b"\r\n" } else { b"\n" };
    let mut new = old.trim_ascii_end().to_vec();
    new.extend_from_slice(eol);
    new.extend_from_slice(eol);
    for line in wanted.text.lines() {
        new.extend_from_slice(line.trim_end().as_bytes());
        new.extend_from_slice(eol);
    }
    if wanted.described {
        new = frontmatter::set(&new, "description", &wanted.description);
    }
    match Topic::read(&new).modified {
        Some(_) if frontmatter::Header::read(&new).is_some_and(|h| h.get("modified").is_some()) => {
            frontmatter::set(&new, "modified", &wanted.modified)
        }
        Some(_) => frontmatter::set_nested(&new, "metadata", "modified", &wanted.modified),
        None => new,
    }
}

/// Whether a paragraph of the note is this text, however its lines are broken.
fn says(note: &[u8], text: &str) -> bool {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let body = String::from_utf8_lossy(&note[frontmatter::split(note).body]).replace("\r\n", "\n");
    let wanted = words(text);
    words(&body) == wanted || body.split("\n\n").any(|paragraph| words(paragraph) == wanted)
}

/// `deploy-day` as `Deploy day`.
fn title(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(letters).map(|c| if c == '-' { ' ' } else { c }).collect()
}

/// The first sentence, cut at a word where it is long.
fn first_sentence(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or_default();
    let line = line.trim_start_matches(['#', '-', '*', '>', ' ']);
    let ends = line.char_indices().find(|(at, c)| {
        let next = line[at + c.len_utf8()..].chars().next();
        let closed = next.is_none_or(char::is_whitespace);
        matches!(c, '。' | '！' | '？') || (matches!(c, '.' | '!' | '?') && closed)
    });
    let sentence = ends.map_or(line, |(at, _)| &line[..at]);
    let sentence = if sentence.is_empty() { line } else { sentence };
    if sentence.chars().count() <= DESCRIPTION_CHARS {
        return sentence.to_string();
    }
    let cut: String = sentence.chars().take(DESCRIPTION_CHARS - 1).collect();
    let end = cut.rfind(' ').filter(|at| *at * 2 > cut.len()).unwrap_or(cut.len());
    format!("{}…", cut[..end].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_is_the_first_sentence_cut_at_a_word() {
        assert_eq!(
            first_sentence("Deploys run at 9.30 daily. Never later."),
            "Deploys run at 9.30 daily"
        );
        assert_eq!(first_sentence("\n# Title\nmore"), "Title");
        assert_eq!(first_sentence("发布在周二。不在周五。"), "发布在周二");
        let long = first_sentence(&"word ".repeat(60));
        assert!(long.ends_with("word…") && long.chars().count() <= DESCRIPTION_CHARS, "{long}");
    }

    #[test]
    fn what_a_note_says_already_is_known_however_it_is_broken() {
        let note = b"---\nname: a\n---\n\nOne fact\non two lines.\n\nAnother.\n";
        assert!(says(note, "One fact on two lines."));
        assert!(says(note, "Another."));
        assert!(!says(note, "Another"));
        assert!(!says(note, "name: a"));
    }

    #[test]
    fn a_name_becomes_a_title() {
        assert_eq!(title("deploy-day"), "Deploy day");
        assert_eq!(title(""), "");
    }
}
