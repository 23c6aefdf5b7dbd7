//! `kith config`: the settings with the layer that each comes from.

use super::{CommandError, Context};
use crate::config::{Settings, Value};
use crate::secrets;
use serde_json::json;

/// Arguments of `config`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    pub action: Action,
    /// Show where each value comes from
    #[arg(long, global = true)]
    pub show_origin: bool,
}

/// What `config` does.
#[derive(Debug, clap::Subcommand)]
pub enum Action {
    /// List every setting
    List,
    /// Print one setting
    Get {
        /// Its name
        key: String,
    },
    /// Write one setting into kith's settings file
    Set {
        /// Its name
        key: String,
        /// Its value
        value: String,
    },
}

/// Runs `config`.
pub fn run(ctx: &Context, args: &Args) -> Result<(), CommandError> {
    match &args.action {
        Action::List => {
            for value in ctx.settings.list() {
                print(ctx, &value, args.show_origin, true);
            }
            Ok(())
        }
        Action::Get { key } => match ctx.settings.get(key) {
            Some(value) => {
                print(ctx, &value, args.show_origin, false);
                Ok(())
            }
            None => Err(CommandError::user(format!("there is no setting {key:?}"))
                .hint("`kith config list` names every setting.")),
        },
        Action::Set { key, value } => {
            Settings::set(&ctx.env, key, value)?;
            ctx.ui.say(&format!("set {key}"));
            Ok(())
        }
    }
}

fn print(ctx: &Context, value: &Value, show_origin: bool, named: bool) {
    // A base URL or a model's command may carry a credential.
    let shown = secrets::redact(&value.value);
    if ctx.ui.is_json() {
        let origin = value.origin.to_string();
        ctx.ui.json(&json!({ "key": value.key, "value": shown, "origin": origin }));
        return;
    }
    let text = if named { format!("{} = {shown}", value.key) } else { shown.into_owned() };
    let origin = if show_origin { format!("\t({})", value.origin) } else { String::new() };
    ctx.ui.line(&format!("{text}{origin}"));
}
