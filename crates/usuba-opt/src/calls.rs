//! Whether all calls are inlined, if nobody says.
//!
//! Where there is a model of the machine ([`Clock`](crate::pass::Clock)) and the program stays small ([`CODE`]), the model decides: the
//! program with the calls that [`inline`] leaves and the program with none go through the other passes, and there are none if that
//! saves [`SAVED`] of the cycles.
//!
//! On Zen 4, by gcc, Clang and in assembly, on AVX2 and AVX-512: where a call of an S-box has its bits in memory before and after, up
//! to a third of the time is gone (RECTANGLE, PRESENT, GIFT and Clyde in B), and a sixth of ARIA and SKINNY on AVX-512. It says no to
//! Keccak, ACE and Gimli in B, whose nodes are long and called often: with all inlined, 16 of their 18 kernels took longer, up to 1.65
//! times as long.

use crate::inline;
use crate::pass::{Settings, mean, ratios};
use usuba_ir::program::Program;

/// The most operations in the text with all calls inlined, for the model to decide.
const CODE: usize = 8_000;

/// The same for it to decide the number of batches as well, of each of the two.
const CODE_OF_BATCHES: usize = 400;

/// The part of the cycles that inlining all calls has to save, in the mean of the cores.
const SAVED: f64 = 0.04;

/// The same on each of them.
const SAVED_ON_EACH: f64 = 0.01;

/// Whether inlining all calls saves time; `rest` runs the passes that come after.
pub fn cost_more_than_copies(
    program: &Program,
    settings: &Settings,
    rest: &dyn Fn(&mut Program, &Settings),
) -> bool {
    let (Some(clock), false) = (&settings.clock, settings.inline_all || settings.no_inline) else {
        return false;
    };
    let inlined = |inline_all: bool| {
        let mut program = program.clone();
        inline::run(&mut program, &Settings { inline_all, ..settings.clone() });
        program
    };
    let (calls, none) = (inlined(false), inlined(true));
    let code: usize = none.nodes.iter().map(|node| node.body.size()).sum();
    if calls == none || code > CODE {
        return false;
    }
    // Else the number of batches is that of the rule, which takes no time.
    let clock_of_batches = (code <= CODE_OF_BATCHES).then(|| clock.clone());
    let later = Settings { clock: clock_of_batches, ..settings.clone() };
    let time = |mut program: Program| {
        rest(&mut program, &later);
        clock.time(&program)
    };
    let (Some(before), Some(after)) = (time(calls), time(none)) else { return false };
    let ratios = ratios(&before, &after);
    mean(&ratios) < 1.0 - SAVED && ratios.iter().all(|&ratio| ratio < 1.0 - SAVED_ON_EACH)
}
