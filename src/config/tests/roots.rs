use std::fs;
use std::path::Path;

use super::super::*;
use super::{World, add_worktree};

#[test]
fn worktrees_and_subdirectories_share_one_directory() {
    let world = World::new();
    let sub = world.project.join("a/b");
    fs::create_dir_all(&sub).unwrap();
    fs::create_dir(world.project.join(".git")).unwrap();
    let tree = world.home.join("tree");
    add_worktree(&world.project.join(".git"), &tree);
    fs::create_dir_all(tree.join("deep")).unwrap();
    for dir in [&world.project, &sub, &tree, &tree.join("deep")] {
        assert_eq!(world.places_of(dir).memory_dir, world.usual(), "{}", dir.display());
    }
    assert_ne!(world.places_of(&sub).transcripts_dir(), world.places().transcripts_dir());
}

#[cfg(unix)]
#[test]
fn links_and_dots_lead_to_the_same_directory() {
    let world = World::new();
    fs::create_dir_all(world.project.join("a")).unwrap();
    fs::create_dir(world.project.join(".git")).unwrap();
    let link = world.home.join("link");
    std::os::unix::fs::symlink(&world.project, &link).unwrap();
    for dir in
        [&link, &link.join("a"), &world.project.join("a/.././a"), Path::new("a"), Path::new(".")]
    {
        assert_eq!(world.places_of(dir).memory_dir, world.usual(), "{}", dir.display());
    }
}

#[test]
fn a_bare_repository_and_its_worktrees_share_one_directory() {
    let world = World::new();
    let bare = world.project.join(".bare");
    fs::create_dir(&bare).unwrap();
    fs::write(bare.join("config"), "[core]\n\tbare = true\n").unwrap();
    fs::write(world.project.join(".git"), "gitdir: ./.bare\n").unwrap();
    let trees = [world.project.join("main"), world.home.join("feature")];
    for tree in &trees {
        add_worktree(&bare, tree);
    }
    for dir in [&world.project, &trees[0], &trees[1]] {
        assert_eq!(world.places_of(dir).root, bare, "{}", dir.display());
    }
    let kept = world.note(&world.project);
    for dir in [&world.project, &trees[0], &trees[1]] {
        let strays = world.places_of(dir).strays();
        assert_eq!(strays.len(), 1, "{}", dir.display());
        assert_eq!(strays[0].path, kept);
    }
}

#[test]
fn a_submodule_and_a_separate_git_directory_keep_their_own_root() {
    let world = World::new();
    fs::create_dir_all(world.project.join(".git/modules/sub")).unwrap();
    let sub = world.project.join("sub");
    fs::create_dir_all(sub.join("x")).unwrap();
    fs::write(sub.join(".git"), "gitdir: ../.git/modules/sub\n").unwrap();
    assert_eq!(world.places_of(&sub.join("x")).root, sub);
    let apart = world.home.join("apart");
    fs::create_dir_all(&apart).unwrap();
    fs::create_dir_all(world.home.join("gitdir")).unwrap();
    fs::write(apart.join(".git"), format!("gitdir: {}\n", world.home.join("gitdir").display()))
        .unwrap();
    assert_eq!(world.places_of(&apart).root, apart);
}

#[test]
fn a_repository_cannot_pass_for_a_worktree_of_another() {
    let world = World::new();
    fs::create_dir(world.project.join(".git")).unwrap();
    let tree = world.home.join("tree");
    add_worktree(&world.project.join(".git"), &tree);
    let hostile = world.home.join("hostile");
    fs::create_dir(&hostile).unwrap();
    let mut claims =
        vec![fs::read_to_string(tree.join(".git")).unwrap(), "garbage".to_owned(), String::new()];
    // Its own copy of the files, with the other's common directory.
    fs::create_dir(hostile.join("git")).unwrap();
    fs::write(hostile.join("git/commondir"), world.project.join(".git").to_str().unwrap()).unwrap();
    fs::write(hostile.join("git/gitdir"), hostile.join(".git").to_str().unwrap()).unwrap();
    claims.push("gitdir: git".to_owned());
    for claim in claims {
        fs::write(hostile.join(".git"), &claim).unwrap();
        assert_eq!(world.places_of(&hostile).root, hostile, "{claim:?}");
    }
}

#[test]
fn agents_are_found_in_all_three_scopes() {
    let world = World::new();
    world.write(".claude/agent-memory/review-er/MEMORY.md", "x");
    world.write(world.project.join(".claude/agent-memory/b/MEMORY.md"), "x");
    world.write(world.project.join(".claude/agent-memory-local/a/MEMORY.md"), "x");
    world.write(world.project.join(".claude/agent-memory/file.md"), "x");
    let places = world.places();
    let found: Vec<_> =
        places.agents().into_iter().map(|(scope, name, _)| (scope.as_str(), name)).collect();
    assert_eq!(
        found,
        [("user", "review-er".to_owned()), ("project", "b".to_owned()), ("local", "a".to_owned())]
    );
    assert!(places.agent_dir(AgentScope::User, "review:er").is_dir());
}

#[test]
fn directories_kept_under_other_names_are_strays() {
    let world = World::new();
    let sub = world.project.join("a/b c");
    fs::create_dir_all(&sub).unwrap();
    fs::create_dir_all(world.project.join("nested/.git")).unwrap();
    fs::create_dir(world.project.join(".git")).unwrap();
    let tree = world.home.join("tree");
    add_worktree(&world.project.join(".git"), &tree);
    world.note(&world.project);
    let above = world.project.parent().unwrap();
    let strays = [world.note(&sub), world.note(&tree), world.note(above)];
    // Another project's, a nested repository's, and an empty one.
    world.note(&world.project.with_file_name("repo-other"));
    world.note(&world.project.join("nested"));
    let empty = world.home.join(".claude/projects").join(slug(&world.project.join("a")));
    fs::create_dir_all(empty.join("memory")).unwrap();
    for dir in [&world.project, &tree] {
        let mut found: Vec<_> =
            world.places_of(dir).strays().into_iter().map(|stray| stray.path).collect();
        found.sort();
        let mut expected = strays.to_vec();
        expected.sort();
        assert_eq!(found, expected, "seen from {}", dir.display());
    }
    let whys: Vec<_> = world.places().strays().into_iter().map(|stray| stray.why).collect();
    assert!(whys.contains(&"it is kept by a directory above the project".to_owned()));
}

#[cfg(unix)]
#[test]
fn a_directory_kept_by_the_name_of_a_link_is_a_stray() {
    let world = World::new();
    fs::create_dir(world.project.join(".git")).unwrap();
    let link = world.home.join("link");
    std::os::unix::fs::symlink(&world.project, &link).unwrap();
    let kept = world.note(&link);
    let paths = |places: Places| places.strays().into_iter().map(|s| s.path).collect::<Vec<_>>();
    assert_eq!(paths(world.places_of(&link)), std::slice::from_ref(&kept));
    let seen = world.with("PWD", &link);
    assert_eq!(paths(seen.places_of(Path::new("."))), [kept]);
}

#[test]
fn the_usual_place_is_a_stray_where_a_setting_chose_another() {
    let world = World::new();
    let usual = world.note(&world.project);
    let strays = world.user_directory("/srv/mem").strays();
    assert_eq!(strays.len(), 1);
    assert_eq!(strays[0].path, usual);
}

#[test]
fn a_long_path_finds_the_folder_that_another_hash_made() {
    let world = World::new();
    let long = world.project.join("x".repeat(120)).join("y".repeat(120));
    fs::create_dir_all(&long).unwrap();
    let own = slug(&long);
    let other = format!("{}zzzz", &own[..=200]);
    let note = format!(".claude/projects/{other}/memory/a.md");
    world.write(&note, "x");
    let places = world.places_of(&long);
    assert_eq!((&places.slug, &places.rule), (&other, &Rule::SlugPrefix));
    world.note(&long);
    let places = world.places_of(&long);
    assert_eq!((&places.slug, &places.rule), (&own, &Rule::Slug));
    let strays = places.strays();
    assert_eq!(strays.len(), 1);
    assert_eq!(strays[0].path, world.home.join(note).parent().unwrap());
}

#[test]
fn the_work_tree_around_a_directory_is_found_but_for_kiths_own_store() {
    let world = World::new();
    assert_eq!(enclosing_work_tree(&world.project.join("not/there")), None);
    fs::create_dir(world.project.join(".git")).unwrap();
    let memory = world.project.join("deep/memory");
    fs::create_dir_all(&memory).unwrap();
    assert_eq!(enclosing_work_tree(&memory), Some(world.project.clone()));
    assert_eq!(enclosing_work_tree(&memory.join("not/there")), Some(world.project.clone()));
    fs::write(memory.join(".git"), "gitdir: ../../../../home/.claude/kith/stores/ab.git\n")
        .unwrap();
    assert_eq!(enclosing_work_tree(&memory), Some(world.project.clone()));
    fs::write(memory.join(".git"), "gitdir: ../elsewhere\n").unwrap();
    assert_eq!(enclosing_work_tree(&memory), Some(memory.clone()));
    let alone = world.home.join("memory");
    fs::create_dir(&alone).unwrap();
    fs::write(alone.join(".git"), "gitdir: ../.claude/kith/stores/ab.git\n").unwrap();
    assert_eq!(enclosing_work_tree(&alone), None);
}
