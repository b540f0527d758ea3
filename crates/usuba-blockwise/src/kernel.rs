//! A loop over the positions of a message as a function: whole registers of blocks, several at once where there are many.

use crate::node::{Blocks, CipherNodes, Maker, StepInput};
use crate::place::Places;
use crate::splice::Argument;
use crate::step;
use crate::writer::Writer;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use usuba_codegen::Scheduling;
use usuba_compiler::pipeline::{Settings, optimised};
use usuba_ir::check::check;
use usuba_ir::layout::Slicing;
use usuba_ir::program::{Affine, BinaryOp, NodeId};
use usuba_lang::load::Loaded;
use usuba_machine::program::{
    Block, Carried, Function, Length, Loop, Parameter, Program, Public, RegionId, RegisterId, Role, Step,
    Trips,
};
use usuba_target::{Instruction, Meaning, Target};

/// Bytes of a block.
const BLOCK: usize = 16;

/// What a loop is given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Given {
    /// Sixteen bytes for each position, one after the other.
    Each,
    /// Sixteen bytes that are the same for all positions.
    Same,
    /// A little-endian number of 64 bits, in sixteen bytes: that of the first position, from which it goes up by one.
    Number,
    /// Round keys, in rows of sixteen bytes.
    Keys(u32),
    /// Sixteen bytes that go from one position to the next, and are there after the last.
    Carried,
}

/// A number of a block in a [`Plan`]: what it is given, then what the actions make, in order.
pub type Slot = usize;

/// What is done for a position.
#[derive(Clone, Debug)]
pub enum Action {
    /// A step, of blocks and where the bits of its inputs lie in them; it makes the blocks of its outputs.
    Step(Rc<step::Step>, Vec<(Slot, Places)>),
    /// An operation on two blocks.
    Binary(BinaryOp, Slot, Slot),
    /// The complement.
    Not(Slot),
}

/// What a loop does for each position, or a step by itself.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// What it is given, in order.
    pub given: Vec<Given>,
    /// What is done, in order.
    pub actions: Vec<Action>,
    /// The blocks that it makes for each position, in order.
    pub results: Vec<Slot>,
    /// What each [`Given::Carried`] is in the next position, in order.
    pub next: Vec<Slot>,
}

impl Plan {
    /// The nodes of the cipher that it calls.
    pub(crate) fn ciphers(&self) -> BTreeSet<String> {
        let steps = self.actions.iter().filter_map(|action| match action {
            Action::Step(step, _) => Some(step),
            _ => None,
        });
        let node = |value: &step::Value| match value {
            step::Value::Cipher { node, .. } => Some(node.clone()),
            _ => None,
        };
        steps.flat_map(|step| &step.values).filter_map(node).collect()
    }

    /// The results, then what is carried, among the blocks of all slots.
    pub(crate) fn made(&self, slots: &[Option<Blocks>]) -> Result<Vec<Blocks>, Refusal> {
        let block = |slot: &Slot| slots.get(*slot).cloned().flatten();
        let all = self.results.iter().chain(&self.next).map(block).collect::<Option<Vec<_>>>();
        all.ok_or_else(|| Refusal::new("a result that is no block"))
    }
}

/// Why there is no code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal(pub String);

impl Refusal {
    pub(crate) fn new(why: impl Into<String>) -> Refusal {
        Refusal(why.into())
    }
}

/// A program on one target.
pub struct Machine<'a> {
    loaded: &'a Loaded,
    /// The machine.
    pub target: &'static Target,
}

impl<'a> Machine<'a> {
    /// Of a program that has been loaded.
    pub fn new(loaded: &'a Loaded, target: &'static Target) -> Machine<'a> {
        Machine { loaded, target }
    }

    /// Blocks in a register.
    pub fn in_register(&self) -> usize {
        self.target.register_bits as usize / 8 / BLOCK
    }

    /// The program of Usuba0 whose entry does a plan for so many registers of positions; if more follow, its last outputs are
    /// their first numbers.
    fn body(&self, plan: &Plan, groups: usize, goes_on: bool) -> Result<(Function, Vec<String>), Refusal> {
        self.function(&plan.ciphers(), groups, &mut |maker| {
            let mut next = Vec::new();
            let slots = self.slots(plan, maker, &mut next)?;
            for (number, blocks) in plan.made(&slots)?.into_iter().enumerate() {
                let blocks = match blocks {
                    Blocks::Same(value) if groups > 1 => Blocks::Each(vec![value; groups]),
                    other => other,
                };
                maker.output(&format!("result{number}"), &blocks);
            }
            for (number, blocks) in next.iter().enumerate().filter(|_| goes_on) {
                maker.output(&format!("next{number}"), blocks);
            }
            Ok(())
        })
    }

    /// The blocks of a plan, slot by slot; `next`: the numbers of the position after the last.
    pub(crate) fn slots(
        &self,
        plan: &Plan,
        maker: &mut Maker,
        next: &mut Vec<Blocks>,
    ) -> Result<Vec<Option<Blocks>>, Refusal> {
        let mut slots: Vec<Option<Blocks>> = Vec::new();
        let mut keys = BTreeMap::new();
        for (number, given) in plan.given.iter().enumerate() {
            slots.push(match given {
                Given::Each => Some(maker.each(&format!("each{number}"))),
                Given::Same | Given::Carried => Some(maker.same(&format!("same{number}"))),
                Given::Number => {
                    let first = maker.same(&format!("number{number}"));
                    let (numbers, after) = maker.numbers(&first, self.in_register() as u64);
                    next.push(after);
                    Some(numbers)
                }
                Given::Keys(rows) => {
                    keys.insert(number, maker.keys(&format!("keys{number}"), *rows));
                    None
                }
            });
        }
        for action in &plan.actions {
            let block = |slot: Slot| slots.get(slot).cloned().flatten();
            let missing = || Refusal::new("a block that is not there");
            match action {
                Action::Step(step, inputs) => {
                    let of_step = inputs
                        .iter()
                        .enumerate()
                        .filter_map(|(place, (slot, _))| keys.get(slot).map(|keys| (place, *keys)));
                    let of_step = of_step.collect();
                    let is_number = |slot: &Slot| plan.given.get(*slot) == Some(&Given::Number);
                    let inputs: Vec<StepInput> = inputs
                        .iter()
                        .map(|(slot, places)| StepInput {
                            blocks: block(*slot),
                            places: places.clone(),
                            clean: !is_number(slot),
                        })
                        .collect();
                    let made = maker
                        .step(step, &inputs, &of_step)
                        .ok_or_else(|| Refusal::new("a step that is more than a block"))?;
                    slots.extend(made.into_iter().map(Some));
                }
                Action::Binary(op, a, b) => {
                    let (a, b) = (block(*a).ok_or_else(missing)?, block(*b).ok_or_else(missing)?);
                    slots.push(Some(maker.two(&a, &b, |node, a, b| node.binary(*op, a, b))));
                }
                Action::Not(a) => {
                    let a = block(*a).ok_or_else(missing)?;
                    slots.push(Some(maker.one(&a, |node, a| node.not(a))));
                }
            }
        }
        Ok(slots)
    }

    /// A machine function of one node, which `build` makes for so many registers of positions; it may call these ciphers.
    pub(crate) fn function(
        &self,
        nodes: &BTreeSet<String>,
        groups: usize,
        build: &mut dyn FnMut(&mut Maker) -> Result<(), Refusal>,
    ) -> Result<(Function, Vec<String>), Refusal> {
        let mut program = usuba_ir::program::Program { files: Vec::new(), nodes: Vec::new(), interleave: 1 };
        let mut ciphers = BTreeMap::new();
        for node in nodes {
            let one = self.cipher_node(node, 1, &mut program)?;
            let many = if groups > 1 { self.cipher_node(node, groups as u32, &mut program)? } else { one };
            ciphers.insert(node.clone(), CipherNodes { one, many });
        }
        let mut maker = Maker::new("Positions", groups, ciphers);
        build(&mut maker)?;
        program.nodes.push(maker.finish());
        let settings = usuba_opt::pass::Settings {
            inline_all: true,
            interleave: Some(1),
            ..usuba_opt::pass::Settings::default()
        };
        usuba_opt::passes::optimise(&mut program, &settings, &mut ());
        let checked =
            check(&program).map_err(|flaws| Refusal::new(format!("malformed: {:?}", flaws.first())))?;
        let selected = usuba_codegen::select(checked, self.target, Scheduling::AUTO)
            .map_err(|none| Refusal::new(format!("{none:?}")))?;
        let [function] = &selected.functions[..] else {
            return Err(Refusal::new("calls are left"));
        };
        Ok((function.clone(), selected.files.clone()))
    }

    /// Adds the nodes of the cipher for so many registers.
    fn cipher_node(
        &self,
        node: &str,
        registers: u32,
        program: &mut usuba_ir::program::Program,
    ) -> Result<NodeId, Refusal> {
        let mut settings = Settings::new(Slicing::BLOCKS, Some(node));
        settings.lowering.rounds = true;
        settings.passes.interleave = Some(registers);
        settings.passes.inline_all = true;
        let (_, made, _) = optimised(self.loaded, &settings, &mut ())
            .map_err(|failure| Refusal::new(format!("`{node}` is not in blocks: {failure:?}")))?;
        program.files.clone_from(&made.files);
        let first = program.nodes.len() as u32;
        for mut node in made.nodes {
            node.name = format!("{}'{first}", node.name);
            for operation in &mut node.body.operations {
                renumber_calls(operation, first);
            }
            program.nodes.push(node);
        }
        Ok(NodeId(program.nodes.len() as u32 - 1))
    }

    pub(crate) fn row(&self, meaning: Meaning, lane: u32) -> Result<&'static Instruction, Refusal> {
        let row = self.target.instruction(meaning, lane);
        row.ok_or_else(|| Refusal::new(format!("{} has no {meaning:?}", self.target.name)))
    }

    /// A function that does a plan once: `name(given…, results…)`, all of them 16 bytes but the round keys. Of a register that
    /// has several blocks all are the same; the target should have registers of one.
    ///
    /// # Errors
    /// The target lacks something, or the plan is beyond blocks.
    pub fn single(&self, plan: &Plan, name: &str) -> Result<Program, Refusal> {
        let (body, files) = self.body(plan, 1, false)?;
        let mut writer = Writer::new(self, name);
        let given: Vec<RegionId> = plan.given.iter().map(|given| writer.given(given, None)).collect();
        let results: Vec<RegionId> = plan
            .results
            .iter()
            .map(|_| writer.region("result", Role::Output, Length::Constant(BLOCK as u32)))
            .collect();
        let mut steps = Vec::new();
        let mut arguments = Vec::new();
        for (one, &region) in plan.given.iter().zip(&given) {
            arguments.push(match one {
                Given::Keys(_) => Argument::Memory(region),
                _ => Argument::Registers(vec![writer.load_same(region, &mut steps)?]),
            });
        }
        arguments.extend(vec![Argument::Results; results.len()]);
        let spliced = writer.splice(&body, &arguments, &BTreeSet::new())?;
        steps.extend(spliced.before);
        steps.extend(spliced.steps);
        for (registers, &region) in spliced.results.iter().zip(&results) {
            let value = *registers.first().ok_or_else(|| Refusal::new("a result without a register"))?;
            steps.push(writer.store(region, Affine::constant(0), value)?);
        }
        writer.function.body = Block { locals: spliced.locals, steps };
        Ok(writer.finish(files))
    }

    /// A function that does a plan for many positions: `name(given…, bytes, results…)`. So many bytes are the positions: whole
    /// registers of blocks. `groups` registers are computed at once as long as there are so many.
    ///
    /// # Errors
    /// The target lacks something, or the plan is beyond blocks.
    pub fn positions(&self, plan: &Plan, name: &str, groups: usize) -> Result<Program, Refusal> {
        let ((many, files), (one, _)) = (self.body(plan, groups, true)?, self.body(plan, 1, true)?);
        let mut writer = Writer::new(self, name);
        let bytes = writer.count("bytes");
        let given: Vec<RegionId> = plan.given.iter().map(|given| writer.given(given, Some(bytes))).collect();
        writer.function.parameters.push(Parameter::Register(bytes));
        let length = Length::Public { count: bytes, factor: 1 };
        let results: Vec<RegionId> =
            plan.results.iter().map(|_| writer.region("result", Role::Output, length)).collect();
        let register = self.target.register_bits / 8;
        let batch = register * groups as u32;
        let mut steps = Vec::new();
        let mut same = BTreeMap::new();
        let mut numbers: Vec<RegisterId> = Vec::new();
        for (number, (one, &region)) in plan.given.iter().zip(&given).enumerate() {
            match one {
                Given::Same => {
                    same.insert(number, writer.load_same(region, &mut steps)?);
                }
                Given::Number => {
                    let first = writer.load_same(region, &mut steps)?;
                    numbers.push(writer.spread(first, &mut steps)?);
                }
                Given::Each | Given::Keys(_) | Given::Carried => {}
            }
        }
        let fixed: BTreeSet<RegisterId> = same.values().copied().collect();
        let batches = writer.public("batches", Public::Quotient { of: bytes, by: batch }, &mut steps);
        let rest = writer.public("rest", Public::Remainder { of: bytes, by: batch }, &mut steps);
        let done = Public::Sum { constant: 0, terms: vec![(bytes, 1), (rest, -1)] };
        let done = writer.public("done", done, &mut steps);
        let turns = writer.public("turns", Public::Quotient { of: rest, by: register }, &mut steps);
        let mut regions = [given.clone(), results.clone()];
        for (turn, (body, trips, groups)) in
            [(&many, batches, groups), (&one, turns, 1)].into_iter().enumerate()
        {
            if turn == 1 {
                // What is left of the strings.
                for region in regions.iter_mut().flatten() {
                    if matches!(writer.function.region(*region).length, Length::Public { .. }) {
                        *region = writer.view(*region, done, rest, &mut steps);
                    }
                }
            }
            let [given, results] = &regions;
            let induction = writer.induction();
            let place = |group: usize| Affine {
                constant: i64::from(register) * group as i64,
                terms: vec![(induction, i64::from(register) * groups as i64)],
            };
            let mut inside = Vec::new();
            let mut arguments = Vec::new();
            let mut carried: Vec<RegisterId> = Vec::new();
            for (number, (one, &region)) in plan.given.iter().zip(given).enumerate() {
                arguments.push(match one {
                    Given::Each => {
                        let mut loaded = Vec::new();
                        for group in 0..groups {
                            loaded.push(writer.load(region, place(group), &mut inside)?);
                        }
                        Argument::Registers(loaded)
                    }
                    Given::Same => Argument::Registers(vec![same[&number]]),
                    Given::Carried => return Err(Refusal::new("what is carried, in a map")),
                    Given::Number => {
                        carried.push(writer.register("number"));
                        Argument::Registers(vec![carried[carried.len() - 1]])
                    }
                    Given::Keys(_) => Argument::Memory(region),
                });
            }
            arguments.extend(vec![Argument::Results; results.len() + carried.len()]);
            let spliced = writer.splice(body, &arguments, &fixed)?;
            steps.extend(spliced.before);
            inside.extend(spliced.steps);
            let (made, next) = spliced.results.split_at(results.len());
            for (registers, &region) in made.iter().zip(results) {
                for (group, &value) in registers.iter().enumerate() {
                    inside.push(writer.store(region, place(group), value)?);
                }
            }
            let next = next.iter().map(|next| next.first().copied());
            let next = next.collect::<Option<Vec<_>>>().unwrap_or_default();
            let goes_on = carried.iter().zip(&numbers).zip(next);
            let goes_on =
                goes_on.map(|((&register, &initial), next)| Carried { register, initial, next }).collect();
            steps.push(Step::Loop(Loop {
                induction,
                trips: Trips::Public(trips),
                carried: goes_on,
                body: Block { locals: spliced.locals, steps: inside },
            }));
            numbers = carried;
        }
        writer.function.body = Block { locals: Vec::new(), steps };
        Ok(writer.finish(files))
    }
}

fn renumber_calls(operation: &mut usuba_ir::program::Operation, by: u32) {
    match &mut operation.op {
        usuba_ir::program::Op::Call(node, _) => node.0 += by,
        usuba_ir::program::Op::Loop(looped) => {
            looped.body.operations.iter_mut().for_each(|operation| renumber_calls(operation, by));
        }
        _ => {}
    }
}
