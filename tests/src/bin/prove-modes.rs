//! Proves the modes of operation of a shared library of all ciphers for x86-64, from the objects that its build has left, and writes
//! the table of `docs/proofs-modes.md`.
//!
//! `make prove-modes` runs it: `prove-modes LIBRARY [OVER…]`, where `LIBRARY` is what `make lib` has made, and `OVER` what the code is
//! over: `aes-128`, or `any16` for code around engines of any cipher with blocks of 16 bytes. What proves is `usubac verify`, which has
//! to lie beside this program, in a process for each row. The exit status is 1 if something was refuted.

use std::path::{Path, PathBuf};
use std::process::Command;
use usuba_package::manifest::Function;
use usuba_package::message::MODES as NAMES;
use usuba_tests::ciphers::{CIPHERS, Cipher, root};
use usuba_tests::proof_page::{MODES, Name};
use usuba_tests::renewal::{Row, renew};

/// Where the table stands.
const PAGE: &str = "docs/proofs-modes.md";

/// The targets for which there is code, as names of files have them.
const TARGETS: [(&str, &str); 3] = [("gp64", ""), ("avx-aes", "_avx_aes"), ("avx512-vaes", "_avx512_vaes")];

/// The lengths of modes, by how their names begin: short ones each, so that all ends of blocks and all groups of few blocks are there,
/// and long ones, for groups of many blocks and for all loops; with `+`, and any number of turns of a loop more.
const LENGTHS: [(&str, &[&str]); 13] = [
    ("cbc-", &["n=0..40", "n=300", "n=0..7+"]),
    ("cfb8-", &["len=0..40", "len=300"]),
    ("cfb-encrypt", &["len=0..272", "len=4500", "len=0..15+"]),
    ("cfb-", &["len=0..272", "len=4500", "len=5+"]),
    ("ofb", &["len=0..272", "len=4500", "len=0..15+"]),
    ("cmac", &["t=8,len=0..144", "t=1..16,len=33", "t=8,len=4500", "t=8,len=0..15+"]),
    (
        "gmac",
        &[
            "t=16,ivlen=12,len=0..17",
            "t=12,ivlen=1..17,len=20",
            "t=16,ivlen=12,len=1000",
            "t=16,ivlen=12,len=5+",
        ],
    ),
    ("xts-", &["len=16..48", "len=49..80", "len=1000", "len=17+"]),
    (
        "ccm-",
        &[
            "t=16,nlen=13,alen=20,len=0..80",
            "t=4..16,nlen=7..13,alen=0,len=20",
            "t=8,nlen=12,alen=0..40,len=17",
            "t=16,nlen=12,alen=0,len=1000",
            "t=16,nlen=13,alen=20,len=5+",
            "t=16,nlen=13,alen=5+,len=20",
        ],
    ),
    (
        "gcm-siv-",
        &[
            "alen=20,len=0..5",
            "alen=20,len=6..11",
            "alen=20,len=12..17",
            "alen=0..17,len=1",
            "alen=0,len=1000",
            "alen=5+,len=20",
        ],
    ),
    (
        "gcm-",
        &[
            "t=16,ivlen=12,alen=20,len=0..5",
            "t=16,ivlen=12,alen=20,len=6..11",
            "t=16,ivlen=12,alen=20,len=12..17",
            "t=16,ivlen=12,alen=0..8,len=1",
            "t=16,ivlen=12,alen=9..17,len=1",
            "t=4..16,ivlen=12,alen=0,len=20",
            "t=16,ivlen=1..4,alen=0,len=17",
            "t=16,ivlen=5..8,alen=0,len=17",
            "t=16,ivlen=9..11,alen=0,len=17",
            "t=16,ivlen=13..17,alen=0,len=17",
            "t=16,ivlen=12,alen=0,len=1000",
            "t=16,ivlen=12,alen=20,len=5+",
            "t=16,ivlen=12,alen=5+,len=20",
        ],
    ),
    (
        "ocb3-",
        &[
            "t=16,nlen=12,alen=20,len=0..80",
            "t=8..16,nlen=1..15,alen=0,len=20",
            "t=16,nlen=12,alen=0..40,len=17",
            "t=16,nlen=15,alen=0,len=1000",
        ],
    ),
    (
        "cofb-",
        &["alen=20,len=0..80", "alen=0..80,len=20", "alen=0,len=1000", "alen=20,len=5+", "alen=5+,len=20"],
    ),
];

/// The same of code on rounds, where they are others: it has rounds in its proof, and no groups of 4 KiB.
const ON_ROUNDS: [(&str, &[&str]); 6] = [
    ("cfb-encrypt", &["len=0..80", "len=1000", "len=0..15+"]),
    ("cfb-", &["len=0..80", "len=1000", "len=0..3+"]),
    ("ofb", &["len=0..80", "len=1000", "len=0..15+"]),
    ("cmac", &["t=8,len=0..80", "t=1..16,len=33", "t=8,len=1000", "t=8,len=0..15+"]),
    ("xts-", &["len=16..48", "len=49..64", "len=65..80", "len=700", "len=17+"]),
    (
        "gcm-siv-",
        &[
            "alen=20,len=0..5",
            "alen=20,len=6..11",
            "alen=20,len=12..17",
            "alen=0..17,len=1",
            "alen=0,len=100",
            "alen=5+,len=20",
        ],
    ),
];

/// A mode of the library, and lengths.
struct Mode {
    name: Name,
    /// The folder of the cipher, or of one with blocks and keys of these sizes.
    folder: PathBuf,
    primitive: String,
    object: PathBuf,
    symbol: String,
    is_around: bool,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(library) = arguments.next() else {
        eprintln!("usage: prove-modes LIBRARY [OVER…]");
        std::process::exit(2);
    };
    let wanted: Vec<String> = arguments.collect();
    let built = Path::new(&library).join("build");
    let modes = modes(&built);
    if modes.is_empty() {
        eprintln!("error: `{}` has no objects of modes: `make lib` makes them", built.display());
        std::process::exit(2);
    }
    std::process::exit(renew(PAGE, &MODES, &modes, &wanted));
}

/// What code may be over: its name in files, the folder of a cipher and its primitive.
struct Over {
    name: String,
    folder: PathBuf,
    primitive: String,
    is_around: bool,
}

/// For each size of blocks, and of keys where that matters, a cipher that has it; then all block ciphers.
fn overs() -> Vec<Over> {
    let (mut ciphers, mut any): (Vec<Over>, Vec<Over>) = (Vec::new(), Vec::new());
    for cipher in CIPHERS {
        let folder = root().join("ciphers").join(cipher);
        for primitive in Cipher::read(cipher).manifest.primitives {
            let Function::BlockCipher(block_cipher) = &primitive.function else { continue };
            if block_cipher.tweak.is_some() || block_cipher.modes.is_empty() {
                continue;
            }
            let over = |name: String, is_around| {
                let (folder, primitive) = (folder.clone(), primitive.name.clone());
                Over { name, folder, primitive, is_around }
            };
            ciphers.push(over(primitive.identifier(), false));
            let (block, key) = (block_cipher.block.bytes, block_cipher.key.bytes);
            let names = [format!("any{block}"), format!("any{block}_{key}")];
            for name in names.into_iter().filter(|_| block_cipher.decrypt.is_some()) {
                if !any.iter().any(|other| other.name == name) {
                    any.push(over(name, true));
                }
            }
        }
    }
    any.sort_by(|a, b| a.name.cmp(&b.name));
    any.into_iter().chain(ciphers).collect()
}

/// The modes of a library.
fn modes(built: &Path) -> Vec<Mode> {
    let mut modes = Vec::new();
    for Over { name: over, folder, primitive, is_around } in overs() {
        for mode in NAMES.iter().map(|mode| mode.name) {
            let own = ON_ROUNDS.iter().filter(|_| !is_around);
            let lengths =
                own.chain(&LENGTHS).find(|(begin, _)| mode.starts_with(begin)).map_or(&[][..], |row| row.1);
            // Code on rounds has the name of its target.
            for (target, ending) in TARGETS.into_iter().filter(|(_, ending)| is_around || !ending.is_empty())
            {
                let symbol = format!("usuba_{over}_{}{ending}", mode.replace('-', "_"));
                let object = built.join(format!("{symbol}.c.o"));
                if !object.exists() {
                    continue;
                }
                let over = if is_around { &over } else { &primitive };
                modes.extend(lengths.iter().map(|lengths| Mode {
                    name: [over, target, mode, lengths].map(str::to_owned),
                    folder: folder.clone(),
                    primitive: primitive.clone(),
                    object: object.clone(),
                    symbol: symbol.clone(),
                    is_around,
                }));
            }
        }
    }
    modes
}

impl Row for Mode {
    fn name(&self) -> &Name {
        &self.name
    }

    fn command(&self, usubac: &Path, _: &Path) -> Result<Command, String> {
        let [_, target, mode, lengths] = &self.name;
        let mut command = Command::new(usubac);
        command.arg("verify").arg(&self.folder).arg(&self.object);
        command.args(["--primitive", &self.primitive, "--mode", mode, "--target", target]);
        command.args(["--lengths", lengths, "--symbol", &self.symbol]);
        if self.is_around {
            command.arg("--around");
        }
        Ok(command)
    }
}
