//! Printing: results to standard output, findings to standard error; for people or as JSON.

use crate::args::{Colour, Format};
use serde_json::{Value, json};
use std::io::IsTerminal;
use std::path::Path;
use usuba_lang::diagnostic::Diagnostic;
use usuba_lang::render::{self, Style};
use usuba_lang::source::Sources;

/// Why a command did not succeed.
pub enum Failure {
    /// It has been said already.
    Said,
    /// A message that is about no place in a program.
    General(String),
}

impl Failure {
    /// A message.
    pub fn general(message: impl Into<String>) -> Failure {
        Failure::General(message.into())
    }

    /// A message about a file.
    pub fn file(what: &str, path: &Path, reason: &str) -> Failure {
        Failure::General(format!("{what} `{}`: {reason}", path.display()))
    }
}

/// Where and how to print.
pub struct Output {
    /// For people or for programs.
    pub format: Format,
    style: Style,
}

impl Output {
    /// Colours only on a terminal, unless the user says otherwise.
    pub fn new(format: Format, colour: Colour) -> Output {
        let coloured = match colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        };
        Output { format, style: if coloured { Style::Coloured } else { Style::Plain } }
    }

    /// Whether results are for programs.
    pub fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// Prints findings for people on standard error; as JSON on standard output, one document.
    pub fn diagnostics(&self, diagnostics: &[Diagnostic], sources: &Sources) {
        if self.is_json() {
            print_json(&json!({ "diagnostics": render::to_json(diagnostics, sources) }));
        } else if !diagnostics.is_empty() {
            eprint!("{}", render::render(diagnostics, sources, self.style));
        }
    }

    /// Prints on standard error what does not stop a command.
    pub fn warning(&self, message: &str) {
        if self.style == Style::Coloured {
            anstream::eprintln!("\u{1b}[1m\u{1b}[93mwarning\u{1b}[0m\u{1b}[1m: {message}\u{1b}[0m");
        } else {
            eprintln!("warning: {message}");
        }
    }

    /// Prints why a command did not succeed.
    pub fn failure(&self, failure: &Failure) {
        match failure {
            Failure::Said => {}
            Failure::General(message) if self.is_json() => print_json(&json!({ "error": message })),
            Failure::General(message) => {
                if self.style == Style::Coloured {
                    anstream::eprintln!("\u{1b}[1m\u{1b}[91merror\u{1b}[0m\u{1b}[1m: {message}\u{1b}[0m");
                } else {
                    eprintln!("error: {message}");
                }
            }
        }
    }
}

/// Prints a JSON document on standard output. A closed pipe is the reader's choice.
pub fn print_json(value: &Value) {
    use std::io::Write;
    let text = serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string());
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Prints a line on standard output. A closed pipe is the reader's choice.
pub fn print_line(line: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stdout(), "{line}");
}
