//! Outgoing: our released changes, replayed path by path as commits on the remote head alone. What
//! is not released passes through as the remote has it. Names, messages and authors pass the gates.

use super::plan::Release;
use super::{HeldRow, Result};
use crate::git::{CommitInfo, Leaf, NewCommit, Oid, Person, TreeChanges, trailer};
use crate::guard;
use crate::memory::{MemoryPath, merge};
use crate::secrets;
use crate::vault::{Message, Op, Store, gate};
use std::collections::BTreeMap;

/// What the replay starts from.
pub(super) struct Range<'a> {
    pub store: &'a Store,
    /// The live line after the capture.
    pub local: Option<Oid>,
    /// The last local commit whose released changes are on the remote line.
    pub published: Option<Oid>,
    /// The remote head.
    pub remote: Option<Oid>,
    /// Who records a released change that no commit of the range made.
    pub person: &'a Person,
}

/// The outgoing line.
pub(super) struct Outgoing {
    /// Its head, a descendant of the remote head; the remote head itself when nothing is released.
    pub head: Option<Oid>,
    /// Secrets that commits of the range hold and that therefore stayed here.
    pub leaks: Vec<HeldRow>,
}

/// How many local commits one push replays one by one; older ones go as one change.
const MAX_COMMITS: usize = 10_000;

/// For each path, which commit (by its place in the range) gives it which entry on the new line.
type Steps = BTreeMap<usize, TreeChanges>;

/// Builds the outgoing line.
pub(super) fn build(range: &Range<'_>, released: &BTreeMap<Vec<u8>, Release>) -> Result<Outgoing> {
    let repo = &range.store.repo;
    let published = range.published;
    let mut commits = repo.first_parents(range.local, MAX_COMMITS, |id| Some(id) == published)?;
    commits.reverse();
    let mut leaks = leaks_of(range, &commits)?;
    if released.is_empty() {
        return Ok(Outgoing { head: range.remote, leaks });
    }
    if leaks.is_empty() && as_it_is(range, &commits, released)? {
        let head = commits.last().map(|c| c.id);
        return Ok(Outgoing { head, leaks });
    }
    let steps = steps(range, &commits, released)?;
    let mut tree = repo.tree_of(range.remote)?;
    let mut head = range.remote;
    for (at, changes) in &steps {
        let next = repo.splice(tree, changes)?;
        if Some(next) == tree {
            continue;
        }
        let commit = commits.get(*at);
        head = Some(write(range, commit, next, head, &mut leaks)?);
        tree = Some(next);
    }
    Ok(Outgoing { head, leaks })
}

/// Whether the range can go out unchanged: it lies straight on the remote head and changes released
/// paths only, to exactly what is released, with clean messages and authors.
fn as_it_is(
    range: &Range<'_>,
    commits: &[CommitInfo],
    released: &BTreeMap<Vec<u8>, Release>,
) -> Result<bool> {
    let repo = &range.store.repo;
    let Some(first) = commits.first() else { return Ok(false) };
    if first.parents.first().copied() != range.remote {
        return Ok(false);
    }
    let mut last = repo.tree_of(range.remote)?;
    for commit in commits {
        if commit.parents.len() > 1 || !clean(range, commit)? {
            return Ok(false);
        }
        let changed = repo.diff(last, Some(commit.tree))?;
        for c in &changed {
            if !released.contains_key(&c.path) || held(range, c.new)? {
                return Ok(false);
            }
        }
        last = Some(commit.tree);
    }
    for (path, release) in released {
        if repo.leaf(last, path)? != release.target {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether an entry of a commit in between may not go out: no plain file, or a gate holds it.
fn held(range: &Range<'_>, entry: Option<Leaf>) -> Result<bool> {
    let Some(leaf) = entry else { return Ok(false) };
    if !leaf.is_file() {
        return Ok(true);
    }
    Ok(gate(range.store.kind, &range.store.repo.blob(leaf.id)?).is_some())
}

/// Whether nothing in the commit itself is a secret: message, people, and any further header.
fn clean(range: &Range<'_>, commit: &CommitInfo) -> Result<bool> {
    Ok(secrets::scan(&range.store.repo.raw(commit.id)?).is_empty())
}

/// Places each released path's states on the commits that made them. States made before a merge
/// with the remote derive from another base: of those only the last commit's place is kept, with
/// the final entry.
fn steps(
    range: &Range<'_>,
    commits: &[CommitInfo],
    released: &BTreeMap<Vec<u8>, Release>,
) -> Result<Steps> {
    let repo = &range.store.repo;
    let mut states: BTreeMap<&[u8], Vec<(usize, Option<Leaf>)>> = BTreeMap::new();
    let mut last = repo.tree_of(commits.first().and_then(|c| c.parents.first().copied()))?;
    for (at, commit) in commits.iter().enumerate() {
        let merge = commit.parents.len() > 1;
        if merge {
            for states in states.values_mut() {
                let keep = states.len().saturating_sub(1);
                states.drain(..keep);
            }
        }
        for c in repo.diff(last, Some(commit.tree))? {
            let Some((path, _)) = released.get_key_value(&c.path) else { continue };
            if !merge {
                states.entry(path).or_default().push((at, c.new));
            }
        }
        last = Some(commit.tree);
    }
    let mut steps = Steps::new();
    for (path, release) in released {
        let states = states.remove(path.as_slice()).unwrap_or_default();
        let (final_at, earlier) = match states.split_last() {
            Some(((at, _), earlier)) => (*at, earlier),
            None => (commits.len(), &states[..]),
        };
        for (at, leaf) in earlier {
            if let Some(entry) = rebased(range, path, release, *leaf)? {
                steps.entry(*at).or_default().insert(path.clone(), entry);
            }
        }
        steps.entry(final_at).or_default().insert(path.clone(), release.target);
    }
    Ok(steps)
}

/// An intermediate state as it is on top of the remote's entry; `None` when a gate holds it.
fn rebased(
    range: &Range<'_>,
    path: &[u8],
    release: &Release,
    state: Option<Leaf>,
) -> Result<Option<Option<Leaf>>> {
    let repo = &range.store.repo;
    if held(range, state)? {
        return Ok(None);
    }
    if release.remote == release.base {
        return Ok(Some(state));
    }
    let text = |leaf: Option<Leaf>| leaf.map(|l| repo.blob(l.id)).transpose();
    let shown = String::from_utf8_lossy(path).into_owned();
    let Ok(memory_path) = MemoryPath::new(&shown) else { return Ok(None) };
    let (base, ours, theirs) = (text(release.base)?, text(state)?, text(release.remote)?);
    let side = |text| merge::Side { text, time: 0 };
    let merged =
        merge::merge(&memory_path, base.as_deref(), side(ours.as_deref()), side(theirs.as_deref()));
    let Some(text) = merged.text else { return Ok(None) };
    if gate(range.store.kind, &text).is_some() {
        return Ok(None);
    }
    let mode = state.or(release.remote).map_or(0o100_644, |l| l.mode);
    Ok(Some(Some(Leaf { mode, id: repo.write_blob(&text)? })))
}

fn write(
    range: &Range<'_>,
    original: Option<&CommitInfo>,
    tree: Oid,
    parent: Option<Oid>,
    leaks: &mut Vec<HeldRow>,
) -> Result<Oid> {
    let (author, message) = match original {
        Some(commit) => (gated(&commit.author), replayed_message(commit, leaks)),
        None => {
            let text = Message::new(Op::Share, "share: what had waited").text();
            (gated(range.person), text)
        }
    };
    let parents: Vec<Oid> = parent.into_iter().collect();
    Ok(range.store.repo.write_commit(&NewCommit {
        tree,
        parents: &parents,
        author: &author,
        committer: &gated(range.person),
        message: &message,
    })?)
}

/// A person without secrets; git allows no angle brackets in names and addresses.
fn gated(person: &Person) -> Person {
    let gate = |text: &str| secrets::redact(text).replace(['<', '>'], "");
    Person { name: gate(&person.name), email: gate(&person.email), ..person.clone() }
}

fn replayed_message(commit: &CommitInfo, leaks: &mut Vec<HeldRow>) -> String {
    let text = secrets::redact(&commit.message);
    if text != commit.message {
        let found = secrets::scan(commit.message.as_bytes());
        let rule = found.first().map_or("secret", |f| f.rule);
        leaks.push(leak_row("(commit message)", rule, None, commit));
    }
    let mut text = text.trim_end().to_string();
    let has_trailers = trailer(&text, "Kith-Op").is_some();
    text.push_str(if has_trailers { "\n" } else { "\n\n" });
    text.push_str(&format!("Kith-Local: {}\n", commit.id));
    text
}

fn leak_row(path: &str, rule: &str, line: Option<u32>, commit: &CommitInfo) -> HeldRow {
    HeldRow {
        path: path.to_string(),
        reason: "secret",
        rule: Some(rule.to_string()),
        line,
        message: format!("commit {} holds a secret ({rule}); it stays here", commit.id.short()),
        commit: Some(commit.id.to_string()),
    }
}

/// The secrets that commits of the range brought into the history here: by plain git, since kith's
/// own captures hold such files back.
fn leaks_of(range: &Range<'_>, commits: &[CommitInfo]) -> Result<Vec<HeldRow>> {
    let repo = &range.store.repo;
    let mut leaks = Vec::new();
    for commit in commits.iter().filter(|c| c.parents.len() < 2) {
        let before = repo.tree_of(commit.parents.first().copied())?;
        for c in repo.diff(before, Some(commit.tree))? {
            let Some(leaf) = c.new else { continue };
            if let Some(found) = secrets::scan_blocking(&c.path) {
                leaks.push(leak_row(&guard::show(&c.path), found.rule, None, commit));
            }
            // A link's target is a blob like any other; a submodule's commit is not here.
            if leaf.is_submodule() {
                continue;
            }
            if let Some(found) = secrets::scan_blocking(&repo.blob(leaf.id)?) {
                let line = Some(found.line);
                leaks.push(leak_row(&guard::show(&c.path), found.rule, line, commit));
            }
        }
    }
    Ok(leaks)
}
