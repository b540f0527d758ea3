//! What to do where a target has no instruction: a rule a line of [`RULES`], with its law.
//!
//! `L` is the width of a lane; sums and products are modulo 2^L in each lane.

use crate::byte_map::{add_first, invert_round, map_nibbles, map_shifts};
use crate::messages::Reason;
use crate::select::{Rule, Selector};
use usuba_machine::program::RegisterId;
use usuba_target::Meaning::*;

const ANY: &[u32] = &[8, 16, 32, 64];

/// All rules; of those for one meaning the first that leads to instructions is taken.
#[rustfmt::skip]
pub(crate) const RULES: &[Rule] = &[
    Rule { name: "not-xor",       meaning: Not,                  lanes: ANY,   law: "~a = a ^ 1…1",                                        expand: not_xor },
    Rule { name: "andnot-swap",   meaning: AndNot,               lanes: ANY,   law: "a & ~b = notand(b, a)",                               expand: andnot_swap },
    Rule { name: "andnot-not",    meaning: AndNot,               lanes: ANY,   law: "a & ~b = a & (~b)",                                   expand: andnot_not },
    Rule { name: "rotate-bytes",  meaning: RotateLeft,           lanes: ANY,   law: "a <<< 8 k moves each byte of a lane k bytes up",      expand: rotate_bytes },
    Rule { name: "rotate-shifts", meaning: RotateLeft,           lanes: ANY,   law: "a <<< n = (a << n) | (a >> L - n)",                   expand: rotate_shifts },
    Rule { name: "double",        meaning: ShiftLeft,            lanes: &[8],  law: "a << 1 = a + a",                                      expand: double },
    Rule { name: "left-bytes",    meaning: ShiftLeft,            lanes: &[8],  law: "as 16-bit lanes, bits from the byte below cleared",   expand: left_bytes },
    Rule { name: "right-bytes",   meaning: ShiftRight,           lanes: &[8],  law: "as 16-bit lanes, bits from the byte above cleared",   expand: right_bytes },
    Rule { name: "sign-extend",   meaning: ShiftRightArithmetic, lanes: ANY,   law: "a >>! n = ((a >> n) ^ s) - s, s = 2^(L - 1 - n)",     expand: sign_extend },
    Rule { name: "product-8",     meaning: Multiply,             lanes: &[8],  law: "low bytes of two 16-bit products: even, odd lanes",   expand: product_8 },
    Rule { name: "product-32",    meaning: Multiply,             lanes: &[32], law: "low halves of two 64-bit products: even, odd lanes",  expand: product_32 },
    Rule { name: "round",         meaning: AesEncrypt,           lanes: ANY,   law: "mix(substitute(a ^ 0)) ^ key",                        expand: round },
    Rule { name: "round-last",    meaning: AesEncryptLast,       lanes: ANY,   law: "substitute(a ^ 0) ^ key",                             expand: round_last },
    Rule { name: "unround",       meaning: AesDecrypt,           lanes: ANY,   law: "unmix(unsubstitute(a ^ 0)) ^ key",                    expand: unround },
    Rule { name: "unround-last",  meaning: AesDecryptLast,       lanes: ANY,   law: "unsubstitute(a ^ 0) ^ key",                           expand: unround_last },
    Rule { name: "unmix-rounds",  meaning: AesInverseMixColumns, lanes: ANY,   law: "unmix(a) = unround(round-last(a, 0), 0)",             expand: unmix_rounds },
    Rule { name: "carry-less",    meaning: CarrylessProduct,     lanes: ANY,   law: "of both low or both high halves, perhaps exchanged",  expand: carry_less },
    Rule { name: "product-64",    meaning: Multiply,             lanes: &[64], law: "al bl + 2^32 (ah bl + al bh)",                        expand: product_64 },
    Rule { name: "map-shifts",    meaning: MapBytes,             lanes: &[8],  law: "a sum of masked shifts, a diagonal of the matrix each", expand: map_shifts },
    Rule { name: "map-nibbles",   meaning: MapBytes,             lanes: &[8],  law: "map(l ^ 16 h) = map(l) ^ map(16 h) ^ map(0): look-ups", expand: map_nibbles },
    Rule { name: "invert-round",  meaning: MapInverseBytes,      lanes: &[8],  law: "1/a = A'(S(a)) = S'(A(a)); S(a) = unshift(round-last(a, 0))", expand: invert_round },
];

fn not_xor(s: &mut Selector<'_>, lane: u32, of: &[RegisterId], _: u32) -> Result<RegisterId, Reason> {
    let ones = s.ones()?;
    s.compute(Xor, lane, &[of[0], ones], None)
}

fn andnot_swap(s: &mut Selector<'_>, lane: u32, of: &[RegisterId], _: u32) -> Result<RegisterId, Reason> {
    s.compute(NotAnd, lane, &[of[1], of[0]], None)
}

fn andnot_not(s: &mut Selector<'_>, lane: u32, of: &[RegisterId], _: u32) -> Result<RegisterId, Reason> {
    let not = s.compute(Not, lane, &[of[1]], None)?;
    s.compute(And, lane, &[of[0], not], None)
}

fn rotate_bytes(s: &mut Selector<'_>, lane: u32, of: &[RegisterId], n: u32) -> Result<RegisterId, Reason> {
    if !n.is_multiple_of(8) {
        return Err(Reason::Instruction(RotateLeft, lane));
    }
    let (bytes, up) = (lane / 8, n / 8);
    let from = |place: u32| (place - place % bytes + (place % bytes + bytes - up) % bytes) as u8;
    let index: Vec<u8> = (0..16).map(from).collect();
    let index = s.bytes(&index.repeat(s.shape.register_bytes() as usize / 16))?;
    s.compute(ShuffleBytes, 0, &[of[0], index], None)
}

fn rotate_shifts(s: &mut Selector<'_>, lane: u32, of: &[RegisterId], n: u32) -> Result<RegisterId, Reason> {
    let high = s.compute(ShiftLeft, lane, &[of[0]], Some(n))?;
    let low = s.compute(ShiftRight, lane, &[of[0]], Some(lane - n))?;
    s.compute(Or, lane, &[high, low], None)
}

fn double(s: &mut Selector<'_>, lane: u32, of: &[RegisterId], n: u32) -> Result<RegisterId, Reason> {
    if n != 1 {
        return Err(Reason::Instruction(ShiftLeft, lane));
    }
    s.compute(Add, lane, &[of[0], of[0]], None)
}

fn left_bytes(s: &mut Selector<'_>, _: u32, of: &[RegisterId], n: u32) -> Result<RegisterId, Reason> {
    let shifted = s.compute(ShiftLeft, 16, &[of[0]], Some(n))?;
    let mask = s.splat(8, 0xff << n)?;
    s.compute(And, 8, &[shifted, mask], None)
}

fn right_bytes(s: &mut Selector<'_>, _: u32, of: &[RegisterId], n: u32) -> Result<RegisterId, Reason> {
    let shifted = s.compute(ShiftRight, 16, &[of[0]], Some(n))?;
    let mask = s.splat(8, 0xff >> n)?;
    s.compute(And, 8, &[shifted, mask], None)
}

fn sign_extend(s: &mut Selector<'_>, lane: u32, of: &[RegisterId], n: u32) -> Result<RegisterId, Reason> {
    let shifted = s.compute(ShiftRight, lane, &[of[0]], Some(n))?;
    let sign = s.splat(lane, 1 << (lane - 1 - n))?;
    let flipped = s.compute(Xor, lane, &[shifted, sign], None)?;
    s.compute(Subtract, lane, &[flipped, sign], None)
}

fn product_8(s: &mut Selector<'_>, _: u32, of: &[RegisterId], _: u32) -> Result<RegisterId, Reason> {
    let product = s.compute(Multiply, 16, &[of[0], of[1]], None)?;
    let low = s.splat(16, 0xff)?;
    let even = s.compute(And, 16, &[product, low], None)?;
    let a = s.compute(ShiftRight, 16, &[of[0]], Some(8))?;
    let b = s.compute(ShiftRight, 16, &[of[1]], Some(8))?;
    let product = s.compute(Multiply, 16, &[a, b], None)?;
    let odd = s.compute(ShiftLeft, 16, &[product], Some(8))?;
    s.compute(Or, 16, &[even, odd], None)
}

fn product_32(s: &mut Selector<'_>, _: u32, of: &[RegisterId], _: u32) -> Result<RegisterId, Reason> {
    let product = s.compute(MultiplyLowHalves, 64, &[of[0], of[1]], None)?;
    let low = s.splat(64, 0xffff_ffff)?;
    let even = s.compute(And, 64, &[product, low], None)?;
    let a = s.compute(ShiftRight, 64, &[of[0]], Some(32))?;
    let b = s.compute(ShiftRight, 64, &[of[1]], Some(32))?;
    let product = s.compute(MultiplyLowHalves, 64, &[a, b], None)?;
    let odd = s.compute(ShiftLeft, 64, &[product], Some(32))?;
    s.compute(Or, 64, &[even, odd], None)
}

fn product_64(s: &mut Selector<'_>, _: u32, of: &[RegisterId], _: u32) -> Result<RegisterId, Reason> {
    let low = s.compute(MultiplyLowHalves, 64, &[of[0], of[1]], None)?;
    let a = s.compute(ShiftRight, 64, &[of[0]], Some(32))?;
    let b = s.compute(ShiftRight, 64, &[of[1]], Some(32))?;
    let one = s.compute(MultiplyLowHalves, 64, &[a, of[1]], None)?;
    let other = s.compute(MultiplyLowHalves, 64, &[of[0], b], None)?;
    let cross = s.compute(Add, 64, &[one, other], None)?;
    let high = s.compute(ShiftLeft, 64, &[cross], Some(32))?;
    s.compute(Add, 64, &[low, high], None)
}

fn round(s: &mut Selector<'_>, lane: u32, of: &[RegisterId], _: u32) -> Result<RegisterId, Reason> {
    let substituted = add_first(s, lane, AesAddSubstitute, of[0])?;
    let mixed = s.compute(AesMixColumns, lane, &[substituted], None)?;
    s.compute(Xor, lane, &[mixed, of[1]], None)
}

fn round_last(s: &mut Selector<'_>, lane: u32, of: &[RegisterId], _: u32) -> Result<RegisterId, Reason> {
    let substituted = add_first(s, lane, AesAddSubstitute, of[0])?;
    s.compute(Xor, lane, &[substituted, of[1]], None)
}

fn unround(s: &mut Selector<'_>, lane: u32, of: &[RegisterId], _: u32) -> Result<RegisterId, Reason> {
    // Of the inverse of mixing there is a rule that asks for this one.
    if s.target.instruction(AesInverseMixColumns, lane).is_none() {
        return Err(Reason::Instruction(AesDecrypt, lane));
    }
    let substituted = add_first(s, lane, AesAddInverseSubstitute, of[0])?;
    let mixed = s.compute(AesInverseMixColumns, lane, &[substituted], None)?;
    s.compute(Xor, lane, &[mixed, of[1]], None)
}

fn unround_last(s: &mut Selector<'_>, lane: u32, of: &[RegisterId], _: u32) -> Result<RegisterId, Reason> {
    let substituted = add_first(s, lane, AesAddInverseSubstitute, of[0])?;
    s.compute(Xor, lane, &[substituted, of[1]], None)
}

fn unmix_rounds(s: &mut Selector<'_>, lane: u32, of: &[RegisterId], _: u32) -> Result<RegisterId, Reason> {
    let zero = s.zeros()?;
    let substituted = s.compute(AesEncryptLast, lane, &[of[0], zero], None)?;
    s.compute(AesDecrypt, lane, &[substituted, zero], None)
}

fn carry_less(s: &mut Selector<'_>, lane: u32, of: &[RegisterId], n: u32) -> Result<RegisterId, Reason> {
    let (first, second) = (n & 1 != 0, n & 0x10 != 0);
    let meaning = if second { CarrylessHigh } else { CarrylessLow };
    if first == second {
        return s.compute(meaning, lane, of, None);
    }
    let exchange: Vec<u8> = (8..16).chain(0..8).collect();
    let exchange = s.bytes(&exchange.repeat(s.shape.register_bytes() as usize / 16))?;
    let other = s.compute(ShuffleBytes, 0, &[of[0], exchange], None)?;
    s.compute(meaning, lane, &[other, of[1]], None)
}
