//! Messages in parts: strings that come piece by piece.
//!
//! A string that a message reads block by block, from its beginning on, need not be there at once. The message is cut at the
//! loops over it: what comes before them, the blocks of them, and what follows when all of the string is there. What a part
//! leaves to later ones is of constant size and *kept*: values that loops carry, and what follows from strings that are over.
//!
//! Statements go to parts by *time*, the number of the earliest part in which everything that they read is known
//! ([`times`]): part 0 begins a message, part 2 j + 1 takes blocks of string j, any number of times, part 2 j + 2 ends it and
//! begins the next. A message whose blocks need what is known only afterwards has no such parts.
//!
//! Output of any length, such as that of a sponge, may come block by block too: it is then the last of the strings.

mod parts;
mod squeeze;
mod steps;
mod streams;
mod times;

use crate::form::{Message, VariableId};
use crate::number::{Number, NumberError};
use std::fmt;

/// A message in parts.
#[derive(Clone, Debug)]
pub struct Incremental {
    /// The strings that come in pieces, in the order in which they come.
    pub streams: Vec<Stream>,
    /// Whether the last of them is output.
    pub squeezes: bool,
    /// The parts in order: two for each string, and one before all of them.
    pub parts: Vec<Part>,
    /// The variables that are kept, all of a constant size.
    pub kept: Vec<VariableId>,
}

/// A string that comes in pieces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stream {
    /// The input, or the output where output comes in pieces.
    pub variable: VariableId,
    /// The length of all of it: a place in [`Message::lengths`].
    pub length: u32,
    /// Bytes of what the length counts.
    pub element: i64,
    /// Bytes of a block.
    pub rate: i64,
    /// How many blocks are taken of a string of that length while more of it may come; none if it is negative. It does not
    /// fall when the length grows.
    pub blocks: Number,
    /// So many bytes are left for the end at most.
    pub held: i64,
    /// The number of blocks taken before, and of those that are taken: places in [`Message::lengths`] of the parts.
    pub before: u32,
    /// See [`Stream::before`].
    pub now: u32,
    /// The outputs that are written with it, byte for byte.
    pub outputs: Vec<VariableId>,
}

impl Stream {
    /// What comes in pieces, by the names of the message: `plain`, 16 bytes a block, of which up to 15 are left for the end.
    pub fn describe(&self, message: &Message) -> String {
        let name = &message.variable(self.variable).name;
        let left = match self.held {
            0 => "nothing is left for the end".into(),
            held => format!("up to {held} bytes are left for the end"),
        };
        format!("`{name}`, blocks of {} bytes; {left}", self.rate)
    }
}

impl Incremental {
    /// Bytes of what is kept from part to part, each variable in whole bytes.
    pub fn kept_bytes(&self) -> u32 {
        let bytes = |id: &VariableId| {
            let words = self.parts.first().map(|part| part.message.variable(*id).words);
            words.map_or(0, |words| (words.width * words.count).div_ceil(8))
        };
        self.kept.iter().map(bytes).sum()
    }
}

/// When a part is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// Once, first.
    Begin,
    /// For blocks of a string, any number of times.
    Blocks(usize),
    /// Once, when a string is over.
    End(usize),
}

/// A part of a message.
#[derive(Clone, Debug)]
pub struct Part {
    /// When it is run.
    pub when: When,
    /// What it does. Of a string that comes in pieces its inputs and outputs have the blocks that are taken, and at the end
    /// what is left. What is kept is neither an input nor an output.
    pub message: Message,
    /// The lengths that are known: places in [`Message::lengths`].
    pub lengths: Vec<u32>,
    /// What it reads of what is kept.
    pub reads: Vec<VariableId>,
    /// What it changes of what is kept.
    pub writes: Vec<VariableId>,
}

impl Part {
    /// The part as a message by itself, to be run: what is kept are inputs and outputs behind the others.
    pub fn closed(&self) -> Message {
        let mut message = self.message.clone();
        message.inputs.extend(&self.reads);
        message.outputs.extend(&self.writes);
        message
    }
}

/// Why a message cannot be cut into parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Whole {
    reason: String,
    /// The string whose blocks cannot be taken as they come, if it is one.
    string: Option<VariableId>,
}

impl Whole {
    fn new(reason: String) -> Whole {
        Whole { reason, string: None }
    }
}

impl fmt::Display for Whole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Whole {}

impl From<NumberError> for Whole {
    fn from(_: NumberError) -> Whole {
        Whole::new("a public number does not fit in 64 bits".into())
    }
}

/// The texts of [`Whole`].
mod reasons {
    use super::Whole;
    use crate::form::VariableId;

    pub(super) fn no_string() -> Whole {
        Whole::new("no string is read block by block from its beginning".into())
    }

    pub(super) fn early(string: VariableId, name: &str, wanted: &str, cause: &str) -> Whole {
        let reason = format!("the first block of `{name}` needs {wanted}, which is known only with {cause}");
        Whole { reason, string: Some(string) }
    }

    pub(super) fn again(string: &str) -> Whole {
        Whole::new(format!("`{string}` is read again, where blocks of it were taken before"))
    }

    pub(super) fn elsewhere(output: &str) -> Whole {
        Whole::new(format!("`{output}` is not written where its string is read"))
    }

    pub(super) fn late(string: &str) -> Whole {
        Whole::new(format!("the end of `{string}` is read again, when a string behind it is over"))
    }

    pub(super) fn both(variable: &str) -> Whole {
        Whole::new(format!("`{variable}` is made by a loop over a string, and by the other side of a choice"))
    }

    pub(super) fn input(variable: &str) -> Whole {
        Whole::new(format!(
            "`{variable}`, which is given at the beginning and has a public length, is read again"
        ))
    }

    pub(super) fn large(variable: &str) -> Whole {
        Whole::new(format!("`{variable}` has a public length and is read in several parts"))
    }

    pub(super) fn unlike(output: &str) -> Whole {
        Whole::new(format!("what `{output}` begins with is not known to be the same for all lengths of it"))
    }
}

/// Cuts a message that has been through the passes, and has not been fused, into parts.
///
/// # Errors
/// A string cannot come in pieces.
pub fn incremental(message: &Message) -> Result<Incremental, Whole> {
    let mut at_once = Vec::new();
    loop {
        let found = streams::find(message, &at_once)?;
        let first = found.streams.first().cloned();
        let another = found.streams.len() - usize::from(found.squeezes) > 1;
        let mut message = message.clone();
        let made =
            times::schedule(&mut message, &found).and_then(|timed| parts::make(&mut message, found, timed));
        match (made, first) {
            // What stands before all other strings, and is not read block by block, is given at once.
            (Err(whole), Some(first))
                if whole.string == Some(first.variable) && first.outputs.is_empty() && another =>
            {
                at_once.push(first.variable);
            }
            (made, _) => return made,
        }
    }
}

impl Message {
    /// The name of a length, quoted.
    fn length_name(&self, place: u32) -> String {
        format!("the length `{}`", self.lengths.get(place as usize).map_or("", String::as_str))
    }
}
