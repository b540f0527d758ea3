//! Where engines are compiled: for the platforms on which some primitive uses them.

use super::Options;
use super::engines::{Candidate, Engines, Served, assembles};
use crate::OutputFile;

/// Writes the files of the engines of all primitives of a cipher, each for where one of these uses it.
pub fn write_files(all: &mut [&mut Engines], options: &Options) {
    let mut files: Vec<Vec<OutputFile>> = Vec::new();
    for engines in &*all {
        let mut of = Vec::new();
        for candidate in &engines.candidates {
            let stem = &candidate.engine.stem;
            let is_owner = candidate.engine.functions == *stem;
            let users = |engines: &Engines| -> Vec<bool> {
                let uses = |served: &Served| {
                    let mut of = served.engines.iter();
                    of.any(|one| one.stem == *stem || is_owner && one.functions == *stem)
                };
                engines.platforms.iter().map(uses).collect()
            };
            let uses: Vec<(&Engines, Vec<bool>)> = all
                .iter()
                .map(|engines| (&**engines, users(engines)))
                .filter(|(_, uses)| uses.contains(&true))
                .collect();
            if !uses.is_empty() {
                of.extend(candidate.files(&condition(candidate, &uses, options)));
            }
        }
        files.push(of);
    }
    for (engines, files) in all.iter_mut().zip(files) {
        engines.files = files;
    }
}

/// Where an engine is compiled, which primitives use on some of their platforms.
fn condition(candidate: &Candidate, uses: &[(&Engines, Vec<bool>)], options: &Options) -> String {
    let platforms = |(engines, uses): &(&Engines, Vec<bool>)| -> Vec<(Served, bool)> {
        engines.platforms.iter().cloned().zip(uses.iter().copied()).collect()
    };
    let all: Vec<Vec<(Served, bool)>> = uses.iter().map(platforms).collect();
    // What only one of the two does that a platform is served as, is compiled where that one is.
    let is_only = |assembly| {
        all.iter().flatten().filter(|(_, uses)| *uses).all(|(served, _)| served.assembly == Some(assembly))
    };
    match candidate.platform.as_str() {
        // What is for everywhere, where no platform does without it.
        "" => {
            let without = |all: &Vec<(Served, bool)>| -> Vec<String> {
                let unused = all.iter().filter(|(served, uses)| !uses && !served.condition.is_empty());
                unused.map(|(served, _)| format!("!({})", served.alone(options))).collect()
            };
            let mut everywhere = all.iter().map(without);
            let first = everywhere.next().unwrap_or_default();
            let rest: Vec<Vec<String>> = everywhere.collect();
            let by_all = |one: &String| rest.iter().all(|others| others.contains(one));
            first.into_iter().filter(by_all).collect::<Vec<_>>().join(" && ")
        }
        platform if is_only(true) => format!("{platform} && {}", assembles(options)),
        platform if is_only(false) => format!("{platform} && !({})", assembles(options)),
        platform => platform.to_owned(),
    }
}
