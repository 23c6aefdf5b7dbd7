//! Walking the live directory by directory handles, never through a link.

use super::gate::HeldReason;
use super::{Result, StoreKind, VaultError};
use crate::git::Stat;
use crate::guard;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use std::ffi::CStr;
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

impl Walk<'_> {
    fn failed(&self, e: rustix::io::Errno) -> VaultError {
        let path = self.root.join(String::from_utf8_lossy(&self.path).as_ref());
        VaultError::Io { path, source: e.into() }
    }

    fn folder(&mut self, fd: OwnedFd) -> Result<()> {
        for entry in Dir::read_from(&fd).map_err(|e| self.failed(e))? {
            let entry = entry.map_err(|e| self.failed(e))?;
            let name = entry.file_name();
            let bytes = name.to_bytes();
            if bytes == b"." || bytes == b".." || self.foreign(bytes) {
                continue;
            }
            let length = self.path.len();
            self.path.extend_from_slice(bytes);
            let visited = self.entry(&fd, name, entry.file_type());
            self.path.truncate(length);
            visited?;
        }
        Ok(())
    }

    /// What is not this store's business: hidden things (but a team's policy), and the team's
    /// folder inside a private memory directory.
    fn foreign(&self, name: &[u8]) -> bool {
        let top = self.depth == 0;
        match self.kind {
            StoreKind::Team => name.starts_with(b".") && !(top && name == b".kith"),
            StoreKind::Private => name.starts_with(b".") || (top && name == b"team"),
            StoreKind::Agent => name.starts_with(b"."),
        }
    }

    fn entry(&mut self, fd: &OwnedFd, name: &CStr, hint: FileType) -> Result<()> {
        let note =
            std::str::from_utf8(&self.path).map_or(self.path.ends_with(b".md"), guard::allowed);
        if hint == FileType::RegularFile && !note {
            return Ok(());
        }
        let Ok(raw) = rustix::fs::statat(fd, name, AtFlags::SYMLINK_NOFOLLOW) else {
            return Ok(()); // It vanished since the folder was listed.
        };
        let stat = stat_of(&raw);
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
