//! Targets and slicings named on the command line.

use crate::output::Failure;
use usuba_ir::layout::Slicing;
use usuba_target::{Target, all, by_name};
use usuba_trial::run::{Compiler, Family};
use usuba_trial::variant::{self, KNOBS, Variant};

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

/// The compiler of this name.
pub fn compiler(name: &str) -> Result<Family, Failure> {
    Family::named(name)
        .ok_or_else(|| Failure::general(format!("`{name}` is no compiler; there are gcc and clang")))
}

/// The places of the values in `KNOB=VALUE,…`, and that of the knob; `all` stands for all values.
pub fn knob(text: &str) -> Result<(usize, Vec<usize>), Failure> {
    let (name, values) = text
        .split_once('=')
        .ok_or_else(|| Failure::general(format!("`{text}` is no choice: write NAME=VALUE,…")))?;
    let any = Variant::new(Slicing::V);
    let Some(place) = variant::knob(name) else {
        return Err(Failure::general(any.set(name, "").err().unwrap_or_default()));
    };
    if values == "all" {
        return Ok((place, (0..KNOBS[place].values.len()).collect()));
    }
    if let Some(value) = values.split(',').find(|value| value.contains('=')) {
        return Err(Failure::general(format!(
            "`{text}`: `{value}` is no value of `{name}`: values follow one NAME=, with commas between them; another \
             NAME=VALUE,… takes another `--vary`"
        )));
    }
    let places: Result<Vec<usize>, String> =
        values.split(',').map(|value| any.set(name, value).map(|one| one.place(place))).collect();
    Ok((place, places.map_err(Failure::general)?))
}

/// Each of `variants` with all ways to combine the values of `--vary KNOB=VALUE,…`, without repetitions.
pub fn varied(variants: &[Variant], vary: &[String]) -> Result<Vec<Variant>, Failure> {
    let mut variants = variants.to_vec();
    for text in vary {
        let (place, values) = knob(text)?;
        let all = variants.iter().flat_map(|one| values.iter().map(|&value| one.with(place, value)));
        let mut distinct: Vec<Variant> = Vec::new();
        for variant in all {
            if !distinct.contains(&variant) {
                distinct.push(variant);
            }
        }
        variants = distinct;
    }
    Ok(variants)
}

/// The slicings that a program is tried in where nobody says which; of the packed ones, the one of most programs.
pub const TRIED: [Slicing; 4] = [Slicing::B, Slicing::V, Slicing::Packed(4), Slicing::H];
