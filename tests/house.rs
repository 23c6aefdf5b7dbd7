//! The house rules that the compiler does not know: sizes of files and functions, no `unwrap`.
#![allow(clippy::unwrap_used, dead_code, unreachable_pub)]

#[path = "support/source.rs"]
mod source;

use std::path::Path;

/// Lines of a file at most (ARCHITECTURE: 300 is the aim, this the limit).
const FILE_LINES: usize = 500;
/// Lines of a function at most, from `fn` to the closing brace.
const FUNCTION_LINES: usize = 60;

fn all_files() -> Vec<std::path::PathBuf> {
    let mut files = source::rust_files("src");
    files.extend(source::rust_files("tests"));
    files
}

fn is_test_file(path: &Path) -> bool {
    path.starts_with("tests")
        || path.components().any(|c| c.as_os_str() == "tests")
        || path.file_stem().is_some_and(|s| s.to_string_lossy().ends_with("tests"))
}

fn assert_none(found: &[String], law: &str) {
    assert!(found.is_empty(), "{law}:\n{}", found.join("\n"));
}

#[test]
fn no_file_is_longer_than_the_limit() {
    let long: Vec<String> = all_files()
        .iter()
        .map(|f| (f, source::read(f).lines().count()))
        .filter(|(_, n)| *n > FILE_LINES)
        .map(|(f, n)| format!("{}: {n} lines, at most {FILE_LINES}", f.display()))
        .collect();
    assert_none(&long, "files that are too long");
}

#[test]
fn no_function_is_longer_than_the_limit() {
    let mut long = Vec::new();
    for file in all_files() {
        for f in source::functions(&source::read(&file)) {
            if f.lines > FUNCTION_LINES {
                let place = format!("{}:{}", file.display(), f.line);
                long.push(format!(
                    "{place}: `{}` has {} lines, at most {FUNCTION_LINES}",
                    f.name, f.lines
                ));
            }
        }
    }
    assert_none(&long, "functions that are too long");
}

#[test]
fn nothing_outside_tests_unwraps() {
    let mut found = Vec::new();
    for file in source::rust_files("src").iter().filter(|f| !is_test_file(f)) {
        for line in source::calls_outside_tests(&source::read(file), "unwrap") {
            found.push(format!("{}:{line}: say why it holds with `expect`", file.display()));
        }
    }
    assert_none(&found, "`unwrap` outside tests");
}

#[test]
fn every_source_file_opens_with_a_doc_that_says_what_it_owns() {
    let bare: Vec<String> = all_files()
        .iter()
        .filter(|f| !(f.starts_with("src") && is_test_file(f)))
        .filter(|f| !source::read(f).starts_with("//!"))
        .map(|f| format!("{}:1: starts without a `//!` doc", f.display()))
        .collect();
    assert_none(&bare, "files without a module doc");
}

#[test]
fn a_long_function_is_measured_from_fn_to_brace() {
    let text = "fn short() { let x = [1; 3]; }\nfn long(\n  a: u8,\n) -> u8 {\n  if a > 1 { 2 } else { 3 }\n}\ntrait T { fn bare(&self, x: [u8; 2]); }\n";
    let sizes: Vec<(String, usize)> =
        source::functions(text).into_iter().map(|f| (f.name, f.lines)).collect();
    assert_eq!(sizes, [("short".to_string(), 1), ("long".to_string(), 5)]);
}

#[test]
fn an_unwrap_is_found_only_in_code_that_is_no_test() {
    let text = "fn a() { x.unwrap(); }\n// x.unwrap()\nconst S: &str = \".unwrap()\";\n#[cfg(test)]\nmod tests {\n  fn b() { x.unwrap(); }\n}\nfn c() { y.unwrap_or(1); z.unwrap() }\n#[test]\nfn d() { x.unwrap() }\n";
    assert_eq!(source::calls_outside_tests(text, "unwrap"), [1, 8]);
}

#[test]
fn comments_strings_and_characters_become_blanks_and_lines_stay() {
    let text = "a /* x /* y */ \n z */ b \"c\\\"d\" e '\"' 'f r#\"g\"h\"# i // j\nk b\"l\" '\\'' m";
    let words: Vec<String> = source::tokens(&source::strip(text))
        .into_iter()
        .map(|t| format!("{}{}", t.text, t.line))
        .collect();
    assert_eq!(words, ["a1", "b2", "e2", "'2", "f2", "i2", "k3", "m3"]);
}
