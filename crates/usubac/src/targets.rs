//! Targets and slicings named on the command line.

use crate::args::SlicingArg;
use crate::output::Failure;
use usuba_ir::layout::Slicing;
use usuba_kit::run::{Compiler, Family};
use usuba_target::{Target, all, by_name};

/// Whether code for a target runs here without an emulator.
pub fn runs_here(target: &Target) -> bool {
    [Family::Gcc, Family::Clang]
        .iter()
        .any(|&family| Compiler::find(target, family).is_ok_and(|compiler| compiler.runner.is_empty()))
}

/// The widest target that this machine runs.
pub fn native() -> &'static Target {
    let best =
        all().iter().copied().filter(|target| runs_here(target)).max_by_key(|target| target.register_bits);
    best.unwrap_or(all()[0])
}

/// The targets of a list of names; `native`, `here` and `all` stand for several, `none` for none.
pub fn named(names: &[String]) -> Result<Vec<&'static Target>, Failure> {
    let mut targets: Vec<&'static Target> = Vec::new();
    for name in names {
        let found: Vec<&'static Target> = match name.as_str() {
            "all" => all().to_vec(),
            "here" => all().iter().copied().filter(|target| runs_here(target)).collect(),
            "native" => vec![native()],
            "none" => Vec::new(),
            name => vec![by_name(name).ok_or_else(|| unknown(name))?],
        };
        for target in found {
            if !targets.iter().any(|known| known.name == target.name) {
                targets.push(target);
            }
        }
    }
    Ok(targets)
}

fn unknown(name: &str) -> Failure {
    let names: Vec<&str> = all().iter().map(|target| target.name).collect();
    Failure::general(format!(
        "there is no target `{name}`; there are {}, and native, here, all",
        names.join(", ")
    ))
}

/// The slicing of an argument; `None` for `auto`.
pub fn slicing(argument: SlicingArg) -> Option<Slicing> {
    match argument {
        SlicingArg::B => Some(Slicing::B),
        SlicingArg::V => Some(Slicing::V),
        SlicingArg::H => Some(Slicing::H),
        SlicingArg::Auto => None,
    }
}

/// All slicings.
pub const SLICINGS: [Slicing; 3] = [Slicing::B, Slicing::V, Slicing::H];
