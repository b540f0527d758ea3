//! What the front end has to say about a program: a message, its place, the rule, and a fix.

use crate::source::Span;

/// How grave a diagnostic is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The program has no meaning; no code is made.
    Error,
    /// The program has a meaning that its author may not have intended.
    Warning,
}

/// A replacement of the text at `span` that would put things right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// The text to replace (empty: insert).
    pub span: Span,
    /// Its replacement.
    pub replacement: String,
}

/// One finding. All texts of a stage are built in that stage's `messages.rs`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// A stable name: `E0101`, or for warnings a word: `W-precedence`.
    pub code: &'static str,
    /// What is wrong: one sentence without a final full stop.
    pub message: String,
    /// Where; `None` only for findings about the program as a whole.
    pub span: Option<Span>,
    /// A few words under the underlined text.
    pub label: String,
    /// Other places that matter, each with a few words.
    pub related: Vec<(Span, String)>,
    /// The rule of the language that is broken.
    pub rule: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// The same as a change of the text, where that is possible.
    pub edit: Option<Edit>,
}

/// The most findings that are told of a file, or of a program.
pub const MOST_TOLD: usize = 100;

/// The first [`MOST_TOLD`] findings, given in the order of their places, and how many more there are: a text that is no
/// program would yield one for every few bytes. Where some have to go and there are errors, warnings go first.
pub(crate) fn first_of(mut findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    if findings.len() <= MOST_TOLD {
        return findings;
    }
    let (all, wrong) = (findings.len(), findings.iter().any(Diagnostic::is_error));
    findings.retain(|finding| finding.is_error() == wrong);
    let next = findings.get(MOST_TOLD).and_then(|finding| finding.span);
    findings.truncate(MOST_TOLD);
    let message = format!("{} more findings are not told", all - findings.len());
    let mut last = match wrong {
        true => Diagnostic::new(Severity::Error, "E0110", next, message),
        false => Diagnostic::new(Severity::Warning, "W-untold", next, message),
    };
    if next.is_some() {
        last = last.label("the next is here");
    }
    findings
        .push(last.rule(format!("at most {MOST_TOLD} findings are told")).help("repair those above first"));
    findings
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, Some(span), message.into())
    }

    /// A warning at `span`.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, Some(span), message.into())
    }

    /// An error about the program as a whole.
    pub fn general(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, None, message.into())
    }

    fn new(severity: Severity, code: &'static str, span: Option<Span>, message: String) -> Diagnostic {
        Diagnostic {
            severity,
            code,
            message,
            span,
            label: String::new(),
            related: Vec::new(),
            rule: None,
            help: None,
            edit: None,
        }
    }

    /// Adds the words under the underlined text.
    pub fn label(mut self, text: impl Into<String>) -> Diagnostic {
        self.label = text.into();
        self
    }

    /// Adds another place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.related.push((span, text.into()));
        self
    }

    /// Adds the rule.
    pub fn rule(mut self, text: impl Into<String>) -> Diagnostic {
        self.rule = Some(text.into());
        self
    }

    /// Adds the advice.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(text.into());
        self
    }

    /// Adds the advice as a change of the text.
    pub fn edit(mut self, span: Span, replacement: impl Into<String>) -> Diagnostic {
        self.edit = Some(Edit { span, replacement: replacement.into() });
        self
    }

    /// Whether this makes the program meaningless.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
