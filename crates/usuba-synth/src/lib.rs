//! Small circuits for tables: a search that says how far it got.
//!
//! ```text
//! table --start---> a functional decision diagram, and the published circuit if there is one
//!       --search--> local resynthesis: never larger
//!       --exact---> a SAT solver: a smaller circuit, or the proof that there is none
//! ```
//!
//! Nothing here is trusted: every circuit is evaluated on all inputs before it is handed out. The same question gets the
//! same answer, for effort is counted in steps, not in seconds.

mod basis;
mod budget;
pub mod choice;
mod exact;
mod file;
pub mod published;
mod search;

pub use basis::Basis;
pub use exact::{Answer, smaller};
pub use file::document;
pub use search::resynthesise;
pub use usuba_logic::netlist::{Gate, MOST_INPUTS, Netlist};

use std::fmt;
use usuba_lower::circuits::database;
use usuba_lower::synthesis;

/// A table of 2^inputs values below 2^outputs; the first input and output are the most significant bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// Number of input bits, 1 to [`MOST_INPUTS`].
    pub inputs: usize,
    /// Number of output bits, 1 to 64.
    pub outputs: usize,
    /// The values.
    pub entries: Vec<u64>,
}

/// How long to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Gates that local resynthesis visits, for each start and seed.
    pub visits: usize,
    /// Seeds of the random numbers, each a search of its own.
    pub seeds: u64,
    /// Conflicts of the SAT solver for each number of gates; 0 to prove nothing.
    pub conflicts: u64,
    /// Begin with the published circuit too.
    pub published: bool,
}

/// Most inputs of a table about whose circuits anything is proved.
pub const MOST_EXACT_INPUTS: usize = 5;

/// Why a table has no circuit here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// It has no input or more than [`MOST_INPUTS`], or no output or more than 64.
    Size,
    /// It has another number of entries than 2^inputs, or an entry of more bits than outputs.
    Entries,
    /// A circuit did not compute the table: a bug.
    Wrong,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Size => write!(f, "a table has 1 to {MOST_INPUTS} inputs and 1 to 64 outputs"),
            Refusal::Entries => {
                write!(f, "a table has 2^inputs entries, each of at most as many bits as it has outputs")
            }
            Refusal::Wrong => {
                write!(f, "a circuit was found that does not compute the table; please report this")
            }
        }
    }
}

/// A circuit and what is known about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The circuit. It computes the table.
    pub netlist: Netlist,
    /// No circuit of fewer gates exists; the circuit itself is minimal if it has so many.
    pub lower_bound: usize,
    /// The smallest circuit of the database: gates and file.
    pub published: Option<(usize, String)>,
    /// Gates of the functional decision diagram, of two inputs each.
    pub diagram: usize,
}

impl Found {
    /// Whether no smaller circuit exists.
    pub fn is_minimal(&self) -> bool {
        self.lower_bound == self.netlist.gates.len()
    }
}

/// Searches a circuit. `progress` is told in words what is being done and how many gates there are.
///
/// # Errors
/// The table is too large or malformed.
pub fn synthesise(
    basis: Basis,
    table: &Table,
    effort: &Effort,
    progress: &mut dyn FnMut(&str, usize),
) -> Result<Found, Refusal> {
    let Table { inputs, outputs, entries } = table;
    let (inputs, outputs) = (*inputs, *outputs);
    if !(1..=MOST_INPUTS).contains(&inputs) || !(1..=64).contains(&outputs) {
        return Err(Refusal::Size);
    }
    if entries.len() != 1 << inputs || entries.iter().any(|&entry| outputs < 64 && entry >> outputs != 0) {
        return Err(Refusal::Entries);
    }
    let circuit = synthesis::synthesise(inputs, outputs, entries);
    let diagram = circuit.gates.len();
    let mut starts = vec![published::from_circuit(&circuit)];
    let published = published(basis, table);
    if effort.published {
        starts.extend(published.as_ref().map(|(_, _, netlist)| netlist.clone()));
    }
    let mut best: Option<Netlist> = None;
    for (number, start) in starts.iter().enumerate() {
        for seed in 1..=effort.seeds {
            let what = if number == 0 { "from a diagram" } else { "from the published circuit" };
            let found = resynthesise(start, basis, effort.visits, seed, &mut |visits, gates| {
                progress(&format!("{what}, seed {seed}, {visits} of {} visits", effort.visits), gates);
            });
            if best.as_ref().is_none_or(|best| found.gates.len() < best.gates.len()) {
                best = Some(found);
            }
        }
    }
    let Some(mut netlist) = best else { return Err(Refusal::Size) };
    let mut lower_bound = distinct_outputs(&netlist);
    if effort.conflicts > 0 && inputs <= MOST_EXACT_INPUTS {
        // Downwards while smaller circuits are found.
        let mut refuted = None;
        while lower_bound < netlist.gates.len() {
            let gates = netlist.gates.len() - 1;
            progress(&format!("are {gates} gates possible?"), netlist.gates.len());
            match smaller(basis, inputs, outputs, entries, gates, effort.conflicts) {
                Answer::Found(found) if found.table() == *entries && found.gates.len() <= gates => {
                    netlist = found
                }
                answer => {
                    refuted = (answer == Answer::Impossible).then_some(gates);
                    break;
                }
            }
        }
        // The question is about circuits that use each of exactly so many gates, so every number has to be refuted.
        while lower_bound < netlist.gates.len() {
            progress(&format!("are {lower_bound} gates possible?"), netlist.gates.len());
            let is_known = refuted == Some(lower_bound);
            if !is_known
                && smaller(basis, inputs, outputs, entries, lower_bound, effort.conflicts)
                    != Answer::Impossible
            {
                break;
            }
            lower_bound += 1;
        }
    }
    if netlist.table() != *entries {
        return Err(Refusal::Wrong);
    }
    Ok(Found { netlist, lower_bound, published: published.map(|(gates, file, _)| (gates, file)), diagram })
}

/// Each output that is a gate needs its own.
fn distinct_outputs(netlist: &Netlist) -> usize {
    let mut outputs: Vec<usize> =
        netlist.outputs.iter().copied().filter(|&wire| wire >= netlist.inputs).collect();
    outputs.sort_unstable();
    outputs.dedup();
    outputs.len()
}

/// The smallest circuit of the database that has only gates of a basis: gates, file, circuit.
fn published(basis: Basis, table: &Table) -> Option<(usize, String, Netlist)> {
    let possible = database().iter().filter(|one| {
        one.basis <= basis && one.circuit.inputs == table.inputs && one.outputs == table.outputs
    });
    let fitting = possible.filter_map(|one| {
        let (order, sources) = one.wiring(&table.entries)?;
        let rows = published::from_published(one);
        // Netlists with gates that the basis lacks are taken as the compiler spells them out.
        let fits = rows.gates.iter().all(|gate| basis::has(basis, gate));
        let netlist =
            if fits { rows } else { published::from_circuit(&one.circuit) }.rewired(&order, &sources);
        Some((netlist.gates.len(), one.file.to_owned(), netlist))
    });
    fitting.min_by_key(|(gates, _, _)| *gates)
}
