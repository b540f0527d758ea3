//! GHASH is the polynomial that the standard says, whatever is computed first; what is none is refused.

mod support;

use support::{Repository, node_with, read};
use usuba_algebra::field::Polynomial;
use usuba_algebra::layers::Places;
use usuba_algebra::polynomial::{FieldPolynomial, field_polynomial};
use usuba_algebra::recognise::recognise;
use usuba_algebra::why::Why;
use usuba_lang::elaborate::{Options, elaborate};
use usuba_lang::load::load;
use usuba_lang::typed::{Atoms, InstanceId, Program};

fn of(program: &Program) -> Result<FieldPolynomial, Why> {
    let multiply = program.instances().iter().position(|one| one.name == "Multiply").expect("it multiplies");
    field_polynomial(program, program.entry(), InstanceId(multiply as u32))
}

/// The terms with the first bits of the inputs that their factors are.
fn terms(polynomial: &FieldPolynomial) -> Vec<Vec<usize>> {
    let input = |&element: &usize| polynomial.elements[element].input().expect("a block of an input");
    let sorted = |term: &Vec<usize>| {
        let mut inputs: Vec<usize> = term.iter().map(input).collect();
        inputs.sort_unstable();
        inputs
    };
    let mut terms: Vec<Vec<usize>> = polynomial.terms.iter().map(sorted).collect();
    terms.sort();
    terms
}

/// NIST SP 800-38D, section 6.4: X_1 · H^m + X_2 · H^(m-1) + … + X_m · H.
#[test]
fn ghash_is_its_polynomial() {
    for atoms in [Atoms::Bits, Atoms::Words] {
        for m in [1, 2, 7] {
            let options = Options { atoms, nats: vec![("m".into(), m as i64)], ..Options::new() };
            let found = of(&node_with("modes/gf128.ua", "GHASH", options)).expect("a polynomial");
            assert_eq!((found.product.polynomial, found.product.factor), (Polynomial::GCM, 1));
            // The inputs are H and the blocks, each of 128 bits; the powers of H come first.
            let term = |i: usize| [vec![0; m - i], vec![128 * (i + 1)]].concat();
            let mut expected: Vec<Vec<usize>> = (0..m).map(term).collect();
            expected.sort();
            assert_eq!(terms(&found), expected);
        }
    }
}

/// A node over `Multiply`, of blocks.
fn written(body: &str) -> Result<FieldPolynomial, Why> {
    let text = format!(
        "include \"modes/gf128.ua\"\nnode f (H, A, B:b128) returns (R:b128) vars s, t:b128 let {body} tel"
    );
    let loaded = load("test.ua", &[], &Repository { changed: Some(("test.ua", text)) });
    let options = Options { entry: Some("f".into()), atoms: Atoms::Bits, ..Options::new() };
    let (program, findings) = elaborate(&loaded.program, &options);
    of(&program.unwrap_or_else(|| panic!("{findings:?}")))
}

#[test]
fn what_is_computed_first_does_not_matter() {
    let horner = written("s = Multiply(A, H); t = 0; R = Multiply(s ^ B ^ t, H)").expect("a polynomial");
    let powers =
        written("s = Multiply(H, H); t = Multiply(H, B); R = Multiply(s, A) ^ t").expect("a polynomial");
    assert_eq!(terms(&horner), [vec![0, 0, 128], vec![0, 256]]);
    assert_eq!(terms(&powers), terms(&horner));
    // (A + B)^2 = A^2 + B^2, and a block may be added without being multiplied.
    let square =
        written("s = Multiply(A, A ^ B); t = Multiply(B, B ^ A); R = s ^ t ^ H").expect("a polynomial");
    let sum = "s = A ^ B; t = 0; R = Multiply(A, A) ^ Multiply(B, B) ^ H ^ t";
    let squares = written(sum).expect("a polynomial");
    assert_eq!(terms(&squares), [vec![0], vec![128, 128], vec![256, 256]]);
    assert_eq!(terms(&square), terms(&squares));
    // A constant and another linear map are elements too.
    let other = written("s = TimesX(H); t = ~A; R = Multiply(s, t)").expect("a polynomial");
    assert_eq!((other.elements.len(), other.terms), (3, vec![vec![0, 1], vec![0, 2]]));
    assert_eq!(other.elements[0].input(), None);
    assert_eq!(other.elements[1].input(), Some(128));
    assert_eq!(other.elements[2].constant.weight(), 128);
}

#[test]
fn what_is_no_polynomial_is_refused() {
    for (body, reason) in [
        (
            "s = Multiply(A, H); t = 0; R = (s >> 1) ^ t",
            "bits of a product are used at other places than their own",
        ),
        (
            "s = Multiply(A, H); t = 0; R = (s[0..126], 0:b1) ^ t",
            "a part of a product is used, and not all of it",
        ),
        (
            "s = Multiply(A, H); t = 0; R = Multiply(s & B, H) ^ t",
            "its blocks are not made by sums and multiplication alone",
        ),
        (
            "s = Multiply(A, H); t = A & B; R = s ^ t",
            "its blocks are not made by sums and multiplication alone",
        ),
    ] {
        assert_eq!(written(body).expect_err(body).to_string(), reason);
    }
    // The multiplication has to be one.
    let text = read("modes/gf128.ua").replacen("0:b4, V[i][127], 0:b120", "0:b5, 0:b120", 1);
    let loaded = load("modes/gf128.ua", &[], &Repository { changed: Some(("modes/gf128.ua", text)) });
    let options = Options {
        entry: Some("GHASH".into()),
        atoms: Atoms::Bits,
        nats: vec![("m".into(), 2)],
        ..Options::new()
    };
    let (program, findings) = elaborate(&loaded.program, &options);
    let why = of(&program.unwrap_or_else(|| panic!("{findings:?}"))).expect_err("no multiplication");
    assert_eq!(why.to_string(), "it is bilinear, and multiplication modulo no irreducible polynomial");
}

/// Each kind of node, as a caller meets it who does not know what to expect.
#[test]
fn what_a_node_is_is_found() {
    let of = |path: &str, name: &str, nats: &[(&str, i64)]| {
        let nats = nats.iter().map(|&(name, value)| (name.into(), value)).collect();
        let program = node_with(path, name, Options { atoms: Atoms::Bits, nats, ..Options::new() });
        let places = Places::big(&program, program.entry());
        recognise(&program, program.entry(), &places)
            .map_or_else(|why| why.to_string(), |what| what.to_string())
    };
    let field = "GF(2^128) modulo x^128+x^7+x^2+x+1, first bit = coefficient of 1";
    let gf128 = "modes/gf128.ua";
    assert_eq!(of(gf128, "Multiply", &[]), format!("multiplication in {field}"));
    assert_eq!(of(gf128, "TimesX", &[]), format!("multiplication by x in {field}"));
    let ghash = format!("a sum of 4 products of up to 5 of 5 blocks by multiplication in {field}");
    assert_eq!(of(gf128, "GHASH", &[("m", 4)]), ghash);
    let aes = "ciphers/aes/aes.ua";
    let linear = "a linear map from 128 to 128 bits, and no multiplication by a power of x";
    assert_eq!(of(aes, "MixColumns", &[]), linear);
    let rounds = "10 layers of AES's S-box; rounds 1–9 are `aesenc`, 10 is `aesenclast`";
    assert_eq!(of(aes, "Encrypt128", &[]), rounds);
    let des = "a table from 6 to 4 bits is none from bytes to bytes";
    assert_eq!(of("ciphers/des/des.ua", "Encrypt", &[]), des);
    assert_eq!(of("modes/ocb3.ua", "MoveIf", &[("k", 4)]), "`&` or `|` of two values is not linear");
}
