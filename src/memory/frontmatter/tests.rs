#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn header_of(text: &str) -> Option<&str> {
    split(text.as_bytes()).header.map(|range| &text[range])
}

#[test]
fn a_header_is_found_behind_a_mark_and_with_any_line_ending() {
    assert_eq!(header_of("\u{feff}---\r\nname: a\r\n---\r\nbody"), Some("name: a\r\n"));
    assert_eq!(header_of("--- \nname: a\n---"), Some("name: a\n"));
    let long = format!("---\nname: a\n{}---\nbody\n", "key: value\n".repeat(60));
    assert_eq!(header_of(&long).map(|h| h.lines().count()), Some(61));
}

#[test]
fn rules_and_prose_are_no_header() {
    for body in [
        "",
        "---\n",
        "---",
        "# Title\n\n---\nname: a\n---\n",
        "---\n\nSome prose: with a colon\n---\n",
        "---\nJust words.\n\nMore.\n---\n",
        "---\nname: a\nno end\n",
        "\n---\nname: a\n---\n",
    ] {
        let parts = split(body.as_bytes());
        let quoted = header_of(body);
        assert!(quoted.is_none() || !quoted.is_some_and(|h| h.contains("Just")), "{body:?}");
        assert_eq!(parts.body.end, body.len());
    }
    assert_eq!(header_of("---\nJust words.\n\nMore.\n---\n"), None);
    assert_eq!(header_of("\n---\nname: a\n---\n"), None);
}

#[test]
fn another_yaml_block_is_read_but_is_no_memory_header() {
    let yaml = b"---\nreplicas: 3\n---\nbody\n";
    assert!(!Header::read(yaml).unwrap().is_memory());
    assert!(Header::read(b"---\ndescription: d\n---\n").unwrap().is_memory());
}

#[test]
fn values_are_read_as_their_author_meant_them() {
    let note = "---\nname: 'it''s'\ndescription: PR #762: see issue #800\nquoted: \"a\\tb\"\nbad: \"x\" = y\nfolded: >\n  two\n  lines\nplain: one\n  two\nmetadata: \n  # remark\n  node_type: memory\n  type: feedback\n---\n";
    let header = Header::read(note.as_bytes()).unwrap();
    let get = |key| header.get(key);
    assert_eq!(get("name").as_deref(), Some("it's"));
    assert_eq!(get("description").as_deref(), Some("PR #762: see issue #800"));
    assert_eq!(get("quoted").as_deref(), Some("a\tb"));
    assert_eq!(get("bad").as_deref(), Some("\"x\" = y"));
    assert_eq!(get("folded").as_deref(), Some("two lines"));
    assert_eq!(get("plain").as_deref(), Some("one two"));
    assert_eq!(get("absent"), None);
    assert_eq!(header.get_nested("metadata", "type").as_deref(), Some("feedback"));
    assert_eq!(header.strict().unwrap_err().line, Some(4));
}

#[test]
fn setting_a_key_changes_its_line_alone() {
    let note = "\u{feff}---\r\nname: Mixed Case\r\ndescription: old # x\r\ntriggers: [a, b]\r\n\r\n---\r\nbody";
    let edited = text(&set(note.as_bytes(), "description", "new: value"));
    assert_eq!(edited, note.replace("old # x", "\"new: value\""));
    let edited = text(&set(note.as_bytes(), "type", "user"));
    assert_eq!(edited, note.replace("[a, b]\r\n", "[a, b]\r\ntype: user\r\n"));
    let edited = text(&set(b"just text\n", "name", "note"));
    assert_eq!(edited, "---\nname: note\n---\n\njust text\n");
}

#[test]
fn a_value_over_more_lines_is_replaced_with_all_of_them() {
    let note = b"---\ndescription: >\n  two\n  lines\nname: n\n---\n";
    assert_eq!(text(&set(note, "description", "one")), "---\ndescription: one\nname: n\n---\n");
}

#[test]
fn setting_a_nested_key_keeps_its_neighbours() {
    let note = "---\nname: n\nmetadata: \n  type: user\n  modified: 2026-01-01\n\nother: x\n---\n";
    let edited = text(&set_nested(note.as_bytes(), "metadata", "modified", "2026-02-02T00:00:00Z"));
    let later = note.replace("2026-01-01", "2026-02-02T00:00:00Z");
    assert_eq!(edited, later);
    let edited = text(&set_nested(note.as_bytes(), "metadata", "pinned", "true story"));
    assert_eq!(edited, note.replace("01-01\n", "01-01\n  pinned: true story\n"));
    let edited = text(&set_nested(b"---\nname: n\n---\n", "metadata", "type", "user"));
    assert_eq!(edited, "---\nname: n\nmetadata:\n  type: user\n---\n");
}

proptest! {
    #[test]
    fn the_parts_cover_any_text_and_the_keys_cover_the_header(
        pieces in proptest::collection::vec("---|[a-z]{1,3}: |- |#|  |[a-z\"':]{0,5}|\n|\r\n|\u{feff}", 0..20)
    ) {
        let text = pieces.concat().into_bytes();
        let parts = split(&text);
        prop_assert_eq!(parts.bom.end, if parts.bom.is_empty() { 0 } else { 3 });
        prop_assert_eq!(parts.body.end, text.len());
        if let Some(header) = parts.header {
            let bytes = &text[header.clone()];
            let entries = keys(bytes);
            prop_assert!(header.end <= parts.body.start && !entries.is_empty());
            for pair in entries.windows(2) {
                prop_assert_eq!(pair[0].range.end, pair[1].range.start);
            }
            prop_assert_eq!(entries[entries.len() - 1].range.end, bytes.len());
        } else {
            prop_assert_eq!(parts.body.start, parts.bom.end);
        }
    }

    #[test]
    fn what_is_set_is_read_back_and_nothing_else_changes(value in "[ -~\u{e9}\u{6d4b}]{0,40}") {
        let note = "---\nname: n\ndescription: old\nmetadata:\n  type: user\n---\n\nbody: x\n";
        let edited = set(note.as_bytes(), "description", &value);
        let header = Header::read(&edited).unwrap();
        prop_assert_eq!(header.get("description"), Some(value));
        prop_assert!(header.strict().is_ok());
        let rest = |bytes: &[u8]| -> Vec<String> {
            let text = String::from_utf8_lossy(bytes).into_owned();
            text.lines().filter(|l| !l.starts_with("description")).map(str::to_owned).collect()
        };
        prop_assert_eq!(rest(&edited), rest(note.as_bytes()));
    }
}
