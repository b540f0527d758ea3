//! The paths through a function, and what is known at each place, until nothing new comes.

use super::state::{Pointer, State, Step, Trail, Value};
use super::step::{Watch, flags_read, step};
use super::{Findings, Kind, Leak, Place, Secret};
use crate::object::file::{Architecture, Fill, Object, Target, Unreadable};
use iced_x86::{
    Decoder, DecoderOptions, FastFormatter, FlowControl, Instruction, InstructionInfoFactory, Mnemonic,
    OpKind, Register,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Calls that stand in each other.
const DEEPEST: usize = 24;

/// Instructions that are stepped over, counted again when more is known.
const LONGEST: usize = 5_000_000;

/// Turns of a loop that are run one by one, in one call.
const TURNS: u32 = 20_000;

/// The registers of arguments.
const ARGUMENTS: [Register; 6] =
    [Register::RDI, Register::RSI, Register::RDX, Register::RCX, Register::R8, Register::R9];

/// Registers that a callee may change.
const CHANGED: [Register; 9] = [
    Register::RAX,
    Register::RCX,
    Register::RDX,
    Register::RSI,
    Register::RDI,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
];

/// Looks at a function, and all that it calls inside of the object, for what depends on secrets.
///
/// Assumed are: arguments point to memory that does not overlap, or not at all; what they point to holds no secret that is not
/// named; no access to an element of an array on the stack is below its first; addresses of the stack are compared inside of an
/// array alone; functions keep the registers that they have to keep.
///
/// # Errors
/// There is no such function, or the object is not for x86-64.
pub fn check(object: &Object, function: &str, secrets: &[Secret]) -> Result<Findings, Unreadable> {
    if object.architecture != Architecture::X86_64 {
        return Err(Unreadable::Machine(Architecture::X86_64));
    }
    let entry = object.function(function)?;
    let mut analysis = Analysis {
        object,
        factory: InstructionInfoFactory::new(),
        trails: Vec::new(),
        known: HashMap::new(),
        leaks: BTreeMap::new(),
        unknown: BTreeMap::new(),
        seen: BTreeSet::new(),
        steps: 0,
        at: (entry.section, entry.offset),
        link: None,
    };
    let mut state = State::default();
    state.set_register(
        Register::RSP,
        Value { secret: None, pointer: Pointer::Stack { from: 0, exact: true } },
    );
    for (number, register) in ARGUMENTS.into_iter().enumerate() {
        let of = |secret: Secret| secrets.contains(&secret).then_some(secret);
        let argument = of(Secret::Argument(number as u8)).map(|secret| analysis.trail(Step::From(secret)));
        state.set_register(register, Value { secret: argument, pointer: Pointer::Regions(1 << number) });
        if let Some(secret) = of(Secret::Pointee(number as u8)) {
            let trail = analysis.trail(Step::From(secret));
            state.taint(number as u32, trail);
        }
    }
    analysis.run(entry.section, entry.offset, state, 0);
    Ok(analysis.findings())
}

struct Analysis<'a> {
    object: &'a Object,
    factory: InstructionInfoFactory,
    /// What each trail is.
    trails: Vec<Step>,
    known: HashMap<Step, Trail>,
    leaks: BTreeMap<(usize, u64, Kind), Trail>,
    unknown: BTreeMap<(usize, u64), &'static str>,
    seen: BTreeSet<(usize, u64)>,
    steps: usize,
    /// The instruction that is looked at.
    at: (usize, u64),
    /// What it names, if the linker fills that in, or if it is in the same section.
    link: Option<Target>,
}

impl Watch for Analysis<'_> {
    fn leak(&mut self, kind: Kind, trail: Trail) {
        self.leaks.entry((self.at.0, self.at.1, kind)).or_insert(trail);
    }

    fn through(&mut self, trail: Trail) -> Trail {
        self.trail(Step::At(self.at.0, self.at.1, trail))
    }

    fn linked(&self) -> Pointer {
        match self.link {
            Some(Target::Place { section, .. }) if section < 58 => Pointer::Regions(1 << (6 + section)),
            _ => Pointer::Elsewhere,
        }
    }
}

impl Analysis<'_> {
    fn trail(&mut self, step: Step) -> Trail {
        let next = self.trails.len() as Trail;
        let trail = *self.known.entry(step).or_insert(next);
        if trail == next {
            self.trails.push(step);
        }
        trail
    }

    fn decode(&mut self, section: usize, place: u64) -> Option<Instruction> {
        let code = self.object.sections.get(&section).filter(|one| one.is_code)?;
        let bytes = code.bytes.get(place as usize..)?;
        let bytes = &bytes[..bytes.len().min(15)];
        let one = Decoder::with_ip(64, bytes, place, DecoderOptions::NONE).decode();
        if one.is_invalid() {
            return None;
        }
        self.link = None;
        for (&at, relocation) in code.relocations.range(place..one.next_ip()) {
            let beyond = (one.next_ip() - at) as i64;
            self.link = Some(match relocation.target.clone() {
                Target::Place { section, offset } if relocation.fill == Fill::Relative => {
                    Target::Place { section, offset: offset + beyond }
                }
                other => other,
            });
        }
        if self.link.is_none() && one.is_ip_rel_memory_operand() {
            self.link = Some(Target::Place { section, offset: one.ip_rel_memory_address() as i64 });
        }
        Some(one)
    }

    /// Where the function that a place is in begins and ends.
    fn range(&self, section: usize, place: u64) -> (u64, u64) {
        let inside = |one: &&crate::object::file::Function| {
            one.section == section && one.offset <= place && place < one.offset + one.size
        };
        self.object.functions.iter().find(inside).map_or_else(
            || (place, self.object.sections.get(&section).map_or(0, |one| one.bytes.len() as u64)),
            |one| (one.offset, one.offset + one.size),
        )
    }

    /// What is known when the code at a place returns; nothing if it does not.
    fn run(&mut self, section: usize, entry: u64, state: State, depth: usize) -> Option<State> {
        if depth > DEEPEST {
            self.unknown.insert(self.at, "calls stand too deep in each other");
            return None;
        }
        let (from, to) = self.range(section, entry);
        let mut states: BTreeMap<u64, State> = BTreeMap::from([(entry, state)]);
        let mut work = BTreeSet::from([entry]);
        let mut exit: Option<State> = None;
        let mut turns: BTreeMap<u64, u32> = BTreeMap::new();
        while let Some(mut place) = work.pop_first() {
            let Some(mut state) = states.get(&place).cloned() else { continue };
            loop {
                self.at = (section, place);
                self.steps += 1;
                let Some(one) = self.decode(section, place) else {
                    self.unknown.insert(self.at, "the bytes are no instruction");
                    break;
                };
                if self.steps > LONGEST {
                    self.unknown.insert(self.at, "more instructions than are looked at");
                    return exit;
                }
                self.seen.insert(self.at);
                let next = one.next_ip();
                let mut go = None;
                // A jump whose condition is known is followed one way, and its loop run turn by turn.
                let decided = self.decided(&state, &one);
                if let Some(there) = decided.filter(|there| (from..to).contains(there)) {
                    let turn = turns.entry(there).or_insert(0);
                    *turn += u32::from(there <= place);
                    // A loop that nothing ends, as compilers make where nothing comes.
                    if *turn > TURNS {
                        if arrive(&mut states, there, &state) {
                            work.insert(there);
                        }
                        break;
                    }
                    place = there;
                    continue;
                }
                match one.flow_control() {
                    FlowControl::Next => {
                        self.step(&mut state, &one);
                        go = Some(next);
                    }
                    FlowControl::UnconditionalBranch | FlowControl::ConditionalBranch => {
                        if one.flow_control() == FlowControl::ConditionalBranch {
                            self.branch(&mut state, &one);
                            go = Some(next);
                        }
                        match self.link.clone() {
                            Some(Target::Place { section: there, offset }) => {
                                let left = self.run(there, offset as u64, state.clone(), depth + 1);
                                meet(&mut exit, left);
                            }
                            Some(Target::External(name, _)) => {
                                let mut left = state.clone();
                                self.library(&mut left, &name);
                                meet(&mut exit, Some(left));
                            }
                            None => {
                                let target = one.near_branch_target();
                                if (from..to).contains(&target) {
                                    if arrive(&mut states, target, &state) {
                                        work.insert(target);
                                    }
                                } else {
                                    let left = self.run(section, target, state.clone(), depth + 1);
                                    meet(&mut exit, left);
                                }
                            }
                        }
                    }
                    FlowControl::Return => meet(&mut exit, Some(state.clone())),
                    FlowControl::Call => {
                        go = self.call(&mut state, &one, section, depth).then_some(next);
                    }
                    FlowControl::IndirectCall | FlowControl::IndirectBranch => {
                        if let Some(trail) = self.secret_target(&state, &one) {
                            self.leak(Kind::Target, trail);
                        }
                        self.unknown.insert(self.at, "where this goes is not followed");
                        if one.flow_control() == FlowControl::IndirectCall {
                            self.forget(&mut state);
                            go = Some(next);
                        }
                    }
                    FlowControl::Interrupt | FlowControl::Exception => {}
                    _ => {
                        self.unknown.insert(self.at, "this is not followed");
                    }
                }
                let Some(there) = go else { break };
                // Paths meet after jumps of which both ways are taken: else a turn of a loop would meet the one before.
                if one.flow_control() == FlowControl::ConditionalBranch {
                    if arrive(&mut states, there, &state) {
                        work.insert(there);
                    }
                    break;
                }
                place = there;
            }
        }
        exit
    }

    fn step(&mut self, state: &mut State, one: &Instruction) {
        let info = self.factory.info(one).clone();
        step(state, one, &info, self);
    }

    /// Where a jump goes whose condition is known and no secret.
    fn decided(&mut self, state: &State, one: &Instruction) -> Option<u64> {
        if self.link.is_some() || one.op_count() == 0 || one.op_kind(0) != OpKind::NearBranch64 {
            return None;
        }
        match one.flow_control() {
            FlowControl::UnconditionalBranch => Some(one.near_branch_target()),
            FlowControl::ConditionalBranch if flags_read(state, one).is_none() => {
                let holds = state.compared?.holds(one.condition_code())?;
                Some(if holds { one.near_branch_target() } else { one.next_ip() })
            }
            _ => None,
        }
    }

    fn branch(&mut self, state: &mut State, one: &Instruction) {
        let counts = matches!(
            one.mnemonic(),
            Mnemonic::Jrcxz | Mnemonic::Jecxz | Mnemonic::Loop | Mnemonic::Loope | Mnemonic::Loopne
        );
        let secret = match counts {
            true => state.register(Register::RCX).secret,
            false => flags_read(state, one),
        };
        if let Some(trail) = secret {
            self.leak(Kind::Branch, trail);
        }
    }

    fn secret_target(&mut self, state: &State, one: &Instruction) -> Option<Trail> {
        let registers = [Register::None, one.memory_base(), one.memory_index()];
        let named = if one.op_kind(0) == OpKind::Register { one.op_register(0) } else { Register::None };
        let mut all = registers.into_iter().chain([named]).filter(|one| *one != Register::None);
        all.find_map(|register| state.register(register).secret)
    }

    /// A call; whether it returns.
    fn call(&mut self, state: &mut State, one: &Instruction, section: usize, depth: usize) -> bool {
        let pointer = state.register(Register::RSP);
        match self.link.clone() {
            Some(Target::External(name, _)) => {
                self.library(state, &name);
                name != "__stack_chk_fail" && name != "abort" && name != "__assert_fail"
            }
            target => {
                let (there, place) = match target {
                    Some(Target::Place { section, offset }) => (section, offset as u64),
                    _ => (section, one.near_branch_target()),
                };
                let below = pointer.pointer.moved(Some(-8));
                state.store(below, 8, Value::default());
                state.set_register(Register::RSP, Value { secret: None, pointer: below });
                let Some(mut after) = self.run(there, place, state.clone(), depth + 1) else { return false };
                after.set_register(Register::RSP, pointer);
                *state = after;
                true
            }
        }
    }

    /// A function of another object.
    fn library(&mut self, state: &mut State, name: &str) {
        let [to, from, third] = [0, 1, 2].map(|number: usize| state.register(ARGUMENTS[number]));
        let plain = name.trim_start_matches("__").trim_end_matches("_chk");
        match plain {
            "memcpy" | "memmove" | "memset" | "explicit_bzero" | "bzero" => {
                let length = if plain.ends_with("bzero") { from } else { third };
                if let Some(trail) = length.secret {
                    self.leak(Kind::Length, trail);
                }
                let is_copy = plain.starts_with("memcpy") || plain.starts_with("memmove");
                if let Some(trail) = to.secret.or(if is_copy { from.secret } else { None }) {
                    self.leak(Kind::Address, trail);
                }
                let content = match plain {
                    "memset" => from.secret,
                    _ if is_copy => state.secret_behind(from.pointer),
                    _ => None,
                };
                let content = content.map(|trail| self.through(trail));
                state.store(to.pointer.moved(None), 1, Value::number(content));
                self.forget(state);
                state.set_register(Register::RAX, to);
            }
            "stack_chk_fail" | "abort" => {}
            _ => {
                let given = ARGUMENTS.into_iter().find_map(|register| {
                    let value = state.register(register);
                    let is_set = value.pointer != Pointer::Elsewhere;
                    value.secret.or_else(|| state.secret_behind(value.pointer).filter(|_| is_set))
                });
                if let Some(trail) = given {
                    self.leak(Kind::Call(name.to_owned()), trail);
                }
                self.forget(state);
            }
        }
    }

    /// What a function that is not looked at leaves.
    fn forget(&mut self, state: &mut State) {
        CHANGED.into_iter().for_each(|register| state.set_register(register, Value::default()));
        state.flags = [None; 2];
    }

    fn place(&self, (section, offset): (usize, u64)) -> Place {
        let (function, from) = self.object.place(section, offset);
        let code = self.object.sections.get(&section).and_then(|one| one.bytes.get(offset as usize..));
        let mut instruction = String::new();
        if let Some(bytes) = code {
            let one =
                Decoder::with_ip(64, &bytes[..bytes.len().min(15)], offset, DecoderOptions::NONE).decode();
            FastFormatter::new().format(&one, &mut instruction);
        }
        let line = self.object.lines.at(section, offset).cloned();
        Place { function, offset: from, instruction, line }
    }

    fn findings(self) -> Findings {
        let leak = |(&(section, offset, ref kind), &trail): (&(usize, u64, Kind), &Trail)| {
            let mut path = Vec::new();
            let mut at = trail;
            let secret = loop {
                match self.trails[at as usize] {
                    Step::From(secret) => break secret,
                    Step::At(section, offset, before) => {
                        path.push(self.place((section, offset)));
                        at = before;
                    }
                }
            };
            Leak { place: self.place((section, offset)), kind: kind.clone(), path, secret }
        };
        Findings {
            leaks: self.leaks.iter().map(leak).collect(),
            unknown: self.unknown.iter().map(|(&at, &why)| (self.place(at), why)).collect(),
            instructions: self.seen.len(),
        }
    }
}

/// What comes to a place by one more path; whether that is new.
fn arrive(states: &mut BTreeMap<u64, State>, place: u64, state: &State) -> bool {
    match states.get_mut(&place) {
        Some(known) => known.join(state),
        None => states.insert(place, state.clone()).is_none(),
    }
}

fn meet(exit: &mut Option<State>, state: Option<State>) {
    match (exit, state) {
        (Some(known), Some(state)) => {
            known.join(&state);
        }
        (empty, Some(state)) => *empty = Some(state),
        (_, None) => {}
    }
}
