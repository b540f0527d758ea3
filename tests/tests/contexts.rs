//! Contexts are the same in every library: whatever it is made for, a program may be compiled against the headers of one and
//! linked with another.

use std::fmt::Write;
use usuba_package::OutputFile;
use usuba_package::engine::Choices;
use usuba_package::library::{self, Options};
use usuba_package::manifest::{Function, Primitive};
use usuba_target::{Target, by_name};
use usuba_tests::ciphers::{CIPHERS, Cipher};
use usuba_trial::run::{Compiler, Family};

/// The first slicing of libraries that the target has, in the usual way.
fn first(_: library::Cipher, primitive: &Primitive, _: &'static Target) -> Vec<Choices> {
    primitive.library.iter().map(|&slicing| Choices::new(slicing)).collect()
}

/// Rounds of AES are one slicing only.
fn rounds(_: library::Cipher, _: &Primitive, _: &'static Target) -> Vec<Choices> {
    vec![Choices::new(usuba_ir::layout::Slicing::BLOCKS)]
}

/// A library with one level, in one folder.
fn library(cipher: &Cipher, primitive: &str, target: &str, choose: &library::Choose) -> Vec<OutputFile> {
    let read = library::Cipher {
        manifest: &cipher.manifest,
        loaded: &cipher.loaded,
        constructions: &[],
        measured: None,
    };
    let options = Options {
        prefix: "usuba_",
        command: "",
        primitives: &[primitive.to_owned()],
        targets: &[],
        level: Some(by_name(target).expect("it is a target")),
        drop_in: false,
        threads: false,
        choose,
    };
    let mut files = library::build(&[read], &options, &|_| {}).expect("the library is made").files;
    for file in &mut files {
        file.path = file.path.rsplit('/').next().unwrap_or("").to_owned();
    }
    files
}

/// The names of contexts in headers, each with its declaration.
fn contexts(files: &[OutputFile]) -> Vec<(String, String)> {
    let headers = files.iter().filter(|file| file.path.ends_with(".h"));
    let declared = headers.flat_map(|file| {
        file.contents.split("typedef struct ").skip(1).filter_map(|rest| {
            let (name, _) = rest.split_once(" {")?;
            let (body, _) = rest.split_once(&format!("}} {name};"))?;
            name.ends_with("_ctx").then(|| (name.to_owned(), body.to_owned()))
        })
    });
    let mut all: Vec<_> = declared.collect();
    all.sort();
    all
}

/// A program with a context of each type between guards: after `init` they are as they were.
fn guarded(names: &[(String, String)]) -> String {
    let mut text = String::from("#include \"usuba.h\"\n#include <string.h>\n\nint main(void)\n{\n");
    text += "    static const unsigned char key[64] = { 1, 2, 3 };\n";
    for (number, (name, _)) in names.iter().enumerate() {
        let stem = name.trim_end_matches("_ctx");
        let _ = write!(
            text,
            "    {{\n        static struct {{ unsigned char before[64]; {name} ctx; unsigned char after[64]; }} at;\n        \
             static unsigned char clean[64];\n        \
             if ({stem}_ctx_bytes() != sizeof at.ctx)\n            return {number} + 1;\n        \
             if ({stem}_init(&at.ctx, key) != USUBA_OK || memcmp(at.after, clean, 64) != 0 || memcmp(at.before, clean, 64) != 0)\n            \
             return {number} + 101;\n    }}\n",
        );
    }
    text + "    return 0;\n}\n"
}

#[test]
fn headers_and_libraries_for_different_targets_go_together() {
    let cipher = Cipher::read("aes");
    let narrow = library(&cipher, "aes-128", "gp64", &first);
    let wide = library(&cipher, "aes-128", "avx512-vaes", &rounds);
    let names = contexts(&wide);
    assert!(names.iter().any(|(name, _)| name == "usuba_aes_128_gcm_ctx"), "{names:?}");
    assert_eq!(names, contexts(&narrow));
    let sources = |files: Vec<OutputFile>| files.into_iter().filter(|file| file.path.ends_with(".c"));
    let headers = wide.iter().filter(|file| file.path.ends_with(".h")).cloned().collect::<Vec<_>>();
    let mut all: Vec<OutputFile> = sources(narrow.clone()).collect();
    all.push(OutputFile { path: "guarded.c".into(), contents: guarded(&names) });
    // What the sources include beyond that stands in the headers of their own library.
    let is_included = |file: &OutputFile| file.path.ends_with(".h") || file.path.ends_with(".inc");
    let missing = narrow.into_iter().filter(is_included);
    let mut headers = headers;
    for file in missing {
        if headers.iter().all(|known| known.path != file.path) {
            headers.push(file);
        }
    }
    let compiler = Compiler::native(Family::Gcc).expect("gcc is installed");
    let flags = ["-O0", "-std=c99", "-I."];
    let program = compiler.compile_with(&all, &headers, &flags).unwrap_or_else(|error| panic!("{error}"));
    program.run(b"").expect("no context is larger than its header says");
}

/// The round keys, once, and a word before them.
#[test]
fn contexts_of_block_ciphers_hold_their_round_keys() {
    for name in CIPHERS {
        let mut cipher = Cipher::read(name);
        // Modes have contexts of their own, which hold this one: the test above has them. Their code takes most of a library's time.
        for primitive in &mut cipher.manifest.primitives {
            if let Function::BlockCipher(block_cipher) = &mut primitive.function {
                block_cipher.modes.retain(|mode| mode.is_of_engines());
            }
        }
        let block_ciphers = cipher.manifest.primitives.iter().filter_map(|one| match &one.function {
            Function::BlockCipher(cipher) => Some((one, cipher)),
            _ => None,
        });
        // One of each family: the others are made by the same template.
        for (primitive, block_cipher) in block_ciphers.take(1) {
            let made = library(&cipher, &primitive.name, "gp64", &first);
            let stem = format!("usuba_{}", primitive.identifier());
            let declared = contexts(&made).into_iter().find(|(name, _)| *name == format!("{stem}_ctx"));
            let expected = format!(
                "{stem}_ctx {{\n    uint64_t state;\n    uint8_t keys[{}];\n",
                block_cipher.round_keys.bytes
            );
            assert_eq!(declared.map(|(_, body)| body), Some(expected));
        }
    }
}

/// What setting a key leaves of it on the stack: a few bytes at most, where registers were kept. AES has its schedule on words,
/// Serpent on rows; what modes prepare is made by engines.
#[test]
fn setting_a_key_leaves_nothing_of_it_on_the_stack() {
    const MOST: &str = "16";
    for (name, primitive, modes) in
        [("aes", "aes-128", &["gcm", "cmac"][..]), ("serpent", "serpent-128", &[])]
    {
        let mut cipher = Cipher::read(name);
        for primitive in &mut cipher.manifest.primitives {
            if let Function::BlockCipher(block_cipher) = &mut primitive.function {
                block_cipher.modes.retain(|mode| mode.is_of_engines() || modes.contains(&mode.name()));
            }
        }
        let mut files = library(&cipher, primitive, "gp64", &first);
        let (mut sources, mut headers): (Vec<OutputFile>, Vec<OutputFile>) =
            files.drain(..).partition(|file| file.path.ends_with(".c"));
        let keyed = include_str!("../library/keyed.h");
        headers.push(OutputFile { path: "keyed.h".into(), contents: keyed.into() });
        let program = include_str!("../library/residue.c");
        sources.push(OutputFile { path: "residue.c".into(), contents: program.into() });
        let compiler = Compiler::native(Family::Gcc).expect("gcc is installed");
        // Schedules are inlined by levels, and their frames differ.
        let level = if name == "serpent" { "-O2" } else { "-O1" };
        let flags = [level, "-std=c99", "-I.", "-pthread", "-Wl,-z,now"];
        let program =
            compiler.compile_with(&sources, &headers, &flags).unwrap_or_else(|error| panic!("{error}"));
        let found = program.run_with(&[MOST], b"").unwrap_or_else(|error| panic!("{primitive}: {error}"));
        assert!(String::from_utf8_lossy(&found).lines().count() > 3, "{found:?}");
    }
}
