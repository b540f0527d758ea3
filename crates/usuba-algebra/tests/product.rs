//! Multiplication in GF(2^n) is recognised as what it is, and nothing else is.

mod support;

use support::{changed, node, node_of, node_with};
use usuba_algebra::bilinear::{BitClass, bilinear};
use usuba_algebra::fallback::FALLBACKS;
use usuba_algebra::field::{CoefficientOrder, Polynomial};
use usuba_algebra::orbit::{PowerOfX, linear, power_of_x};
use usuba_algebra::product::{Product, product, products};
use usuba_ir::random::Random;
use usuba_lang::elaborate::Options;
use usuba_lang::interpret::interpret;
use usuba_lang::typed::{Atoms, Program};

const GF128: &str = "modes/gf128.ua";

/// A block as the words of an input, first bit first.
fn words(program: &Program, block: u128, size: u32) -> Vec<u128> {
    let entry = program.instance(program.entry());
    let width = entry.variable(entry.inputs[0]).width;
    (0..size / width)
        .map(|word| block >> (size - width * (word + 1)) & (u128::MAX >> (128 - width)))
        .collect()
}

/// The result of the interpreter for blocks whose first bit is the most significant.
fn interpreted(program: &Program, blocks: &[u128], size: u32) -> u128 {
    let inputs: Vec<Vec<u128>> = blocks.iter().map(|&block| words(program, block, size)).collect();
    let entry = program.instance(program.entry());
    let width = entry.variable(entry.outputs[0]).width;
    interpret(program, &inputs)[0]
        .iter()
        .fold(0, |block, word| if width == 128 { *word } else { block << width | word })
}

/// The element of a block in an order, and the block of an element.
fn element(order: CoefficientOrder, size: u32, block: u128) -> u128 {
    (0..size as usize).fold(0, |element, power| {
        element | (block >> (size as usize - 1 - order.place(size as usize, power)) & 1) << power
    })
}

fn block(order: CoefficientOrder, size: u32, element: u128) -> u128 {
    (0..size as usize).fold(0, |block, power| {
        block | (element >> power & 1) << (size as usize - 1 - order.place(size as usize, power))
    })
}

/// The interpreter agrees with a multiplication on random blocks.
fn agrees(program: &Program, product: &Product, seed: u64) {
    let mut random = Random::new(seed);
    let Product { polynomial, order, factor } = *product;
    let size = polynomial.degree;
    for _ in 0..10 {
        let [x, y] = [(); 2].map(|()| random.wide() >> (128 - size));
        let both = polynomial.multiply(element(order, size, x), element(order, size, y));
        let expected = block(order, size, polynomial.multiply(both, factor));
        assert_eq!(interpreted(program, &[x, y], size), expected, "{product}");
    }
}

#[test]
fn multiplication_of_gcm_is_recognised() {
    let program = node(GF128, "Multiply", Atoms::Bits);
    let found = product(&program, program.entry()).expect("it is multiplication");
    assert_eq!(found, Product { polynomial: Polynomial::GCM, order: CoefficientOrder::First, factor: 1 });
    assert_eq!(
        found.to_string(),
        "multiplication in GF(2^128) modulo x^128+x^7+x^2+x+1, first bit = coefficient of 1"
    );
    agrees(&program, &found, 1);
    // From the other end it is multiplication modulo the reciprocal polynomial.
    let readings = products(&program, program.entry()).expect("it is bilinear");
    let orders: Vec<CoefficientOrder> = readings.iter().map(|reading| reading.order).collect();
    assert_eq!(orders, [CoefficientOrder::First, CoefficientOrder::Last]);
    assert_eq!(readings[1].polynomial, Polynomial::POLYVAL);
    readings.iter().for_each(|reading| agrees(&program, reading, 2));
}

/// The same text, in words and with bytes around it: one step of GHASH.
#[test]
fn multiplication_is_recognised_in_words() {
    let text = "include \"modes/gf128.ua\"
        node Bytewise (X, Y:u8[16]) returns (P:u8[16]) let P = Bytes(Multiply(Bits(X), Bits(Y))) tel";
    let loaded = usuba_lang::load::load(
        "test.ua",
        &[],
        &support::Repository { changed: Some(("test.ua", text.into())) },
    );
    for atoms in [Atoms::Words, Atoms::Bits] {
        let options = Options { entry: Some("Bytewise".into()), atoms, ..Options::new() };
        let (program, findings) = usuba_lang::elaborate::elaborate(&loaded.program, &options);
        let program = program.unwrap_or_else(|| panic!("{findings:?}"));
        let found = product(&program, program.entry()).expect("it is multiplication");
        assert_eq!(found, Product { polynomial: Polynomial::GCM, order: CoefficientOrder::First, factor: 1 });
        agrees(&program, &found, 3);
    }
}

/// RFC 8452, section 3: dot(a, b) = a · b · x^-128, of one block.
#[test]
fn polyval_is_multiplication_with_a_factor() {
    for atoms in [Atoms::Words, Atoms::Bits] {
        let options = Options { atoms, nats: vec![("m".into(), 1)], ..Options::new() };
        let program = node_with("modes/gcm-siv.ua", "POLYVAL", options);
        let found = product(&program, program.entry()).expect("it is multiplication");
        assert_eq!((found.polynomial, found.order), (Polynomial::POLYVAL, CoefficientOrder::Little));
        assert_eq!(found.polynomial.exponent(found.factor), Some(-128));
        assert_eq!(
            found.to_string(),
            "multiplication in GF(2^128) modulo x^128+x^127+x^126+x^121+1, lowest bit of the first byte = \
             coefficient of 1, times x^-128"
        );
        agrees(&program, &found, 4);
        let readings = products(&program, program.entry()).expect("it is bilinear");
        let reversed = readings.iter().find(|reading| reading.order == CoefficientOrder::Reversed);
        let expected = Product { polynomial: Polynomial::GCM, order: CoefficientOrder::Reversed, factor: 2 };
        assert_eq!(reversed, Some(&expected), "RFC 8452, appendix A: mulX_GHASH");
        readings.iter().for_each(|reading| agrees(&program, reading, 5));
    }
}

fn refused(program: &Program) -> String {
    product(program, program.entry()).expect_err("it is no multiplication").to_string()
}

#[test]
fn what_is_nearly_multiplication_is_refused() {
    const STEP: &str = "Z[i+1][j] = Z[i][j] ^ (V[i][j] & X[i])";
    const REDUCTION: &str = "(V[i][127], V[i][127], V[i][127], 0:b4, V[i][127], 0:b120)";
    const END: &str = "P = Z[128]";
    let none = "it is bilinear, and multiplication modulo no irreducible polynomial";
    for (from, to, reason) in [
        // x0 x1 y0 is zero for all pairs of basis vectors.
        (END, "P = Z[128] ^ (X[0] & X[1] & Y[0], 0:b127)", "what is not linear is multiplied again"),
        (END, "P = Z[128] ^ (X[0] & X[1], 0:b127)", "bits of one input are multiplied with each other"),
        (END, "P = Z[128] ^ (Y[3] & Y[90], 0:b127)", "bits of one input are multiplied with each other"),
        (END, "P = Z[128] ^ (X[0] & Y[1], 0:b127)", none),
        (END, "P = Z[128] ^ (X[0], 0:b127)", "bit 0 of the result is not bilinear throughout"),
        (END, "P = Z[128] ^ (0:b127, 1:b1)", "bit 127 of the result is not bilinear throughout"),
        (
            END,
            "P = (Z[128][0..126], X[3])",
            "bit 127 of the result is linear in the first input, and does not depend on the second",
        ),
        (END, "P = (Z[128][0..126], 0:b1)", "bit 127 of the result is constant"),
        // A bit of X that is not multiplied.
        (END, "P = Z[127]", none),
        (STEP, "Z[i+1][j] = Z[i][j] ^ (V[i][j] & X[i - i / 127])", none),
        // One bit of the reduction; another polynomial that is reducible.
        (REDUCTION, "(V[i][127], V[i][127], V[i][127], 0:b4, V[i][126], 0:b120)", none),
        (REDUCTION, "(V[i][127], V[i][127], 0:b5, V[i][127], 0:b120)", none),
        // A table, and carries.
        (
            "P = Z[128]",
            "P = Z[128] ^ Bits(Bytes(X) + Bytes(Y))",
            "something may be carried in arithmetic, which is not linear",
        ),
        ("(V[i] >> 1) ^", "(V[i] >> 2) ^", none),
        ("(V[i] >> 1) ^", "(V[i] << 1) ^", none),
    ] {
        let program = changed(GF128, "Multiply", from, to);
        assert_eq!(refused(&program), reason, "{to}");
    }
    // Or is no exclusive or.
    let program = changed(GF128, "Multiply", STEP, "Z[i+1][j] = Z[i][j] | (V[i][j] & X[i])");
    assert!(product(&program, program.entry()).is_err());
}

#[test]
fn other_multiplications_are_what_they_are() {
    const REDUCTION: &str = "(V[i][127], V[i][127], V[i][127], 0:b4, V[i][127], 0:b120)";
    // x^128 + x^127 + x^126 + x^121 + 1 is irreducible too.
    let reduction = "(V[i][127], 0:b120, V[i][127], 0:b4, V[i][127], V[i][127])";
    let program = changed(GF128, "Multiply", REDUCTION, reduction);
    let found = product(&program, program.entry()).expect("it is multiplication");
    assert_eq!(found, Product { polynomial: Polynomial::POLYVAL, order: CoefficientOrder::First, factor: 1 });
    agrees(&program, &found, 6);
    // From the other end of X it is not commutative and no multiplication.
    let program = changed(GF128, "Multiply", "(V[i][j] & X[i])", "(V[i][j] & X[127-i])");
    assert!(refused(&program).starts_with("it is bilinear"));
    // What is added twice, or is masked away, is not there.
    let program = changed(GF128, "Multiply", "P = Z[128]", "P = Z[128] ^ (X & ~X) ^ ((X & Y) & (~X & Y))");
    assert_eq!(product(&program, program.entry()).expect("multiplication").factor, 1);
    // A fixed factor.
    let program = changed(
        GF128,
        "Multiply",
        "V[0] = Y",
        "V[0] = (Y >> 1) ^ (Y[127], Y[127], Y[127], 0:b4, Y[127], 0:b120)",
    );
    let found = product(&program, program.entry()).expect("multiplication");
    assert_eq!(found, Product { polynomial: Polynomial::GCM, order: CoefficientOrder::First, factor: 2 });
}

/// Multiplication in the field of AES: a number, whose last bit is the coefficient of 1. Two ways to compute it.
#[test]
fn small_fields_and_other_algorithms() {
    let horner =
        "node TimesX (a:b8) returns (b:b8) let b = (a << 1) ^ (0:b3, a[0], a[0], 0:b1, a[0], a[0]) tel
        node Multiply (x, y:b8) returns (p:b8) vars z:b8[9], t:b8[8] let
            z[0] = 0;
            forall i in [0,7] {
                t[i] = TimesX(z[i]);
                forall j in [0,7] { z[i+1][j] = t[i][j] ^ (y[j] & x[i]) }
            }
            p = z[8]
        tel";
    // Karatsuba's sums are multiplied as they stand: (a + b)(c + d) = ac + ad + bc + bd.
    let squares = "node Multiply (x, y:b2) returns (p:b2) vars high, low, middle:b1 let
            high = x[0] & y[0]; low = x[1] & y[1]; middle = (x[0] ^ x[1]) & (y[0] ^ y[1]);
            p = (middle ^ low, low ^ high)
        tel";
    for (text, name) in [(horner, "x^8+x^4+x^3+x+1"), (squares, "x^2+x+1")] {
        let program = node_of(text, "Multiply");
        let found = product(&program, program.entry()).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(
            (found.polynomial.to_string().as_str(), found.order, found.factor),
            (name, CoefficientOrder::Last, 1)
        );
        agrees(&program, &found, 7);
    }
}

#[test]
fn bits_have_classes() {
    let text = "node f (x, y:b2) returns (z:b6) let
        z = (x[0] ^ x[1], y[1], 1:b1, x[0] & (y[0] ^ y[1]), (x[0] ^ 1) & y[0], ~(x[0] & y[0]))
    tel";
    let program = node_of(text, "f");
    let bits = bilinear(&program, program.entry()).expect("each bit has a class");
    let classes: Vec<BitClass> = bits.iter().map(|bit| bit.class()).collect();
    let expected = [
        BitClass::Left,
        BitClass::Right,
        BitClass::Constant,
        BitClass::Bilinear,
        BitClass::Mixed,
        BitClass::Mixed,
    ];
    assert_eq!(classes, expected);
    assert_eq!(bits[3].pairs.row(0).ones().collect::<Vec<_>>(), [0, 1]);
    assert!(bits[3].pairs.row(1).is_zero());
    assert_eq!(bits[4].right.ones().collect::<Vec<_>>(), [0]);
}

#[test]
fn powers_of_x_are_recognised() {
    let gcm = |order, exponent| Some(PowerOfX { polynomial: Polynomial::GCM, order, exponent });
    let of = |program: &Program| power_of_x(&linear(program, program.entry()).expect("it is linear"));
    for atoms in [Atoms::Words, Atoms::Bits] {
        assert_eq!(of(&node(GF128, "TimesX", atoms)), gcm(CoefficientOrder::First, 1));
        assert_eq!(of(&node("modes/xts.ua", "NextTweak", atoms)), gcm(CoefficientOrder::Little, 1));
        let double =
            |b| node_with(GF128, "Double", Options { atoms, nats: vec![("b".into(), b)], ..Options::new() });
        assert_eq!(of(&double(16)), gcm(CoefficientOrder::Last, 1));
        let found = of(&double(8)).expect("multiplication by x");
        assert_eq!(
            found.to_string(),
            "multiplication by x in GF(2^64) modulo x^64+x^4+x^3+x+1, last bit = coefficient of 1"
        );
    }
    let reduced = "(Y[127], Y[127], Y[127], 0:b4, Y[127], 0:b120)";
    // Three steps, a step back, and what is wrong in a bit.
    let text = support::read(GF128)
        + "
        node Three (Y:b128) returns (P:b128) let P = TimesX(TimesX(TimesX(Y))) tel
        node Back (Y:b128) returns (P:b128) let
            P = (Y << 1) ^ (Y[0], Y[0], 0:b4, Y[0], 0:b120, Y[0])
        tel
        node Same (Y:b128) returns (P:b128) let P = Y tel
        node Other (Y:b128) returns (P:b128) let P = ~TimesX(Y) tel";
    assert_eq!(of(&node_of(&text, "Three")), gcm(CoefficientOrder::First, 3));
    // 1/x is x from the other end, modulo the reciprocal polynomial.
    let back = of(&node_of(&text, "Back")).expect("a power of x");
    assert_eq!(
        back,
        PowerOfX { polynomial: Polynomial::POLYVAL, order: CoefficientOrder::Last, exponent: 1 }
    );
    assert_eq!(of(&node_of(&text, "Same")), None);
    let other = node_of(&text, "Other");
    let why = linear(&other, other.entry()).expect_err("it is affine");
    assert_eq!(why.to_string(), "a constant is added, so that it is affine only");
    for wrong in [
        "(Y[127], Y[127], Y[126], 0:b4, Y[127], 0:b120)",
        "(Y[127], Y[127], 0:b5, Y[127], 0:b120)",
        "(Y[127], Y[127], Y[127], 0:b4, Y[127], 0:b119, Y[0])",
        // The modulus is right, and the image of x^60 is not.
        "(Y[127], Y[127], Y[127], 0:b4, Y[127], 0:b119, Y[60])",
    ] {
        assert_eq!(of(&changed(GF128, "TimesX", reduced, wrong)), None, "{wrong}");
    }
}

#[test]
fn fallbacks_are_what_they_are_registered_for() {
    for fallback in FALLBACKS {
        assert_eq!(support::read(fallback.file), fallback.text);
        for atoms in [Atoms::Words, Atoms::Bits] {
            let program = node(fallback.file, fallback.node, atoms);
            let found = product(&program, program.entry());
            assert_eq!(found, Ok(fallback.product), "{}", fallback.node);
            agrees(&program, &fallback.product, 9);
            let entry = program.instance(program.entry());
            assert_eq!(entry.variable(entry.inputs[0]).word, fallback.word);
        }
    }
}

/// Products of integers: what is carried has to be masked away, and nothing else may be.
#[test]
fn a_wrong_fallback_is_refused() {
    const FILE: &str = "modes/gf128-products.ua";
    let none = "it is bilinear, and multiplication modulo no irreducible polynomial";
    let carried = "something may be carried in arithmetic, which is not linear";
    for (node, from, to, reason) in [
        ("MultiplyWords", "(a[3] * b[(i+1)%4])) & mask[i]", "(a[3] * b[(i+1)%4]))", carried),
        ("MultiplyWords", "(a[3] * b[(i+1)%4])", "(a[3] * b[(i+2)%4])", carried),
        ("MultiplyWords", "0x4444444444444444", "0x4444444444444446", carried),
        ("MultiplyWords", "0x8888888888888888", "0x0888888888888888", none),
        ("MultiplyWords", "x & mask[i]", "x + mask[i]", "what is not linear is multiplied again"),
        ("MultiplyWords", "(w1 << 57)", "(w1 << 56)", none),
        ("MultiplyWords", "ReverseBits(LowProduct(xr, yr)) >> 1", "ReverseBits(LowProduct(xr, yr))", none),
        ("MultiplyBits", "(again[128..133], 0:b122)", "(again[128..132], 0:b123)", none),
        (
            "MultiplyBits",
            "y[0..15] ^ y[16..31]",
            "y[0..15] | y[16..31]",
            "what is not linear is multiplied again",
        ),
    ] {
        assert_eq!(refused(&changed(FILE, node, from, to)), reason, "{to}");
    }
}

/// What is too large to be looked at is refused in a sentence: deep calls, and matrices that would fill the memory.
#[test]
fn what_is_too_large_is_refused() {
    let chain = |count: usize| {
        let node = |number: usize| {
            let inner = if number == 0 { "x".to_owned() } else { format!("f{}(x)", number - 1) };
            format!("node f{number} (x:b8) returns (y:b8) let y = {inner} << 1 tel\n")
        };
        (0..count).map(node).collect::<String>()
    };
    let of = |text: &str, name: &str| {
        let program = node_of(text, name);
        linear(&program, program.entry()).map(|matrix| matrix.rank()).map_err(|why| why.to_string())
    };
    assert_eq!(of(&chain(200), "f199"), Ok(0));
    let deep = "calls stand more than 200 deep in each other".to_owned();
    assert_eq!(of(&chain(250), "f249"), Err(deep));
    let wide = "node f (x:b20000) returns (y:b20000) let y = x tel";
    assert_eq!(of(wide, "f"), Err("it has more bits than are looked at".to_owned()));
    // Each sum has twice the terms of the one before.
    let dense = "node f (x:b400) returns (y:b400) vars s:b400[401] let
            s[0] = x;
            forall i in [0,399] { s[i+1] = (s[i] << 1) ^ (s[i] & x) }
            y = s[400]
        tel";
    assert_eq!(of(dense, "f"), Err("its sums have more terms than are looked at".to_owned()));
}
