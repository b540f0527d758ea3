//! What a pass is, and what can be chosen about passes. [`crate::passes`] has the list.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use usuba_ir::program::{Node, Program};

/// A pass.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is for, in a sentence.
    pub purpose: &'static str,
    /// What it does.
    pub run: fn(&mut Program, &Settings),
}

impl fmt::Debug for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pass({})", self.name)
    }
}

/// What can be chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Inline every call, but of nodes that must never be (`_no_inline`) or not be changed (`_no_opt`).
    pub inline_all: bool,
    /// Inline no call, not even of nodes with `_inline`; stronger than `inline_all`.
    pub no_inline: bool,
    /// A node that is called in one place is inlined if it has at most so many operations.
    pub inline_limit: usize,
    /// A loop carries at most so many atoms of a layout one by one; more are an array. It is larger than the registers of
    /// any machine: DES, which carries 64, is better off with atoms.
    pub carried_atoms: usize,
    /// Batches of instances that a kernel computes at once; 1 for no interleaving. `None`: what `_interleave(n)` says, else
    /// a rule that needs `machine`; 2 if `granularity` is given.
    pub interleave: Option<u32>,
    /// Operations of a batch between those of the others, 1 if `None`.
    pub granularity: Option<u32>,
    /// The machine that the program is for, if it is known.
    pub machine: Option<Machine>,
    /// What programs take on it, if there is a model of it.
    pub clock: Option<Clock>,
    /// Passes that are not run, by their names.
    pub disabled: Vec<String>,
}

/// What passes know of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Machine {
    /// Atoms that may be live at once: the registers that hold one each, and what can be read from memory beside them at no
    /// cost.
    pub room: u32,
    /// Simple operations that can be on their way at once: how many start in a cycle, times how long one takes.
    pub in_flight: u32,
    /// The same of rounds of AES, on the core that has most; 0 if the machine has none.
    pub rounds_in_flight: u32,
}

/// What programs take on a machine, by a model of it.
#[derive(Clone)]
pub struct Clock {
    /// The name of the machine.
    target: &'static str,
    cycles: Cycles,
    /// The programs so far: what is chosen in drafts is made, and asked for, again.
    known: Arc<Mutex<Vec<Timed>>>,
}

/// The cycles of one call of a program on each core that code for the machine of this name is to be good for; nothing if there is no
/// code.
pub type Cycles = fn(&Program, &'static str) -> Option<Vec<u64>>;

/// A program and what it takes.
type Timed = (Program, Option<Vec<u64>>);

impl Clock {
    /// Of a machine.
    pub fn new(target: &'static str, cycles: Cycles) -> Clock {
        Clock { target, cycles, known: Arc::default() }
    }

    /// The cycles that a program takes for a batch, on each core.
    pub(crate) fn time(&self, program: &Program) -> Option<Vec<f64>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let cycles = match known.iter().find(|(one, _)| one == program) {
            Some((_, cycles)) => cycles.clone(),
            None => {
                let cycles = (self.cycles)(program, self.target);
                known.push((program.clone(), cycles.clone()));
                cycles
            }
        };
        let of_batch = |cycles: u64| cycles as f64 / f64::from(program.interleave);
        Some(cycles?.into_iter().map(of_batch).collect())
    }
}

/// What each core takes of its time before.
pub(crate) fn ratios(before: &[f64], after: &[f64]) -> Vec<f64> {
    before.iter().zip(after).map(|(before, after)| after / before.max(1.0)).collect()
}

/// The mean over the cores.
pub(crate) fn mean(ratios: &[f64]) -> f64 {
    ratios.iter().sum::<f64>() / ratios.len().max(1) as f64
}

impl PartialEq for Clock {
    fn eq(&self, other: &Clock) -> bool {
        self.target == other.target
    }
}

impl Eq for Clock {}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.target)
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            inline_all: false,
            no_inline: false,
            inline_limit: 2000,
            carried_atoms: 64,
            interleave: None,
            granularity: None,
            machine: None,
            clock: None,
            disabled: Vec::new(),
        }
    }
}

/// Who looks on while passes run: dumps, clocks, checks.
pub trait Observer {
    /// A pass is about to run on this program.
    fn before(&mut self, pass: &Pass, program: &Program) {
        let _ = (pass, program);
    }

    /// A pass has left this program; `Break` stops the list here.
    fn after(&mut self, pass: &Pass, program: &Program) -> ControlFlow<()> {
        let _ = (pass, program);
        ControlFlow::Continue(())
    }
}

/// Nobody looks on.
impl Observer for () {}

impl Settings {
    /// Whether a pass of this name is run.
    pub fn runs(&self, name: &str) -> bool {
        self.disabled.iter().all(|disabled| disabled != name)
    }
}

/// The nodes that may be changed.
pub(crate) fn open_nodes(program: &mut Program) -> impl Iterator<Item = &mut Node> {
    program.nodes.iter_mut().filter(|node| !node.attributes.no_opt)
}
