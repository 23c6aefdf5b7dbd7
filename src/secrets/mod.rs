//! Finds secrets in texts, and takes them out.
//!
//! Owns the rules (as data, `rules/`), the scan and the redaction. Writes no file, reads none, and
//! decides nothing about what a finding means for a commit. A finding holds places and the name of
//! a rule, never the value.

mod assign;
mod assigned;
mod checks;
mod engine;
mod filter;
mod names;
mod redact;
mod rule;
mod rules;
mod shapes;
#[cfg(test)]
mod tests;
mod value;
mod view;

use engine::{Candidate, pass, settle};
use view::{Decoded, Stripped};

pub use redact::redact;
pub use rule::{Check, Find, Rule, Shape, Tier};

/// Raised when the engine judges the same rules differently, so that cached verdicts expire.
const ENGINE_VERSION: u64 = 1;

/// Where a secret lies. Never holds the secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule's name.
    pub rule: &'static str,
    /// How sure it is.
    pub tier: Tier,
    /// Line in the source, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// First byte in the source.
    pub start: usize,
    /// Byte after the last one in the source.
    pub end: usize,
}

/// All findings of a text of any bytes, in order of place, none overlapping. UTF-16 with a
/// byte-order mark is decoded; invisible characters inside a token do not hide it.
pub fn scan(text: &[u8]) -> Vec<Finding> {
    scan_until(text, false)
}

/// The first BLOCK finding that the scan meets; cheaper than [`scan`] where one is enough.
pub fn scan_blocking(text: &[u8]) -> Option<Finding> {
    scan_until(text, true).into_iter().find(|finding| finding.tier == Tier::Block)
}

/// Changes whenever the same text might be judged differently.
pub fn ruleset_version() -> u64 {
    filter::rules_hash(ENGINE_VERSION)
}

/// All rules, grouped by family.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    filter::RULES.iter().copied()
}

fn scan_until(source: &[u8], only_first_block: bool) -> Vec<Finding> {
    match Decoded::from_utf16(source) {
        None => place(source, &scan_utf8(source, only_first_block), |start, end| (start, end)),
        Some(decoded) => {
            let found = scan_utf8(&decoded.text, only_first_block);
            place(&decoded.text, &found, |start, end| decoded.source_range(start, end))
        }
    }
}

/// Both as it stands and without what nobody sees: either can hold what the other breaks.
fn scan_utf8(text: &[u8], only_first_block: bool) -> Vec<Candidate> {
    let seen = pass(text, only_first_block);
    let mut candidates = seen.candidates;
    if let Some(veil) = seen.veil {
        let stripped = Stripped::new(text, veil);
        candidates.extend(pass(&stripped.text, only_first_block).candidates.into_iter().map(
            |it| {
                let (start, end) = stripped.source_range(it.start, it.end);
                Candidate { start, end, ..it }
            },
        ));
    }
    settle(candidates)
}

/// Adds line and column, and maps byte ranges of `text` to those of the source.
fn place(
    text: &[u8],
    candidates: &[Candidate],
    source: impl Fn(usize, usize) -> (usize, usize),
) -> Vec<Finding> {
    let (mut line, mut column, mut counted) = (1u32, 1u32, 0);
    let mut findings = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        for &byte in &text[counted..candidate.start] {
            if byte == b'\n' {
                (line, column) = (line.saturating_add(1), 1);
            } else if byte & 0xC0 != 0x80 {
                column = column.saturating_add(1);
            }
        }
        counted = candidate.start;
        let (start, end) = source(candidate.start, candidate.end);
        findings.push(Finding {
            rule: candidate.rule.id,
            tier: candidate.tier,
            line,
            column,
            start,
            end,
        });
    }
    findings
}
