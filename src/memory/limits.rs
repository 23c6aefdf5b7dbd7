//! Every number that the memory format knows, with its unit and where it comes from.
//!
//! Owns the numbers of notes, indexes and merges. Numbers of one engine (retries, leases, time
//! gates) live at the top of that engine's room.

/// Lines of an index that an agent is given at session start (client documentation).
pub const INDEX_LINES: usize = 200;
/// Bytes of an index that an agent is given, counted after the line cap (client documentation).
pub const INDEX_BYTES: usize = 25_000;
/// Characters that one index line should not exceed (client documentation).
pub const INDEX_LINE_CHARS: usize = 150;
/// Bytes of one note that a team store accepts (limit of the vendor's sync, kept for compatibility).
pub const ENTRY_BYTES: usize = 250_000;
/// Lines that the client reads of a note to find its header (client behaviour).
pub const HEADER_LINES: usize = 30;
/// Notes that the client lists, newest first (client behaviour).
pub const SCAN_NOTES: usize = 200;
/// Characters of a slug that becomes a file name (our choice: short enough for every file system
/// together with a directory and a suffix).
pub const SLUG_CHARS: usize = 60;
/// Bytes of one component of a path (the common limit of file systems).
pub const PATH_COMPONENT_BYTES: usize = 255;
/// Bytes of a whole memory path (our choice: leaves room for the directory it lives in).
pub const PATH_BYTES: usize = 1_024;

/// Lines of both texts together, without what they begin and end with in common, up to which the
/// exact difference is computed; longer texts are first cut at lines that stand once in each (our
/// choice: bounds time and stack on hostile input, far above real notes).
pub const EXACT_DIFF_LINES: usize = 12_000;
/// Keys of a header up to which it is merged key by key; a longer one is merged as text (our
/// choice: real ones have about ten).
pub const HEADER_KEYS: usize = 500;
/// Pairs of units that are compared for likeness in one contested place (our choice: above it,
/// units of a rewritten region are no longer matched to what they were made from).
pub const LIKENESS_PAIRS: usize = 250_000;
/// Share of common words, in percent, above which a unit counts as an edit of another
/// (our choice, tried on real merges).
pub const LIKENESS_PERCENT: u32 = 50;
/// The same share for a unit that both sides have and the base has not: most likely both made it
/// of the same unit (our choice).
pub const TWIN_PERCENT: u32 = 25;
/// Letters and digits from which a unit says something of its own, so that it is kept once where
/// both sides added it (our choice: below are rules, ticks and table borders).
pub const SAYING_CHARS: usize = 3;
/// Levels of nested header mappings that are merged key by key; deeper ones are merged as one
/// value (our choice; the known formats have one nested level).
pub const HEADER_DEPTH: usize = 4;
