//! What `usubac verify --ct` finds in object code, and what it leaves alone: C functions by gcc and clang.

use std::process::Command;
use usuba_trial::run::{Compiler, Family};
use usuba_verify::object::file::Object;
use usuba_verify::taint::{Findings, Kind, Secret, check};

const HEAD: &str = "#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n\
    extern const uint8_t table[256];\nextern void sink(uint64_t);\nint strange(const uint8_t *);\n";

fn object(text: &str, family: Family, flags: &[&str]) -> Object {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("it.c"), format!("{HEAD}{text}\n")).expect("written");
    let compiler = Compiler::native(family).expect("a compiler");
    let output = Command::new(&compiler.command)
        .args(["-c", "it.c", "-o", "it.o", "-fno-stack-protector"])
        .args(flags)
        .current_dir(folder.path())
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Object::parse(&std::fs::read(folder.path().join("it.o")).expect("an object")).expect("an object")
}

/// All ways that a case is compiled.
fn ways() -> Vec<(Family, &'static [&'static str])> {
    let flags: [&'static [&'static str]; 3] = [&["-O1"], &["-O2"], &["-O3", "-march=haswell"]];
    [Family::Gcc, Family::Clang].into_iter().flat_map(|family| flags.map(|flags| (family, flags))).collect()
}

const KEY: Secret = Secret::Pointee(0);

/// Functions that leak: what is secret, and the kinds of findings that will do.
fn leaks() -> Vec<(&'static str, &'static str, Vec<Secret>, Vec<Kind>)> {
    use Kind::{Address, Branch, Length, Time};
    let call = |name: &str| Kind::Call(name.to_owned());
    vec![
        (
            "a branch on a key",
            "uint64_t f(const uint64_t *k, uint64_t x) { if (k[0] & 1) sink(x); return x; }",
            vec![KEY],
            vec![Branch, call("sink")],
        ),
        (
            "a branch on an argument",
            "void f(uint64_t k) { if (k > 5) sink(1); }",
            vec![Secret::Argument(0)],
            vec![Branch],
        ),
        ("a table", "uint8_t f(const uint8_t *k) { return table[k[0]]; }", vec![KEY], vec![Address]),
        (
            "a table of words",
            "uint32_t f(uint32_t k, const uint32_t *t) { return t[k & 15]; }",
            vec![Secret::Argument(0)],
            vec![Address],
        ),
        ("a store", "void f(const uint8_t *k, uint8_t *out) { out[k[3]] = 1; }", vec![KEY], vec![Address]),
        (
            "a table on the stack",
            "uint8_t f(const uint8_t *k, const uint8_t *x) { uint8_t t[64]; for (int i = 0; i < 64; i++) t[i] = x[i] ^ i; return t[k[0] & 63]; }",
            vec![KEY],
            vec![Address],
        ),
        (
            "a division",
            "uint64_t f(uint64_t k, uint64_t x) { return x / (k | 1); }",
            vec![Secret::Argument(0)],
            vec![Time],
        ),
        (
            "a remainder",
            "uint32_t f(const uint32_t *k, uint32_t q) { return k[0] % q; }",
            vec![KEY],
            vec![Time],
        ),
        ("a signed division", "int f(int k, int x) { return k / x; }", vec![Secret::Argument(0)], vec![Time]),
        ("a root", "double f(const double *k) { return k[0] / 3.0 + 1 / k[1]; }", vec![KEY], vec![Time]),
        (
            "an early exit",
            "int f(const uint8_t *a, const uint8_t *b, size_t n) { for (size_t i = 0; i < n; i++) if (a[i] != b[i]) return 1; return 0; }",
            vec![KEY],
            vec![Branch],
        ),
        (
            "a call of memcmp",
            "int f(const uint8_t *a, const uint8_t *b, size_t n) { return memcmp(a, b, n); }",
            vec![KEY],
            vec![call("memcmp")],
        ),
        (
            "a call of a function of another object",
            "int f(const uint8_t *k) { return strange(k); }",
            vec![KEY],
            vec![call("strange")],
        ),
        (
            "a secret length of a loop",
            "uint64_t f(uint64_t n, const uint64_t *x) { uint64_t s = 0; for (uint64_t i = 0; i < n; i++) s = s * 3 ^ x[i]; return s; }",
            vec![Secret::Argument(0)],
            vec![Branch],
        ),
        (
            "a secret length of a copy",
            "void f(size_t n, uint8_t *to, const uint8_t *from) { memcpy(to, from, n); }",
            vec![Secret::Argument(0)],
            vec![Length, call("memcpy")],
        ),
        (
            "square and multiply",
            "uint64_t f(uint64_t e, uint64_t x) { uint64_t r = 1; for (int i = 63; i >= 0; i--) { r *= r; if (e >> i & 1) { r = r * x + 7; sink(0); } } return r; }",
            vec![Secret::Argument(0)],
            vec![Branch],
        ),
        (
            "a key that went through memory",
            "uint8_t f(const uint8_t *k, uint8_t *w) { for (int i = 0; i < 16; i++) w[i] = k[i] * 7; return table[w[5]]; }",
            vec![KEY],
            vec![Address],
        ),
        (
            "a key that went through the stack",
            "uint8_t f(const uint8_t *k, int n) { volatile uint8_t w[16]; for (int i = 0; i < 16; i++) w[i] = k[i]; return table[w[n & 15]]; }",
            vec![KEY],
            vec![Address],
        ),
        (
            "a key in a function that is called",
            "static __attribute__((noinline)) uint8_t g(uint32_t x) { return table[x & 255]; } uint8_t f(const uint32_t *k) { return g(k[1] ^ k[2]); }",
            vec![KEY],
            vec![Address],
        ),
        (
            "a key out of a function that is called",
            "static __attribute__((noinline)) uint32_t g(const uint32_t *k) { return k[0] + 1; } void f(const uint32_t *k) { if (g(k) == 5) sink(0); }",
            vec![KEY],
            vec![Branch],
        ),
        (
            "a key in vectors",
            "void f(const uint8_t *k, uint8_t *o) { uint8_t t[32]; for (int i = 0; i < 32; i++) t[i] = k[i] ^ 0x5a; for (int i = 0; i < 32; i++) o[i] = table[t[i]]; }",
            vec![KEY],
            vec![Address],
        ),
        (
            "a comparison of two secrets",
            "int f(const uint32_t *k, const uint32_t *x) { if (k[0] < x[0]) { sink(1); return 1; } return 2; }",
            vec![KEY, Secret::Pointee(1)],
            vec![Branch],
        ),
        (
            "a mask that becomes a branch by asm",
            "void f(uint64_t k) { __asm__ volatile(\"test %0, %0; jz 1f; nop; 1:\" :: \"r\"(k) : \"cc\"); }",
            vec![Secret::Argument(0)],
            vec![Branch],
        ),
        (
            "a sum that becomes a branch by its carry",
            "void f(const uint64_t *k) { __asm__ volatile(\"add %1, %0; jc 1f; nop; 1:\" :: \"r\"(k[0]), \"r\"(k[1]) : \"cc\"); }",
            vec![KEY],
            vec![Branch],
        ),
        (
            "a jump table",
            "void f(const uint8_t *k) { switch (k[0] & 7) { case 0: sink(9); break; case 1: sink(5); break; case 2: sink(6); break; case 3: sink(77); break; case 4: sink(1); break; case 5: sink(100); break; case 6: sink(3); break; case 7: sink(8); } }",
            vec![KEY],
            vec![Address, Branch, Kind::Target, call("sink")],
        ),
        (
            "a string instruction",
            "int f(const uint8_t *k, const uint8_t *x) { int r; __asm__ volatile(\"mov $16, %%ecx; repe cmpsb; sete %%al; movzbl %%al, %0\" : \"=a\"(r), \"+S\"(k), \"+D\"(x) :: \"rcx\", \"cc\", \"memory\"); return r; }",
            vec![KEY],
            vec![Length],
        ),
        (
            "a state in a variable of the file",
            "static uint8_t state[16]; uint8_t f(const uint8_t *k, int n) { for (int i = 0; i < 16; i++) state[i] ^= k[i]; return table[state[n & 15]]; }",
            vec![KEY],
            vec![Address],
        ),
        (
            "a flag that a rotation keeps",
            "void f(uint64_t k, uint64_t x) { __asm__ volatile(\"test %0, %0; rol $3, %1; jz 1f; nop; 1:\" :: \"r\"(k), \"r\"(x) : \"cc\"); }",
            vec![Secret::Argument(0)],
            vec![Branch],
        ),
        (
            "bits that are gathered",
            "uint64_t f(uint64_t k, uint64_t m) { uint64_t r; __asm__(\"pext %2, %1, %0\" : \"=r\"(r) : \"r\"(k), \"r\"(m)); return r; }",
            vec![Secret::Argument(0)],
            vec![Time],
        ),
    ]
}

/// Functions that do not leak.
fn clean() -> Vec<(&'static str, &'static str, Vec<Secret>)> {
    vec![
        (
            "a choice by a mask",
            "uint64_t f(uint64_t k, uint64_t a, uint64_t b) { uint64_t m = -(k & 1); return (a & m) | (b & ~m); }",
            vec![Secret::Argument(0)],
        ),
        (
            "a comparison of all bytes",
            "int f(const uint8_t *a, const uint8_t *b, size_t n) { uint8_t d = 0; for (size_t i = 0; i < n; i++) d |= a[i] ^ b[i]; return d; }",
            vec![KEY, Secret::Pointee(1)],
        ),
        (
            "a public length",
            "void f(const uint8_t *k, uint8_t *o, const uint8_t *x, size_t n) { for (size_t i = 0; i < n; i++) o[i] = x[i] ^ k[i & 15]; }",
            vec![KEY],
        ),
        (
            "a table at a public place",
            "uint8_t f(const uint8_t *k, uint32_t i) { return k[0] ^ table[i & 255]; }",
            vec![KEY],
        ),
        (
            "rounds on the stack",
            "void f(const uint32_t *k, uint32_t *s) { uint32_t a = s[0], b = s[1]; for (int i = 0; i < 27; i++) { a = ((a >> 8 | a << 24) + b) ^ k[i]; b = (b << 3 | b >> 29) ^ a; } s[0] = a; s[1] = b; }",
            vec![KEY, Secret::Pointee(1)],
        ),
        (
            "a copy and a wipe",
            "void f(const uint8_t *k, uint8_t *o) { uint8_t w[64]; memcpy(w, k, 64); for (int i = 0; i < 64; i++) o[i] = w[i] + 1; memset(w, 0, 64); __asm__ volatile(\"\" :: \"r\"(w) : \"memory\"); }",
            vec![KEY],
        ),
        (
            "planes on the stack, and counters above them",
            "static __attribute__((noinline)) void g(uint64_t *w, int n) { for (int i = 0; i < n; i++) w[i] = w[i] * 3 ^ w[i] >> 7; } void f(const uint64_t *k, uint64_t *o, const uint64_t *x) { uint64_t w[32]; for (int i = 0; i < 32; i++) w[i] = k[i & 7]; for (int j = 0; j < 10; j++) { g(w, 32); for (int i = 0; i < 32; i++) w[i] ^= x[i]; } for (int i = 0; i < 32; i++) o[i] = w[i]; }",
            vec![KEY],
        ),
        (
            "a product",
            "uint64_t f(uint64_t k, uint64_t x) { return k * x + (k >> 5); }",
            vec![Secret::Argument(0)],
        ),
        (
            "a division of what is public",
            "uint64_t f(const uint64_t *k, uint64_t x, uint64_t q) { return k[0] ^ (x / q); }",
            vec![KEY],
        ),
        (
            "a look at the whole table",
            "uint8_t f(const uint8_t *k, const uint8_t *t) { uint8_t r = 0; for (int i = 0; i < 256; i++) { uint32_t d = (uint32_t)(i ^ k[0]); r |= t[i] & (uint8_t)((d - 1) >> 8); } return r; }",
            vec![KEY],
        ),
        (
            "a function that is called",
            "static __attribute__((noinline)) uint32_t g(uint32_t x, int n) { for (int i = 0; i < n; i++) x = x * 5 ^ x >> 3; return x; } uint32_t f(const uint32_t *k, int n) { return g(k[0], n) ^ g(k[1], 7); }",
            vec![KEY],
        ),
        (
            "a branch on what is public",
            "uint64_t f(const uint64_t *k, int n) { if (n > 3) return k[0] ^ k[1]; return k[2]; }",
            vec![KEY],
        ),
    ]
}

fn findings(text: &str, secrets: &[Secret], family: Family, flags: &[&str]) -> Findings {
    check(&object(text, family, flags), "f", secrets).expect("there is a function")
}

#[test]
fn leaks_are_found() {
    let mut count = 0;
    for (name, text, secrets, kinds) in leaks() {
        for (family, flags) in ways() {
            let found = findings(text, &secrets, family, flags);
            let ok = found.leaks.iter().any(|leak| kinds.contains(&leak.kind));
            assert!(ok, "{name}, {family:?} {flags:?}: {found:#?}");
            let leak = &found.leaks[0];
            assert!(secrets.contains(&leak.secret), "{name}: {leak:?}");
            assert!(!leak.place.instruction.is_empty());
            // Nothing is secret, nothing leaks.
            let public = findings(text, &[], family, flags);
            assert!(public.leaks.is_empty(), "{name}: {public:?}");
            count += 1;
        }
    }
    assert!(count > 120, "{count}");
}

#[test]
fn what_leaks_nothing_is_left_alone() {
    for (name, text, secrets) in clean() {
        for (family, flags) in ways() {
            let found = findings(text, &secrets, family, flags);
            assert!(found.leaks.is_empty(), "{name}, {family:?} {flags:?}: {found:#?}");
            assert!(found.unknown.is_empty(), "{name}, {family:?} {flags:?}: {:?}", found.unknown);
        }
    }
}

/// The way of a secret, the last instruction first.
#[test]
fn the_way_of_a_secret_is_said() {
    let text = "uint8_t f(const uint32_t *k) { return table[(k[0] * 77 ^ k[0] >> 3) & 255]; }";
    let found = findings(text, &[KEY], Family::Gcc, &["-O1"]);
    let leak = &found.leaks[0];
    assert_eq!(leak.kind, Kind::Address);
    assert!(leak.path.len() >= 3, "{leak:?}");
    let first = leak.path.last().expect("a first instruction");
    assert!(first.instruction.starts_with("mov"), "{first}");
    assert_eq!(leak.secret, KEY);
}

/// With debug information of any form, an instruction has its line of source, also where sections begin at one address.
#[test]
fn lines_of_source_are_said() {
    let text = "uint8_t g(const uint8_t *k) { return k[0]; }\n\
        uint8_t f(const uint8_t *k) {\n  uint8_t x = k[3];\n  return table[x];\n}";
    let number = HEAD.lines().count() as u32 + 4;
    for family in [Family::Gcc, Family::Clang] {
        for form in ["-gdwarf-4", "-gdwarf-5"] {
            let found = findings(text, &[KEY], family, &["-O1", form, "-ffunction-sections"]);
            let line = found.leaks[0].place.line.clone().expect("a line");
            assert!(line.file.ends_with("/it.c") && line.line == number, "{family:?} {form}: {line}");
        }
        let found = findings(text, &[KEY], family, &["-O1"]);
        assert_eq!(found.leaks[0].place.line, None);
    }
}
