//! `usubac build --mode` and `--bytes`: files of messages, and what is said where there are none.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

fn build(arguments: &[&str], into: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_usubac"))
        .arg("build")
        .args(arguments)
        .arg("-o")
        .arg(into)
        .current_dir(root())
        .output()
        .expect("usubac runs")
}

/// The names of the files that a build makes, in order.
#[track_caller]
fn files(arguments: &[&str], into: &Path) -> Vec<String> {
    let output = build(arguments, into);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    let entries = fs::read_dir(into).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// What a build says that fails and writes nothing.
#[track_caller]
fn refused(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let into = folder.path().join("out");
    let output = build(arguments, &into);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    assert!(!into.exists(), "{arguments:?}: something was written");
    String::from_utf8(output.stderr).expect("text")
}

#[test]
fn names_come_from_primitive_and_mode() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let into = folder.path();
    let gcm = ["ciphers/aes", "--mode", "gcm-open", "--target", "avx-aes"];
    assert_eq!(files(&gcm, into), ["aes_128_gcm_open.c", "aes_128_gcm_open.h"]);
    let header = fs::read_to_string(into.join("aes_128_gcm_open.h")).expect("a header");
    for line in [
        " * Command: usubac build aes --mode gcm-open --target avx-aes\n",
        "#define USUBA_AES_128_GCM_OPEN_PREPARED_ALIGNMENT 64\n",
        "void usuba_aes_128_gcm_open_prepare(const uint8_t *key, uint8_t *prepared);\n",
        " *   len: the bytes of `cipher` and of `plain`.\n",
        " *   key: 176 bytes: the round keys, as the key schedule of the cipher gives them, one after the other.\n",
        ", but `plain` may be `cipher`, from the same address on.\n",
        " *   1 if the message is refused: then all outputs are zero.\n",
        "int usuba_aes_128_gcm_open(\n    size_t ivlen,\n    size_t alen,\n    size_t len,\n    size_t t,\n",
    ] {
        assert!(header.contains(line), "{line}{header}");
    }
}

#[test]
fn names_can_be_chosen() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let named =
        ["ciphers/aes", "--mode", "cbc-decrypt", "--primitive", "aes-256", "--target", "avx-aes,neon-aes"];
    let with = |more: &[&'static str]| [named.as_slice(), more].concat();
    let both = files(&with(&["--symbol", "my_{target}"]), &folder.path().join("symbol"));
    assert_eq!(both, ["my_avx_aes.c", "my_avx_aes.h", "my_neon_aes.c", "my_neon_aes.h"]);
    let into = folder.path().join("prefix");
    files(&with(&["--prefix", "p_"]), &into);
    let header = fs::read_to_string(into.join("aes_256_cbc_decrypt_neon_aes.h")).expect("a header");
    assert!(header.contains("int p_aes_256_cbc_decrypt_neon_aes("), "{header}");
    assert!(header.contains("key: 240 bytes"), "{header}");
    assert!(header.contains("No output overlaps an input or another output.\n"), "{header}");
    let one_name = refused(&with(&["--symbol", "mine"]));
    assert!(one_name.contains("several targets need `{target}` in the symbol"), "{one_name}");
}

#[test]
fn programs_of_folders_are_built_with_bytes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let seal = ["ciphers/ascon/aead.ua", "--bytes", "--entry", "SealAEAD128", "--target", "gp64"];
    assert_eq!(files(&seal, folder.path()), ["sealaead128.c", "sealaead128.h"]);
}

/// One sentence, with a place where there is one.
#[test]
fn what_has_no_code_is_said() {
    for (arguments, wanted) in [
        (
            &["ciphers/aes", "--mode", "gcm-seal", "--target", "avx512"][..],
            "messages have no code for `avx512`; there is code for gp64, avx-aes, avx2-vaes, avx512-vaes, neon-aes",
        ),
        (
            &["ciphers/aes", "--mode", "gcm-siv-seal", "--target", "avx2-vaes"],
            "gcm-siv-seal over aes-128 has no code for `avx2-vaes`: it makes round keys, for which only libraries have a function",
        ),
        (
            &["ciphers/serpent", "--mode", "ctr", "--target", "avx-aes"],
            "`'Encrypt` is not in blocks: ciphers/serpent/serpent.ua:7:17: `x` has words of 32 bits",
        ),
        (&["ciphers/aes", "--mode", "gcm", "--target", "avx-aes"], "there is no mode `gcm`"),
        (
            &["ciphers/aes", "--mode", "ctr", "--slicing", "b", "--target", "avx-aes"],
            "`--slicing` is for kernels; the code of a message is made in one way",
        ),
        (&["ciphers/ascon/aead.ua", "--bytes", "--entry", "Nothing"], "the program has no node `Nothing`"),
        (
            &["ciphers/aes", "ciphers/sm4", "--mode", "ctr"],
            "a message is made of one folder or of one program",
        ),
    ] {
        let said = refused(arguments);
        assert!(said.contains(wanted), "{arguments:?}: {said}");
        assert!(!said.contains("Diagnostic {"), "{said}");
    }
}

#[test]
fn explain_says_what_code_loops_become() {
    let output = Command::new(env!("CARGO_BIN_EXE_usubac"))
        .args(["explain", "ciphers/aes", "--mode", "gcm-seal", "--target", "avx-aes,neon-aes,gp64"])
        .current_dir(root())
        .output()
        .expect("usubac runs");
    let text = String::from_utf8(output.stdout).expect("text");
    for (line, times) in [
        ("    code on avx-aes, neon-aes: linear scan\n", 4),
        ("    code on avx-aes, neon-aes: a part of the loop that reads or makes the same strings\n", 2),
        ("    code on avx-aes, neon-aes: steps: a block of several pieces\n", 3),
        ("  no code on gp64: the step at usuba:modes/gcm.ua:41:12 has no code", 1),
    ] {
        assert_eq!(text.matches(line).count(), times, "{line}{text}");
    }
}
