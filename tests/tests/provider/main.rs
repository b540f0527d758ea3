//! The table of a library, and the OpenSSL provider that is made of it (`bindings/openssl`).
//!
//! The library is that of a few ciphers, one of each kind; `USUBA_LIBRARY` names a folder of a larger one, which was made
//! by `usubac build` and `make` (`scripts/bindings.sh provider` does so with all ciphers). Known answers go through the table and
//! through libcrypto; every cipher of the provider is compared with the definition of its mode and with OpenSSL's own; the
//! tool `openssl` must do with it what it does with its own. The provider runs under sanitizers, but for the tool.
//! The same library is compared at some of all lengths, and with other libraries ([`peers`]).

mod peers;
mod tls;

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use usuba_package::OutputFile;
use usuba_package::engine::Choices;
use usuba_package::library::{self, Options};
use usuba_package::manifest::{Function, Manifest, Primitive};
use usuba_target::{Target, by_name};
use usuba_tests::ciphers::{CIPHERS, Cipher, root};
use usuba_tests::lines::{Line, USUAL_CHAINS, lines};

/// The ciphers of the small library: block ciphers with blocks of 16 and 8 bytes, a counter, a state, sponges, one of which has
/// hashes that OpenSSL has too.
const SMALL: [&str; 6] = ["ascon", "chacha20", "keccak", "rectangle", "sm4", "trivium"];

/// The ciphers of suites of TLS.
const OF_TLS: [&str; 4] = ["aes", "aria", "camellia", "chacha20"];

/// Their primitives: no suite has a key of 192 bits.
const PRIMITIVES_OF_TLS: [&str; 7] =
    ["aes-128", "aes-256", "aria-128", "aria-256", "camellia-128", "camellia-256", "chacha20"];

const SANITIZERS: [&str; 3] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g"];

fn usual(_: library::Cipher, primitive: &Primitive, _: &'static Target) -> Vec<Choices> {
    primitive.library.iter().take(1).map(|&slicing| Choices::new(slicing)).collect()
}

/// The files of a library of these ciphers, of all their primitives or of those that are named.
fn package_of(names: &[&str], primitives: &[&str], prefix: &str) -> Vec<OutputFile> {
    let ciphers: Vec<Cipher> = names.iter().map(|name| Cipher::read(name)).collect();
    let constructions: Vec<Vec<OutputFile>> =
        ciphers.iter().map(|cipher| cipher.constructions(prefix)).collect();
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
    let targets = [by_name("avx2").expect("it is a target")];
    let primitives: Vec<String> = primitives.iter().map(|&name| name.to_owned()).collect();
    let options = Options {
        prefix,
        command: "",
        primitives: &primitives,
        targets: &targets,
        level: None,
        drop_in: false,
        threads: false,
        choose: &usual,
    };
    library::build(&read, &options, &|_| {}).expect("the library is made").files
}

/// The library of these, made and compiled.
fn compile(library: &Path, names: &[&str], primitives: &[&str], level: &str) {
    write(library, &package_of(names, primitives, "usuba_"));
    run(
        "make",
        &["-s", "-j2", "-C", &library.to_string_lossy(), &format!("CFLAGS={level}"), "build/libusuba.a"],
    );
}

fn write(folder: &Path, files: &[OutputFile]) {
    for file in files {
        let path = folder.join(&file.path);
        std::fs::create_dir_all(path.parent().expect("it has a folder")).expect("the folder is made");
        std::fs::write(path, &file.contents).expect("the file is written");
    }
}

/// A command that must succeed; what it printed.
fn output(command: &mut Command, input: &str) -> String {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut pipe = child.stdin.take().expect("it is a pipe");
    let text = input.to_owned();
    // A command that fails early does not read all.
    let writer = std::thread::spawn(move || drop(pipe.write_all(text.as_bytes())));
    let done = child.wait_with_output().expect("it ends");
    writer.join().expect("the input is written");
    let printed = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(
        done.status.success(),
        "{command:?}: {}\n{printed}{}",
        done.status,
        String::from_utf8_lossy(&done.stderr)
    );
    printed
}

fn run(program: impl AsRef<OsStr>, arguments: &[&str]) -> String {
    output(Command::new(program).args(arguments), "")
}

struct Built {
    /// Where everything is made; removed at the end of the tests.
    _temporary: tempfile::TempDir,
    /// The library.
    library: PathBuf,
    /// The ciphers that it has.
    ciphers: Vec<&'static str>,
    /// The folder of the module as its users have it.
    plain: PathBuf,
    /// The ciphers of suites of TLS that a library has, and the folder of its module.
    tls: Vec<&'static str>,
    plain_tls: PathBuf,
    /// The same module under sanitizers.
    checked_tls: PathBuf,
    /// The folder of one under sanitizers.
    checked: PathBuf,
    /// The programs of this folder, under sanitizers.
    programs: PathBuf,
}

fn built() -> &'static Built {
    static BUILT: OnceLock<Built> = OnceLock::new();
    BUILT.get_or_init(|| {
        let temporary = tempfile::tempdir().expect("a temporary folder");
        let folder = temporary.path();
        let (library, ciphers) = match std::env::var_os("USUBA_LIBRARY") {
            Some(given) => (root().join(given), CIPHERS.to_vec()),
            None => {
                let library = folder.join("library");
                compile(&library, &SMALL, &[], "-O1");
                (library, SMALL.to_vec())
            }
        };
        let make = |name: &str, library: &Path, flags: &str| {
            let module = folder.join(name);
            let arguments = [
                "-s".to_owned(),
                "-C".to_owned(),
                root().join("bindings/openssl").to_string_lossy().into_owned(),
                format!("USUBA={}", library.display()),
                format!("BUILD={}", module.display()),
                format!("CFLAGS={flags}"),
            ];
            run("make", &arguments.each_ref().map(String::as_str));
            module
        };
        let strict = "-Werror -Wshadow -Wconversion";
        let plain = make("plain", &library, &format!("-O2 {strict}"));
        let checked = make("checked", &library, &format!("-O1 {} {strict}", SANITIZERS.join(" ")));
        let (plain_tls, checked_tls) = match std::env::var_os("USUBA_LIBRARY") {
            Some(_) => (plain.clone(), checked.clone()),
            None => {
                let library = folder.join("library-tls");
                // Compilers take most of the time.
                compile(&library, &OF_TLS, &PRIMITIVES_OF_TLS, "-O0");
                let sanitizers = format!("-O1 {}", SANITIZERS.join(" "));
                (make("plain-tls", &library, "-O2"), make("checked-tls", &library, &sanitizers))
            }
        };
        let archive = library.join("build/libusuba.a");
        for name in ["table", "vectors", "modes"] {
            let source = root().join(format!("tests/tests/provider/{name}.c"));
            let mut command = Command::new("gcc");
            command
                .args(["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-D_POSIX_C_SOURCE=200809L"])
                .args(SANITIZERS);
            command.arg("-I").arg(library.join("include")).arg(source);
            if name == "table" {
                let batches = root().join("tests/library");
                command.arg("-I").arg(&batches).arg(batches.join("batches.c"));
            }
            command.arg(&archive).arg("-lcrypto").arg("-o").arg(folder.join(name));
            output(&mut command, "");
        }
        let programs = folder.to_path_buf();
        Built {
            library,
            ciphers,
            plain,
            tls: OF_TLS.to_vec(),
            plain_tls,
            checked_tls,
            checked,
            programs,
            _temporary: temporary,
        }
    })
}

/// All known answers of the ciphers of the library.
fn all_lines(built: &Built) -> Vec<Line> {
    built.ciphers.iter().flat_map(|name| lines(&Cipher::read(name), USUAL_CHAINS)).collect()
}

fn text_of<'a>(lines: impl IntoIterator<Item = &'a Line>) -> String {
    lines.into_iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn known_answers_through_the_table() {
    let built = built();
    let all = all_lines(built);
    let asked = text_of(all.iter().filter(|line| line.for_table()));
    let printed = output(&mut Command::new(built.programs.join("table")), &asked);
    let mut rows = 0;
    for row in printed.lines() {
        let (name, answered) = row.split_once(' ').expect("a name and a number");
        assert_ne!(answered, "0", "no known answer for {name}");
        rows += 1;
    }
    // One for each primitive, each mode that is a message, and each construction of the manifests.
    let manifests = built.ciphers.iter().map(|name| Cipher::read(name).manifest);
    let modes = |primitive: &Primitive| match &primitive.function {
        Function::BlockCipher(cipher) => cipher.modes.iter().filter(|mode| !mode.is_of_engines()).count(),
        _ => 0,
    };
    let rows_of = |one: Manifest| {
        one.constructions.len() + one.primitives.iter().map(|primitive| 1 + modes(primitive)).sum::<usize>()
    };
    let wanted: usize = manifests.map(rows_of).sum();
    assert_eq!(rows, wanted, "{printed}");
}

/// Another prefix, and a library without constructions: no warnings, no name of another library.
#[test]
fn the_table_has_the_prefix() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path(), &package_of(&["ascon", "trivium"], &[], "other_"));
    let source = folder.path().join("src/other_primitives.c");
    let flags = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Werror", "-c"];
    let object = folder.path().join("table.o");
    let mut command = Command::new("gcc");
    command.args(flags).arg("-I").arg(folder.path().join("include")).arg(source).arg("-o").arg(&object);
    output(&mut command, "");
    let names = run("nm", &[&object.to_string_lossy()]);
    assert!(names.contains("T other_primitive_named") && names.contains("T other_primitive_at"), "{names}");
    let stranger = names.lines().find(|line| line.contains("usuba"));
    assert_eq!(stranger, None);
}

#[test]
fn known_answers_through_libcrypto() {
    let built = built();
    let provided: Vec<Line> = all_lines(built).iter().filter_map(Line::for_openssl).collect();
    let mut command = Command::new(built.programs.join("vectors"));
    let printed = output(command.arg(&built.checked), &text_of(&provided));
    assert_eq!(printed.trim(), provided.len().to_string());
    assert!(provided.len() > 1000, "only {} known answers", provided.len());
}

#[test]
fn every_cipher_is_the_definition_and_openssl_s() {
    let built = built();
    let mut command = Command::new(built.programs.join("modes"));
    let printed = output(command.arg(&built.checked), "");
    let last = printed.lines().last().expect("a line");
    println!("{last}");
    for name in ["SM4-CTR", "SM4-CBC", "ChaCha20", "ChaCha20-Poly1305"] {
        assert!(
            printed.lines().any(|line| line.starts_with(name) && line.ends_with("as OpenSSL's")),
            "{printed}"
        );
    }
}

#[test]
fn gcm_and_ciphers_of_tls_are_openssl_s() {
    let built = built();
    let names = ["AES-128-GCM", "AES-256-GCM", "ARIA-128-GCM", "CAMELLIA-128-CBC", "CAMELLIA-256-CFB"];
    let mut command = Command::new(built.programs.join("modes"));
    let printed = output(command.arg(&built.checked_tls).args(names), "");
    for name in names {
        assert!(
            printed.lines().any(|line| line.starts_with(name) && line.ends_with("as OpenSSL's")),
            "{printed}"
        );
    }
}

/// `openssl` with the provider, and what it printed.
fn tool(built: &Built, arguments: &[&str]) -> String {
    let (command, rest) = arguments.split_first().expect("a command");
    let mut tool = Command::new("openssl");
    tool.arg(command).arg("-provider-path").arg(&built.plain).args(["-provider", "usuba"]).args(rest);
    output(&mut tool, "")
}

#[test]
fn the_tool_works_with_it() {
    let built = built();
    for (what, texts) in [
        ("-providers", &["Usuba Provider"][..]),
        (
            "-cipher-algorithms",
            &["SM4-CTR } @ usuba", "RECTANGLE-80-CBC @ usuba", "ASCON-AEAD128 @ usuba", "TRIVIUM @ usuba"],
        ),
        ("-digest-algorithms", &["ASCON-HASH256 @ usuba", "ASCON-XOF128 @ usuba"]),
        ("-mac-algorithms", &["POLY1305 @ usuba"]),
    ] {
        let listed = tool(built, &["list", what]);
        for text in texts {
            assert!(listed.contains(text), "no {text}: {listed}");
        }
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let text: Vec<u8> = (0..100_003u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
    std::fs::write(path("text"), &text).expect("it is written");
    let key = "000102030405060708090a0b0c0d0e0f";
    for (cipher, key, iv) in [
        ("SM4-CBC", key, key),
        ("SM4-CTR", key, key),
        ("RECTANGLE-128-CBC", key, &key[..16]),
        ("RECTANGLE-80-CTR", &key[..20], &key[..16]),
        ("TRIVIUM", &key[..20], &key[..20]),
    ] {
        let option = format!("-{cipher}");
        let enc = |from: &str, to: &str, also: &[&str]| {
            let (from, to) = (path(from), path(to));
            tool(built, &[&["enc", &option, "-K", key, "-iv", iv, "-in", &from, "-out", &to], also].concat());
        };
        enc("text", "sealed", &[]);
        enc("sealed", "back", &["-d"]);
        assert!(std::fs::read(path("back")).expect("it is there") == text, "{cipher}");
        if cipher.starts_with("SM4") {
            let (from, to) = (path("text"), path("theirs"));
            run("openssl", &["enc", &option, "-K", key, "-iv", iv, "-in", &from, "-out", &to]);
            assert!(std::fs::read(path("theirs")).ok() == std::fs::read(path("sealed")).ok(), "{cipher}");
        }
    }
    // SP 800-232: the digest of nothing.
    std::fs::write(path("empty"), "").expect("it is written");
    let digest = tool(built, &["dgst", "-ASCON-HASH256", &path("empty")]);
    assert!(
        digest.trim().ends_with("0b3be5850f2f6b98caf29f8fdea89b64a1fa70aa249b8f839bd53baa304d92b2"),
        "{digest}"
    );
    // Keys are padded to a block, which is the rate: the provider said 64 bytes of every digest.
    let (keyed, text) = (format!("hexkey:{key}"), path("text"));
    for digest in ["SHA3-224", "SHA3-256", "SHA3-384", "SHA3-512"] {
        let of = |provider| ["-digest", digest, "-macopt", provider, "-macopt", &keyed, "-in", &text, "HMAC"];
        let ours = ["mac", "-provider", "default"].into_iter().chain(of("properties:provider=usuba"));
        let theirs = ["mac"].into_iter().chain(of("properties:provider=default"));
        let found = tool(built, &ours.collect::<Vec<_>>());
        assert_eq!(found, run("openssl", &theirs.collect::<Vec<_>>()), "{digest}");
    }
    let speed = tool(
        built,
        &["speed", "-provider", "default", "-evp", "RECTANGLE-80-CTR", "-seconds", "1", "-bytes", "1024"],
    );
    assert!(speed.contains("RECTANGLE-80-CTR"), "{speed}");
    let speed = tool(
        built,
        &[
            "speed",
            "-provider",
            "default",
            "-evp",
            "ASCON-AEAD128",
            "-aead",
            "-seconds",
            "1",
            "-bytes",
            "1024",
        ],
    );
    assert!(speed.contains("ASCON-AEAD128"), "{speed}");
    let made = run("nm", &["-D", "--defined-only", &built.plain.join("usuba.so").to_string_lossy()]);
    assert_eq!(made.lines().count(), 1, "more than OSSL_provider_init is to be seen: {made}");
    assert!(built.library.join("include/usuba_primitives.h").exists());
}
