//! What parsers of programs stand on: blanks and comments, signs, words, numbers, texts in quotes, lists.
//!
//! A *word* is a run of letters, digits, `_` and `'`. Comments go from `//` to the end of the line.

/// What is not as a [`Reader`] wants it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unread {
    /// Something else was expected.
    Expected {
        /// What, for people.
        expected: &'static str,
        /// What is there instead, for people.
        found: String,
    },
    /// A number above this one, the largest here.
    Large(u128),
    /// The text in quotes does not end on its line.
    OpenQuote,
}

/// What is wrong, at a byte of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault<M> {
    /// Where.
    pub at: usize,
    /// What.
    pub message: M,
}

impl<M> Fault<M> {
    /// Its line and column in the text, both from 1; columns count characters.
    pub fn place(&self, text: &str) -> (u32, u32) {
        let before = text.get(..self.at).unwrap_or(text);
        let line = before.matches('\n').count() as u32 + 1;
        let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) as u32 + 1;
        (line, column)
    }
}

/// A place in a text.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    text: &'a str,
    /// The byte at which reading goes on, blanks and comments before it or not.
    pub at: usize,
}

impl<'a> Cursor<'a> {
    /// The beginning of a text.
    pub fn new(text: &'a str) -> Cursor<'a> {
        Cursor { text, at: 0 }
    }

    /// What is left, after blanks and comments.
    pub fn rest(&mut self) -> &'a str {
        loop {
            let rest = self.text.get(self.at..).unwrap_or("");
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with("//") {
                return trimmed;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '\''
}

/// The length of the word at the beginning of a text.
pub(super) fn word_len(text: &str) -> usize {
    text.find(|c| !is_letter(c)).unwrap_or(text.len())
}

/// What is inside the quotes that a text begins with; `None` if they do not end on the line.
fn inside_quotes(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('"')?;
    let end = inside.find(['"', '\n']).filter(|&end| inside[end..].starts_with('"'))?;
    Some(&inside[..end])
}

/// The beginning of a text, for people.
fn described(rest: &str) -> String {
    let Some(first) = rest.chars().next() else { return "the end of the text".into() };
    if let Some(inside) = inside_quotes(rest) {
        return format!("\"{inside}\"");
    }
    let end = match first {
        '%' => 1 + word_len(&rest[1..]),
        '-' if rest.starts_with("->") => 2,
        c if is_letter(c) => word_len(rest),
        c => c.len_utf8(),
    };
    format!("`{}`", &rest[..end])
}

/// A parser, with its own messages.
pub trait Reader<'a> {
    /// What it says where something is wrong.
    type Message: From<Unread>;

    /// Where it is.
    fn cursor(&mut self) -> &mut Cursor<'a>;

    /// What is left, after blanks and comments.
    fn rest(&mut self) -> &'a str {
        self.cursor().rest()
    }

    /// The byte at which the next sign or word begins.
    fn here(&mut self) -> usize {
        self.rest();
        self.cursor().at
    }

    /// Something is wrong here.
    ///
    /// # Errors
    /// Always: that.
    fn fault<T>(&mut self, message: impl Into<Self::Message>) -> Result<T, Fault<Self::Message>> {
        Err(Fault { at: self.here(), message: message.into() })
    }

    /// Something else was expected here.
    ///
    /// # Errors
    /// Always: that.
    fn expected<T>(&mut self, expected: &'static str) -> Result<T, Fault<Self::Message>> {
        let found = described(self.rest());
        self.fault(Unread::Expected { expected, found })
    }

    /// Takes a sign or a whole word, if it comes next.
    fn take(&mut self, what: &str) -> bool {
        let Some(after) = self.rest().strip_prefix(what) else { return false };
        if what.ends_with(is_letter) && after.starts_with(is_letter) {
            return false;
        }
        self.cursor().at += what.len();
        true
    }

    /// Takes a sign or a whole word.
    ///
    /// # Errors
    /// Another comes next.
    fn need(&mut self, what: &str, expected: &'static str) -> Result<(), Fault<Self::Message>> {
        if self.take(what) { Ok(()) } else { self.expected(expected) }
    }

    /// Takes a word.
    ///
    /// # Errors
    /// Something else comes next.
    fn word(&mut self, expected: &'static str) -> Result<&'a str, Fault<Self::Message>> {
        let rest = self.rest();
        let end = word_len(rest);
        if end == 0 {
            return self.expected(expected);
        }
        self.cursor().at += end;
        Ok(&rest[..end])
    }

    /// Takes a number, decimal or hexadecimal, of at most `largest`.
    ///
    /// # Errors
    /// Something else comes next, or a larger one.
    fn large_number(&mut self, expected: &'static str, largest: u128) -> Result<u128, Fault<Self::Message>> {
        let start = self.here();
        let word = self.word(expected)?;
        let (digits, radix) = word.strip_prefix("0x").map_or((word, 10), |digits| (digits, 16));
        let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
        match u128::from_str_radix(digits, radix) {
            Ok(number) if is_number && number <= largest => return Ok(number),
            _ => self.cursor().at = start,
        }
        if is_number { self.fault(Unread::Large(largest)) } else { self.expected(expected) }
    }

    /// The same below 2^64.
    ///
    /// # Errors
    /// As for [`Reader::large_number`].
    fn number(&mut self, expected: &'static str, largest: u64) -> Result<u64, Fault<Self::Message>> {
        Ok(self.large_number(expected, largest.into())? as u64)
    }

    /// The same below 2^32.
    ///
    /// # Errors
    /// As for [`Reader::large_number`].
    fn small(&mut self, expected: &'static str) -> Result<u32, Fault<Self::Message>> {
        Ok(self.large_number(expected, u32::MAX.into())? as u32)
    }

    /// Takes what is in quotes, if they come next.
    ///
    /// # Errors
    /// They do not end on their line.
    fn quoted(&mut self) -> Result<Option<&'a str>, Fault<Self::Message>> {
        let rest = self.rest();
        if !rest.starts_with('"') {
            return Ok(None);
        }
        let Some(inside) = inside_quotes(rest) else { return self.fault(Unread::OpenQuote) };
        self.cursor().at += inside.len() + 2;
        Ok(Some(inside))
    }

    /// Takes what stands between here and `end`, with commas between, and `end`.
    ///
    /// # Errors
    /// Those of `one`, or something else is between.
    fn list<T>(
        &mut self,
        end: &str,
        expected: &'static str,
        mut one: impl FnMut(&mut Self) -> Result<T, Fault<Self::Message>>,
    ) -> Result<Vec<T>, Fault<Self::Message>>
    where
        Self: Sized,
    {
        let mut list = Vec::new();
        if self.take(end) {
            return Ok(list);
        }
        loop {
            list.push(one(self)?);
            if self.take(end) {
                return Ok(list);
            }
            self.need(",", expected)?;
        }
    }
}
