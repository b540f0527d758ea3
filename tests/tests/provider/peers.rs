//! The programs for whole libraries (`tests/library`, `tests/peers`) on this one: some of all lengths between guard pages,
//! and a few random cases against each of the other libraries whose headers are here. `scripts/test-library.sh` asks more.

use crate::{built, output, run};
use std::process::Command;
use usuba_tests::ciphers::root;

/// Every so many lengths; those to 40 bytes and around multiples of 512 are always among them.
const STEP: &str = "97";

/// Random cases of each primitive against each peer.
const CASES: &str = "40";

/// The peers: the name of its source, and of its package for pkg-config.
const PEERS: [(&str, &str); 5] = [
    ("openssl.c", "libcrypto"),
    ("gcrypt.c", "libgcrypt"),
    ("sodium.c", "libsodium"),
    ("botan.cpp", "botan-2"),
    ("cryptopp.cpp", "libcrypto++"),
];

/// The targets of the library that this machine has.
fn targets() -> Vec<&'static str> {
    let mut targets = vec!["gp64"];
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        targets.push("avx2");
    }
    targets
}

/// A program for each target, which says of it what it did; all that it said.
fn forced(program: &str, arguments: &[&str]) -> String {
    let all = targets().into_iter().map(|target| {
        let printed = output(Command::new(program).args(arguments).env("USUBA_TARGET", target), "");
        assert!(printed.lines().all(|line| line.contains(target)), "not for {target}: {printed}");
        printed
    });
    all.collect()
}

#[test]
fn lengths_between_guard_pages() {
    let built = built();
    let program = built.programs.join("lengths").to_string_lossy().into_owned();
    let mut command = Command::new("gcc");
    command.args(["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror"]);
    command.arg("-I").arg(built.library.join("include"));
    command.args(["lengths.c", "references.c"].map(|name| root().join("tests/library").join(name)));
    output(command.arg(built.library.join("build/libusuba.a")).arg("-o").arg(&program), "");
    print!("{}", forced(&program, &[STEP]));
}

#[test]
fn random_cases_against_other_libraries() {
    let built = built();
    let path = |name: &str| built.programs.join(name).to_string_lossy().into_owned();
    let folder = root().join("tests/peers");
    let common = path("differential.o");
    let mut command = Command::new("gcc");
    command.args(["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-c"]);
    command.arg("-I").arg(built.library.join("include")).arg(folder.join("differential.c"));
    output(command.arg("-o").arg(&common), "");
    let mut compared = 0;
    for (source, package) in PEERS {
        let there = Command::new("pkg-config").args(["--exists", package]).status();
        if !there.is_ok_and(|status| status.success()) {
            println!("left out: {package} is not here with its headers");
            continue;
        }
        let program = path(source.split_once('.').expect("a name and what it ends in").0);
        let (compiler, standard) =
            if source.ends_with(".c") { ("gcc", "-std=c99") } else { ("g++", "-std=c++17") };
        let flags = run("pkg-config", &["--cflags", "--libs", package]);
        let mut command = Command::new(compiler);
        command.args([standard, "-O0", "-Wall", "-Wextra", "-Werror"]).arg(folder.join(source)).arg(&common);
        command.arg(built.library.join("build/libusuba.a")).args(flags.split_whitespace());
        output(command.arg("-o").arg(&program), "");
        print!("{}", forced(&program, &[CASES]));
        compared += 1;
    }
    assert!(compared > 0, "not even OpenSSL is here, which this test needs anyway");
}
