//! Colours of the terminal. Knows what they look like, not when they are used.

/// When colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// On a terminal, unless the environment says no.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A heading or a name.
    Bold,
    /// Less important than the rest.
    Dim,
    /// Added, or well.
    Good,
    /// Removed.
    Bad,
    /// A commit id.
    Id,
    /// The word `warning`.
    Warning,
    /// The word `error`.
    Error,
    /// The word `hint`.
    Hint,
}

impl Style {
    /// The text with this style's escape sequences around it (ECMA-48 SGR).
    pub(super) fn paint(self, text: &str) -> String {
        let code = match self {
            Style::Bold => "1",
            Style::Dim => "2",
            Style::Good => "32",
            Style::Bad => "31",
            Style::Id | Style::Warning => "33",
            Style::Error => "1;31",
            Style::Hint => "36",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}
