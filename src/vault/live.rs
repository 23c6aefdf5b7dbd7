//! Walking the live directory by directory handles, never through a link.

use super::gate::HeldReason;
use super::{Result, StoreKind, VaultError};
use crate::git::Stat;
use crate::guard;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use std::ffi::{CStr, CString};
use std::path::Path;

/// How deep notes may lie.
const MAX_DEPTH: usize = 16;

/// A thing the walk met.
pub(super) enum Seen<'a> {
    /// A note: its path, the handle of its folder, its name there and its stat.
    Note { path: &'a [u8], dir: BorrowedFd<'a>, name: &'a CStr, stat: Stat },
    /// Something that stands where a note could be; everything under the path is held too.
    Odd { path: &'a [u8], reason: HeldReason },
}

struct Walk<'v> {
    root: &'v Path,
    kind: StoreKind,
    device: u64,
    owner: u32,
    /// Where the walk is, with `/`.
    path: Vec<u8>,
    depth: usize,
    visit: &'v mut dyn FnMut(Seen<'_>) -> Result<()>,
}

/// Opens a directory handle without following a link at its end.
pub(super) fn open_dir(path: &Path) -> Result<OwnedFd> {
    rustix::fs::open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
        .map_err(|e| VaultError::Io { path: path.to_path_buf(), source: e.into() })
}

/// Visits every note and every odd thing under `root`.
pub(super) fn walk(
    root: &Path,
    kind: StoreKind,
    visit: &mut dyn FnMut(Seen<'_>) -> Result<()>,
) -> Result<()> {
    let fd = open_dir(root)?;
    let stat = rustix::fs::fstat(&fd)
        .map_err(|e| VaultError::Io { path: root.to_path_buf(), source: e.into() })?;
    let (device, owner) = (stat.st_dev, stat.st_uid);
    let mut walk = Walk { root, kind, device, owner, path: Vec::new(), depth: 0, visit };
    walk.folder(fd)
}

/// The stat fields of an `fstatat`.
pub(super) fn stat_of(s: &rustix::fs::Stat) -> Stat {
    Stat {
        mtime: (s.st_mtime, s.st_mtime_nsec as u32),
        ctime: (s.st_ctime, s.st_ctime_nsec as u32),
        ino: s.st_ino,
        dev: s.st_dev,
        size: s.st_size as u64,
        mode: s.st_mode,
        uid: s.st_uid,
        gid: s.st_gid,
    }
}

/// An entry of a folder that may be this store's business.
struct Item {
    name: CString,
    /// Whether its path is a note's.
    note: bool,
    stat: Option<rustix::fs::Stat>,
}

/// From this many entries on a folder is looked at by several threads: below it, starting them
/// costs more than they save (measured: 0.1 ms against 3 µs an entry).
const MANY: usize = 256;
/// More threads than this only wait for each other in one folder.
const MAX_THREADS: usize = 4;

/// Takes the stats of all the items, without following links.
fn look_at(fd: &OwnedFd, items: &mut [Item]) {
    let look = |items: &mut [Item]| {
        for item in items {
            item.stat = rustix::fs::statat(fd, &item.name, AtFlags::SYMLINK_NOFOLLOW).ok();
        }
    };
    if items.len() < MANY {
        return look(items);
    }
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(MAX_THREADS));
    std::thread::scope(|scope| {
        for part in items.chunks_mut(items.len().div_ceil(threads)) {
            scope.spawn(|| look(part));
        }
    });
}

impl Walk<'_> {
    fn failed(&self, e: rustix::io::Errno) -> VaultError {
        let path = self.root.join(String::from_utf8_lossy(&self.path).as_ref());
        VaultError::Io { path, source: e.into() }
    }

    fn folder(&mut self, fd: OwnedFd) -> Result<()> {
        let (mut items, mut strangers) = (Vec::new(), Vec::new());
        for entry in Dir::read_from(&fd).map_err(|e| self.failed(e))? {
            let entry = entry.map_err(|e| self.failed(e))?;
            let name = entry.file_name();
            let bytes = name.to_bytes();
            if bytes == b"." || bytes == b".." || self.foreign(bytes) {
                continue;
            }
            let length = self.path.len();
            self.path.extend_from_slice(bytes);
            let note = self.is_note();
            self.path.truncate(length);
            if note || entry.file_type() != FileType::RegularFile {
                items.push(Item { name: name.to_owned(), note, stat: None });
            } else if self.kind == StoreKind::Team && !guard::is_temporary(&name.to_string_lossy())
            {
                strangers.push(name.to_owned());
            }
        }
        look_at(&fd, &mut items);
        for item in items {
            // One that vanished since the folder was listed is not there.
            let Some(raw) = item.stat else { continue };
            let length = self.path.len();
            self.path.extend_from_slice(item.name.to_bytes());
            let visited = self.entry(&fd, &item, &raw);
            self.path.truncate(length);
            visited?;
        }
        // What somebody put into a team's folder and the team will not get is named.
        for name in strangers {
            let length = self.path.len();
            self.path.extend_from_slice(name.to_bytes());
            let visited = self.odd(HeldReason::Name("is no note (*.md) and stays here".into()));
            self.path.truncate(length);
            visited?;
        }
        Ok(())
    }

    fn is_note(&self) -> bool {
        std::str::from_utf8(&self.path).map_or(self.path.ends_with(b".md"), guard::allowed)
    }

    /// What is not this store's business: git's own, kith's (but a team's policy), and the team's
    /// folder inside a private memory directory.
    fn foreign(&self, name: &[u8]) -> bool {
        let top = self.depth == 0;
        name == b".git"
            || match self.kind {
                StoreKind::Team => name == b".kith" && !top,
                StoreKind::Private => name == b".kith" || (top && name == b"team"),
                StoreKind::Agent => name == b".kith",
            }
    }

    fn entry(&mut self, fd: &OwnedFd, item: &Item, raw: &rustix::fs::Stat) -> Result<()> {
        let (name, note) = (item.name.as_c_str(), item.note);
        let stat = stat_of(raw);
        match FileType::from_raw_mode(raw.st_mode) {
            FileType::Directory => self.subfolder(fd, name, &stat),
            FileType::Symlink => {
                let to_folder = rustix::fs::statat(fd, name, AtFlags::empty())
                    .is_ok_and(|s| FileType::from_raw_mode(s.st_mode) == FileType::Directory);
                if note || to_folder { self.odd(HeldReason::Symlink) } else { Ok(()) }
            }
            FileType::RegularFile if !note => Ok(()),
            FileType::RegularFile if raw.st_uid != self.owner => self.odd(HeldReason::Owner),
            FileType::RegularFile => {
                (self.visit)(Seen::Note { path: &self.path, dir: fd.as_fd(), name, stat })
            }
            FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => {
                if note {
                    self.odd(HeldReason::Directory)
                } else {
                    Ok(())
                }
            }
        }
    }

    fn subfolder(&mut self, fd: &OwnedFd, name: &CStr, stat: &Stat) -> Result<()> {
        if stat.dev != self.device {
            return self.odd(HeldReason::Mount);
        }
        if self.path.ends_with(b".md") || self.depth + 1 >= MAX_DEPTH {
            return self.odd(HeldReason::Directory);
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::openat(fd, name, flags, Mode::empty()) {
            Ok(inner) => {
                self.path.push(b'/');
                self.depth += 1;
                let walked = self.folder(inner);
                self.depth -= 1;
                walked
            }
            Err(_) => self.odd(HeldReason::Directory),
        }
    }

    fn odd(&mut self, reason: HeldReason) -> Result<()> {
        (self.visit)(Seen::Odd { path: &self.path, reason })
    }
}
