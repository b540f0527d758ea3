//! The C around kernels in the making.

use crate::machine::Machine;
use crate::phases::{Apart, Phases};
use crate::place::{self, Places};
use crate::plan::Refusal;
use crate::step::Step;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;
use usuba_lang::source::{Sources, Span};
use usuba_lang::typed;
use usuba_message::form::{Message, Order, VariableId};
use usuba_target::Target;

/// Bytes of a block.
pub(crate) const BLOCK: i64 = 16;

/// A loop of a message and what it is. A map that another loop has taken in is no loop of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopCode {
    /// The loop in the source.
    pub span: Span,
    /// The variable, and its range.
    pub range: String,
    /// What it is.
    pub kind: LoopKind,
}

impl fmt::Display for LoopCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

/// What a loop of a message is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LoopKind {
    /// A kernel for many positions at once.
    Map,
    /// A kernel that goes on by powers.
    Linear,
    /// A kernel that goes on position by position, and why there is none that goes on by powers.
    Scan(Refusal),
    /// A kernel for many positions at once, in which what is carried goes on in registers.
    Alone,
    /// Calls of a function of the cipher on many blocks, with the kernels of what is around them.
    Batches,
    /// The same, with what is around the cipher on blocks.
    Around,
    /// A loop in C that calls the kernels of steps, and why.
    OneByOne(Refusal),
}

impl fmt::Display for LoopKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoopKind::Map => f.write_str("map"),
            LoopKind::Linear => f.write_str("linear scan"),
            LoopKind::Alone => f.write_str("map, what is carried beside it"),
            LoopKind::Batches => f.write_str("batches for the cipher"),
            LoopKind::Around => f.write_str("batches for the cipher, on blocks"),
            LoopKind::Scan(why) => write!(f, "scan: {}", why.0),
            LoopKind::OneByOne(why) => write!(f, "steps: {}", why.0),
        }
    }
}

/// The queue that is open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Queue {
    /// What is carried.
    pub(crate) variable: VariableId,
    /// The function that empties it, and the powers that it needs.
    pub(crate) flush: (String, String),
}

/// A lane in the making.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    /// The nodes that are computed for all lanes at once.
    pub(crate) apart: Vec<Apart>,
    /// The members of its structure, in C.
    pub(crate) fields: Vec<String>,
    /// How often it waits in its text.
    pub(crate) points: u32,
    /// Whether it may wait: what is prepared for a key is not.
    pub(crate) waits: bool,
}

/// A message in the making.
pub(crate) struct Writer<'a> {
    pub(crate) message: &'a Message,
    pub(crate) sources: &'a Sources,
    /// For many positions, and for one, if there are machines of blocks.
    pub(crate) blocks: Option<(&'a Machine<'a>, &'a Machine<'a>)>,
    /// For steps that are not on blocks.
    pub(crate) words: &'static Target,
    pub(crate) word_steps: BTreeMap<String, Rc<WordStep>>,
    /// The roles of the cipher with their nodes.
    pub(crate) roles: Vec<(&'static str, String)>,
    /// Whether the cipher may be functions.
    pub(crate) functions: bool,
    /// Where the cipher is functions: round keys that the message has made, which stand for the cipher from there on.
    pub(crate) made_key: Option<VariableId>,
    /// Whether it is a part of a message that is being written.
    pub(crate) in_pieces: bool,
    /// The declarations of the functions that the cipher is, where it is not on blocks.
    pub(crate) ciphers: BTreeSet<String>,
    pub(crate) symbol: &'a str,
    /// The kernels and what goes with them, with their names.
    pub(crate) kernels: Vec<(String, String)>,
    /// Those that are assembly, which the others declare.
    pub(crate) assembly: Vec<(String, String)>,
    /// Kernels by what they do.
    pub(crate) known: BTreeMap<String, String>,
    pub(crate) steps: BTreeMap<String, Rc<Step>>,
    /// Variables that are the same for all messages of a key.
    pub(crate) of_key: BTreeSet<VariableId>,
    /// Where those lie that are prepared.
    pub(crate) places: BTreeMap<VariableId, usize>,
    /// Where those lie that are kept between the parts of a message.
    pub(crate) kept: BTreeMap<VariableId, usize>,
    /// Bytes that are prepared.
    pub(crate) prepared: usize,
    /// What prepares them.
    pub(crate) preparation: String,
    /// Powers of factors, by what makes them: where they are.
    pub(crate) powers: BTreeMap<String, String>,
    /// Blocks that wait, and the bytes of the room for them, if there is any.
    pub(crate) queue: Option<Queue>,
    pub(crate) queue_bytes: usize,
    pub(crate) text: String,
    pub(crate) depth: usize,
    pub(crate) fresh: u32,
    /// Whether what is written stands in a loop that may run often, of steps on words.
    pub(crate) in_loop: bool,
    /// What variables are called while the loop that carries them is written.
    pub(crate) carried: BTreeMap<VariableId, String>,
    /// The lane that is written, if the message is one of several side by side.
    pub(crate) lane: Option<Lane>,
    pub(crate) loops: Vec<LoopCode>,
    /// Variables that a function of its own gets from its caller.
    pub(crate) hidden: BTreeSet<VariableId>,
    /// Whether what is written is rare, so that less code is better than a faster one.
    pub(crate) is_rare: bool,
}

/// A step on words.
#[derive(Debug)]
pub(crate) struct WordStep {
    /// What it does before, between and after calls of the cipher.
    pub(crate) phases: Phases,
    /// The program that its other calls are of.
    pub(crate) typed: typed::Program,
}

/// A step on words with what it is given.
pub(crate) struct Parts {
    pub(crate) node: String,
    pub(crate) form: Rc<WordStep>,
    pub(crate) given: Vec<String>,
    pub(crate) places: Vec<Places>,
}

pub(crate) type Written<T> = Result<T, Refusal>;

pub(crate) fn refuse<T>(why: impl Into<String>) -> Written<T> {
    Err(Refusal(why.into()))
}

/// Where the bits of words lie whose bytes are in an order.
pub(crate) fn words(bits: u32, width: u32, order: Order) -> Places {
    match order {
        Order::Big => place::as_is(bits),
        Order::Little => place::little_words(bits, width),
    }
}
