//! `usubac verify` of object files: what is proved, refuted and refused, and certificates.

use expect_test::expect;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

/// Exit status, standard output and standard error.
fn usubac(command: &str, folder: &Path) -> (i32, String, String) {
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_usubac"))
        .args(command.split_whitespace())
        .current_dir(folder)
        .output()
        .expect("usubac runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (status.code().expect("it ends"), text(stdout), text(stderr))
}

/// A folder with a text of the repository and a kernel of it for `gp64`, compiled by gcc.
fn built(cipher: &str, node: &str, slicing: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let name = format!("{cipher}.ua");
    fs::copy(root().join("ciphers").join(cipher).join(&name), folder.path().join(&name)).expect("copied");
    let command = format!("build {name} --entry {node} --slicing {slicing} --target gp64 --symbol kernel");
    assert_eq!(usubac(&command, folder.path()).0, 0);
    compiled("kernel.c", folder.path());
    folder
}

fn compiled(file: &str, folder: &Path) {
    let arguments = ["-O2", "-c"].into_iter().chain(file.split_whitespace());
    let made = Command::new("gcc").args(arguments).current_dir(folder).status().expect("gcc");
    assert!(made.success());
}

#[test]
fn objects_are_proved_and_refuted() {
    let folder = built("speck", "Encrypt64_128", "v");
    let options = "--slicing v --target gp64 --symbol kernel";
    let (status, said, _) =
        usubac(&format!("verify speck.ua kernel.o --entry Encrypt64_128 {options}"), folder.path());
    assert_eq!(status, 0);
    assert!(said.starts_with("proved: `kernel` computes `Encrypt64_128` for all inputs, "), "{said}");
    assert!(said.ends_with("caveats of SOUNDNESS.md: C1 C2 C3 C4 C5 C6 C8 C9 C10 C11 C12\n"), "{said}");
    let (status, said, note) =
        usubac(&format!("verify speck.ua kernel.o --entry Decrypt64_128 {options}"), folder.path());
    assert_eq!(status, 1, "{note}");
    assert!(
        said.starts_with("refuted: `kernel` does not compute `Decrypt64_128`: instance 0 of batch 0 differs, first in plain"),
        "{said}"
    );
    assert_eq!(said.matches("\n  input  ").count(), 2, "{said}");
    assert_eq!([said.matches("\n  source ").count(), said.matches("\n  object ").count()], [1, 1], "{said}");
    assert!(note.contains("note: from `Decrypt64_128/"), "{note}");
    let (status, said, _) =
        usubac("verify speck.ua --cc gcc --entry Encrypt64_128 --slicing v --target gp64", folder.path());
    assert_eq!(status, 0, "{said}");
}

/// The file that a library of one target has for an engine, with a fault in it or none.
#[test]
fn engines_are_proved_from_bytes_to_bytes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ciphers = root().join("ciphers/present").display().to_string();
    let options = "--slicing b --target gp64";
    let build = format!("build {ciphers} --primitive present-80 {options} -o made");
    assert_eq!(usubac(&build, folder.path()).0, 0);
    let source = folder.path().join("made/src/usuba_present_80_gp64_b.c");
    let text = fs::read_to_string(&source).expect("the file of the engine");
    let compiled = |text: &str| {
        fs::write(&source, text).expect("written");
        compiled("-Imade/include made/src/usuba_present_80_gp64_b.c -o it.o", folder.path());
    };
    compiled(&text);
    let verify = format!("verify {ciphers} it.o --primitive present-80 {options}");
    let (status, said, note) = usubac(&verify, folder.path());
    assert_eq!(status, 0, "{note}");
    assert!(
        said.starts_with("proved: `usuba_present_80_gp64_b_encrypt` is the kernel of `Encrypt`, "),
        "{said}"
    );
    assert!(
        said.contains("`usuba_present_80_gp64_b_encrypt_blocks` brings 1 block through the kernel, "),
        "{said}"
    );
    assert!(
        said.contains(
            "`usuba_present_80_gp64_b_decrypt_blocks` brings 63 blocks through the kernel, in place, "
        ),
        "{said}"
    );
    assert!(said.ends_with("caveats of SOUNDNESS.md: C1 C2 C3 C4 C5 C6 C8 C9 C10 C12 C13\n"), "{said}");
    let (status, _, note) = usubac(&format!("verify {ciphers} it.o {options} --symbol f"), folder.path());
    assert_eq!(status, 1);
    assert!(note.contains("leave out `--entry` and `--symbol`"), "{note}");
    let (status, said, note) = usubac(&format!("{verify} --certificate it.proof"), folder.path());
    assert_eq!(status, 0, "{note}");
    assert!(said.ends_with("wrote it.proof\n"), "{said}");
    let certificate = fs::read_to_string(folder.path().join("it.proof")).expect("a certificate");
    let head = "# What `usubac verify` has proved of the functions of an engine, for all inputs.\n";
    assert!(certificate.starts_with(head), "{certificate}");
    let function = "\n[[function]]\nsymbol = \"usuba_present_80_gp64_b_encrypt_blocks\"\n\
        what = \"brings 1 block through the kernel, to another place\"\n";
    assert!(certificate.contains(function), "{certificate}");
    assert!(certificate.contains("\nprimitive = \"present-80\"\n"), "{certificate}");
    let (status, said, note) = usubac("verify --audit it.proof", folder.path());
    assert_eq!(status, 0, "{note}");
    assert!(said.starts_with("it.proof: proved again: ") && said.ends_with(" of `it.o`\n"), "{said}");
    let other = certificate.replace("brings 63 blocks", "brings 64 blocks");
    fs::write(folder.path().join("other.proof"), other).expect("written");
    let (status, said, _) = usubac("verify --audit other.proof", folder.path());
    assert_eq!(status, 1);
    assert!(said.contains("brings 64 blocks through the kernel, in place\" in the certificate"), "{said}");
    // A driver that leaves the last byte of a batch as it was.
    let faulty = text
        .replace("    block_unpack(out, results);", "    block_unpack(out, results); out[511] = in[511];");
    assert_ne!(faulty, text);
    compiled(&faulty);
    let (status, said, _) = usubac("verify --audit it.proof", folder.path());
    assert!(status == 1 && said.contains("  object.sha256: "), "{said}");
    let (status, _, note) = usubac(&verify, folder.path());
    assert_eq!(status, 1, "{note}");
    assert!(note.contains("refuted: `usuba_present_80_gp64_b_encrypt_blocks` does not do this: "), "{note}");
    let (status, _, note) =
        usubac(&format!("verify {ciphers} it.o --primitive none {options}"), folder.path());
    assert_eq!(
        (status, note.as_str()),
        (1, "error: the manifest has no primitive `none`; it has present-80, present-128\n")
    );
    let (status, _, note) =
        usubac(&format!("verify {ciphers}/present.ua it.o --primitive none {options}"), folder.path());
    assert_eq!((status, note.as_str()), (1, "error: `--primitive` is of a manifest: give its folder\n"));
}

/// The C of modes over AES-128 for `avx-aes`, which each are made once.
#[derive(Default)]
struct Modes(BTreeMap<String, String>);

impl Modes {
    /// What `usubac verify` makes of a mode, with changes in its C, for these lengths.
    fn verify(&mut self, mode: &str, lengths: &str, changes: &[(&str, &str)]) -> (i32, String, String) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let aes = root().join("ciphers/aes").display().to_string();
        let file = format!("aes_128_{}.c", mode.replace('-', "_"));
        let made = self.0.entry(mode.to_owned()).or_insert_with(|| {
            assert_eq!(usubac(&format!("build {aes} --mode {mode} --target avx-aes"), folder.path()).0, 0);
            fs::read_to_string(folder.path().join(&file)).expect("the file of the mode")
        });
        let mut text = made.clone();
        for (from, to) in changes {
            assert!(text.contains(from), "{mode}: {from}");
            text = text.replace(from, to);
        }
        // What the header says is not needed.
        for (name, text) in [(&file, text), (&file.replace(".c", ".h"), String::new())] {
            fs::write(folder.path().join(name), text).expect("written");
        }
        compiled(&format!("-mavx -maes -mpclmul {file} -o it.o"), folder.path());
        let verify = format!("verify {aes} it.o --mode {mode} --target avx-aes --lengths {lengths}");
        usubac(&verify, folder.path())
    }
}

/// Modes are proved from bytes to bytes: rounds of AES, sums by powers of a hash key, tags, and refusals. Wrong ones are refuted, and
/// code that leaks or reads too much is refused.
#[test]
fn modes_are_proved_from_bytes_to_bytes() {
    let mut modes = Modes::default();
    for (mode, lengths) in [
        ("cmac", "t=16,len=33"),
        ("cbc-decrypt", "n=9"),
        ("ocb3-open", "nlen=12,alen=17,len=33,t=16"),
        ("gcm-seal", "t=16,ivlen=12,alen=20,len=70"),
        ("gcm-open", "ivlen=12,alen=5,len=17,t=12"),
    ] {
        let (status, said, note) = modes.verify(mode, lengths, &[]);
        assert_eq!(status, 0, "{mode}: {note}");
        let symbol = mode.replace('-', "_");
        let lengths = lengths.replace(',', " ");
        let in_place = if ["cmac", "cbc-decrypt"].contains(&mode) { "" } else { ", also in place" };
        let begin = format!("proved: `usuba_aes_128_{symbol}` for {lengths}{in_place}: ");
        assert!(said.starts_with(&begin), "{said}");
        assert!(said.ends_with("caveats of SOUNDNESS.md: C1 C2 C3 C4 C5 C6 C8 C9 C10 C12 C14\n"), "{said}");
    }
    let begin = "if (!(-1 * n0_t + 16 >= 0)) return 2;";
    let leak = format!("{begin} if (v1_message[0] == 7) return 0;");
    let beyond = format!("{begin} (void)*(volatile const uint8_t *)(v1_message + l1_len);");
    for (mode, from, to, status, why) in [
        ("cmac", "keys + 16 * (3)", "keys + 16 * (4)", 1, "refuted: "),
        // A message is taken whatever its tag is; what is refused is written; a product has other halves.
        ("gcm-open", "    return 1;\n", "    return 0;\n", 1, "refuted: "),
        ("gcm-open", "memset(v5_plain, 0, ", "memset(v5_plain, 1, ", 1, "refuted: "),
        ("gcm-seal", ", 17);", ", 1);", 1, "refuted: "),
        ("cmac", begin, leak.as_str(), 3, "whether this jumps depends on data"),
        ("cmac", begin, beyond.as_str(), 3, "are not inside of `input 1`"),
    ] {
        let lengths = match mode {
            "cmac" => "t=16,len=17",
            "gcm-open" => "ivlen=12,alen=0,len=17,t=12",
            _ => "t=16,ivlen=12,alen=0,len=16",
        };
        let (found, said, note) = modes.verify(mode, lengths, &[(from, to)]);
        assert_eq!(found, status, "{mode}, {from}: {said}{note}");
        assert!(note.contains(why), "{mode}, {from}: {note}");
    }
    let mut said = |lengths: &str| modes.verify("cmac", lengths, &[]).2;
    expect![[r#"
        error: `n=3` is no length: write NAME=NUMBER or NAME=FIRST..LAST, perhaps with `+` behind it, where names are t, len, and numbers below 2^20
    "#]]
    .assert_eq(&said("n=3"));
    expect![[r#"
        error: `--lengths t=16+,len=3`: `t` is no length of a string, and cannot grow
    "#]]
    .assert_eq(&said("t=16+,len=3"));
    expect![[r#"
        error: `--lengths t=16` does not say `len`
    "#]]
    .assert_eq(&said("t=16"));
    expect![[r#"
        error: the message has no such lengths: t=17,len=1
    "#]]
    .assert_eq(&said("t=17,len=1"));
}

/// AES-GCM is proved for any length, several blocks at once, with counters and the length that is in the tag; with counters of 16 bits
/// it is right for a million bytes, and is not.
#[test]
fn gcm_of_any_length_is_proved() {
    let mut modes = Modes::default();
    let (status, said, note) = modes.verify("gcm-seal", "t=16,ivlen=12,alen=20,len=5+", &[]);
    assert_eq!(status, 0, "{note}");
    let begin = "proved: `usuba_aes_128_gcm_seal` for t=16 ivlen=12 alen=20 len=5 and each length that is longer by a multiple of 64, also in place: by induction, ";
    assert!(said.starts_with(begin), "{said}");
    let short = [("add_epi32", "add_epi16")];
    for (lengths, expected) in [("t=16,ivlen=12,alen=20,len=69", 0), ("t=16,ivlen=12,alen=20,len=5+", 3)] {
        let (status, said, note) = modes.verify("gcm-seal", lengths, &short);
        assert_eq!(status, expected, "{lengths}: {said}{note}");
    }
}

/// Code with one loop after another is proved for any length, with what it does of messages that are refused; faults that show only
/// after a million turns are not.
#[test]
fn loops_in_sequence_are_proved_for_any_length() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = root().join("tests/messages/two-passes.ua").display().to_string();
    let mut made = BTreeMap::new();
    for node in ["Seal", "Open"] {
        let build = format!("build {text} --bytes --entry {node} --target gp64");
        assert_eq!(usubac(&build, folder.path()).0, 0);
        let file = folder.path().join(format!("{}.c", node.to_lowercase()));
        made.insert(node, fs::read_to_string(file).expect("the file of a node"));
    }
    let verify = |node: &str, (from, to): (&str, &str), lengths: &str| {
        let file = format!("{}.c", node.to_lowercase());
        assert!(made[node].contains(from), "{node}: {from}");
        fs::write(folder.path().join(&file), made[node].replace(from, to)).expect("written");
        compiled(&format!("{file} -o it.o"), folder.path());
        let rest = format!("--bytes --entry {node} --target gp64 --lengths {lengths}");
        usubac(&format!("verify {text} it.o {rest}"), folder.path())
    };
    for node in ["Seal", "Open"] {
        let (status, said, note) = verify(node, ("", ""), "len=3+");
        assert_eq!(status, 0, "{note}");
        let begin = format!(
            "proved: `usuba_{}` for len=3 and each length that is longer by a multiple of 8, also in place: by induction, ",
            node.to_lowercase()
        );
        assert!(said.starts_with(&begin), "{said}");
    }
    for (node, from, to) in [
        // Blocks of the second loop, of the first one, and what is between them.
        ("Open", "(v3_plain + 8 * i1)", "(v3_plain + 8 * (i1 & 1048575))"),
        ("Open", "(v1_cipher + 8 * i0)", "(v1_cipher + 8 * (i0 & 1048575))"),
        (
            "Open",
            "unsigned difference3 = 0;",
            "v5_tag_2[0] ^= (uint8_t)(n0_len >> 24); unsigned difference3 = 0;",
        ),
        // What the second loop begins with.
        (
            "Open",
            "memcpy(carried1 + 0, (prepared + 0) + 0, 8);",
            "memcpy(carried1 + 0, (prepared + 0) + 0, 8); carried1[1] ^= (uint8_t)(n0_len >> 24);",
        ),
        // What is left of a message that is refused, and whether it is.
        ("Open", "(size_t)(n0_len))", "(size_t)(n0_len & 0xffffff))"),
        ("Open", "difference3 != 0)", "difference3 != 0 && n0_len >> 24 == 0)"),
    ] {
        let few = verify(node, (from, to), "len=3..40");
        assert_eq!(few.0, 0, "{to}: {}", few.2);
        let any = verify(node, (from, to), "len=3+");
        assert_eq!(any.0, 3, "{to}: {}{}", any.1, any.2);
    }
}

/// Code whose loops make turns of different sizes is proved for any length, as are the lengths of few of the greater turns, of which the
/// smaller ones are many.
#[test]
fn loops_of_different_turns_are_proved_for_any_length() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = root().join("tests/messages/two-passes.ua").display().to_string();
    // The loop of the code that goes through the blocks makes a turn for so many of them.
    let built = |node: &str, counter: &str, blocks: usize| {
        let build = format!("build {text} --bytes --entry {node} --target gp64");
        assert_eq!(usubac(&build, folder.path()).0, 0);
        let file = folder.path().join(format!("{}.c", node.to_lowercase()));
        let code = fs::read_to_string(file).expect("the file of a node");
        let single = format!("for (int64_t {counter} = 0; {counter} < ((n0_len) >> 3); {counter}++) {{");
        assert!(code.contains(&single), "{code}");
        let end = format!("from + {blocks} < all ? from + {blocks} : all");
        let batches = format!("for (int64_t from = 0, all = n0_len >> 3; from < all; from += {blocks})");
        let inner = format!("for (int64_t {counter} = from, to = {end}; {counter} < to; {counter}++) {{");
        code.replace(&single, &format!("{batches} {inner}"))
    };
    let verify = |node: &str, code: &str, (from, to): (&str, &str)| {
        assert!(code.contains(from), "{node}: {from}");
        fs::write(folder.path().join("it.c"), code.replace(from, to)).expect("written");
        compiled("it.c -o it.o", folder.path());
        let rest = format!("--bytes --entry {node} --target gp64 --lengths len=3+");
        usubac(&format!("verify {text} it.o {rest}"), folder.path())
    };
    let (seal, open) = (built("Seal", "i1", 144), built("Open", "i0", 4));
    for (node, code, by) in [("Seal", &seal, 8 * 144), ("Open", &open, 8 * 4)] {
        let (status, said, note) = verify(node, code, ("", ""));
        assert_eq!(status, 0, "{note}");
        assert!(said.contains(&format!("longer by a multiple of {by}, also in place")), "{said}");
    }
    // Where a loop begins, and after it, in messages of one and of two of the greater turns.
    for (from, to) in [
        ("(prepared + 0) + 0, 8);", "(prepared + 0) + 0, 8); carried1[1] ^= (uint8_t)(n0_len == 2307);"),
        (
            "memcpy(v7_chain_7 + 0, carried1 + 0, 8);",
            "carried1[3] ^= (uint8_t)(n0_len == 1155); memcpy(v7_chain_7 + 0, carried1 + 0, 8);",
        ),
    ] {
        let (status, said, note) = verify("Seal", &seal, (from, to));
        assert_eq!(status, 1, "{to}: {said}{note}");
    }
    // After a million turns: blocks of either loop, what is between the loops, and what the second one begins with.
    for (from, to) in [
        ("(v3_plain + 8 * i1)", "(v3_plain + 8 * (i1 & 1048575))"),
        ("(v1_cipher + 8 * i0)", "(v1_cipher + 8 * (i0 & 1048575))"),
        ("unsigned difference3 = 0;", "v5_tag_2[0] ^= (uint8_t)(n0_len >> 24); unsigned difference3 = 0;"),
        (
            "memcpy(carried1 + 0, (prepared + 0) + 0, 8);",
            "memcpy(carried1 + 0, (prepared + 0) + 0, 8); carried1[1] ^= (uint8_t)(n0_len >> 24);",
        ),
    ] {
        let (status, said, note) = verify("Open", &open, (from, to));
        assert_eq!(status, 3, "{to}: {said}{note}");
    }
}

/// Code that adds up two blocks in the lanes of a vector, in a register or in memory, and the lanes after the last turn, is proved for any
/// length: after a turn either lane may be anything, and both together are what the text has.
#[test]
fn sums_in_lanes_are_proved_for_any_length() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = root().join("tests/messages/lanes.ua").display().to_string();
    assert_eq!(usubac(&format!("build {text} --bytes --entry Sum --target gp64"), folder.path()).0, 0);
    let code = fs::read_to_string(folder.path().join("sum.c")).expect("the file of a node");
    let (begin, end) = ("  for (int64_t i0 = 0;", "  memcpy(v5_all_5 + 0, carried1 + 0, 8);");
    let [begin, end] = [begin, end].map(|part| code.find(part).expect(part));
    let verify = |kind: &str, (from, to): (&str, &str)| {
        let lanes = format!(
            "  typedef uint8_t lanes __attribute__((vector_size(32), aligned(1)));
  {kind} lanes sum;
  lanes first = {{0}};
  uint8_t both[32];
  const int64_t all = n0_len >> 4;
  memcpy(&first, carried1, 16);
  sum = first;
  for (int64_t i = 0; i + 2 <= all; i += 2) {{
    lanes next;
    memcpy(&next, v1_text + 16 * i, 32);
    sum = sum ^ next;
  }}
  first = sum;
  memcpy(both, &first, 32);
  usuba_sum_1(both, both + 16, carried1);
  if (all & 1) {{
    usuba_sum_1(carried1, v1_text + 16 * (all - 1), v6_all_6);
    memcpy(carried1, v6_all_6, 16);
  }}
"
        );
        assert!(lanes.contains(from), "{from}");
        let changed = [&code[..begin], &lanes.replace(from, to), &code[end..]].concat();
        fs::write(folder.path().join("it.c"), changed).expect("written");
        compiled("-mavx2 it.c -o it.o", folder.path());
        let rest = "--bytes --entry Sum --target gp64 --lengths len=19+";
        usubac(&format!("verify {text} it.o {rest}"), folder.path())
    };
    for kind in ["", "volatile"] {
        let (status, said, note) = verify(kind, ("", ""));
        assert_eq!(status, 0, "{kind}: {note}");
        assert!(said.contains("longer by a multiple of 32"), "{said}");
        // Blocks that are read, a lane, and what comes after the turns are others after a million of them; a sum of wrong lanes.
        for (from, to) in [
            ("v1_text + 16 * i, 32", "v1_text + 16 * (i & 1048575), 32"),
            ("sum = sum ^ next;", "next[19] ^= (uint8_t)(i >> 24); sum = sum ^ next;"),
            ("first = sum;", "first = sum; first[21] ^= (uint8_t)(all >> 24);"),
            ("usuba_sum_1(both, both + 16", "usuba_sum_1(both, both + 15"),
        ] {
            let (status, said, note) = verify(kind, (from, to));
            assert_eq!(status, 3, "{kind}, {to}: {said}{note}");
        }
    }
}

/// A node that is a message is proved too: a hash of a permutation that is in the code.
#[test]
fn messages_of_programs_are_proved() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = root().join("ciphers/xoodoo/xoodyak.ua").display().to_string();
    let build = format!("build {text} --bytes --entry HashXoodyak --target gp64");
    assert_eq!(usubac(&build, folder.path()).0, 0);
    compiled("hashxoodyak.c -o it.o", folder.path());
    let verify = format!("verify {text} it.o --bytes --entry HashXoodyak --target gp64 --lengths len=15..17");
    let (status, said, note) = usubac(&verify, folder.path());
    assert_eq!(status, 0, "{note}");
    assert_eq!(said.matches("proved: `usuba_hashxoodyak` for len=").count(), 3, "{said}");
}

#[test]
fn what_cannot_be_proved_is_said() {
    let folder = built("speck", "Encrypt64_128", "v");
    let say = |rest: &str| usubac(&format!("verify speck.ua {rest}"), folder.path());
    let node = "--entry Encrypt64_128 --slicing v";
    let mut all = String::new();
    let mut record = |what: &str, (status, said, why): (i32, String, String)| {
        all.push_str(&format!("{what}: {status}\n{said}{why}"));
    };
    record("no target", say("kernel.o --entry Encrypt64_128"));
    record("no symbol", say(&format!("kernel.o {node} --target gp64")));
    record("another symbol", say(&format!("kernel.o {node} --target gp64 --symbol other")));
    record("no object", say(&format!("speck.ua {node} --target gp64")));
    record("no file", say(&format!("gone.o {node} --target gp64")));
    record("another machine", say(&format!("kernel.o {node} --target altivec")));
    record("an object for another machine", say(&format!("kernel.o {node} --target neon")));
    record("no slicing", say("kernel.o --entry Encrypt64_128 --slicing auto --target gp64"));
    for (name, code) in [
        ("unknown instruction", "rdtsc"),
        ("jump on data", "mov (%rdi), %rax\n test $1, %rax\n jz kernel"),
        ("outside", "mov 8(%rdi), %rax"),
        ("not written", "nop"),
        ("no end", "push %rax\n pop %rax\n jmp kernel"),
    ] {
        let text = format!(
            ".globl kernel\n.type kernel, @function\nkernel:\n {code}\n ret\n.size kernel, .-kernel\n"
        );
        fs::write(folder.path().join("bad.s"), text).expect("written");
        compiled("bad.s", folder.path());
        record(name, say(&format!("bad.o {node} --target gp64 --symbol kernel")));
    }
    expect![[r#"
        no target: 1
        error: `kernel.o` is an object file: say what its kernel was built for with `--slicing` and `--target`
        no symbol: 1
        error: cannot look into `kernel.o`: it has no function `usuba_encrypt64_128_v_gp64`; it has kernel
          help: `--symbol` names the function of the kernel
        another symbol: 1
        error: cannot look into `kernel.o`: it has no function `other`; it has kernel
        no object: 1
        error: cannot read `speck.ua`: it is no object file: Unknown file magic
        no file: 1
        error: cannot read `gone.o`: no such file or directory
        another machine: 1
        error: object code of `altivec` cannot be proved: only that of x86-64 and of AArch64 is decoded
        an object for another machine: 1
        error: cannot read `kernel.o`: it is no relocatable ELF object for AArch64
        no slicing: 1
        error: `--slicing auto` does not say what the object was built for: name the slicing
        unknown instruction: 3
        error: `kernel` is not proved: kernel+0x0: `rdtsc`: this instruction is not known
        jump on data: 3
        error: `kernel` is not proved: kernel+0x9: `je 0h`: whether this jumps depends on data
        outside: 3
        error: `kernel` is not proved: kernel+0x0: `mov rax,[rdi+8h]`: 8 bytes at 8 are not inside of `plain`, which has 8
        not written: 3
        error: `kernel` is not proved: byte 0 of the output `cipher` holds nothing
          help: slicing, target and `--inter-factor` must be those that the kernel was built with
        no end: 3
        error: `kernel` is not proved: kernel+0x1: `pop rax`: more than 4000000 instructions are run
    "#]]
    .assert_eq(&all);
}

/// A certificate without what depends on the compiler of this machine.
fn masked(certificate: &str) -> String {
    let mut text = String::new();
    for line in certificate.lines() {
        let shown = match line.split_once(" = ") {
            _ if line.starts_with("# Not compared") => "# Not compared: the time.".to_owned(),
            Some(("instructions" | "vertices" | "code_bytes", number)) => {
                assert!(number.parse::<u64>().is_ok_and(|number| number > 100), "{line}");
                line.replace(number, "N")
            }
            Some((key, number)) if key.starts_with("by_") => line.replace(number, "N"),
            Some(("sha256" | "code_sha256", hash)) => {
                assert_eq!(hash.len(), 66, "{line}");
                line.replace(hash, "…")
            }
            Some(("compilers", names)) => {
                assert!(names.contains("GCC"), "{line}");
                line.replace(names, "…")
            }
            _ => line.to_owned(),
        };
        text.push_str(&shown);
        text.push('\n');
    }
    text
}

#[test]
fn certificates_are_proved_again() {
    let folder = built("rectangle", "Encrypt", "b");
    let at = |name: &str| folder.path().join(name);
    let text = |name: &str| fs::read_to_string(at(name)).expect("text");
    let certify = |name: &str| {
        let command = format!(
            "verify rectangle.ua kernel.o --entry Encrypt --slicing b --target gp64 --symbol kernel --certificate {name}"
        );
        usubac(&command, folder.path())
    };
    assert_eq!(certify("a.proof").0, 0);
    assert_eq!(certify("b.proof").0, 0);
    let lines =
        |name: &str| text(name).lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n");
    assert_eq!(lines("a.proof"), lines("b.proof"));
    expect![[r##"
        # What `usubac verify` has proved of a function of an object, for all inputs.
        # `usubac verify --audit` with this file proves it again. SOUNDNESS.md of Usuba says what the caveats are.
        # Not compared: the time.

        version = 1
        tool = "usubac 0.1.0"
        proved = ["equality", "memory", "calling convention", "constant time", "instances apart"]
        caveats = ["C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9", "C10", "C11", "C12"]

        [source]
        file = "rectangle.ua"
        entry = "Encrypt"
        slicing = "b"
        target = "gp64"

        [[source.sha256]]
        file = "rectangle.ua"
        sha256 = …

        [object]
        file = "kernel.o"
        symbol = "kernel"
        sha256 = …
        code_bytes = N
        code_sha256 = …
        compilers = …

        [figures]
        effort = 1
        instructions = N
        vertices = N
        by_structure = N
        by_sums = N
        by_tables = N
        by_parts = N
        by_solver = N
        questions = 0
        conflicts = 0
    "##]]
    .assert_eq(&masked(&text("a.proof")));

    let audit = || usubac("verify --audit a.proof", folder.path());
    let (status, said, _) = audit();
    assert_eq!((status, said.as_str()), (0, "a.proof: proved again: `kernel` of `kernel.o`\n"));
    // Another figure, text or object is said, with both values.
    let (certificate, source, object) =
        (text("a.proof"), text("rectangle.ua"), fs::read(at("kernel.o")).expect("bytes"));
    fs::write(at("a.proof"), certificate.replace("\nvertices = ", "\nvertices = 1")).expect("written");
    let (status, said, _) = audit();
    assert!(status == 1 && said.contains("\n  figures.vertices: 1"), "{said}");
    fs::write(at("a.proof"), &certificate).expect("written");
    fs::write(at("rectangle.ua"), format!("{source}\n// a remark\n")).expect("written");
    let (status, said, why) = audit();
    assert!(status == 1 && said.contains("\n  source.sha256[0].sha256: \""), "{said}{why}");
    assert_eq!(said.lines().count(), 2, "{said}");
    fs::write(at("rectangle.ua"), &source).expect("written");
    let place = object.windows(3).rposition(|bytes| bytes == b"GCC").expect("a compiler's name");
    let mut patched = object.clone();
    patched[place] = b'g';
    fs::write(at("kernel.o"), patched).expect("written");
    let (status, said, _) = audit();
    assert_eq!(status, 1);
    assert!(said.contains("\n  object.sha256: \"") && said.contains("\n  object.compilers: "), "{said}");
    assert!(!said.contains("code_sha256"), "{said}");
    fs::write(at("kernel.o"), &object).expect("written");
    // What is no certificate is neither read nor overwritten.
    let (status, _, why) = usubac("verify --audit rectangle.ua", folder.path());
    assert!(status == 1 && why.starts_with("error: cannot use the certificate `rectangle.ua`: "), "{why}");
    let (status, _, why) = certify("rectangle.ua");
    assert_eq!((status, text("rectangle.ua")), (1, source));
    assert!(why.contains("there is a file that is no certificate"), "{why}");
    fs::write(at("a.proof"), certificate.replace("version = 1\n", "version = 2\n")).expect("written");
    let (status, _, why) = audit();
    assert!(status == 1 && why.contains("it has version 2; this usubac reads version 1"), "{why}");
}
