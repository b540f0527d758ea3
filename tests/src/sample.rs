//! Which compiled ways the known answers of each primitive go in a normal run: a part of the matrix primitive × slicing ×
//! target × compiler that leaves no row of it and no column out.
//!
//! The first primitive of every folder goes by the portable target, the widest vectors that this CPU has, and an emulated target, by
//! gcc and by clang, and in each of its slicings; the others, which have other sizes of keys or numbers of rounds, go one way, and
//! take turns with it. Then ways are added until every triple of slicing, target and compiler is gone by at least [`LEAST`]
//! primitives, or by all that have code for it.
//!
//! Each way has a level of optimisation. Compilers take most of the time, and what they make of generated code depends on
//! slicing and target, not on the cipher: every compiler is asked for `-O2` once for each target, `-O1` is asked for once for
//! each slicing and target, and other ways that this machine runs itself are compiled without optimisation, which takes every
//! line as it is written. Emulators are slower over such code than compilers over better code: for them it is `-O1` at least.
//!
//! The choice depends on nothing but the list of primitives and the targets that run here.

use crate::ciphers::Cipher;
use std::collections::{BTreeMap, BTreeSet};
use usuba_codegen::admits;
use usuba_compiler::pipeline::Settings;
use usuba_ir::check::check;
use usuba_ir::layout::Slicing;
use usuba_ir::program::Program;
use usuba_lang::elaborate::elaborate;
use usuba_lang::typed::{Body, Instance, Lookup};
use usuba_target::Target;
use usuba_trial::run::Family;

/// So many primitives at least go by each triple of slicing, target and compiler, if so many have code for it.
pub const LEAST: usize = 1;

/// A primitive, as far as the choice of its ways needs it.
pub struct Subject {
    /// Folder and name, such as `aes/aes-128`.
    pub name: String,
    /// Whether it is the first of its folder.
    pub first: bool,
    /// Its slicings, each with the targets that have code for it.
    pub slicings: Vec<(Slicing, Vec<&'static Target>)>,
}

/// A compiled way.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// The slicing.
    pub slicing: Slicing,
    /// The machine.
    pub target: &'static Target,
    /// The compiler.
    pub family: Family,
    /// Its level of optimisation.
    pub level: &'static str,
}

/// What two ways have to differ in.
type Triple = (Slicing, &'static str, Family);

impl Way {
    /// What tells it from others.
    pub fn triple(&self) -> Triple {
        (self.slicing, self.target.name, self.family)
    }
}

/// What a target is there for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// General-purpose registers.
    Portable,
    /// The widest vectors of this CPU.
    Widest,
    /// Another machine.
    Emulated,
    /// The rest.
    Other,
}

const ROLES: [Role; 4] = [Role::Portable, Role::Widest, Role::Emulated, Role::Other];

fn role(target: &Target, targets: &[&'static Target]) -> Role {
    let native =
        |target: &Target| target.toolchains.first().is_some_and(|toolchain| toolchain.runner.is_empty());
    let vectors = |one: &&&'static Target| native(one) && !one.single_lane && one.beyond.is_none();
    let widest = targets.iter().filter(vectors).max_by_key(|one| one.register_bits);
    match target {
        _ if target.single_lane => Role::Portable,
        _ if !native(target) => Role::Emulated,
        _ if widest.is_some_and(|widest| widest.name == root(target)) => Role::Widest,
        _ => Role::Other,
    }
}

/// The target that one goes beyond, over others or not; itself if it goes beyond none.
fn root(target: &Target) -> &'static str {
    target.bases().last().map_or(target.name, |base| base.name)
}

/// The primitives of these folders. `targets` are those to choose from.
pub fn house(folders: &[&str], targets: &[&'static Target]) -> Vec<Subject> {
    let mut subjects = Vec::new();
    for folder in folders {
        let cipher = Cipher::read(folder);
        for (number, primitive) in cipher.manifest.primitives.iter().enumerate() {
            let offers = |&slicing: &Slicing| {
                let settings = Settings::new(slicing, Some(primitive.in_slicing(slicing, None).main_node()));
                let (typed, _) = elaborate(&cipher.loaded.program, &settings.elaboration());
                let (width, maps_bytes) = typed.map_or((1, false), |typed| {
                    let entry = typed.instance(typed.entry());
                    let is_word =
                        |one: &Instance| matches!(&one.body, Body::Table(table) if table.lookup == Lookup::Word);
                    let width = entry.inputs.first().map_or(1, |&input| entry.variable(input).word);
                    (width, typed.instances().iter().any(is_word))
                });
                // Bytes are put in planes there.
                let is_in_planes = slicing == Slicing::H && maps_bytes;
                let (width, maps_bytes) = if is_in_planes { (16, false) } else { (width, maps_bytes) };
                let has_code = |target: &Target| has_code(slicing, width, maps_bytes, target);
                let is_new = |target: &Target| {
                    target.adds_to(slicing, |other| usuba_target::by_name(other).is_some_and(has_code))
                };
                let offered =
                    targets.iter().copied().filter(|target| has_code(target) && is_new(target)).collect();
                (slicing, offered)
            };
            subjects.push(Subject {
                name: format!("{folder}/{}", primitive.name),
                first: number == 0,
                slicings: primitive.slicings.iter().map(offers).collect(),
            });
        }
    }
    subjects
}

/// Whether a target has code for what ciphers do with words of `width` bits in a slicing: logic, rotations of words, and
/// shuffles of their bits in `H` and of whole words in packed layouts, and maps of bytes.
fn has_code(slicing: Slicing, width: u32, maps_bytes: bool, target: &Target) -> bool {
    let reversed = |words: u32, bits: u32| {
        let places =
            (0..words).rev().flat_map(|word| (0..bits).map(move |bit| (word * bits + bit).to_string()));
        format!("shuffle %2, [{}]", places.collect::<Vec<_>>().join(", "))
    };
    let (ty, operation) = match slicing {
        Slicing::B => ("b1".to_owned(), "not %2".to_owned()),
        Slicing::V => (format!("v{width}"), format!("rotate_left %2, {}", width / 2)),
        Slicing::H => (format!("h{width}"), reversed(width, 1)),
        Slicing::Packed(words) => {
            let bits = 128 / words;
            (format!("<{bits},{words},1>"), reversed(words, bits))
        }
    };
    let last = if maps_bytes && slicing != Slicing::B {
        "invertbytes %3, 0x0102040810204080, 0x00"
    } else {
        "not %3"
    };
    let text = format!(
        "node Sample (%0 a: {ty}, %1 b: {ty}) -> (r: {ty}) {{\n  %2: {ty} = xor %0, %1\n  %3: {ty} = {operation}\n  \
         %4: {ty} = {last}\n  return %4\n}}\n"
    );
    let program = Program::parse(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    check(&program).is_ok_and(|checked| admits(checked, target).is_ok())
}

/// The ways of each subject, in the order of the subjects.
pub fn sample(house: &[Subject], targets: &[&'static Target]) -> Vec<Vec<Way>> {
    let mut chosen: Vec<Vec<Way>> = Vec::new();
    let mut counts: BTreeMap<Triple, usize> = BTreeMap::new();
    for (index, subject) in house.iter().enumerate() {
        let number = subject.slicings.len();
        let mut ways: Vec<Way> = Vec::new();
        // Adds the way of this primitive that has been gone least: slicings within it first, then targets in the house.
        let mut add = |ways: &mut Vec<Way>, wanted: &dyn Fn(&Way) -> bool| {
            let slot = ways.len();
            let family = [Family::Gcc, Family::Clang][(slot + index) % 2];
            let of = |(place, (slicing, offered)): (usize, &(Slicing, Vec<&'static Target>))| {
                let (turn, slicing) = ((place + slot + index) % number, *slicing);
                let way = |&target| (turn, Way { slicing, target, family, level: "-O1" });
                offered.iter().map(way).collect::<Vec<_>>()
            };
            let candidates = subject.slicings.iter().enumerate().flat_map(of);
            let best = candidates
                .filter(|(_, way)| wanted(way) && ways.iter().all(|taken| taken.triple() != way.triple()))
                .min_by_key(|(turn, way)| {
                    let of_slicing = ways.iter().filter(|taken| taken.slicing == way.slicing).count();
                    (of_slicing, *turn, counts.get(&way.triple()).copied().unwrap_or(0))
                });
            if let Some((_, way)) = best {
                *counts.entry(way.triple()).or_default() += 1;
                ways.push(way);
            }
        };
        let slots = if subject.first { number.max(3) } else { 1 };
        // The others of a folder take turns, and so do compilers at each step of them.
        let start = if subject.first { 0 } else { index / 2 };
        for slot in start..start + slots {
            add(&mut ways, &|way| role(way.target, targets) == ROLES[slot % ROLES.len()]);
        }
        // Of a primitive that is another's with more rounds or another key, Usuba0 is asked in every slicing.
        for (slicing, _) in &subject.slicings {
            if ways.is_empty() || subject.first && ways.iter().all(|way| way.slicing != *slicing) {
                add(&mut ways, &|way| way.slicing == *slicing);
            }
        }
        chosen.push(ways);
    }
    complete(house, &mut chosen, &mut counts);
    optimise(&mut chosen, targets);
    chosen
}

/// Gives each way its level of optimisation.
fn optimise(chosen: &mut [Vec<Way>], targets: &[&'static Target]) {
    let (mut by_compilers, mut in_slicings) = (BTreeSet::new(), BTreeSet::new());
    for way in chosen.iter_mut().flatten() {
        let first_of_slicing = in_slicings.insert((way.slicing, way.target.name));
        way.level = if by_compilers.insert((way.target.name, way.family)) {
            "-O2"
        } else if first_of_slicing || role(way.target, targets) == Role::Emulated {
            "-O1"
        } else {
            "-O0"
        };
    }
}

/// Adds ways until each triple is gone often enough, by the primitives that have fewest ways.
fn complete(house: &[Subject], chosen: &mut [Vec<Way>], counts: &mut BTreeMap<Triple, usize>) {
    let offered: BTreeMap<Triple, Way> =
        house.iter().flat_map(offered).map(|way| (way.triple(), way)).collect();
    for (triple, way) in offered {
        while counts.get(&triple).copied().unwrap_or(0) < LEAST {
            let next = house
                .iter()
                .zip(chosen.iter_mut())
                .filter(|(subject, ways)| {
                    self::offered(subject).iter().any(|one| one.triple() == triple)
                        && ways.iter().all(|one| one.triple() != triple)
                })
                .min_by_key(|(subject, ways)| (!subject.first, ways.len()));
            let Some((_, ways)) = next else { break };
            ways.push(way);
            *counts.entry(triple).or_default() += 1;
        }
    }
}

/// Every way of a primitive.
pub fn offered(subject: &Subject) -> Vec<Way> {
    let of = |(slicing, targets): &(Slicing, Vec<&'static Target>)| {
        let slicing = *slicing;
        let both = |&target| {
            [Family::Gcc, Family::Clang].map(|family| Way { slicing, target, family, level: "-O1" })
        };
        targets.iter().flat_map(both).collect::<Vec<_>>()
    };
    subject.slicings.iter().flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ciphers::CIPHERS;

    /// The sample leaves nothing out, on a CPU with all vectors and on one without AVX-512.
    #[test]
    fn every_row_and_column_of_the_matrix_is_sampled() {
        for without in [&[][..], &["avx512", "avx512-256", "avx512-128"]] {
            let targets: Vec<&Target> =
                usuba_target::all().iter().copied().filter(|one| !without.contains(&root(one))).collect();
            let house = house(&CIPHERS, &targets);
            let ways = sample(&house, &targets);
            let mut gone: BTreeMap<Triple, usize> = BTreeMap::new();
            for (subject, ways) in house.iter().zip(&ways) {
                let name = &subject.name;
                let roles: Vec<Role> = ways.iter().map(|way| role(way.target, &targets)).collect();
                for wanted in ROLES[..3].iter().filter(|_| subject.first) {
                    assert!(roles.contains(wanted), "{name}: {wanted:?}");
                }
                let families: BTreeSet<Family> = ways.iter().map(|way| way.family).collect();
                assert!(families.len() == 2 || !subject.first, "{name}");
                for (slicing, _) in subject.slicings.iter().filter(|_| subject.first) {
                    assert!(ways.iter().any(|way| way.slicing == *slicing), "{name}, slicing {slicing}");
                }
                let triples: BTreeSet<Triple> = ways.iter().map(Way::triple).collect();
                assert_eq!(triples.len(), ways.len(), "{name} goes a way twice");
                for triple in triples {
                    *gone.entry(triple).or_default() += 1;
                }
            }
            let all_ways = || ways.iter().flatten();
            for way in all_ways() {
                let is_alike = |one: &&Way| one.target.name == way.target.name;
                let optimised = |one: &&Way| one.level == "-O2" && one.family == way.family;
                assert!(all_ways().filter(is_alike).any(|one| optimised(&one)), "{way:?}");
                let of_slicing = |one: &&Way| one.slicing == way.slicing && one.level != "-O0";
                assert!(all_ways().filter(is_alike).any(|one| of_slicing(&one)), "{way:?}");
            }
            assert!(all_ways().any(|way| way.level == "-O0"));
            let mut offers: BTreeMap<Triple, usize> = BTreeMap::new();
            for way in house.iter().flat_map(offered) {
                *offers.entry(way.triple()).or_default() += 1;
            }
            for (triple, &by) in &offers {
                let times = gone.get(triple).copied().unwrap_or(0);
                assert!(times >= LEAST.min(by), "{triple:?}: gone {times} times, offered by {by}");
            }
            let number: usize = ways.iter().map(Vec::len).sum();
            let all: usize = offers.values().sum();
            let at = |level: &str| all_ways().filter(|way| way.level == level).count();
            let levels = ["-O0", "-O1", "-O2"].map(|level| format!("{} at {level}", at(level))).join(", ");
            println!("{number} of {all} ways on {} targets: {levels}", targets.len());
        }
    }
}
