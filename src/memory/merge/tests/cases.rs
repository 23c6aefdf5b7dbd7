//! Merges by example.

use super::*;

fn note(path: &str, base: &str, x: &str, y: &str) -> (String, Merged) {
    let path = MemoryPath::new(path).unwrap();
    let m = merge(&path, Some(base.as_bytes()), side(x.as_bytes(), 1), side(y.as_bytes(), 2));
    (String::from_utf8(m.text.clone().unwrap()).unwrap(), m)
}

#[test]
fn edits_of_different_units_are_joined() {
    let base = "# T\n\nOne.\n\n- a\n- b\n";
    let (text, m) =
        note("t.md", base, "# T\n\nOne!\n\n- a\n- b\n", "# T\n\nOne.\n\n- a\n- b\n- c\n");
    assert_eq!(text, "# T\n\nOne!\n\n- a\n- b\n- c\n");
    assert!(m.contested.is_empty());
}

#[test]
fn edits_of_neighbouring_lines_are_joined() {
    let base = "alpha beta one\ngamma delta two\n";
    let x = "alpha beta three\ngamma delta two\n";
    let y = "alpha beta one\ngamma delta four\n";
    let (text, m) = note("t.md", base, x, y);
    assert_eq!(text, "alpha beta three\ngamma delta four\n");
    assert!(m.contested.is_empty());
}

#[test]
fn two_edits_of_one_paragraph_are_both_kept_in_order_of_time_and_named() {
    let base = "## Testing\n\nRun the suite before each push.\n\nEnd.\n";
    let x = base.replace("before each push", "after each push");
    let y = base.replace("before each push", "before each merge");
    let (text, m) = note("t.md", base, &x, &y);
    let kept = "Run the suite after each push.\n\nRun the suite before each merge.\n";
    assert_eq!(text, format!("## Testing\n\n{kept}\nEnd.\n"));
    assert_eq!(m.contested, ["## Testing"]);
}

#[test]
fn additions_at_one_place_are_both_kept_and_equal_ones_once() {
    let (text, m) = note("t.md", "- a\n", "- a\n- x\n- same\n", "- a\n- y\n- same\n");
    assert_eq!(text, "- a\n- x\n- y\n- same\n");
    assert!(m.contested.is_empty());
    let (text, _) = note("t.md", "A.\n", "A.\n\nX.", "A.\n\nY.\n");
    assert_eq!(text, "A.\n\nX.\n\nY.\n");
}

#[test]
fn sections_of_one_name_are_joined() {
    let x = "# T\n\n## Log\n\n- x\n";
    let y = "# T\n\n## Log\n\n- y\n\n## More\n\n- z\n";
    let (text, _) = note("t.md", "# T\n", x, y);
    assert_eq!(text, "# T\n\n## Log\n\n- x\n- y\n\n## More\n\n- z\n");
}

#[test]
fn an_item_deleted_here_and_edited_there_stays_as_edited() {
    let base = "- keep\n- rule: never deploy on friday\n  - why: outage\n- end\n";
    let x = "- keep\n- end\n";
    let y = base.replace("outage", "two outages in may");
    let (text, m) = note("t.md", base, x, &y);
    assert_eq!(text, y);
    assert!(m.edit_beat_delete && m.contested.is_empty());
}

#[test]
fn a_note_moved_here_and_deleted_there_is_gone() {
    let (text, _) = note("t.md", "- a\n- b\n- c\n- d\n", "- b\n- c\n- d\n- a\n", "- b\n- c\n- d\n");
    assert_eq!(text, "- b\n- c\n- d\n");
}

#[test]
fn an_item_moved_and_edited_here_and_deleted_there_stays_whole() {
    let base = "# A\n\n- rule one\n- rule two\n\n# B\n\n- rule three\n";
    let x = "# A\n\n- rule two\n\n# B\n\n- rule three\n- rule one\n  - why: outage\n";
    let y = "# A\n\n- rule two\n\n# B\n\n- rule three\n";
    let (text, m) = note("t.md", base, x, y);
    assert_eq!(text, x);
    assert!(m.edit_beat_delete);
}

#[test]
fn a_fence_edited_twice_is_kept_twice_and_whole() {
    let base = "```sh\nmake build\nmake test\n```\n";
    let x = base.replace("make build", "make build -j2");
    let y = base.replace("make build", "make build -j8");
    let (text, m) = note("t.md", base, &x, &y);
    assert_eq!(text, format!("{x}\n{y}"));
    assert_eq!(m.contested, ["text"]);
}

#[test]
fn header_keys_are_merged_one_by_one_with_their_bytes() {
    let base = "---\nname: n\ndescription: 'old'   # why\nmetadata: \n  type: user\n  modified: 2026-03-01T00:00:00Z\n---\nb\n";
    let x = base.replace("name: n", "name:   N").replace("-03-01", "-03-05");
    let y = base.replace("type: user", "type: feedback").replace("-03-01", "-03-04");
    let (text, m) = note("t.md", base, &x, &y);
    assert_eq!(text, x.replace("type: user", "type: feedback"));
    assert!(m.contested.is_empty());
}

#[test]
fn a_contradicted_description_keeps_the_later_and_the_other_as_a_last_line() {
    let base = "---\nname: n\ndescription: old\n---\nbody\n";
    let x = base.replace("old", "\"first: words\"");
    let y = base.replace("old", "second words");
    let (text, m) = note("t.md", base, &x, &y);
    assert_eq!(text, format!("{y}\n> Other description: first: words\n"));
    assert_eq!(m.contested, ["description"]);
    // Whoever has both does not lose to one who has one, and nothing is added again.
    for old in [&x, &y] {
        assert_eq!(note("t.md", base, &text, old).0, text);
    }
}

#[test]
fn an_index_has_a_target_once_and_honours_deletions() {
    let base = "# I\n\n- [A](a.md) — one\n- [B](b.md) — two\n- [C](c.md) — three\n";
    let x = "# I\n\n- [N](n.md) — new\n- [A](a.md) — uno\n- [C](c.md) — three\n";
    let y =
        "# I\n\n- [A](a.md) — eins\n- [B](b.md) — two\n- [C](c.md) — three\n- [N](n.md) — neu\n";
    let (text, m) = note("MEMORY.md", base, x, y);
    assert_eq!(text, "# I\n\n- [N](n.md) — neu\n- [A](a.md) — eins\n- [C](c.md) — three\n");
    assert_eq!(m.contested, ["a.md", "n.md"]);
}

#[test]
fn a_change_of_line_endings_and_an_edit_are_joined() {
    let base = "a\nb\nc\nd\n";
    let (text, m) = note("t.md", base, "a\r\nb\r\nc\r\nd\r\n", "a\nb\nc\nX d\n");
    assert_eq!(text, "a\r\nb\r\nc\r\nX d\r\n");
    assert!(m.contested.is_empty());
}

#[test]
fn two_notes_of_one_name_become_one() {
    let path = MemoryPath::new("feedback_testing.md").unwrap();
    let one = "---\nname: testing\ndescription: d\n---\n\nRun tests.\n\n**Why:** bugs.\n";
    let two = "---\nname: testing\ndescription: d\n---\n\nRun tests.\n\nUse two threads.\n";
    let m = merge(&path, None, side(one.as_bytes(), 1), side(two.as_bytes(), 2));
    let text = String::from_utf8(m.text.unwrap()).unwrap();
    assert_eq!(text, one.replace("bugs.\n", "bugs.\n\nUse two threads.\n"));
}

#[test]
fn marker_like_content_survives() {
    let base = "```\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n```\n\nend\n";
    let x = base.replace("end", "the end");
    let (text, _) = note("t.md", base, &x, &format!("{base}\nmore\n"));
    assert_eq!(text, format!("{x}\nmore\n"));
}

#[test]
fn a_policy_is_merged_by_keys() {
    let base = "caps:\n  entries: 100\n  bytes: 5\ntrust: []\n";
    let x = base.replace("100", "200");
    let y = base.replace("bytes: 5", "bytes: 6");
    let (text, m) = note(".kith/policy.yaml", base, &x, &y);
    assert_eq!(text, x.replace("bytes: 5", "bytes: 6"));
    assert!(m.contested.is_empty());
}

#[test]
fn a_big_file_of_anything_is_merged_in_linear_time_and_little_stack() {
    let path = MemoryPath::new("big.md").unwrap();
    for line in
        [|n: u64| format!("{n}\n"), |n| format!("{}\n", n % 2), |n| format!("# {}\n\n- x\n", n % 9)]
    {
        let text = |seed: u64| -> Vec<u8> {
            let mut state = seed;
            let mut out = Vec::new();
            while out.len() < 200_000 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                out.extend_from_slice(line(state >> 52).as_bytes());
            }
            out
        };
        let (base, x, y) = (text(1), text(2), text(3));
        let m = merge(&path, Some(&base), side(&x, 1), side(&y, 2));
        assert!(m.text.is_some_and(|t| t.len() > 1_000));
    }
}
