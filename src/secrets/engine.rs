//! Runs the rules over one text: keyword filter, then per hit the rule's pattern or reader on a
//! bounded window, then checks and placeholders. Places are those of the text it was given.

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

use super::assign;
use super::assigned;
use super::checks::{Outcome, judge};
use super::filter::{Hit, RULE_COUNT, RULES, each_hit};
use super::rule::{Find, Rule, Shape, Tier};
use super::shapes;
use super::value::{is_masked, is_sequence};

/// Longest token that a pattern is given, in bytes.
const TOKEN_REACH: usize = 2048;
/// How far after its keyword a pattern of [`Find::Near`] may reach, in bytes.
const NEAR_REACH: usize = 256;

static PATTERNS: [OnceLock<Regex>; RULE_COUNT] = [const { OnceLock::new() }; RULE_COUNT];

/// A finding before places are mapped to the source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) rule: &'static Rule,
    pub(super) tier: Tier,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// What one pass over a text found.
pub(super) struct Pass {
    /// In no order.
    pub(super) candidates: Vec<Candidate>,
    /// The first place of something invisible.
    pub(super) veil: Option<usize>,
}

/// One pass over `text`; with `only_first_block` it ends at the first BLOCK finding.
pub(super) fn pass(text: &[u8], only_first_block: bool) -> Pass {
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut veil = None;
    // A name with three keywords in it is read once.
    let mut names_read = 0;
    each_hit(text, |hit| {
        let (number, keyword) = match hit {
            Hit::Veil(at) => {
                veil.get_or_insert(at);
                return true;
            }
            Hit::Keyword { rule, start, end } => (rule, start..end),
        };
        let rule = RULES[number];
        let is_assignment = rule.find == Find::Shape(Shape::Assignment);
        if is_assignment && keyword.start < names_read {
            return true;
        }
        let found = look(text, number, keyword.clone());
        if is_assignment {
            names_read = assign::name_around(text, keyword).end;
        }
        let Some((range, tier)) = found else { return true };
        candidates.push(Candidate { rule, tier, start: range.start, end: range.end });
        !(only_first_block && tier == Tier::Block)
    });
    Pass { candidates, veil }
}

/// What the rule with this number finds at one of its keywords.
fn look(text: &[u8], number: usize, keyword: Range<usize>) -> Option<(Range<usize>, Tier)> {
    let rule = RULES[number];
    let (range, tier) = match rule.find {
        Find::Shape(shape) => return read_shape(text, shape, keyword),
        Find::Token(pattern) => {
            let window = &text[keyword.start..text.len().min(keyword.start + TOKEN_REACH)];
            if touches_word_before(text, keyword.start) {
                return None;
            }
            let found = compiled(number, || format!("\\A(?:{pattern})")).find(window)?;
            (keyword.start..keyword.start + found.end(), rule.tier)
        }
        Find::Near(before, pattern) => {
            let from = keyword.start.saturating_sub(before);
            let window = &text[from..text.len().min(keyword.end + NEAR_REACH)];
            let captures = compiled(number, || pattern.to_owned()).captures(window)?;
            let found = captures.get(1).or_else(|| captures.get(0))?;
            if touches_word_before(text, from + found.start()) {
                return None;
            }
            (from + found.start()..from + found.end(), rule.tier)
        }
        Find::Named(pattern) => {
            let value = assign::read_named(text, keyword)?;
            let whole = compiled(number, || format!("\\A(?:{pattern})\\z"));
            whole.find(&text[value.clone()])?;
            (value, rule.tier)
        }
    };
    let value = &text[range.clone()];
    if touches_word_after(text, &range) || is_cut_off(text, range.end) || is_masked(value) {
        return None;
    }
    match judge(rule.check, value) {
        // The right form around an alphabet or a row of digits is how examples are written.
        Outcome::Passes if is_sequence(value) => Some((range, Tier::Warn)),
        Outcome::Passes => Some((range, tier)),
        Outcome::Doubtful => Some((range, Tier::Warn)),
        Outcome::Fails => None,
    }
}

fn read_shape(text: &[u8], shape: Shape, keyword: Range<usize>) -> Option<(Range<usize>, Tier)> {
    match shape {
        Shape::Pem => shapes::pem(text, keyword.start),
        Shape::Url => shapes::url(text, keyword),
        Shape::Header => shapes::header(text, keyword),
        Shape::Assignment => {
            let assigned = assign::read(text, keyword)?;
            let tier = assigned::judge(text, &assigned)?;
            Some((assigned.value, tier))
        }
    }
}

fn compiled(number: usize, pattern: impl FnOnce() -> String) -> &'static Regex {
    PATTERNS[number].get_or_init(|| {
        let pattern = pattern();
        let built = RegexBuilder::new(&pattern).unicode(false).build();
        built.expect("a test compiles the pattern of every rule")
    })
}

/// A letter or digit directly before `start`, unless it belongs to an escape such as `\n`.
fn touches_word_before(text: &[u8], start: usize) -> bool {
    match text[..start] {
        [.., b'\\', b'n' | b'r' | b't'] => false,
        // Percent-encoded `=`, `:`, quote, blank or slash.
        [.., b'%', b'2' | b'3', digit] => !digit.is_ascii_hexdigit(),
        [.., last] => last.is_ascii_alphanumeric(),
        [] => false,
    }
}

/// The token goes on after its end: a letter or digit, or one behind a `-` or `_` such as it has
/// in itself (in its second half: the first may be a prefix). A token without them ends there, as
/// in a file name that goes on with `-notes.md`.
fn touches_word_after(text: &[u8], token: &Range<usize>) -> bool {
    let half = &text[token.start + token.len() / 2..token.end];
    match text[token.end..] {
        [joint @ (b'-' | b'_'), next, ..] => half.contains(&joint) && next.is_ascii_alphanumeric(),
        [next, ..] => next.is_ascii_alphanumeric(),
        [] => false,
    }
}

/// The writer broke the value off: `ghp_abc…`.
fn is_cut_off(text: &[u8], end: usize) -> bool {
    text[end..].starts_with(b"...") || text[end..].starts_with("\u{2026}".as_bytes())
}

/// Sorts by place and makes one finding of those that overlap: the range of all, the highest
/// tier, and the most specific rule (a shape reader's name gives way to a vendor's). A vendor's
/// form that a checksum doubts and a name that says "secret" together leave no doubt.
pub(super) fn settle(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    candidates.sort_by_key(|candidate| (candidate.start, std::cmp::Reverse(candidate.end)));
    let mut settled: Vec<Candidate> = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        match settled.last_mut().filter(|last| candidate.start < last.end) {
            Some(last) => {
                let agree = is_generic(last.rule) != is_generic(candidate.rule);
                if is_generic(last.rule) && !is_generic(candidate.rule) {
                    last.rule = candidate.rule;
                }
                last.tier = if agree { Tier::Block } else { last.tier.max(candidate.tier) };
                last.end = last.end.max(candidate.end);
            }
            None => settled.push(candidate),
        }
    }
    settled
}

fn is_generic(rule: &Rule) -> bool {
    match rule.find {
        Find::Shape(Shape::Pem) => false,
        Find::Shape(Shape::Url | Shape::Header | Shape::Assignment) => true,
        Find::Token(_) | Find::Near(..) | Find::Named(_) => false,
    }
}
