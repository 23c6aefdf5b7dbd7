//! Which remote a store has: named by a person, kept in the store's own configuration.

use super::{Result, TeamError};
use crate::git::{Remote, Repo};
use crate::secrets;

const URL: &str = "kith.url";
const REF: &str = "kith.ref";

/// The remote of a store, if a person named one.
pub fn remote_of(repo: &Repo) -> Option<Remote> {
    let url = repo.config_value(URL)?;
    let remote_ref = repo.config_value(REF).unwrap_or_else(|| "refs/heads/main".into());
    Some(Remote { url, remote_ref })
}

/// Records the remote of a store. `branch`: its branch there.
///
/// # Errors
/// [`TeamError::BadUrl`] for a URL that carries a password, starts like an option, or is a relative
/// path.
pub fn set_remote(repo: &Repo, url: &str, branch: &str) -> Result<()> {
    let bad = |why: &str| {
        Err(TeamError::BadUrl { url: secrets::redact(url).into_owned(), why: why.into() })
    };
    if url.is_empty() || url.starts_with('-') || url.contains(['\n', '\r', '\0']) {
        return bad("it is not a URL or an absolute path");
    }
    if let Some((_, rest)) = url.split_once("://") {
        let authority = rest.split('/').next().unwrap_or("");
        if authority.rsplit_once('@').is_some_and(|(user, _)| user.contains(':')) {
            return bad("it carries a password; let git's credential helper keep it");
        }
    }
    let remote_ref = if branch.starts_with("refs/") {
        branch.to_string()
    } else {
        format!("refs/heads/{branch}")
    };
    repo.set_config(URL, Some(url))?;
    repo.set_config(REF, Some(&remote_ref))?;
    Ok(())
}
