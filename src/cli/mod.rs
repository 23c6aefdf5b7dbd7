//! The commands: one file each, `Args` and `run`. Parses, calls an engine, prints. Decides nothing
//! of its own; ends the process with the codes of the contract.

mod args;
mod asking;
pub mod commit;
pub mod completions;
pub mod config;
mod context;
pub mod demo;
pub mod diff;
mod error;
pub mod events;
pub mod git;
pub mod hook;
pub mod init;
pub mod log;
pub mod remember;
pub mod restore;
pub mod revert;
pub mod scan;
pub mod show;
mod show_paths;
pub mod status;
pub mod sync;
pub mod where_;

pub use args::{Cli, Command, Global, Scope, When};
pub use context::Context;
pub use error::{CommandError, Kind, shell_word};

use crate::config::Env;
use crate::secrets;
use crate::ui::{Options, Ui};
use clap::Parser;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

/// Runs the program.
pub fn main() -> ExitCode {
    panic::set_hook(Box::new(|info| {
        // What a panic says may hold note text; where it happened cannot.
        let place = info.location().map_or_else(String::new, |at| format!(" at {at}"));
        Ui::default().error(
            &format!("kith has a bug{place}; nothing more was done"),
            &["Please report it with the command that you ran.".to_string()],
        );
    }));
    let code = panic::catch_unwind(AssertUnwindSafe(parse_and_run));
    ExitCode::from(code.unwrap_or(Kind::Bug.code()))
}

fn parse_and_run() -> u8 {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => return usage(&e),
    };
    let env = match Env::read() {
        Ok(env) => env,
        Err(e) => return ended(&Ui::default(), Err(e.into())),
    };
    let ui = context::ui(&env, &cli.global);
    ended(&ui, dispatch(env, cli))
}

/// Help and version on standard output, mistakes on standard error without what was typed where
/// that is a secret.
fn usage(e: &clap::Error) -> u8 {
    let code = u8::try_from(e.exit_code()).unwrap_or(Kind::Usage.code());
    if e.use_stderr() {
        let text = e.render().to_string();
        let ui = Ui::new(Options::default());
        ui.say(secrets::redact(&text).trim_end());
    } else {
        // A reader that hung up is no error.
        let _ = e.print();
    }
    code
}

fn ended(ui: &Ui, result: Result<(), CommandError>) -> u8 {
    match result {
        Ok(()) => 0,
        Err(e) => {
            if !e.message.is_empty() {
                ui.error(&e.message, &e.hints);
            }
            e.kind.code()
        }
    }
}

fn dispatch(env: Env, cli: Cli) -> Result<(), CommandError> {
    let Cli { global, command } = cli;
    // These two need no directories, and git calls one of them where there may be no home.
    if let Command::Completions(args) = &command {
        return completions::run(&context::ui(&env, &global), args);
    }
    if let Command::Hook(args) = &command {
        return hook::run(&env, &global, args);
    }
    let ctx = Context::new(env, global)?;
    for warning in ctx.settings.warnings().iter().chain(&ctx.places.warnings) {
        ctx.ui.warn(&secrets::redact(warning));
    }
    match &command {
        Command::Init(args) => init::run(&ctx, args),
        Command::Where(args) => where_::run(&ctx, args),
        Command::Remember(args) => remember::run(&ctx, args),
        Command::Status(args) => status::run(&ctx, args),
        Command::Commit(args) => commit::run(&ctx, args),
        Command::Pull(args) => sync::pull(&ctx, args),
        Command::Push(args) => sync::push(&ctx, args),
        Command::Sync(args) => sync::run(&ctx, args),
        Command::Log(args) => log::run(&ctx, args),
        Command::Show(args) => show::run(&ctx, args),
        Command::Diff(args) => diff::run(&ctx, args),
        Command::Revert(args) => revert::run(&ctx, args),
        Command::Restore(args) => restore::run(&ctx, args),
        Command::Scan(args) => scan::run(&ctx, args),
        Command::Git(args) => git::run(&ctx, args),
        Command::Config(args) => config::run(&ctx, args),
        Command::Events(args) => events::run(&ctx, args),
        Command::Demo(args) => demo::run(&ctx, args),
        // Both ran above.
        Command::Completions(_) | Command::Hook(_) => Ok(()),
    }
}
