#![allow(clippy::unwrap_used)]

use std::path::{Component, Path};

use proptest::prelude::*;

use super::*;
use crate::memory::MemoryPath;
use crate::memory::limits::{ENTRY_BYTES, PATH_BYTES, PATH_COMPONENT_BYTES};

fn code(path: &str) -> &'static str {
    check_name(path.as_bytes()).map_or_else(|refusal| refusal.code(), |()| "ok")
}

#[test]
fn names_as_people_write_them_are_taken() {
    for name in [
        "MEMORY.md",
        "feedback_tests.md",
        "a.b-c_d e.md",
        "logs/2026/03/2026-03-01.md",
        ".kith/policy.yaml",
        "café.md",
        "記憶/設定メモ.md",
        "заметка.md",
        "100% sure.md",
        "50%25 off.md",
        "Ⅳ fullwidth ＡＢ.md",
        "weather ☀\u{fe0f}.md",
        "…and more.md",
        "git.md",
        "digit~1.md",
        "console.md",
        "com10.md",
        "auxiliary.md",
        "a..b.md",
        "@user.md",
        "~home.md",
    ] {
        assert_eq!(code(name), "ok", "{name:?}");
    }
}

#[test]
fn names_that_leave_the_directory_are_refused() {
    for name in [
        "",
        "/etc/passwd.md",
        "..",
        "../x.md",
        "a/../../x.md",
        "a/..",
        ".. /x.md",
        ".../x.md",
        "..\\x.md",
        "a\\..\\x.md",
        "\\\\host\\share.md",
        "C:\\x.md",
        "c:x.md",
        "%2e%2e/x.md",
        "%2E./x.md",
        "%252e%252e/x.md",
        "%25252e%25252e/x.md",
        "..%2fx.md",
        "a/..%5cx.md",
        "%2e%2e%2fx.md",
        "%c0%ae%c0%ae/x.md",
        "..%c0%afx.md",
        "%2fetc/x.md",
        "．．/x.md",
        "．．／x.md",
        "‥/x.md",
        "․․/x.md",
        "／etc.md",
        "%ef%bc%8e%ef%bc%8e/x.md",
        ".\u{200b}./x.md",
        "a//b.md",
        "./a.md",
        "a/./b.md",
        "a/",
        "a\0.md",
        "a%00.md",
    ] {
        assert_eq!(code(name), "name", "{name:?}");
    }
}

#[test]
fn names_that_reach_a_git_directory_are_refused() {
    for name in [
        ".git",
        ".git/config",
        "a/.git/hooks/x.md",
        ".GIT/config",
        ".Git/x.md",
        ".git./x.md",
        ".git /x.md",
        ".git. . /x.md",
        "git~1/x.md",
        "GIT~12/x.md",
        ".git::$INDEX_ALLOCATION/x.md",
        ".git:stream/x.md",
        ".g\u{200c}it/x.md",
        ".gi\u{200d}t/x.md",
        "\u{feff}.git/x.md",
        ".git\u{202e}/x.md",
        "．ｇｉｔ/x.md",
        "%2egit/x.md",
        "%2e%67it/x.md",
        "a\\.git\\config",
        "../.git/config",
        " .git/x.md",
    ] {
        assert_eq!(code(name), "git", "{name:?}");
    }
}

#[test]
fn names_that_windows_cannot_hold_are_refused_with_a_name_that_would_do() {
    for (name, would_do) in [
        ("aux.md", "aux_.md"),
        ("AUX", "AUX_"),
        ("con.tar.md", "con_.tar.md"),
        ("a/nul/b.md", "a/nul_/b.md"),
        ("com1.md", "com1_.md"),
        ("LPT9.md", "LPT9_.md"),
        ("com¹.md", "com¹_.md"),
        ("aux .md", "aux _.md"),
        ("a:b.md", "a-b.md"),
        ("what?.md", "what-.md"),
        ("a<b>.md", "a-b-.md"),
        ("a|b.md", "a-b.md"),
        ("\"q\".md", "-q-.md"),
        ("*.md", "-.md"),
        ("a.md.", "a.md"),
        ("a.md ", "a.md"),
        ("dir./a.md", "dir/a.md"),
    ] {
        let Err(Refusal::Name { suggested, .. }) = check_name(name.as_bytes()) else {
            panic!("{name:?} was not refused as a name");
        };
        assert_eq!(suggested.as_deref(), Some(would_do), "{name:?}");
    }
}

#[test]
fn names_that_do_not_look_like_what_they_are_are_refused() {
    for (name, would_do) in [
        ("cafe\u{301}.md", "caf\u{e9}.md"),
        ("a\u{200b}b.md", "ab.md"),
        ("a\u{202e}dm.md", "adm.md"),
        ("\u{2066}a.md", "a.md"),
        ("a\u{ad}b.md", "ab.md"),
        ("a\nb.md", "ab.md"),
        ("a\u{1b}[31m.md", "a[31m.md"),
        ("a\u{85}.md", "a.md"),
        ("a\u{2028}.md", "a.md"),
        ("a\u{fe0f}.md", "a.md"),
        ("a\u{e0041}.md", "a.md"),
        ("\u{3164}a.md", "a.md"),
    ] {
        let Err(Refusal::Unicode { suggested, .. }) = check_name(name.as_bytes()) else {
            panic!("{name:?} was not refused for its characters");
        };
        assert_eq!(suggested.as_deref(), Some(would_do), "{name:?}");
    }
    assert_eq!(check_name(b"caf\xe9.md").unwrap_err().code(), "unicode");
}

#[test]
fn names_past_the_limits_are_refused() {
    let deep = |n: usize| vec!["d"; n].join("/");
    assert_eq!(code(&deep(PATH_DEPTH)), "ok");
    assert_eq!(code(&deep(PATH_DEPTH + 1)), "name");
    assert_eq!(code(&"x".repeat(PATH_COMPONENT_BYTES)), "ok");
    assert_eq!(code(&"x".repeat(PATH_COMPONENT_BYTES + 1)), "name");
    let wide = vec!["x".repeat(200); PATH_BYTES / 200 + 1].join("/");
    assert_eq!(code(&wide), "name");
    assert_eq!(code(&format!("{}41.md", "%25".repeat(40))), "ok");
    assert_eq!(code(&format!("%{}41.md", "25".repeat(40))), "name");
}

#[test]
fn only_what_memory_holds_is_allowed() {
    for name in [
        "MEMORY.md",
        "a b.md",
        "deep/er/x.md",
        "logs/2026/03/01.md",
        ".hidden.md",
        ".claude/x.md",
        "a/.b/c.md",
        ".kith/policy.yaml",
        ".kith/tombstones",
    ] {
        assert!(allowed(name), "{name}");
    }
    for name in [
        "",
        "a",
        "a.txt",
        "a.MD",
        "a.md~",
        "a.md.tmp.123.4",
        "a.md.tmp.1.md",
        ".#a.md",
        "#a.md#",
        ".md",
        ".kith-x.md",
        ".consolidate-lock",
        ".kith/x.md",
        ".kith/policy.yaml/x.md",
        "a/.kith/policy.yaml",
        ".kith",
        ".gitattributes",
        ".github/workflows/x.yml",
        "a/",
        "Makefile",
    ] {
        assert!(!allowed(name), "{name}");
    }
}

#[test]
fn an_entry_is_refused_by_its_mode_kind_and_size() {
    let entry = |path: &str, mode, size| {
        check_entry(path.as_bytes(), mode, size).map_or_else(|refusal| refusal.code(), |()| "ok")
    };
    let max = ENTRY_BYTES as u64;
    assert_eq!(entry("a.md", 0o100_644, max), "ok");
    assert_eq!(entry("a.md", 0o100_755, 0), "ok");
    assert_eq!(entry("a.md", 0o100_644, max + 1), "size");
    assert_eq!(entry("a.md", 0o120_000, 1), "symlink");
    assert_eq!(entry("link", 0o120_000, 1), "symlink");
    assert_eq!(entry("sub", 0o160_000, 0), "submodule");
    assert_eq!(entry("a.md", 0o100_664, 1), "mode");
    assert_eq!(entry("a", 0o040_000, 0), "mode");
    assert_eq!(entry("run.sh", 0o100_755, 1), "name");
    assert_eq!(entry("../a.md", 0o120_000, 1), "name");
    assert_eq!(entry(".GIT/a.md", 0o100_644, 1), "git");
    let refusal = check_entry(b"a.md", 0o100_644, max + 1).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "a.md: 250001 bytes, more than the 250000 that an entry may have"
    );
}

#[test]
fn names_that_fall_together_collide() {
    for (first, second) in [
        ("Feedback_Tests.md", "feedback_tests.md"),
        ("caf\u{e9}.md", "cafe\u{301}.md"),
        ("a.md", "A.MD/b.md"),
        ("A.md/b.md", "a.md"),
        ("a.md", "a.md/b.md"),
        ("Team/x.md", "team/y.md"),
        ("x/Team/a.md", "x/team/b/c.md"),
        ("straße.md", "STRASSE.md"),
    ] {
        let mut names = Names::new();
        names.claim(first).unwrap();
        let refusal = names.claim(second).unwrap_err();
        assert_eq!(refusal.code(), "collision", "{first} {second}");
        names.claim(first).expect("a path does not collide with itself");
        names.release(first);
        names.claim(second).expect("the name is free again");
    }
}

#[test]
fn names_that_differ_stand_beside_each_other() {
    let mut names = Names::from_paths(["team/a.md", "team/b.md", "team-evil/a.md", "MEMORY.md"]);
    names.claim("team/c.md").unwrap();
    names.release("team/a.md");
    names.release("never/taken.md");
    assert!(names.claim("Team/d.md").is_err());
    names.claim("team/A.md").unwrap();
    let refusal = names.claim("memory.md").unwrap_err();
    assert_eq!(
        refusal,
        Refusal::Collision { path: "memory.md".to_owned(), with: "MEMORY.md".to_owned() }
    );
}

#[test]
fn a_refused_claim_takes_nothing() {
    let mut names = Names::from_paths(["a/B.md"]);
    names.claim("a/b.md/c.md").unwrap_err();
    names.release("a/B.md");
    names.claim("A/b.md/c.md").expect("nothing of the refused path is left");
}

#[test]
fn a_path_is_shown_so_that_it_cannot_deceive() {
    assert_eq!(show(b"a/b c.md"), "a/b c.md");
    assert_eq!(
        show("a\u{202e}\u{200b}\n\u{1b}[2J.md".as_bytes()),
        "a\\u{202e}\\u{200b}\\u{a}\\u{1b}[2J.md"
    );
    assert_eq!(show(b"caf\xe9.md"), "caf\\xe9.md");
    assert_eq!(show("記憶 ☀\u{fe0f}.md".as_bytes()), "記憶 ☀\u{fe0f}.md");
    assert_eq!(show("a\u{fe0f}.md".as_bytes()), "a\\u{fe0f}.md");
    assert!(show(&[b'x'; 100_000]).chars().count() < 1_000);
}

/// A token-shaped text, put together here so that no scanner takes this file for a leak.
fn token() -> String {
    concat!("gh", "o_Zpr3t", "Ptpes4em", "JH6fmYEs", "Pz4OA", "Zkyv2T", "Fu79").to_owned()
}

#[test]
fn a_secret_in_a_path_or_a_text_is_named_by_rule_alone() {
    let token = token();
    let shown = show(format!("notes/{token}.md").as_bytes());
    assert!(!shown.contains(&token), "the token was shown");
    assert!(shown.contains("<redacted:"), "{shown}");
    let named = check_name(format!("{token}:x.md").as_bytes()).unwrap_err();
    let said = format!("{named} {named:?}");
    assert!(!said.contains(&token), "{said}");
    let refusal = check_content(format!("one\ntwo {token}\n").as_bytes()).unwrap_err();
    let Refusal::Secret { line, .. } = &refusal else { panic!("{refusal}") };
    assert_eq!(*line, 2);
    assert!(!refusal.to_string().contains(&token));
    check_content(b"nothing to see\n").unwrap();
}

#[test]
fn a_suggested_name_is_part_of_the_sentence() {
    let refusal = check_name(b"a:b.md").unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "a:b.md: the name is refused: it holds one of < > : \" | ? *, which Windows has no names \
         with; a-b.md would do"
    );
}

/// Bytes and texts that are rich in what path tricks are made of.
fn trick() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&[u8]> = vec![
        b"..",
        b".",
        b"/",
        b"\\",
        b"%2e",
        b"%25",
        b"%2f",
        b".git",
        b"GIT~1",
        b":",
        b" ",
        b"\0",
        b"\xff",
        "．".as_bytes(),
        "\u{200b}".as_bytes(),
        "\u{301}".as_bytes(),
        b"aux",
        b"a",
        b"Z.md",
        "é".as_bytes(),
    ];
    let piece = proptest::sample::select(pieces);
    prop_oneof![
        proptest::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat()),
        proptest::collection::vec(any::<u8>(), 0..40),
        "\\PC{0,20}".prop_map(String::into_bytes),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn an_accepted_name_stays_strictly_inside_and_every_hint_is_accepted(path in trick()) {
        match check_name(&path) {
            Ok(()) => {
                let text = std::str::from_utf8(&path).unwrap();
                prop_assert!(MemoryPath::new(text).is_ok());
                let components: Vec<_> = Path::new(text).components().collect();
                prop_assert!(!components.is_empty());
                for component in &components {
                    prop_assert!(matches!(component, Component::Normal(_)));
                    let name = component.as_os_str().to_str().unwrap();
                    prop_assert!(!name.eq_ignore_ascii_case(".git"));
                }
                prop_assert!(Path::new("/m").join(text).starts_with("/m"));
                prop_assert_eq!(show(&path), text);
            }
            Err(Refusal::Name { suggested, .. } | Refusal::Unicode { suggested, .. }) => {
                if let Some(name) = suggested {
                    prop_assert!(check_name(name.as_bytes()).is_ok(), "{name:?}");
                }
            }
            Err(refusal) => prop_assert_eq!(refusal.code(), "git"),
        }
    }

    #[test]
    fn what_is_shown_holds_nothing_that_cannot_be_seen(path in trick()) {
        let form = |c| matches!(c, '\u{fe0e}' | '\u{fe0f}');
        let seen = show(&path).chars().all(|c| form(c) || invisible::refused(c).is_none());
        prop_assert!(seen);
    }

    #[test]
    fn names_that_agree_in_the_folded_form_of_the_text_room_collide(path in "[ -~&&[^/]]{1,12}") {
        let key = crate::text::fold_key(&path);
        let mut names = Names::new();
        names.claim(&path).unwrap();
        prop_assert_eq!(names.claim(&key).is_err(), key != path);
    }

    #[test]
    fn claims_and_releases_leave_nothing_behind(
        paths in proptest::collection::vec("[abAB]{1,2}(/[abAB]{1,2}){0,2}", 1..12),
    ) {
        let mut names = Names::new();
        let taken: Vec<&String> = paths.iter().filter(|p| names.claim(p).is_ok()).collect();
        for path in &taken {
            names.release(path);
        }
        for path in &paths {
            prop_assert!(names.clone().claim(path).is_ok());
        }
    }
}
