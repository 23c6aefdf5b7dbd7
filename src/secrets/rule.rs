//! The shape of a rule, and nothing else: no rule data (`rules/`), no scanning (`engine.rs`).

/// How sure a finding is, and so what a gate does with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Secret-looking; a person should look. Orders below [`Tier::Block`].
    Warn,
    /// Plainly a secret: the file is held back everywhere.
    Block,
}

impl Tier {
    /// The word that output and policy use: `block` or `warn`.
    pub fn as_str(self) -> &'static str {
        match self {
            Tier::Block => "block",
            Tier::Warn => "warn",
        }
    }
}

/// How a rule looks for its value once one of its keywords was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Find {
    /// The pattern starts at the keyword; no letter or digit may touch it on either side.
    Token(&'static str),
    /// The pattern lies anywhere from `.0` bytes before the keyword on; group 1, if it has one,
    /// is the value.
    Near(usize, &'static str),
    /// The keyword is part of a name; the pattern must match the whole value given to that name.
    Named(&'static str),
    /// A hand-written reader of a structure.
    Shape(Shape),
}

/// Structures that a regular expression reads badly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `-----BEGIN … PRIVATE KEY-----` with a body.
    Pem,
    /// `scheme://user:password@host`.
    Url,
    /// `Bearer …` and `Basic …` as a header has them.
    Header,
    /// A secret-like name and its value.
    Assignment,
}

/// What must hold of a value that the pattern matched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Check {
    /// Nothing more than that it is no placeholder.
    Plain,
    /// At least so many bits of Shannon entropy per byte.
    Entropy(f32),
    /// Six base62 digits at the end are the CRC-32 of what stands between prefix and them (the
    /// prefix ends with the first `_`). A mismatch lowers the tier, since formats age.
    Crc62,
    /// The first dot-separated part is base64url JSON that names an `alg`.
    Jwt,
    /// At least two of: lower case, upper case, digit; and so many bits per byte.
    Mixed(f32),
}

/// One family of secrets.
#[derive(Debug)]
pub struct Rule {
    /// Stable name, shown to people and used in allow-lists.
    pub id: &'static str,
    /// What was found, for people.
    pub description: &'static str,
    /// The tier of a finding that passes every check.
    pub tier: Tier,
    /// Lower-case texts of at least three bytes, one of which every value comes with.
    pub keywords: &'static [&'static str],
    /// Where the value lies.
    pub find: Find,
    /// What the value must satisfy.
    pub check: Check,
    /// Texts that this rule finds, each in pieces, so that no source file holds a whole token.
    pub positive: &'static [&'static [&'static str]],
    /// Texts, in pieces too, in which this rule finds nothing.
    pub negative: &'static [&'static [&'static str]],
}
