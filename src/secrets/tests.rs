//! Laws of the scan, and every rule's own examples.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

fn found_in(text: &str) -> Vec<(&'static str, Tier)> {
    scan(text.as_bytes()).into_iter().map(|finding| (finding.rule, finding.tier)).collect()
}

fn example(id: &str, at: usize) -> String {
    rules().find(|rule| rule.id == id).unwrap().positive[at].concat()
}

/// A token with a right checksum.
fn github_token() -> String {
    example("github-token", 0)
}

fn only(text: &[u8]) -> Finding {
    let found = scan(text);
    assert_eq!(found.len(), 1, "{found:?}");
    found[0]
}

#[test]
fn every_rule_finds_its_positives() {
    for rule in rules() {
        assert!(!rule.positive.is_empty(), "{} has no positive example", rule.id);
        for (at, pieces) in rule.positive.iter().enumerate() {
            let text = pieces.concat();
            let found = found_in(&text).iter().any(|it| it.0 == rule.id && it.1 >= rule.tier);
            assert!(found, "{}: positive {at} is found as {:?}", rule.id, found_in(&text));
        }
    }
}

#[test]
fn no_rule_finds_its_negatives() {
    for rule in rules() {
        assert!(!rule.negative.is_empty(), "{} has no negative example", rule.id);
        for (at, pieces) in rule.negative.iter().enumerate() {
            assert_eq!(found_in(&pieces.concat()), [], "{}: negative {at}", rule.id);
        }
    }
}

#[test]
fn rule_ids_are_unique_and_keywords_are_lower_case() {
    let ids: BTreeSet<&str> = rules().map(|rule| rule.id).collect();
    assert_eq!(ids.len(), rules().count());
    for rule in rules() {
        assert!(rule.keywords.iter().all(|it| *it == it.to_ascii_lowercase()), "{}", rule.id);
    }
}

#[test]
fn the_ruleset_version_is_stable_within_a_build() {
    assert_eq!(ruleset_version(), ruleset_version());
    assert_ne!(filter::rules_hash(ENGINE_VERSION + 1), ruleset_version());
}

#[test]
fn places_count_lines_and_characters_from_one() {
    let token = github_token();
    let text = format!("# Notes\n\nüber \u{1F511} {token}\n");
    let finding = only(text.as_bytes());
    assert_eq!((finding.line, finding.column), (3, 8));
    assert_eq!(&text[finding.start..finding.end], token);
}

#[test]
fn a_finding_never_prints_its_value() {
    let token = github_token();
    let finding = only(token.as_bytes());
    assert!(!format!("{finding:?}").contains(&token[4..12]));
}

#[test]
fn a_wrong_checksum_warns_and_a_name_beside_it_blocks() {
    let mut token = github_token();
    let last = if token.ends_with('a') { 'b' } else { 'a' };
    token.replace_range(token.len() - 1.., &last.to_string());
    assert_eq!(found_in(&format!("see {token} here")), [("github-token", Tier::Warn)]);
    assert_eq!(found_in(&format!("deploy_token = {token}")), [("github-token", Tier::Block)]);
}

#[test]
fn invisible_characters_and_escaped_underscores_do_not_hide_a_token() {
    let token = github_token();
    for veil in ["\u{200B}", "\u{AD}", "\u{2060}", "\u{FEFF}", "\u{202E}"] {
        let text = format!("key {}{veil}{} end", &token[..12], &token[12..]);
        let finding = only(text.as_bytes());
        assert_eq!((finding.rule, finding.tier), ("github-token", Tier::Block));
        assert_eq!(finding.start, 4);
        assert_eq!(finding.end, text.len() - 4);
    }
    let escaped = token.replacen('_', "\\_", 1);
    let finding = only(escaped.as_bytes());
    assert_eq!((finding.start, finding.end), (0, escaped.len()));
}

#[test]
fn a_veil_between_a_word_and_a_token_does_not_glue_them() {
    let text = format!("word\u{200B}{}", github_token());
    assert_eq!(only(text.as_bytes()).start, 7);
}

#[test]
fn utf16_with_a_mark_is_read_in_both_byte_orders() {
    let token = github_token();
    let text = format!("\u{FEFF}one\nkey \u{1F511} {token} end");
    for to_bytes in [u16::to_le_bytes, u16::to_be_bytes] {
        let source: Vec<u8> = text.encode_utf16().flat_map(to_bytes).collect();
        let finding = only(&source);
        assert_eq!((finding.line, finding.column), (2, 7));
        let found: Vec<u8> = token.encode_utf16().flat_map(to_bytes).collect();
        assert_eq!(&source[finding.start..finding.end], found);
    }
}

#[test]
fn the_blocking_scan_agrees_with_the_full_scan() {
    let text =
        format!("a\ndb_password = \"{}\"\n{}\n", "tR4m9Q".to_owned() + "z71p!", github_token());
    assert_eq!(scan_blocking(text.as_bytes()), scan(text.as_bytes()).first().copied());
    assert_eq!(scan_blocking(b"nothing to see"), None);
}

#[test]
fn a_whole_private_key_is_one_finding_and_a_header_alone_is_none() {
    let key = example("private-key", 0);
    let text = format!("before\n{key}after");
    let finding = only(text.as_bytes());
    assert_eq!(&text[finding.start..finding.end], key.trim_end());
    assert_eq!(scan(b"-----BEGIN RSA PRIVATE KEY-----\n-----END RSA PRIVATE KEY-----"), []);
}

#[test]
fn credentials_in_urls_depend_on_password_and_host() {
    let at = |login: &str, host: &str| found_in(&format!("postgres://{login}@{host}/db"));
    assert_eq!(at("app:k7Vb2mQx9Lz", "db.acme.io"), [("url-credentials", Tier::Block)]);
    assert_eq!(at("user:pass", "db.acme.io"), [("url-credentials", Tier::Warn)]);
    assert_eq!(at("user:pass", "localhost:5432"), []);
    assert_eq!(at("user:${DB_PASS}", "db.acme.io"), []);
    assert_eq!(at("user:<password>", "db.acme.io"), []);
}

#[test]
fn what_notes_are_full_of_is_no_finding() {
    let sha = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    let texts = [
        format!("commit {} fixed it", &sha[..40]),
        format!("image: acme/app@sha256:{sha}"),
        format!("token digest sha256:{sha}"),
        "originSessionId: 5b0d7f7e-6a5c-4a0e-9a59-0a8ad1c9b6f1".to_owned(),
        "the key sk-... goes into the environment".to_owned(),
        "api_key: op://team/item/field".to_owned(),
        "password = \"{{ vault.db }}\"".to_owned(),
        "export TOKEN=$CI_JOB_TOKEN".to_owned(),
        "password: ********".to_owned(),
        "## wasm32-compilable crates and their keys: see wasm32-compilable.md".to_owned(),
        "press ctrl-key: ctrl+shift+p".to_owned(),
        "max_tokens=4096, prompt_tokens: 8123".to_owned(),
        "secretKeyRef: name: app-secrets-v2".to_owned(),
        "arn:aws:secretsmanager:us-east-1:123456789012:secret:prod/db-Ab1C23".to_owned(),
        "password reset token expires in 24h: use /reset".to_owned(),
        "PASS: test_foo_123, the pass: 12/14".to_owned(),
        ["aws_access_key_id = AKI", "AIOSFODNN7", "EXAMPLE"].concat(),
    ];
    for text in texts {
        assert_eq!(found_in(&text), [], "{text}");
    }
}

#[test]
fn redaction_names_the_rule_and_keeps_the_rest() {
    let token = github_token();
    let text = format!("before {token} after");
    assert_eq!(redact(&text), "before <redacted:github-token> after");
    assert!(matches!(redact("clean"), std::borrow::Cow::Borrowed("clean")));
}

#[test]
fn hostile_repetition_takes_time_in_proportion() {
    let seeds =
        ["eyJ-", "sk-", "://a:", "token=", "-----BEGIN PRIVATE KEY-----", "T3BlbkFJ-", "8Q~"];
    for seed in seeds {
        let text = seed.repeat(40_000 / seed.len());
        let start = Instant::now();
        let _ = scan(text.as_bytes());
        assert!(start.elapsed() < Duration::from_secs(5), "{seed} took {:?}", start.elapsed());
    }
}

/// Parts that meet the rules more often than random text does.
fn part() -> impl Strategy<Value = String> {
    let positives: Vec<String> =
        rules().flat_map(|rule| rule.positive.iter().map(|it| it.concat())).collect();
    prop_oneof![
        prop::sample::select(positives),
        "[ -~]{0,24}",
        "\\PC{0,8}",
        prop::sample::select(vec!["\n", "\u{200B}", "\\_", "password = ", "://", "\"", "token: "])
            .prop_map(str::to_owned),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_bytes_scan_in_order(text in prop::collection::vec(any::<u8>(), 0..512)) {
        let found = scan(&text);
        prop_assert!(found.windows(2).all(|pair| pair[0].end <= pair[1].start));
        prop_assert!(found.iter().all(|it| it.start < it.end && it.end <= text.len()));
    }

    #[test]
    fn a_redacted_text_scans_clean(parts in prop::collection::vec(part(), 0..8)) {
        let text = parts.concat();
        let clean = redact(&text);
        prop_assert_eq!(scan(clean.as_bytes()), []);
    }

    #[test]
    fn findings_are_disjoint_and_a_block_is_seen(parts in prop::collection::vec(part(), 0..8)) {
        let text = parts.concat();
        let found = scan(text.as_bytes());
        prop_assert!(found.windows(2).all(|pair| pair[0].end <= pair[1].start));
        prop_assert!(found.iter().all(|it| it.start < it.end && it.end <= text.len()));
        let blocks = found.iter().any(|it| it.tier == Tier::Block);
        prop_assert_eq!(scan_blocking(text.as_bytes()).is_some(), blocks);
    }
}
