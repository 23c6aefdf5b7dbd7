//! All printing: text and JSON on standard output, talk and warnings on standard error.
//!
//! Decides nothing: it is given sentences and objects that are safe to show. A reader that hangs
//! up (`| head`) is no error.

mod style;

pub use style::{Colour, Style};

use serde::Serialize;
use std::io::{IsTerminal, Write};

/// How this run prints.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ui {
    json: bool,
    quiet: bool,
    verbose: bool,
    colour_out: bool,
    colour_err: bool,
}

/// What the command line says about printing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// `--json`.
    pub json: bool,
    /// `-q`.
    pub quiet: bool,
    /// `-v`.
    pub verbose: bool,
    /// `--color`.
    pub colour: Colour,
    /// Whether the environment asks for no colour.
    pub no_colour: bool,
}

impl Ui {
    /// Printing by these options.
    pub fn new(options: Options) -> Ui {
        let coloured = |terminal: bool| match options.colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => terminal && !options.no_colour,
        };
        Ui {
            json: options.json,
            quiet: options.quiet,
            verbose: options.verbose,
            colour_out: coloured(std::io::stdout().is_terminal()),
            colour_err: coloured(std::io::stderr().is_terminal()),
        }
    }

    /// Whether data is printed as JSON.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Whether standard output takes colours, for a child that prints there itself.
    pub fn is_coloured(&self) -> bool {
        self.colour_out
    }

    /// A line of data. `false` when nobody reads on, which only long output needs to know.
    pub fn line(&self, text: &str) -> bool {
        self.raw(format!("{text}\n").as_bytes())
    }

    /// Data as it is; `false` as with [`Ui::line`].
    pub fn raw(&self, bytes: &[u8]) -> bool {
        let mut out = std::io::stdout().lock();
        out.write_all(bytes).and_then(|()| out.flush()).is_ok()
    }

    /// One JSON object on a line of its own.
    pub fn json(&self, value: &impl Serialize) {
        let text = serde_json::to_string(value).expect("what is printed has string keys only");
        self.line(&text);
    }

    /// Tells the outcome of a command, on standard output. Silent with `-q`.
    pub fn done(&self, text: &str) {
        if !self.quiet {
            self.line(text);
        }
    }

    /// Says more about what happens. Silent with `-q`.
    pub fn say(&self, text: &str) {
        if !self.quiet {
            talk(text);
        }
    }

    /// Says a detail that only `-v` asks for.
    pub fn detail(&self, text: &str) {
        if self.verbose {
            talk(text);
        }
    }

    /// Names something that a person should know; `-q` does not silence it.
    pub fn warn(&self, text: &str) {
        talk(&format!("{} {text}", self.style_err(Style::Warning, "warning:")));
    }

    /// Names what failed and, with each hint, what to do next.
    pub fn error(&self, message: &str, hints: &[String]) {
        talk(&format!("{} {message}", self.style_err(Style::Error, "error:")));
        for hint in hints {
            talk(&format!("{} {hint}", self.style_err(Style::Hint, "hint:")));
        }
    }

    /// The text in this style, for standard output.
    pub fn style(&self, style: Style, text: &str) -> String {
        if self.colour_out { style.paint(text) } else { text.to_string() }
    }

    fn style_err(&self, style: Style, text: &str) -> String {
        if self.colour_err { style.paint(text) } else { text.to_string() }
    }
}

fn talk(text: &str) {
    let mut err = std::io::stderr().lock();
    // As with standard output.
    let _ = err.write_all(format!("{text}\n").as_bytes());
}

/// A count with its noun: `1 note`, `3 notes`.
pub fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}
