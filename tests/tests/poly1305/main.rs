//! Poly1305 on vectors against its scalar forms: every length to 4096 bytes with random and with extreme keys and messages,
//! sums next to the modulus, messages in pieces; by gcc and by clang, without optimisation and with, under sanitizers.
//! Carries that are left out must be noticed.

use std::sync::OnceLock;
use usuba_package::OutputFile;
use usuba_package::construction;
use usuba_target::by_name;
use usuba_tests::ciphers::{Cipher, root};
use usuba_trial::run::{Compiler, Family, Objects, Program};

/// Vectors for the shortest messages, too.
const ALWAYS: &str = "-DVECTORS_POLY1305_VECTORS_FROM=1";
const SANITIZERS: &[&str] =
    &["-O1", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", ALWAYS];

const MAIN: &str = "int differential(int count, char **arguments);

int main(int count, char **arguments)
{
    return differential(count, arguments);
}
";

/// What stands before the text of each form. The one on vectors is part of a library whose level the program says; the
/// others are not, and are compiled for a machine without vectors.
fn before(prefix: &str) -> &'static str {
    match prefix {
        "vectors_" => {
            "#define USUBA_IN_LIBRARY 1\n#define USUBA_LEVEL_AVX2 1u\n#define USUBA_LEVEL_AVX512 2u\n\
             unsigned vectors_level(void);\nint vectors_has_ifma(void);\n"
        }
        "limbs_" => "#define LIMBS_POLY1305_LIMBS_26 1\n",
        _ => "",
    }
}

/// The files of a form; `change` may change their texts.
fn form(prefix: &str, change: &dyn Fn(&str, String) -> String) -> Vec<OutputFile> {
    let cipher = Cipher::read("chacha20");
    let constructions: Vec<_> =
        cipher.manifest.constructions.into_iter().filter(|one| one.name == "poly1305").collect();
    let read = |path: &str| -> std::io::Result<String> {
        Ok(change(path, std::fs::read_to_string(root().join("ciphers/chacha20").join(path))?))
    };
    let mut files =
        construction::files(&constructions, &[], prefix, read).expect("the files of the manifest");
    for file in files.iter_mut().filter(|file| file.path.ends_with(".c")) {
        let text = file
            .contents
            .replace("usuba_level(", "vectors_level(")
            .replace("usuba_has_ifma(", "vectors_has_ifma(");
        file.contents = before(prefix).to_owned() + &text;
    }
    files
}

/// The scalar forms and what compares, compiled.
fn compiled_scalar(flags: &[&str]) -> Objects {
    let same = |_: &str, text: String| text;
    let mut files = usuba_package::runtime();
    files.extend(form("words_", &same));
    files.extend(form("limbs_", &same));
    files.extend(form("vectors_", &same).into_iter().filter(|file| file.path.ends_with(".h")));
    let contents = include_str!("differential.c").to_owned();
    files.push(OutputFile { path: "differential.c".into(), contents });
    let compiler = Compiler::native(Family::Gcc).expect("it is installed");
    compiler.objects(&files, &[&["-std=c99"], flags].concat(), None).unwrap_or_else(|error| panic!("{error}"))
}

fn scalar() -> &'static Objects {
    static OBJECTS: OnceLock<Objects> = OnceLock::new();
    OBJECTS.get_or_init(|| compiled_scalar(&["-O2"]))
}

/// The form on vectors, compiled in some way, against the scalar ones.
fn program(
    family: Family,
    flags: &[&str],
    scalar: &Objects,
    change: &dyn Fn(&str, String) -> String,
) -> Program {
    let mut files = usuba_package::runtime();
    files.extend(form("vectors_", change));
    let flags = [&["-std=c99"], flags].concat();
    let compiler = Compiler::native(family).expect("it is installed");
    let vectors = compiler.objects(&files, &flags, None).unwrap_or_else(|error| panic!("{error}"));
    let main = OutputFile { path: "main.c".into(), contents: MAIN.to_owned() };
    compiler.link(&main, &[scalar, &vectors], &flags).unwrap_or_else(|error| panic!("{error}"))
}

/// The levels that this machine has: all have that without vectors.
fn levels() -> impl Iterator<Item = &'static str> {
    let has = |name: &str| {
        let target = by_name(name).expect("it is a target");
        Compiler::find(target, Family::Gcc).is_ok()
    };
    [("0", "gp64"), ("1", "avx2"), ("2", "avx512"), ("3", "avx512")]
        .into_iter()
        .filter(move |(level, name)| has(name) && (*level != "3" || has_ifma()))
        .map(|(level, _)| level)
}

#[cfg(target_arch = "x86_64")]
fn has_ifma() -> bool {
    std::arch::is_x86_feature_detected!("avx512ifma")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_ifma() -> bool {
    false
}

fn check(family: Family, flags: &[&str], scalar: &Objects) {
    let program = program(family, flags, scalar, &|_, text| text);
    for level in levels() {
        let said =
            program.run_with(&[level], b"").unwrap_or_else(|error| panic!("{flags:?}, {level}: {error}"));
        let said = String::from_utf8(said).expect("text");
        assert!(said.contains(&format!(" tags are the same at level {level}")), "{flags:?}: {said}");
        println!("{} {flags:?}: {said}", family.name());
    }
}

macro_rules! ways {
    ($($name:ident: $family:ident, $flags:expr;)*) => {
        $(#[test] fn $name() { check(Family::$family, $flags, scalar()); })*
    };
}

ways! {
    by_gcc_where_it_pays: Gcc, &["-O3"];
    by_gcc_without_optimisation: Gcc, &["-O0", ALWAYS];
    by_clang_at_all_lengths: Clang, &["-O2", ALWAYS];
}

#[test]
fn under_sanitizers() {
    check(Family::Gcc, SANITIZERS, &compiled_scalar(SANITIZERS));
}

#[test]
fn planted_mistakes_are_noticed() {
    let carries_44 = "(low[0] & mask) + top + (top << 2)";
    // Each with the levels that have the code.
    let mistakes: [(&str, &str, &str, &[&str]); 10] = [
        // Carries that have next to nothing to carry: what comes back from the top, and after that the last one.
        (
            "poly1305_limbs_26.h",
            "    l[1] += l[0] >> POLY1305_BITS;\n    l[0] &= mask;\n    l[4]",
            "    l[4]",
            &["1", "2"],
        ),
        ("poly1305_limbs_26.h", "    l[4] += l[3] >> POLY1305_BITS;\n    l[3] &= mask;\n}", "}", &["1", "2"]),
        ("poly1305_limbs_44.h", carries_44, "(low[0] & mask) + top", &["3"]),
        (
            "poly1305_limbs_44.h",
            "    l[1] = (middle & mask) + (l[0] >> 44);",
            "    l[1] = middle & mask;",
            &["3"],
        ),
        ("poly1305_limbs_44.h", "(high[2] << 10) + ", "", &["3"]),
        // The bit beyond a block, in lanes that begin with one.
        ("poly1305_lanes.h", "LANE(j), 1)", "LANE(j), 0)", &["1", "2", "3"]),
        ("poly1305_vectors.h", "(high & 3) + (uint64_t)(x >> 64)", "(high & 3)", &["1", "2"]),
        ("poly1305_vectors.h", "(high >> 2) + ", "", &["1", "2"]),
        ("poly1305_limbs_44.h", "beyond << 40", "beyond << 39", &["3"]),
        ("poly1305_limbs_44.h", "high >> 24", "high >> 25", &["3"]),
    ];
    let there: Vec<&str> = levels().collect();
    for (file, from, to, vectors) in mistakes {
        let planted = std::cell::Cell::new(false);
        let plant = |path: &str, text: String| {
            if !path.ends_with(&format!("/{file}")) {
                return text;
            }
            assert!(text.contains(from), "{path} has no {from}");
            planted.set(true);
            text.replacen(from, to, 1)
        };
        let program = program(Family::Gcc, &["-O0", ALWAYS], scalar(), &plant);
        assert!(planted.get(), "{file} is not read");
        for level in vectors.iter().filter(|level| there.contains(level)) {
            assert!(
                program.run_with(&[level], b"").is_err(),
                "{file} with `{to}` for `{from}`: not noticed at {level}"
            );
        }
    }
}
