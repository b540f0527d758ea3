//! From spans to files, lines and columns, in constant time per span.

use usuba_ir::program::FileId;
use usuba_lang::source::{Sources, Span};

/// The line starts of every source.
pub(crate) struct Places {
    files: Vec<String>,
    texts: Vec<String>,
    lines: Vec<Vec<usize>>,
}

impl Places {
    pub(crate) fn new(sources: &Sources) -> Places {
        let mut places = Places { files: Vec::new(), texts: Vec::new(), lines: Vec::new() };
        for (_, source) in sources.iter() {
            places.files.push(source.name.clone());
            let starts = source.text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i + 1);
            places.lines.push(std::iter::once(0).chain(starts).collect());
            places.texts.push(source.text.clone());
        }
        places
    }

    /// File, line and column, both from 1, of the start of a span.
    pub(crate) fn of(&self, span: Span) -> Option<(FileId, u32, u32)> {
        let starts = self.lines.get(span.source.0 as usize)?;
        let at = span.start as usize;
        let line = starts.partition_point(|&start| start <= at).saturating_sub(1);
        let before = self.texts[span.source.0 as usize].get(starts[line]..at)?;
        Some((FileId(span.source.0), line as u32 + 1, before.chars().count() as u32 + 1))
    }

    pub(crate) fn into_files(self) -> Vec<String> {
        self.files
    }
}
