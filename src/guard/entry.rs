//! The checks of a whole entry: which files memory holds, of which mode, size and content.

use super::{Refusal, check_name, show};
use crate::memory::limits::ENTRY_BYTES;
use crate::secrets;

/// The folder of a team store for its own rules.
const KITH_FOLDER: &str = ".kith";
/// The files that the folder may hold.
const KITH_FILES: [&str; 2] = ["policy.yaml", "tombstones"];

/// The bits of a git mode that say what kind of entry it is.
const MODE_FILE: u32 = 0o100_644;
const MODE_EXECUTABLE: u32 = 0o100_755;
const MODE_SYMLINK: u32 = 0o120_000;
const MODE_SUBMODULE: u32 = 0o160_000;

/// Whether memory holds files of that name: notes and logs (`*.md`, in hidden folders too), the
/// policy and the tombstones. Temporary files of writers, locks and backups are not memory.
///
/// `path` is relative to the memory directory, with `/`; its safety is [`check_name`]'s business.
#[must_use]
pub fn allowed(path: &str) -> bool {
    if let Some((KITH_FOLDER, file)) = path.split_once('/') {
        return KITH_FILES.contains(&file);
    }
    let mut components = path.split('/');
    if components.any(|component| component.is_empty() || component == KITH_FOLDER) {
        return false;
    }
    let file = path.rsplit('/').next().unwrap_or(path);
    file.ends_with(".md") && file != ".md" && !is_temporary(file)
}

/// Whether a file name is one that editors and writers make for a moment, or the system for itself:
/// nobody misses it.
#[must_use]
pub fn is_temporary(file: &str) -> bool {
    file.starts_with(".#")
        || file.starts_with(".kith-")
        || file.ends_with('~')
        || file.contains(".md.tmp.")
        || (file.starts_with('.') && !file.ends_with(".md"))
}

/// Checks one entry of a tree that others wrote by everything but its content: name, mode, kind
/// and size, in this order. `mode` is git's (`0o100644` …), `size` in bytes.
///
/// # Errors
/// The first reason to refuse it.
pub fn check_entry(path: &[u8], mode: u32, size: u64) -> Result<(), Refusal> {
    check_name(path)?;
    match mode {
        MODE_FILE | MODE_EXECUTABLE => {}
        MODE_SYMLINK => return Err(Refusal::Symlink { path: show(path) }),
        MODE_SUBMODULE => return Err(Refusal::Submodule { path: show(path) }),
        mode => return Err(Refusal::Mode { path: show(path), mode }),
    }
    let listed = std::str::from_utf8(path).is_ok_and(allowed);
    if !listed {
        return Err(Refusal::Unlisted { path: show(path) });
    }
    let max = ENTRY_BYTES as u64;
    if size > max {
        return Err(Refusal::Size { path: show(path), bytes: size, max });
    }
    Ok(())
}

/// Checks the bytes of an entry: no secret may be in them.
///
/// # Errors
/// The rule and line of the first secret; never its value.
pub fn check_content(text: &[u8]) -> Result<(), Refusal> {
    match secrets::scan_blocking(text) {
        Some(finding) => Err(Refusal::Secret { rule: finding.rule.to_owned(), line: finding.line }),
        None => Ok(()),
    }
}
