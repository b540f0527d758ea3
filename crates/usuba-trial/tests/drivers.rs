//! Drivers around kernels written by hand: every mode, every length, both compilers, both byte orders.
//!
//! The cipher of these tests is no cipher: atom i of the result is atom i + 1 of the block, exclusive-or atom i of the
//! round keys. It tells every atom, bit and instance from the others, and one text in C computes it in every layout.

use usuba_ir::layout::Slicing;
use usuba_package::OutputFile;
use usuba_package::driver::{self, DriverError, Image, Kernel, Kernels, Labels, Parameter};
use usuba_package::engine::Choices;
use usuba_package::library::{self, OneLevel};
use usuba_package::manifest::{self, Function, Primitive};
use usuba_package::order::Order;
use usuba_target::machines::GP64;
use usuba_trial::harness;
use usuba_trial::run::{Compiler, Family, RunError};

/// A register and what fits.
struct Machine {
    image: Image,
    register: u32,
    instances: u32,
    /// Type and number of elements of a uniform atom.
    uniform: (&'static str, u32),
}

impl Machine {
    fn parameter(&self, width: u32, words: u32, uniform: bool) -> Parameter {
        let atoms = if self.image == Image::B { width * words } else { words };
        let (element, elements) =
            if uniform { (self.uniform.0, atoms * self.uniform.1) } else { ("fake_register", atoms) };
        Parameter { element: element.into(), elements, uniform, width, words }
    }
}

fn bits(register: u32) -> Machine {
    Machine { image: Image::B, register, instances: 8 * register, uniform: ("uint64_t", 1) }
}

fn vertical(register: u32, lane: u32) -> Machine {
    let element = ["uint8_t", "uint16_t", "uint32_t", "uint64_t"][lane.ilog2() as usize];
    Machine {
        image: Image::V { lane: lane as usize },
        register,
        instances: register / lane,
        uniform: (element, 1),
    }
}

fn horizontal(register: u32, width: u32) -> Machine {
    let batch = (128 / width).max(8);
    let instances = 8 * register / width;
    Machine {
        image: Image::H { batch: batch as usize },
        register,
        instances,
        uniform: ("uint8_t", width * batch / 8),
    }
}

/// One block cipher: block and key of `words` words of `width` bits.
fn manifest(order: Order, width: u32, words: u32) -> Primitive {
    let bytes = width * words / 8;
    let text = format!(
        r#"
name = "fake"
title = "Fake"
specification = "none"
source = "fake.ua"
[[primitive]]
name = "fake-1"
kind = "block-cipher"
slicings = ["b", "v", "h"]
encrypt = "Encrypt"
decrypt = "Decrypt"
schedule = {{ node = "Schedule", slicing = "b" }}
block = {{ bytes = {bytes}, order = "{order}" }}
key = {{ bytes = {bytes}, order = "big" }}
round-keys = {{ bytes = {bytes}, schedule-order = "little", cipher-order = "{order}" }}
modes = ["ecb", "ctr"]
"#
    );
    manifest::parse("fake.toml", &text).unwrap().primitives.remove(0)
}

fn labels() -> Labels {
    Labels { prefix: "usuba_".into(), head: vec!["Made for a test.".into()] }
}

/// Declarations of the kernels, and the kernels.
fn kernel_files(machine: &Machine, atoms: u32, key_atoms: u32, uniform_bytes: u32) -> [OutputFile; 2] {
    let header = format!(
        "#ifndef FAKE_H\n#define FAKE_H\n#include <stdint.h>\n\
         typedef uint8_t fake_register __attribute__((vector_size({}), aligned({})));\n\
         void fake_encrypt(const fake_register block[], const {key} key[], fake_register out[]);\n\
         void fake_decrypt(const fake_register block[], const {key} key[], fake_register out[]);\n\
         void fake_schedule(const uint64_t key[], uint64_t out[]);\n#endif\n",
        machine.register,
        machine.register,
        key = machine.uniform.0
    );
    let source = format!(
        "#include \"fake.h\"\n#include <string.h>\n#define ATOMS {atoms}\n#define UNIFORM {uniform_bytes}\n\
         #define KEY_ATOMS {key_atoms}\n#define KEY_TYPE {}\n{}",
        machine.uniform.0,
        r#"
/* out = x ^ a uniform atom, repeated. */
static void add(fake_register *out, const fake_register *x, const KEY_TYPE *key, unsigned atom)
{
    unsigned char bytes[sizeof *x];
    const unsigned char *k = (const unsigned char *)key + atom * UNIFORM;
    unsigned i;
    memcpy(bytes, x, sizeof *x);
    for (i = 0; i < sizeof *x; i++)
        bytes[i] = (unsigned char)(bytes[i] ^ k[i % UNIFORM]);
    memcpy(out, bytes, sizeof *x);
}

void fake_encrypt(const fake_register block[], const KEY_TYPE key[], fake_register out[])
{
    unsigned i;
    for (i = 0; i < ATOMS; i++)
        add(&out[i], &block[(i + 1) % ATOMS], key, i);
}

void fake_decrypt(const fake_register block[], const KEY_TYPE key[], fake_register out[])
{
    unsigned i;
    for (i = 0; i < ATOMS; i++)
        add(&out[(i + 1) % ATOMS], &block[i], key, i);
}

void fake_schedule(const uint64_t key[], uint64_t out[])
{
    unsigned i;
    for (i = 0; i < KEY_ATOMS; i++)
        out[i] = key[(i + 1) % KEY_ATOMS];
}
"#
    );
    [
        OutputFile { path: "fake.h".into(), contents: header },
        OutputFile { path: "fake.c".into(), contents: source },
    ]
}

/// The kernels, and that of the key schedule.
fn kernels(machine: &Machine, width: u32, words: u32) -> (Kernels, Kernel) {
    let block = machine.parameter(width, words, false);
    let cipher = |node: &str, symbol: &str| Kernel {
        node: node.into(),
        symbol: symbol.into(),
        header: "fake.h".into(),
        instances: machine.instances,
        interleave: 1,
        image: machine.image,
        inputs: vec![block.clone(), machine.parameter(width, words, true)],
        outputs: vec![block.clone()],
        prepare: None,
        rounds: None,
    };
    // The schedule is bitsliced, on bytes.
    let key = Parameter {
        element: "uint64_t".into(),
        elements: width * words,
        uniform: false,
        width: 8,
        words: width * words / 8,
    };
    let schedule = Kernel {
        node: "Schedule".into(),
        symbol: "fake_schedule".into(),
        header: "fake.h".into(),
        instances: 64,
        interleave: 1,
        image: Image::B,
        inputs: vec![key.clone()],
        outputs: vec![key],
        prepare: None,
        rounds: None,
    };
    let kernels = Kernels::BlockCipher {
        encrypt: cipher("Encrypt", "fake_encrypt"),
        decrypt: Some(cipher("Decrypt", "fake_decrypt")),
    };
    (kernels, schedule)
}

/// A library around kernels for the machine that compiles it.
fn library(primitive: &Primitive, kernels: &Kernels, schedule: &str) -> OneLevel {
    let choices = Choices::new(Slicing::V);
    library::one_level_around(primitive, kernels, schedule, &GP64, &choices).unwrap()
}

/// The same in Rust: one block under one key.
struct Model {
    order: Order,
    width: u32,
    words: usize,
    bitwise: bool,
}

impl Model {
    fn atoms(&self, bytes: &[u8]) -> Vec<u128> {
        let words = self.order.decode(self.width, self.words, bytes).unwrap();
        if self.bitwise { usuba_package::order::bits(self.width, &words) } else { words }
    }

    fn round_keys(&self, key: &[u8]) -> Vec<u8> {
        let mut bits = usuba_package::order::bits(8, &Order::Big.decode(8, key.len(), key).unwrap());
        bits.rotate_left(1);
        Order::Little.encode(8, &usuba_package::order::words(8, &bits)).unwrap()
    }

    fn encrypt(&self, key: &[u8], block: &[u8]) -> Vec<u8> {
        let mut atoms = self.atoms(block);
        atoms.rotate_left(1);
        let atoms: Vec<u128> =
            atoms.iter().zip(self.atoms(&self.round_keys(key))).map(|(atom, key)| atom ^ key).collect();
        let words = if self.bitwise { usuba_package::order::words(self.width, &atoms) } else { atoms };
        self.order.encode(self.width, &words).unwrap()
    }
}

fn check(
    compiler: Result<Compiler, RunError>,
    flags: &[&str],
    machine: &Machine,
    order: Order,
    width: u32,
    words: u32,
) {
    let compiler = match compiler {
        Ok(compiler) => compiler,
        Err(error) => {
            eprintln!("skipped: {error}");
            return;
        }
    };
    let primitive = manifest(order, width, words);
    let uniform_bytes = match machine.image {
        Image::B => 8,
        Image::V { lane } => lane as u32,
        Image::Packed { .. } => 16,
        Image::H { batch } => width * batch as u32 / 8,
        Image::BitInterleaved { .. } => 8,
    };
    let atoms = machine.parameter(width, words, false).elements;
    let (kernels, schedule) = kernels(machine, width, words);
    let Function::BlockCipher(cipher) = &primitive.function else { panic!("a block cipher") };
    let schedule = format!("#include \"fake.h\"\n{}", driver::key_schedule(cipher, Some(&schedule)).unwrap());
    let OneLevel { mut files, source, batch, .. } = library(&primitive, &kernels, &schedule);
    files.extend(kernel_files(machine, atoms, width * words, uniform_bytes));
    let mut alone = files.clone();
    alone.push(OutputFile {
        path: "main.c".into(),
        contents: "#include \"usuba_fake_1.h\"\nint main(void) { return usuba_fake_1_init(NULL, NULL) == USUBA_OK; }\n"
            .into(),
    });
    compiler.compile(&alone, flags).unwrap_or_else(|e| panic!("{e}")).run(&[]).unwrap();
    // The harness includes the source of the functions.
    let (included, mut files): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| file.path == source);
    files.push(harness::generate(&primitive, "usuba_", batch));
    let program = compiler.compile_with(&files, &included, flags).unwrap_or_else(|e| panic!("{e}"));

    let model = Model { order, width, words: words as usize, bitwise: machine.image == Image::B };
    let size = (width * words / 8) as usize;
    let key: Vec<u8> = (0..size).map(|i| (i * 73 + 5) as u8).collect();
    let count = machine.instances as usize + 3;
    let blocks: Vec<u8> = (0..count * size).map(|i| (i * i * 31 + i * 7 + 1) as u8).collect();
    let counter: Vec<u8> = (0..size).map(|i| if i < 2 { 0x17 } else { 0xff }).collect();
    let number = |n: usize| (n as u64).to_le_bytes();
    let mut request = vec![b'K'];
    request.extend(&key);
    request.push(b'E');
    request.extend(number(count));
    request.extend(&blocks);
    request.push(b'C');
    request.extend(number(2 * size - 1));
    request.extend(&counter);
    request.extend(&blocks[..2 * size - 1]);
    request.push(b'N');
    request.extend(number(3));
    request.extend(&blocks[..size]);
    request.push(b'M');

    let mut expected = model.round_keys(&key);
    for block in blocks.chunks(size) {
        expected.extend(model.encrypt(&key, block));
    }
    let mut next = vec![0u8; size];
    next[0] = 0x17;
    next[1] = 0x18;
    let keystream = [model.encrypt(&key, &counter), model.encrypt(&key, &next)].concat();
    expected.extend(blocks.iter().zip(&keystream).take(2 * size - 1).map(|(a, b)| a ^ b));
    next[size - 1] = 1;
    expected.extend(&next);
    let thrice = (0..3).fold(blocks[..size].to_vec(), |block, _| model.encrypt(&key, &block));
    expected.extend(thrice);

    let output = program.run(&request).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(output.len(), expected.len() + harness::MESSAGE);
    let (answers, message) = output.split_at(expected.len());
    assert!(answers == expected, "known answers: {order} {width} {flags:?}");
    assert_eq!(String::from_utf8_lossy(message).trim_end_matches('\0'), "", "{order} {width} {flags:?}");
}

#[test]
fn block_ciphers() {
    for family in [Family::Gcc, Family::Clang] {
        let check = |flags: &[&str], machine, order, width, words| {
            check(Compiler::native(family), flags, &machine, order, width, words)
        };
        check(&["-O2"], bits(64), Order::Planes, 16, 8);
        // gcc takes ten seconds for a driver without optimisation.
        let least = if family == Family::Gcc { "-O1" } else { "-O0" };
        check(&[least], bits(8), Order::Big, 1, 64);
        check(&["-O1"], vertical(16, 4), Order::Little, 32, 4);
        check(&["-O2"], vertical(2, 2), Order::Little, 16, 4);
        check(&["-O2"], horizontal(32, 16), Order::Planes, 16, 8);
        check(&["-O3"], horizontal(16, 4), Order::Big, 4, 16);
    }
}

#[test]
fn sanitizers() {
    let flags = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    check(Compiler::native(Family::Gcc), &flags, &bits(16), Order::Planes, 16, 8);
    check(Compiler::native(Family::Gcc), &flags, &vertical(32, 8), Order::Big, 64, 2);
    check(Compiler::native(Family::Gcc), &flags, &horizontal(16, 16), Order::Little, 16, 4);
}

#[test]
fn big_endian() {
    let compiler = || {
        let compiler = Compiler {
            command: "powerpc64-linux-gnu-gcc".into(),
            flags: Vec::new(),
            runner: vec!["qemu-ppc64".into()],
        };
        compiler.available().map(|()| compiler)
    };
    check(compiler(), &["-O2"], &vertical(16, 4), Order::Little, 32, 4);
    check(compiler(), &["-O2"], &bits(8), Order::Planes, 16, 8);
    check(compiler(), &["-O2"], &horizontal(16, 16), Order::Planes, 16, 8);
}

const REST: &str = r#"
name = "rest"
title = "Rest"
specification = "none"
source = "rest.ua"
[[primitive]]
name = "flow"
kind = "stream"
slicings = ["v"]
block-function = "Block"
key = { bytes = 8, order = "little" }
counter = { bytes = 4, order = "little" }
nonce = { bytes = 4, order = "little" }
keystream = { bytes = 12, order = "little" }
[[primitive]]
name = "turn"
kind = "permutation"
slicings = ["v"]
permute = "Turn"
state = { bytes = 12, order = "big" }
"#;

const REST_HEADER: &str = r#"
#ifndef REST_H
#define REST_H
#include <stdint.h>
typedef uint32_t rest_register __attribute__((vector_size(32)));
void rest_block(const uint32_t key[], const rest_register counter[], const uint32_t nonce[], rest_register out[]);
void rest_turn(const rest_register in[], rest_register out[]);
#endif
"#;

const REST_SOURCE: &str = r#"
#include "rest.h"
void rest_block(const uint32_t key[], const rest_register counter[], const uint32_t nonce[], rest_register out[])
{
    out[0] = counter[0] ^ key[0];
    out[1] = counter[0] * 5 + key[1];
    out[2] = (counter[0] << 3) ^ nonce[0];
}
void rest_turn(const rest_register in[], rest_register out[])
{
    out[0] = in[1] + 1;
    out[1] = ~in[2];
    out[2] = in[0] << 1 | in[0] >> 31;
}
"#;

#[test]
fn streams_and_permutations() {
    let manifest = manifest::parse("rest.toml", REST).unwrap();
    let parameter = |words, uniform| Parameter {
        element: if uniform { "uint32_t" } else { "rest_register" }.into(),
        elements: words,
        uniform,
        width: 32,
        words,
    };
    let kernel = |node: &str, symbol: &str, inputs, outputs| Kernel {
        node: node.into(),
        symbol: symbol.into(),
        header: "rest.h".into(),
        instances: 8,
        interleave: 1,
        image: Image::V { lane: 4 },
        inputs,
        outputs,
        prepare: None,
        rounds: None,
    };
    let block = kernel(
        "Block",
        "rest_block",
        vec![parameter(2, true), parameter(1, false), parameter(1, true)],
        vec![parameter(3, false)],
    );
    let turn = kernel("Turn", "rest_turn", vec![parameter(3, false)], vec![parameter(3, false)]);
    let kernels = [Kernels::Stream(block), Kernels::Permutation(turn)];

    let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
    let key = [1, 2, 3, 4, 5, 6, 7, 0xf8];
    let nonce = [9, 8, 7, 6];
    let counter = 0xffff_fffdu32;
    let data: Vec<u8> = (0..12 * 20 - 5).map(|i| (i * 13) as u8).collect();
    let keystream: Vec<u8> = (0..20)
        .flat_map(|block| {
            let c = counter.wrapping_add(block);
            let words = [
                c ^ word(&key[..4]),
                c.wrapping_mul(5).wrapping_add(word(&key[4..])),
                (c << 3) ^ word(&nonce),
            ];
            words.map(u32::to_le_bytes).concat()
        })
        .collect();
    let mut flow_request = vec![b'X'];
    flow_request.extend(u64::from(counter).to_le_bytes());
    flow_request.extend((data.len() as u64).to_le_bytes());
    flow_request.extend([&key[..], &nonce, &data].concat());
    let flow_answer: Vec<u8> = data.iter().zip(&keystream).map(|(a, b)| a ^ b).collect();

    let turned: Vec<u8> = data[..228]
        .chunks(12)
        .flat_map(|state| {
            let w: Vec<u32> = state.chunks(4).map(|w| u32::from_be_bytes(w.try_into().unwrap())).collect();
            [w[1].wrapping_add(1), !w[2], w[0].rotate_left(1)].map(u32::to_be_bytes).concat()
        })
        .collect();
    let mut turn_request = vec![b'P'];
    turn_request.extend(19u64.to_le_bytes());
    turn_request.extend(&data[..228]);

    let cases = [(flow_request, flow_answer), (turn_request, turned)];
    for ((primitive, kernels), (mut request, expected)) in manifest.primitives.iter().zip(&kernels).zip(cases)
    {
        request.push(b'M');
        let OneLevel { files, source, batch, .. } = library(primitive, kernels, "");
        let (included, mut files): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| file.path == source);
        files.extend([
            OutputFile { path: "rest.h".into(), contents: REST_HEADER.into() },
            OutputFile { path: "rest.c".into(), contents: REST_SOURCE.into() },
            harness::generate(primitive, "usuba_", batch),
        ]);
        for family in [Family::Gcc, Family::Clang] {
            for flags in [&["-O2"][..], &["-O1", "-fsanitize=address,undefined"]] {
                let Ok(compiler) = Compiler::native(family) else { continue };
                if family == Family::Clang && flags.len() > 1 {
                    continue;
                }
                let program =
                    compiler.compile_with(&files, &included, flags).unwrap_or_else(|e| panic!("{e}"));
                let output = program.run(&request).unwrap_or_else(|e| panic!("{e}"));
                assert_eq!(output.len(), expected.len() + harness::MESSAGE, "{}", primitive.name);
                let (answers, message) = output.split_at(expected.len());
                assert_eq!(String::from_utf8_lossy(message).trim_end_matches('\0'), "", "{}", primitive.name);
                assert!(answers == expected, "{}", primitive.name);
            }
        }
    }
}

#[test]
fn manifests_that_do_not_fit_are_refused() {
    let machine = bits(8);
    let good = manifest(Order::Big, 16, 4);
    let refuse = |primitive: &Primitive, change: &dyn Fn(&mut Kernel)| -> DriverError {
        let (Kernels::BlockCipher { mut encrypt, decrypt }, _) = kernels(&machine, 16, 4) else {
            panic!("a block cipher")
        };
        change(&mut encrypt);
        driver::generate(primitive, &Kernels::BlockCipher { encrypt, decrypt }, &GP64, &labels()).unwrap_err()
    };
    assert_eq!(
        refuse(&good, &|kernel| kernel.inputs.truncate(1)).to_string(),
        "`Encrypt` has 1 inputs and 1 outputs; a node in this role has two inputs, the block and the `const` round keys, \
         and one output, the block"
    );
    assert_eq!(
        refuse(&good, &|kernel| kernel.inputs[1].uniform = false).to_string(),
        "input 2 of `Encrypt` must be declared `const`"
    );
    assert_eq!(
        refuse(&good, &|kernel| kernel.inputs[0].words = 5).to_string(),
        "`block` of the manifest does not fit `Encrypt`: 5 words of 16 bits fill 10 bytes, not 8"
    );
    assert_eq!(
        refuse(&good, &|kernel| kernel.instances = 8).to_string(),
        "`Encrypt` and `Decrypt` take round keys of different sizes; give them the same type"
    );
}
