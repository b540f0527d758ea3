//! Printing: results to standard output, findings to standard error; for people or as JSON.

use crate::args::{Colour, Format};
use serde_json::{Value, json};
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::OnceLock;
use usuba_lang::diagnostic::Diagnostic;
use usuba_lang::render::{self, Style};
use usuba_lang::source::Sources;

/// Why a command did not succeed.
pub enum Failure {
    /// It has been said already.
    Said,
    /// A message that is about no place in a program.
    General(String),
    /// What was asked for was neither shown nor refuted: a message.
    Unknown(String),
    /// The same, and it has been said already.
    Undecided,
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
            Colour::Auto => io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
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
            let text = render::render(diagnostics, sources, self.style);
            print(Stream::Error, &mut io::stderr(), &text);
        }
    }

    /// Prints on standard error what does not stop a command.
    pub fn warning(&self, message: &str) {
        match self.style {
            Style::Coloured => {
                print_error(&format!("\u{1b}[1m\u{1b}[93mwarning\u{1b}[0m\u{1b}[1m: {message}\u{1b}[0m"));
            }
            Style::Plain => print_error(&format!("warning: {message}")),
        }
    }

    /// Prints why a command did not succeed.
    pub fn failure(&self, failure: &Failure) {
        match failure {
            Failure::Said | Failure::Undecided => {}
            Failure::General(message) | Failure::Unknown(message) if self.is_json() => {
                print_json(&json!({ "error": message }));
            }
            Failure::General(message) | Failure::Unknown(message) if self.style == Style::Coloured => {
                print_error(&format!("\u{1b}[1m\u{1b}[91merror\u{1b}[0m\u{1b}[1m: {message}\u{1b}[0m"));
            }
            Failure::General(message) | Failure::Unknown(message) => {
                print_error(&format!("error: {message}"));
            }
        }
    }
}

/// Prints a JSON document on standard output.
pub fn print_json(value: &Value) {
    print_line(&serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string()));
}

/// Prints a line on standard output.
pub fn print_line(line: &str) {
    print_text(&format!("{line}\n"));
}

/// Prints a text on standard output.
pub fn print_text(text: &str) {
    print(Stream::Output, &mut io::stdout(), text);
}

/// Prints a line on standard error; colours in it are left out where it is no terminal.
pub fn print_error(line: &str) {
    print(Stream::Error, &mut anstream::stderr(), &format!("{line}\n"));
}

/// What is still in a buffer goes out. The first thing that could not be printed, if there was any.
///
/// # Errors
/// The message about it.
pub fn finish() -> Result<(), &'static str> {
    if let Err(error) = io::stdout().flush() {
        lose(Stream::Output, &error);
    }
    LOST.get().map_or(Ok(()), |message| Err(message))
}

/// Where something is printed.
#[derive(Clone, Copy)]
enum Stream {
    Output,
    Error,
}

/// Why something could not be printed: a command whose results are lost has not succeeded.
static LOST: OnceLock<String> = OnceLock::new();

fn print(stream: Stream, to: &mut impl Write, text: &str) {
    if let Err(error) = to.write_all(text.as_bytes()) {
        lose(stream, &error);
    }
}

fn lose(stream: Stream, error: &io::Error) {
    // Who closes a pipe has read enough.
    if error.kind() == io::ErrorKind::BrokenPipe {
        return;
    }
    let name = match stream {
        Stream::Output => "standard output",
        Stream::Error => "standard error",
    };
    // Only the first counts.
    let _ = LOST.set(format!("cannot write to {name}: {}", plain(error)));
}

/// The words of an operating-system error without its number.
pub fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_lowercase(),
        None => text,
    }
}
