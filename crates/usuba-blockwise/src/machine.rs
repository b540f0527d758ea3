//! One target: plans as machine functions of one node.

use crate::cut::cut;
use crate::node::{Blocks, CipherNodes, Maker, StepInput};
use crate::plan::{Action, Given, Plan, Refusal, Slot};
use crate::step::Step;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use usuba_algebra::why::Why;
use usuba_codegen::Scheduling;
use usuba_compiler::pipeline::{Failure, Settings, optimised};
use usuba_ir::check::check;
use usuba_ir::layout::Slicing;
use usuba_ir::program::{BinaryOp, Node, NodeId, Program};
use usuba_lang::load::Loaded;
use usuba_machine::program::Function;
use usuba_target::{Instruction, Meaning, Target};

/// Bytes of a block.
const BLOCK: usize = 16;

/// A program on one target.
pub struct Machine<'a> {
    pub(crate) loaded: &'a Loaded,
    /// The machine.
    pub target: &'static Target,
    /// What its code is to be like.
    pub choices: Choices,
    pub(crate) known: &'a Known<'a>,
}

/// The nodes of the ciphers of programs for numbers of registers, or why there are none, made so far: that a cipher is rounds
/// is proved once for all code that calls it, on all targets. It may be of all messages over one cipher, whose nodes have the same
/// names and places in them.
#[derive(Default, Debug)]
pub struct Ciphers {
    made: RefCell<BTreeMap<(String, u32), Made>>,
}

/// The nodes of a cipher, the whole of it last, or why there are none.
type Made = Result<Vec<Node>, Refusal>;

/// What is known of one message: for its code on several targets, on rounds of the cipher and around functions.
#[derive(Debug)]
pub struct Known<'a> {
    ciphers: &'a Ciphers,
    /// Its steps, by their nodes and whether the cipher is functions.
    pub(crate) steps: RefCell<BTreeMap<(String, bool), Rc<Step>>>,
}

impl<'a> Known<'a> {
    /// Nothing yet but what is known of its cipher.
    pub fn over(ciphers: &'a Ciphers) -> Known<'a> {
        Known { ciphers, steps: RefCell::default() }
    }
}

/// What code of a message is to be like, where there is a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Choices {
    /// Whether less code is better than what is faster on some cores only.
    pub is_small: bool,
    /// Whether what the first round makes of counters is kept for a key.
    pub keeps_first_round: bool,
    /// Whether kernels that are functions of their own are assembly, where there is assembly for the target.
    pub is_assembly: bool,
}

impl<'a> Machine<'a> {
    /// Of a program that has been loaded, of whose message this is known.
    pub fn new(loaded: &'a Loaded, target: &'static Target, known: &'a Known<'a>) -> Machine<'a> {
        Machine { loaded, target, choices: Choices::default(), known }
    }

    /// The same with code like this.
    #[must_use]
    pub fn with(self, choices: Choices) -> Machine<'a> {
        Machine { choices, ..self }
    }

    /// Blocks in a register.
    pub fn in_register(&self) -> usize {
        self.target.register_bits as usize / 8 / BLOCK
    }

    /// The blocks of a plan, slot by slot; `next`: the numbers of the position after the last.
    pub(crate) fn slots(
        &self,
        plan: &Plan,
        maker: &mut Maker,
        next: &mut Vec<Blocks>,
    ) -> Result<Vec<Option<Blocks>>, Refusal> {
        let mut slots: Vec<Option<Blocks>> = Vec::new();
        let (mut keys, mut mask) = (BTreeMap::new(), None);
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
                Given::Orbit(map) => {
                    let blocks = maker.each(&format!("each{number}"));
                    let power = map.power((maker.groups() * self.in_register()) as u32);
                    next.push(maker.one(&blocks, |node, block| power.apply(node, block)));
                    Some(blocks)
                }
                Given::Chosen => return Err(Refusal::new("what is chosen by the position's number")),
                Given::Turn => Some(maker.same(&format!("same{number}"))),
                Given::Pattern => Some(maker.each(&format!("each{number}"))),
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
                Action::Last(a, b) => {
                    let (a, b) = (block(*a).ok_or_else(missing)?, block(*b).ok_or_else(missing)?);
                    let mut all = vec![a.values()[0]; maker.groups()];
                    if let Blocks::Each(each) = &a {
                        all.clone_from(each);
                    }
                    let (before, last) = (all.pop().ok_or_else(missing)?, b.values()[b.values().len() - 1]);
                    let last = match self.in_register() {
                        1 => last,
                        _ => {
                            // Ones in the last block of a register.
                            let mask = *mask.get_or_insert_with(|| maker.same("last").values()[0]);
                            let differ = maker.node.binary(BinaryOp::Xor, before, last);
                            let differ = maker.node.binary(BinaryOp::And, differ, mask);
                            maker.node.binary(BinaryOp::Xor, before, differ)
                        }
                    };
                    all.push(last);
                    slots.push(Some(Blocks::Each(all)));
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
        self.ordered(Scheduling::AUTO, nodes, groups, build)
    }

    /// The same, its steps in an order.
    pub(crate) fn ordered(
        &self,
        order: Scheduling,
        nodes: &BTreeSet<String>,
        groups: usize,
        build: &mut dyn FnMut(&mut Maker) -> Result<(), Refusal>,
    ) -> Result<(Function, Vec<String>), Refusal> {
        let mut program = Program { files: Vec::new(), nodes: Vec::new(), interleave: 1 };
        let mut ciphers = BTreeMap::new();
        for node in nodes {
            let (one, parts) = self.cipher_node(node, 1, &mut program)?;
            let (many, of_many) = match groups {
                0 | 1 => (one, None),
                _ => self.cipher_node(node, groups as u32, &mut program)?,
            };
            let (first, rest) = (parts.map(|[first, _]| first), of_many.map(|[_, rest]| rest));
            ciphers.insert(node.clone(), CipherNodes { one, many, first, rest });
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
        let selected = usuba_codegen::select(checked, self.target, order)
            .map_err(|none| Refusal::new(format!("{none:?}")))?;
        let [function] = &selected.functions[..] else {
            return Err(Refusal::new("calls are left"));
        };
        Ok((function.clone(), selected.files.clone()))
    }

    /// Adds the nodes of the cipher for so many registers, and then its two parts ([`cut`]).
    fn cipher_node(
        &self,
        node: &str,
        registers: u32,
        program: &mut Program,
    ) -> Result<(NodeId, Option<[NodeId; 2]>), Refusal> {
        let made = self.cipher(node, registers)?;
        program.files = self.loaded.sources.iter().map(|(_, source)| source.name.clone()).collect();
        let first = program.nodes.len() as u32;
        for mut node in made {
            node.name = format!("{}'{first}", node.name);
            renumber(&mut node, first);
            program.nodes.push(node);
        }
        let whole = NodeId(program.nodes.len() as u32 - 1);
        let parts = program.nodes.last().and_then(cut).map(|parts| {
            parts.map(|part| {
                program.nodes.push(part);
                NodeId(program.nodes.len() as u32 - 1)
            })
        });
        Ok((whole, parts))
    }

    /// The nodes of the cipher for so many registers.
    fn cipher(&self, node: &str, registers: u32) -> Made {
        let key = (node.to_owned(), registers);
        if let Some(made) = self.known.ciphers.made.borrow().get(&key) {
            return made.clone();
        }
        let mut settings = Settings::new(Slicing::BLOCKS, Some(node));
        settings.lowering.rounds = true;
        settings.passes.interleave = Some(registers);
        settings.passes.inline_all = true;
        let made = optimised(self.loaded, &settings, &mut ())
            .map(|(_, made, _)| made.nodes)
            .map_err(|failure| Refusal::new(format!("`{node}` is not in blocks: {}", self.said(&failure))));
        self.known.ciphers.made.borrow_mut().insert(key, made.clone());
        made
    }

    /// Why the pipeline stopped, in a line.
    fn said(&self, failure: &Failure) -> String {
        let found = match failure {
            Failure::Program(findings) => findings.iter().find(|finding| finding.is_error()),
            _ => None,
        };
        match found {
            Some(finding) => Why::new(finding.message.clone(), finding.span).at(&self.loaded.sources),
            None => format!("{failure:?}"),
        }
    }

    pub(crate) fn row(&self, meaning: Meaning, lane: u32) -> Result<&'static Instruction, Refusal> {
        let row = self.target.instruction(meaning, lane);
        row.ok_or_else(|| Refusal::new(format!("{} has no {meaning:?}", self.target.name)))
    }
}

/// Makes a node call nodes whose numbers are higher by so much.
pub(crate) fn renumber(node: &mut Node, by: u32) {
    node.body.operations.iter_mut().for_each(|operation| renumber_calls(operation, by));
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
