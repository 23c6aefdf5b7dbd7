//! The clock: made once for the whole program, fixed in tests.

use chrono::{DateTime, FixedOffset, Local};

/// Tells the time; a fixed one always tells the same.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    fixed: Option<DateTime<FixedOffset>>,
}

impl Clock {
    /// The system's clock.
    pub fn system() -> Clock {
        Clock::default()
    }

    /// A clock that stands still.
    pub fn fixed(at: DateTime<FixedOffset>) -> Clock {
        Clock { fixed: Some(at) }
    }

    /// Now, with the person's offset from UTC.
    #[allow(clippy::disallowed_methods)] // The one place that asks the system for the time.
    pub fn now(&self) -> DateTime<FixedOffset> {
        self.fixed.unwrap_or_else(|| Local::now().fixed_offset())
    }

    /// A point to measure durations from, whatever the clock on the wall does.
    #[allow(clippy::disallowed_methods)] // As above.
    pub fn instant(&self) -> std::time::Instant {
        std::time::Instant::now()
    }
}
