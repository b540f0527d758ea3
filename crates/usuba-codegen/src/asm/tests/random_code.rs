//! Random linear code: loops that carry values and write arrays, more values than registers.

use super::super::Machine;
use super::super::linear::{Carried, Item, Known, Linear, Loop, Value, WHOLE};
use usuba_ir::program::{Affine, InductionId};
use usuba_ir::random::Random;
use usuba_machine::program::{Address, Element, Length, Region, RegionId, RegisterType, Role};
use usuba_target::{Instruction, Meaning, Target};

const ATOMS: u32 = 12;

struct Writer {
    random: Random,
    linear: Linear,
    /// What can be used here.
    visible: Vec<Value>,
    open: Vec<usize>,
    target: &'static Target,
    /// Bits of an element of the uniform region.
    uniform: u32,
    /// Values to make before the code may end.
    budget: u32,
}

/// Code of a seed. Regions: 0 and 1 inputs, 2 uniform, 3 and 4 outputs, 5 and 6 local.
pub(super) fn random_code(seed: u64, target: &'static Target, machine: Machine) -> Linear {
    let roles =
        [Role::Input, Role::Input, Role::Uniform, Role::Output, Role::Output, Role::Local, Role::Local];
    let region = |&role: &Role| {
        let element = match role {
            Role::Uniform => Element::Scalars { bits: machine.uniform, count: 1 },
            _ => Element::Register(RegisterType::Vector { bits: machine.shape_bits, lane: 0 }),
        };
        Region { name: "b".into(), role, element, length: Length::Constant(4 * ATOMS) }
    };
    let regions: Vec<Region> = roles.iter().map(region).collect();
    let bytes = (machine.shape_bits / 8) as usize;
    let linear = Linear { regions, parameters: (0..5).map(RegionId).collect(), bytes, ..Linear::default() };
    let mut random = Random::new(seed);
    let most = if random.once_in(4) { 150 } else { 40 };
    let budget = 4 + random.below(most);
    let uniform = machine.uniform;
    let mut writer =
        Writer { random, linear, visible: Vec::new(), open: Vec::new(), target, uniform, budget };
    for constant in [0x00, 0xff, 0x5a] {
        let value = writer.value();
        writer.linear.values[value.index()].constant = Some(vec![constant; bytes]);
        writer.visible.push(value);
    }
    // The local arrays have content before they are read.
    for region in [5, 6] {
        for atom in 0..ATOMS {
            let value = writer.input();
            writer.store(region, Affine::constant(i64::from(atom)), value);
        }
    }
    while writer.budget > 0 {
        writer.step();
    }
    for atom in 0..4 {
        let value = writer.pick();
        writer.store(3, Affine::constant(atom), value);
    }
    writer.linear
}

impl Writer {
    fn row(&self, meaning: Meaning, lane: u32) -> &'static Instruction {
        self.target.instruction(meaning, lane).expect("every vector of x86 has it")
    }

    fn value(&mut self) -> Value {
        self.linear.values.push(Known::default());
        Value(self.linear.values.len() as u32 - 1)
    }

    fn pick(&mut self) -> Value {
        let count = self.visible.len() as u32;
        // The young ones more often, so that the others live long.
        let recent = count - self.random.below(count.min(12)) - 1;
        let any = self.random.below(count);
        let place = if self.random.once_in(3) { any } else { recent };
        self.visible[place as usize]
    }

    /// An index below four times the number of atoms, steady or not.
    fn index(&mut self) -> Affine {
        let mut index = Affine::constant(i64::from(self.random.below(ATOMS)));
        for place in 0..self.open.len() {
            let looped = &self.linear.loops[self.open[place]];
            let (induction, trips) = (looped.induction, i64::from(looped.trips));
            match self.random.below(32) {
                0..=15 => index.terms.push((induction, 1)),
                16 => index.terms.push((induction, 2)),
                17 => {
                    index.terms.push((induction, -1));
                    index.constant += trips;
                }
                _ => {}
            }
        }
        index
    }

    fn input(&mut self) -> Value {
        let region = RegionId(self.random.below(3));
        let index = self.index();
        self.load(region, index)
    }

    fn load(&mut self, region: RegionId, index: Affine) -> Value {
        let uniform = self.linear.regions[region.index()].role == Role::Uniform;
        let row = if uniform { self.row(Meaning::Broadcast, self.uniform) } else { &WHOLE };
        let result = self.value();
        self.linear.items.push(Item::Load { row, result, address: Address { region, index } });
        self.visible.push(result);
        result
    }

    fn store(&mut self, region: u32, index: Affine, value: Value) {
        let address = Address { region: RegionId(region), index };
        self.linear.items.push(Item::Store { address, value });
    }

    fn step(&mut self) {
        self.budget = self.budget.saturating_sub(1);
        match self.random.below(16) {
            0..=2 => {
                self.input();
            }
            3 => {
                let (region, atom) = (5 + self.random.below(2), self.random.below(ATOMS));
                self.load(RegionId(region), Affine::constant(i64::from(atom)));
            }
            4 => {
                let value = self.pick();
                let (region, index) = (3 + self.random.below(4), self.index());
                self.store(region, index, value);
            }
            5 if self.open.len() < 2 => self.looped(),
            _ => self.compute(),
        }
    }

    fn compute(&mut self) {
        use Meaning::*;
        let ternary = self.target.instruction(Ternary, 0).is_some();
        let (meaning, lane, immediate) = match self.random.below(10) {
            0 => (ShiftLeft, 32, Some(1 + self.random.below(31))),
            1 => (ShuffleWords, 32, Some(self.random.below(256))),
            2 => (NotAnd, 0, None),
            3 => (Add, 32, None),
            4 => (Subtract, 64, None),
            5 | 6 => (And, 0, None),
            7 | 8 if ternary => (Ternary, 0, Some(self.random.below(256))),
            _ => (Xor, 0, None),
        };
        let (row, count) = (self.row(meaning, lane), meaning.operands());
        let operands = (0..count).map(|_| self.pick()).collect();
        let result = self.value();
        self.linear.items.push(Item::Compute { row, result, operands, immediate });
        self.visible.push(result);
    }

    fn looped(&mut self) {
        let number = self.linear.loops.len();
        let trips = 1 + self.random.below(4);
        let induction = InductionId(number as u32);
        let most = if self.random.once_in(6) { 40 } else { 5 };
        let count = self.random.below(most);
        let initial: Vec<Value> = (0..count).map(|_| self.pick()).collect();
        let begin = self.linear.items.len();
        self.linear.loops.push(Loop { induction, trips, carried: Vec::new(), begin, end: 0 });
        self.linear.items.push(Item::Begin(number));
        let visible = self.visible.len();
        let inside: Vec<Value> = initial.iter().map(|_| self.value()).collect();
        self.visible.extend(&inside);
        self.open.push(number);
        for _ in 0..1 + self.random.below(25) {
            self.step();
        }
        self.open.pop();
        let next: Vec<Value> = initial.iter().map(|_| self.pick()).collect();
        self.visible.truncate(visible);
        self.linear.loops[number].end = self.linear.items.len();
        self.linear.items.push(Item::End(number));
        for ((&initial, &inside), &next) in initial.iter().zip(&inside).zip(&next) {
            let after = self.value();
            self.visible.push(after);
            self.linear.loops[number].carried.push(Carried { initial, inside, next, after });
        }
    }
}
