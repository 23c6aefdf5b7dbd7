//! `kith demo`: the main job end to end in a temporary folder, with two people and one remote. It
//! runs the same commands as a person would and tells what happens; it knows how to do nothing by
//! itself, but looks at the end whether what it told is true.

use super::{Cli, CommandError, Context, Global, Kind};
use crate::config::Env;
use crate::git::Git;
use crate::ui::Style;
use clap::Parser;
use secrecy::{ExposeSecret, SecretString};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long git may take to make or read the small repository of the demo.
const GIT_DEADLINE: Duration = Duration::from_secs(30);

/// Notes as an agent writes them.
mod notes {
    pub(super) const PRIVATE_INDEX: &str = include_str!("../../templates/demo/index-private.md");
    pub(super) const ROLE: &str = include_str!("../../templates/demo/user-role.md");
    pub(super) const INDEX: &str = include_str!("../../templates/demo/index.md");
    pub(super) const RELEASE: &str = include_str!("../../templates/demo/release-process.md");
    pub(super) const DATABASE: &str = include_str!("../../templates/demo/real-database.md");
    pub(super) const INCIDENTS: &str = include_str!("../../templates/demo/incidents.md");
    pub(super) const ACCESS: &str = include_str!("../../templates/demo/staging-access.md");
    pub(super) const ACCESS_CLEAN: &str =
        include_str!("../../templates/demo/staging-access-clean.md");
    pub(super) const FLAKY: &str = include_str!("../../templates/demo/flaky-upload.md");
}

/// Arguments of `demo`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Keep the folder, to look around in it
    #[arg(long)]
    keep: bool,
}

/// Runs `demo`.
///
/// # Errors
/// No git, or a folder that cannot be written; [`Kind::Bug`] when what the demo promises did not
/// happen.
pub fn run(ctx: &Context, args: &Args) -> Result<(), CommandError> {
    let root = temporary_folder(ctx.env.get("TMPDIR").unwrap_or("/tmp"))?;
    let result = Demo::new(ctx, &root).and_then(Demo::play);
    if args.keep {
        ctx.ui.line(&format!("\nEverything is kept in {}", root.display()));
    } else if let Err(e) = std::fs::remove_dir_all(&root) {
        ctx.ui.warn(&format!("{} could not be removed: {e}", root.display()));
    }
    result
}

/// One of the two, with a home directory and a project of their own.
struct Person {
    name: &'static str,
    env: Env,
    memory: PathBuf,
}

struct Demo<'a> {
    ctx: &'a Context,
    remote: PathBuf,
    ana: Person,
    ben: Person,
    /// Made up, but treated as a real one: it is shown nowhere.
    token: SecretString,
    step: usize,
}

impl<'a> Demo<'a> {
    fn new(ctx: &'a Context, root: &Path) -> Result<Demo<'a>, CommandError> {
        let remote = root.join("team.git");
        let ana = Person::new(ctx, root, "Ana")?;
        let ben = Person::new(ctx, root, "Ben")?;
        // Shaped like a real one, valid nowhere, and put together only here.
        let token = ["gh", "p_", "Zq7Lw2Xc9Vb4Nm6K", "j1Hg8Fd3Sa5Po04BbLsV"].concat().into();
        Ok(Demo { ctx, remote, ana, ben, token, step: 0 })
    }

    fn play(mut self) -> Result<(), CommandError> {
        self.set_up()?;
        self.hold_a_secret_back()?;
        self.join()?;
        self.edit_at_once()?;
        self.release_the_held_note()?;
        self.look()?;
        self.check()
    }

    fn set_up(&mut self) -> Result<(), CommandError> {
        self.tell(
            "Two people, Ana and Ben, work on one project with coding agents. The team has an \
             empty git repository; any git server will do, here it is a folder.",
        );
        let at = self.remote.display().to_string();
        self.shell(&format!("git init --bare {at}"));
        git(None, &["init", "--quiet", "--bare", "-b", "main", &at])?;

        self.tell(
            "Ana's agent has written notes before. From now on their history is kept in git, \
             outside of her memory directory, in which no byte changes. What she shares with the \
             team goes into team/ in it.",
        );
        write(&self.ana.memory.join("MEMORY.md"), notes::PRIVATE_INDEX)?;
        write(&self.ana.memory.join("user-role.md"), notes::ROLE)?;
        self.kith(&self.ana, &["init", "--team-url", &at])
    }

    fn hold_a_secret_back(&mut self) -> Result<(), CommandError> {
        self.tell(
            "Her agent writes what the team should know into team/: an index and four notes. \
             One of them holds a token that was pasted in the session. It stays on her machine, \
             named by place and rule; the others go.",
        );
        let access = notes::ACCESS.replace("{token}", self.token.expose_secret());
        for (name, text) in [
            ("MEMORY.md", notes::INDEX),
            ("release-process.md", notes::RELEASE),
            ("real-database.md", notes::DATABASE),
            ("incidents.md", notes::INCIDENTS),
            ("staging-access.md", &access),
        ] {
            write(&self.ana.team(name), text)?;
        }
        self.kith(&self.ana, &["sync"])
    }

    fn join(&mut self) -> Result<(), CommandError> {
        self.tell("Ben joins, and has the team's notes.");
        let at = self.remote.display().to_string();
        self.kith(&self.ben, &["init", "--team-url", &at])?;
        self.kith(&self.ben, &["sync"])?;
        let names: Vec<String> = files(&self.ben.team(""))?.into_keys().collect();
        self.ctx.ui.line(&format!("Ben's team/ has {}", names.join(", ")));
        Ok(())
    }

    fn edit_at_once(&mut self) -> Result<(), CommandError> {
        self.tell(
            "Both change the same note at the same time, and Ben's agent adds a note and its line \
             in the index. Whoever syncs second merges; nobody is asked, no conflict marker is \
             ever written, and nothing is lost.",
        );
        let release = "release-process.md";
        let (cut, channel) = ("cut on Monday", "go to the release channel");
        edit(&self.ana.team(release), cut, "cut on Monday at noon, by whoever is on call")?;
        edit(&self.ben.team(release), channel, "go to the release channel and to support")?;
        write(&self.ben.team("flaky-upload.md"), notes::FLAKY)?;
        let line = "- [Flaky upload test](flaky-upload.md) — run it again once\n";
        let index = read(&self.ben.team("MEMORY.md"))?;
        write(&self.ben.team("MEMORY.md"), &format!("{index}{line}"))?;
        self.kith(&self.ana, &["sync"])?;
        self.kith(&self.ben, &["sync"])?;
        self.kith(&self.ana, &["sync"])?;
        self.ctx.ui.line("\nThe note on both machines now says:");
        for line in read(&self.ana.team(release))?.lines() {
            if line.contains("cut on Monday") || line.contains("release channel") {
                self.ctx.ui.line(&format!("    {line}"));
            }
        }
        Ok(())
    }

    fn release_the_held_note(&mut self) -> Result<(), CommandError> {
        self.tell("Ana takes the token out of the note that was held back; now it goes too.");
        write(&self.ana.team("staging-access.md"), notes::ACCESS_CLEAN)?;
        self.kith(&self.ana, &["sync"])?;
        self.kith(&self.ben, &["sync"])
    }

    fn look(&mut self) -> Result<(), CommandError> {
        self.tell("Everything is history: who changed what, and when.");
        self.kith(&self.ben, &["log", "--team"])?;
        self.kith(&self.ben, &["show", "--team", "HEAD~2"])?;
        self.tell("Nothing is left to do on either side.");
        self.kith(&self.ana, &["status", "--team"])?;
        self.kith(&self.ben, &["status", "--team"])
    }

    /// Looks whether all that was told is so.
    fn check(&mut self) -> Result<(), CommandError> {
        self.tell("Is that so? The demo looks itself.");
        let (ana, ben) = (files(&self.ana.team(""))?, files(&self.ben.team(""))?);
        self.must(
            !ana.is_empty() && ana == ben,
            &format!("both machines hold the same {} files, byte for byte", ana.len()),
        )?;
        let all = ["cat-file", "--batch-all-objects", "--batch"];
        let objects = git(Some(&self.remote), &all)?;
        let holds =
            |text: &str| objects.windows(text.len()).any(|window| window == text.as_bytes());
        self.must(holds("cut on Monday at noon"), "both edits are in the team's repository")?;
        self.must(
            !holds(self.token.expose_secret()),
            "the token is in no object of the team's repository",
        )?;
        self.must(!holds("written Go"), "Ana's private notes are not there either")
    }

    fn must(&self, holds: bool, what: &str) -> Result<(), CommandError> {
        if !holds {
            return Err(CommandError::new(Kind::Bug, format!("this does not hold: {what}")));
        }
        let ok = self.ctx.ui.style(Style::Good, "ok");
        self.ctx.ui.line(&format!("  {ok}  {what}"));
        Ok(())
    }

    /// The next step in words, broken into lines of at most 80 characters.
    fn tell(&mut self, text: &str) {
        self.step += 1;
        let head = format!("{}. ", self.step);
        let mut lines = vec![head.clone()];
        for word in text.split(' ') {
            let line = lines.last_mut().expect("it starts with one");
            if line.trim().is_empty() || line.ends_with(' ') {
                line.push_str(word);
            } else if line.chars().count() + 1 + word.chars().count() <= 80 {
                line.push(' ');
                line.push_str(word);
            } else {
                lines.push(format!("{}{word}", " ".repeat(head.len())));
            }
        }
        self.ctx.ui.line("");
        for line in lines {
            self.ctx.ui.line(&self.ctx.ui.style(Style::Bold, &line));
        }
    }

    fn shell(&self, command: &str) {
        self.ctx.ui.line(&format!("\n$ {command}"));
    }

    /// Runs a command as this person.
    fn kith(&self, person: &Person, args: &[&str]) -> Result<(), CommandError> {
        self.ctx.ui.line(&format!("\n{}$ kith {}", person.name.to_lowercase(), args.join(" ")));
        let words = std::iter::once("kith").chain(args.iter().copied());
        let mut cli =
            Cli::try_parse_from(words).map_err(|e| CommandError::new(Kind::Bug, e.to_string()))?;
        cli.global.color = self.ctx.global.color;
        super::dispatch(person.env.clone(), cli)
    }
}

impl Person {
    fn new(ctx: &Context, root: &Path, name: &'static str) -> Result<Person, CommandError> {
        let home = root.join(name.to_lowercase());
        let project = home.join("shop");
        make_folder(&project)?;
        git(None, &["init", "--quiet", "-b", "main", &project.display().to_string()])?;
        let author = format!("{name} <{}@example.com>", name.to_lowercase());
        let home = home.display().to_string();
        let mut vars = vec![("HOME", home.as_str()), ("KITH_AUTHOR", &author)];
        for name in ["PATH", "TERM", "NO_COLOR"] {
            vars.extend(ctx.env.get(name).map(|value| (name, value)));
        }
        let env = Env::fixed(&vars, &project);
        let memory = Context::new(env.clone(), Global::default())?.places.memory_dir;
        Ok(Person { name, env, memory })
    }

    /// A file of the team's directory.
    fn team(&self, name: &str) -> PathBuf {
        self.memory.join("team").join(name)
    }
}

fn git(dir: Option<&Path>, args: &[&str]) -> Result<Vec<u8>, CommandError> {
    let git = Git { git_dir: dir.map(Path::to_path_buf), work_tree: None, cwd: "/".into() };
    let end = git.run(args, GIT_DEADLINE)?;
    if end.code == Some(0) {
        return Ok(end.stdout);
    }
    Err(CommandError::user(format!("git {}: {}", args[0], end.stderr.trim())))
}

/// A new folder below `parent` that nobody else has, by its real path.
fn temporary_folder(parent: &str) -> Result<PathBuf, CommandError> {
    let parent = std::fs::canonicalize(parent).map_err(at(Path::new(parent)))?;
    let mut attempt = 0;
    loop {
        let folder = parent.join(format!("kith-demo-{}-{attempt}", std::process::id()));
        match std::fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists && attempt < 100 => {
                attempt += 1;
            }
            Err(e) => return Err(at(&folder)(e)),
        }
    }
}

fn at(path: &Path) -> impl FnOnce(std::io::Error) -> CommandError + '_ {
    move |e| CommandError::user(format!("{}: {e}", path.display()))
}

fn make_folder(path: &Path) -> Result<(), CommandError> {
    std::fs::create_dir_all(path).map_err(at(path))
}

/// Writes a file as an agent does.
fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    make_folder(path.parent().unwrap_or(path))?;
    std::fs::File::create(path).and_then(|mut f| f.write_all(text.as_bytes())).map_err(at(path))
}

fn read(path: &Path) -> Result<String, CommandError> {
    std::fs::read_to_string(path).map_err(at(path))
}

fn edit(path: &Path, from: &str, to: &str) -> Result<(), CommandError> {
    let text = read(path)?;
    write(path, &text.replacen(from, to, 1))
}

/// The notes of a folder by name.
fn files(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, CommandError> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).map_err(at(folder))? {
        let path = entry.map_err(at(folder))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(".md") {
            found.insert(name, std::fs::read(&path).map_err(at(&path))?);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::notes;
    use crate::secrets;

    #[test]
    fn the_notes_hold_no_secret_and_one_has_a_place_for_it() {
        for text in [notes::RELEASE, notes::DATABASE, notes::INCIDENTS, notes::FLAKY] {
            assert!(secrets::scan(text.as_bytes()).is_empty(), "{text}");
        }
        assert!(secrets::scan(notes::ACCESS_CLEAN.as_bytes()).is_empty());
        assert_eq!(notes::ACCESS.matches("{token}").count(), 1);
    }

    #[test]
    fn what_both_edit_is_in_the_note() {
        assert!(notes::RELEASE.contains("cut on Monday."));
        assert!(notes::RELEASE.contains("go to the release channel."));
    }
}
