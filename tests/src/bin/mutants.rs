//! Seeds faults into ciphers, in Usuba0 and in the bytes of objects, and prints a table of what the prover and test vectors say.
//!
//! `make mutants` runs it: `USUBA_MUTANTS` of each kind for each cipher, 500 by default. It fails if a fault is neither refused,
//! refuted nor proved to be none.

use std::time::Instant;
use usuba_ir::layout::Slicing;
use usuba_tests::mutants::{Case, Tally, in_objects, in_programs};

const fn case(
    cipher: &'static str,
    node: &'static str,
    slicing: Slicing,
    target: &'static str,
    compiler: &'static str,
) -> Case {
    Case { cipher, node, slicing, target, compiler }
}

const CASES: [Case; 10] = [
    case("speck", "Encrypt64_128", Slicing::V, "gp64", "gcc"),
    case("simon", "Encrypt64_128", Slicing::V, "avx2", "clang"),
    case("chacha20", "Block", Slicing::V, "gp64", "clang"),
    case("xoodoo", "Xoodoo12", Slicing::V, "gp64", "gcc"),
    case("rectangle", "Encrypt", Slicing::V, "avx2", "clang"),
    case("present", "Encrypt", Slicing::B, "gp64", "gcc"),
    case("des", "Encrypt", Slicing::B, "avx2", "gcc"),
    case("ascon", "P12", Slicing::V, "gp64", "clang"),
    case("serpent", "Encrypt", Slicing::V, "avx512", "gcc"),
    case("aes", "Encrypt128", Slicing::H, "avx512", "gcc"),
];

const HEAD: &str = "seeded | refused | refuted | proved equal | open | missed by 1 | by 4 | by 16 | by 64 |";

fn main() -> std::process::ExitCode {
    let count = std::env::var("USUBA_MUTANTS").ok().and_then(|text| text.parse().ok()).unwrap_or(500);
    let only: Vec<String> = std::env::args().skip(1).collect();
    let mut all = Tally::default();
    println!("| cipher | faults in | {HEAD}\n|---|---|{}", "--:|".repeat(9));
    for (number, case) in (1..).zip(CASES) {
        if !only.is_empty() && !only.iter().any(|name| name == case.cipher) {
            continue;
        }
        let Case { cipher, node, slicing, target, compiler } = case;
        let started = Instant::now();
        let (program, object) = (in_programs(case, count, number), in_objects(case, count, 100 + number));
        println!("| `{cipher}`, `{node}`, `{slicing}` | Usuba0 | {} |", program.row());
        println!("| | object, `{target}`, {compiler} | {} |", object.row());
        eprintln!("{cipher}: {:.0} s", started.elapsed().as_secs_f64());
        all.add(&program);
        all.add(&object);
    }
    println!("| all | | {} |\n\n| fault | seeded | proved equal |\n|---|--:|--:|", all.row());
    for (fault, (seeded, equal)) in &all.kinds {
        println!("| {fault} | {seeded} | {equal} |");
    }
    std::process::ExitCode::from(u8::from(all.unknown > 0))
}
