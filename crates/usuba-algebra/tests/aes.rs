//! Layers are read off exactly, and only rounds of AES are rounds of AES.

mod support;

use support::{changed, node};
use usuba_algebra::aes::{
    AesInstruction, AesRounds, AesSBox, KeySource, RoundKey, aes, inverse_mix_columns, s_box_form,
};
use usuba_algebra::layers::{Affine, InputBit, Layers, Places, layers};
use usuba_algebra::why::Why;
use usuba_ir::random::Random;
use usuba_lang::interpret::interpret;
use usuba_lang::typed::{Atoms, Program};
use usuba_logic::matrix::{Matrix, Vector};

const AES: &str = "ciphers/aes/aes.ua";

/// The same in planes of bits.
const PLANES: &str = "tests/planes/aes.ua";

fn layers_of(program: &Program) -> Result<Layers, Why> {
    layers(program, program.entry(), &Places::big(program, program.entry()))
}

/// The places of planes: bit i, from the most significant, of word k of 8 words of 16 bits is bit 7 - k of byte i.
fn planes(program: &Program) -> Places {
    let big = Places::big(program, program.entry());
    let plane = |bit: usize| {
        let (state, word, place) = (bit / 128, bit / 16 % 8, bit % 16);
        128 * state + 8 * place + 7 - word
    };
    Places {
        inputs: (0..big.inputs.len())
            .map(|bit| match bit.checked_sub(128) {
                None => InputBit::Block(plane(bit)),
                Some(bit) => InputBit::Key(plane(bit)),
            })
            .collect(),
        outputs: (0..128).map(plane).collect(),
    }
}

fn bytes(random: &mut Random, count: usize) -> Vec<u8> {
    (0..count).map(|_| random.bits() as u8).collect()
}

/// A round by the words of FIPS 197: a state is its bytes, byte r + 4c in row r and column c.
fn model(instruction: AesInstruction, state: &[u8], key: &[u8]) -> Vec<u8> {
    // Section 4.2.
    let times_x = |a: u8| a << 1 ^ if a & 0x80 != 0 { 0x1b } else { 0 };
    let times = |factor: u8, a: u8| {
        let (x2, x4, x8) = (times_x(a), times_x(times_x(a)), times_x(times_x(times_x(a))));
        [(1, a), (2, x2), (4, x4), (8, x8)]
            .iter()
            .fold(0, |sum, (bit, value)| if factor & bit != 0 { sum ^ value } else { sum })
    };
    let forward = matches!(instruction, AesInstruction::Encrypt | AesInstruction::EncryptLast);
    let table = s_box(if forward { "SBox" } else { "InvSBox" });
    let mut shifted = [0; 16];
    for row in 0..4 {
        for column in 0..4 {
            let from = if forward { (column + row) % 4 } else { (column + 4 - row) % 4 };
            shifted[row + 4 * column] = table[usize::from(state[row + 4 * from])];
        }
    }
    let mixed = match instruction {
        AesInstruction::Encrypt => [2, 3, 1, 1],
        AesInstruction::Decrypt => [0x0e, 0x0b, 0x0d, 0x09],
        _ => [1, 0, 0, 0],
    };
    (0..16)
        .map(|byte| {
            let below = |by: usize| shifted[byte / 4 * 4 + (byte + by) % 4];
            (0..4).fold(key[byte], |sum, by| sum ^ times(mixed[by], below(by)))
        })
        .collect()
}

/// A table of the text of AES, read as text.
fn s_box(name: &str) -> Vec<u8> {
    let text = support::read(AES);
    let (_, rest) = text.split_once(&format!("table {name} (x:u8)")).expect("it is there");
    let (_, rest) = rest.split_once('{').expect("entries");
    let (entries, _) = rest.split_once('}').expect("entries");
    let entry = |entry: &str| u8::from_str_radix(entry.trim().trim_start_matches("0x"), 16).expect("a byte");
    entries.split(',').map(entry).collect()
}

#[test]
fn the_s_boxes_are_those_of_the_standard() {
    assert_eq!(AesSBox::Forward.table().to_vec(), s_box("SBox"));
    assert_eq!(AesSBox::Inverse.table().to_vec(), s_box("InvSBox"));
    for s_box in [AesSBox::Forward, AesSBox::Inverse] {
        assert!((0..=255u8).all(|x| s_box.of(x) == s_box.table()[usize::from(x)]));
    }
}

/// FIPS 197, appendix B: the first round of its example.
#[test]
fn the_model_computes_the_example_of_the_standard() {
    let hex = |text: &str| -> Vec<u8> {
        (0..16).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).expect("hex")).collect()
    };
    let state = hex("193de3bea0f4e22b9ac68d2ae9f84808");
    let key = hex("a0fafe1788542cb123a339392a6c7605");
    assert_eq!(model(AesInstruction::Encrypt, &state, &key), hex("a49c7ff2689f352b6b5bea43026a5049"));
}

/// The matrices behind the S-box are the model's on all vectors of one bit, and with it on many states.
#[test]
fn rounds_are_those_of_the_model() {
    let mut random = Random::new(5);
    for instruction in AesInstruction::ALL {
        let (s_box, matrix) = (instruction.s_box(), instruction.matrix());
        let inverse: Vec<u8> =
            (0..=255u8).map(|y| (0..=255u8).find(|&x| s_box.of(x) == y).expect("a permutation")).collect();
        let round = |state: &[u8], key: &[u8]| {
            let substituted: Vec<u8> = state.iter().map(|&x| s_box.of(x)).collect();
            let mut image = matrix.of(&Vector::of_bytes(&substituted));
            image.add(&Vector::of_bytes(key));
            image.to_bytes()
        };
        for bit in 0..128 {
            // What the S-box makes a state with one bit of.
            let wanted = Vector::unit(128, bit).to_bytes();
            let state: Vec<u8> = wanted.iter().map(|&y| inverse[usize::from(y)]).collect();
            assert_eq!(round(&state, &[0; 16]), model(instruction, &state, &[0; 16]), "{instruction} {bit}");
        }
        for _ in 0..200 {
            let (state, key) = (bytes(&mut random, 16), bytes(&mut random, 16));
            assert_eq!(round(&state, &key), model(instruction, &state, &key), "{instruction}");
        }
    }
}

/// What a machine makes of rounds.
fn run(rounds: &AesRounds, block: &[u8], key: &Vector) -> Vec<u8> {
    let round_key = |from: &RoundKey| {
        let mut round_key = from.matrix.of(key);
        round_key.add(&from.constant);
        round_key.to_bytes()
    };
    let first = round_key(&rounds.first);
    let state = block.iter().zip(first).map(|(a, b)| a ^ b).collect();
    rounds
        .rounds
        .iter()
        .fold(state, |state: Vec<u8>, round| model(round.instruction, &state, &round_key(&round.key)))
}

/// Every text of AES in the repository, by planes and by bytes, in bits and in words: rounds with the keys that the standard
/// has, and the same results as the interpreter.
#[test]
fn aes_is_rounds_of_aes() {
    let mut random = Random::new(1);
    for (size, count) in [(128, 10), (192, 12), (256, 14)] {
        for (direction, last) in [("Encrypt", "aesenclast"), ("Decrypt", "aesdeclast")] {
            for text in [PLANES, AES] {
                for atoms in [Atoms::Bits, Atoms::Words] {
                    let name = format!("{direction}{size}");
                    let program = node(text, &name, atoms);
                    let places = match text {
                        PLANES => planes(&program),
                        _ => Places::big(&program, program.entry()),
                    };
                    let layers = layers(&program, program.entry(), &places).expect(&name);
                    let rounds = aes(&layers).expect(&name);
                    assert_eq!(rounds.rounds.len(), count, "{name}");
                    let middle = last.trim_end_matches("last");
                    assert_eq!(
                        rounds.to_string(),
                        format!(
                            "{count} layers of AES's {}S-box; rounds 1–{} are `{middle}`, {count} is `{last}`",
                            if middle == "aesdec" { "inverse " } else { "" },
                            count - 1
                        )
                    );
                    for _ in 0..3 {
                        let block = bytes(&mut random, 16);
                        let key = Vector::of_bytes(&bytes(&mut random, 16 * (count + 1)));
                        let result = layers.of(&Vector::of_bytes(&block), &key).to_bytes();
                        assert_eq!(run(&rounds, &block, &key), result, "{name}");
                        assert_eq!(interpreted(&program, &places, &block, &key), result, "{name}");
                    }
                    round_keys_are_those_of_the_standard(&rounds, direction, count);
                }
            }
        }
    }
}

/// Each round is given its round key as it stands, and between the first and last of the inverse cipher InvMixColumns of it.
fn round_keys_are_those_of_the_standard(rounds: &AesRounds, direction: &str, count: usize) {
    let keys = [&rounds.first].into_iter().chain(rounds.rounds.iter().map(|round| &round.key));
    for (number, key) in keys.enumerate() {
        let source = if direction == "Encrypt" { number } else { count - number };
        let taken = Matrix::of_sources(128 * (count + 1), 128 * source..128 * source + 128);
        let is_mixed = direction == "Decrypt" && number > 0 && number < count;
        let expected = if is_mixed { inverse_mix_columns().after(&taken) } else { taken };
        assert_eq!(key.matrix, expected, "{direction} {number}");
        let found = if is_mixed { KeySource::InverseMixColumns } else { KeySource::AsIs };
        assert_eq!(key.source(), Some(found(128 * source)), "{direction} {number}");
        assert!(key.constant.is_zero());
    }
}

/// The result of the interpreter, as bytes in the order of `places`.
fn interpreted(program: &Program, places: &Places, block: &[u8], key: &Vector) -> Vec<u8> {
    let block = Vector::of_bytes(block);
    let entry = program.instance(program.entry());
    let mut bits = places.inputs.iter().map(|input| match *input {
        InputBit::Block(bit) => block.get(bit),
        InputBit::Key(bit) => key.get(bit),
    });
    let mut inputs: Vec<Vec<u128>> = Vec::new();
    for &id in &entry.inputs {
        let variable = entry.variable(id);
        let mut atom =
            || bits.by_ref().take(variable.width as usize).fold(0, |a, bit| a << 1 | u128::from(bit));
        inputs.push((0..variable.atoms()).map(|_| atom()).collect());
    }
    let outputs = interpret(program, &inputs);
    let width = entry.variable(entry.outputs[0]).width;
    let bits = outputs[0].iter().flat_map(|atom| (0..width).rev().map(move |bit| atom >> bit & 1 == 1));
    let mut result = Vector::zero(places.outputs.len());
    for (&place, bit) in places.outputs.iter().zip(bits) {
        if bit {
            result.flip(place);
        }
    }
    result.to_bytes()
}

fn refusal(program: &Program) -> String {
    let layers = match layers_of(program) {
        Ok(layers) => layers,
        Err(why) => return why.to_string(),
    };
    aes(&layers).err().map_or_else(|| "it is AES".to_owned(), |why| why.to_string())
}

#[test]
fn what_is_nearly_aes_is_refused() {
    const START: &str = "vars state:u8[10][16]\nlet\n    state[0] = plain ^ key[0];";
    let entry = "Encrypt128";
    for (from, to, reason) in [
        // An entry of the table.
        (
            "table SBox (x:u8) returns (y:u8) {\n    0x63, 0x7c",
            "table SBox (x:u8) returns (y:u8) {\n    0x7c, 0x63",
            "layer 1 has other tables than the S-box of AES",
        ),
        // The polynomial of the multiplication.
        (
            "(a[i] >>! 7) & 0x1b",
            "(a[i] >>! 7) & 0x1d",
            "what follows layer 1 is no round of AES: no byte is that of a round",
        ),
        (
            "a[1, 2, 3, 0, 5, 6, 7, 4,",
            "a[1, 2, 3, 0, 5, 6, 4, 7,",
            "what follows layer 1 is no round of AES: 12 of 16 bytes are those of `aesenc`",
        ),
        // Rows and columns of the block changed.
        (
            "t = s[0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11]",
            "t = s[0, 1, 2, 3, 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14]",
            "what follows layer 1 is no round of AES: no byte is that of a round",
        ),
        // The last round alone.
        (
            "cipher = ShiftRows(SubBytes(state[9])) ^ key[10]",
            "cipher = MixColumns(ShiftRows(SubBytes(state[9]))) ^ key[10]",
            "",
        ),
        (
            "cipher = ShiftRows(SubBytes(state[9])) ^ key[10]",
            "cipher = SubBytes(state[9]) ^ key[10]",
            "what follows layer 10 is no round of AES: 4 of 16 bytes are those of `aesenclast`",
        ),
        (
            START,
            "vars state:u8[10][16]\nlet\n    state[0] = MixColumns(plain) ^ key[0];",
            "its first tables are not applied to the bytes of the block",
        ),
        (
            START,
            "vars state:u8[10][16]\nlet\n    state[0] = plain & key[0];",
            "`&` or `|` of two values is not affine",
        ),
        (
            START,
            "vars state:u8[10][16]\nlet\n    state[0] = plain ^ SubBytes(key[0]);",
            "a table is applied to the key alone: its schedule is not cut off",
        ),
        (
            "cipher = ShiftRows(SubBytes(state[9])) ^ key[10]",
            "cipher = ShiftRows(SubBytes(state[9])) ^ plain",
            "layer 1 has 16 tables, and 128 bits pass them",
        ),
        (
            START,
            "vars state:u8[10][16]\nlet\n    state[0] = plain + key[0];",
            "carries of arithmetic are not affine",
        ),
    ] {
        let program = changed(AES, entry, from, to);
        if reason.is_empty() {
            aes(&layers_of(&program).expect("layers")).expect("still rounds of AES");
        } else {
            assert_eq!(refusal(&program), reason, "{from}");
        }
    }
    // Constants and other keys are no harm.
    let program =
        changed(AES, entry, START, "vars state:u8[10][16]\nlet\n    state[0] = ~plain ^ key[0] ^ key[3];");
    let rounds = aes(&layers_of(&program).expect("layers")).expect("rounds of AES");
    assert_eq!(rounds.first.constant.weight(), 128);
    assert_eq!(rounds.first.matrix.row(5).ones().count(), 2);
    assert_eq!(rounds.first.source(), None);
}

/// FIPS 197, section 5.3.5: the equivalent inverse cipher is given the keys that it adds.
#[test]
fn the_equivalent_inverse_cipher_is_recognised() {
    let from = "state[r] = InvMixColumns(InvSubBytes(InvShiftRows(state[r+1])) ^ key[r])";
    let to = "state[r] = InvMixColumns(InvSubBytes(InvShiftRows(state[r+1]))) ^ key[r]";
    let program = changed(AES, "Decrypt128", from, to);
    let rounds = aes(&layers_of(&program).expect("layers")).expect("rounds of AES");
    for (number, round) in (0..10).rev().zip(&rounds.rounds) {
        assert_eq!(round.key.matrix, Matrix::of_sources(1408, 128 * number..128 * number + 128));
        let last = if number == 0 { AesInstruction::DecryptLast } else { AesInstruction::Decrypt };
        assert_eq!(round.instruction, last);
    }
}

/// Places that cannot be right.
#[test]
fn places_are_looked_at() {
    let program = node(AES, "Encrypt128", Atoms::Bits);
    let big = Places::big(&program, program.entry());
    let refused = |places: &Places| layers(&program, program.entry(), places).expect_err("wrong").to_string();
    let mut twice = big.clone();
    twice.outputs[3] = 9;
    assert_eq!(refused(&twice), "two of its bits have the same place");
    let mut short = big.clone();
    short.inputs.pop();
    assert_eq!(refused(&short), "the places of its bits are not those of its parameters");
    let mut far = big;
    far.outputs[3] = 4000;
    assert_eq!(refused(&far), "its result is not whole bytes");
}

/// One wrong bit of a matrix, or of the table, wherever it is.
#[test]
fn a_wrong_bit_is_refused() {
    let program = node(AES, "Encrypt128", Atoms::Bits);
    let right = layers_of(&program).expect("layers");
    let mut random = Random::new(8);
    for _ in 0..60 {
        let mut wrong = right.clone();
        let layer = 1 + random.below(9) as usize;
        let map: &mut Affine = &mut wrong.layers[layer].before;
        map.data.flip(random.below(128) as usize, random.below(128) as usize);
        let why = aes(&wrong).expect_err("a wrong bit of a matrix").to_string();
        let kept = "15 of 16 bytes are those of `aesenc`";
        assert_eq!(why, format!("what follows layer {layer} is no round of AES: {kept}"));
        let mut wrong = right.clone();
        wrong.tables[0][random.below(256) as usize] ^= 1 << random.below(8);
        assert!(aes(&wrong).is_err(), "a wrong bit of a table");
    }
    let mut wrong = right.clone();
    wrong.last.data.flip(3, 99);
    assert!(aes(&wrong).is_err());
    let mut wrong = right;
    wrong.layers[0].before.data.flip(3, 3);
    assert!(aes(&wrong).is_err());
}

/// Another order of bytes is no AES unless it is said.
#[test]
fn the_order_of_bytes_is_part_of_it() {
    let program = node(AES, "Encrypt128", Atoms::Bits);
    let mut places = Places::big(&program, program.entry());
    let transposed = |bit: usize| (bit / 8 % 4 * 4 + bit / 32 % 4) * 8 + bit % 8;
    for input in &mut places.inputs {
        if let InputBit::Block(bit) = input {
            *bit = transposed(*bit);
        }
    }
    places.outputs.iter_mut().for_each(|bit| *bit = transposed(*bit));
    let layers = layers(&program, program.entry(), &places).expect("layers");
    let why = aes(&layers).expect_err("rows are columns").to_string();
    assert_eq!(why, "what follows layer 2 is no round of AES: no byte is that of a round");
}

/// Layers compute what the interpreter does: networks of several tables and with data that pass them.
#[test]
fn layers_of_other_ciphers_are_exact() {
    let mut random = Random::new(2);
    let affine = "AES's S-box between affine maps";
    for (path, name, shape) in [
        ("ciphers/sm4/sm4.ua", "Encrypt", format!("32 layers of a table on 4 bytes, {affine}")),
        ("ciphers/aes/aes.ua", "KeySchedule128", "10 layers of a table on 4 bytes, AES's own".to_owned()),
        ("ciphers/aes/aes.ua", "KeySchedule256", "13 layers of a table on 4 bytes, AES's own".to_owned()),
        ("ciphers/aria/aria.ua", "Encrypt128", format!("12 layers of 4 tables on 16 bytes, {affine}")),
        // Of its four S-boxes three are the first with linear maps.
        ("ciphers/camellia/camellia.ua", "SixRounds", format!("6 layers of a table on 8 bytes, {affine}")),
    ] {
        let program = node(path, name, Atoms::Bits);
        let places = Places::big(&program, program.entry());
        let layers = layers(&program, program.entry(), &places).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert!(layers.to_string().starts_with(&shape), "{name}: {layers}");
        let same = layers.of_s_box(AesSBox::Forward).expect("all tables are affine maps around it");
        let inverse = layers.of_s_box(AesSBox::Inverse).expect("and around its inverse");
        assert_eq!((same.tables.len(), inverse.tables.len()), (1, 1));
        for _ in 0..20 {
            let (block, key) = (bytes(&mut random, layers.block() / 8), bytes(&mut random, layers.key() / 8));
            let key = Vector::of_bytes(&key);
            let expected = interpreted(&program, &places, &block, &key);
            let block = Vector::of_bytes(&block);
            for one in [&layers, &same, &inverse] {
                assert_eq!(one.of(&block, &key).to_bytes(), expected, "{name}");
            }
        }
    }
}

/// The tables of the standard between the affine maps that are found.
#[test]
fn forms_around_the_s_box_are_the_table() {
    let table = |path: &str, name: &str| -> [u8; 256] {
        let program = node(path, name, Atoms::Words);
        let usuba_lang::typed::Body::Table(table) = &program.instance(program.entry()).body else { panic!() };
        std::array::from_fn(|index| table.entries[index] as u8)
    };
    let mut found = 0;
    for (path, name) in [
        ("ciphers/camellia/camellia.ua", "SBox1"),
        ("ciphers/sm4/sm4.ua", "Sbox"),
        (AES, "SBox"),
        (AES, "InvSBox"),
    ] {
        let table = table(path, name);
        for s_box in [AesSBox::Forward, AesSBox::Inverse] {
            let form = s_box_form(&table, s_box).unwrap_or_else(|| panic!("{name}"));
            assert!((0..=255u8).all(|x| form.after.of(s_box.of(form.before.of(x))) == table[usize::from(x)]));
            found += 1;
        }
    }
    assert_eq!(found, 8);
    let form = s_box_form(&table(AES, "SBox"), AesSBox::Forward).expect("itself");
    assert_eq!(
        (form.before, form.after),
        (usuba_ir::bytes::ByteAffine::IDENTITY, usuba_ir::bytes::ByteAffine::IDENTITY)
    );
    let form = s_box_form(&table(AES, "InvSBox"), AesSBox::Inverse).expect("itself");
    assert_eq!(
        (form.before, form.after),
        (usuba_ir::bytes::ByteAffine::IDENTITY, usuba_ir::bytes::ByteAffine::IDENTITY)
    );
    let mut wrong = table(AES, "SBox");
    wrong.swap(3, 4);
    assert_eq!(s_box_form(&wrong, AesSBox::Forward), None);
}
