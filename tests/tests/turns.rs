//! Kernels that take the number of their turns from the caller: for each size of keys they compute what the kernel of that size does,
//! and are the same text. Programs whose turns are no parameter stay as they are.

use std::ops::ControlFlow;
use usuba_codegen::{Backend, Options, Product as Made, Rounds, Style};
use usuba_compiler::pipeline::{Compiled, Observer, Product, Settings, compile};
use usuba_ir::layout::Slicing;
use usuba_lang::load::{Loaded, Text, load};
use usuba_lower::Loops;
use usuba_machine::program::{Parameter, Program, Role};
use usuba_tests::ciphers::Cipher;
use usuba_tests::ways;

/// Keeps the machine program after the last pass, and that with turns as a parameter.
#[derive(Default)]
struct Watch {
    plain: Option<Program>,
    turned: Option<Program>,
}

impl Observer for Watch {
    fn after(&mut self, stage: &'static str, product: Product<'_>) -> ControlFlow<()> {
        if let Product::Generated(Made::Machine(program, _)) = product {
            let place = if stage == "turns" { &mut self.turned } else { &mut self.plain };
            *place = Some(program.clone());
        }
        ControlFlow::Continue(())
    }
}

struct Kernel {
    compiled: Compiled,
    plain: Program,
    turned: Option<Program>,
}

fn kernel(
    loaded: &Loaded,
    node: &str,
    slicing: Slicing,
    target: &str,
    backend: Backend,
    hoisted: bool,
) -> Kernel {
    let target = usuba_target::by_name(target).expect("a target");
    let options = Options {
        symbol: "kernel".into(),
        header_name: "kernel.h".into(),
        backend,
        style: Style::Terse,
        turns: true,
        ..Options::default()
    };
    let mut settings = Settings::new(slicing, Some(node));
    settings.hoisted = hoisted;
    if node == "N" {
        settings.lowering.loops = Loops::Keep;
    }
    let mut watch = Watch::default();
    let compiled = compile(loaded, &settings, target, &options, &mut watch)
        .unwrap_or_else(|failure| panic!("{node}: {failure:?}"));
    let plain = watch.plain.expect("there are passes");
    assert_eq!(compiled.kernel.rounds.is_some(), watch.turned.is_some());
    Kernel { compiled, plain, turned: watch.turned }
}

impl Kernel {
    fn turns(&self) -> Rounds {
        self.compiled.kernel.rounds.expect("its turns are a parameter")
    }

    /// The source without comments.
    fn code(&self) -> String {
        let lines = self.compiled.kernel.source.lines();
        let code = lines.map(|line| line.split_once(" // ").map_or(line, |(code, _)| code.trim_end()));
        code.skip_while(|line| *line != " */").collect::<Vec<_>>().join("\n")
    }

    /// Which bytes of the round keys an atom has, and all of them.
    fn keys(&self) -> (usize, usize) {
        let entry = self.plain.functions.last().expect("an entry");
        let uniform = entry.parameters.iter().find_map(|parameter| match *parameter {
            Parameter::Region(region) if entry.region(region).role == Role::Uniform => {
                Some(entry.region(region))
            }
            _ => None,
        });
        let uniform = uniform.expect("round keys");
        (
            uniform.element.bytes(),
            uniform.element.bytes() * uniform.length.constant().expect("a length") as usize,
        )
    }
}

/// The round keys of a kernel, cut into what is read before the loop, in its turns, and after it; parts without bytes are left out.
fn parts(keys: &[u8], atom: usize, turns: Rounds) -> Vec<Vec<u8>> {
    let [before, each, after] = [turns.before, turns.each, turns.after].map(|atoms| atoms as usize * atom);
    let all = turns.turns as usize * each;
    let (before, middle, after) = if turns.descending {
        let (last, rest) = keys.split_at(after);
        let (middle, first) = rest.split_at(all);
        assert_eq!(first.len(), before);
        (first.to_vec(), middle.chunks(each).rev().flatten().copied().collect(), last.to_vec())
    } else {
        let (first, rest) = keys.split_at(before);
        let (middle, last) = rest.split_at(all);
        assert_eq!(last.len(), after);
        (first.to_vec(), middle.to_vec(), last.to_vec())
    };
    [before, middle, after].into_iter().filter(|part: &Vec<u8>| !part.is_empty()).collect()
}

fn bytes(seed: &mut u64, count: usize) -> Vec<u8> {
    let mut next = || {
        *seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (*seed >> 56) as u8
    };
    (0..count).map(|_| next()).collect()
}

/// The kernels of several sizes of keys: one text, and the first of them computes with the turns of each what that one computes.
fn check(name: &str, nodes: &[&str], slicing: Slicing, target: &str, backend: Backend, hoisted: bool) {
    let cipher = Cipher::read(name);
    let kernels: Vec<Kernel> =
        nodes.iter().map(|node| kernel(&cipher.loaded, node, slicing, target, backend, hoisted)).collect();
    let what = format!("{name}, {nodes:?}, {slicing}, {target}, {backend:?}");
    assert_eq!(kernels[0].compiled.hoisted.is_some(), hoisted, "{what}");
    for one in &kernels[1..] {
        assert!(one.code() == kernels[0].code(), "{what}: two texts");
        assert_ne!(one.turns().turns, kernels[0].turns().turns, "{what}");
    }
    let shared = kernels[0].turned.clone().expect("turns");
    let shared = usuba_machine::check(shared).unwrap_or_else(|flaws| panic!("{what}: {}", flaws[0]));
    let mut seed = 1;
    for one in &kernels {
        let plain =
            usuba_machine::check(one.plain.clone()).unwrap_or_else(|flaws| panic!("{what}: {}", flaws[0]));
        let entry = plain.functions.last().expect("an entry");
        let block = entry.parameters.iter().find_map(|parameter| match *parameter {
            Parameter::Region(region) if entry.region(region).role == Role::Input => {
                let region = entry.region(region);
                Some(region.element.bytes() * region.length.constant()? as usize)
            }
            _ => None,
        });
        let (atom, all) = one.keys();
        let turns = one.turns();
        for case in 0..3 {
            let (block, keys) = (bytes(&mut seed, block.expect("a block")), bytes(&mut seed, all));
            let expected = usuba_machine::run(&plain, &[block.clone(), keys.clone()]).expect("it runs");
            let run = |turns: Rounds, count: u32| {
                let mut inputs = vec![block.clone()];
                inputs.extend(parts(&keys, atom, turns));
                inputs.push(u64::from(count).to_le_bytes().to_vec());
                usuba_machine::run(&shared, &inputs)
            };
            assert_eq!(run(turns, turns.turns).expect("it runs"), expected, "{what}, case {case}");
            // Turns in the other order are another function.
            let other =
                Rounds { descending: !turns.descending, before: turns.after, after: turns.before, ..turns };
            if turns.before == turns.after {
                assert_ne!(run(other, turns.turns).expect("it runs"), expected, "{what}, case {case}");
            }
        }
    }
}

#[test]
fn kernels_of_all_sizes_of_keys_are_one() {
    use Backend::{Assembly, C};
    use Slicing as S;
    let usual = [
        ("aes", &["Encrypt128", "Encrypt192", "Encrypt256"][..], S::H, "avx2", C, false),
        ("skinny", &["Decrypt64_64", "Decrypt64_192"], S::H, "avx2", C, true),
        ("simon", &["Decrypt64_96", "Decrypt64_128"], S::V, "avx2", Assembly, false),
        ("lea", &["Decrypt192", "Decrypt256"], S::V, "neon", C, false),
    ];
    let others = [
        ("aes", &["Decrypt256", "Decrypt128"][..], S::H, "ssse3", Assembly, false),
        ("aes", &["Decrypt128", "Decrypt192"], S::H, "gp64", C, false),
        ("aria", &["Encrypt128", "Encrypt256"], S::B, "avx512", Assembly, false),
        ("camellia", &["Encrypt18", "Encrypt24"], S::H, "avx2", C, false),
        ("skinny", &["Encrypt128_128", "Encrypt128_384"], S::V, "gp64", C, false),
    ];
    let others = others.iter().filter(|_| ways::all());
    for &(name, nodes, slicing, target, backend, hoisted) in usual.iter().chain(others) {
        check(name, nodes, slicing, target, backend, hoisted);
    }
}

/// Whether the turns of a program become a parameter.
fn is_turned(source: &str) -> bool {
    let loaded = load("program.ua", &[], &Text(source));
    assert!(loaded.diagnostics.is_empty(), "{source}");
    let kernel = kernel(&loaded, "N", Slicing::V, "gp64", Backend::C, false);
    kernel.compiled.kernel.rounds.is_some()
}

#[test]
fn what_is_no_number_of_turns_stays() {
    let node = |inputs: &str, body: &str| {
        format!("node N (x:u32, {inputs}) returns (y:u32)\nvars t:u32[21]\nlet\n    {body}\ntel\n")
    };
    let rounds = "t[0] = x; forall i in [0,19] { t[i+1] = (t[i] <<< 3) + k[i] }";
    assert!(is_turned(&node("k:const u32[20]", &format!("{rounds}\n    y = t[20]"))));
    assert!(is_turned(&node("k:const u32[22]", &format!("{rounds}\n    y = t[20] ^ k[21]"))));
    // Read in the loop, and after it again.
    assert!(!is_turned(&node("k:const u32[20]", &format!("{rounds}\n    y = t[20] ^ k[19]"))));
    // Read in two turns.
    let twice = "t[0] = x; forall i in [0,19] { t[i+1] = (t[i] <<< 3) + k[i] + k[i+1] }";
    assert!(!is_turned(&node("k:const u32[21]", &format!("{twice}\n    y = t[20]"))));
    // From both ends.
    let both = "t[0] = x; forall i in [0,19] { t[i+1] = (t[i] <<< 3) + k[i] + k[39-i] }";
    assert!(!is_turned(&node("k:const u32[40]", &format!("{both}\n    y = t[20]"))));
    // Something else is read by the number of the turn.
    let with = "t[0] = x; forall i in [0,19] { t[i+1] = (t[i] <<< 3) + k[i] + c[i] }";
    assert!(!is_turned(&node("k:const u32[20], c:u32[20]", &format!("{with}\n    y = t[20]"))));
    assert!(!is_turned(&node("k:const u32[20], c:const u32[20]", &format!("{with}\n    y = t[20]"))));
}
