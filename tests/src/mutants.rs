//! What the prover, and test vectors, say of ciphers with a fault.

use crate::ciphers::Cipher;
use crate::faults::{self, Code, Fault};
use crate::objects::{SYMBOL, build};
use std::collections::BTreeMap;
use usuba_compiler::pipeline::{Settings, optimised};
use usuba_ir::layout::Slicing;
use usuba_ir::random::Random;
use usuba_target::machines;
use usuba_verify::equal::{Outcome, Problem};
use usuba_verify::object::file::Object;
use usuba_verify::object::kernel::Verdict;
use usuba_verify::prove::Limits;

/// A kernel that faults are seeded into.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The folder of the cipher.
    pub cipher: &'static str,
    /// The node.
    pub node: &'static str,
    /// The slicing.
    pub slicing: Slicing,
    /// The target of the object.
    pub target: &'static str,
    /// What compiles it.
    pub compiler: &'static str,
}

/// So many random vectors are asked whether they see a fault.
pub const VECTORS: [u32; 4] = [1, 4, 16, 64];

/// What was said of faults.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Faults.
    pub seeded: usize,
    /// Code that is not followed to its end, or breaks a rule.
    pub refused: usize,
    /// Shown to compute something else.
    pub refuted: usize,
    /// Proved to compute the same.
    pub equal: usize,
    /// Neither.
    pub unknown: usize,
    /// Of the refuted ones, those that the first so many random vectors do not see, as in [`VECTORS`].
    pub missed: [usize; 4],
    /// Of each kind of fault how many there are, and how many are proved to be none.
    pub kinds: BTreeMap<Fault, (usize, usize)>,
}

impl Tally {
    /// Adds another one.
    pub fn add(&mut self, other: &Tally) {
        self.seeded += other.seeded;
        self.refused += other.refused;
        self.refuted += other.refuted;
        self.equal += other.equal;
        self.unknown += other.unknown;
        self.missed.iter_mut().zip(other.missed).for_each(|(all, one)| *all += one);
        for (&fault, &(count, equal)) in &other.kinds {
            let of = self.kinds.entry(fault).or_default();
            *of = (of.0 + count, of.1 + equal);
        }
    }

    /// A fault that both judge: `seen` has a bit for each of 64 vectors.
    fn judge(&mut self, fault: Fault, is_equal: Option<bool>, seen: u64) {
        self.seed(fault);
        match is_equal {
            Some(true) => {
                assert_eq!(seen, 0, "a vector tells apart what is proved equal: {fault}");
                self.equal += 1;
                self.kinds.entry(fault).or_default().1 += 1;
            }
            Some(false) => {
                self.refuted += 1;
                for (missed, count) in self.missed.iter_mut().zip(VECTORS) {
                    *missed += usize::from(seen & (u64::MAX >> (64 - count)) == 0);
                }
            }
            None => self.unknown += 1,
        }
    }

    fn seed(&mut self, fault: Fault) {
        self.seeded += 1;
        self.kinds.entry(fault).or_default().0 += 1;
    }

    /// A row of a table in Markdown.
    pub fn row(&self) -> String {
        let cells = [self.seeded, self.refused, self.refuted, self.equal, self.unknown].into_iter();
        let cells: Vec<String> = cells.chain(self.missed).map(|count| count.to_string()).collect();
        cells.join(" | ")
    }
}

/// Faults in the program of Usuba0 that a kernel is made of, one batch.
///
/// # Panics
/// If a vector tells apart what is proved equal, or the cipher is not compiled.
pub fn in_programs(case: Case, count: usize, seed: u64) -> Tally {
    let cipher = Cipher::read(case.cipher);
    let mut settings = Settings::new(case.slicing, Some(case.node));
    settings.passes.interleave = Some(1);
    let (_, program, _) = optimised(&cipher.loaded, &settings, &mut ()).expect("it compiles");
    let (mut random, mut tally) = (Random::new(seed), Tally::default());
    let sites = faults::sites(&program) as u32;
    while tally.seeded < count {
        let site = random.below(sites) as usize;
        let Some((fault, other)) = faults::in_program(&program, site, &mut random) else { continue };
        let problem = Problem::of_programs(&program, &other).expect("the same inputs");
        let is_equal = match problem.decide(Limits::default()).0 {
            Outcome::Proved => Some(true),
            Outcome::Refuted(_) => Some(false),
            Outcome::Unknown(_) => None,
        };
        tally.judge(fault, is_equal, problem.sample(random.bits()));
    }
    tally
}

/// Faults in the bytes of an object, one batch.
///
/// # Panics
/// As [`in_programs`]; and if the object without a fault is not proved.
pub fn in_objects(case: Case, count: usize, seed: u64) -> Tally {
    let target = machines::by_name(case.target).expect("a target");
    let mut settings = Settings::new(case.slicing, Some(case.node));
    settings.passes.interleave = Some(1);
    let built = build(case.cipher, &settings, target, case.compiler);
    let object = Object::parse(&built.object).expect("an object");
    let (verdict, _) = built.subject.prove(&object, SYMBOL, Limits::default()).expect("it is followed");
    assert_eq!(verdict, Verdict::Proved, "{case:?}");
    let code = Code::of(&built.object, SYMBOL);
    let (mut random, mut tally) = (Random::new(seed), Tally::default());
    while tally.seeded < count {
        let (fault, patched) = code.faulty(&built.object, &mut random);
        let object = Object::parse(&patched).expect("an object");
        let Ok(lifted) = built.subject.lift(&object, SYMBOL) else {
            tally.seed(fault);
            tally.refused += 1;
            continue;
        };
        let is_equal = match lifted.decide(Limits::default()).0 {
            Verdict::Proved => Some(true),
            Verdict::Refuted(_) => Some(false),
            Verdict::Unfounded => {
                tally.seed(fault);
                tally.refused += 1;
                continue;
            }
            Verdict::Unknown => None,
        };
        tally.judge(fault, is_equal, lifted.sample(random.bits()));
    }
    tally
}
