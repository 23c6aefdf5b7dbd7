//! Directories and names that a person chose, by the environment or a setting, and which of them
//! are refused.

use std::path::{Path, PathBuf};

use super::places::{Rule, nfc_path, tidy};
use super::{Env, Settings};

/// Characters that a directory of a person's own choice must at least have.
const MIN_DIRECTORY_CHARS: usize = 3;
/// Characters that a project folder's name of a person's own choice may have.
const MAX_NAME_CHARS: usize = 64;

/// The memory directory that the environment or a setting chooses, if it may be chosen. The first
/// that is set counts: where it is refused, the client does not ask a weaker one, and neither do
/// we, or the two would write to different places.
pub(super) fn chosen(
    env: &Env,
    settings: &Settings,
    warnings: &mut Vec<String>,
) -> Option<(PathBuf, Rule)> {
    const OVERRIDE: &str = "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE";
    if let Some(text) = env.get(OVERRIDE) {
        match checked(text) {
            Ok(path) => return Some((path, Rule::CoworkOverride)),
            Err(why) => warnings.push(format!("{OVERRIDE} is refused: {why}")),
        }
    }
    let (text, file) = settings.directory()?;
    let path = match text.strip_prefix("~/") {
        Some(rest) => env.home().ok_or("no home directory is known").and_then(|home| {
            let inside = tidy(Path::new(rest));
            let climbs = inside.as_os_str().is_empty() || inside.starts_with("..");
            if climbs {
                return Err("it is the home directory itself or lies outside it");
            }
            checked(&home.join(inside).to_string_lossy())
        }),
        None => checked(text),
    };
    match path {
        Ok(path) => Some((path, Rule::Setting { file: file.to_owned() })),
        Err(why) => {
            warnings.push(format!("autoMemoryDirectory in {} is refused: {why}", file.display()));
            None
        }
    }
}

/// A directory that a person chose, in NFC and without dots, or why it cannot be one.
fn checked(text: &str) -> Result<PathBuf, &'static str> {
    if text.contains('\0') {
        return Err("it holds a NUL");
    }
    if text.starts_with("\\\\") || text.starts_with("//") {
        return Err("it is a network path");
    }
    let drive = text.trim_end_matches(['/', '\\']);
    if drive.len() == 2 && drive.ends_with(':') {
        return Err("it is the root of a drive");
    }
    if text.starts_with('~') {
        return Err("it starts with ~, which is not expanded here");
    }
    if !Path::new(text).is_absolute() {
        return Err("it is relative");
    }
    let path = nfc_path(tidy(Path::new(text)));
    if path.to_string_lossy().chars().count() < MIN_DIRECTORY_CHARS {
        return Err("it is too short");
    }
    Ok(path)
}

/// `CLAUDE_CODE_PROJECT_DIR_NAME`, which counts only together with `CLAUDE_CONFIG_DIR`.
pub(super) fn dir_name(env: &Env, warnings: &mut Vec<String>) -> Option<String> {
    const NAME: &str = "CLAUDE_CODE_PROJECT_DIR_NAME";
    let name = env.get(NAME)?;
    if env.get("CLAUDE_CONFIG_DIR").is_none() {
        warnings.push(format!("{NAME} counts only together with CLAUDE_CONFIG_DIR"));
        return None;
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.len() > MAX_NAME_CHARS || !name.chars().all(plain) || is_device(name) {
        warnings.push(format!(
            "{NAME} is refused: it must be 1 to {MAX_NAME_CHARS} of A-Z a-z 0-9 _ - and no device"
        ));
        return None;
    }
    Some(name.to_owned())
}

/// Whether Windows keeps the name, which holds letters, digits, `_` and `-`, for a device.
fn is_device(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let port = name.strip_prefix("com").or_else(|| name.strip_prefix("lpt"));
    matches!(name.as_str(), "con" | "prn" | "aux" | "nul")
        || port.is_some_and(|n| n.len() == 1 && n.as_bytes()[0].is_ascii_digit())
}
