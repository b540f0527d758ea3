//! Documents that may be broken over lines, and how they are printed.

/// The widest line, in characters; comments may pass it.
const WIDTH: usize = 110;
const INDENT: usize = 4;

/// A text with its possible line breaks.
pub(super) enum Doc {
    /// Characters that stay together.
    Text(String),
    /// A `;` or `,`: goes before a comment that trails what it follows.
    Glued(String),
    /// A comment at the end of its line.
    Trailing(String),
    /// A comment on a line of its own.
    Own(String),
    /// A blank.
    Space,
    /// A blank, or the end of a line.
    Line,
    /// Two blanks if the author put as many (`true`), else one, or the end of a line. Counted as two in either case,
    /// lest a break that swallows them make room for what it was to make room for.
    Gap(bool),
    /// The end of a line.
    Hard,
    /// The end of a line and an empty line.
    Blank,
    /// One after the other.
    Concat(Vec<Doc>),
    /// The same, broken at every [`Doc::Line`] of its own unless it fits on the line.
    Group(Vec<Doc>),
    /// Pieces, and between each two of them a separator, broken wherever the next piece does not fit on the line.
    Fill(Vec<(Doc, Doc)>, Box<Doc>),
    /// Lines that begin inside are indented one step more.
    Nest(Vec<Doc>),
}

impl Doc {
    pub(super) fn text(text: &str) -> Doc {
        Doc::Text(text.to_string())
    }
}

/// The text of `doc`, with a line feed at its end unless it is empty.
pub(super) fn print(doc: &Doc) -> String {
    let mut printer = Printer { out: String::new(), column: 0, newlines: 0, trailing: Vec::new() };
    printer.doc(doc, false, 0, 0);
    printer.newlines = printer.newlines.clamp(usize::from(!printer.out.is_empty()), 1);
    printer.start_line(0);
    printer.out
}

/// How wide something is on one line.
#[derive(Clone, Copy, Default)]
struct Flat {
    width: usize,
    /// It ends with a comment, so that only punctuation can follow on the line.
    comment: bool,
}

/// The width of `doc` on one line; `None` if it cannot be on one.
fn flat(doc: &Doc, before: Flat) -> Option<Flat> {
    let add = |width| (!before.comment).then_some(Flat { width: before.width + width, comment: false });
    match doc {
        Doc::Text(text) => add(text.chars().count()),
        Doc::Glued(text) => Some(Flat { width: before.width + text.len(), ..before }),
        Doc::Trailing(_) => Some(Flat { comment: true, ..before }),
        Doc::Own(_) | Doc::Hard | Doc::Blank => None,
        // A blank before the end of a line is none.
        Doc::Space | Doc::Line if before.comment => Some(before),
        Doc::Space | Doc::Line => add(1),
        Doc::Gap(_) => add(2),
        Doc::Concat(docs) | Doc::Group(docs) | Doc::Nest(docs) => {
            docs.iter().try_fold(before, |b, d| flat(d, b))
        }
        Doc::Fill(pieces, last) => {
            let before = pieces.iter().try_fold(before, |b, (piece, gap)| flat(gap, flat(piece, b)?))?;
            flat(last, before)
        }
    }
}

/// The width from the start of `doc` to its first possible break, and whether there is one.
fn head(doc: &Doc) -> (usize, bool) {
    match doc {
        Doc::Text(text) | Doc::Glued(text) => (text.chars().count(), false),
        Doc::Space => (1, false),
        Doc::Trailing(_) | Doc::Own(_) | Doc::Line | Doc::Gap(_) | Doc::Hard | Doc::Blank => (0, true),
        Doc::Concat(docs) | Doc::Group(docs) | Doc::Nest(docs) => head_of(docs),
        Doc::Fill(pieces, last) => match pieces.first() {
            Some((piece, _)) => (head(piece).0, true),
            None => head(last),
        },
    }
}

fn head_of(docs: &[Doc]) -> (usize, bool) {
    let mut width = 0;
    for doc in docs {
        let (more, ends) = head(doc);
        width += more;
        if ends {
            return (width, true);
        }
    }
    (width, false)
}

struct Printer {
    out: String,
    column: usize,
    /// Line feeds due before the next character.
    newlines: usize,
    /// Comments due before the next line feed.
    trailing: Vec<String>,
}

impl Printer {
    /// Prints `doc` on one line if `single`, after which `tail` characters follow that cannot be broken off.
    fn doc(&mut self, doc: &Doc, single: bool, indent: usize, tail: usize) {
        match doc {
            Doc::Text(text) => {
                if !self.trailing.is_empty() {
                    self.newlines = self.newlines.max(1);
                }
                self.start_line(indent);
                self.write(text);
            }
            Doc::Glued(text) => {
                // After a comment on a line of its own there is nothing to glue to.
                if self.newlines > 0 && self.trailing.is_empty() {
                    self.start_line(indent);
                }
                self.write(text);
            }
            Doc::Trailing(text) => self.trailing.push(text.clone()),
            Doc::Own(text) => {
                self.newlines = self.newlines.max(1);
                self.start_line(indent);
                self.write(text);
                self.newlines = 1;
            }
            Doc::Space => self.blanks(1),
            Doc::Gap(double) if single => self.blanks(if *double { 2 } else { 1 }),
            Doc::Line if single => self.blanks(1),
            Doc::Line | Doc::Gap(_) | Doc::Hard => self.newlines = self.newlines.max(1),
            Doc::Blank => self.newlines = 2,
            Doc::Concat(docs) => self.concat(docs, single, indent, tail),
            Doc::Nest(docs) => self.concat(docs, single, indent + INDENT, tail),
            Doc::Group(docs) => {
                let single = single || self.fits(doc, indent, tail);
                self.concat(docs, single, indent, tail);
            }
            Doc::Fill(pieces, last) => {
                let mut gap: Option<&Doc> = None;
                let ends = pieces.iter().map(|(piece, gap)| (piece, Some(gap))).chain([(&**last, None)]);
                for (piece, next) in ends {
                    let tail = if next.is_some() { 0 } else { tail };
                    let mut one = single;
                    if let Some(gap) = gap {
                        let width = if matches!(gap, Doc::Gap(_)) { 2 } else { 1 };
                        one = single || self.fits(piece, indent, tail + width);
                        self.doc(gap, one, indent, 0);
                    }
                    self.doc(piece, one, indent, tail);
                    gap = next;
                }
            }
        }
    }

    fn concat(&mut self, docs: &[Doc], single: bool, indent: usize, tail: usize) {
        // What follows each, up to a break: from the last to the first, for a list may be long.
        let mut tails = vec![0; docs.len()];
        if !single {
            let mut after = tail;
            for (doc, slot) in docs.iter().zip(&mut tails).rev() {
                *slot = after;
                let (width, ends) = head(doc);
                after = if ends { width } else { width + after };
            }
        }
        for (doc, tail) in docs.iter().zip(tails) {
            self.doc(doc, single, indent, tail);
        }
    }

    fn fits(&self, doc: &Doc, indent: usize, tail: usize) -> bool {
        let column = if self.newlines > 0 || !self.trailing.is_empty() { indent } else { self.column };
        flat(doc, Flat::default()).is_some_and(|flat| column + flat.width + tail <= WIDTH)
    }

    fn blanks(&mut self, count: usize) {
        if self.newlines == 0 && self.trailing.is_empty() {
            self.write(if count == 2 { "  " } else { " " });
        }
    }

    fn write(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += text.chars().count();
    }

    /// Ends the line if that is due, and indents the next one.
    fn start_line(&mut self, indent: usize) {
        if self.newlines == 0 && !self.out.is_empty() {
            return;
        }
        self.out.truncate(self.out.trim_end_matches(' ').len());
        for comment in self.trailing.drain(..) {
            self.out.push_str(if self.out.is_empty() { "" } else { " " });
            self.out.push_str(&comment);
        }
        if !self.out.is_empty() {
            self.out.extend(std::iter::repeat_n('\n', self.newlines));
        }
        self.newlines = 0;
        self.out.extend(std::iter::repeat_n(' ', indent));
        self.column = indent;
    }
}
