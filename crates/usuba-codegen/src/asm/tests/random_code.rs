//! Random linear code: loops that carry values and write arrays, more values than registers; public counts, loops that run
//! so many times, strings of bytes and parts of them.

use super::super::Machine;
use super::super::linear::{Carried, Count, Given, Item, Known, Linear, Loop, Value, WHOLE};
use usuba_ir::program::{Affine, InductionId};
use usuba_ir::random::Random;
use usuba_machine::program::{
    Address, Element, Length, Public, Region, RegionId, RegisterId, RegisterType, Role, Trips,
};
use usuba_target::{Instruction, Meaning, Target};

const ATOMS: u32 = 12;

struct Writer {
    random: Random,
    linear: Linear,
    /// What can be used here.
    visible: Vec<Value>,
    /// The counts that can be used here, all small.
    counts: Vec<Count>,
    strings: bool,
    open: Vec<usize>,
    target: &'static Target,
    /// Bits of an element of the uniform region.
    uniform: u32,
    /// Values to make before the code may end.
    budget: u32,
}

/// Code of a seed. Regions: 0 and 1 inputs, 2 uniform, 3 and 4 outputs, 5 and 6 local. In one of two seeds 1 and 4 are strings,
/// and 7 and 8 are views of them.
pub(super) fn random_code(seed: u64, target: &'static Target, machine: Machine) -> Linear {
    let roles =
        [Role::Input, Role::Input, Role::Uniform, Role::Output, Role::Output, Role::Local, Role::Local];
    let mut random = Random::new(seed);
    let (strings, given) = (random.once_in(2), RegisterId(0));
    let region = |(number, &role): (usize, &Role)| {
        let (element, length) = match role {
            Role::Uniform => {
                (Element::Scalars { bits: machine.uniform, count: 1 }, Length::Constant(4 * ATOMS))
            }
            _ if strings && matches!(number, 1 | 4) => {
                (Element::Scalars { bits: 8, count: 1 }, Length::Public { count: given, factor: 1 })
            }
            _ => {
                let ty = RegisterType::Vector { bits: machine.shape_bits, lane: 0 };
                (Element::Register(ty), Length::Constant(4 * ATOMS))
            }
        };
        Region { name: "b".into(), role, element, length }
    };
    let mut regions: Vec<Region> = roles.iter().enumerate().map(region).collect();
    let bytes = (machine.shape_bits / 8) as usize;
    let mut parameters: Vec<Given> = (0..5).map(|region| Given::Region(RegionId(region))).collect();
    parameters.push(Given::Count(given));
    let mut items = Vec::new();
    if strings {
        for of in [1, 4] {
            regions.push(regions[of].clone());
            let region = RegionId(regions.len() as u32 - 1);
            items.push(Item::View { region, of: RegionId(of as u32), offset: given });
        }
    }
    let linear = Linear { regions, parameters, items, bytes, counts: vec![None], ..Linear::default() };
    let most = if random.once_in(4) { 150 } else { 40 };
    let budget = 4 + random.below(most);
    let uniform = machine.uniform;
    let mut writer = Writer {
        random,
        linear,
        visible: Vec::new(),
        counts: vec![given],
        strings,
        open: Vec::new(),
        target,
        uniform,
        budget,
    };
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
        self.target.instruction(meaning, lane).expect("every x86 has it")
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
            let (induction, trips) = (looped.induction, i64::from(looped.trips.constant().unwrap_or(4)));
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

    /// The address of an atom; in a string it lies anywhere.
    fn place(&mut self, mut region: RegionId, mut index: Affine) -> Address {
        if self.linear.is_string(region) {
            let bytes = self.linear.bytes as i64;
            index.constant = index.constant * bytes + i64::from(self.random.below(3));
            index.terms.iter_mut().for_each(|(_, coefficient)| *coefficient *= bytes);
            if self.random.once_in(4) {
                region = RegionId(if region.0 == 1 { 7 } else { 8 });
            }
        }
        Address { region, index }
    }

    fn load(&mut self, region: RegionId, index: Affine) -> Value {
        let address = self.place(region, index);
        if self.linear.is_string(region) {
            let row = self.row(Meaning::Broadcast, 8 * self.linear.bytes as u32);
            let result = self.value();
            self.linear.items.push(Item::Load { row, result, address });
            self.visible.push(result);
            return result;
        }
        let uniform = self.linear.regions[region.index()].role == Role::Uniform;
        let row = if uniform { self.row(Meaning::Broadcast, self.uniform) } else { &WHOLE };
        let result = self.value();
        self.linear.items.push(Item::Load { row, result, address });
        self.visible.push(result);
        result
    }

    fn store(&mut self, region: u32, index: Affine, value: Value) {
        let address = self.place(RegionId(region), index);
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
            6 if self.counts.len() < 4 && self.random.once_in(2) => self.count(),
            6 if self.strings => self.part(),
            _ => self.compute(),
        }
    }

    fn compute(&mut self) {
        use Meaning::*;
        let ternary = self.target.instruction(Ternary, 0).is_some();
        let lane = 8 * self.linear.bytes as u32;
        let (meaning, lane, immediate) = match self.random.below(10) {
            0 if self.target.single_lane => (ShiftLeft, lane, Some(1 + self.random.below(31))),
            1 if self.target.single_lane => (RotateLeft, lane, Some(1 + self.random.below(31))),
            2 if self.target.instruction(NotAnd, lane).is_none() => (Not, lane, None),
            2 if self.target.single_lane => (NotAnd, lane, None),
            3 if self.target.single_lane => (Add, lane, None),
            4 if self.target.single_lane => (Subtract, lane, None),
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

    /// A public count, of counts, that is as small as these are.
    fn count(&mut self) {
        let of = self.counts[self.random.below(self.counts.len() as u32) as usize];
        let value = match self.random.below(5) {
            0 => Public::Sum { constant: 0, terms: vec![(of, 1)] },
            1 => Public::Sum { constant: 1, terms: Vec::new() },
            2 => Public::Quotient { of, by: 1 << self.random.below(2) },
            3 => Public::Remainder { of, by: 1 << self.random.below(3) },
            _ => Public::Least { of, bound: self.random.below(4) },
        };
        self.linear.counts.push(None);
        let result = RegisterId(self.linear.counts.len() as u32 - 1);
        self.linear.items.push(Item::Count { result, value });
        self.counts.push(result);
    }

    fn part(&mut self) {
        let count = self.counts[self.random.below(self.counts.len() as u32) as usize];
        let index = [self.index(), self.index()];
        let [from, to] = [(1, 0), (4, 1)].map(|(region, at)| self.place(RegionId(region), index[at].clone()));
        let lanes = self.target.instruction(Meaning::LoadPart, 8);
        let stores = self.target.instruction(Meaning::StorePart, 8);
        match (self.random.below(3), lanes, stores) {
            (0, Some(row), _) => {
                let result = self.value();
                self.linear.items.push(Item::LoadPart { row, result, address: from, count });
                self.visible.push(result);
            }
            (1, _, Some(row)) => {
                let value = self.pick();
                self.linear.items.push(Item::StorePart { row, address: to, value, count });
            }
            _ => self.linear.items.push(Item::CopyPart { from, to, count }),
        }
    }

    fn looped(&mut self) {
        let number = self.linear.loops.len();
        let trips = if self.random.once_in(3) {
            Trips::Public(self.counts[self.random.below(self.counts.len() as u32) as usize])
        } else {
            Trips::Constant(1 + self.random.below(4))
        };
        let induction = InductionId(number as u32);
        let most = if self.random.once_in(6) { 40 } else { 5 };
        let count = self.random.below(most);
        let initial: Vec<Value> = (0..count).map(|_| self.pick()).collect();
        let begin = self.linear.items.len();
        self.linear.loops.push(Loop { induction, trips, carried: Vec::new(), begin, end: 0 });
        self.linear.items.push(Item::Begin(number));
        let (visible, counts) = (self.visible.len(), self.counts.len());
        let inside: Vec<Value> = initial.iter().map(|_| self.value()).collect();
        self.visible.extend(&inside);
        self.open.push(number);
        for _ in 0..1 + self.random.below(25) {
            self.step();
        }
        self.open.pop();
        let next: Vec<Value> = initial.iter().map(|_| self.pick()).collect();
        self.visible.truncate(visible);
        self.counts.truncate(counts);
        self.linear.loops[number].end = self.linear.items.len();
        self.linear.items.push(Item::End(number));
        for ((&initial, &inside), &next) in initial.iter().zip(&inside).zip(&next) {
            let after = self.value();
            self.visible.push(after);
            self.linear.loops[number].carried.push(Carried { initial, inside, next, after });
        }
    }
}
