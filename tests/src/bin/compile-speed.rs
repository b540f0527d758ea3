//! How long `usubac` takes: every cipher, slicing and target, from source text to C, in one process; the median of a few
//! runs of the whole pipeline, and the size of what it makes.

use std::time::{Duration, Instant};
use usuba_ir::layout::Slicing;
use usuba_kit::manifest::Function;
use usuba_kit::pipeline::{Settings, compile};
use usuba_lang::load::load;
use usuba_tests::ciphers::{CIPHERS, Cipher, Disk, root};

const RUNS: usize = 3;

fn main() {
    println!("{:<28} {:>2} {:<11} {:>9} {:>10} {:>9}", "node", "", "target", "time", "C", "gates");
    let mut slowest = (Duration::ZERO, String::new());
    for name in CIPHERS {
        let cipher = Cipher::read(name);
        let source = root().join("ciphers").join(name).join(&cipher.manifest.source);
        let mut nodes: Vec<(&str, Vec<Slicing>)> = Vec::new();
        for primitive in &cipher.manifest.primitives {
            let mut add = |node: &'static str, slicings: Vec<Slicing>| nodes.push((node, slicings));
            let slicings = primitive.slicings.clone();
            let leak = |text: &str| -> &'static str { Box::leak(text.to_owned().into_boxed_str()) };
            match &primitive.function {
                Function::BlockCipher(block) => {
                    add(leak(&block.encrypt), slicings.clone());
                    if let Some(decrypt) = &block.decrypt {
                        add(leak(decrypt), slicings);
                    }
                    add(leak(&block.schedule.node), vec![block.schedule.slicing]);
                }
                Function::Stream(stream) => add(leak(&stream.block_function), slicings),
                Function::Permutation(permutation) => add(leak(&permutation.permute), slicings),
            }
        }
        let mut seen = Vec::new();
        nodes.retain(|(node, _)| {
            !seen.contains(node) && {
                seen.push(node);
                true
            }
        });
        for (node, slicings) in nodes {
            for slicing in slicings {
                for target in usuba_target::all() {
                    let naming = usuba_codegen::Options { symbol: "kernel".into(), ..Default::default() };
                    let mut times = Vec::new();
                    let mut result = None;
                    for _ in 0..RUNS {
                        let started = Instant::now();
                        let loaded = load(&source.to_string_lossy(), &[], &Disk);
                        result =
                            compile(&loaded, &Settings::new(slicing, Some(node)), target, &naming, &mut ())
                                .ok();
                        times.push(started.elapsed());
                    }
                    times.sort();
                    let Some(compiled) = result else { continue };
                    let median = times[RUNS / 2];
                    let row = format!("{name}: {node}");
                    println!(
                        "{row:<28} {slicing:>2} {:<11} {:>6} ms {:>7} KB {:>9}",
                        target.name,
                        median.as_millis(),
                        compiled.kernel.source.len() / 1024,
                        compiled.kernel.report.gates
                    );
                    if median > slowest.0 {
                        slowest = (median, format!("{row}, slicing {slicing}, {}", target.name));
                    }
                }
            }
        }
    }
    println!("slowest: {} ms, {}", slowest.0.as_millis(), slowest.1);
}
