//! Everything that can be chosen about the code of a primitive, as data: one line a choice in [`KNOBS`].
//!
//! A [`Variant`] says what is chosen for each of them. It prints as `slicing=h backend=asm compiler=clang`, with what is not
//! as usual after these three, and reads the same. What is tried, measured and remembered is always a variant; a knob that
//! comes later is one line here.

use crate::messages;
use crate::run::Family;
use std::fmt;
use std::str::FromStr;
use usuba_codegen::Backend;
use usuba_compiler::pipeline::Overrides;
use usuba_ir::layout::Slicing;
use usuba_lower::{Loops, Split};
use usuba_package::engine::Choices;

/// Something to choose.
pub struct Knob {
    /// Its name, in files and on the command line.
    pub name: &'static str,
    /// What can be chosen; the first is what is built when nothing is said.
    pub values: &'static [&'static str],
    /// What it decides, in a sentence.
    pub purpose: &'static str,
    /// Makes the choice with this place in `values`.
    apply: fn(&mut Choices, usize),
}

impl fmt::Debug for Knob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Knob({})", self.name)
    }
}

const SLICING: usize = 0;
const BACKEND: usize = 1;
const COMPILER: usize = 2;

/// How many knobs there are.
pub const COUNT: usize = 10;

/// All knobs. The first three are always printed.
#[rustfmt::skip]
pub const KNOBS: [Knob; COUNT] = [
    Knob { name: "slicing",     values: &["b", "v", "h", "v4", "v2", "v8", "v16"], purpose: "How instances lie in registers.",              apply: slicing },
    Knob { name: "backend",     values: &["c", "asm"],                     purpose: "The language of the kernels.",                 apply: backend },
    Knob { name: "compiler",    values: &["gcc", "clang"],                 purpose: "Who compiles the C.",                          apply: |_, _| {} },
    Knob { name: "interleave",  values: &["auto", "1", "2", "3", "4"],     purpose: "Batches of instances computed at once.",       apply: interleave },
    Knob { name: "granularity", values: &["1", "4", "16", "64"],           purpose: "Operations of one batch between the others'.", apply: granularity },
    Knob { name: "loops",       values: &["sized", "keep", "unroll"],      purpose: "Which loops are kept: large ones, all, none.", apply: loops },
    Knob { name: "split",       values: &["sized", "all", "none"],         purpose: "Which bitwise nodes are computed bit by bit.", apply: split },
    Knob { name: "inline",      values: &["sized", "all", "none"],         purpose: "Which calls are replaced by their bodies.",    apply: inline },
    Knob { name: "circuits",    values: &["published", "diagrams"],        purpose: "Where the circuits of tables come from.",      apply: circuits },
    Knob { name: "order",       values: ORDERS,                                purpose: "The order of instructions.",                   apply: order },
];

fn slicing(choices: &mut Choices, value: usize) {
    let name = KNOBS[SLICING].values.get(value);
    let slicing = &mut choices.settings.lowering.slicing;
    *slicing = name.and_then(|name| Slicing::named(name)).unwrap_or(*slicing);
}

fn backend(choices: &mut Choices, value: usize) {
    choices.backend = [Backend::C, Backend::Assembly].get(value).copied().unwrap_or(choices.backend);
}

fn loops(choices: &mut Choices, value: usize) {
    match value {
        1 => choices.settings.lowering.loops = Loops::Keep,
        2 => choices.settings.lowering.loops = Loops::Unroll,
        _ => {}
    }
}

fn split(choices: &mut Choices, value: usize) {
    match value {
        1 => choices.settings.lowering.split = Split::All,
        2 => choices.settings.lowering.split = Split::None,
        _ => {}
    }
}

fn inline(choices: &mut Choices, value: usize) {
    choices.settings.passes.inline_all |= value == 1;
    choices.settings.passes.no_inline |= value == 2;
}

fn interleave(choices: &mut Choices, value: usize) {
    if value > 0 {
        choices.settings.passes.interleave = Some(value as u32);
    }
}

/// Without a factor it says nothing: alone it would mean one.
fn granularity(choices: &mut Choices, value: usize) {
    let number = [None, Some(4), Some(16), Some(64)].get(value).copied().flatten();
    let passes = &mut choices.settings.passes;
    passes.granularity = number.filter(|_| passes.interleave.is_some()).or(passes.granularity);
}

/// The orders that are worth measuring; those left out are close to one of them.
const ORDERS: &[&str] = &[
    "auto",
    "source",
    "demand",
    "pressure",
    "pressure-2",
    "pressure-7",
    "latency",
    "latency-2",
    "latency-3",
    "behind",
];

fn order(choices: &mut Choices, value: usize) {
    if value > 0 {
        let name = ORDERS.get(value).and_then(|name| name.parse().ok());
        choices.settings.order = name.unwrap_or(choices.settings.order);
    }
}

fn circuits(choices: &mut Choices, value: usize) {
    choices.settings.lowering.published_circuits &= value == 0;
}

/// The place in [`KNOBS`] of the knob with this name.
pub fn knob(name: &str) -> Option<usize> {
    KNOBS.iter().position(|knob| knob.name == name)
}

/// What is chosen for each knob.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Variant {
    /// For each of [`KNOBS`] a place in its values.
    places: [u8; COUNT],
}

impl Variant {
    /// The usual code for a slicing.
    pub fn new(slicing: Slicing) -> Variant {
        let mut places = [0; COUNT];
        let named = |name: &&str| Slicing::named(name) == Some(slicing);
        places[SLICING] = KNOBS[SLICING].values.iter().position(named).unwrap_or(0) as u8;
        Variant { places }
    }

    /// The place of what is chosen for a knob (a place in [`KNOBS`]) in its values.
    pub fn place(&self, knob: usize) -> usize {
        self.places.get(knob).copied().unwrap_or(0).into()
    }

    /// What is chosen for the knob with this name.
    pub fn value(&self, name: &str) -> Option<&'static str> {
        let knob = knob(name)?;
        KNOBS.get(knob)?.values.get(self.place(knob)).copied()
    }

    /// The same but for one knob (a place in [`KNOBS`]); itself if there is no such knob or value.
    pub fn with(mut self, knob: usize, value: usize) -> Variant {
        if let Some(place) = self.places.get_mut(knob)
            && KNOBS.get(knob).is_some_and(|knob| value < knob.values.len())
        {
            *place = value as u8;
        }
        self
    }

    /// The same but for one knob, by name.
    ///
    /// # Errors
    /// There is no such knob or no such value: what there is.
    pub fn set(self, name: &str, value: &str) -> Result<Variant, String> {
        let names = KNOBS.each_ref().map(|knob| knob.name);
        let place = knob(name).ok_or_else(|| messages::no_knob(name, &names))?;
        let values = KNOBS.get(place).map_or(&[][..], |knob| knob.values);
        let number = values.iter().position(|known| *known == value);
        Ok(self.with(place, number.ok_or_else(|| messages::no_value(name, value, values))?))
    }

    /// The slicing.
    pub fn slicing(&self) -> Slicing {
        self.choices().slicing()
    }

    /// The language of the kernels.
    pub fn backend(&self) -> Backend {
        self.choices().backend
    }

    /// Who compiles the C.
    pub fn compiler(&self) -> Family {
        if self.place(COMPILER) == 0 { Family::Gcc } else { Family::Clang }
    }

    /// The same by another compiler.
    pub fn by(self, family: Family) -> Variant {
        self.with(COMPILER, usize::from(family == Family::Clang))
    }

    /// The same with another language of the kernels.
    pub fn through(self, backend: Backend) -> Variant {
        self.with(BACKEND, usize::from(backend == Backend::Assembly))
    }

    /// What it means for a library.
    pub fn choices(&self) -> Choices {
        self.choices_over(&Overrides::default())
    }

    /// The same where other choices hold wherever the variant says nothing.
    pub fn choices_over(&self, overrides: &Overrides) -> Choices {
        let mut choices = Choices::new(Slicing::V);
        choices.settings = choices.settings.with(overrides);
        self.apply(&mut choices);
        choices
    }

    /// Makes the same choices in a library's.
    pub fn apply(&self, choices: &mut Choices) {
        for (number, knob) in KNOBS.iter().enumerate() {
            (knob.apply)(choices, self.place(number));
        }
    }

    /// All variants that differ from this one in exactly one knob, in the order of [`KNOBS`] and their values.
    pub fn neighbours(self) -> impl Iterator<Item = Variant> {
        KNOBS.iter().enumerate().flat_map(move |(number, knob)| {
            (0..knob.values.len())
                .filter(move |&value| value != self.place(number))
                .map(move |value| self.with(number, value))
        })
    }

    /// Names and values, as they are written.
    pub fn words(&self) -> Vec<(&'static str, &'static str)> {
        let mut words = Vec::new();
        for (number, knob) in KNOBS.iter().enumerate() {
            if number <= COMPILER || self.place(number) != 0 {
                words.push((knob.name, knob.values.get(self.place(number)).copied().unwrap_or_default()));
            }
        }
        words
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.words().iter().map(|(name, value)| format!("{name}={value}")).collect();
        f.write_str(&words.join(" "))
    }
}

impl FromStr for Variant {
    type Err = String;

    fn from_str(text: &str) -> Result<Variant, String> {
        let mut variant: Option<Variant> = None;
        for word in text.split_whitespace() {
            let (name, value) = word.split_once('=').ok_or_else(|| messages::no_choice(word))?;
            let before = variant.unwrap_or_else(|| Variant::new(Slicing::V));
            variant = Some(before.set(name, value)?);
        }
        variant.filter(|_| text.contains("slicing=")).ok_or_else(messages::no_slicing)
    }
}

/// All variants with these slicings, that is all ways to combine values, in lexicographic order.
pub fn all(slicings: &[Slicing]) -> Vec<Variant> {
    let mut variants: Vec<Variant> = slicings.iter().map(|&slicing| Variant::new(slicing)).collect();
    for (number, knob) in KNOBS.iter().enumerate().skip(1) {
        variants = variants
            .into_iter()
            .flat_map(|variant| (0..knob.values.len()).map(move |value| variant.with(number, value)))
            .collect();
    }
    variants
}

#[cfg(test)]
mod tests;
