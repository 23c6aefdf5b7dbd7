//! What differs between the live directory and `HEAD`, and what of it is held: read only, the base
//! of both `status` and capture.

use super::gate::{HeldReason, gate, held_by_name, size_cap};
use super::live::{Seen, walk};
use super::{Result, Store, lease, state};
use crate::git::{Cached, IndexCache, Leaf, Oid, Stat};
use crate::guard::{self, Names};
use crate::secrets;
use rustix::fd::BorrowedFd;
use rustix::fs::{Mode, OFlags};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ffi::CStr;
use std::io::Read;
use std::os::unix::fs::MetadataExt;

/// How a path changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is new.
    Added,
    /// Its bytes or mode changed.
    Edited,
    /// It is gone.
    Deleted,
}

impl Change {
    /// The word used in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Change::Added => "added",
            Change::Edited => "edited",
            Change::Deleted => "deleted",
        }
    }
}

/// A changed path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathChange {
    /// The path.
    pub path: Vec<u8>,
    /// How it changed.
    pub change: Change,
}

/// A path that is held back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The path (bytes; show it by `guard::show` only).
    pub path: Vec<u8>,
    /// Why.
    pub reason: HeldReason,
}

/// A changed note as found.
#[derive(Clone, Debug)]
pub(super) struct Dirty {
    pub path: Vec<u8>,
    pub old: Option<Leaf>,
    /// The live bytes and their mode; `None`: deleted.
    pub live: Option<(Vec<u8>, u32, Stat)>,
}

impl Dirty {
    pub(super) fn change(&self) -> Change {
        match (&self.old, &self.live) {
            (_, None) => Change::Deleted,
            (None, Some(_)) => Change::Added,
            (Some(_), Some(_)) => Change::Edited,
        }
    }

    /// The leaf that the live bytes would have.
    pub(super) fn leaf(&self) -> Option<Leaf> {
        self.live.as_ref().map(|(bytes, mode, _)| Leaf { mode: *mode, id: Oid::of_blob(bytes) })
    }
}

/// The difference between the live directory and `HEAD`.
pub struct Survey {
    /// The commit that was compared with.
    pub head: Option<Oid>,
    /// Its tree.
    pub tree: Option<Oid>,
    /// How many notes `HEAD` has.
    pub notes: usize,
    /// How many notes are live.
    pub live: usize,
    pub(super) dirty: Vec<Dirty>,
    /// Held paths.
    pub held: Vec<Held>,
    /// Paths that a writer has open.
    pub busy: Vec<Vec<u8>>,
    pub(super) touched: Vec<Cached>,
    pub(super) index: Option<IndexCache>,
}

impl Survey {
    /// The changed paths.
    pub fn changes(&self) -> Vec<PathChange> {
        self.dirty.iter().map(|d| PathChange { path: d.path.clone(), change: d.change() }).collect()
    }
}

#[derive(Clone, Serialize, Deserialize)]
struct Verdict {
    ctime: (i64, u32),
    ino: u64,
    size: u64,
    ruleset: u64,
    rule: Option<String>,
    line: u32,
}

#[derive(Default, Serialize, Deserialize)]
struct Verdicts(HashMap<String, Verdict>);

struct Surveyor<'s> {
    store: &'s Store,
    /// The entries of `HEAD`, sorted, and which of them are live.
    leaves: Vec<(Vec<u8>, Leaf)>,
    seen: Vec<bool>,
    survey: Survey,
    names: Option<Names>,
    verdicts: Verdicts,
    judged: HashMap<String, Verdict>,
    verdicts_at: (i64, u32),
}

/// Compares the live directory with the commit `head`.
pub(super) fn survey(store: &Store, head: Option<Oid>) -> Result<Survey> {
    let tree = store.repo.tree_of(head)?;
    let leaves = store.repo.leaf_list(tree)?;
    let file = store.state_file("verdicts.json");
    let verdicts_at =
        std::fs::metadata(&file).map_or((0, 0), |m| (m.mtime(), m.mtime_nsec() as u32));
    let mut surveyor = Surveyor {
        store,
        seen: vec![false; leaves.len()],
        leaves,
        survey: Survey {
            head,
            tree,
            notes: 0,
            live: 0,
            dirty: Vec::new(),
            held: Vec::new(),
            busy: Vec::new(),
            touched: Vec::new(),
            index: store.repo.index_cache(),
        },
        names: None,
        verdicts: state::load(&file)?,
        judged: HashMap::new(),
        verdicts_at,
    };
    walk(&store.dir, store.kind, &mut |seen| surveyor.visit(seen))?;
    surveyor.finish(&file)
}

impl Surveyor<'_> {
    fn visit(&mut self, seen: Seen<'_>) -> Result<()> {
        match seen {
            Seen::Odd { path, reason } => {
                self.survey.held.push(Held { path: path.to_vec(), reason });
                Ok(())
            }
            Seen::Note { path, dir, name, stat } => self.note(path, dir, name, stat),
        }
    }

    fn note(&mut self, path: &[u8], dir: BorrowedFd<'_>, name: &CStr, stat: Stat) -> Result<()> {
        self.survey.live += 1;
        let place = self.leaves.binary_search_by(|(p, _)| p.as_slice().cmp(path)).ok();
        let old = place.map(|at| self.leaves[at].1);
        if let Some(at) = place {
            self.seen[at] = true;
        }
        let known = self.survey.index.as_ref().and_then(|index| index.known(path, &stat));
        let mode = stat.git_mode();
        if known.is_some() && known == old.map(|l| l.id) && old.map(|l| l.mode) == Some(mode) {
            return Ok(());
        }
        if let Some(reason) = self.held_unread(path, old, &stat) {
            self.hold(path, &stat, reason);
            return Ok(());
        }
        let Some((bytes, stat)) = read_quiet(dir, name)? else {
            self.survey.busy.push(path.to_vec());
            return Ok(());
        };
        let leaf = Leaf { mode, id: Oid::of_blob(&bytes) };
        if old == Some(leaf) {
            let new = Cached { path: path.to_vec(), old, new: old, stat: Some(stat) };
            self.survey.touched.push(new);
            return Ok(());
        }
        match gate(self.store.kind, &bytes) {
            Some(reason) => self.hold(path, &stat, reason),
            None => {
                let live = Some((bytes, mode, stat));
                self.survey.dirty.push(Dirty { path: path.to_vec(), old, live });
            }
        }
        Ok(())
    }

    /// What can be said without reading the file: its name, its size, an earlier verdict.
    fn held_unread(&mut self, path: &[u8], old: Option<Leaf>, stat: &Stat) -> Option<HeldReason> {
        if old.is_none()
            && let Some(reason) = held_by_name(path).or_else(|| self.collision(path))
        {
            return Some(reason);
        }
        let max = size_cap(self.store.kind);
        if stat.size > max {
            return Some(HeldReason::Cap { bytes: stat.size, max });
        }
        let verdict = self.verdicts.0.get(std::str::from_utf8(path).ok()?)?;
        let fresh = verdict.ctime == stat.ctime
            && verdict.ino == stat.ino
            && verdict.size == stat.size
            && verdict.ruleset == secrets::ruleset_version()
            && stat.ctime < self.verdicts_at;
        let rule = verdict.rule.clone().filter(|_| fresh)?;
        Some(HeldReason::Secret { rule, line: verdict.line })
    }

    fn collision(&mut self, path: &[u8]) -> Option<HeldReason> {
        let names = self.names.get_or_insert_with(|| {
            // What HEAD has already stays, even where two of its names collide.
            Names::from_paths(self.leaves.iter().filter_map(|(p, _)| std::str::from_utf8(p).ok()))
        });
        names.claim(std::str::from_utf8(path).ok()?).err().map(|r| HeldReason::from(&r))
    }

    fn hold(&mut self, path: &[u8], stat: &Stat, reason: HeldReason) {
        if let (Some((rule, line)), Ok(path)) = (reason.secret(), std::str::from_utf8(path)) {
            let verdict = Verdict {
                ctime: stat.ctime,
                ino: stat.ino,
                size: stat.size,
                ruleset: secrets::ruleset_version(),
                rule: (line > 0).then(|| rule.to_string()),
                line,
            };
            if line > 0 {
                self.judged.insert(path.to_string(), verdict);
            }
        }
        self.survey.held.push(Held { path: path.to_vec(), reason });
    }

    fn finish(mut self, verdicts: &std::path::Path) -> Result<Survey> {
        let held = |survey: &Survey, path: &[u8]| {
            survey.held.iter().any(|h| {
                path == h.path
                    || (path.starts_with(&h.path) && path.get(h.path.len()) == Some(&b'/'))
            })
        };
        for ((path, leaf), seen) in self.leaves.iter().zip(&self.seen) {
            let note = *seen
                || (self.store.kind.holds(path)
                    && std::str::from_utf8(path).is_ok_and(guard::allowed)
                    && leaf.is_file());
            if !note {
                continue;
            }
            self.survey.notes += 1;
            if !seen && !held(&self.survey, path) {
                self.survey.dirty.push(Dirty { path: path.clone(), old: Some(*leaf), live: None });
            }
        }
        self.survey.dirty.sort_by(|a, b| a.path.cmp(&b.path));
        self.survey.held.sort_by(|a, b| a.path.cmp(&b.path));
        self.save_verdicts(verdicts)?;
        Ok(self.survey)
    }

    fn save_verdicts(&self, file: &std::path::Path) -> Result<()> {
        let same = self.judged.len() == self.verdicts.0.len()
            && self.judged.iter().all(|(path, new)| {
                self.verdicts.0.get(path).is_some_and(|old| {
                    old.ctime == new.ctime
                        && old.ino == new.ino
                        && old.ruleset == new.ruleset
                        && new.ctime < self.verdicts_at
                })
            });
        if same { Ok(()) } else { state::save(file, &Verdicts(self.judged.clone())) }
    }
}

/// Reads a note that nobody is writing; `None` while a writer has it open or it vanished.
fn read_quiet(dir: BorrowedFd<'_>, name: &CStr) -> Result<Option<(Vec<u8>, Stat)>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(fd) = rustix::fs::openat(dir, name, flags, Mode::empty()) else { return Ok(None) };
    let mut file = std::fs::File::from(fd);
    let here = std::path::PathBuf::from(name.to_string_lossy().into_owned());
    let stat = |file: &std::fs::File| file.metadata().map(|m| Stat::of(&m));
    let writers = lease::writers(&file);
    if writers == lease::Writers::Some {
        return Ok(None);
    }
    let before = stat(&file).map_err(super::io_at(&here))?;
    if writers == lease::Writers::Unknown {
        // Nobody can tell who writes: two equal stats 50 ms apart stand for a quiet file.
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let mut bytes = Vec::with_capacity(before.size as usize);
    file.read_to_end(&mut bytes).map_err(super::io_at(&here))?;
    let after = stat(&file).map_err(super::io_at(&here))?;
    let quiet = before.mtime == after.mtime && before.size == after.size;
    Ok((quiet && bytes.len() as u64 == after.size).then_some((bytes, after)))
}
