//! The library as its users have it: known answers and modes of its public functions for every target that is forced, by
//! gcc and by clang, on this machine and under emulators; which code it picks on which CPU; prefixes; files to drop in.
//!
//! Compiling all engines takes long: a few primitives, one of each kind and layout, stand for all. `USUBA_WAYS=all` tries
//! every primitive of every cipher.

use std::time::Instant;
use usuba_codegen::Backend;
use usuba_package::OutputFile;
use usuba_package::engine::Choices;
use usuba_package::library::{self, Library, Options, measured};
use usuba_package::manifest::{Function, Primitive};
use usuba_target::{PLATFORMS, Target, by_name};
use usuba_tests::ciphers::{CIPHERS, Cipher};
use usuba_tests::ways;
use usuba_trial::harness;
use usuba_trial::known_answers::{LONGEST_EMULATED, Request, Test, run_program};
use usuba_trial::run::{Compiler, Family, Program, SharedObjects};

/// One of each kind and layout: H and bit-interleaved, V with packed words, V with interleaving, B.
const USUAL: [(&str, &str); 4] =
    [("aes", "aes-128"), ("chacha20", "chacha20"), ("ascon", "ascon-p8"), ("des", "des")];

fn chosen() -> Vec<(String, String)> {
    if ways::all() {
        let all = |name: &str| {
            let manifest = Cipher::read(name).manifest;
            manifest.primitives.into_iter().map(|one| ((*name).to_owned(), one.name)).collect::<Vec<_>>()
        };
        return CIPHERS.iter().flat_map(|name| all(name)).collect();
    }
    USUAL.iter().map(|(cipher, primitive)| ((*cipher).to_owned(), (*primitive).to_owned())).collect()
}

/// The usual way for each slicing.
fn usual(_: library::Cipher, primitive: &Primitive, _: &'static Target) -> Vec<Choices> {
    primitive.library.iter().map(|&slicing| Choices::new(slicing)).collect()
}

fn built(cipher: &Cipher, primitive: &str, prefix: &str) -> Library {
    let primitives = [primitive.to_owned()];
    build(cipher, &Options { prefix, primitives: &primitives, ..USUAL_OPTIONS })
}

const USUAL_OPTIONS: Options<'static> = Options {
    prefix: "usuba_",
    command: "",
    primitives: &[],
    targets: &[],
    level: None,
    drop_in: true,
    threads: false,
    choose: &usual,
};

fn build(cipher: &Cipher, options: &Options) -> Library {
    // Modes that are messages have a test of their own, `library_modes`.
    let mut manifest = cipher.manifest.clone();
    for primitive in &mut manifest.primitives {
        if let Function::BlockCipher(cipher) = &mut primitive.function {
            cipher.modes.retain(|mode| mode.is_of_engines());
        }
    }
    let read = library::Cipher {
        manifest: &manifest,
        loaded: &cipher.loaded,
        constructions: &[],
        measured: Some(&cipher.measured),
    };
    library::build(&[read], options, &|_| {}).expect("the library is made")
}

/// A program that asks the public functions.
fn program(
    package: &Library,
    primitive: &Primitive,
    prefix: &str,
    compiler: &Compiler,
    flags: &[&str],
) -> Program {
    let front = format!("{prefix}{}.c", primitive.identifier());
    let (included, mut files): (Vec<OutputFile>, Vec<OutputFile>) =
        package.files.iter().cloned().partition(|file| file.path == front);
    let batch = package.engines.iter().map(|made| made.batch).max().expect("there are engines");
    files.push(harness::generate(primitive, prefix, batch));
    SharedObjects::new().compile(compiler, &files, &included, flags).unwrap_or_else(|error| panic!("{error}"))
}

/// Known answers for each of `targets`, forced.
fn check(name: &str, cipher: &Cipher, program: &Program, targets: &[&str], variable: &str, how: &str) {
    for target in targets {
        asked(name, cipher, program, &[(variable, target)], &format!("{how}, {target}"));
    }
}

/// Known answers in an environment.
fn asked(name: &str, cipher: &Cipher, program: &Program, environment: &[(&str, &str)], how: &str) {
    let primitive = cipher.manifest.primitives.iter().find(|one| one.name == name).expect("it is there");
    let tests = cipher.tests(primitive);
    let started = Instant::now();
    let report = run_program(primitive, &tests, program, environment, how);
    println!("{name}: {how}: {} passed, {} failed, {:.1?}", report.passed, report.failed, started.elapsed());
    assert!(report.is_success(), "{name}: {how}: {:#?} {:#?}", report.outcomes, report.failures.first());
    let longer = |test: &&Test| matches!(test.request, Request::Chain { iterations, .. } if iterations > LONGEST_EMULATED);
    let left_out = if program.is_emulated() { tests.iter().filter(longer).count() } else { 0 };
    assert_eq!(report.skipped, left_out, "{name}: {how}");
}

/// The targets of the platform that this machine is one of, as far as it has them.
fn native_targets() -> Vec<&'static str> {
    let runs = |name: &&str| by_name(name).is_some_and(|target| Compiler::find(target, Family::Gcc).is_ok());
    let levels =
        PLATFORMS.iter().find(|platform| platform.name == "x86-64").map_or(&[][..], |one| one.levels);
    levels.iter().map(|target| target.name).filter(|name| runs(name)).collect()
}

#[test]
fn known_answers_for_every_target() {
    for (folder, name) in chosen() {
        let cipher = Cipher::read(&folder);
        let primitive = cipher.manifest.primitives.iter().find(|one| one.name == name).expect("it is there");
        let package = built(&cipher, &name, "usuba_");
        // Not by both compilers at one level: what matters is that each takes the files without flags.
        // Clang takes longest for AES and DES, the largest.
        let is_small = ["chacha20", "ascon"].contains(&folder.as_str());
        let families = [(Family::Gcc, "-O0"), (Family::Clang, "-O2")];
        for (family, flag) in families.into_iter().take(if is_small || ways::all() { 2 } else { 1 }) {
            let compiler = Compiler::native(family).expect("it is installed");
            let program = program(&package, primitive, "usuba_", &compiler, &[flag]);
            let how = format!("{} {flag}", family.name());
            check(&name, &cipher, &program, &native_targets(), "USUBA_TARGET", &how);
        }
    }
}

/// Where sizes of keys differ in their rounds, engines on vectors have the functions of the first size, and answer for each.
#[test]
fn sizes_of_keys_have_functions_in_common() {
    let compiler = Compiler::native(Family::Gcc).expect("gcc is installed");
    let is_wanted = |name: &&str| if ways::all() { *name != "gp64" } else { *name == "avx2" };
    let targets: Vec<&'static Target> =
        native_targets().into_iter().filter(is_wanted).filter_map(by_name).collect();
    let sizes = [
        ("skinny", &["skinny-64-64", "skinny-64-192"][..]),
        ("simon", &["simon-64-96", "simon-64-128"]),
        ("aes", &["aes-128", "aes-256"]),
    ];
    let tried = match (targets.is_empty(), ways::all()) {
        (true, _) => 0,
        (false, all) => {
            if all {
                sizes.len()
            } else {
                1
            }
        }
    };
    for (folder, names) in sizes.into_iter().take(tried) {
        let cipher = Cipher::read(folder);
        let primitives: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let options = Options { primitives: &primitives, targets: &targets, ..USUAL_OPTIONS };
        let package = build(&cipher, &options);
        for (number, name) in names.iter().enumerate() {
            let primitive =
                cipher.manifest.primitives.iter().find(|one| one.name == *name).expect("it is there");
            let stem = format!("usuba_{}_", primitive.identifier());
            let of_vectors = |file: &&OutputFile| {
                let rest = file.path.strip_prefix(&stem).filter(|rest| rest.ends_with(".c"));
                rest.is_some_and(|rest| targets.iter().any(|target| rest.starts_with(target.name)))
            };
            let files: Vec<&OutputFile> = package.files.iter().filter(of_vectors).collect();
            assert!(!files.is_empty(), "{name}");
            for file in files {
                assert_eq!(file.contents.contains("usuba_batches("), number == 0, "{}", file.path);
            }
            let program = program(&package, primitive, "usuba_", &compiler, &["-O1"]);
            let forced: Vec<&str> = targets.iter().map(|target| target.name).collect();
            check(name, &cipher, &program, &forced, "USUBA_TARGET", "shared");
        }
    }
}

#[test]
fn other_machines_have_their_own_code() {
    for (target, targets) in [("neon", &["gp64", "neon", "neon-aes"][..]), ("altivec", &["gp64", "altivec"])]
    {
        let target = by_name(target).expect("it is a target");
        let compiler =
            Compiler::find(target, Family::Gcc).expect("cross compiler and emulator are installed");
        // DES takes longer than the others together.
        for (folder, name) in chosen().into_iter().filter(|(_, name)| ways::all() || name != "des") {
            let cipher = Cipher::read(&folder);
            let primitive =
                cipher.manifest.primitives.iter().find(|one| one.name == name).expect("it is there");
            let package = built(&cipher, &name, "usuba_");
            let program = program(&package, primitive, "usuba_", &compiler, &["-O1"]);
            check(&name, &cipher, &program, targets, "USUBA_TARGET", target.name);
        }
    }
}

/// Every call that could be shared is, among more threads than there are parts of equal size.
#[test]
fn threads_change_nothing() {
    let widest = *native_targets().last().expect("gp64 is there");
    let compiler = Compiler::native(Family::Gcc).expect("gcc is installed");
    for (folder, name) in [("aes", "aes-128"), ("chacha20", "chacha20"), ("ascon", "ascon-p8")] {
        let cipher = Cipher::read(folder);
        let primitive = cipher.manifest.primitives.iter().find(|one| one.name == name).expect("it is there");
        let targets: Vec<&'static Target> = by_name(widest).into_iter().collect();
        let primitives = [name.to_owned()];
        let options = Options { primitives: &primitives, targets: &targets, threads: true, ..USUAL_OPTIONS };
        let flags = ["-O1", "-fopenmp", "-DUSUBA_THREAD_BYTES=1"];
        let package = build(&cipher, &options);
        let program = program(&package, primitive, "usuba_", &compiler, &flags);
        for threads in ["1", "2", "5"] {
            let how = format!("{threads} threads");
            let environment = [("USUBA_TARGET", widest), ("OMP_NUM_THREADS", threads)];
            asked(name, &cipher, &program, &environment, &how);
        }
    }
}

/// Says whose code runs, then a sum of what two ciphers make of some numbers of blocks. The first block of each call is the
/// example of FIPS 197, and of RFC 8439, section 2.3.2.
const ASK: &str = "#include \"other_chacha20.h\"
#include \"other_aes.h\"
#include <stdio.h>
#include <string.h>

static unsigned char data[200 * 64];
static unsigned long long sum = 0xcbf29ce484222325u;

static void add(size_t length)
{
    for (size_t i = 0; i < length; i++)
        sum = (sum ^ data[i]) * 0x100000001b3u;
}

static int compute(void)
{
    static const unsigned char nonce[12] = { 0, 0, 0, 9, 0, 0, 0, 0x4a };
    static const unsigned char of_aes[4] = { 0x69, 0xc4, 0xe0, 0xd8 }, of_chacha20[4] = { 0x10, 0xf1, 0xe7, 0xe4 };
    unsigned char key[32];
    other_aes_128_ctx ctx;
    for (int i = 0; i < 32; i++)
        key[i] = (unsigned char)i;
    if (other_aes_128_init(&ctx, key) != USUBA_OK)
        return 4;
    for (size_t blocks = 1; blocks <= 200; blocks = blocks * 3 + 1) {
        for (size_t i = 0; i < 16 * blocks; i++)
            data[i] = (unsigned char)(0x11 * (i % 16) + i / 16);
        if (other_aes_128_encrypt_blocks(&ctx, data, data, blocks) != USUBA_OK || memcmp(data, of_aes, 4) != 0)
            return 5;
        add(16 * blocks);
        memset(data, 0, 64 * blocks);
        if (other_chacha20_xor(key, nonce, 1, data, data, 64 * blocks - 3) != USUBA_OK || memcmp(data, of_chacha20, 4) != 0)
            return 6;
        add(64 * blocks);
        /* On vectors, where there are any. */
        if (other_poly1305(data, key, data, 64 * blocks) != USUBA_OK)
            return 7;
        add(16);
    }
    return 0;
}

int main(void)
{
    const char *found = other_target();
    if (other_set_target(\"neither\") != USUBA_ERROR_TARGET || strcmp(other_target(), found) != 0)
        return 1;
    if (other_set_target(\"gp64\") != USUBA_OK || strcmp(other_target(), \"gp64\") != 0)
        return 2;
    if (other_set_target(NULL) != USUBA_OK || strcmp(other_target(), found) != 0)
        return 3;
    int result = compute();
    printf(\"%s %s %016llx\\n\", found, other_core(), sum);
    return result;
}
";

/// The CPUs are models of QEMU; a static program, as an emulator may lack the libraries' own choices.
#[test]
fn each_cpu_gets_what_it_has() {
    let cipher = Cipher::read("chacha20");
    let constructions = cipher.constructions("other_");
    let read = library::Cipher {
        manifest: &cipher.manifest,
        loaded: &cipher.loaded,
        constructions: &constructions,
        measured: Some(&cipher.measured),
    };
    let options = Options { prefix: "other_", ..USUAL_OPTIONS };
    let mut files = library::build(&[read], &options, &|_| {}).expect("the library is made").files;
    // The others have what is best below them.
    let levels: Vec<&'static Target> = ["ssse3", "avx2", "avx-aes"].into_iter().filter_map(by_name).collect();
    let primitives = ["aes-128".to_owned()];
    let options = Options { prefix: "other_", primitives: &primitives, targets: &levels, ..USUAL_OPTIONS };
    for file in build(&Cipher::read("aes"), &options).files {
        if files.iter().all(|known| known.path != file.path) {
            files.push(file);
        }
    }
    files.push(OutputFile { path: "ask.c".into(), contents: ASK.into() });
    let compiler = Compiler::native(Family::Gcc).expect("gcc is installed");
    let mut program =
        SharedObjects::new().compile(&compiler, &files, &[], &["-O0", "-static"]).expect("it compiles");
    let said = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text").trim().to_owned();
    let native = said(program.run(b"").expect("it runs"));
    let [target, _, sum] = native.split(' ').collect::<Vec<&str>>()[..] else { panic!("{native}") };
    assert_eq!(target, *native_targets().last().expect("gp64 is there"));
    for (cpu, expected, core) in [
        ("qemu64,-ssse3", "gp64", "zen-4"),
        ("Nehalem", "ssse3", "golden-cove"),
        // Its AVX has no 256-bit integers.
        ("SandyBridge", "ssse3", "golden-cove"),
        ("Haswell", "avx-aes", "golden-cove"),
        // What it had before there were rounds of AES.
        ("Haswell,-aes", "avx2", "golden-cove"),
        ("Haswell,-pclmulqdq", "avx2", "golden-cove"),
        // AES, but no AVX2.
        ("SandyBridge,+aes", "ssse3", "golden-cove"),
        ("Haswell,-xsave", "ssse3", "golden-cove"),
        // The nearest core of the vendor: Zen 5 itself, what follows it, Zen 3, and Zen as Hygon makes it (QEMU leaves out its
        // carry-less product).
        ("Haswell,vendor=AuthenticAMD,family=26,model=2", "avx-aes", "zen-5"),
        ("Haswell,vendor=AuthenticAMD,family=27,model=0", "avx-aes", "zen-5"),
        ("EPYC-Milan", "avx-aes", "zen-4"),
        ("Dhyana", "avx2", "zen-4"),
        // Of vendors of which no core is known the first of all.
        ("Haswell,vendor=CentaurHauls,family=26,model=2", "avx-aes", "golden-cove"),
    ] {
        program = program.under(&["qemu-x86_64", "-cpu", cpu]);
        let found = said(program.run(b"").unwrap_or_else(|error| panic!("{cpu}: {error}")));
        assert_eq!(found, format!("{expected} {core} {sum}"), "{cpu}");
        // More than the machine has is not to be had; less is.
        for (wanted, got) in [("avx512", expected), ("nonsense", expected), ("", expected), ("gp64", "gp64")]
        {
            let found = said(program.run_asked(&[], b"", &[("OTHER_TARGET", wanted)]).expect("it runs"));
            assert_eq!(found, format!("{got} {core} {sum}"), "{cpu} asked for {wanted}");
        }
    }
}

/// Which engines a library keeps is what measurements say, if there are any: ports alone say nothing of latency, by which
/// ChaCha20 in packed words takes 1.8 times as long as in words on vectors.
#[test]
fn engines_are_those_that_measurements_prefer() {
    let slicings = |measured: &str| -> Vec<String> {
        let mut cipher = Cipher::read("chacha20");
        cipher.measured = chacha20_on(&[("zen-4", measured)]);
        let avx2 = [by_name("avx2").expect("it is a target")];
        let package = build(&cipher, &Options { targets: &avx2, ..USUAL_OPTIONS });
        let made = package.engines.iter().filter(|made| made.target.name == "avx2");
        made.map(|made| format!("{} {}", made.slicing, made.batch)).collect()
    };
    let with = |one: u32, two: u32| slicings(&chacha20_rows(one, two, 900));
    assert_eq!(with(500, 1000), ["v 8", "v4 2"]);
    assert_eq!(with(5000, 10000), ["v4 2", "v4 8"]);
    assert_eq!(with(5000, 500), ["v 16", "v4 2"]);
}

/// What ChaCha20 took on AVX2: 8 blocks, and 16; in packed words 2 blocks in 350 cycles, and 8.
fn chacha20_rows(one: u32, two: u32, packed: u32) -> String {
    format!(
        "avx2-v1 = {{ blocks = 8, cycles = {one} }}\navx2-v = {{ blocks = 16, cycles = {two} }}\n\
         avx2-v41 = {{ blocks = 2, cycles = 350 }}\navx2-v42 = {{ blocks = 4, cycles = 700 }}\n\
         avx2-v4 = {{ blocks = 8, cycles = {packed} }}\n"
    )
}

/// What ChaCha20 took on some cores.
fn chacha20_on(cores: &[(&str, &str)]) -> measured::Measured {
    let mut text = String::from("version = 2\n");
    for (core, rows) in cores {
        text += &format!(
            "[cores.{core}]\nmachine = \"one\"\ntools = \"gcc\"\n[cores.{core}.engines.chacha20]\n\
             gp64-v = {{ blocks = 1, cycles = 400 }}\n{rows}"
        );
    }
    measured::parse("engines.toml", &text).expect("it is valid")
}

/// Says by which engine 8 blocks go for each core, and whether all of them make the same of 20.
const BY_CORE: &str = "#include \"usuba_chacha20.c\"
#include <stdio.h>

int main(void)
{
    static const char *const names[] = { \"avx2@golden-cove\", \"avx2@zen-4\", \"avx2@zen-5\", \"gp64@zen-4\" };
    static const unsigned char key[32] = { 1 }, nonce[12] = { 2 };
    static unsigned char first[20 * 64], text[20 * 64];
    for (int i = 0; i < 4; i++) {
        if (usuba_set_target(names[i]) != USUBA_OK)
            return 1;
        memset(text, 0, sizeof text);
        if (usuba_chacha20_xor(key, nonce, 0, text, text, sizeof text) != USUBA_OK)
            return 2;
        if (i == 0)
            memcpy(first, text, sizeof text);
        if (memcmp(first, text, sizeof text) != 0)
            return 3;
        printf(\"%s %u\\n\", usuba_core(), (unsigned)engines[usuba_engine_for(steps + plans[usuba_plan()], 8)].batch);
    }
    return 0;
}
";

/// A library has the engines that are of use on some core, and uses those that are on the one at hand; a core of which there is no
/// table takes the choices of the nearest one.
#[test]
fn engines_are_chosen_by_core() {
    let words = chacha20_rows(500, 1000, 900);
    let said = |cores: &[(&str, &str)]| -> (Vec<String>, String) {
        let mut cipher = Cipher::read("chacha20");
        cipher.manifest.constructions.clear();
        cipher.measured = chacha20_on(cores);
        let avx2 = [by_name("avx2").expect("it is a target")];
        let package = build(&cipher, &Options { targets: &avx2, ..USUAL_OPTIONS });
        let made = package.engines.iter().filter(|made| made.target.name == "avx2");
        let made = made.map(|made| format!("{} {}", made.slicing, made.batch)).collect();
        let (included, mut files): (Vec<OutputFile>, Vec<OutputFile>) =
            package.files.iter().cloned().partition(|file| file.path == "usuba_chacha20.c");
        files.push(OutputFile { path: "by_core.c".into(), contents: BY_CORE.into() });
        let compiler = Compiler::native(Family::Gcc).expect("gcc is installed");
        let program = SharedObjects::new().compile(&compiler, &files, &included, &["-O0"]);
        let said = program.expect("it compiles").run(b"").expect("all cores compute the same");
        (made, String::from_utf8(said).expect("text"))
    };
    let few = chacha20_rows(5000, 10000, 9000);
    // Golden Cove is nearest to Zen 5: both compute 512 bits at once.
    let (made, by_core) = said(&[("zen-4", &words), ("zen-5", &few)]);
    assert_eq!(made, ["v 8", "v4 2"]);
    assert_eq!(by_core, "golden-cove 2\nzen-4 8\nzen-5 2\nzen-4 1\n");
    // Zen 5's table is missing: the nearest is that of the same vendor.
    let (_, by_core) = said(&[("zen-4", &few), ("golden-cove", &words)]);
    assert_eq!(by_core, "golden-cove 8\nzen-4 2\nzen-5 2\nzen-4 1\n");
}

/// Every header that goes with the sources is read by one of them, directly or through another.
#[test]
fn headers_are_those_that_sources_include() {
    for (folder, has_lanes) in [("gimli", false), ("ascon", true)] {
        let cipher = Cipher::read(folder);
        let constructions = cipher.constructions("usuba_");
        let read = library::Cipher {
            manifest: &cipher.manifest,
            loaded: &cipher.loaded,
            constructions: &constructions,
            measured: None,
        };
        let gp64 = [by_name("gp64").expect("it is a target")];
        for drop_in in [false, true] {
            let options = Options { targets: &gp64, drop_in, ..USUAL_OPTIONS };
            let files = library::build(&[read], &options, &|_| {}).expect("the library is made").files;
            let file_named = |name: &str| {
                files.iter().find(|file| file.path.rsplit('/').next().is_some_and(|own| own == name))
            };
            let mut seen: Vec<&str> = Vec::new();
            let mut unread: Vec<&OutputFile> =
                files.iter().filter(|file| file.path.ends_with(".c")).collect();
            while let Some(file) = unread.pop() {
                let names = file.contents.lines().filter_map(|line| line.strip_prefix("#include \""));
                for name in names.filter_map(|rest| rest.strip_suffix('"')) {
                    let header = file_named(name).unwrap_or_else(|| panic!("{} includes {name}", file.path));
                    if !seen.contains(&header.path.as_str()) {
                        seen.push(&header.path);
                        unread.push(header);
                    }
                }
            }
            let of_sources = files.iter().map(|file| file.path.as_str());
            let headers: Vec<&str> = of_sources
                .filter(|path| path.ends_with(".h") && (drop_in || path.starts_with("src/")))
                .collect();
            let unread: Vec<&&str> = headers.iter().filter(|path| !seen.contains(*path)).collect();
            assert!(unread.is_empty(), "{folder}: nobody includes {unread:?}");
            let lanes = if drop_in { "usuba_lanes.h" } else { "src/usuba_lanes.h" };
            assert_eq!(headers.contains(&lanes), has_lanes, "{folder}");
            // What a header has stands nowhere else, but for what the header of a cipher has of all.
            for guard in ["USUBA_FORMAT_H", "USUBA_LIBRARY_H"] {
                let with = files.iter().filter(|file| file.contents.contains(&format!("#ifndef {guard}\n")));
                assert_eq!(with.count(), 1, "{folder}: {guard}");
            }
        }
    }
}

/// Assembly is for ELF: where there is none, the functions that users call must not name it.
#[test]
fn assembly_is_left_out_where_there_is_none() {
    let cipher = Cipher::read("chacha20");
    let primitive = cipher.manifest.primitives.first().expect("there is one");
    let in_assembly = |_: library::Cipher, primitive: &Primitive, target: &'static Target| {
        let mut choices = Choices::new(primitive.slicings[0]);
        if target.name == "avx2" {
            choices.backend = Backend::Assembly;
        }
        vec![choices]
    };
    let avx2 = by_name("avx2").expect("it is a target");
    let options = Options { targets: &[avx2], choose: &in_assembly, ..USUAL_OPTIONS };
    let package = build(&cipher, &options);
    assert!(package.engines.iter().any(|made| made.assembly));
    let compiler = Compiler::native(Family::Gcc).expect("gcc is installed");
    for flags in [["-O0", "-D__ELF__=1"], ["-O0", "-U__ELF__"]] {
        let program = program(&package, primitive, "usuba_", &compiler, &flags);
        check("chacha20", &cipher, &program, &native_targets(), "USUBA_TARGET", &flags.join(" "));
    }
}

/// A short kernel on packed words is part of the functions that use it, but not one in assembly, whose body is elsewhere.
#[test]
fn short_kernels_in_assembly_are_called() {
    let cipher = Cipher::read("gimli");
    let one_at_once = |part: f64| -> String {
        let text = format!(
            "version = 2\n[cores.zen-4]\nmachine = \"one\"\ntools = \"gcc\"\n[cores.zen-4.engines.gimli]\n\
             avx2-v41 = {{ blocks = 2, cycles = 100, assembly = {part} }}\n"
        );
        let measured = measured::parse("engines.toml", &text).expect("it is valid");
        let read = library::Cipher {
            manifest: &cipher.manifest,
            loaded: &cipher.loaded,
            constructions: &[],
            measured: Some(&measured),
        };
        let avx2 = [by_name("avx2").expect("it is a target")];
        let options = Options { targets: &avx2, ..USUAL_OPTIONS };
        let package = library::build(&[read], &options, &|_| {}).expect("the library is made");
        let suffix = if part < 1.0 { "_asm" } else { "" };
        let path = format!("usuba_gimli_avx2_v41{suffix}.c");
        let file = package.files.iter().find(|file| file.path == path);
        file.unwrap_or_else(|| panic!("there is no {path}")).contents.clone()
    };
    assert!(one_at_once(1.0).contains("USUBA_INLINE void usuba_gimli_avx2_v41_kernel("));
    let assembly = one_at_once(0.5);
    assert!(assembly.contains("void usuba_gimli_avx2_v41_asm_kernel("));
    assert!(!assembly.contains("USUBA_INLINE void usuba_gimli_avx2_v41_asm_kernel("));
}

/// Calls both libraries, whose headers name the same results.
const BOTH: &str = "#include \"one_chacha20.h\"
#include \"two_chacha20.h\"
#include <string.h>

int main(void)
{
    unsigned char key[ONE_CHACHA20_POLY1305_KEY_BYTES] = { 1 }, nonce[TWO_CHACHA20_POLY1305_NONCE_BYTES] = { 2 };
    unsigned char text[100] = { 3 }, tag[16], before[100];
    memcpy(before, text, sizeof text);
    if (one_chacha20_poly1305_seal(text, tag, key, nonce, NULL, 0, text, sizeof text) != USUBA_OK)
        return 1;
    if (two_chacha20_poly1305_open(text, tag, key, nonce, NULL, 0, text, sizeof text) != USUBA_OK)
        return 2;
    if (memcmp(text, before, sizeof text) != 0)
        return 3;
    /* What one of them is told, the other does not know. */
    if (one_set_target(\"gp64\") != USUBA_OK || strcmp(one_target(), \"gp64\") != 0)
        return 4;
    return strcmp(two_target(), FOUND) == 0 ? 0 : 5;
}
";

#[test]
fn libraries_with_different_prefixes_go_together() {
    let cipher = Cipher::read("chacha20");
    let mut files = Vec::new();
    for prefix in ["one_", "two_"] {
        let constructions = cipher.constructions(prefix);
        let gp64 = by_name("gp64").expect("it is a target");
        let options = Options { prefix, targets: &[gp64], ..USUAL_OPTIONS };
        let read = library::Cipher {
            manifest: &cipher.manifest,
            loaded: &cipher.loaded,
            constructions: &constructions,
            measured: Some(&cipher.measured),
        };
        files.extend(library::build(&[read], &options, &|_| {}).expect("the library is made").files);
    }
    files.push(OutputFile { path: "both.c".into(), contents: BOTH.into() });
    let found = format!("-DFOUND=\"{}\"", native_targets().last().expect("gp64 is there"));
    for family in [Family::Gcc, Family::Clang] {
        let compiler = Compiler::native(family).expect("it is installed");
        let program = SharedObjects::new()
            .compile(&compiler, &files, &[], &["-O1", &found])
            .unwrap_or_else(|error| panic!("{error}"));
        program.run(b"").unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Uses a hash, one of the permutations below it and what all headers of ciphers have.
const ONE_HEADER: &str = "#include \"usuba_ascon.h\"

int main(void)
{
    unsigned char digest[USUBA_ASCON_HASH256_DIGEST_BYTES], state[USUBA_ASCON_P12_STATE_BYTES] = { 0 };
    const char *p = USUBA_VERSION, *q = usuba_version();
    while (*p != 0 && *p == *q)
        p++, q++;
    if (*p != *q)
        return 1;
    if (usuba_set_target(\"gp64\") != USUBA_OK || usuba_target()[0] != 'g')
        return 2;
    if (usuba_ascon_hash256(digest, state, sizeof state) != USUBA_OK)
        return 3;
    return usuba_ascon_p12_permute(state, 1) == USUBA_OK && state[0] != 0 ? 0 : 4;
}
";

#[test]
fn a_drop_in_has_one_header_for_each_cipher() {
    let gp64 = by_name("gp64").expect("it is a target");
    let ciphers = ["ascon", "chacha20"].map(Cipher::read);
    let constructions = ciphers.each_ref().map(|cipher| cipher.constructions("usuba_"));
    let read: Vec<library::Cipher> = ciphers
        .iter()
        .zip(&constructions)
        .map(|(cipher, constructions)| library::Cipher {
            manifest: &cipher.manifest,
            loaded: &cipher.loaded,
            constructions,
            measured: Some(&cipher.measured),
        })
        .collect();
    let options = Options { targets: &[gp64], ..USUAL_OPTIONS };
    let mut files = library::build(&read, &options, &|_| {}).expect("the library is made").files;
    // Others are of sources only, and say nothing of functions that programs call.
    let declares = |file: &&OutputFile| file.path.ends_with(".h") && file.contents.contains("\nUSUBA_API ");
    let headers: Vec<&str> = files.iter().filter(declares).map(|file| file.path.as_str()).collect();
    assert_eq!(headers, ["usuba_cpu.h", "usuba_ascon.h", "usuba_chacha20.h"]);
    files.push(OutputFile { path: "one.c".into(), contents: ONE_HEADER.into() });
    let both = "#include \"usuba_chacha20.h\"\n#include \"usuba_ascon.h\"\nextern int nothing;\n";
    files.push(OutputFile { path: "both.c".into(), contents: both.into() });
    let strict = ["-O1", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"];
    for family in [Family::Gcc, Family::Clang].into_iter().filter(|&one| one == Family::Clang || ways::all())
    {
        let compiler = Compiler::native(family).expect("it is installed");
        let program = SharedObjects::new()
            .compile(&compiler, &files, &[], &strict)
            .unwrap_or_else(|error| panic!("{error}"));
        program.run(b"").unwrap_or_else(|error| panic!("{error}"));
    }
}

const VERSION: &str = "#include <stdio.h>
#include \"usuba.h\"

int main(void)
{
    printf(\"%s %s\\n\", USUBA_VERSION, usuba_version());
    return 0;
}
";

/// HMAC pads keys to blocks: the rates of FIPS 202, table 3, and of NIST SP 800-232, section 5.
#[test]
fn hashes_say_what_a_block_is() {
    for (cipher, blocks) in [
        (
            "keccak",
            &[("SHA3_224", 144), ("SHA3_256", 136), ("SHA3_384", 104), ("SHA3_512", 72), ("SHAKE128", 168)][..],
        ),
        ("ascon", &[("ASCON_HASH256", 8), ("ASCON_XOF128", 8)][..]),
    ] {
        let headers = Cipher::read(cipher).constructions("usuba_");
        for (name, bytes) in blocks {
            let line = format!("\n#define USUBA_{name}_BLOCK_BYTES {bytes}\n");
            assert!(headers.iter().any(|file| file.contents.contains(&line)), "{line}");
        }
    }
}

#[test]
fn the_version_is_that_of_usuba() {
    let gp64 = by_name("gp64").expect("it is a target");
    let options = Options { targets: &[gp64], drop_in: false, ..USUAL_OPTIONS };
    let mut files = build(&Cipher::read("gimli"), &options).files;
    // Headers and sources have different names: one folder is as good as two.
    for file in &mut files {
        file.path = file.path.rsplit('/').next().unwrap_or_default().to_owned();
    }
    files.push(OutputFile { path: "ask.c".into(), contents: VERSION.into() });
    let compiler = Compiler::native(Family::Gcc).expect("gcc is installed");
    let program = SharedObjects::new().compile(&compiler, &files, &[], &["-O1"]).expect("it compiles");
    let said = program.run(b"").expect("it runs");
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(String::from_utf8_lossy(&said).trim(), format!("{version} {version}"));
}
