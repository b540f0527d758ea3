//! What has been found so far: each thing once, compatibility warnings raised to errors under `--strict`.

use super::messages;
use crate::diagnostic::{Diagnostic, Severity, first_of};
use crate::source::Span;
use std::collections::HashSet;

/// Warnings about constructs that are accepted only for the sake of old sources.
const COMPATIBILITY: [&str; 3] = ["W-redefinition", "W-update", "W-table-order"];

/// Diagnostics in the making.
#[derive(Debug, Default)]
pub(super) struct Report {
    strict: bool,
    /// While inferring sizes ahead of the real work, findings are dropped.
    muted: bool,
    diagnostics: Vec<Diagnostic>,
    /// Only asked, never iterated over.
    seen: HashSet<(Option<&'static str>, Option<Span>, String)>,
    errors: usize,
    /// Errors found, muted or not.
    found: usize,
    /// Something was left out because of an error that another stage has reported.
    skipped: bool,
    /// The call for whose sake a polymorphic definition is being elaborated, and what it binds.
    context: Option<(Span, String)>,
}

impl Report {
    pub(super) fn new(strict: bool) -> Report {
        Report { strict, ..Report::default() }
    }

    /// Adds a finding, unless the same place has one of its kind already: at most one error for a place, at most one
    /// warning for a place and code.
    pub(super) fn add(&mut self, mut diagnostic: Diagnostic) {
        if self.strict && COMPATIBILITY.contains(&diagnostic.code) {
            diagnostic.severity = Severity::Error;
        }
        if diagnostic.is_error() {
            self.found += 1;
        }
        if self.muted {
            return;
        }
        if let Some((span, binding)) = &self.context
            && diagnostic.is_error()
        {
            diagnostic.related.push((*span, binding.clone()));
        }
        let texts = [Some(&mut diagnostic.message), diagnostic.rule.as_mut(), diagnostic.help.as_mut()];
        texts.into_iter().flatten().for_each(messages::shorten);
        diagnostic.related.iter_mut().for_each(|(_, text)| messages::shorten(text));
        let code = if diagnostic.is_error() { None } else { Some(diagnostic.code) };
        let message = if diagnostic.span.is_none() { diagnostic.message.clone() } else { String::new() };
        if !self.seen.insert((code, diagnostic.span, message)) {
            return;
        }
        if diagnostic.is_error() {
            self.errors += 1;
        }
        self.diagnostics.push(diagnostic);
    }

    /// Counts an error that has been reported elsewhere, or by another stage.
    pub(super) fn note_failure(&mut self) {
        self.found += 1;
        self.skipped = true;
    }

    /// Forgets the errors that were found, and dropped, since there were `failures`.
    pub(super) fn restore(&mut self, failures: usize) {
        self.found = failures;
    }

    /// Drops findings while `muted`; returns what was so before.
    pub(super) fn mute(&mut self, muted: bool) -> bool {
        std::mem::replace(&mut self.muted, muted)
    }

    /// From now on, errors mention this call.
    pub(super) fn set_context(&mut self, context: Option<(Span, String)>) {
        self.context = context;
    }

    /// Whether the program is wrong.
    pub(super) fn has_errors(&self) -> bool {
        self.errors > 0 || self.skipped
    }

    /// Whether something was left out because of an error that another stage has reported.
    pub(super) fn has_skipped(&self) -> bool {
        self.skipped
    }

    /// How many errors were found so far, repeated and muted ones included: grows if a step fails.
    pub(super) fn failures(&self) -> usize {
        self.found
    }

    /// All findings, by place.
    pub(super) fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        self.diagnostics.sort_by_key(|d| d.span.map(|s| (s.source, s.start, s.end)));
        first_of(self.diagnostics)
    }
}
