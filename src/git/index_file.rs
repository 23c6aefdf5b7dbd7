//! The bytes of an index file in the plain form (versions 2 and 3): found by binary search and
//! spliced as a whole, since parsing it into objects costs more than everything else of a capture.
//! Extensions that git may drop are dropped; a form that needs one is not read here.

use super::{Leaf, Oid, Stat};
use sha1::{Digest, Sha1};

/// The fixed part of an entry before its name: ten numbers, the id, the flags.
const FIXED: usize = 62;
const HEADER: usize = 12;
const CHECKSUM: usize = 20;
/// An entry whose flags have this bit carries two more bytes (version 3).
const EXTENDED: u16 = 0x4000;
/// The bits that hold the merge stage; entries of a conflict have one.
const STAGE: u16 = 0x3000;
/// The longest name length that the flags can hold; longer names say this.
const LONG_NAME: usize = 0xFFF;

/// The numbers and the id of one entry, as they stand in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    bytes: [u8; FIXED - 2],
}

impl Row {
    pub(super) fn new(leaf: Leaf, stat: Option<&Stat>) -> Row {
        let s = stat.map_or([0; 9], |s| {
            [
                s.ctime.0 as u32,
                s.ctime.1,
                s.mtime.0 as u32,
                s.mtime.1,
                s.dev as u32,
                s.ino as u32,
                s.uid,
                s.gid,
                s.size as u32,
            ]
        });
        let numbers = [s[0], s[1], s[2], s[3], s[4], s[5], leaf.mode, s[6], s[7], s[8]];
        let mut bytes = [0; FIXED - 2];
        for (at, number) in numbers.iter().enumerate() {
            bytes[at * 4..at * 4 + 4].copy_from_slice(&number.to_be_bytes());
        }
        bytes[40..60].copy_from_slice(leaf.id.0.as_bytes());
        Row { bytes }
    }

    pub(super) fn from_entry(e: &git2::IndexEntry) -> Row {
        let stat = Stat {
            mtime: (i64::from(e.mtime.seconds()), e.mtime.nanoseconds()),
            ctime: (i64::from(e.ctime.seconds()), e.ctime.nanoseconds()),
            ino: u64::from(e.ino),
            dev: u64::from(e.dev),
            size: u64::from(e.file_size),
            mode: e.mode,
            uid: e.uid,
            gid: e.gid,
        };
        Row::new(Leaf { mode: e.mode, id: Oid(e.id) }, Some(&stat))
    }

    fn number(&self, at: usize) -> u32 {
        let b = &self.bytes[at * 4..at * 4 + 4];
        u32::from_be_bytes([b[0], b[1], b[2], b[3]])
    }

    pub(super) fn leaf(&self) -> Leaf {
        Leaf { mode: self.number(6), id: Oid::from_raw(&self.bytes[40..60]) }
    }

    /// Whether the stat is the one the entry was made with. Device, owner and group are left out:
    /// they change with a mount, not with the bytes.
    pub(super) fn is_of(&self, s: &Stat) -> bool {
        let now = [s.ctime.0 as u32, s.ctime.1, s.mtime.0 as u32, s.mtime.1];
        (0..4).all(|at| self.number(at) == now[at])
            && self.number(5) == s.ino as u32
            && self.number(6) == s.git_mode()
            && self.number(9) == s.size as u32
    }
}

/// A whole index file with the places of its entries.
#[derive(Debug, Default)]
pub(super) struct Image {
    bytes: Vec<u8>,
    starts: Vec<u32>,
    end: usize,
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    let b = bytes.get(at..at + 4)?;
    Some(u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
}

impl Image {
    /// Reads the entries' places; `None` for another form, a torn file or an open conflict.
    pub(super) fn parse(bytes: Vec<u8>) -> Option<Image> {
        if bytes.get(..4)? != b"DIRC" || !matches!(be32(&bytes, 4)?, 2 | 3) {
            return None;
        }
        let count = be32(&bytes, 8)? as usize;
        let last = bytes.len().checked_sub(CHECKSUM)?;
        let mut starts = Vec::with_capacity(count.min(bytes.len() / FIXED));
        let mut at = HEADER;
        for _ in 0..count {
            let flags = flags(bytes.get(at..at + FIXED)?);
            let name = at + FIXED + if flags & EXTENDED == 0 { 0 } else { 2 };
            let length = match usize::from(flags) & LONG_NAME {
                LONG_NAME => bytes.get(name..)?.iter().position(|b| *b == 0)?,
                short => short,
            };
            if flags & STAGE != 0 || name + length >= last {
                return None;
            }
            starts.push(u32::try_from(at).ok()?);
            at += (name - at + length + 8) & !7;
        }
        let end = at;
        while at < last {
            // A small first letter marks an extension that must be understood.
            if bytes.get(at)?.is_ascii_lowercase() {
                return None;
            }
            at += 8 + be32(&bytes, at + 4)? as usize;
        }
        Some(Image { bytes, starts, end })
    }

    fn name(&self, start: u32) -> &[u8] {
        let at = start as usize;
        let flags = flags(&self.bytes[at..at + FIXED]);
        let name = at + FIXED + if flags & EXTENDED == 0 { 0 } else { 2 };
        let rest = &self.bytes[name..self.end];
        let length = match usize::from(flags) & LONG_NAME {
            LONG_NAME => rest.iter().position(|b| *b == 0).unwrap_or(rest.len()),
            short => short,
        };
        &rest[..length]
    }

    /// The entry at `path`.
    pub(super) fn find(&self, path: &[u8]) -> Option<Row> {
        let at = self.starts.binary_search_by(|start| self.name(*start).cmp(path)).ok()?;
        let start = self.starts[at] as usize;
        let bytes = self.bytes[start..start + FIXED - 2].try_into().ok()?;
        Some(Row { bytes })
    }

    /// The file's bytes with these entries set or removed; `rows` are sorted by path.
    pub(super) fn with(&self, rows: &[(&[u8], Option<Row>)]) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.end + 128 * rows.len() + HEADER + CHECKSUM);
        out.extend_from_slice(b"DIRC\0\0\0\x03\0\0\0\0");
        let mut count = 0u32;
        let mut copied = 0;
        for (path, row) in rows {
            let at = self.starts.partition_point(|start| self.name(*start) < *path);
            count += self.copy(&mut out, copied, at);
            let there = self.starts.get(at).is_some_and(|start| self.name(*start) == *path);
            copied = at + usize::from(there);
            if let Some(row) = row {
                put(&mut out, path, row);
                count += 1;
            }
        }
        count += self.copy(&mut out, copied, self.starts.len());
        let version: u32 = if self.bytes.get(7) == Some(&3) { 3 } else { 2 };
        out[4..8].copy_from_slice(&version.to_be_bytes());
        out[8..12].copy_from_slice(&count.to_be_bytes());
        let sum = Sha1::digest(&out);
        out.extend_from_slice(&sum);
        out
    }

    /// Copies the entries `from..to` as they are; gives how many.
    fn copy(&self, out: &mut Vec<u8>, from: usize, to: usize) -> u32 {
        if from >= to {
            return 0;
        }
        let start = self.starts[from] as usize;
        let end = self.starts.get(to).map_or(self.end, |next| *next as usize);
        out.extend_from_slice(&self.bytes[start..end]);
        (to - from) as u32
    }
}

fn flags(entry: &[u8]) -> u16 {
    u16::from_be_bytes([entry[FIXED - 2], entry[FIXED - 1]])
}

fn put(out: &mut Vec<u8>, path: &[u8], row: &Row) {
    let start = out.len();
    out.extend_from_slice(&row.bytes);
    out.extend_from_slice(&(path.len().min(LONG_NAME) as u16).to_be_bytes());
    out.extend_from_slice(path);
    let padded = start + ((out.len() - start + 8) & !7);
    out.resize(padded, 0);
}
