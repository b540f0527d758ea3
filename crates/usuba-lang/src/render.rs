//! Diagnostics as text for people ([`render`]) and as JSON for programs ([`to_json`]).

mod excerpt;

use crate::diagnostic::{Diagnostic, Edit, Severity};
use crate::source::{SourceId, Sources, Span};
use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Patch, Renderer, Snippet};
use excerpt::{Excerpt, Lines};
use serde_json::{Value, json};

/// How diagnostics look as text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Characters only.
    Plain,
    /// With ANSI colours.
    Coloured,
}

/// Places closer than this many lines are shown in one piece of source text.
const NEAR: usize = 6;

/// All diagnostics as text, in the given order, a blank line between two; ends with a line feed unless there are
/// none. Each has its code, its message, the places underlined with their labels, the rule, and the help with the
/// edit shown on the source line. Long lines and long places are cut, so that the text of one diagnostic stays small
/// however large the source is.
pub fn render(diagnostics: &[Diagnostic], sources: &Sources, style: Style) -> String {
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Coloured => Renderer::styled(),
    };
    let texts = index(sources);
    let mut rendered = String::new();
    for diagnostic in diagnostics {
        if !rendered.is_empty() {
            rendered.push('\n');
        }
        rendered.push_str(&renderer.render(&groups(diagnostic, &texts)));
        rendered.push('\n');
    }
    rendered
}

/// All diagnostics as an array of objects, in the given order.
///
/// Each has `severity` (`"error"` or `"warning"`), `code`, `message`, `label`, `rule`, `help` (the last two may be
/// null), `place` (null for a finding about the program as a whole), `related` (places with a `label`), and `edit`
/// (null, or a place with its `replacement`). A place has `file`, `line`, `column`, `end_line`, `end_column` (lines
/// and columns count from 1, columns in characters; the end is exclusive) and `start`, `end` (bytes from 0).
pub fn to_json(diagnostics: &[Diagnostic], sources: &Sources) -> Value {
    let texts = index(sources);
    let place = |span: Span| -> Value {
        let Some(lines) = text(&texts, span.source) else {
            return Value::Null;
        };
        let (line, column) = lines.line_column(span.start as usize);
        let (end_line, end_column) = lines.line_column(span.end as usize);
        json!({
            "file": lines.name, "line": line, "column": column, "end_line": end_line, "end_column": end_column,
            "start": span.start, "end": span.end,
        })
    };
    let with = |mut place: Value, key: &str, text: &str| -> Value {
        if let Some(object) = place.as_object_mut() {
            object.insert(key.to_string(), json!(text));
        }
        place
    };
    let one = |diagnostic: &Diagnostic| -> Value {
        let related: Vec<Value> =
            diagnostic.related.iter().map(|(span, label)| with(place(*span), "label", label)).collect();
        json!({
            "severity": match diagnostic.severity { Severity::Error => "error", Severity::Warning => "warning" },
            "code": diagnostic.code,
            "message": diagnostic.message,
            "label": diagnostic.label,
            "rule": diagnostic.rule,
            "help": diagnostic.help,
            "place": diagnostic.span.map(place),
            "related": related,
            "edit": diagnostic.edit.as_ref().map(|edit| with(place(edit.span), "replacement", &edit.replacement)),
        })
    };
    Value::Array(diagnostics.iter().map(one).collect())
}

fn index(sources: &Sources) -> Vec<Lines<'_>> {
    sources.iter().map(|(_, source)| Lines::new(&source.name, &source.text)).collect()
}

fn text<'l, 's>(texts: &'l [Lines<'s>], source: SourceId) -> Option<&'l Lines<'s>> {
    texts.get(source.0 as usize)
}

fn groups<'d>(diagnostic: &'d Diagnostic, texts: &[Lines<'d>]) -> Vec<Group<'d>> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut main = Group::with_title(level.primary_title(&diagnostic.message).id(diagnostic.code));
    for snippet in snippets(diagnostic, texts) {
        main = main.element(snippet);
    }
    if let Some(rule) = &diagnostic.rule {
        main = main.element(Level::NOTE.with_name("rule").message(rule));
    }
    let mut groups = Vec::new();
    let suggestion = diagnostic.edit.as_ref().and_then(|edit| suggestion(edit, texts));
    match (&diagnostic.help, suggestion) {
        (help, Some(snippet)) => {
            let title = help.as_deref().unwrap_or("change the text");
            groups.push(main);
            groups.push(Level::HELP.secondary_title(title).element(snippet));
        }
        (Some(help), None) => groups.push(main.element(Level::HELP.message(help))),
        (None, None) => groups.push(main),
    }
    groups
}

/// One snippet per run of near places, the one with the main place first.
fn snippets<'d>(diagnostic: &'d Diagnostic, texts: &[Lines<'d>]) -> Vec<Element<'d>> {
    let Some(primary) = diagnostic.span else {
        return Vec::new();
    };
    let mut places = vec![(primary, diagnostic.label.as_str(), AnnotationKind::Primary)];
    places.extend(diagnostic.related.iter().map(|(s, label)| (*s, label.as_str(), AnnotationKind::Context)));

    // Places of one text in order of lines, cut where they are far apart.
    let mut order: Vec<(SourceId, usize, usize, usize)> = Vec::new();
    for (number, (span, ..)) in places.iter().enumerate() {
        if let Some(lines) = text(texts, span.source) {
            let (first, last) = lines.rows(*span);
            order.push((span.source, first, last, number));
        }
    }
    order.sort();
    let mut runs: Vec<Vec<(SourceId, usize, usize, usize)>> = Vec::new();
    for place in order {
        match runs.last_mut() {
            Some(run) if run.iter().any(|p| p.0 == place.0 && place.1 <= p.2 + NEAR) => run.push(place),
            _ => runs.push(vec![place]),
        }
    }
    runs.sort_by_key(|run| run.iter().map(|place| place.3).min());

    let mut elements = Vec::new();
    for run in runs {
        let Some(lines) = run.first().and_then(|place| text(texts, place.0)) else {
            continue;
        };
        let first = run.iter().map(|place| place.1).min().unwrap_or(0);
        let last = run.iter().map(|place| place.2).max().unwrap_or(first);
        let spans: Vec<Span> =
            run.iter().filter_map(|place| places.get(place.3)).map(|place| place.0).collect();
        let excerpt = Excerpt::new(lines, first, last, &spans);
        let line = excerpt.first_line();
        let mut annotations = Vec::new();
        for place in &run {
            if let Some((span, label, kind)) = places.get(place.3) {
                let annotation = kind.span(excerpt.range(lines, *span));
                annotations.push(if label.is_empty() { annotation } else { annotation.label(*label) });
            }
        }
        let snippet = Snippet::source(excerpt.text).line_start(line).annotations(annotations);
        if excerpt.shifted {
            // The renderer would count columns in what is left of the line.
            let place = run.iter().min_by_key(|place| place.3).and_then(|place| places.get(place.3));
            let (line, column) = place.map_or((line, 1), |(span, ..)| lines.line_column(span.start as usize));
            elements.push(Origin::path(lines.name).line(line).char_column(column).into());
            elements.push(snippet.into());
        } else {
            elements.push(snippet.path(lines.name).into());
        }
    }
    elements
}

/// The edit on its lines, unless these are too long to be shown whole.
fn suggestion<'d>(edit: &'d Edit, texts: &[Lines<'d>]) -> Option<Snippet<'d, Patch<'d>>> {
    let lines = text(texts, edit.span.source)?;
    let (first, last) = lines.rows(edit.span);
    let excerpt = Excerpt::new(lines, first, last, &[edit.span]);
    if excerpt.cut || !lines.is_whole(edit.span) || edit.replacement.len() > 400 {
        return None;
    }
    let line = excerpt.first_line();
    let range = excerpt.range(lines, edit.span);
    Some(
        Snippet::source(excerpt.text)
            .line_start(line)
            .path(lines.name)
            .patch(Patch::new(range, edit.replacement.as_str())),
    )
}
