//! The interpreter on the ciphers of the repository: every published vector, and chains of a thousand encryptions.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use usuba_lang::ast::Program;
use usuba_lang::elaborate::{Options, elaborate};
use usuba_lang::interpret::{Interpreter, check_inputs};
use usuba_lang::source::SourceId;
use usuba_lang::typed;

fn folder(cipher: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ciphers").join(cipher)
}

fn program(cipher: &str) -> Program {
    let text = fs::read_to_string(folder(cipher).join(format!("{cipher}.ua"))).unwrap();
    let (file, diagnostics) = usuba_lang::syntax::parse(SourceId(0), &text);
    assert!(diagnostics.is_empty());
    let mut program = Program::default();
    file.items.into_iter().for_each(|item| program.add(item));
    program
}

fn vectors(cipher: &str, file: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(folder(cipher).join("vectors").join(file)).unwrap()).unwrap()
}

/// A node that is ready to run.
struct Node {
    typed: typed::Program,
    interpreter: Interpreter,
}

impl Node {
    fn new(program: &Program, entry: &str) -> Node {
        let options = Options { entry: Some(entry.to_string()), ..Options::new() };
        let (typed, diagnostics) = elaborate(program, &options);
        let typed = typed.unwrap_or_else(|| panic!("{diagnostics:?}"));
        let interpreter = Interpreter::new(&typed);
        Node { typed, interpreter }
    }

    fn run(&mut self, inputs: &[Vec<u128>]) -> Vec<u128> {
        check_inputs(&self.typed, inputs).unwrap();
        self.interpreter.run(inputs).remove(0)
    }
}

fn bytes(value: &Value) -> Vec<u8> {
    let hex = value.as_str().unwrap();
    (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect()
}

/// How bytes are atoms.
#[derive(Clone, Copy)]
enum Order {
    /// Words of so many bytes, least significant byte first.
    Little(usize),
    /// Words of so many bytes, most significant byte first.
    Big(usize),
    /// Bits, most significant first within every byte.
    Bits,
}

fn atoms(order: Order, bytes: &[u8]) -> Vec<u128> {
    let number = |bytes: &mut dyn Iterator<Item = &u8>| bytes.fold(0, |n, &b| n << 8 | u128::from(b));
    match order {
        Order::Little(size) => bytes.chunks(size).map(|word| number(&mut word.iter().rev())).collect(),
        Order::Big(size) => bytes.chunks(size).map(|word| number(&mut word.iter())).collect(),
        Order::Bits => bytes.iter().flat_map(|b| (0..8).rev().map(move |i| u128::from(b >> i & 1))).collect(),
    }
}

/// The inverse of [`atoms`].
fn text(order: Order, atoms: &[u128]) -> Vec<u8> {
    let word = |size: usize, atom: u128| atom.to_be_bytes()[16 - size..].to_vec();
    match order {
        Order::Little(size) => atoms.iter().flat_map(|&a| word(size, a).into_iter().rev()).collect(),
        Order::Big(size) => atoms.iter().flat_map(|&a| word(size, a)).collect(),
        Order::Bits => atoms.chunks(8).map(|b| b.iter().fold(0, |n, &bit| n << 1 | bit as u8)).collect(),
    }
}

/// A block cipher: schedule, encryption, decryption, and how key, round keys of the schedule, and blocks are atoms.
struct BlockCipher {
    cipher: &'static str,
    file: &'static str,
    schedule: &'static str,
    encrypt: &'static str,
    decrypt: &'static str,
    key: Order,
    scheduled: Order,
    block: Order,
}

impl BlockCipher {
    fn check(&self) {
        let program = program(self.cipher);
        let data = vectors(self.cipher, self.file);
        let mut schedule = Node::new(&program, self.schedule);
        let mut encrypt = Node::new(&program, self.encrypt);
        let mut decrypt = Node::new(&program, self.decrypt);
        let mut round_keys = |key: &Value| {
            let keys = schedule.run(&[atoms(self.key, &bytes(key))]);
            atoms(self.block, &text(self.scheduled, &keys))
        };
        let list = data["vectors"].as_array().unwrap();
        assert!(list.len() > 50);
        for vector in list {
            let keys = round_keys(&vector["key"]);
            let plain = atoms(self.block, &bytes(&vector["input"]));
            let cipher = atoms(self.block, &bytes(&vector["output"]));
            assert_eq!(encrypt.run(&[plain.clone(), keys.clone()]), cipher, "{}", vector["id"]);
            assert_eq!(decrypt.run(&[cipher, keys]), plain, "{}", vector["id"]);
        }
        for chain in data["chains"].as_array().into_iter().flatten() {
            let keys = round_keys(&chain["key"]);
            let mut block = atoms(self.block, &bytes(&chain["start"]));
            for _ in 0..chain["iterations"].as_u64().unwrap().min(1000) {
                block = encrypt.run(&[block, keys.clone()]);
            }
            if chain["iterations"].as_u64().unwrap() <= 1000 {
                assert_eq!(text(self.block, &block), bytes(&chain["final"]), "{}", chain["id"]);
            }
        }
    }
}

#[test]
fn aes() {
    for (file, schedule, encrypt, decrypt) in [
        ("aes-128.json", "KeySchedule128", "Encrypt128", "Decrypt128"),
        ("aes-192.json", "KeySchedule192", "Encrypt192", "Decrypt192"),
        ("aes-256.json", "KeySchedule256", "Encrypt256", "Decrypt256"),
    ] {
        let (key, scheduled, block) = (Order::Big(4), Order::Big(4), Order::Big(1));
        BlockCipher { cipher: "aes", file, schedule, encrypt, decrypt, key, scheduled, block }.check();
    }
}

/// The schedule on blocks makes what the one on words does, of every published key and of others.
#[test]
fn aes_packed_schedules() {
    let program = program("aes");
    for (size, bytes_of_key) in [(128, 16), (192, 24), (256, 32)] {
        let data = vectors("aes", &format!("aes-{size}.json"));
        let published = data["vectors"].as_array().unwrap().iter().map(|vector| bytes(&vector["key"]));
        let others = (0..200u32).map(|number| {
            let byte = |place: u32| {
                (number.wrapping_mul(2_654_435_761) >> (place % 24))
                    ^ (((place * 40_503 + 77) * (number + 1)) >> 7)
            };
            (0..bytes_of_key as u32).map(|place| byte(place) as u8).collect()
        });
        let mut words = Node::new(&program, &format!("KeySchedule{size}"));
        let mut packed = Node::new(&program, &format!("PackedSchedule{size}"));
        for key in published.chain(others) {
            // The last block is the last sixteen bytes.
            let first = &key[..16];
            let last = if bytes_of_key == 16 { &[][..] } else { &key[bytes_of_key - 16..] };
            let blocks = packed.run(&[atoms(Order::Big(1), &[first, last].concat())]);
            let expected = words.run(&[atoms(Order::Big(4), &key)]);
            assert_eq!(text(Order::Big(1), &blocks), text(Order::Big(4), &expected), "{key:02x?}");
        }
    }
}

/// The transformations on words, which the key schedule uses, do what the round on bytes does: a sum with the key, the S-box of
/// every byte in every place, and L.
#[test]
fn kuznyechik_on_words() {
    let program = program("kuznyechik");
    let [mut round, mut substitution, mut linear] =
        ["LS", "SWords", "LWords"].map(|name| Node::new(&program, name));
    for number in 0..=255u8 {
        let bytes = |factor: u8| (0..16u8).map(move |place| number.wrapping_add(place.wrapping_mul(factor)));
        let (block, key): (Vec<u8>, Vec<u8>) = (bytes(83).collect(), bytes(29).rev().collect());
        let sum: Vec<u8> = block.iter().zip(&key).map(|(one, other)| one ^ other).collect();
        let expected =
            text(Order::Big(1), &round.run(&[atoms(Order::Big(1), &block), atoms(Order::Big(1), &key)]));
        let substituted = substitution.run(&[atoms(Order::Big(8), &sum)]);
        let found = text(Order::Big(8), &linear.run(&[substituted]));
        assert_eq!(found, expected, "{block:02x?}, key {key:02x?}");
    }
}

#[test]
fn des() {
    let (key, scheduled, block) = (Order::Big(8), Order::Big(8), Order::Bits);
    for (file, schedule, encrypt, decrypt) in [
        ("des.json", "KeySchedule", "Encrypt", "Decrypt"),
        ("tdes-ede3.json", "TripleKeySchedule", "TripleEncrypt", "TripleDecrypt"),
    ] {
        BlockCipher { cipher: "des", file, schedule, encrypt, decrypt, key, scheduled, block }.check();
    }
}

#[test]
fn serpent() {
    let (key, scheduled, block) = (Order::Little(4), Order::Little(4), Order::Little(4));
    for (file, schedule) in [
        ("serpent-128.json", "KeySchedule128"),
        ("serpent-192.json", "KeySchedule192"),
        ("serpent-256.json", "KeySchedule256"),
    ] {
        let (encrypt, decrypt) = ("Encrypt", "Decrypt");
        BlockCipher { cipher: "serpent", file, schedule, encrypt, decrypt, key, scheduled, block }.check();
    }
}

#[test]
fn rectangle() {
    let (key, scheduled, block) = (Order::Little(2), Order::Little(2), Order::Little(2));
    for (file, schedule) in [("rectangle-80.json", "KeySchedule80"), ("rectangle-128.json", "KeySchedule128")]
    {
        let (encrypt, decrypt) = ("Encrypt", "Decrypt");
        BlockCipher { cipher: "rectangle", file, schedule, encrypt, decrypt, key, scheduled, block }.check();
    }
}

#[test]
fn ascon() {
    let program = program("ascon");
    for (file, entry) in [("ascon-p6.json", "P6"), ("ascon-p8.json", "P8"), ("ascon-p12.json", "P12")] {
        let data = vectors("ascon", file);
        let mut node = Node::new(&program, entry);
        for vector in data["vectors"].as_array().unwrap() {
            let result = node.run(&[atoms(Order::Big(8), &bytes(&vector["input"]))]);
            assert_eq!(text(Order::Big(8), &result), bytes(&vector["output"]), "{}", vector["id"]);
        }
    }
}

#[test]
fn gimli() {
    let program = program("gimli");
    let data = vectors("gimli", "gimli.json");
    let mut node = Node::new(&program, "Gimli");
    for vector in data["vectors"].as_array().unwrap() {
        let result = node.run(&[atoms(Order::Little(4), &bytes(&vector["input"]))]);
        assert_eq!(text(Order::Little(4), &result), bytes(&vector["output"]), "{}", vector["id"]);
    }
}

#[test]
fn chacha20() {
    let program = program("chacha20");
    let data = vectors("chacha20", "chacha20.json");
    let mut node = Node::new(&program, "Block");
    for vector in data["vectors"].as_array().unwrap() {
        let key = atoms(Order::Little(4), &bytes(&vector["key"]));
        let nonce = atoms(Order::Little(4), &bytes(&vector["nonce"]));
        let counter = vector["counter"].as_u64().unwrap() as u32;
        let (input, output) = (bytes(&vector["input"]), bytes(&vector["output"]));
        for (block, (input, output)) in input.chunks(64).zip(output.chunks(64)).enumerate() {
            let counter = u128::from(counter.wrapping_add(block as u32));
            let stream = text(Order::Little(4), &node.run(&[key.clone(), vec![counter], nonce.clone()]));
            let found: Vec<u8> = input.iter().zip(&stream).map(|(i, s)| i ^ s).collect();
            assert_eq!(found, output, "{} block {block}", vector["id"]);
        }
    }
}
