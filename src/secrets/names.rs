//! What a name says about the value it is given: `db_password`, `apiKey`, `token_count`.

/// Longest name in words that is looked at.
const MOST_WORDS: usize = 16;

/// How a name speaks of secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameKind {
    /// A person's or a database's password.
    Password,
    /// A token or key made by a machine; `named` if the name says whose.
    Secret {
        /// The name has a word beyond the usual ones (`gitea_token`, not `api_token`).
        named: bool,
    },
    /// Perhaps a secret: a bare `key`, `auth`.
    Weak,
}

const PASSWORD_NOUNS: [&str; 7] =
    ["password", "passwd", "passphrase", "pwd", "passcode", "pass", "kennwort"];
const SECRET_NOUNS: [&str; 12] = [
    "token",
    "secret",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "authtoken",
    "apitoken",
    "accesstoken",
    "credential",
    "credentials",
    "authkey",
];
/// Words that make a `key` a secret one.
const KEY_MAKERS: [&str; 22] = [
    "api",
    "access",
    "secret",
    "private",
    "signing",
    "encryption",
    "master",
    "auth",
    "service",
    "account",
    "shared",
    "storage",
    "admin",
    "webhook",
    "session",
    "hmac",
    "jwt",
    "deploy",
    "license",
    "app",
    "token",
    "unlock",
];
/// Words that add nothing about whose secret it is.
const COMMON: [&str; 24] = [
    "my",
    "the",
    "user",
    "client",
    "app",
    "application",
    "oauth",
    "session",
    "refresh",
    "id",
    "x",
    "bearer",
    "api",
    "auth",
    "access",
    "secret",
    "private",
    "key",
    "new",
    "old",
    "test",
    "env",
    "export",
    "public",
];
/// Last words after which the value describes a secret and is none.
const DESCRIBES: [&str; 69] = [
    "sha",
    "digest",
    "checksum",
    "fingerprint",
    "md",
    "integrity",
    "etag",
    "id",
    "ids",
    "name",
    "names",
    "url",
    "uri",
    "path",
    "file",
    "dir",
    "type",
    "kind",
    "field",
    "count",
    "counts",
    "length",
    "len",
    "size",
    "limit",
    "limits",
    "ttl",
    "expiry",
    "expires",
    "expiration",
    "header",
    "prefix",
    "suffix",
    "param",
    "params",
    "var",
    "variable",
    "ref",
    "label",
    "policy",
    "version",
    "format",
    "at",
    "in",
    "regex",
    "pattern",
    "hint",
    "arn",
    "provider",
    "store",
    "manager",
    "endpoint",
    "host",
    "status",
    "usage",
    "budget",
    "rotation",
    "scope",
    "scopes",
    "hash",
    "map",
    "index",
    "mode",
    "class",
    "error",
    "required",
    "enabled",
    "location",
    "generator",
];
/// Words anywhere in a name that make its value public.
const PUBLIC: [&str; 22] = [
    "public",
    "pub",
    "primary",
    "foreign",
    "cache",
    "cached",
    "sort",
    "partition",
    "page",
    "next",
    "continuation",
    "pagination",
    "sync",
    "cancellation",
    "design",
    "max",
    "min",
    "prompt",
    "completion",
    "csrf",
    "xsrf",
    "idempotency",
];
/// Last words that may follow a secret's noun.
const QUALIFIERS: [&str; 20] = [
    "base",
    "str",
    "value",
    "string",
    "text",
    "plain",
    "prod",
    "production",
    "dev",
    "staging",
    "default",
    "live",
    "current",
    "raw",
    "base64",
    "b64",
    "main",
    "old",
    "new",
    "env",
];

/// What `name` says, or `None` if its value is no secret.
pub(super) fn judge_name(name: &[u8]) -> Option<NameKind> {
    let words = words_of(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if words.iter().any(|word| PUBLIC.contains(word)) {
        return None;
    }
    let last = words.iter().rposition(|word| !QUALIFIERS.contains(word))?;
    let (before, word) = (&words[..last], words[last]);
    if DESCRIBES.contains(&word) {
        return None;
    }
    if PASSWORD_NOUNS.contains(&word) || PASSWORD_NOUNS[..4].iter().any(|it| word.ends_with(it)) {
        return Some(NameKind::Password);
    }
    let glued = SECRET_NOUNS.iter().find(|noun| word.ends_with(*noun));
    if let Some(noun) = glued {
        let named = word.len() > noun.len() || before.iter().any(|it| names_owner(it));
        return Some(NameKind::Secret { named });
    }
    if word == "key" && before.last().is_some_and(|it| KEY_MAKERS.contains(it)) {
        return Some(NameKind::Secret { named: before.iter().any(|it| names_owner(it)) });
    }
    let secret_inside = before.iter().any(|it| {
        SECRET_NOUNS.contains(it)
            || PASSWORD_NOUNS[..4].contains(it)
            || KEY_MAKERS[..2].contains(it)
    });
    (word == "key" || word == "auth" || secret_inside).then_some(NameKind::Weak)
}

fn names_owner(word: &str) -> bool {
    word.len() > 1 && !COMMON.contains(&word) && !SECRET_NOUNS.contains(&word)
}

/// The words of a name in lower case: split at case changes and at anything but letters and
/// digits, without digits at the end (`token2`).
fn words_of(name: &[u8]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = b' ';
    for &byte in name {
        let starts = before.is_ascii_lowercase() && byte.is_ascii_uppercase();
        if byte.is_ascii_alphanumeric() {
            if starts || !before.is_ascii_alphanumeric() || words.is_empty() {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.push(byte.to_ascii_lowercase() as char);
            }
        }
        before = byte;
    }
    words.truncate(MOST_WORDS);
    for word in &mut words {
        let kept = word.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        if kept > 0 && word != "base64" && word != "b64" {
            word.truncate(kept);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_told_from_names_about_secrets() {
        let named = Some(NameKind::Secret { named: true });
        let bare = Some(NameKind::Secret { named: false });
        assert_eq!(judge_name(b"giteaToken"), named);
        assert_eq!(judge_name(b"ACME_API_KEY"), named);
        assert_eq!(judge_name(b"api_key"), bare);
        assert_eq!(judge_name(b"clientSecret2"), bare);
        assert_eq!(judge_name(b"db.password"), Some(NameKind::Password));
        assert_eq!(judge_name(b"cipher_key"), Some(NameKind::Weak));
        for name in ["max_tokens", "token_url", "publicKey", "nextPageToken", "secretName", "kind"]
        {
            assert_eq!(judge_name(name.as_bytes()), None, "{name}");
        }
    }
}
