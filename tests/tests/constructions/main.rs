//! Constructions over primitives: authenticated encryption, hashes, authenticators.
//!
//! Every construction is compiled by gcc and by clang with the kernels of several machines, and asked by one dialogue: all
//! known answers, Wycheproof's cases, all lengths to 4096 (a part of them in a normal run) against other implementations, in
//! place and between pages that cannot be touched, every bit of a tag and bits of everything else tampered with, messages in
//! pieces, batches of mixed lengths, bad arguments. One way is under sanitizers, one under an emulator of another machine. Mistakes planted in the C must be noticed.

mod program;
mod reference;

use program::{Dialogue, Digested, Placement, Refused, Sealed, Way, build, same};
use std::path::Path;
use std::sync::OnceLock;
use usuba_package::manifest::{Construction, Scheme};
use usuba_tests::ciphers::{Cipher, root};
use usuba_tests::random::prng::Random;
use usuba_tests::ways;
use usuba_tests::wycheproof::{Case, OfConstruction};
use usuba_trial::run::{Compiler, Family, RunError, SharedObjects};
use usuba_trial::vectors;

/// Where buffers are: before and after a page that cannot be touched, and with every alignment to 8 bytes.
const PLACES: [u8; 10] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 128];

const SOMEWHERE: Placement = Placement { place: 0, in_place: false };

fn bytes(random: &mut Random, size: usize) -> Vec<u8> {
    (0..size).map(|_| random.bits() as u8).collect()
}

/// What a refused message leaves: (X)ChaCha20-Poly1305 decrypts only afterwards, the others while they authenticate.
fn refused(name: &str) -> Refused {
    if name.ends_with("chacha20-poly1305") { Refused::Untouched } else { Refused::Zeros }
}

/// Everything that the constructions of a cipher are asked.
fn dialogue(cipher: &str) -> Dialogue {
    let manifest = Cipher::read(cipher).manifest;
    let mut dialogue = Dialogue::default();
    for (number, construction) in manifest.constructions.iter().enumerate() {
        let folder = root().join("ciphers").join(cipher);
        dialogue.bad_arguments(number, &construction.name);
        match construction.scheme {
            Scheme::Aead { .. } => {
                known_seals(&mut dialogue, number, construction, &folder);
                if let Some(known) = OfConstruction::named(&construction.name) {
                    wycheproof(&mut dialogue, number, known);
                }
                all_lengths(&mut dialogue, number, construction);
                tampering(&mut dialogue, number, construction);
                seal_batches(&mut dialogue, number, construction);
            }
            _ => {
                known_digests(&mut dialogue, number, construction, &folder);
                all_digests(&mut dialogue, number, construction);
                if !matches!(construction.scheme, Scheme::Mac { .. }) {
                    digest_batches(&mut dialogue, number, construction);
                }
            }
        }
    }
    dialogue
}

fn ascon() -> &'static Dialogue {
    static DIALOGUE: OnceLock<Dialogue> = OnceLock::new();
    DIALOGUE.get_or_init(|| dialogue("ascon"))
}

fn keccak() -> &'static Dialogue {
    static DIALOGUE: OnceLock<Dialogue> = OnceLock::new();
    DIALOGUE.get_or_init(|| dialogue("keccak"))
}

fn xoodoo() -> &'static Dialogue {
    static DIALOGUE: OnceLock<Dialogue> = OnceLock::new();
    DIALOGUE.get_or_init(|| dialogue("xoodoo"))
}

fn chacha20() -> &'static Dialogue {
    static DIALOGUE: OnceLock<Dialogue> = OnceLock::new();
    DIALOGUE.get_or_init(|| dialogue("chacha20"))
}

fn subterranean() -> &'static Dialogue {
    static DIALOGUE: OnceLock<Dialogue> = OnceLock::new();
    DIALOGUE.get_or_init(|| dialogue("subterranean"))
}

fn known(construction: &Construction, folder: &Path) -> Vec<vectors::Vector> {
    let read = |path: &String| {
        let text = std::fs::read_to_string(folder.join(path)).expect("the vectors are there");
        vectors::parse(path, &text).expect("valid vectors").vectors
    };
    let vectors: Vec<_> = construction.vectors.iter().flat_map(read).collect();
    assert!(vectors.len() >= 64, "{} has only {} known answers", construction.name, vectors.len());
    vectors
}

fn known_seals(dialogue: &mut Dialogue, number: usize, construction: &Construction, folder: &Path) {
    let Scheme::Aead { tag_bytes, .. } = construction.scheme else { panic!("authenticated encryption") };
    for vector in known(construction, folder) {
        let (cipher, tag) = vector.output.split_at(vector.output.len() - tag_bytes as usize);
        let message = Sealed {
            key: vector.key,
            nonce: vector.nonce,
            ad: vector.ad,
            plain: vector.input,
            cipher: cipher.to_vec(),
            tag: tag.to_vec(),
        };
        assert!(vector.valid, "{}: these files have no vectors that must fail", vector.id);
        for in_place in [false, true] {
            let placement = Placement { in_place, ..SOMEWHERE };
            dialogue.seal(number, &vector.id, placement, &message);
            dialogue.open(number, &vector.id, placement, &message, None);
        }
    }
}

/// Wycheproof's cases with nonces of the right size; the others cannot be asked of this interface.
fn wycheproof(dialogue: &mut Dialogue, number: usize, known: &OfConstruction) {
    for case in known.cases().into_iter().filter(|case| known.fits(case)) {
        let Case { name, key, nonce, ad, plain, cipher, tag, valid } = case;
        let message = Sealed { key, nonce, ad, plain, cipher, tag };
        if valid {
            dialogue.seal(number, &name, SOMEWHERE, &message);
        }
        let refused = if valid { None } else { Some(refused(known.name)) };
        dialogue.open(number, &name, SOMEWHERE, &message, refused);
    }
}

/// A message with random everything.
fn random_message(random: &mut Random, construction: &Construction, ad: usize, text: usize) -> Sealed {
    let Scheme::Aead { key_bytes, nonce_bytes, .. } = construction.scheme else {
        panic!("authenticated encryption")
    };
    let key = bytes(random, key_bytes as usize);
    let nonce = bytes(random, nonce_bytes as usize);
    reference::seal(&construction.name, key, nonce, bytes(random, ad), bytes(random, text))
}

/// Lengths of texts: all to 4,096 bytes; in a normal run all to 1,024 and every thirteenth beyond, which leaves every remainder by
/// the bytes of a block.
fn lengths() -> impl Iterator<Item = usize> {
    (0..=4096).filter(|length| ways::all() || *length <= 1024 || length % 13 == 0)
}

fn all_lengths(dialogue: &mut Dialogue, number: usize, construction: &Construction) {
    let mut random = Random::new(number as u64);
    for length in lengths() {
        let ad = if length % 64 == 0 { random.below(400) } else { random.below(40) };
        let message = random_message(&mut random, construction, ad, length);
        let what = format!("{length} bytes, {ad} of data");
        let placement = Placement { place: PLACES[length % PLACES.len()], in_place: length % 3 == 0 };
        dialogue.seal(number, &what, placement, &message);
        let placement = Placement { in_place: !placement.in_place, ..placement };
        dialogue.open(number, &what, placement, &message, None);
    }
    // Every length of the data, and texts of several calls of the kernels.
    for ad in 0..=200 {
        let message = random_message(&mut random, construction, ad, 33);
        dialogue.seal(number, &format!("{ad} bytes of data"), SOMEWHERE, &message);
    }
    for length in [8191, 8192, 16384 + 7, 65536, 100_000] {
        let message = random_message(&mut random, construction, 5000, length);
        for place in PLACES {
            let placement = Placement { place, in_place: false };
            dialogue.seal(number, &format!("{length} bytes"), placement, &message);
            dialogue.open(number, &format!("{length} bytes"), placement, &message, None);
        }
    }
}

fn tampering(dialogue: &mut Dialogue, number: usize, construction: &Construction) {
    let mut random = Random::new(100 + number as u64);
    let refused = Some(refused(&construction.name));
    for (length, ad) in [(0, 0), (0, 5), (1, 0), (15, 16), (16, 15), (17, 1), (40, 33), (64, 0), (500, 20)] {
        let good = random_message(&mut random, construction, ad, length);
        let mut ask = |dialogue: &mut Dialogue, what: String, bad: &Sealed| {
            let placement = Placement { place: random.pick(&PLACES), in_place: random.chance(50) };
            dialogue.open(number, &what, placement, bad, refused);
        };
        let mut flip =
            |dialogue: &mut Dialogue, part: fn(&mut Sealed) -> &mut Vec<u8>, what: &str, all: bool| {
                let bits = 8 * part(&mut good.clone()).len();
                // One bit of every byte, another one in each.
                for bit in (0..bits).step_by(if all { 1 } else { 9 }) {
                    let mut bad = good.clone();
                    part(&mut bad)[bit / 8] ^= 1 << (bit % 8);
                    ask(dialogue, format!("bit {bit} of the {what} of {length} bytes"), &bad);
                }
            };
        flip(dialogue, |message| &mut message.tag, "tag", true);
        flip(dialogue, |message| &mut message.cipher, "ciphertext", length < 50);
        flip(dialogue, |message| &mut message.ad, "data", true);
        flip(dialogue, |message| &mut message.nonce, "nonce", false);
        flip(dialogue, |message| &mut message.key, "key", false);
        // The data and the text a byte longer or shorter, or the border between them moved.
        let mut bad = good.clone();
        bad.cipher.push(0);
        ask(dialogue, "a longer ciphertext".into(), &bad);
        let mut bad = good.clone();
        bad.ad.push(0);
        ask(dialogue, "longer data".into(), &bad);
        if length > 0 {
            let mut bad = good.clone();
            bad.cipher.pop();
            ask(dialogue, "a shorter ciphertext".into(), &bad);
            let mut bad = good.clone();
            bad.ad.push(good.cipher[0]);
            bad.cipher.remove(0);
            ask(dialogue, "a moved border".into(), &bad);
        }
    }
}

fn seal_batches(dialogue: &mut Dialogue, number: usize, construction: &Construction) {
    let mut random = Random::new(200 + number as u64);
    let refused = refused(&construction.name);
    for count in [1, 2, 3, 7, 8, 9, 63, 64, 65, 129, 200] {
        for longest in [0, 15, 16, 48, 300, 1000] {
            let messages: Vec<Sealed> = (0..count)
                .map(|_| {
                    // Many are empty, many of one length.
                    let length = if random.chance(30) { longest } else { random.below(longest + 1) };
                    let ad = if random.chance(30) { 0 } else { random.below(50) };
                    random_message(&mut random, construction, ad, length)
                })
                .collect();
            let what = format!("a batch to seal, up to {longest} bytes");
            dialogue.batch(number, &what, &messages, None);
            let what = format!("a batch to open, up to {longest} bytes");
            dialogue.batch(number, &what, &messages, Some((refused, &|_| false)));
            let modulus = 1 + random.below(5);
            dialogue.batch(number, &what, &messages, Some((refused, &|place| place % modulus == 0)));
        }
    }
}

/// The size of a prefix that may vary, or does not; and of an output likewise.
fn sizes(random: &mut Random, construction: &Construction) -> (usize, usize) {
    match construction.scheme {
        Scheme::Aead { .. } => panic!("a hash or an authenticator"),
        Scheme::Hash { digest_bytes } => (0, digest_bytes as usize),
        Scheme::Mac { key_bytes, tag_bytes } => (key_bytes as usize, tag_bytes as usize),
        Scheme::Xof { customization_bytes } => {
            let prefix = customization_bytes.map_or(0, |largest| random.below(largest as usize + 1));
            (prefix, random.below(100))
        }
    }
}

fn known_digests(dialogue: &mut Dialogue, number: usize, construction: &Construction, folder: &Path) {
    for vector in known(construction, folder) {
        let prefix = if vector.key.is_empty() { vector.customization } else { vector.key };
        let message = Digested { prefix, message: vector.input, output: vector.output };
        let again = reference::digest(
            &construction.name,
            message.prefix.clone(),
            message.message.clone(),
            message.output.len(),
        );
        assert_eq!(again.output, message.output, "{}", vector.id);
        dialogue.digest(number, &vector.id, 0, &message);
        dialogue.pieces(
            number,
            &vector.id,
            &vec![1; message.message.len()],
            &[message.output.len()],
            &message,
        );
    }
}

/// Sizes of pieces that add up to `size`; none are pieces too.
fn pieces(random: &mut Random, size: usize, largest: usize) -> Vec<usize> {
    let (mut pieces, mut left) = (Vec::new(), size);
    while left > 0 {
        let piece = random.below(largest + 1).min(left);
        pieces.push(piece);
        left -= piece;
    }
    pieces
}

fn all_digests(dialogue: &mut Dialogue, number: usize, construction: &Construction) {
    let mut random = Random::new(300 + number as u64);
    let xof = matches!(construction.scheme, Scheme::Xof { .. });
    for length in lengths().chain([8191, 8192, 65536, 100_000]) {
        let (prefix, output) = sizes(&mut random, construction);
        // Messages of ones only have the most carries.
        let text = if length % 5 == 4 { vec![0xff; length] } else { bytes(&mut random, length) };
        let prefix = bytes(&mut random, prefix);
        let message = reference::digest(&construction.name, prefix, text, output);
        let what = format!("{} of {length} bytes", construction.name);
        dialogue.digest(number, &what, PLACES[length % PLACES.len()], &message);
        if length <= 300 || length % 64 == 0 {
            let largest = if length <= 300 { 1 + random.below(40) } else { 1 + random.below(1000) };
            let ins = pieces(&mut random, length, largest);
            let outs = if xof { pieces(&mut random, output, 20) } else { vec![output] };
            dialogue.pieces(number, &what, &ins, &outs, &message);
        }
    }
    if xof {
        let message = reference::digest(&construction.name, Vec::new(), vec![1, 2, 3], 5000);
        dialogue.digest(number, "a long output", 0, &message);
        dialogue.pieces(number, "a long output", &[3], &vec![1; 5000], &message);
    }
}

fn digest_batches(dialogue: &mut Dialogue, number: usize, construction: &Construction) {
    let mut random = Random::new(400 + number as u64);
    for count in [1, 2, 3, 7, 8, 9, 63, 64, 65, 129, 200] {
        for longest in [0, 7, 8, 24, 300] {
            let messages: Vec<Digested> = (0..count)
                .map(|_| {
                    let length = if random.chance(30) { longest } else { random.below(longest + 1) };
                    let (prefix, output) = sizes(&mut random, construction);
                    let (prefix, text) = (bytes(&mut random, prefix), bytes(&mut random, length));
                    reference::digest(&construction.name, prefix, text, output)
                })
                .collect();
            dialogue.digests(number, &format!("a batch of up to {longest} bytes"), &messages);
        }
    }
}

/// Without optimisation: every access is checked as it is written, and optimising the checks takes longer than they run.
const SANITIZERS: &[&str] = &["-O0", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

fn check(
    cipher: &str,
    dialogue: &Dialogue,
    target: &'static str,
    family: Family,
    flags: &'static [&'static str],
) {
    let machine = usuba_target::by_name(target).expect("the target is known");
    if let ("avx512", Err(RunError::Features { features, .. })) = (target, Compiler::find(machine, family)) {
        println!("{cipher}, {target}: left out, as this machine has no {features:?}");
        return;
    }
    let built =
        build(cipher, Way { target, family, flags }, "usuba_", &SharedObjects::new(), &|_, text| text);
    match dialogue.ask(&built) {
        Ok(answers) => println!("{cipher}, {target} {} {flags:?}: {answers} answers", family.name()),
        Err(error) => panic!("{cipher}, {target} {} {flags:?}: {error}", family.name()),
    }
}

/// For what runs longer than it takes to optimise. Reports need lines only: gcc takes a third longer if it has to follow variables.
const OPTIMISED_SANITIZERS: &[&str] =
    &["-O1", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

macro_rules! ways {
    ($($(#[$ignored:meta])? $name:ident: $cipher:ident, $target:literal, $family:ident, $flags:expr;)*) => {
        $(#[test] $(#[$ignored])? fn $name() {
            check(stringify!($cipher), $cipher(), $target, Family::$family, $flags);
        })*
    };
}

// What is ignored repeats, for one more compiler or machine, what the others show: `make test-long` runs it too.

ways! {
    ascon_on_general_registers_by_gcc: ascon, "gp64", Gcc, &["-O2"];
    #[ignore = "long: make test-long"]
    ascon_on_general_registers_by_clang: ascon, "gp64", Clang, &["-O3"];
    #[ignore = "long: make test-long"]
    ascon_on_neon_by_gcc: ascon, "neon", Gcc, &["-O3"];
    ascon_on_altivec_by_clang: ascon, "altivec", Clang, &["-O2"];
    #[ignore = "long: make test-long"]
    ascon_on_avx2_by_clang: ascon, "avx2", Clang, &["-O2"];
    #[ignore = "long: make test-long"]
    keccak_on_general_registers_by_gcc: keccak, "gp64", Gcc, &["-O2"];
    keccak_on_altivec_by_clang: keccak, "altivec", Clang, &["-O2"];
    #[ignore = "long: make test-long"]
    keccak_on_avx2_by_clang: keccak, "avx2", Clang, &["-O2"];
    keccak_under_sanitizers: keccak, "avx2", Gcc, OPTIMISED_SANITIZERS;
    #[ignore = "long: make test-long"]
    xoodoo_on_general_registers_by_gcc: xoodoo, "gp64", Gcc, &["-O2"];
    xoodoo_on_altivec_by_clang: xoodoo, "altivec", Clang, &["-O2"];
    xoodoo_on_avx2_by_clang: xoodoo, "avx2", Clang, &["-O2"];
    xoodoo_under_sanitizers: xoodoo, "avx2", Gcc, OPTIMISED_SANITIZERS;
    ascon_under_sanitizers: ascon, "avx2", Gcc, OPTIMISED_SANITIZERS;
    chacha20_on_general_registers_by_gcc: chacha20, "gp64", Gcc, &["-O2"];
    #[ignore = "long: make test-long"]
    chacha20_on_general_registers_by_clang: chacha20, "gp64", Clang, &["-O3"];
    chacha20_on_neon_by_clang: chacha20, "neon", Clang, &["-O2"];
    #[ignore = "long: make test-long"]
    chacha20_on_altivec_by_clang: chacha20, "altivec", Clang, &["-O2"];
    chacha20_on_avx2_by_clang: chacha20, "avx2", Clang, &["-O2"];
    chacha20_on_avx512_by_gcc: chacha20, "avx512", Gcc, &["-O2"];
    chacha20_under_sanitizers: chacha20, "avx2", Gcc, SANITIZERS;
    #[ignore = "long: make test-long"]
    chacha20_on_avx512_under_sanitizers: chacha20, "avx512", Gcc, SANITIZERS;
    #[ignore = "long: make test-long"]
    subterranean_on_general_registers_by_gcc: subterranean, "gp64", Gcc, &["-O2"];
    subterranean_on_altivec_by_clang: subterranean, "altivec", Clang, &["-O1"];
    #[ignore = "long: make test-long"]
    subterranean_on_avx2_by_clang: subterranean, "avx2", Clang, &["-O1"];
    subterranean_under_sanitizers: subterranean, "gp64", Gcc, SANITIZERS;
    poly1305_with_small_limbs: chacha20, "gp64", Gcc, &["-O2", "-DUSUBA_POLY1305_LIMBS_26"];
    #[ignore = "long: make test-long"]
    poly1305_with_small_limbs_under_sanitizers: chacha20, "gp64", Gcc,
        &["-DUSUBA_POLY1305_LIMBS_26", "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
}

#[test]
fn another_prefix() {
    for (cipher, dialogue) in [("xoodoo", xoodoo()), ("chacha20", chacha20())] {
        let way = Way { target: "gp64", family: Family::Gcc, flags: &["-O0"] };
        let built = build(cipher, way, "my_library_", &SharedObjects::new(), &|_, text| text);
        if let Err(error) = dialogue.ask(&built) {
            panic!("{cipher}: {error}");
        }
    }
}

/// C by hand in place of what a text becomes computes what the text says: all lengths of text to 600 bytes with data of many
/// lengths, sealed and opened, tampered tags; authenticators at once and in pieces.
#[test]
fn fast_forms_are_their_texts() {
    let objects = SharedObjects::new();
    for family in [Family::Gcc, Family::Clang].into_iter().filter(|&one| one == Family::Gcc || ways::all()) {
        let said = same(family, &objects, &|_, text| text).unwrap_or_else(|error| panic!("{error}"));
        assert!(said.contains("are the same"), "{said}");
        println!("{}: {said}", family.name());
    }
    let mistakes = [
        ("poly1305.ua", "(c[5] * 5)", "(c[5] * 4)"),
        ("poly1305.ua", "fc, 0xff, 0xff, 0x0f\n", "fe, 0xff, 0xff, 0x0f\n"),
        ("aead.ua", "cipher = ChaCha20(1,", "cipher = ChaCha20(2,"),
        ("aead.ua", "zeros ++ nonce[16, 24), aad, plain", "zeros ++ nonce[15, 23), aad, plain"),
        ("poly1305.c", "(upper[1] & ~(uint64_t)3)", "0"),
    ];
    for (file, from, to) in mistakes {
        let plant = |path: &str, text: String| match path.rsplit('/').next() == Some(file) {
            true => {
                assert!(text.contains(from), "{path} has no {from}");
                text.replacen(from, to, 1)
            }
            false => text,
        };
        assert!(
            same(Family::Gcc, &objects, &plant).is_err(),
            "{file} with `{to}` for `{from}` is not noticed"
        );
    }
}

#[test]
fn planted_mistakes_are_noticed() {
    let mistakes = [
        ("ascon", "aead.ua", "Pad(plain, 16, 0x01)", "Pad(plain, 16, 0x02)"),
        ("ascon", "aead.ua", "absorbed[4] ^ 0x8000000000000000", "absorbed[4] ^ 0"),
        ("ascon", "aead.ua", "S[2, 3] ^ K, S[4]", "S[2, 3], S[4]"),
        ("ascon", "hash.ua", "Word(8 * z)", "Word(z)"),
        ("ascon", "v12.ua", "initial = 0x80800c08", "initial = 0x80800c06"),
        ("xoodoo", "xoodyak.ua", "Bytes(Word(16):u8)", "Bytes(Word(15):u8)"),
        ("xoodoo", "xoodyak.ua", "DownXoodyak(1 - min(1, n)", "DownXoodyak(0 * min(1, n)"),
        ("keccak", "sha3.ua", "message, r, first, 0x80", "message, r, first, 0x40"),
        ("keccak", "sha3.ua", "Sponge(168, 0x1f", "Sponge(168, 0x06"),
        ("ascon", "hash.ua", "Pad(message, 8, 0x01)", "Pad(message, 8, 0x03)"),
        ("chacha20", "poly1305.c", "(upper[1] & ~(uint64_t)3)", "0"),
        ("chacha20", "poly1305.c", "mask = 0 - ((", "mask = 0 * (("),
        (
            "chacha20",
            "poly1305.c",
            "high = sum[1] + usuba_load64(state->end + 8) + (low < sum[0]);",
            "high = sum[1] + usuba_load64(state->end + 8);",
        ),
        (
            "chacha20",
            "chacha20_poly1305.c",
            "usuba_chacha20_xor(key, nonce, 1 + CHACHA20_POLY1305_FIRST",
            "usuba_chacha20_xor(key, nonce, CHACHA20_POLY1305_FIRST",
        ),
        (
            "chacha20",
            "poly1305.c",
            "usuba_store64(lengths, first_length);",
            "usuba_store64(lengths, first_length & ~(size_t)15);",
        ),
        (
            "chacha20",
            "poly1305.c",
            "usuba_store64(lengths + 8, second_length);",
            "usuba_store64(lengths + 8, second_length & ~(size_t)15);",
        ),
        ("chacha20", "xchacha20_poly1305.c", "nonce + 16, 8", "nonce + 15, 8"),
        ("chacha20", "aead.ua", "Words(nonce, little):u32);", "Words(nonce, big):u32);"),
        ("subterranean", "sae.ua", "Duplex(state[i], Block(plain[4*i,", "Duplex(state[i], Block(cipher[4*i,"),
    ];
    let objects = SharedObjects::new();
    // Every other one in a normal run.
    for (cipher, file, from, to) in mistakes.into_iter().step_by(if ways::all() { 1 } else { 2 }) {
        let planted = std::cell::Cell::new(false);
        let plant = |path: &str, text: String| {
            if path.rsplit('/').next() != Some(file) {
                return text;
            }
            assert!(text.contains(from), "{path} has no {from}");
            planted.set(true);
            text.replacen(from, to, 1)
        };
        let way = Way {
            target: "gp64",
            family: Family::Gcc,
            flags: &["-O1", "-Wno-unused", "-Wno-unused-parameter"],
        };
        let built = build(cipher, way, "usuba_", &objects, &plant);
        assert!(planted.get(), "{file} is not read");
        let dialogue = match cipher {
            "ascon" => ascon(),
            "chacha20" => chacha20(),
            "keccak" => keccak(),
            "xoodoo" => xoodoo(),
            _ => subterranean(),
        };
        let answers = dialogue.ask(&built);
        match answers {
            Ok(_) => panic!("{file} with `{to}` for `{from}` is not noticed"),
            Err(error) => println!("{file} with `{to}` for `{from}`: {error}"),
        }
    }
}
