//! The list of passes, in order, and the function that runs it.

use crate::pass::{Observer, Pass, Settings};
use crate::{arrays, bytes, calls, copies, dead, fold, inline, interleave, pieces, share};
use usuba_ir::program::Program;

/// The name of the pass that [`calls`] decides about.
const INLINE: &str = "inline";

/// All passes, in order.
#[rustfmt::skip]
pub const PASSES: &[Pass] = &[
    Pass { name: INLINE,   purpose: "Replace calls of small nodes by their bodies.",                 run: inline::run },
    Pass { name: "arrays", purpose: "Carry arrays where loops carry more atoms than registers.",     run: arrays::run },
    Pass { name: "copies", purpose: "Read what is carried or stored from where it comes from.",      run: copies::run },
    Pass { name: "pieces", purpose: "Make arrays of pieces of others, not of their atoms.",           run: pieces::run },
    Pass { name: "fold",   purpose: "Compute with constants, and apply the laws of logic.",          run: fold::run },
    Pass { name: "bytes",  purpose: "Make one map of what is computed of one byte.",                run: bytes::run },
    Pass { name: "share",  purpose: "Compute what is the same once.",                                run: share::run },
    Pass { name: "dead",   purpose: "Remove what no output depends on, and nodes that nobody calls.", run: dead::run },
    Pass { name: "interleave", purpose: "Compute several batches of instances at once.",             run: interleave::run },
];

/// The pass of this name.
pub fn find(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|pass| pass.name == name)
}

/// Runs all passes but the disabled ones, or until the observer stops them. `program` passes the checker, before and after each pass.
pub fn optimise(program: &mut Program, settings: &Settings, observer: &mut dyn Observer) {
    let mut settings = settings.clone();
    settings.inline_all |= settings.runs(INLINE)
        && calls::cost_more_than_copies(program, &settings, &|program, settings| {
            let mut rest = settings.clone();
            rest.disabled.push(INLINE.to_owned());
            all(program, &rest, &mut ());
        });
    all(program, &settings, observer);
}

fn all(program: &mut Program, settings: &Settings, observer: &mut dyn Observer) {
    for pass in PASSES.iter().filter(|pass| settings.runs(pass.name)) {
        observer.before(pass, program);
        (pass.run)(program, settings);
        if observer.after(pass, program).is_break() {
            return;
        }
    }
}
