//! What a mode calls is recognised where it stands: the block cipher on bytes, as modes see it, and multiplication.

use usuba_algebra::aes::aes;
use usuba_algebra::fallback::FALLBACKS;
use usuba_algebra::layers::{Places, layers};
use usuba_algebra::orbit::{linear, power_of_x};
use usuba_algebra::product::product;
use usuba_lang::elaborate::{Options, elaborate};
use usuba_lang::typed::{Atoms, InstanceId, Program};
use usuba_package::message::{CIPHER, bind, named};
use usuba_tests::ciphers::{Cipher, Disk, root};

/// A mode over AES with a key of 128 bits, for lengths.
fn of_mode(name: &str, lengths: &[(&str, i64)], atoms: Atoms) -> Program {
    let cipher = Cipher::read("aes");
    let mode = named(name).expect("a mode");
    let source = root().join("ciphers/aes/aes.ua");
    let primitive = cipher.manifest.primitives.iter().find(|one| one.name == "aes-128").expect("it is there");
    let loaded = bind(primitive, &source.to_string_lossy(), &cipher.loaded, mode, &Disk).expect("it fits");
    let options = Options {
        entry: Some(mode.node.into()),
        cipher: Some(CIPHER.into()),
        nats: lengths.iter().map(|&(name, value)| (name.into(), value)).collect(),
        atoms,
        keep_tables: true,
        bitslice_arithmetic: true,
        ..Options::new()
    };
    let (program, findings) = elaborate(&loaded.program, &options);
    program.unwrap_or_else(|| panic!("{name}: {findings:?}"))
}

fn instance(program: &Program, name: &str) -> InstanceId {
    let found = program.instances().iter().position(|one| one.name == name);
    InstanceId(found.unwrap_or_else(|| panic!("no instance of {name}")) as u32)
}

fn rounds(program: &Program, name: &str) -> String {
    let instance = instance(program, name);
    let layers = layers(program, instance, &Places::big(program, instance)).expect("it has layers");
    aes(&layers).expect("it is AES").to_string()
}

#[test]
fn what_modes_call_is_recognised() {
    let gcm = [("t", 16), ("ivlen", 12), ("alen", 20), ("len", 40)];
    for atoms in [Atoms::Words, Atoms::Bits] {
        let program = of_mode("gcm-seal", &gcm, atoms);
        let encrypt = "10 layers of AES's S-box; rounds 1–9 are `aesenc`, 10 is `aesenclast`";
        assert_eq!(rounds(&program, "'OnBytesEncrypt"), encrypt);
        let found = product(&program, instance(&program, "Multiply")).expect("it is multiplication");
        let texts = FALLBACKS.iter().filter(|fallback| fallback.product == found);
        assert_eq!(texts.count(), 2, "it has texts for machines without the instruction");

        let program = of_mode("xts-decrypt", &[("len", 40)], atoms);
        let decrypt = "10 layers of AES's inverse S-box; rounds 1–9 are `aesdec`, 10 is `aesdeclast`";
        assert_eq!(rounds(&program, "'OnBytesDecrypt"), decrypt);
        assert_eq!(rounds(&program, "'OnBytesEncrypt"), encrypt);
        let tweak = linear(&program, instance(&program, "NextTweak")).expect("it is linear");
        assert_eq!(power_of_x(&tweak).map(|power| power.exponent), Some(1));
    }
    // The schedule that derived keys go through: four bytes a layer.
    let siv = [("alen", 0), ("len", 16)];
    let program = of_mode("gcm-siv-seal", &siv, Atoms::Words);
    let schedule = instance(&program, "'OnBytesSchedule");
    let layers = layers(&program, schedule, &Places::big(&program, schedule)).expect("it has layers");
    assert!(layers.to_string().starts_with("10 layers of a table on 4 bytes, AES's own"), "{layers}");
}
