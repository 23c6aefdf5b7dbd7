//! The import law of the house: which room may name which, who may start programs, print, read
//! the environment or parse YAML. Failures name file and line.
#![allow(clippy::unwrap_used, dead_code, unreachable_pub)]

#[path = "support/source.rs"]
mod source;

use source::PathUse;
use std::path::Path;

/// Rooms from the ground up; a room may import those of lower levels.
const LEVELS: &[&[&str]] = &[
    &["memory", "text"],
    &["config", "git", "secrets", "guard", "transcript", "model"],
    &["vault"],
    &["extract", "session", "dream", "review", "agents", "team"],
    &["harness"],
    &["cli"],
];
/// The level of the engines, which may use what another's `mod.rs` exports.
const ENGINES: usize = 3;
/// (room, neighbour on its own level that it may import).
const NEIGHBOURS: &[(&str, &str)] =
    &[("guard", "secrets"), ("model", "secrets"), ("git", "secrets")];
/// Rooms that may print.
const PRINTERS: &[&str] = &["ui", "main"];
/// What `env::…` reads or changes once `std::env` was imported.
const ENV_READERS: &[&str] = &[
    "args",
    "args_os",
    "current_dir",
    "current_exe",
    "home_dir",
    "remove_var",
    "set_current_dir",
    "set_var",
    "temp_dir",
    "var",
    "var_os",
    "vars",
    "vars_os",
];
const PRINT_MACROS: &[&str] = &["print", "println", "eprint", "eprintln", "dbg"];

/// A file under `src/`: its room and the modules that lead to it.
struct Place {
    file: String,
    room: String,
    modules: Vec<String>,
    is_test_file: bool,
}

impl Place {
    fn of(file: &Path) -> Self {
        let inner = file.strip_prefix("src").expect("only files under src are judged");
        let mut modules: Vec<String> =
            inner.with_extension("").iter().map(|p| p.to_string_lossy().into_owned()).collect();
        let is_test_file = modules.iter().any(|m| m.ends_with("tests"));
        if modules.last().is_some_and(|m| m == "mod" || m == "lib" || m == "main")
            && modules.len() > 1
        {
            modules.pop();
        }
        let room = modules[0].clone();
        if room == "lib" || room == "main" {
            modules.clear();
        }
        let file = file.to_string_lossy().replace('\\', "/");
        Self { file, room, modules, is_test_file }
    }

    fn is(&self, file: &str) -> bool {
        self.file == file
    }
}

fn level(room: &str) -> Option<usize> {
    LEVELS.iter().position(|rooms| rooms.contains(&room))
}

/// What a path names from the crate's root: `crate::`, `kith::` and `super::` resolved.
fn from_root(place: &Place, path: &PathUse) -> Option<Vec<String>> {
    let first = path.segments[0].as_str();
    if first == "crate" || first == "kith" {
        return Some(path.segments[1..].to_vec());
    }
    let ups = path.segments.iter().take_while(|s| *s == "super").count();
    if ups == 0 {
        return None;
    }
    let mut at = place.modules.clone();
    at.extend(path.inside.iter().cloned());
    at.truncate(at.len().saturating_sub(ups));
    at.extend(path.segments[ups..].iter().cloned());
    Some(at)
}

/// Why `place` may not name `target` (segments from the root), or `None`.
fn import_fault(
    place: &Place,
    target: &[String],
    modules: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let to = target.first()?.as_str();
    let from = place.room.as_str();
    if from == to || from == "lib" || from == "main" {
        return None;
    }
    if !to.chars().next().is_some_and(char::is_lowercase) {
        return None;
    }
    if to == "ui" {
        return (from != "cli").then(|| "ui serves cli and main only".to_string());
    }
    let Some(to_level) = level(to) else {
        return Some(format!("`{to}` is no room that the law knows"));
    };
    // What ui prints are the nouns and outcomes of the rooms below cli.
    let from_level = if from == "ui" { ENGINES + 1 } else { level(from)? };
    if to_level < from_level || NEIGHBOURS.contains(&(from, to)) {
        return None;
    }
    if to_level == from_level && to_level == ENGINES {
        let inner = target.get(1).map(String::as_str).unwrap_or_default();
        return modules(&format!("{to}/{inner}"))
            .then(|| format!("an engine uses only what `{to}/mod.rs` exports"));
    }
    Some(format!("`{from}` may not import `{to}`"))
}

/// Why a path may not stand where it does, or `None`: git2, programs, YAML, the environment.
fn path_fault(place: &Place, path: &PathUse) -> Option<&'static str> {
    let segments: Vec<&str> = path.segments.iter().map(String::as_str).collect();
    let has = |pair: [&str; 2]| segments.windows(2).any(|w| w == pair);
    let in_test = path.in_test || place.is_test_file;
    if segments[0] == "git2" && place.room != "git" {
        return Some("only git/ names git2");
    }
    let starts = has(["process", "Command"]) || segments == ["Command", "new"];
    if starts && place.room != "git" && !in_test {
        return Some("only git/ starts programs");
    }
    if segments[0] == "serde_yaml" && !place.is("src/memory/yaml.rs") {
        return Some("only memory/yaml.rs names serde_yaml");
    }
    let reads_env = segments.starts_with(&["std", "env"])
        || (segments[0] == "env" && segments.len() == 2 && ENV_READERS.contains(&segments[1]));
    if reads_env && !place.is("src/config/env.rs") && !in_test {
        return Some("only config/env.rs reads the environment");
    }
    let streams = has(["io", "stdout"]) || has(["io", "stderr"]);
    if streams && !PRINTERS.contains(&place.room.as_str()) && !in_test {
        return Some("only ui and main print");
    }
    None
}

/// All faults of one file, `file:line: why`.
fn faults(file: &Path, text: &str, modules: &dyn Fn(&str) -> bool) -> Vec<String> {
    let place = Place::of(file);
    let mut found = Vec::new();
    let mut say = |line: usize, why: &str| found.push(format!("{}:{line}: {why}", place.file));
    if level(&place.room).is_none() && !["lib", "main", "ui"].contains(&place.room.as_str()) {
        say(1, &format!("`{}` is no room that the law knows", place.room));
    }
    for path in source::paths(text) {
        if let Some(why) = path_fault(&place, &path) {
            say(path.line, why);
        }
        if let Some(target) = from_root(&place, &path)
            && let Some(why) = import_fault(&place, &target, modules)
        {
            say(path.line, &why);
        }
    }
    let tokens = source::tokens(&source::strip(text));
    for pair in tokens.windows(2).filter(|p| p[1].text == "!") {
        let print = PRINT_MACROS.contains(&pair[0].text.as_str());
        if print && !PRINTERS.contains(&place.room.as_str()) && !place.is_test_file {
            say(pair[0].line, "only ui and main print");
        }
    }
    found
}

#[test]
fn every_room_imports_only_what_the_law_lets_it() {
    let files = source::rust_files("src");
    let modules = |path: &str| {
        files.iter().any(|f| {
            f == Path::new(&format!("src/{path}.rs"))
                || f == Path::new(&format!("src/{path}/mod.rs"))
        })
    };
    let found: Vec<String> =
        files.iter().flat_map(|f| faults(f, &source::read(f), &modules)).collect();
    assert!(found.is_empty(), "the import law is broken:\n{}", found.join("\n"));
}

#[cfg(test)]
mod the_checker {
    use super::*;

    fn check(file: &str, text: &str) -> Vec<String> {
        faults(Path::new(file), text, &|m| m == "dream/gate")
    }

    fn assert_fault(file: &str, text: &str, line: usize, part: &str) {
        let found = check(file, text);
        let place = format!("{file}:{line}: ");
        let hit = found.iter().any(|f| f.starts_with(&place) && f.contains(part));
        assert!(hit, "no fault `{part}` at {place} in {found:?}");
    }

    fn assert_fine(file: &str, text: &str) {
        assert_eq!(check(file, text), Vec::<String>::new());
    }

    #[test]
    fn sees_a_lower_room_that_imports_a_higher_one() {
        assert_fault(
            "src/memory/merge.rs",
            "\nuse crate::git::Store;\n",
            2,
            "may not import `git`",
        );
        assert_fault("src/git/store.rs", "fn f() { crate::vault::open(); }", 1, "may not import");
        assert_fine("src/vault/mod.rs", "use crate::{git::Store, memory::{self, merge}};\n");
    }

    #[test]
    fn sees_through_use_groups_over_several_lines() {
        let text = "use crate::{\n    memory::Topic,\n    team::{self, sync},\n};\n";
        assert_fault("src/vault/mod.rs", text, 3, "may not import `team`");
    }

    #[test]
    fn keeps_rooms_of_one_level_apart_but_for_secrets() {
        assert_fault("src/guard/mod.rs", "use crate::git::Tree;", 1, "may not import `git`");
        assert_fault("src/text/bm25.rs", "use crate::memory::Topic;", 1, "may not import `memory`");
        assert_fine("src/guard/mod.rs", "use crate::secrets::Scanner;");
        assert_fine("src/git/transport.rs", "use crate::secrets::redact;");
        assert_fault("src/secrets/mod.rs", "use crate::guard::Kind;", 1, "may not import `guard`");
    }

    #[test]
    fn an_engine_uses_what_another_exports_and_not_its_insides() {
        assert_fine("src/review/mod.rs", "use crate::dream::fact_gate;");
        assert_fault("src/review/mod.rs", "use crate::dream::gate::inner;", 1, "exports");
    }

    #[test]
    fn follows_super_out_of_a_room_and_out_of_inline_modules() {
        assert_fault("src/guard/mod.rs", "use super::git::Tree;", 1, "may not import `git`");
        assert_fault("src/guard/path.rs", "fn f() { super::super::git::x() }", 1, "`git`");
        assert_fine("src/guard/path.rs", "mod tests { use super::super::verdict::V; }");
        assert_fine("src/guard/mod.rs", "#[cfg(test)]\nmod tests { use super::*; }");
    }

    #[test]
    fn lets_only_git_name_git2_and_start_programs() {
        assert_fault("src/vault/mod.rs", "fn f(r: git2::Repository) {}", 1, "git2");
        assert_fault("src/team/mod.rs", "use std::process::{self, Command};", 1, "programs");
        assert_fault("src/cli/demo.rs", "use tokio::process::Command;", 1, "programs");
        assert_fine(
            "src/git/run.rs",
            "use std::process::Command;\nfn f() { Command::new(\"git\"); }",
        );
        assert_fine("src/team/mod.rs", "#[cfg(test)]\nmod tests { use std::process::Command; }");
    }

    #[test]
    fn lets_only_one_file_read_yaml_and_one_the_environment() {
        assert_fault("src/memory/topic.rs", "use serde_yaml::Value;", 1, "yaml.rs");
        assert_fine("src/memory/yaml.rs", "use serde_yaml::Value;");
        assert_fault("src/config/mod.rs", "use std::{env, fs};", 1, "environment");
        assert_fault("src/cli/mod.rs", "fn f() { std::env::var(\"X\").ok(); }", 1, "environment");
        assert_fault("src/vault/mod.rs", "fn f() { env::var_os(\"X\"); }", 1, "environment");
        assert_fine("src/config/mod.rs", "mod env;\npub use env::Env;");
        assert_fine("src/config/env.rs", "use std::env;\nfn f() { env::vars_os(); }");
        assert_fine("src/cli/mod.rs", "const V: &str = env!(\"CARGO_PKG_VERSION\");");
    }

    #[test]
    fn lets_only_ui_and_main_print() {
        assert_fault("src/cli/log.rs", "fn f() {\n    println!(\"x\");\n}", 2, "print");
        assert_fault("src/vault/mod.rs", "use std::io::stderr;", 1, "print");
        assert_fine("src/ui/text.rs", "fn f() { eprintln!(\"x\"); }");
        assert_fine(
            "src/vault/mod.rs",
            "// println!(\"x\")\nconst S: &str = \"crate::cli::x eprint!()\";",
        );
    }

    #[test]
    fn keeps_ui_for_cli_and_main() {
        assert_fault("src/team/mod.rs", "use crate::ui::Ui;", 1, "ui serves");
        assert_fine("src/cli/sync.rs", "use crate::ui::Ui;");
        assert_fault("src/ui/mod.rs", "use crate::cli::Context;", 1, "may not import `cli`");
    }

    #[test]
    fn names_a_room_that_it_does_not_know() {
        assert_fault("src/helpers/mod.rs", "", 1, "no room");
        assert_fault("src/cli/mod.rs", "use crate::helpers::x;", 1, "no room");
    }
}
