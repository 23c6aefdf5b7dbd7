//! Changing one live file: by directory handle, never through a link, never over bytes that were
//! not captured. What was displaced is kept until nobody can still be writing it.

use super::gate::HeldReason;
use super::live::{open_dir, stat_of};
use super::{FileChange, Result, Store, VaultError, displaced, io_at};
use crate::git::{Leaf, Oid, Stat};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use std::io::{Read, Write};
use std::path::PathBuf;

/// What came of one file.
#[derive(Debug)]
pub(super) enum Applied {
    /// Changed; the new file's stat (`None`: deleted).
    Done(Option<Stat>),
    /// It had the wanted bytes already.
    There(Option<Stat>),
    /// The live file is not what was captured: left alone, the next capture merges it.
    Changed,
    /// Something else stands there.
    Held(HeldReason),
}

/// One path's folder by handle, and the name in it.
struct Place<'s> {
    store: &'s Store,
    folder: OwnedFd,
    name: String,
    path: &'s str,
}

fn errno(store: &Store, path: &str) -> impl Fn(Errno) -> VaultError {
    let path = store.dir.join(path);
    move |e| VaultError::Io { path: path.clone(), source: e.into() }
}

/// Makes the live file what the change says, if it is still what the change expects.
pub(super) fn apply(store: &Store, change: &FileChange) -> Result<Applied> {
    let Some(place) = Place::open(store, &change.path, change.after.is_some())? else {
        return Ok(match change.after {
            None => Applied::There(None),
            Some(_) => Applied::Held(HeldReason::Directory),
        });
    };
    let live = match place.live()? {
        Live::Odd(reason) => return Ok(Applied::Held(reason)),
        Live::Absent => None,
        Live::File(bytes, stat) => Some((Oid::of_blob(&bytes), stat)),
    };
    let wanted = change.after.map(|l| l.id);
    match (live, wanted) {
        (None, None) => Ok(Applied::There(None)),
        (Some((id, stat)), Some(want)) if id == want => Ok(Applied::There(Some(stat))),
        (live, _) if live.map(|(id, _)| id) != change.before => Ok(Applied::Changed),
        (None, Some(_)) => place.create(change.after.expect("matched")),
        (Some((id, _)), None) => place.delete(id),
        (Some((id, stat)), Some(_)) => place.replace(id, &stat, change.after.expect("matched")),
    }
}

/// The live bytes of a path, `None` when there is no plain file.
pub(super) fn read_live(store: &Store, path: &str) -> Result<Option<Vec<u8>>> {
    let Some(place) = Place::open(store, path, false)? else { return Ok(None) };
    Ok(match place.live()? {
        Live::File(bytes, _) => Some(bytes),
        Live::Absent | Live::Odd(_) => None,
    })
}

enum Live {
    Absent,
    Odd(HeldReason),
    File(Vec<u8>, Stat),
}

impl<'s> Place<'s> {
    /// Opens the folder of `path`, making it if asked; `None` when something else is in the way.
    fn open(store: &'s Store, path: &'s str, make: bool) -> Result<Option<Place<'s>>> {
        let mut folder = open_dir(&store.dir)?;
        let mut parts: Vec<&str> = path.split('/').collect();
        let name = parts.pop().unwrap_or_default().to_string();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for part in parts {
            let mut next = rustix::fs::openat(&folder, part, flags, Mode::empty());
            if make && matches!(next, Err(Errno::NOENT)) {
                match rustix::fs::mkdirat(&folder, part, Mode::from_raw_mode(0o755)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(e) => return Err(errno(store, path)(e)),
                }
                next = rustix::fs::openat(&folder, part, flags, Mode::empty());
            }
            folder = match next {
                Ok(fd) => fd,
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(None),
                Err(e) => return Err(errno(store, path)(e)),
            };
        }
        Ok(Some(Place { store, folder, name, path }))
    }

    fn live(&self) -> Result<Live> {
        let raw = match rustix::fs::statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(raw) => raw,
            Err(Errno::NOENT) => return Ok(Live::Absent),
            Err(e) => return Err(errno(self.store, self.path)(e)),
        };
        match FileType::from_raw_mode(raw.st_mode) {
            FileType::RegularFile => {}
            FileType::Symlink => return Ok(Live::Odd(HeldReason::Symlink)),
            FileType::Directory
            | FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => return Ok(Live::Odd(HeldReason::Directory)),
        }
        Ok(match self.read(&self.name)? {
            Some(bytes) => Live::File(bytes, stat_of(&raw)),
            None => Live::Absent,
        })
    }

    fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let fd = match rustix::fs::openat(&self.folder, name, flags, Mode::empty()) {
            Ok(fd) => fd,
            Err(Errno::NOENT) => return Ok(None),
            Err(e) => return Err(errno(self.store, self.path)(e)),
        };
        let mut bytes = Vec::new();
        let shown = self.store.dir.join(self.path);
        std::fs::File::from(fd).read_to_end(&mut bytes).map_err(io_at(&shown))?;
        Ok(Some(bytes))
    }

    /// Writes the new bytes into a temporary file beside the note, down to the disk.
    fn temporary(&self, leaf: Leaf, mode: u32) -> Result<String> {
        let bytes = self.store.repo.blob(leaf.id)?;
        let shown = self.store.dir.join(self.path);
        for attempt in 0..100_u32 {
            let name = format!("{}{}-{attempt}", prefix(self.path), std::process::id());
            let flags =
                OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let made =
                rustix::fs::openat(&self.folder, &name, flags, Mode::from_raw_mode(mode & 0o777));
            let fd = match made {
                Ok(fd) => fd,
                Err(Errno::EXIST) => continue,
                Err(e) => return Err(errno(self.store, self.path)(e)),
            };
            rustix::fs::fchmod(&fd, Mode::from_raw_mode(mode & 0o777))
                .map_err(errno(self.store, self.path))?;
            let mut file = std::fs::File::from(fd);
            let written = file.write_all(&bytes).and_then(|()| file.sync_all());
            if let Err(e) = written {
                let _ = rustix::fs::unlinkat(&self.folder, &name, AtFlags::empty());
                return Err(io_at(&shown)(e));
            }
            return Ok(name);
        }
        Err(io_at(&shown)(std::io::Error::other("no free temporary name")))
    }

    fn stat(&self) -> Option<Stat> {
        rustix::fs::statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW)
            .ok()
            .map(|raw| stat_of(&raw))
    }

    fn create(&self, leaf: Leaf) -> Result<Applied> {
        let temp = self.temporary(leaf, if leaf.mode == 0o100_755 { 0o755 } else { 0o644 })?;
        self.put_new(&temp)
    }

    /// Gives a temporary file its name, only if nothing has it.
    fn put_new(&self, temp: &str) -> Result<Applied> {
        let flags = RenameFlags::NOREPLACE;
        let done =
            match rustix::fs::renameat_with(&self.folder, temp, &self.folder, &self.name, flags) {
                Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                    let linked = rustix::fs::linkat(
                        &self.folder,
                        temp,
                        &self.folder,
                        &self.name,
                        AtFlags::empty(),
                    );
                    if linked.is_ok() {
                        self.unlink(temp)?;
                    }
                    linked
                }
                other => other,
            };
        match done {
            Ok(()) => Ok(Applied::Done(self.stat())),
            Err(Errno::EXIST) => {
                self.unlink(temp)?;
                Ok(Applied::Changed)
            }
            Err(e) => Err(errno(self.store, self.path)(e)),
        }
    }

    fn replace(&self, before: Oid, old: &Stat, leaf: Leaf) -> Result<Applied> {
        let temp = self.temporary(leaf, old.mode)?;
        let swapped = rustix::fs::renameat_with(
            &self.folder,
            &temp,
            &self.folder,
            &self.name,
            RenameFlags::EXCHANGE,
        );
        match swapped {
            Ok(()) => {
                let stat = self.stat();
                displaced::keep(self.store, self.folder.as_fd(), &temp, (self.path, before))?;
                Ok(Applied::Done(stat))
            }
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                // No exchange here: the old file steps aside, then the new one takes a free name.
                let aside = format!("{temp}-old");
                rustix::fs::renameat(&self.folder, &self.name, &self.folder, &aside)
                    .map_err(errno(self.store, self.path))?;
                let put = self.put_new(&temp)?;
                displaced::keep(self.store, self.folder.as_fd(), &aside, (self.path, before))?;
                Ok(put)
            }
            Err(Errno::NOENT) => {
                self.unlink(&temp)?;
                Ok(Applied::Changed)
            }
            Err(e) => Err(errno(self.store, self.path)(e)),
        }
    }

    fn delete(&self, before: Oid) -> Result<Applied> {
        let aside = format!("{}{}-gone", prefix(self.path), std::process::id());
        match rustix::fs::renameat(&self.folder, &self.name, &self.folder, &aside) {
            Ok(()) => {}
            Err(Errno::NOENT) => return Ok(Applied::There(None)),
            Err(e) => return Err(errno(self.store, self.path)(e)),
        }
        displaced::keep(self.store, self.folder.as_fd(), &aside, (self.path, before))?;
        self.remove_empty_folders();
        Ok(Applied::Done(None))
    }

    /// Folders that the last note has left go too; the first that is not empty ends it.
    fn remove_empty_folders(&self) {
        let mut folder = PathBuf::from(self.path);
        while folder.pop() && !folder.as_os_str().is_empty() {
            if std::fs::remove_dir(self.store.dir.join(&folder)).is_err() {
                return;
            }
        }
    }

    fn unlink(&self, name: &str) -> Result<()> {
        rustix::fs::unlinkat(&self.folder, name, AtFlags::empty())
            .map_err(errno(self.store, self.path))
    }
}

/// The start of the temporary names that belong to one path.
fn prefix(path: &str) -> String {
    format!(".kith-{}-", Oid::of_blob(path.as_bytes()).short())
}

/// After a crash, before the landing is finished: temporary files of this path that are still
/// beside it. Where the exchange had happened they are the displaced file, which is kept until
/// nobody can be writing it; else they are our own copy, and go.
pub(super) fn clear_leftovers(store: &Store, change: &FileChange) -> Result<()> {
    let path = change.path.as_str();
    let Some(place) = Place::open(store, path, false)? else { return Ok(()) };
    let prefix = prefix(path);
    let live = match place.live()? {
        Live::File(bytes, _) => Some(Oid::of_blob(&bytes)),
        Live::Absent | Live::Odd(_) => None,
    };
    let entries = rustix::fs::Dir::read_from(&place.folder).map_err(errno(store, path))?;
    for entry in entries {
        let entry = entry.map_err(errno(store, path))?;
        let Ok(name) = entry.file_name().to_str() else { continue };
        if !name.starts_with(&prefix) {
            continue;
        }
        let bytes = place.read(name)?.unwrap_or_default();
        match change.before {
            Some(before) if displaced_is(store, change, (live, before), &bytes)? => {
                displaced::keep(store, place.folder.as_fd(), name, (path, before))?;
            }
            Some(_) | None => place.unlink(name)?,
        }
    }
    Ok(())
}

/// Whether a leftover is the displaced file rather than our own, perhaps torn, copy.
fn displaced_is(
    store: &Store,
    change: &FileChange,
    (live, before): (Option<Oid>, Oid),
    bytes: &[u8],
) -> Result<bool> {
    if live == change.after.map(|l| l.id) {
        return Ok(true);
    }
    if live == Some(before) {
        return Ok(false);
    }
    // The live file was edited since: what is not the start of our copy is somebody's.
    let ours = match change.after {
        Some(after) => store.repo.blob(after.id)?.starts_with(bytes),
        None => false,
    };
    Ok(Oid::of_blob(bytes) == before || !ours)
}
