use std::fs;
use std::time::Duration;

use super::super::*;
use super::World;

#[test]
fn defaults_hold_where_nobody_has_set_anything() {
    let settings = World::new().settings();
    assert_eq!(settings.network_timeout(), Duration::from_secs(60));
    assert_eq!(settings.network_retries(), 8);
    assert_eq!(settings.team_push(), TeamPush::Auto);
    assert_eq!(settings.durability(), Durability::Git);
    assert_eq!(settings.memory_mode(), MemoryMode::Topics);
    assert_eq!(settings.extract_every_turns(), 1);
    assert_eq!(settings.dream_min_hours(), 24);
    assert_eq!(settings.dream_min_sessions(), 5);
    assert_eq!(settings.dream_scan_interval(), Duration::from_secs(600));
    assert!(settings.extract_enabled() && settings.dream_enabled());
    assert!(settings.session_memory_enabled() && settings.model_command().is_empty());
    assert!(settings.list().iter().all(|value| value.origin == Origin::Default));
    assert!(settings.warnings().is_empty());
}

#[test]
fn every_default_is_a_value_that_its_setting_may_have() {
    for key in keys::KEYS {
        assert_eq!(key.normal(key.default).as_deref(), Some(key.default), "{}", key.name);
    }
}

#[test]
fn a_later_layer_wins_and_is_named() {
    let world = World::new();
    let file = world.config("dream:\n  enabled: true\n  min_hours: 3\nnetwork.timeout: 2m\n");
    let claude = world.write(".claude/settings.json", r#"{"autoDreamEnabled": false}"#);
    let world = world.with("KITH_DREAM_MIN_HOURS", "4").with("KITH_NETWORK_RETRIES", "");
    let flags = [("durability".to_owned(), "full".to_owned())];
    let settings = Settings::load(&world.env(), &world.project, &flags).unwrap();
    let origin = |key: &str| settings.get(key).unwrap().origin;
    assert!(!settings.dream_enabled());
    assert_eq!(origin("dream.enabled"), Origin::Claude(claude));
    assert_eq!(settings.dream_min_hours(), 4);
    assert_eq!(origin("dream.min_hours"), Origin::Env("KITH_DREAM_MIN_HOURS".to_owned()));
    assert_eq!(settings.network_timeout(), Duration::from_secs(120));
    assert_eq!(origin("network.timeout"), Origin::File(file));
    assert_eq!(origin("durability"), Origin::Flag);
    assert_eq!(origin("network.retries"), Origin::Default);
    assert_eq!(settings.get("no.such"), None);
}

#[test]
fn an_unknown_setting_in_the_file_is_a_warning_with_its_line() {
    let world = World::new();
    let file = world.config("# mine\nteam:\n  push: review\n  shiny: 1\nfuture.thing: [1, 2]\n");
    let settings = world.settings();
    assert_eq!(settings.team_push(), TeamPush::Review);
    let mut warnings = settings.warnings().to_vec();
    warnings.sort();
    assert_eq!(
        warnings,
        [
            format!("{}, line 4: there is no setting \"team.shiny\"", file.display()),
            format!("{}, line 5: there is no setting \"future.thing\"", file.display()),
        ]
    );
}

#[test]
fn a_bad_value_is_an_error_that_says_where_and_what_is_allowed() {
    for (text, key) in [
        ("team:\n  push: sometimes\n", "team.push"),
        ("dream:\n  min_hours: -1\n", "dream.min_hours"),
        ("dream:\n  enabled: 2\n", "dream.enabled"),
        ("network:\n  timeout: soon\n", "network.timeout"),
        ("network:\n  timeout: 0\n", "network.timeout"),
        ("extract:\n  every_turns: 1.5\n", "extract.every_turns"),
        ("model:\n  name: [a]\n", "model.name"),
        ("model:\n  command: []\n", "model.command"),
    ] {
        let world = World::new();
        let file = world.config(text);
        let error = Settings::load(&world.env(), &world.project, &[]).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("{}, line 2: {key} must be", file.display())),
            "{error}"
        );
    }
    let world = World::new().with("KITH_TEAM_PUSH", "s3cret");
    let error = Settings::load(&world.env(), &world.project, &[]).unwrap_err().to_string();
    assert_eq!(error, "KITH_TEAM_PUSH: team.push must be one of auto, full, review");
}

#[test]
fn a_file_that_is_no_settings_file_is_an_error_that_names_it() {
    for text in ["a: b: c\n", "- a\n", "just words\n"] {
        let world = World::new();
        let file = world.config(text);
        let error = Settings::load(&world.env(), &world.project, &[]).unwrap_err().to_string();
        assert!(error.contains(file.to_str().unwrap()), "{error}");
    }
}

#[test]
fn times_may_have_a_unit() {
    for (text, millis) in [("10s", 10_000), ("2m", 120_000), ("90", 90_000), ("500ms", 500)] {
        let world = World::new().with("KITH_NETWORK_TIMEOUT", text);
        assert_eq!(world.settings().network_timeout(), Duration::from_millis(millis), "{text}");
    }
}

#[test]
fn set_writes_what_load_reads_and_keeps_the_rest() {
    let world = World::new();
    let env = world.env();
    Settings::set(&env, "dream.min_hours", "12").unwrap();
    Settings::set(&env, "model.command", "agent --json").unwrap();
    Settings::set(&env, "model.base_url", "http://localhost:1/v1#x").unwrap();
    Settings::set(&env, "dream.enabled", "off").unwrap();
    let settings = world.settings();
    assert_eq!(settings.dream_min_hours(), 12);
    assert_eq!(settings.model_command(), ["agent", "--json"]);
    assert_eq!(settings.get("model.base_url").unwrap().value, "http://localhost:1/v1#x");
    assert!(!settings.dream_enabled());
    let file = world.config("# kept\nfuture: 1 # kept too\nteam:\n  push: auto # why\n");
    Settings::set(&env, "team.push", "full").unwrap();
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        "# kept\nfuture: 1 # kept too\nteam:\n  push: full # why\n"
    );
    let names: Vec<_> = fs::read_dir(file.parent().unwrap()).unwrap().collect();
    assert_eq!(names.len(), 1, "a temporary file was left");
}

#[test]
fn set_refuses_unknown_names_and_bad_values_and_writes_nothing() {
    let world = World::new();
    let file = world.config("team:\n  push: auto\n");
    for (key, near) in [
        ("team.pull", Some("team.push")),
        ("network.timeouts", Some("network.timeout")),
        ("timeout", Some("network.timeout")),
        ("dream.min-hours", Some("dream.min_hours")),
        ("zebra.crossing", None),
    ] {
        let error = Settings::set(&world.env(), key, "1").unwrap_err();
        let ConfigError::UnknownKey { near: found, .. } = &error else { panic!("{error}") };
        assert_eq!(found.first().copied(), near, "{key}");
        assert!(error.hint().is_some());
    }
    let error = Settings::set(&world.env(), "team.push", "never").unwrap_err();
    assert!(error.to_string().ends_with("must be one of auto, full, review"), "{error}");
    assert_eq!(fs::read_to_string(file).unwrap(), "team:\n  push: auto\n");
}

#[cfg(unix)]
#[test]
fn set_goes_through_a_link_and_keeps_the_mode() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    let real = world.write("dotfiles/kith.yaml", "team:\n  push: auto\n");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
    let link = world.home.join("link.yaml");
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let world = world.with("KITH_CONFIG", &link);
    Settings::set(&world.env(), "team.push", "review").unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), "team:\n  push: review\n");
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(world.settings().team_push(), TeamPush::Review);
}

#[test]
fn the_settings_file_follows_the_base_directory_rules() {
    let world = World::new();
    world.write("xdg/kith/config.yaml", "durability: full\n");
    let xdg = world.home.join("xdg");
    let world = world.with("XDG_CONFIG_HOME", &xdg);
    assert_eq!(world.settings().durability(), Durability::Full);
    let relative = World::new().with("XDG_CONFIG_HOME", "xdg");
    relative.config("durability: full\n");
    assert_eq!(relative.settings().durability(), Durability::Full);
}

#[test]
fn memory_is_switched_in_the_order_of_the_client() {
    let on = |world: &World| world.settings().auto_memory(&world.env());
    assert_eq!(on(&World::new()), Switch::On);
    let world = World::new();
    world.write(".claude/settings.json", r#"{"autoMemoryEnabled": false}"#);
    assert_eq!(on(&world), Switch::OffBySetting);
    world.write(world.project.join(".claude/settings.json"), r#"{"autoMemoryEnabled": true}"#);
    assert_eq!(on(&world), Switch::On, "a project may switch memory on");
    let world = world.with("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "TRUE");
    assert_eq!(on(&world), Switch::OffByEnv);
    assert!(!world.settings().auto_memory_enabled(&world.env()));
    let forced = World::new().with("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "0");
    forced.write(".claude/settings.json", r#"{"autoMemoryEnabled": false}"#);
    assert_eq!(on(&forced), Switch::OnByEnv);
    let unclear = World::new().with("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "maybe");
    assert_eq!(on(&unclear), Switch::On);
    let remote = World::new().with("CLAUDE_CODE_REMOTE", "1");
    assert_eq!(on(&remote), Switch::OffByRemote);
    let kept = remote.with("CLAUDE_CODE_REMOTE_MEMORY_DIR", "/mnt/memory");
    assert_eq!(on(&kept), Switch::On);
}

#[test]
fn broken_files_of_the_client_are_warnings() {
    let world = World::new();
    world.write(".claude/settings.json", "{ not json");
    world.write(world.project.join(".claude/settings.json"), "[1]");
    world.write(world.project.join(".claude/settings.local.json"), r#"{"autoDreamEnabled": 3}"#);
    let settings = world.settings();
    assert_eq!(settings.warnings().len(), 3, "{:?}", settings.warnings());
    assert!(settings.dream_enabled());
    assert_eq!(world.places().memory_dir, world.usual());
}
