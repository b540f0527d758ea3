//! From typed programs to Usuba0: one node per instance, tables as circuits, permutations as wiring, loops kept.
//!
//! Reading order: [`lower`] (the whole), [`sliced`] (the program that nodes are lowered from), [`node`] (one instance), [`expression`] (values), [`roll`] (which loops have one
//! shape and what their iterations hand on), [`constants`] (numbers that change from iteration to iteration), [`looping`] (emitting them), [`table`] (tables as nodes),
//! [`circuits`] (the database of published circuits), [`synthesis`] (circuits for all other tables),
//! [`bits`] (arithmetic on bits), [`pack`] (words in groups), [`planes`] (bytes in planes), [`images`] (bytes under affine maps), [`admission`] (what a slicing cannot express), [`messages`] (how that is said).

mod admission;
mod bits;
mod constants;
mod expression;
mod formula;
mod images;
mod looping;
mod messages;
mod node;
mod pack;
mod places;
mod planes;
mod reach;
mod roll;
mod sliced;
mod split;
mod state;
mod table;
mod weight;

pub mod circuit;
pub mod circuits;
pub mod synthesis;

pub use planes::in_planes;

use places::Places;
use table::Implementation;
use usuba_ir::layout::Slicing;
use usuba_ir::program::{Node, NodeId, Program};
use usuba_lang::diagnostic::Diagnostic;
use usuba_lang::source::Sources;
use usuba_lang::typed;
use weight::Weights;

/// When a loop of the source is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loops {
    /// Keep every loop whose iterations have one shape and that is at least so many operations, unrolled, unless the body of
    /// the loop around it is at most so many. `_unroll` and `_no_unroll` override it.
    Sized {
        /// From so many operations on.
        least: u32,
        /// A body of so many keeps no loop inside.
        body: u32,
    },
    /// Keep every loop whose iterations have one shape (`--no-unroll`).
    Keep,
    /// Keep none (`--unroll`).
    Unroll,
}

/// Which bitwise nodes are split into columns of bits, in [`Slicing::B`] (`crates/usuba-lower/src/split.rs`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Split {
    /// None (`--no-split-nodes`).
    None,
    /// All (`--split-nodes`).
    All,
    /// Those whose columns will be worked off in a loop and compute much more than they load and store: S-boxes.
    Sized,
}

/// How to lower.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The slicing. [`Slicing::B`] needs a program elaborated in [`typed::Atoms::Bits`], the others one in
    /// [`typed::Atoms::Words`].
    pub slicing: Slicing,
    /// Which loops to keep.
    pub loops: Loops,
    /// Which bitwise nodes to split.
    pub split: Split,
    /// Take S-boxes from the database of published circuits.
    pub published_circuits: bool,
    /// Which of these: those with the fewest gates of this basis.
    pub basis: circuit::Basis,
    /// Whether what is proved to be rounds of AES becomes those, for a target that has them.
    pub rounds: bool,
}

impl Options {
    /// The usual choices for a slicing.
    pub fn new(slicing: Slicing) -> Options {
        Options {
            slicing,
            // On Zen 5 with AVX-512 SKINNY-128 in B, whose round is 1,248 operations, takes a fifth of the time with its rounds
            // unrolled; with all up to 6,000, AES takes a quarter more.
            loops: Loops::Sized { least: 256, body: 1536 },
            split: Split::Sized,
            published_circuits: true,
            basis: circuit::Basis::TwoInput,
            rounds: false,
        }
    }

    /// The representation of words that the slicing lowers from.
    pub fn atoms(&self) -> typed::Atoms {
        elaborated_for(self.slicing).0
    }
}

/// How a program is elaborated that is to be lowered for a slicing: its words as they are or as their bits, and the direction
/// that words of no direction get.
pub fn elaborated_for(slicing: Slicing) -> (typed::Atoms, Option<typed::Direction>) {
    match slicing {
        Slicing::B => (typed::Atoms::Bits, None),
        Slicing::V => (typed::Atoms::Words, Some(typed::Direction::V)),
        Slicing::H => (typed::Atoms::Words, Some(typed::Direction::H)),
        Slicing::Packed(words) => (typed::Atoms::Words, Some(typed::Direction::Packed(words))),
    }
}

/// Lowers a typed program.
///
/// # Errors
/// What the slicing cannot express (arithmetic on spread words, look-ups by a word, …), each at its place.
pub fn lower(
    program: &typed::Program,
    sources: &Sources,
    options: &Options,
) -> Result<Program, Vec<Diagnostic>> {
    lower_with(program, sources, options, &|_| 0)
}

/// [`lower`], where `prefer` chooses among several circuits for a table: it is given at least two, the fewest gates first,
/// and answers with the place of one.
///
/// # Errors
/// As for [`lower`].
pub fn lower_with(
    program: &typed::Program,
    sources: &Sources,
    options: &Options,
    prefer: &dyn Fn(&[circuit::Circuit]) -> usize,
) -> Result<Program, Vec<Diagnostic>> {
    let findings = admission::findings(program, options);
    if !findings.is_empty() {
        return Err(findings);
    }
    let mut program = match options.slicing {
        Slicing::Packed(words) => pack::pack(program, words, options.rounds)?,
        slicing if in_planes(program, slicing) => {
            planes::planes(program).map_err(|finding| vec![*finding])?
        }
        Slicing::B | Slicing::V | Slicing::H => sliced::Program::of(program),
    };
    let mut implementations = implementations(&program, options, prefer);
    let mut tables = weights_of(&implementations);
    if let Some(held) = images::held(&program) {
        let of_held = self::implementations(&held, options, prefer);
        let held_tables = weights_of(&of_held);
        let weight =
            |program: &sliced::Program, tables: &[u64]| Weights::new(program, options.loops, tables).whole();
        if weight(&held, &held_tables) < weight(&program, &tables) {
            (program, implementations, tables) = (held, of_held, held_tables);
        }
    }
    if let Some(split) = split::split(&program, options, &Weights::new(&program, options.loops, &tables)) {
        program = split;
        implementations = self::implementations(&program, options, prefer);
        tables = weights_of(&implementations);
    }
    let weights = Weights::new(&program, options.loops, &tables);
    if let Some(tabulated) = constants::tabulated(&program, options.loops, &weights) {
        program = tabulated;
    }
    let program = &program;
    let mut lowering = Lowering {
        program,
        options,
        places: Places::new(sources),
        nodes: Vec::new(),
        of_instance: vec![None; program.instances.len()],
        weights: Weights::new(program, options.loops, &tables),
    };
    for ((id, instance), implementation) in program.instances.iter().enumerate().zip(&implementations) {
        let entry = id == program.entry.0 as usize;
        match &instance.body {
            sliced::Body::Permutation { .. } if !entry => {}
            sliced::Body::Permutation { sources } => lowering.permutation(id, instance, sources),
            sliced::Body::Table(table) => {
                lowering.table(id, instance, table, implementation.as_ref().expect("a table has one"));
            }
            sliced::Body::Equations(equations) => lowering.equations(id, instance, equations),
        }
    }
    Ok(Program { files: lowering.places.into_files(), nodes: lowering.nodes, interleave: 1 })
}

/// What each instance is computed by that is a table.
fn implementations(
    program: &sliced::Program,
    options: &Options,
    prefer: &dyn Fn(&[circuit::Circuit]) -> usize,
) -> Vec<Option<Implementation>> {
    program.instances.iter().map(|instance| Implementation::of(instance, options, prefer)).collect()
}

/// The operations of each, none of what is no table.
fn weights_of(implementations: &[Option<Implementation>]) -> Vec<u64> {
    implementations.iter().map(|of| of.as_ref().map_or(0, Implementation::weight)).collect()
}

/// The state of lowering one program.
struct Lowering<'a> {
    program: &'a sliced::Program,
    options: &'a Options,
    places: Places,
    nodes: Vec<Node>,
    /// The node of each instance; permutations have none unless they are the entry.
    of_instance: Vec<Option<NodeId>>,
    weights: Weights<'a>,
}

impl Lowering<'_> {
    /// Adds a node and remembers which instance it computes.
    fn define(&mut self, instance: usize, node: Node) {
        self.of_instance[instance] = Some(self.add(node));
    }

    /// Adds a node.
    fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId(self.nodes.len() as u32 - 1)
    }
}
