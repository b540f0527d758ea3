//! The order of instructions: of runs of steps without loops and calls, for both printers.
//!
//! ```text
//! steps --graph--> what must come before what (registers, and memory by region and index)
//!       --list---> candidates: the rows of ORDERS
//!       --cost---> a model of the machine picks one (`auto`)
//!       --check--> only a permutation that keeps all dependences is taken
//! ```
//!
//! Loads are placed where their values are first needed and stores right after theirs: compilers move neither.

pub(crate) mod core;
mod cost;
mod graph;
mod list;
pub(crate) mod overwritten;
#[cfg(test)]
mod tests;

use cost::Model;
use graph::Run;
use list::Weights;
use std::fmt;
use std::str::FromStr;
use usuba_machine::program::{Block, Carried, Function, Program, RegisterId, Step};
use usuba_target::Target;

/// Runs, and modules to try every order for, longer than this try only the first of the orders: the search is quadratic in the window.
pub(crate) const LONG: usize = 12_000;
/// So many rows are tried for [`LONG`] runs.
const FOR_LONG: usize = 3;

/// How the steps of a run are ordered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Scheduling(Option<u8>);

/// A way to order a run.
struct Row {
    name: &'static str,
    purpose: &'static str,
    run: fn(&Run, usize) -> Vec<usize>,
}

impl Row {
    fn order(&self, run: &Run, registers: usize) -> Vec<usize> {
        if self.name == Scheduling::SOURCE.name() {
            return (self.run)(run, registers);
        }
        run.reordered(&run.settled(), |run| (self.run)(run, registers))
    }
}

/// All orders. Those that come first are preferred where the model sees no difference.
#[rustfmt::skip]
const ORDERS: &[Row] = &[
    Row { name: "source",      run: |run, _| (0..run.nodes.len()).collect(),
          purpose: "As the selection wrote it" },
    Row { name: "demand",      run: |run, registers| list::on_demand(run, registers),
          purpose: "Each step when something wants it, from the last steps on (published for bitsliced code)" },
    Row { name: "pressure",    run: |run, registers| list::least_pressure(run, registers, Weights { window: 160, recency: 0.5, distance: 0.02 }),
          purpose: "Few values at once, near the source" },
    Row { name: "pressure-2",  run: |run, registers| list::least_pressure(run, registers, Weights { window: 600, recency: 2.0, distance: 0.005 }),
          purpose: "Few values at once, fresh operands, farther from the source" },
    Row { name: "pressure-3",  run: |run, registers| list::least_pressure(run, registers, Weights { window: 600, recency: 4.0, distance: 0.005 }),
          purpose: "The same, with more weight on fresh operands" },
    Row { name: "pressure-4",  run: |run, registers| list::least_pressure(run, registers, Weights { window: 600, recency: 0.5, distance: 0.001 }),
          purpose: "The same, with less weight on the source" },
    Row { name: "pressure-5",  run: |run, registers| list::least_pressure(run, registers, Weights { window: 2000, recency: 1.0, distance: 0.0002 }),
          purpose: "The same, with little weight on the source" },
    Row { name: "pressure-6",  run: |run, registers| list::least_pressure(run, registers, Weights { window: 160, recency: 4.0, distance: 0.005 }),
          purpose: "Few values at once, fresh operands, near the source" },
    Row { name: "pressure-7",  run: |run, registers| run.reordered(&list::on_demand(run, registers), |run| list::least_pressure(run, registers, Weights { window: 160, recency: 2.0, distance: 0.02 })),
          purpose: "Few values at once, near the order of `demand`" },
    Row { name: "latency",     run: |run, registers| list::longest_chain(run, registers, 400, registers.saturating_sub(3)),
          purpose: "Long chains first, while registers are free" },
    Row { name: "latency-2",   run: |run, registers| list::longest_chain(run, registers, 100, registers.saturating_sub(6)),
          purpose: "Long chains first, near the source, with some registers kept free" },
    Row { name: "latency-3",   run: |run, registers| list::longest_chain(run, registers, 400, 2 * registers),
          purpose: "Long chains first, whatever the registers" },
    Row { name: "behind",      run: |run, registers| list::look_behind(run, registers, 10),
          purpose: "What depends on none of the last ten steps (published for m-sliced code)" },
];

impl Scheduling {
    /// The one that the model of the machine finds best, run by run.
    pub const AUTO: Scheduling = Scheduling(None);
    /// As the selection wrote it.
    pub const SOURCE: Scheduling = Scheduling(Some(0));

    /// All orders but [`Scheduling::AUTO`], always in the same sequence: what a search can try.
    pub fn all() -> impl Iterator<Item = Scheduling> {
        (0..ORDERS.len() as u8).map(|place| Scheduling(Some(place)))
    }

    /// Its name, as [`Scheduling::from_str`] reads it.
    pub fn name(self) -> &'static str {
        self.row().map_or("auto", |row| row.name)
    }

    /// What it does, in a few words.
    pub fn purpose(self) -> &'static str {
        self.row().map_or("The one that a model of the machine finds best, block by block", |row| row.purpose)
    }

    fn row(self) -> Option<&'static Row> {
        self.0.and_then(|place| ORDERS.get(usize::from(place)))
    }
}

impl fmt::Display for Scheduling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Scheduling {
    type Err = String;

    fn from_str(text: &str) -> Result<Scheduling, String> {
        if text == "auto" {
            return Ok(Scheduling::AUTO);
        }
        Scheduling::all().find(|order| order.name() == text).ok_or_else(|| {
            let names: Vec<&str> = Scheduling::all().map(Scheduling::name).collect();
            format!("no order is called `{text}`; there are auto, {}", names.join(", "))
        })
    }
}

/// The number of steps of a program.
pub(crate) fn steps(program: &Program) -> usize {
    fn of(block: &Block) -> usize {
        let inner = block.steps.iter().map(|step| match step {
            Step::Loop(looped) => of(&looped.body),
            _ => 1,
        });
        inner.sum()
    }
    program.functions.iter().map(|function| of(&function.body)).sum()
}

/// Orders the steps of a function. Cost: for each candidate, the steps times those that are ready at once.
pub(crate) fn order(function: &mut Function, target: &Target, order: Scheduling) {
    if order != Scheduling::SOURCE {
        order_runs(function, target, order);
    }
    overwritten::last_first(function);
}

fn order_runs(function: &mut Function, target: &Target, order: Scheduling) {
    let mut constant = vec![false; function.registers.len()];
    function.constant_registers().for_each(|register| constant[register.index()] = true);
    let registers = (target.register_count as usize).max(8);
    let mut orderer = Orderer { model: Model::new(target, registers), order, constant };
    orderer.block(&mut function.body, None);
}

struct Orderer<'a> {
    model: Model<'a>,
    order: Scheduling,
    constant: Vec<bool>,
}

impl Orderer<'_> {
    /// Orders a block. `carried`: of the loop whose body it is.
    fn block(&mut self, block: &mut Block, carried: Option<&[Carried]>) {
        for step in &mut block.steps {
            if let Step::Loop(looped) = step {
                let carried = looped.carried.clone();
                self.block(&mut looped.body, Some(&carried));
            }
        }
        // From the end: which registers are read later.
        let mut read_later = vec![false; self.constant.len()];
        let mut own = vec![false; self.constant.len()];
        for step in &block.steps {
            step.defines(&mut |register| own[register.index()] = true);
        }
        for carried in carried.into_iter().flatten() {
            read_later[carried.next.index()] = true;
            own[carried.register.index()] = true;
        }
        let mut steps = std::mem::take(&mut block.steps);
        let mut end = steps.len();
        while end > 0 {
            let is_plain =
                |step: &Step| matches!(step, Step::Compute { .. } | Step::Load { .. } | Step::Store { .. });
            if !is_plain(&steps[end - 1]) {
                steps[end - 1].reads(&mut |register| read_later[register.index()] = true);
                end -= 1;
                continue;
            }
            let start = steps[..end].iter().rposition(|step| !is_plain(step)).map_or(0, |at| at + 1);
            let whole = start == 0 && end == steps.len();
            let lives_on = |register: RegisterId| {
                read_later[register.index()] || carried.is_some() && !own[register.index()]
            };
            let handed = carried.filter(|_| whole).unwrap_or_default();
            self.run(&mut steps[start..end], lives_on, handed);
            for step in &steps[start..end] {
                step.reads(&mut |register| read_later[register.index()] = true);
            }
            end = start;
        }
        block.steps = steps;
    }

    fn run(&self, steps: &mut [Step], lives_on: impl Fn(RegisterId) -> bool, carried: &[Carried]) {
        let constant = |register: RegisterId| self.constant[register.index()];
        let run = Run::of(steps, lives_on, constant, carried);
        let best = match self.order.row() {
            Some(row) => Some(row.order(&run, self.model.registers)),
            None => self.best(&run),
        };
        // An order is a search: it is taken only if it is one.
        let Some(best) = best.filter(|best| graph::is_order_of(&run, best)) else { return };
        let mut old: Vec<Option<Step>> = steps.iter().cloned().map(Some).collect();
        for (place, &number) in best.iter().enumerate() {
            if let Some(step) = old[number].take() {
                steps[place] = step;
            }
        }
    }

    /// The order of least cost; `None` for that of the source.
    fn best(&self, run: &Run) -> Option<Vec<usize>> {
        if run.nodes.len() < 3 {
            return None;
        }
        let rows = if run.nodes.len() > LONG { FOR_LONG } else { ORDERS.len() };
        let mut best: Option<(u64, Vec<usize>)> = None;
        let mut first = None;
        for row in &ORDERS[..rows] {
            let found = row.order(run, self.model.registers);
            let times = self.model.times(run, &found);
            let cost = core::mean(&times, first.get_or_insert_with(|| times.clone()));
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, found));
            }
        }
        best.map(|(_, order)| order)
    }
}
