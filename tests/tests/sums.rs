//! The sums modulo 2 that `usuba_algebra` makes of ciphers have the values that the interpreter computes.

use usuba_compiler::pipeline::Settings;
use usuba_ir::random::Random;
use usuba_lang::elaborate::{Options, elaborate};
use usuba_lang::interpret::Interpreter;
use usuba_lang::typed::{Atoms, Program};
use usuba_tests::ciphers::{CIPHERS, Cipher};
use usuba_tests::sums::compare;

/// Compares a program with its sums on random inputs.
fn check(program: &Program) -> Result<bool, String> {
    let entry = program.instance(program.entry());
    let mut random = Random::new(7);
    let mut inputs = || {
        let variables = entry.inputs.iter().map(|&input| entry.variable(input));
        let mut words = |atoms: u32, width: u32| (0..atoms).map(|_| random.wide() >> (128 - width)).collect();
        variables.map(|one| words(one.atoms(), one.width)).collect()
    };
    let arguments: Vec<Vec<Vec<u128>>> = vec![inputs(), inputs()];
    let mut interpreter = Interpreter::new(program);
    let results: Vec<_> = arguments.iter().map(|inputs| interpreter.run(inputs)).collect();
    compare(program, &arguments, &results)
}

/// All nodes that manifests name, in the atoms of each of their slicings, tables whole where a slicing keeps them.
#[test]
fn sums_of_ciphers_have_the_values_of_the_interpreter() {
    let (mut of_bits, mut of_words, mut recognised, mut too_large) = (0, 0, 0, Vec::new());
    for cipher in CIPHERS {
        let cipher = Cipher::read(cipher);
        for (node, slicings) in cipher.nodes() {
            let mut seen: Vec<Atoms> = Vec::new();
            for slicing in slicings {
                let options = Settings::new(slicing, Some(&node)).elaboration();
                if seen.contains(&options.atoms) {
                    continue;
                }
                seen.push(options.atoms);
                let options = Options { bitslice_arithmetic: true, keep_tables: true, ..options };
                let (program, findings) = elaborate(&cipher.loaded.program, &options);
                let program = program.unwrap_or_else(|| panic!("{node}: {findings:?}"));
                let checked = check(&program);
                recognised += usize::from(checked == Ok(true));
                match (checked, program.atoms()) {
                    (Ok(_), Atoms::Bits) => of_bits += 1,
                    (Ok(_), Atoms::Words) => of_words += 1,
                    (Err(why), _) if why == "its sums have more terms than are looked at" => {
                        too_large.push(node.clone());
                    }
                    (Err(why), _) => panic!("{node}, {slicing}: {why}"),
                }
            }
        }
    }
    too_large.dedup();
    // `DecryptWords` and the key schedule are those of Kuznyechik, whose linear map goes over 16 bytes in every round.
    let wide = ["ACE", "Gimli", "KeccakF", "DecryptWords", "KeySchedule", "Xoodoo12"];
    assert_eq!(too_large, wide, "wide linear maps between products");
    assert!(recognised >= 40, "{recognised} are linear or in layers");
    assert!(of_bits > 40 && of_words > 40, "{of_bits} programs of bits, {of_words} of words");
}
