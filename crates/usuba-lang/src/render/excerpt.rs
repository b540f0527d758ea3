//! The few lines of a source text around some places, with over-long lines cut.

use crate::source::Span;
use std::ops::Range;

/// Bytes of a line beyond which it is cut.
const LONG: usize = 240;
/// Bytes shown before and after the place for which a line is cut.
const AROUND: usize = 80;
/// Bytes before a place up to which its line is cut only behind it, so that the renderer counts columns rightly.
const FAR: usize = 2000;
/// Lines of a place beyond which only its first line is shown.
const TALL: usize = 8;

/// A text with the starts of its lines.
pub(super) struct Lines<'s> {
    pub(super) name: &'s str,
    text: &'s str,
    starts: Vec<usize>,
}

impl<'s> Lines<'s> {
    pub(super) fn new(name: &'s str, text: &'s str) -> Lines<'s> {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Lines { name, text, starts }
    }

    /// The number of the line, from 0, that holds the byte at `offset`.
    fn row(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }

    /// The bytes of a line without its end.
    fn line(&self, row: usize) -> Range<usize> {
        let start = self.starts.get(row).copied().unwrap_or(self.text.len());
        let end = self.starts.get(row + 1).map_or(self.text.len(), |next| next - 1);
        let line = self.text.get(start..end).unwrap_or("");
        start..start + line.strip_suffix('\r').unwrap_or(line).len()
    }

    /// The nearest place between two characters, not after `offset`.
    fn boundary(&self, offset: usize) -> usize {
        let mut at = offset.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    /// Line and column from 1, columns in characters.
    pub(super) fn line_column(&self, offset: usize) -> (usize, usize) {
        let offset = self.boundary(offset);
        let row = self.row(offset);
        let start = self.starts.get(row).copied().unwrap_or(0);
        (row + 1, self.text.get(start..offset).unwrap_or("").chars().count() + 1)
    }

    /// The first and the last line shown for a place.
    pub(super) fn rows(&self, span: Span) -> (usize, usize) {
        let first = self.row(span.start as usize);
        if self.is_whole(span) { (first, self.row(span.end as usize).max(first)) } else { (first, first) }
    }

    /// Whether all lines of a place are shown.
    pub(super) fn is_whole(&self, span: Span) -> bool {
        self.row(span.end as usize).saturating_sub(self.row(span.start as usize)) < TALL
    }
}

/// Some lines of a text, and how places in the text map to places in the excerpt.
pub(super) struct Excerpt {
    pub(super) text: String,
    /// Whether a line was cut.
    pub(super) cut: bool,
    /// Whether a line was cut at its front.
    pub(super) shifted: bool,
    first: usize,
    lines: Vec<Shown>,
}

struct Shown {
    /// What is shown of the line, as bytes of the text.
    kept: Range<usize>,
    /// Where that begins in the excerpt.
    at: usize,
}

impl Excerpt {
    /// The lines `first..=last` (from 0), cut around `spans` if they are long.
    pub(super) fn new(lines: &Lines<'_>, first: usize, last: usize, spans: &[Span]) -> Excerpt {
        let mut excerpt =
            Excerpt { text: String::new(), cut: false, shifted: false, first, lines: Vec::new() };
        for row in first..=last {
            if row > first {
                excerpt.text.push('\n');
            }
            let whole = lines.line(row);
            let kept = if whole.len() <= LONG { whole.clone() } else { keep(lines, &whole, spans) };
            if kept.start > whole.start {
                excerpt.text.push('…');
            }
            excerpt.lines.push(Shown { kept: kept.clone(), at: excerpt.text.len() });
            excerpt.text.push_str(lines.text.get(kept.clone()).unwrap_or(""));
            if kept.end < whole.end {
                excerpt.text.push('…');
            }
            excerpt.shifted |= kept.start > whole.start;
            excerpt.cut |= kept != whole;
        }
        excerpt
    }

    /// The number of the first line, from 1.
    pub(super) fn first_line(&self) -> usize {
        self.first + 1
    }

    /// Where a place of the text is in the excerpt; what is not shown falls on the edge of what is.
    pub(super) fn range(&self, lines: &Lines<'_>, span: Span) -> Range<usize> {
        let start = self.offset(lines, span.start as usize);
        start..self.offset(lines, span.end as usize).max(start)
    }

    fn offset(&self, lines: &Lines<'_>, offset: usize) -> usize {
        let offset = lines.boundary(offset);
        let row = lines.row(offset).saturating_sub(self.first);
        match self.lines.get(row) {
            Some(line) => line.at + offset.clamp(line.kept.start, line.kept.end) - line.kept.start,
            // A place that is not shown whole ends with its first line.
            None => self.lines.last().map_or(0, |line| line.at + line.kept.len()),
        }
    }
}

/// What to keep of a long line: the surroundings of the first place on it.
fn keep(lines: &Lines<'_>, line: &Range<usize>, spans: &[Span]) -> Range<usize> {
    let on_line = spans.iter().filter(|s| (s.start as usize) <= line.end && (s.end as usize) >= line.start);
    let Some(span) = on_line.min_by_key(|s| s.start) else {
        return line.start..lines.boundary(line.start + AROUND).max(line.start);
    };
    let (start, end) = ((span.start as usize).max(line.start), (span.end as usize).min(line.end));
    let from = if start - line.start <= FAR { line.start } else { lines.boundary(start - AROUND) };
    let to = lines.boundary(end.min(start + LONG - AROUND) + AROUND).min(line.end);
    from.max(line.start)..to.max(start)
}
