//! A topic: one note, its header read leniently and written in the current form.

use std::fmt;
use std::str::FromStr;

use crate::memory::frontmatter::{self, Header};
use crate::memory::lines;
use crate::memory::{blocks, yaml};

/// The four kinds of memory that the format knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TopicType {
    /// Who the person is and what they prefer; always private.
    User,
    /// How the person wants work to be done.
    Feedback,
    /// What is going on in the project.
    Project,
    /// Where things are found.
    Reference,
}

/// A text that names none of the four kinds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no type of memory; it is one of user, feedback, project, reference")]
pub struct UnknownType(pub String);

impl TopicType {
    /// All kinds, in the order in which they are listed.
    pub const ALL: [Self; 4] = [Self::User, Self::Feedback, Self::Project, Self::Reference];

    /// Its name in a header.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Feedback => "feedback",
            Self::Project => "project",
            Self::Reference => "reference",
        }
    }
}

impl fmt::Display for TopicType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for TopicType {
    type Err = UnknownType;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wanted = text.trim();
        let found = Self::ALL.into_iter().find(|t| t.as_str().eq_ignore_ascii_case(wanted));
        found.ok_or_else(|| UnknownType(wanted.to_owned()))
    }
}

/// What a note says about itself. Everything may be absent; the note is used all the same.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Topic {
    /// Its name.
    pub name: Option<String>,
    /// One line on what it is good for.
    pub description: Option<String>,
    /// Its kind; `None` where absent or unknown.
    pub kind: Option<TopicType>,
    /// The kind as it is written, known or not.
    pub kind_text: Option<String>,
    /// The session that wrote it first.
    pub origin_session_id: Option<String>,
    /// When it was changed last, as it is written (RFC 3339).
    pub modified: Option<String>,
    /// Whether it is pinned to the top of the index.
    pub pinned: Option<bool>,
}

impl Topic {
    /// Reads the header of a note, in any of the forms that are in use.
    #[must_use]
    pub fn read(text: &[u8]) -> Self {
        let Some(header) = Header::read(text) else { return Self::default() };
        let said = |value: Option<String>| value.filter(|v| !v.is_empty());
        // The current form nests these; the older ones have them at the top.
        let either =
            |key: &str| said(header.get_nested("metadata", key)).or_else(|| said(header.get(key)));
        let kind_text = either("type");
        Self {
            name: said(header.get("name")),
            description: said(header.get("description")),
            kind: kind_text.as_deref().and_then(|t| t.parse().ok()),
            kind_text,
            origin_session_id: either("originSessionId"),
            modified: either("modified"),
            pinned: either("pinned").map(|v| matches!(&*v, "true" | "yes" | "on" | "1")),
        }
    }
}

/// What a new note's header shall say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTopic<'a> {
    /// Its name, a kebab-case slug.
    pub name: &'a str,
    /// One line on what it is good for.
    pub description: &'a str,
    /// Its kind.
    pub kind: Option<TopicType>,
    /// The session that it comes from.
    pub origin_session_id: Option<&'a str>,
    /// When it is written, as RFC 3339.
    pub modified: Option<&'a str>,
}

/// A new note in the current form: `name`, `description`, and the rest under `metadata`.
///
/// Line breaks in a value become spaces. The header is YAML whatever the values hold.
#[must_use]
pub fn new_topic(fields: &NewTopic<'_>, body: &str) -> String {
    let header = new_header(fields, yaml::scalar);
    // The scalars are quoted where needed; should one ever slip through, quote all of them.
    let header = match yaml::mapping(&header) {
        Ok(_) => header,
        Err(_) => new_header(fields, |text| serde_json::Value::from(text).to_string()),
    };
    let body = body.trim_matches(['\n', '\r']);
    let body = if body.is_empty() { String::new() } else { format!("\n{body}\n") };
    format!("---\n{header}---\n{body}")
}

fn new_header(fields: &NewTopic<'_>, scalar: impl Fn(&str) -> String) -> String {
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = |indent: &str, key: &str, value: &str| {
        format!("{indent}{key}: {}\n", scalar(&one_line(value)))
    };
    let mut out = line("", "name", fields.name);
    out.push_str(&line("", "description", fields.description));
    out.push_str("metadata:\n  node_type: memory\n");
    let kind = fields.kind.map(TopicType::as_str);
    let nested = [
        ("type", kind),
        ("originSessionId", fields.origin_session_id),
        ("modified", fields.modified),
    ];
    for (key, value) in nested {
        if let Some(value) = value {
            out.push_str(&line("  ", key, value));
        }
    }
    out
}

/// What to call a note: its name, else its first heading, else its first line of text, else its
/// file's stem. Never a rule or a fence.
#[must_use]
pub fn title(text: &[u8], stem: &str) -> String {
    if let Some(name) = Topic::read(text).name {
        return name;
    }
    let body = &text[frontmatter::split(text).body];
    let lines = lines::split(body);
    let literal = blocks::literal(&lines);
    let said: Vec<String> = lines
        .iter()
        .zip(literal)
        .filter(|(_, literal)| !literal)
        .map(|(line, _)| String::from_utf8_lossy(line.text).trim().to_owned())
        .filter(|line| line.chars().any(char::is_alphanumeric) && !line.starts_with("```"))
        .collect();
    let heading = said.iter().find(|l| blocks::is_heading(l.as_bytes()));
    let line = heading.or_else(|| said.first());
    let plain = line.map(|l| l.trim_matches(['#', '*', '-', '>', '_', ' ', '\t']).to_owned());
    plain.filter(|l| !l.is_empty()).unwrap_or_else(|| stem.to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn all_three_header_generations_are_read() {
        let a = "---\nname: N\ndescription: D\ntype: feedback\n---\nbody\n";
        let b = "---\nname: N\ndescription: D\ntype: feedback\noriginSessionId: s-1\n---\nbody\n";
        let c = "\u{feff}---\r\nname: n\r\ndescription: \"D\"\r\nmetadata: \r\n  node_type: memory\r\n  type: feedback\r\n  originSessionId: s-1\r\n  modified: 2026-03-01T10:00:00Z\r\n  pinned: true\r\n---\r\nbody\r\n";
        for text in [a, b, c] {
            let topic = Topic::read(text.as_bytes());
            assert_eq!(topic.description.as_deref(), Some("D"));
            assert_eq!(topic.kind, Some(TopicType::Feedback));
        }
        let topic = Topic::read(c.as_bytes());
        assert_eq!(topic.origin_session_id.as_deref(), Some("s-1"));
        assert_eq!(topic.modified.as_deref(), Some("2026-03-01T10:00:00Z"));
        assert_eq!(topic.pinned, Some(true));
        assert_eq!(Topic::read(b"---\ntype: odd\n---\n").kind_text.as_deref(), Some("odd"));
    }

    #[test]
    fn a_title_is_never_a_rule() {
        assert_eq!(title(b"---\nname: The name\n---\n# H\n", "s"), "The name");
        assert_eq!(title(b"---\ntype: user\n---\n\ntext\n\n## Head ##\n", "s"), "Head");
        assert_eq!(title(b"---\n\n- first words\n", "s"), "first words");
        assert_eq!(title(b"---\n---\n\n```\ncode\n```\n", "stem"), "stem");
        assert_eq!(title(b"", "stem"), "stem");
    }

    proptest! {
        #[test]
        fn a_new_topic_reads_back_whatever_it_is_given(
            name in "\\PC{0,30}", description in "[ -~\\n:#'\"]{0,60}", body in "\\PC{0,60}"
        ) {
            let fields = NewTopic {
                name: &name,
                description: &description,
                kind: Some(TopicType::User),
                origin_session_id: Some("0123"),
                modified: Some("2026-03-01T10:00:00Z"),
            };
            let text = new_topic(&fields, &body);
            prop_assert!(Header::read(text.as_bytes()).unwrap().strict().is_ok());
            let topic = Topic::read(text.as_bytes());
            let one_line = |t: &str| t.split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert_eq!(topic.name.unwrap_or_default(), one_line(&name));
            prop_assert_eq!(topic.description.unwrap_or_default(), one_line(&description));
            prop_assert_eq!(topic.kind, Some(TopicType::User));
            prop_assert_eq!(topic.origin_session_id.as_deref(), Some("0123"));
        }
    }
}
