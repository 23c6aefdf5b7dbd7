//! Puts `<redacted:rule>` in the place of every finding.

use std::borrow::Cow;

use super::{Finding, scan};

/// Passes after which a text that still has findings is withheld line by line.
const MOST_PASSES: usize = 8;

/// The text with every finding of either tier replaced by `<redacted:rule>`; what it returns has
/// no finding.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut findings = scan(text.as_bytes());
    if findings.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut clean = text.to_owned();
    // What was hidden behind a finding can come to light once that is gone.
    for _ in 0..MOST_PASSES {
        clean = replace(&clean, &findings);
        findings = scan(clean.as_bytes());
        if findings.is_empty() {
            return Cow::Owned(clean);
        }
    }
    Cow::Owned(findings.iter().map(mark).collect())
}

fn mark(finding: &Finding) -> String {
    format!("<redacted:{}>", finding.rule)
}

fn replace(text: &str, findings: &[Finding]) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut copied = 0;
    for finding in findings {
        let is_boundary = |at: &usize| text.is_char_boundary(*at);
        let start = (0..=finding.start).rev().find(is_boundary).map_or(copied, |it| it.max(copied));
        let end = (finding.end..text.len()).find(is_boundary).unwrap_or(text.len()).max(start);
        clean.push_str(&text[copied..start]);
        clean.push_str(&mark(finding));
        copied = end;
    }
    clean.push_str(&text[copied..]);
    clean
}
