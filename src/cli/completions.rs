//! `kith completions`: the completions of a shell, as clap knows the command line.

use super::{Cli, CommandError};
use crate::ui::Ui;
use clap::CommandFactory;

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Prints the completions.
pub fn run(ui: &Ui, args: &Args) -> Result<(), CommandError> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "kith", &mut text);
    ui.raw(&text);
    Ok(())
}
