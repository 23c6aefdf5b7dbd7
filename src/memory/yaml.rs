//! The one door to the YAML crate.
//!
//! Owns reading and writing of YAML values, and the question whether a text is YAML. Never edits
//! a header in place: see `frontmatter`.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A text that is not the YAML that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct YamlError {
    /// What the parser said, with its own place.
    pub message: String,
    /// Line of the trouble, from 1, where the parser knows it.
    pub line: Option<usize>,
    /// Column of the trouble, from 1, where the parser knows it.
    pub column: Option<usize>,
}

impl YamlError {
    fn of(error: &serde_yaml::Error) -> Self {
        let place = error.location();
        Self {
            message: error.to_string(),
            line: place.as_ref().map(serde_yaml::Location::line),
            column: place.as_ref().map(serde_yaml::Location::column),
        }
    }
}

/// Reads a YAML text as `T`; an empty text is `null`.
///
/// # Errors
/// [`YamlError`] with the place, if the text is no YAML or does not fit `T`.
pub fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, YamlError> {
    serde_yaml::from_str(text).map_err(|error| YamlError::of(&error))
}

/// Reads a YAML mapping as JSON values; an empty text is an empty mapping.
///
/// # Errors
/// [`YamlError`] if the text is no YAML, or its top is not a mapping with text keys.
pub fn mapping(text: &str) -> Result<serde_json::Map<String, serde_json::Value>, YamlError> {
    let value: Option<serde_json::Map<String, serde_json::Value>> = from_str(text)?;
    Ok(value.unwrap_or_default())
}

/// Whether the text is YAML of any shape.
///
/// # Errors
/// [`YamlError`] with the place of the trouble.
pub fn check(text: &str) -> Result<(), YamlError> {
    from_str::<serde_yaml::Value>(text).map(|_| ())
}

/// Writes a value as YAML.
///
/// # Errors
/// [`YamlError`] if the value has a shape that YAML cannot hold.
pub fn to_string<T: Serialize>(value: &T) -> Result<String, YamlError> {
    serde_yaml::to_string(value).map_err(|error| YamlError::of(&error))
}

/// Whether a plain scalar `text` reads back as exactly this string, so that it needs no quotes.
#[must_use]
pub fn is_plain(text: &str) -> bool {
    if text.is_empty() || text.trim() != text || text.contains(['\n', '\r', '\t']) {
        return false;
    }
    // YAML 1.1 readers take these for booleans, and other tools still follow it.
    if ["yes", "no", "on", "off", "y", "n"].iter().any(|w| text.eq_ignore_ascii_case(w)) {
        return false;
    }
    matches!(
        from_str::<serde_yaml::Value>(&format!("k: {text}")),
        Ok(serde_yaml::Value::Mapping(map))
            if map.len() == 1 && map.get("k").and_then(serde_yaml::Value::as_str) == Some(text)
    )
}

/// One scalar as it must be written after `key: `, quoted only where YAML needs it.
#[must_use]
pub fn scalar(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || ('\u{80}'..='\u{9f}').contains(&c) => {
                out.push_str(&format!("\\u{:04X}", c as u32));
            }
            '\u{2028}' | '\u{2029}' | '\u{feff}' => {
                out.push_str(&format!("\\u{:04X}", c as u32));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_scalar_is_quoted_only_where_yaml_needs_it() {
        assert_eq!(scalar("plain words"), "plain words");
        assert_eq!(scalar("a: b"), "\"a: b\"");
        assert_eq!(scalar("PR #762 and issue #800"), "\"PR #762 and issue #800\"");
        assert_eq!(scalar("[SUBAGENT] first"), "\"[SUBAGENT] first\"");
        assert_eq!(scalar("`tick`"), "\"`tick`\"");
        assert_eq!(scalar("yes"), "\"yes\"");
        assert_eq!(scalar("12"), "\"12\"");
        assert_eq!(scalar(""), "\"\"");
    }

    #[test]
    fn a_mapping_that_is_no_mapping_is_an_error_with_a_place() {
        assert!(mapping("- a\n- b\n").is_err());
        assert!(mapping("").unwrap().is_empty());
        let error = mapping("ok: 1\ndescription: a: b\n").unwrap_err();
        assert_eq!(error.line, Some(2));
    }

    proptest! {
        #[test]
        fn every_text_reads_back_from_its_scalar(text in "\\PC{0,30}|[ -~\\n\\t\"':#-]{0,30}") {
            let map = mapping(&format!("k: {}\n", scalar(&text))).unwrap();
            prop_assert_eq!(map.get("k").and_then(|v| v.as_str()), Some(text.as_str()));
        }
    }
}
