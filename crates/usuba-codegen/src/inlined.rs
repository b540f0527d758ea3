//! Functions that GCC shall take into their callers.
//!
//! Clang does so with most functions of a kernel. GCC 12 leaves those that are called in several places, and then their arguments
//! go through memory, where in the caller they would stay in registers: on Zen 5 with AVX-512, Serpent in words takes four
//! times as long, Gimli three times. Where arguments are in memory in any case, as bitsliced states are, a call costs little,
//! and copies of the body get other and worse registers each: Camellia takes 1.8 times as long with them on general-purpose
//! registers, SM4 1.3 times with AVX-512.

use usuba_ir::layout::Slicing;
use usuba_ir::program::Inline;
use usuba_machine::Shape;
use usuba_machine::program::{Block, Function, Parameter, Program, Step};
use usuba_target::Target;

/// How many instructions the copies of a function may add to the code: some 16 KB, half of what the first cache has.
const MORE: u64 = 2000;

/// Sixteen general-purpose registers hold little beside a long body: no function of more instructions for each atom that goes in
/// or out than this. It keeps the rounds of Camellia in H apart, which lose a quarter, and takes Serpent's S-boxes.
const FOR_AN_ATOM: u64 = 5;

/// What functions so marked begin with, and its definition.
pub(crate) const KEYWORD: &str = "USUBA_INTO_CALLER";
pub(crate) const DEFINITION: &str = "\
/* GCC calls what is called in several places, and then arguments go through memory. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#define USUBA_INTO_CALLER __attribute__((always_inline)) static inline
#else
#define USUBA_INTO_CALLER static
#endif

";

/// For each function, whether it is one: nothing else is said of it, it is called in several places, and the copies are short.
pub(crate) fn into_callers(program: &Program, shape: &Shape, target: &Target) -> Vec<bool> {
    if shape.slicing == Slicing::B {
        return vec![false; program.functions.len()];
    }
    let mut calls = vec![0; program.functions.len()];
    // With what it takes in.
    let mut sizes: Vec<u64> = Vec::new();
    for function in &program.functions {
        let size = function.constants.len() as u64 + size(&function.body, &sizes, &mut calls);
        sizes.push(size);
    }
    let is = |((function, size), calls): ((&Function, u64), u64)| {
        let fits = !target.single_lane || size <= FOR_AN_ATOM * atoms(function);
        function.inline == Inline::Auto && calls > 1 && (calls - 1) * size <= MORE && fits
    };
    program.functions.iter().zip(sizes).zip(calls).map(is).collect()
}

/// How many atoms go in and out.
fn atoms(function: &Function) -> u64 {
    let of = |kind: &Parameter| match kind {
        Parameter::Register(_) => 1,
        Parameter::Region(region) => u64::from(function.region(*region).length.constant().unwrap_or(1)),
    };
    function.parameters.iter().map(of).sum()
}

/// Instructions of a block; counts the calls in it.
fn size(block: &Block, callees: &[u64], calls: &mut [u64]) -> u64 {
    let mut total = 0;
    for step in &block.steps {
        total += match step {
            Step::Call(call) => {
                calls[call.function] += 1;
                callees[call.function]
            }
            Step::Loop(looped) => size(&looped.body, callees, calls),
            _ => 1,
        };
    }
    total
}
