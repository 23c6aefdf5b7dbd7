//! Whether some process has a file open for writing, by a read lease (Linux). Elsewhere nobody can
//! tell, and the caller falls back to watching the file's times.

use std::fs::File;

/// `F_SETSIG` of Linux's `fcntl.h`, which the libc crate does not name for every target.
#[cfg(target_os = "linux")]
const F_SETSIG: libc::c_int = 10;

/// What is known of a file's writers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writers {
    /// Nobody has it open for writing.
    None,
    /// Somebody has.
    Some,
    /// The system or file system cannot say.
    Unknown,
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)] // F_SETLEASE has no safe wrapper; the calls take an open descriptor and integers.
pub(super) fn writers(file: &File) -> Writers {
    use std::os::fd::AsRawFd;
    let fd = file.as_raw_fd();
    // SIGURG is ignored by default: a writer that breaks the lease must not end this process.
    // SAFETY: `fd` is open for the whole call and fcntl only reads the integers.
    let taken = unsafe {
        libc::fcntl(fd, F_SETSIG, libc::SIGURG);
        libc::fcntl(fd, libc::F_SETLEASE, libc::F_RDLCK)
    };
    if taken == 0 {
        // SAFETY: as above.
        unsafe { libc::fcntl(fd, libc::F_SETLEASE, libc::F_UNLCK) };
        return Writers::None;
    }
    match std::io::Error::last_os_error().raw_os_error() {
        Some(libc::EAGAIN) => Writers::Some,
        _ => Writers::Unknown,
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn writers(_file: &File) -> Writers {
    Writers::Unknown
}
