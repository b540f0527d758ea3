//! Orders on random runs: whatever the order, the same values in the same places.

use super::graph::{Run, is_order_of};
use super::{Scheduling, order};
use expect_test::expect;
use std::collections::BTreeMap;
use usuba_ir::program::{Affine, InductionId, Inline};
use usuba_ir::random::Random;
use usuba_machine::program::{
    Address, Block, Carried, Element, Function, Length, Loop, Region, RegionId, Register, RegisterId,
    RegisterType, Role, Step, Trips,
};
use usuba_target::{Constant, Meaning, Target, by_name};

const VECTOR: RegisterType = RegisterType::Vector { bits: 256, lane: 0 };

fn mix(a: u64, b: u64) -> u64 {
    let mut x = a ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ x >> 29
}

/// What a function leaves in memory, every instruction mixing its operands in its own way.
#[derive(Default)]
struct Simulation {
    registers: BTreeMap<RegisterId, u64>,
    memory: BTreeMap<(RegionId, i64), u64>,
    inductions: BTreeMap<InductionId, i64>,
}

impl Simulation {
    fn place(&self, address: &Address) -> (RegionId, i64) {
        let terms = address.index.terms.iter().map(|(induction, factor)| self.inductions[induction] * factor);
        (address.region, address.index.constant + terms.sum::<i64>())
    }

    fn block(&mut self, block: &Block) {
        for step in &block.steps {
            match step {
                Step::Compute { row, result, operands, immediate } => {
                    let first = mix(row.meaning as u64, u64::from(immediate.unwrap_or(0)));
                    let value = operands.iter().fold(first, |sum, operand| mix(sum, self.registers[operand]));
                    self.registers.insert(*result, value);
                }
                Step::Constant { result, .. } => {
                    self.registers.insert(*result, u64::from(result.0));
                }
                Step::Load { result, address, .. } => {
                    let place = self.place(address);
                    let value = self.memory.get(&place).copied();
                    let value = value.unwrap_or_else(|| mix(u64::from(place.0.0), place.1 as u64));
                    self.registers.insert(*result, value);
                }
                Step::Store { address, value, .. } => {
                    let place = self.place(address);
                    self.memory.insert(place, self.registers[value]);
                }
                Step::Loop(looped) => {
                    for carried in &looped.carried {
                        self.registers.insert(carried.register, self.registers[&carried.initial]);
                    }
                    for trip in 0..looped.trips.constant().unwrap_or(0) {
                        self.inductions.insert(looped.induction, i64::from(trip));
                        self.block(&looped.body);
                        let next: Vec<u64> =
                            looped.carried.iter().map(|carried| self.registers[&carried.next]).collect();
                        for (carried, next) in looped.carried.iter().zip(next) {
                            self.registers.insert(carried.register, next);
                        }
                    }
                }
                _ => panic!("{step:?}"),
            }
        }
    }
}

struct Writer {
    random: Random,
    target: &'static Target,
    registers: u32,
    visible: Vec<RegisterId>,
    open: Vec<InductionId>,
}

impl Writer {
    fn register(&mut self) -> RegisterId {
        self.registers += 1;
        RegisterId(self.registers - 1)
    }

    fn pick(&mut self) -> RegisterId {
        let count = self.visible.len() as u32;
        let range = if self.random.once_in(3) { count } else { count.min(20) };
        self.visible[(count - 1 - self.random.below(range)) as usize]
    }

    fn address(&mut self) -> Address {
        let mut index = Affine::constant(i64::from(self.random.below(6)));
        for place in 0..self.open.len() {
            if self.random.once_in(3) {
                index.terms.push((self.open[place], 1 + i64::from(self.random.below(2))));
            }
        }
        Address { region: RegionId(self.random.below(3)), index }
    }

    fn row(&self, meaning: Meaning) -> &'static usuba_target::Instruction {
        self.target.instruction(meaning, 0).expect("every machine has it")
    }

    fn steps(&mut self, count: u32) -> Vec<Step> {
        let mut steps = Vec::new();
        for _ in 0..count {
            match self.random.below(12) {
                0 | 1 => {
                    let (result, address) = (self.register(), self.address());
                    steps.push(Step::Load { row: self.row(Meaning::Load), result, address });
                    self.visible.push(result);
                }
                2 | 3 => {
                    let (address, value) = (self.address(), self.pick());
                    steps.push(Step::Store { row: self.row(Meaning::Store), address, value });
                }
                4 if self.open.len() < 2 && count > 10 => steps.push(self.looped()),
                meaning => {
                    let meaning = [Meaning::And, Meaning::Or, Meaning::Xor][meaning as usize % 3];
                    let operands = vec![self.pick(), self.pick()];
                    let result = self.register();
                    steps.push(Step::Compute { row: self.row(meaning), result, operands, immediate: None });
                    self.visible.push(result);
                }
            }
        }
        steps
    }

    fn looped(&mut self) -> Step {
        let induction = InductionId(self.open.len() as u32);
        let initial: Vec<RegisterId> = (0..self.random.below(5)).map(|_| self.pick()).collect();
        let inside: Vec<RegisterId> = initial.iter().map(|_| self.register()).collect();
        let visible = self.visible.len();
        self.visible.extend(&inside);
        self.open.push(induction);
        let count = 5 + self.random.below(30);
        let steps = self.steps(count);
        self.open.pop();
        let next: Vec<RegisterId> = initial.iter().map(|_| self.pick()).collect();
        self.visible.truncate(visible);
        self.visible.extend(&inside);
        let carried = initial.iter().zip(&inside).zip(&next);
        let carried =
            carried.map(|((&initial, &register), &next)| Carried { register, initial, next }).collect();
        let trips = 1 + self.random.below(3);
        Step::Loop(Loop {
            induction,
            trips: Trips::Constant(trips),
            carried,
            body: Block { locals: Vec::new(), steps },
        })
    }
}

/// A function of a seed. Regions: 0 input that nothing marks so, 1 and 2 written too; register 0 is a constant.
fn random_function(seed: u64, target: &'static Target) -> Function {
    let mut writer =
        Writer { random: Random::new(seed), target, registers: 0, visible: Vec::new(), open: Vec::new() };
    let constant = writer.register();
    writer.visible.push(constant);
    let count = 20 + writer.random.below(100);
    let mut steps = writer.steps(count);
    for place in 0..writer.visible.len() {
        let address = Address { region: RegionId(3), index: Affine::constant(place as i64) };
        steps.push(Step::Store { row: writer.row(Meaning::Store), address, value: writer.visible[place] });
    }
    let region = Region {
        name: "b".into(),
        role: Role::Output,
        element: Element::Register(VECTOR),
        length: Length::Constant(400),
    };
    let row = writer.row(Meaning::And);
    Function {
        name: "f".into(),
        inline: Inline::Auto,
        parameters: Vec::new(),
        registers: vec![Register::unnamed(VECTOR); writer.registers as usize],
        regions: vec![region; 4],
        constants: vec![Step::Constant { row, result: constant, constant: Constant::Lane(1) }],
        body: Block { locals: Vec::new(), steps },
    }
}

fn simulate(function: &Function) -> BTreeMap<(RegionId, i64), u64> {
    let mut simulation = Simulation::default();
    simulation.block(&Block { locals: Vec::new(), steps: function.constants.clone() });
    simulation.block(&function.body);
    simulation.memory
}

#[test]
fn every_order_computes_the_same() {
    let mut moved = BTreeMap::new();
    for seed in 0..300 {
        let target = by_name(["sse4.2", "avx2", "avx512", "neon"][seed as usize % 4]).expect("a target");
        let function = random_function(seed, target);
        let wanted = simulate(&function);
        for one in Scheduling::all().chain([Scheduling::AUTO]) {
            let mut ordered = function.clone();
            order(&mut ordered, target, one);
            assert_eq!(simulate(&ordered), wanted, "seed {seed}, order {one}");
            *moved.entry(one).or_insert(0) += u32::from(ordered != function);
        }
    }
    // None but that of the source leaves things as they are: had the checker refused an order, it would.
    for (one, moved) in moved {
        assert!((moved == 0) == (one == Scheduling::SOURCE), "{one} moved {moved}");
        assert!(one == Scheduling::SOURCE || moved > 200, "{one} moved {moved}");
    }
}

#[test]
fn wrong_orders_are_refused() {
    let target = by_name("avx2").expect("a target");
    let mut refused = 0;
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let mut writer = Writer {
            random: Random::new(seed),
            target,
            registers: 1,
            visible: vec![RegisterId(0)],
            open: Vec::new(),
        };
        let steps = writer.steps(9);
        let run = Run::of(&steps, |_| true, |_| false, &[]);
        let mut order: Vec<usize> = (0..steps.len()).collect();
        assert!(is_order_of(&run, &order));
        assert!(!is_order_of(&run, &order[1..]));
        let doubled: Vec<usize> = order.iter().map(|&number| number.max(1)).collect();
        assert!(!is_order_of(&run, &doubled));
        // A swap of neighbours that the checker accepts changes nothing.
        let at = random.below(steps.len() as u32 - 1) as usize;
        order.swap(at, at + 1);
        if is_order_of(&run, &order) {
            let state = |order: &[usize]| {
                let mut simulation = Simulation::default();
                simulation.registers.insert(RegisterId(0), 7);
                let steps = order.iter().map(|&number| steps[number].clone()).collect();
                simulation.block(&Block { locals: Vec::new(), steps });
                (simulation.registers, simulation.memory)
            };
            let source: Vec<usize> = (0..steps.len()).collect();
            assert_eq!(state(&order), state(&source), "seed {seed}");
        } else {
            refused += 1;
        }
    }
    assert!(refused > 10, "{refused}");
}

#[test]
fn names_are_read_back() {
    for one in Scheduling::all().chain([Scheduling::AUTO]) {
        assert_eq!(one.name().parse::<Scheduling>(), Ok(one));
        assert!(!one.purpose().is_empty());
    }
    assert!("nothing".parse::<Scheduling>().is_err());
}

/// Four sums of products, written level by level: a line per order, a letter per step (loads `a`.., products `A`.., sums and
/// stores in digits).
#[test]
fn orders_of_a_small_block() {
    let target = by_name("avx2").expect("a target");
    let row = |meaning| target.instruction(meaning, 0).expect("a row");
    let address = |region, at| Address { region: RegionId(region), index: Affine::constant(at) };
    let mut steps = Vec::new();
    for at in 0..8 {
        steps.push(Step::Load {
            row: row(Meaning::Load),
            result: RegisterId(at),
            address: address(0, at.into()),
        });
    }
    let compute = |meaning, result: u32, a: u32, b: u32| Step::Compute {
        row: row(meaning),
        result: RegisterId(result),
        operands: vec![RegisterId(a), RegisterId(b)],
        immediate: None,
    };
    (0..4).for_each(|at| steps.push(compute(Meaning::And, 8 + at, 2 * at, 2 * at + 1)));
    (0..2).for_each(|at| steps.push(compute(Meaning::Xor, 12 + at, 8 + 2 * at, 9 + 2 * at)));
    for at in 0..2 {
        let value = RegisterId(12 + at);
        steps.push(Step::Store { row: row(Meaning::Store), address: address(1, at.into()), value });
    }
    let letters: Vec<char> = "abcdefghABCDXYxy".chars().collect();
    let mut lines = String::new();
    for one in Scheduling::all() {
        let function = Function {
            name: "f".into(),
            inline: Inline::Auto,
            parameters: Vec::new(),
            registers: vec![Register::unnamed(VECTOR); 14],
            regions: Vec::new(),
            constants: Vec::new(),
            body: Block { locals: Vec::new(), steps: steps.clone() },
        };
        let mut ordered = function.clone();
        order(&mut ordered, target, one);
        let place = |step| steps.iter().position(|other| other == step).expect("a step");
        let line: String = ordered.body.steps.iter().map(|step| letters[place(step)]).collect();
        lines.push_str(&format!("{one:10} {line}\n"));
    }
    expect![[r#"
        source abcdefghABCDXYxy
        demand abAcdBXxefCghDYy
        pressure abAcdBXxefCghDYy
        pressure-2 abAcdBXxefCghDYy
        pressure-3 abAcdBXxefCghDYy
        pressure-4 abAcdBXxefCghDYy
        pressure-5 abAcdBXxefCghDYy
        pressure-6 abAcdBXxefCghDYy
        pressure-7 abAcdBXxefCghDYy
        latency abAcdBefCghDXxYy
        latency-2 abAcdBefCghDXxYy
        latency-3 abAcdBefCghDXxYy
        behind abAcdBefCghDXxYy
    "#]]
    .assert_eq(&lines);
}

#[test]
fn rotated_loops_compute_the_same() {
    let mut changed = 0;
    for seed in 0..600 {
        let target = by_name("avx2").expect("a target");
        let function = random_function(seed, target);
        let mut rotated = function.clone();
        crate::unroll::unroll_and_rename(&mut rotated, target);
        assert_eq!(simulate(&rotated), simulate(&function), "seed {seed}");
        changed += u32::from(rotated != function);
    }
    assert!(changed > 20, "{changed} functions had such a loop");
}
