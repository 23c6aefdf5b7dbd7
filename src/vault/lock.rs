//! The advisory lock of a store: for local steps only, released by the system when its holder dies.
//! It saves work; correctness rests on compare-and-swap.

use super::{Result, VaultError, io_at};
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::Duration;

/// How long a command waits for the lock, in steps. Local steps take milliseconds; a holder of more
/// than 30 s is stuck.
const WAIT: Duration = Duration::from_secs(30);
const STEP: Duration = Duration::from_millis(5);

/// A held lock; dropped = released.
#[derive(Debug)]
pub(super) struct FileLock {
    _file: File,
}

impl FileLock {
    /// Takes the lock, waiting for another holder.
    pub(super) fn wait(path: &Path) -> Result<FileLock> {
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)
            .map_err(io_at(path))?;
        let mut waited = Duration::ZERO;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(FileLock { _file: file }),
                Err(TryLockError::WouldBlock) if waited < WAIT => {
                    std::thread::sleep(STEP);
                    waited += STEP;
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(VaultError::Busy {
                        what: "the store".into(),
                        lock: path.to_path_buf(),
                    });
                }
                Err(TryLockError::Error(e)) => return Err(io_at(path)(e)),
            }
        }
    }
}
