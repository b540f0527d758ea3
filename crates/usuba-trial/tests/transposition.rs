//! What brings the blocks of drivers to registers and back, networks and the C of `runtime/usuba_transpose.h`, against the model:
//! `order.rs` and the definition of the layouts.

use usuba_package::OutputFile;
use usuba_package::driver::transposition::{Transposition, Wanted, functions};
use usuba_package::driver::{Format, Image, format_definition};
use usuba_package::order::Order;
use usuba_target::machines::GP64;
use usuba_target::{ByteOrder, Target};
use usuba_trial::run::{Compiler, Family, RunError};

struct Case {
    order: Order,
    width: u32,
    words: usize,
    image: Image,
    register: usize,
}

impl Case {
    fn bytes(&self) -> usize {
        (self.words * self.width as usize).div_ceil(8)
    }

    fn instances(&self) -> usize {
        match self.image {
            Image::B => 8 * self.register,
            Image::V { lane } => self.register / lane,
            Image::H { .. } => 8 * self.register / self.width as usize,
            Image::BitInterleaved { batch } => batch,
            Image::Packed { .. } => self.register / 16,
        }
    }

    /// The instance of each block: blocks go to the pieces of a first register, then to those of the next, as if blocks
    /// of 16 bytes, or pairs of blocks of 8, were loaded register by register.
    fn instances_of_blocks(&self) -> Vec<usize> {
        let pieces = (self.register / 16).max(1);
        let places = self.instances() / pieces;
        let pair = if self.bytes() == 8 && places > 1 { 2 } else { 1 };
        let mut instances = Vec::new();
        for place in (0..places).step_by(pair) {
            for piece in 0..pieces {
                instances.extend((0..pair).map(|one| piece * places + place + one));
            }
        }
        instances
    }

    fn registers(&self) -> usize {
        match self.image {
            Image::B => self.words * self.width as usize,
            Image::Packed { lane } => self.words * lane / 16,
            _ => self.words,
        }
    }

    fn uniform_bytes(&self) -> usize {
        match self.image {
            Image::B => self.words * self.width as usize,
            Image::V { lane } | Image::Packed { lane } => self.words * lane,
            Image::H { batch } => self.words * self.width as usize * batch / 8,
            Image::BitInterleaved { .. } => 8 * self.words,
        }
    }

    fn name(&self) -> String {
        let image = match self.image {
            Image::B => "B".into(),
            Image::V { lane } => format!("V lane {lane}"),
            Image::H { batch } => format!("H batch {batch}"),
            Image::BitInterleaved { batch } => format!("interleaved {batch}"),
            Image::Packed { lane } => format!("packed lane {lane}"),
        };
        format!(
            "{image}, registers of {} bytes, blocks of {} words of {} bits, {}",
            self.register, self.words, self.width, self.order
        )
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add =
        |order, width, words, image, register| cases.push(Case { order, width, words, image, register });
    for register in [8, 16, 32, 64] {
        add(Order::Planes, 16, 8, Image::B, register); // AES
        add(Order::Big, 1, 64, Image::B, register); // DES
        add(Order::Nibbles, 16, 4, Image::B, register); // SKINNY-64
        add(Order::Little, 32, 4, Image::B, register); // Serpent
    }
    add(Order::Big, 64, 5, Image::B, 8); // Ascon
    add(Order::Little, 16, 5, Image::B, 16); // 10 bytes: a part of a group of 8
    add(Order::Little, 1, 257, Image::B, 8); // Subterranean: a part of a byte
    add(Order::Big, 48, 1, Image::B, 16);
    for register in [8, 16, 32, 64] {
        add(Order::Little, 32, 3, Image::B, register); // Pyjamask-96
    }
    add(Order::Big, 4, 16, Image::B, 8);
    add(Order::Planes, 2, 8, Image::B, 8);
    add(Order::Nibbles, 6, 8, Image::B, 8);
    for register in [16, 32, 64] {
        add(Order::Little, 32, 16, Image::V { lane: 4 }, register); // ChaCha20
        add(Order::Big, 64, 5, Image::V { lane: 8 }, register);
        add(Order::Little, 16, 4, Image::V { lane: 2 }, register);
        add(Order::Big, 8, 16, Image::V { lane: 1 }, register); // AES on bytes
        add(Order::Little, 8, 8, Image::V { lane: 1 }, register);
        add(Order::Big, 8, 16, Image::Packed { lane: 1 }, register); // AES on bytes
        add(Order::Little, 32, 16, Image::Packed { lane: 4 }, register); // ChaCha20
        add(Order::Big, 32, 4, Image::Packed { lane: 4 }, register);
    }
    for lane in [1, 2, 4, 8] {
        add(Order::Big, 8 * lane as u32, 4, Image::V { lane }, lane); // general-purpose registers
        add(Order::Little, 8, 4, Image::V { lane }, 4 * lane); // narrow atoms in wide lanes
    }
    add(Order::Planes, 16, 8, Image::V { lane: 2 }, 16);
    add(Order::Nibbles, 16, 4, Image::V { lane: 2 }, 16);
    add(Order::Nibbles, 32, 4, Image::V { lane: 4 }, 32); // GIFT-128
    for (width, lane) in [(4, 1), (8, 1), (16, 2), (32, 4), (64, 8)] {
        add(Order::Planes, width, 8, Image::V { lane }, lane);
        add(Order::Nibbles, width, 8, Image::V { lane }, lane);
        for register in [16, 32, 64] {
            add(Order::Planes, width, 8, Image::V { lane }, register);
            add(Order::Nibbles, width, 4, Image::V { lane }, register);
        }
    }
    add(Order::Big, 4, 16, Image::V { lane: 1 }, 1);
    add(Order::Big, 48, 3, Image::V { lane: 8 }, 32);
    add(Order::Little, 24, 3, Image::V { lane: 4 }, 16);
    for register in [16, 32, 64] {
        add(Order::Planes, 16, 8, Image::H { batch: 8 }, register); // AES
        add(Order::Little, 16, 4, Image::H { batch: 8 }, register); // RECTANGLE
        add(Order::Big, 8, 4, Image::H { batch: 16 }, register);
        add(Order::Big, 4, 16, Image::H { batch: 32 }, register);
        add(Order::Planes, 2, 8, Image::H { batch: 64 }, register);
        add(Order::Planes, 8, 16, Image::H { batch: 16 }, register);
        add(Order::Nibbles, 16, 4, Image::H { batch: 8 }, register); // SKINNY-64
        add(Order::Planes, 4, 32, Image::H { batch: 32 }, register); // SM4
        add(Order::Planes, 4, 64, Image::H { batch: 32 }, register); // PHOTON
        add(Order::Planes, 4, 16, Image::H { batch: 32 }, register); // a part of 16 bytes
    }
    for register in [32, 64] {
        add(Order::Little, 32, 4, Image::H { batch: 8 }, register); // Serpent
        add(Order::Big, 32, 4, Image::H { batch: 8 }, register); // GIFTb-128
        add(Order::Nibbles, 32, 4, Image::H { batch: 8 }, register); // GIFT-128
    }
    add(Order::Big, 64, 5, Image::H { batch: 8 }, 64);
    add(Order::Little, 16, 5, Image::H { batch: 8 }, 16);
    for (width, batch) in [(64, 1), (32, 2), (16, 4), (8, 8), (4, 16), (2, 32)] {
        for order in [Order::Big, Order::Little, Order::Planes, Order::Nibbles] {
            if order != Order::Little || width >= 8 {
                add(order, width, 8, Image::BitInterleaved { batch }, 8);
            }
        }
    }
    cases
}

/// The bytes that `fill` of the C program makes.
fn fill(size: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    (0..size)
        .map(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 56) as u8
        })
        .collect()
}

/// Sets bits of `image` as the layouts say; `words[j]` are those of block j.
fn model_image(case: &Case, words: &[Vec<u128>], big_endian: bool) -> Vec<u8> {
    let mut image = vec![0u8; case.registers() * case.register];
    for (j, words) in case.instances_of_blocks().into_iter().zip(words) {
        for (word, &value) in words.iter().enumerate() {
            if let Image::V { lane } | Image::Packed { lane } = case.image {
                let mut bytes = value.to_le_bytes()[..lane].to_vec();
                if big_endian {
                    bytes.reverse();
                }
                let at = match case.image {
                    Image::Packed { .. } => word * lane / 16 * case.register + 16 * j + word * lane % 16,
                    _ => word * case.register + j * lane,
                };
                image[at..][..lane].copy_from_slice(&bytes);
                continue;
            }
            for bit in 0..case.width as usize {
                let set = value >> (case.width as usize - 1 - bit) & 1;
                let (at, shift) = match case.image {
                    Image::BitInterleaved { batch } => {
                        let place = (case.width as usize - 1 - bit) * batch + j;
                        let byte = if big_endian { 7 - place / 8 } else { place / 8 };
                        (word * 8 + byte, place % 8)
                    }
                    Image::H { batch } => {
                        let (chunk, k) = (j / batch, j % batch);
                        let element = (chunk * case.width as usize + bit) * batch / 8;
                        (word * case.register + element + k / 8, k % 8)
                    }
                    _ => ((word * case.width as usize + bit) * case.register + j / 8, j % 8),
                };
                image[at] |= (set as u8) << shift;
            }
        }
    }
    image
}

fn model_uniform(case: &Case, words: &[u128], big_endian: bool) -> Vec<u8> {
    if let Image::BitInterleaved { batch } = case.image {
        return model_image(case, &vec![words.to_vec(); batch], big_endian);
    }
    let mut uniform = Vec::new();
    for &value in words {
        match case.image {
            Image::V { lane } | Image::Packed { lane } => {
                let mut bytes = value.to_le_bytes()[..lane].to_vec();
                if big_endian {
                    bytes.reverse();
                }
                uniform.extend(bytes);
            }
            _ => {
                let size = if let Image::H { batch } = case.image { batch / 8 } else { 1 };
                for bit in (0..case.width).rev() {
                    uniform.extend(vec![if value >> bit & 1 == 1 { 0xff } else { 0 }; size]);
                }
            }
        }
    }
    uniform
}

/// What the C program has to print.
fn model(cases: &[Case], big_endian: bool) -> Vec<Vec<u8>> {
    let answer = |(number, case): (usize, &Case)| {
        let bytes = case.bytes();
        let mut blocks = fill(case.instances() * bytes, number as u64);
        let unused = 8 * bytes - case.words * case.width as usize;
        let words: Vec<Vec<u128>> = blocks
            .chunks_mut(bytes)
            .map(|block| {
                // Unused bits of the last byte come back as zero.
                let words = case.order.decode(case.width, case.words, block).unwrap();
                if unused > 0 {
                    block.copy_from_slice(&case.order.encode(case.width, &words).unwrap());
                }
                words
            })
            .collect();
        let mut answer = model_image(case, &words, big_endian);
        answer.extend(&blocks);
        answer.extend(model_uniform(case, &words[0], big_endian));
        if matches!(case.image, Image::B | Image::V { .. }) {
            answer.extend(&blocks[..bytes]);
        }
        answer
    };
    cases.iter().enumerate().map(answer).collect()
}

/// A program that prints, for every case, the image of the blocks, the blocks got back from it, the uniform form of the
/// first block, and (but for H) that block got back from it. The functions are those of drivers for a target.
fn program(cases: &[Case], target: &'static Target) -> Vec<OutputFile> {
    let (mut rows, mut formats) = (String::new(), String::new());
    let names: Vec<String> = (0..cases.len()).map(|number| format!("case_{number}")).collect();
    let mut transpositions = Vec::new();
    for (case, name) in cases.iter().zip(&names) {
        let (words, bytes) = (case.words as u32, case.bytes() as u32);
        let format = Format { order: case.order, width: case.width, words, bytes };
        formats += &format_definition(&format!("{name}_format"), &format);
        let instances = case.instances() as u32;
        transpositions.push(Transposition {
            name,
            format,
            image: case.image,
            instances,
            wanted: Wanted { pack: true, unpack: true, add: true },
        });
        let order = ["USUBA_BIG", "USUBA_LITTLE", "USUBA_PLANES", "USUBA_NIBBLES"][case.order as usize];
        let (image, parameter) = match case.image {
            Image::B => (0, 0),
            Image::V { lane } => (1, lane),
            Image::H { batch } => (2, batch),
            Image::BitInterleaved { batch } => (3, batch),
            Image::Packed { lane } => (4, lane),
        };
        rows += &format!(
            "    {{ {{ {order}, {}, {}, {} }}, {image}, {parameter}, {}, {}, {}, {}, {name}_pack, {name}_unpack, {name}_unpack_add }},\n",
            case.width,
            case.words,
            case.bytes(),
            case.register,
            case.instances(),
            case.registers() * case.register,
            case.uniform_bytes()
        );
    }
    let (functions, mut files) = functions(&transpositions, target);
    let contents = include_str!("transposition.c")
        .replace("/* FUNCTIONS */", &(formats + &functions))
        .replace("/* CASES */", &rows);
    files.push(OutputFile { path: "transposition.c".into(), contents });
    files
}

fn check(target: &'static Target, compiler: Result<Compiler, RunError>, flags: &[&str], big_endian: bool) {
    check_part(target, compiler, flags, big_endian, (0, 1));
}

/// Every how-manieth case from a first one on.
fn check_part(
    target: &'static Target,
    compiler: Result<Compiler, RunError>,
    flags: &[&str],
    big_endian: bool,
    (first, step): (usize, usize),
) {
    let compiler = match compiler {
        Ok(compiler) => compiler,
        Err(error) => {
            eprintln!("skipped: {error}");
            return;
        }
    };
    let mut cases = cases();
    // What is for other registers is the same C for all.
    let register = target.register_bits as usize / 8;
    cases.retain(|case| target.name == GP64.name || case.register == register);
    let cases: Vec<Case> = cases.into_iter().skip(first).step_by(step).collect();
    let mut files = usuba_package::runtime();
    files.extend(program(&cases, target));
    let output = compiler.compile(&files, flags).unwrap_or_else(|e| panic!("{e}")).run(&[]);
    let mut output = &output.unwrap_or_else(|e| panic!("{e}"))[..];
    for (case, expected) in cases.iter().zip(model(&cases, big_endian)) {
        let (found, rest) = output.split_at(expected.len());
        let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
        assert_eq!(differs, None, "{} with {flags:?}: byte of the answer", case.name());
        output = rest;
    }
    assert!(output.is_empty());
}

/// Which cases a compiler optimises where all sizes of registers are one file, in a normal run: it takes twenty seconds over all.
/// Every case is compiled with `-O2` by one of them, with `-O1` by gcc if that was the other, and without optimisation by both.
fn share(number: usize) -> (usize, usize) {
    if all_ways() { (0, 1) } else { (number, 2) }
}

/// Which cases go by a target in a normal run: targets take turns, so that each case goes by some of each register size.
fn quarter(number: usize) -> (usize, usize) {
    if all_ways() { (0, 1) } else { (number % 4, 4) }
}

#[test]
fn gcc() {
    check_part(&GP64, Compiler::native(Family::Gcc), &["-O2"], false, share(0));
    check(&GP64, Compiler::native(Family::Gcc), &["-O0", "-DUSUBA_PORTABLE"], false);
    if all_ways() {
        check(&GP64, Compiler::native(Family::Gcc), &["-O0"], false);
        check(&GP64, Compiler::native(Family::Gcc), &["-O2", "-DUSUBA_PORTABLE"], false);
        check(&GP64, Compiler::native(Family::Gcc), &["-O3", "-march=native"], false);
    }
}

#[test]
fn clang() {
    check(&GP64, Compiler::native(Family::Clang), &["-O0"], false);
    check_part(&GP64, Compiler::native(Family::Clang), &["-O2"], false, share(1));
}

/// Whether every way to compile is asked for (`make test-long`).
fn all_ways() -> bool {
    std::env::var("USUBA_WAYS").is_ok_and(|value| value == "all")
}

/// Targets that have the instructions of another one for moving bits.
const ALIKE: [&str; 4] = ["gp64-bmi", "sse4.2", "avx512-128", "avx512-256"];

/// Targets that add rounds of AES to another one, and nothing that moves bits.
const ROUNDS: [&str; 3] = ["avx-aes", "avx2-vaes", "neon-aes"];

/// With the flags of every target, both byte orders: all cases by both compilers, or a quarter of them by one and the other in turn.
#[test]
fn targets() {
    let targets = usuba_target::all().iter().filter(|target| all_ways() || !ALIKE.contains(&target.name));
    for (number, target) in targets.enumerate() {
        if !all_ways() && ROUNDS.contains(&target.name) {
            continue;
        }
        for (toolchain, family) in
            target.toolchains.iter().flat_map(|t| [(t, Family::Gcc), (t, Family::Clang)])
        {
            if !all_ways() && (number % 2 == 0) != (family == Family::Gcc) {
                continue;
            }
            // Programs for this machine run if it has the instructions; `find` looks.
            let compiler = if toolchain.runner.is_empty() {
                Compiler::find(target, family)
            } else {
                Compiler::of(toolchain, family)
            };
            // The other byte order is the same at every level.
            let (level, part) = match (toolchain.byte_order, target.name == GP64.name) {
                (ByteOrder::Big, true) if !all_ways() => ("-O0", (0, 1)),
                (_, true) => ("-O1", share(1)),
                _ => ("-O1", quarter(number)),
            };
            check_part(target, compiler, &[level], toolchain.byte_order == ByteOrder::Big, part);
        }
    }
}

/// Without optimisation: every access is checked as it is written, and optimising the checks takes a minute a target.
#[test]
fn sanitizers() {
    let flags = ["-O0", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    check(&GP64, Compiler::native(Family::Gcc), &flags, false);
    for target in ["avx2", "avx512"] {
        if let Some(target) = usuba_target::by_name(target) {
            check_part(target, Compiler::find(target, Family::Gcc), &flags, false, share(0));
        }
    }
    // Clang alone sees a pointer that leaves its object by a wrapped step. A trap needs none of its libraries.
    if let Some(target) = usuba_target::by_name("avx2") {
        let flags = ["-O0", "-fsanitize=undefined", "-fsanitize-trap=undefined"];
        check_part(target, Compiler::find(target, Family::Clang), &flags, false, share(1));
    }
}
