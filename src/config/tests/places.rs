use std::path::Path;

use super::super::*;
use super::World;

#[test]
fn the_usual_place_is_named_after_the_project() {
    let world = World::new();
    let places = world.places();
    assert_eq!(places.memory_dir, world.usual());
    assert_eq!(places.rule, Rule::Slug);
    assert_eq!(places.root, world.project);
    assert_eq!(places.kith_dir, world.home.join(".claude/kith"));
    assert_eq!(places.team_dir(), world.usual().join("team"));
    assert_eq!(Some(places.transcripts_dir().as_path()), world.usual().parent());
    assert!(!world.home.join(".claude").exists(), "locating makes nothing");
}

#[test]
fn the_base_is_the_remote_directory_then_the_configured_one_then_home() {
    let of = |world: World| world.places().base;
    let world = World::new();
    assert_eq!(of(World::new()).file_name().unwrap(), ".claude");
    assert_eq!(of(world.with("CLAUDE_CONFIG_DIR", "/cfg")), Path::new("/cfg"));
    let both = World::new()
        .with("CLAUDE_CONFIG_DIR", "/cfg")
        .with("CLAUDE_CODE_REMOTE_MEMORY_DIR", "/mnt/memory");
    assert_eq!(of(both), Path::new("/mnt/memory"));
    let homeless = Env::fixed(&[], Path::new("/"));
    let settings = Settings::load(&homeless, Path::new("/"), &[]).unwrap();
    let error = Places::locate(&homeless, &settings, Path::new("/"), None).unwrap_err();
    assert!(matches!(error, ConfigError::NoHome));
}

#[test]
fn a_named_directory_wins_over_everything() {
    let world = World::new().with("CLAUDE_COWORK_MEMORY_PATH_OVERRIDE", "/cow");
    let dir = world.home.join("elsewhere");
    let places =
        Places::locate(&world.env(), &world.settings(), &world.project, Some(&dir)).unwrap();
    assert_eq!((places.memory_dir, places.rule), (dir, Rule::DirFlag));
    let relative = Path::new("mem");
    let places =
        Places::locate(&world.env(), &world.settings(), &world.project, Some(relative)).unwrap();
    assert_eq!(places.memory_dir, world.project.join("mem"));
    let missing = world.home.join("missing");
    let error = Places::locate(&world.env(), &world.settings(), &missing, None).unwrap_err();
    assert!(matches!(error, ConfigError::NoProject { .. }));
}

#[test]
fn an_override_of_the_environment_wins_over_settings_unless_it_is_refused() {
    let world = World::new().with("CLAUDE_COWORK_MEMORY_PATH_OVERRIDE", "/cow/a/../cafe\u{301}/");
    let places = world.user_directory("/mem");
    assert_eq!(places.memory_dir, Path::new("/cow/caf\u{e9}"));
    assert_eq!(places.rule, Rule::CoworkOverride);
    for refused in
        ["~/x", "~", "rel", "../x", "/", "/a", "//h/s", "\\\\h\\s", "C:", "C:\\", "/a/.."]
    {
        let world = World::new().with("CLAUDE_COWORK_MEMORY_PATH_OVERRIDE", refused);
        let places = world.places();
        assert_eq!(places.memory_dir, world.usual(), "{refused:?}");
        assert_eq!(places.warnings.len(), 1, "{refused:?}");
    }
}

#[test]
fn a_directory_of_the_users_settings_is_taken_unless_it_is_refused() {
    let world = World::new();
    assert_eq!(world.user_directory("~/mem/x/").memory_dir, world.home.join("mem/x"));
    assert_eq!(world.user_directory("/srv/./a/../mem").memory_dir, Path::new("/srv/mem"));
    assert_eq!(world.user_directory("/ab").memory_dir, Path::new("/ab"));
    let rule = world.user_directory("/srv/mem").rule;
    assert_eq!(rule, Rule::Setting { file: world.home.join(".claude/settings.json") });
    for refused in [
        "", "~", "~/", "~/.", "~/..", "~/../x", "~/a/..", "~x/y", "rel/x", "../x", "/a", "/",
        "//h/s", "\\\\h\\s", "D:/", "/x\0y",
    ] {
        let places = world.user_directory(refused);
        assert_eq!(places.memory_dir, world.usual(), "{refused:?}");
        assert_eq!(places.rule, Rule::Slug);
        assert_eq!(places.warnings.len(), 1, "{refused:?}");
    }
}

#[test]
fn a_projects_own_settings_never_choose_the_directory() {
    let world = World::new();
    let text = r#"{"autoMemoryDirectory": "/evil"}"#;
    world.write(world.project.join(".claude/settings.json"), text);
    let trust = serde_json::json!({
        "projects": { world.project.to_str().unwrap(): { "hasTrustDialogAccepted": true } }
    });
    world.write(".claude.json", &trust.to_string());
    assert_eq!(world.places().memory_dir, world.usual());
    assert_eq!(world.settings().warnings().len(), 1);
    assert_eq!(world.user_directory("/mine").memory_dir, Path::new("/mine"));
}

#[test]
fn a_local_setting_counts_only_in_a_trusted_workspace() {
    let world = World::new();
    let local = world.project.join(".claude/settings.local.json");
    world.write(&local, r#"{"autoMemoryDirectory": "/local"}"#);
    assert_eq!(world.places().memory_dir, world.usual());
    assert_eq!(world.settings().warnings().len(), 1);
    let trust = |accepted: bool, dir: &Path| {
        serde_json::json!({
            "numStartups": 3,
            "projects": { dir.to_str().unwrap(): { "hasTrustDialogAccepted": accepted, "x": [] } }
        })
        .to_string()
    };
    world.write(".claude.json", &trust(false, &world.project));
    assert_eq!(world.places().memory_dir, world.usual());
    world.write(".claude.json", &trust(true, &world.home));
    assert_eq!(world.places().memory_dir, world.usual());
    world.write(".claude.json", "{ broken");
    assert_eq!(world.places().memory_dir, world.usual());
    for dir in [world.project.clone(), world.project.parent().unwrap().to_owned()] {
        world.write(".claude.json", &trust(true, &dir));
        let places = world.places();
        assert_eq!(places.memory_dir, Path::new("/local"));
        assert_eq!(places.rule, Rule::Setting { file: local.clone() });
    }
    let moved = World::new().with("CLAUDE_CONFIG_DIR", world.home.join("cfg"));
    moved.write(
        moved.project.join(".claude/settings.local.json"),
        r#"{"autoMemoryDirectory": "/local"}"#,
    );
    moved.write(".claude.json", &trust(true, &moved.project));
    assert_ne!(moved.places().memory_dir, Path::new("/local"));
    moved.write(world.home.join("cfg/.claude.json"), &trust(true, &moved.project));
    assert_eq!(moved.places().memory_dir, Path::new("/local"));
}

#[test]
fn a_policy_wins_over_the_users_settings_even_where_its_value_is_refused() {
    let mut world = World::new();
    let policy = world.write("policy.json", r#"{"autoMemoryDirectory": "/policy"}"#);
    world.policy = Some(policy.clone());
    assert_eq!(world.user_directory("/mine").memory_dir, Path::new("/policy"));
    world.write(&policy, r#"{"autoMemoryDirectory": "nowhere"}"#);
    let places = world.user_directory("/mine");
    assert_eq!(places.memory_dir, world.usual());
    assert_eq!(places.warnings.len(), 1);
}

#[test]
fn a_project_folders_name_can_be_chosen_together_with_the_base() {
    let named = |name: &str| {
        let world = World::new();
        let cfg = world.home.join("cfg");
        let places = world
            .with("CLAUDE_CONFIG_DIR", &cfg)
            .with("CLAUDE_CODE_PROJECT_DIR_NAME", name)
            .places();
        (places.rule.as_str(), places.slug.clone(), places.transcripts_dir(), places.warnings.len())
    };
    let (rule, slug, transcripts, warnings) = named("My_name-1");
    assert_eq!((rule, slug.as_str(), warnings), ("project-dir-name", "My_name-1", 0));
    assert!(transcripts.ends_with("cfg/projects/My_name-1"));
    for refused in ["con", "LPT1", "a/b", "..", "a.b", "é", &"x".repeat(65)] {
        let (rule, _, _, warnings) = named(refused);
        assert_eq!((rule, warnings), ("slug", 1), "{refused:?}");
    }
    let alone = World::new().with("CLAUDE_CODE_PROJECT_DIR_NAME", "name").places();
    assert_eq!((alone.rule, alone.warnings.len()), (Rule::Slug, 1));
}
