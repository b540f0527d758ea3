//! Code of modes around engines is proved for any cipher, from bytes to bytes, and wrong code is refuted.

use super::library_of;
use usuba_message::{elaborate, passes};
use usuba_package::OutputFile;
use usuba_package::message::files::Machines;
use usuba_package::message::{CIPHER, named};
use usuba_target::machines::GP64;
use usuba_tests::ciphers::Cipher;
use usuba_tests::messages::bound;
use usuba_trial::proof::message::{Code, FromHere, Lists, Subject};
use usuba_trial::run::{Compiler, Family};
use usuba_verify::object::blocks::Verdict;
use usuba_verify::object::file::{Architecture, Object};
use usuba_verify::prove::Limits;

/// A mode over AES-256, the name of its code, and lengths.
type Case = (&'static str, &'static str, &'static str);

/// What is proved: a chain with a last block of its own, a tag of products in GF(2^128) on words with a nonce that is hashed, and a
/// key that the message makes.
const PROVED: [Case; 4] = [
    ("cbc-encrypt", "usuba_any16_cbc_encrypt", "n=0..3"),
    ("ccm-open", "usuba_any16_ccm_open", "t=8,nlen=13,alen=5,len=17"),
    ("gcm-open", "usuba_any16_gcm_open", "t=16,ivlen=13,alen=3,len=17"),
    ("gcm-siv-open", "usuba_any16_32_gcm_siv_open", "alen=1,len=17"),
];

/// What is wrong after a change of the code: a block that is changed, a key that is not made; and a tag of which half is looked at,
/// which is not proved, but no random tag shows that it is wrong.
const WRONG: [(Case, &str, &str); 3] = [
    (("cbc-encrypt", "usuba_any16_cbc_encrypt", "n=2"), "to, blocks);", "to, blocks); to[3] ^= 1;"),
    (
        ("gcm-open", "usuba_any16_gcm_open", "t=16,ivlen=12,alen=0,len=1"),
        "^ other[0]) | (",
        "^ other[0]) | 0 * (",
    ),
    (
        ("gcm-siv-open", "usuba_any16_32_gcm_siv_open", "alen=0,len=1"),
        "cipher->schedule(cipher->ctx, from);",
        "(void)(cipher + (from - from));",
    ),
];

/// What is proved for any length: a chain, one whose blocks are read again, 4 KiB at once, a keystream, a tag with the length in it, and
/// one whose code looks at the end first; by which compilers.
const GROWING: [(Case, &[Family]); 5] = [
    (("cbc-encrypt", "usuba_any16_cbc_encrypt", "n=0+"), &[Family::Gcc, Family::Clang]),
    (("cbc-decrypt", "usuba_any16_cbc_decrypt", "n=1+"), &[Family::Gcc]),
    (("ofb", "usuba_any16_ofb", "len=5+"), &[Family::Gcc]),
    (("gmac", "usuba_any16_gmac", "t=16,ivlen=12,len=5+"), &[Family::Gcc]),
    (("cmac", "usuba_any16_cmac", "t=8,len=5+"), &[Family::Gcc]),
];

/// Changes that are right for messages of a thousand blocks, with lengths for which that is proved, and the same for all: blocks of a
/// chain are read again, are not looked at, or are chained with something else; a length is cut off in the tag; another end is read.
const WRONG_LATER: [(Case, &str, &str, &str); 5] = [
    (
        ("cbc-encrypt", "usuba_any16_cbc_encrypt", "n=0..40"),
        "n=0+",
        "(v2_plain + 16 * i0)",
        "(v2_plain + 16 * (i0 & 1023))",
    ),
    (("cbc-encrypt", "usuba_any16_cbc_encrypt", "n=0..40"), "n=0+", "i0 < n0_n", "i0 < (n0_n & 0xfffff)"),
    (
        ("cbc-encrypt", "usuba_any16_cbc_encrypt", "n=0..40"),
        "n=0+",
        "(v3_cipher + 16 * i0) + 0, v7_chain_7,",
        "(v3_cipher + 16 * i0) + 0, (v7_chain_7[5] ^= (uint8_t)(i0 >> 20), v7_chain_7),",
    ),
    (
        ("gmac", "usuba_any16_gmac", "t=16,ivlen=12,len=53..55"),
        "t=16,ivlen=12,len=5+",
        "(uint64_t)(8*n2_len)",
        "(uint64_t)(uint32_t)(8*n2_len)",
    ),
    (
        ("cmac", "usuba_any16_cmac", "t=8,len=33..34"),
        "t=8,len=5+",
        "padded(text4, 16, (v1_message + 16 * ((n1_len + 15) >> 4)",
        "padded(text4, 16, (v1_message + 16 * (((n1_len + 15) >> 4) & 1048575)",
    ),
];

/// What is found for each list of lengths, by a compiler and after a change of the code; or why nothing is.
fn found(
    (mode, stem, lengths): Case,
    family: Family,
    change: Option<(&str, &str)>,
) -> Vec<Result<Verdict, String>> {
    let cipher = Cipher::read("aes");
    let mut files: Vec<OutputFile> = library_of(&cipher, &["aes-256".to_owned()]).to_vec();
    let name = format!("{stem}.c");
    files.retain(|file| file.path == name || file.path.ends_with(".h"));
    for file in files.iter_mut().filter(|file| file.path == name) {
        if let Some((from, to)) = change {
            assert!(file.contents.contains(from), "{name}: {from}");
            file.contents = file.contents.replace(from, to);
        }
    }
    let compiler = Compiler::native(family).expect("a compiler");
    let objects =
        compiler.objects(&files, &["-O2", "-std=c99", "-I."], None).unwrap_or_else(|why| panic!("{why}"));
    let object = objects.content(&name).expect("an object");
    let object = Object::parse_for(&object, Architecture::X86_64).expect("an object");
    let loaded = bound("aes", "aes-256", named(mode).expect("a mode"));
    let mut form =
        elaborate::elaborate(&loaded.program, named(mode).unwrap().node, Some(CIPHER)).expect("a message");
    passes::run(&mut form).expect("loops from strings to strings");
    let code = Code { machines: Machines::of(&GP64).expect("a target"), around: true };
    let subject = Subject::of_mode(&form, &loaded, mode, code).expect("a mode");
    let prepared = subject.prepared(stem).expect("code");
    let Lists { lists, grows } = subject.lists(lengths).expect("lengths");
    let prove = |lengths: &Vec<i64>| {
        let code = (stem, prepared);
        let found = match grows {
            Some(place) => {
                let from = FromHere { lengths, place };
                subject.prove_growing(&object, code, from, Limits::default()).map(|proved| proved.verdict)
            }
            None => subject.prove(&object, code, lengths, Limits::default()).map(|(verdict, _)| verdict),
        };
        found.map_err(|why| why.to_string())
    };
    lists.iter().map(prove).collect()
}

#[test]
fn modes_around_engines_are_proved() {
    for case in PROVED {
        for family in [Family::Gcc, Family::Clang] {
            let found = found(case, family, None);
            assert!(
                !found.is_empty() && found.iter().all(|one| *one == Ok(Verdict::Proved)),
                "{case:?}: {found:?}"
            );
        }
    }
    for (case, from, to) in WRONG {
        let found = found(case, Family::Gcc, Some((from, to)));
        let is_seen = case.0 != "gcm-open";
        let is_found =
            matches!(found[..], [Ok(Verdict::Refuted { .. })]) || !is_seen && found == [Ok(Verdict::Unknown)];
        assert!(is_found, "{case:?}: {found:?}");
    }
}

#[test]
fn modes_of_any_length_are_proved() {
    for (case, families) in GROWING {
        for &family in families {
            let found = found(case, family, None);
            assert_eq!(found, [Ok(Verdict::Proved)], "{case:?} by {family:?}");
        }
    }
    for ((mode, stem, few), all, from, to) in WRONG_LATER {
        let found = |lengths| found((mode, stem, lengths), Family::Gcc, Some((from, to)));
        let few = found(few);
        assert!(few.iter().all(|one| *one == Ok(Verdict::Proved)), "{to}: {few:?}");
        let any = found(all);
        assert!(!matches!(any[..], [Ok(Verdict::Proved)]), "{to}: {any:?}");
    }
}
