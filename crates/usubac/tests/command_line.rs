//! The commands as a user meets them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

fn usubac(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_usubac"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("usubac runs")
}

/// Standard output of a command that succeeds.
#[track_caller]
fn succeeds(arguments: &[&str], folder: &Path) -> String {
    let output = usubac(arguments, folder);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

const SAMPLE: &str = "node k (a:u16, b:u16x3) returns (p:u16, q:u16x3, r:u32)\n\
                      let p = (a <<< 3) ^ (a >> 1);  q = b <<< 1;  r = Pack(a, b[2]):u32 tel\n";

fn sample() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("k.ua"), SAMPLE).expect("it can be written");
    folder
}

#[test]
fn run_prints_outputs_as_it_reads_inputs() {
    let folder = sample();
    let text = succeeds(&["run", "k.ua", "a=8001", "b=1,2,3"], folder.path());
    assert_eq!(text, "p=400c\nq=0002,0003,0001\nr=80010003\n");
    let json = succeeds(&["run", "k.ua", "--format", "json", "b=1,2,3", "a=0x8001"], folder.path());
    let document: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(document["outputs"]["q"], serde_json::json!(["0002", "0003", "0001"]));
    let ones = "a=1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1";
    let zeros = format!("b={}", vec!["0"; 48].join(","));
    let bits = succeeds(&["run", "k.ua", "--slicing", "b", ones, &zeros], folder.path());
    assert!(bits.starts_with("p=0,1,0,0,0,0,0,0,0,0,0,0,1,1,0,0\n"), "{bits}");
}

#[test]
fn check_says_nothing_about_good_programs() {
    let folder = root();
    for file in ["ciphers/aes/aes.ua", "ciphers/des/des.ua", "docs/examples/toy.ua"] {
        let output = usubac(&["check", "--strict", file], &folder);
        assert!(output.status.success());
        assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{file}");
    }
}

#[test]
fn fmt_formats_in_place_and_is_idempotent() {
    let folder = sample();
    assert!(!usubac(&["fmt", "--check", "k.ua"], folder.path()).status.success());
    succeeds(&["fmt", "k.ua"], folder.path());
    let once = fs::read_to_string(folder.path().join("k.ua")).expect("it is there");
    assert_ne!(once, SAMPLE);
    succeeds(&["fmt", "--check", "k.ua"], folder.path());
    succeeds(&["fmt", "k.ua"], folder.path());
    assert_eq!(fs::read_to_string(folder.path().join("k.ua")).expect("it is there"), once);
    let ciphers = ["aes", "ascon", "chacha20", "des", "rectangle", "serpent"];
    for name in ciphers {
        succeeds(&["fmt", "--check", &format!("ciphers/{name}/{name}.ua")], &root());
    }
}

#[test]
fn build_gives_the_same_bytes_every_time() {
    let folder = sample();
    let toy = root().join("docs/examples/toy.ua");
    let build = |out: &str| {
        succeeds(&["build", &toy.to_string_lossy(), "--target", "avx2,gp64", "-o", out], folder.path());
        let mut files: Vec<PathBuf> =
            fs::read_dir(folder.path().join(out)).expect("it is there").flatten().map(|e| e.path()).collect();
        files.sort();
        files.iter().map(|file| fs::read(file).expect("it can be read")).collect::<Vec<_>>()
    };
    let (first, second) = (build("one"), build("two"));
    assert_eq!(first.len(), 4);
    assert_eq!(first, second);
}

#[test]
fn a_cipher_folder_becomes_a_library() {
    let folder = sample();
    let aes = root().join("ciphers/aes");
    let text = succeeds(
        &[
            "build",
            &aes.to_string_lossy(),
            "--primitive",
            "aes-128",
            "--slicing",
            "h",
            "--target",
            "ssse3",
            "-o",
            "out",
        ],
        folder.path(),
    );
    assert!(text.contains("aes-128 encrypt"), "{text}");
    for file in
        ["usuba_aes_128.h", "usuba_aes_128.c", "usuba_aes_128_encrypt.c", "usuba_aes_128_key_schedule.c"]
    {
        assert!(folder.path().join("out").join(file).is_file(), "{file}");
    }
}

#[test]
fn every_pass_can_be_looked_at() {
    let folder = root();
    let stages = succeeds(&["build", "docs/examples/toy.ua", "--dump-after", "list"], &folder);
    let stages: Vec<&str> = stages.lines().collect();
    assert_eq!(stages.first(), Some(&"elaborate"));
    assert_eq!(stages.last(), Some(&"generate"));
    for stage in &stages[1..stages.len() - 1] {
        let text = succeeds(
            &["build", "docs/examples/toy.ua", "--slicing", "v", "--target", "gp64", "--stop-after", stage],
            &folder,
        );
        let program = text.split_once('\n').expect("a heading").1;
        usuba_ir::program::Program::parse(program).unwrap_or_else(|error| panic!("{stage}: {error}"));
    }
    let out = sample();
    let toy = folder.join("docs/examples/toy.ua");
    succeeds(
        &[
            "build",
            &toy.to_string_lossy(),
            "--slicing",
            "b",
            "--target",
            "gp64",
            "--verify-each",
            "--time-passes",
        ],
        out.path(),
    );
}

#[test]
fn test_ends_with_a_count() {
    let text =
        succeeds(&["test", "ciphers/chacha20", "--target", "gp64", "--cc", "gcc", "--opt", "1"], &root());
    let last = text.lines().last().expect("a last line");
    let words: Vec<&str> = last.split_whitespace().collect();
    assert_eq!(words[1..], ["passed,", "0", "failed"]);
    assert!(words[0].parse::<u32>().expect("a number") > 300);
}

#[test]
fn wrong_vectors_fail() {
    let folder = sample();
    let vectors = root().join("ciphers/rectangle/vectors/rectangle-80.json");
    let text = fs::read_to_string(vectors).expect("it is there");
    fs::write(folder.path().join("wrong.json"), text.replacen("962d54e3b1e87408", "962d54e3b1e87409", 1))
        .expect("it can be written");
    let cipher = root().join("ciphers/rectangle");
    let output = usubac(
        &["test", &cipher.to_string_lossy(), "--vectors", "wrong.json", "--target", "none"],
        folder.path(),
    );
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains("FAILED wrong.json: paper-zero"), "{text}");
}

#[test]
fn explain_gives_reasons() {
    let text = succeeds(&["explain", "docs/examples/toy.ua", "--target", "gp64,avx2"], &root());
    assert!(text.contains("h  gp64        no: "), "{text}");
    assert!(text.contains("avx2, avx512-256, avx512"), "{text}");
    let chacha = succeeds(&["explain", "ciphers/chacha20", "--target", "avx2", "--format", "json"], &root());
    let document: serde_json::Value = serde_json::from_str(&chacha).expect("JSON");
    let rows = document[0]["rows"].as_array().expect("rows");
    assert!(rows.iter().any(|row| row["slicing"] == "v" && row["admitted"] == true));
    assert!(rows.iter().any(|row| row["slicing"] == "b" && row["admitted"] == false));
}

#[test]
fn shells_are_completed() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(succeeds(&["completions", shell], &root()).contains("usubac"));
    }
}

#[test]
fn every_command_has_examples() {
    for command in ["check", "fmt", "run", "build", "test", "explain", "bench", "targets", "completions"] {
        assert!(succeeds(&[command, "--help"], &root()).contains("Example"), "{command}");
    }
}
