//! What must come before what, in a run of steps without loops and calls.

use std::collections::{BTreeMap, BTreeSet};
use usuba_ir::program::InductionId;
use usuba_machine::program::{Address, Carried, RegionId, RegisterId, Step};
use usuba_target::{Instruction, Meaning};

/// What a step is to an order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// An instruction on registers.
    Compute,
    /// From memory. It stands where its value is first needed, whatever the order.
    Load,
    /// To memory. It stands right after its value, as soon as memory allows.
    Store,
}

/// A step, with its operands and result as numbers of [`Run::values`].
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    /// Each once.
    pub(crate) operands: Vec<usize>,
    pub(crate) result: Option<usize>,
    /// The steps that depend on this one, each once.
    pub(crate) after: Vec<usize>,
    /// How many steps this one depends on.
    pub(crate) before: usize,
    pub(crate) latency: u32,
    pub(crate) ports: u16,
    /// Whether the machine writes the result over the first operand.
    pub(crate) overwrites: bool,
    pub(crate) row: &'static Instruction,
}

/// A value that a run makes or reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Value {
    /// The step that makes it; `None` for one from before the run.
    pub(crate) made_by: Option<usize>,
    /// The steps that read it, in the order of the source.
    pub(crate) used_by: Vec<usize>,
    /// Whether something after the run reads it.
    pub(crate) lives_on: bool,
    /// Whether it can be had from memory at any time: a load or a constant.
    pub(crate) clean: bool,
}

/// A run of steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    pub(crate) nodes: Vec<Node>,
    pub(crate) values: Vec<Value>,
    /// Values that the last steps of a loop hand to the first ones of its next time: made, read.
    pub(crate) carried: Vec<(usize, usize)>,
}

/// The last store to a place, and the loads since.
type Last = (Option<usize>, Vec<usize>);

/// The accesses to one region so far.
#[derive(Default)]
struct Accesses {
    /// By multiples of inductions, then by constant: the last store there and the loads since.
    groups: BTreeMap<Vec<(InductionId, i64)>, BTreeMap<i64, Last>>,
}

impl Accesses {
    /// Notes an access and gives the ones that must come before it. Elements whose addresses differ by a constant are
    /// different; anything else may be the same.
    fn meet(&mut self, address: &Address, node: usize, stores: bool, before: &mut Vec<usize>) {
        for (terms, group) in &self.groups {
            let same = *terms == address.index.terms;
            let places: Box<dyn Iterator<Item = &Last>> = if same {
                Box::new(group.get(&address.index.constant).into_iter())
            } else {
                Box::new(group.values())
            };
            for (store, loads) in places {
                before.extend(store);
                if stores {
                    before.extend(loads);
                }
            }
        }
        let group = self.groups.entry(address.index.terms.clone()).or_default();
        let place = group.entry(address.index.constant).or_default();
        if stores {
            *place = (Some(node), Vec::new());
        } else {
            place.1.push(node);
        }
    }
}

impl Run {
    /// The run of these steps: computations, loads and stores only. `lives_on`: whether something after them reads a
    /// register; `constant`: whether a register is a constant; `carried`: of the loop whose whole body this is.
    pub(crate) fn of(
        steps: &[Step],
        lives_on: impl Fn(RegisterId) -> bool,
        constant: impl Fn(RegisterId) -> bool,
        carried: &[Carried],
    ) -> Run {
        let mut run = Run::default();
        let mut known: BTreeMap<RegisterId, usize> = BTreeMap::new();
        let mut memory: BTreeMap<RegionId, Accesses> = BTreeMap::new();
        for (number, step) in steps.iter().enumerate() {
            let (row, kind, reads, writes) = match step {
                Step::Compute { row, operands, result, .. } => {
                    (*row, Kind::Compute, operands.as_slice(), Some(*result))
                }
                Step::Load { row, result, .. } => (*row, Kind::Load, [].as_slice(), Some(*result)),
                Step::Store { row, value, .. } => (*row, Kind::Store, std::slice::from_ref(value), None),
                _ => continue,
            };
            let mut before = Vec::new();
            let mut operands = Vec::new();
            for &register in reads {
                let value = *known.entry(register).or_insert_with(|| {
                    let clean = constant(register);
                    run.values.push(Value { lives_on: lives_on(register), clean, ..Value::default() });
                    run.values.len() - 1
                });
                if !operands.contains(&value) {
                    operands.push(value);
                    run.values[value].used_by.push(number);
                    before.extend(run.values[value].made_by);
                }
            }
            if let Step::Load { address, .. } | Step::Store { address, .. } = step {
                memory.entry(address.region).or_default().meet(
                    address,
                    number,
                    kind == Kind::Store,
                    &mut before,
                );
            }
            let result = writes.map(|register| {
                run.values.push(Value {
                    made_by: Some(number),
                    lives_on: lives_on(register),
                    clean: kind == Kind::Load,
                    ..Value::default()
                });
                known.insert(register, run.values.len() - 1);
                run.values.len() - 1
            });
            before.sort_unstable();
            before.dedup();
            for &other in &before {
                run.nodes[other].after.push(number);
            }
            run.nodes.push(Node {
                kind,
                operands,
                result,
                after: Vec::new(),
                before: before.len(),
                latency: u32::from(row.latency.max(1)),
                ports: row.ports,
                overwrites: row.meaning == Meaning::Ternary,
                row,
            });
        }
        run.carried = carried
            .iter()
            .filter_map(|carried| Some((*known.get(&carried.next)?, *known.get(&carried.register)?)))
            .collect();
        run
    }

    /// The order of the source, but for results of the run, which follow what they are made of: a permutation of results at
    /// the end of the source says nothing of when to compute them.
    pub(crate) fn settled(&self) -> Vec<usize> {
        let made_by = |value: &usize| {
            let maker = self.values[*value].made_by?;
            (self.nodes[maker].kind == Kind::Compute).then_some(maker)
        };
        let mut keys: Vec<usize> = (0..self.nodes.len()).collect();
        for (number, node) in self.nodes.iter().enumerate() {
            let is_read = node.result.is_some_and(|result| !self.values[result].used_by.is_empty());
            let Some(newest) = node.operands.iter().filter_map(made_by).max() else { continue };
            if is_read {
                continue;
            }
            keys[number] = keys[newest];
            // So do the loads that only they read.
            for &value in &node.operands {
                if let (Some(maker), [_]) =
                    (self.values[value].made_by, self.values[value].used_by.as_slice())
                    && self.nodes[maker].kind == Kind::Load
                {
                    keys[maker] = keys[newest];
                }
            }
        }
        let mut missing: Vec<usize> = self.nodes.iter().map(|node| node.before).collect();
        let free = (0..missing.len()).filter(|&number| missing[number] == 0);
        let mut ready: BTreeSet<(usize, usize)> = free.map(|number| (keys[number], number)).collect();
        let mut order = Vec::with_capacity(missing.len());
        while let Some((_, number)) = ready.pop_first() {
            order.push(number);
            for &after in &self.nodes[number].after {
                missing[after] -= 1;
                if missing[after] == 0 {
                    ready.insert((keys[after], after));
                }
            }
        }
        order
    }

    /// An order that `find` makes of this run with its steps already in another order, `first`.
    pub(crate) fn reordered(&self, first: &[usize], find: impl Fn(&Run) -> Vec<usize>) -> Vec<usize> {
        find(&self.permuted(first)).into_iter().map(|at| first[at]).collect()
    }

    /// This run with its steps in another order.
    fn permuted(&self, first: &[usize]) -> Run {
        let mut place = vec![0; first.len()];
        first.iter().enumerate().for_each(|(at, &number)| place[number] = at);
        let moved = |list: &[usize]| {
            let mut moved: Vec<usize> = list.iter().map(|&number| place[number]).collect();
            moved.sort_unstable();
            moved
        };
        let nodes = first.iter().map(|&number| {
            let node = &self.nodes[number];
            Node { after: moved(&node.after), ..node.clone() }
        });
        let values = self.values.iter().map(|value| Value {
            made_by: value.made_by.map(|number| place[number]),
            used_by: moved(&value.used_by),
            ..value.clone()
        });
        Run { nodes: nodes.collect(), values: values.collect(), carried: self.carried.clone() }
    }

    /// For each step, the cycles from its start to the end of the run along its longest chain.
    pub(crate) fn heights(&self) -> Vec<u32> {
        let mut heights = vec![0; self.nodes.len()];
        for (number, node) in self.nodes.iter().enumerate().rev() {
            let below = node.after.iter().map(|&after| heights[after]).max().unwrap_or(0);
            // A store ends nothing that anyone waits for.
            heights[number] = below + if node.kind == Kind::Store { 0 } else { node.latency };
        }
        heights
    }
}

/// Whether an order names every step once, and none before what it depends on.
pub(crate) fn is_order_of(run: &Run, order: &[usize]) -> bool {
    let mut place = vec![usize::MAX; run.nodes.len()];
    for (at, &number) in order.iter().enumerate() {
        match place.get_mut(number) {
            Some(free) if *free == usize::MAX => *free = at,
            _ => return false,
        }
    }
    order.len() == run.nodes.len()
        && run
            .nodes
            .iter()
            .enumerate()
            .all(|(number, node)| node.after.iter().all(|&after| place[number] < place[after]))
}
