//! Multiplication in GF(2^128) by carry-less products and Montgomery's reduction.

use crate::affine::Map;
use crate::place::{BITS, Places};
use usuba_algebra::field::Polynomial;
use usuba_algebra::product::Product;
use usuba_ir::block::BlockOp;
use usuba_ir::builder::NodeBuilder;
use usuba_ir::carryless::Halves;
use usuba_ir::layout::Layout;
use usuba_ir::program::{BinaryOp, ValueId};

/// The polynomial of Montgomery's product: x^128 + x^127 + x^126 + x^121 + 1.
const MODULUS: Polynomial = Polynomial { degree: 128, low: 0xc200_0000_0000_0000_0000_0000_0000_0001 };

/// Its reciprocal, that of GCM.
const RECIPROCAL: Polynomial = Polynomial { degree: 128, low: 0x87 };

/// Whether the coefficient of 1 is the most significant bit of the number that Montgomery's product has.
pub(crate) fn is_reflected(product: &Product) -> bool {
    product.polynomial == RECIPROCAL
}

/// How many times a factor has to go through multiplication by x for Montgomery's product to be the product; `None` if it is
/// modulo another polynomial.
///
/// Montgomery's product of A and B is A B x^-128 modulo x^128 + x^127 + x^126 + x^121 + 1. Of reflected polynomials, modulo the
/// reciprocal, it is the product times x^-1.
pub(crate) fn exponent(product: &Product) -> Option<i32> {
    let exponent = product.polynomial.exponent(product.factor)?;
    match product.polynomial {
        RECIPROCAL => Some(1 - exponent),
        MODULUS => Some(128 + exponent),
        _ => None,
    }
}

/// The coefficients of a factor or a product, so that Montgomery's product of little-endian numbers is what is wanted.
pub fn of_product(product: &Product) -> Places {
    let reflected = is_reflected(product);
    let place = |bit: u32| {
        let power = product.order.place(BITS as usize, bit as usize) as u32;
        let number = if reflected { BITS - 1 - power } else { power };
        number / 8 * 8 + 7 - number % 8
    };
    (0..BITS).map(place).collect()
}

/// What a factor goes through before Montgomery's product of it is the product; `None` if there is nothing of the kind.
pub(crate) fn preparation(product: &Product) -> Option<Map> {
    exponent(product).map(power_of_x)
}

/// The same for the second form of a factor in [`Staggered`]: that times x^-64.
pub(crate) fn second_preparation(product: &Product) -> Option<Map> {
    exponent(product).map(|exponent| power_of_x(exponent - 64))
}

/// Multiplication by a power of x modulo [`MODULUS`], of a little-endian number.
fn power_of_x(exponent: i32) -> Map {
    let place = |number: u32| number / 8 * 8 + 7 - number % 8;
    let mut map = Map::default();
    for bit in 0..BITS {
        let mut image = 1u128 << bit;
        for _ in 0..exponent.unsigned_abs() {
            image = if exponent > 0 { MODULUS.times_x(image) } else { divided_by_x(image) };
        }
        (0..BITS).filter(|to| image >> to & 1 == 1).for_each(|to| map.add(place(to), place(bit)));
    }
    map
}

fn divided_by_x(a: u128) -> u128 {
    let even = if a & 1 == 1 { a ^ MODULUS.low } else { a };
    even >> 1 | (a & 1) << 127
}

/// Montgomery's product of little-endian polynomials: A B x^-128 modulo x^128 + x^127 + x^126 + x^121 + 1, in two steps of x^-64.
pub fn montgomery(node: &mut NodeBuilder, a: ValueId, b: ValueId) -> ValueId {
    let parts = Products::of(node, a, b);
    parts.reduced(node)
}

/// A product of polynomials that is not reduced: its lower and upper half, and what lies across both.
#[derive(Clone, Copy, Debug)]
pub struct Products {
    low: ValueId,
    middle: ValueId,
    high: ValueId,
}

impl Products {
    /// The lower half, what lies across both, and the upper half.
    pub fn of_parts([low, middle, high]: [ValueId; 3]) -> Products {
        Products { low, middle, high }
    }

    /// The same, of this one.
    pub fn parts(self) -> [ValueId; 3] {
        [self.low, self.middle, self.high]
    }

    /// Of two blocks.
    pub fn of(node: &mut NodeBuilder, a: ValueId, b: ValueId) -> Products {
        let half = |node: &mut NodeBuilder, first, second| {
            node.block_of(BlockOp::Product(Halves { first, second }), a, b)
        };
        let (low, high) = (half(node, false, false), half(node, true, true));
        let (one, other) = (half(node, true, false), half(node, false, true));
        Products { low, high, middle: node.binary(BinaryOp::Xor, one, other) }
    }

    /// Of the sums that [`Pair::times`] makes: what lies across both halves is the product of the sums of halves, without the two
    /// others.
    pub fn of_sums(node: &mut NodeBuilder, [low, high, both]: [ValueId; 3]) -> Products {
        let middle = node.binary(BinaryOp::Xor, low, high);
        Products { low, high, middle: node.binary(BinaryOp::Xor, middle, both) }
    }

    /// The sum of two.
    pub fn plus(self, node: &mut NodeBuilder, other: Products) -> Products {
        let mut add = |a, b| node.binary(BinaryOp::Xor, a, b);
        Products {
            low: add(self.low, other.low),
            middle: add(self.middle, other.middle),
            high: add(self.high, other.high),
        }
    }

    /// Montgomery's reduction.
    pub fn reduced(self, node: &mut NodeBuilder) -> ValueId {
        let half = BITS / 2;
        let up: Vec<Option<u32>> = (0..BITS).map(|bit| bit.checked_sub(half)).collect();
        let down: Vec<Option<u32>> =
            (0..BITS).map(|bit| Some(bit + half).filter(|bit| *bit < BITS)).collect();
        let xor = |node: &mut NodeBuilder, a, b| node.binary(BinaryOp::Xor, a, b);
        let low = node.shuffle(self.middle, up);
        let mut low = xor(node, self.low, low);
        let high = node.shuffle(self.middle, down);
        let high = xor(node, self.high, high);
        for _ in 0..2 {
            low = folded(node, low);
        }
        xor(node, high, low)
    }
}

/// A product by a factor that is there in two forms, F and F x^-64: the lower half of a block is multiplied by the second, its upper
/// half by the first, so that both products begin at the same place, and half of a reduction does for the sum. `low` begins at x^0,
/// `high` at x^64.
#[derive(Clone, Copy, Debug)]
pub struct Staggered {
    low: ValueId,
    high: ValueId,
}

impl Staggered {
    /// The part that begins at x^0, and that at x^64.
    pub fn of_parts([low, high]: [ValueId; 2]) -> Staggered {
        Staggered { low, high }
    }

    /// The same, of this one.
    pub fn parts(self) -> [ValueId; 2] {
        [self.low, self.high]
    }

    /// Of a block and the two forms of a factor.
    pub fn of(node: &mut NodeBuilder, a: ValueId, [factor, second]: [ValueId; 2]) -> Staggered {
        let [low, high] = [false, true].map(|upper| {
            let mut by =
                |first, factor| node.block_of(BlockOp::Product(Halves { first, second: upper }), a, factor);
            let (one, other) = (by(false, second), by(true, factor));
            node.binary(BinaryOp::Xor, one, other)
        });
        Staggered { low, high }
    }

    /// The sum of two.
    pub fn plus(self, node: &mut NodeBuilder, other: Staggered) -> Staggered {
        let mut add = |a, b| node.binary(BinaryOp::Xor, a, b);
        Staggered { low: add(self.low, other.low), high: add(self.high, other.high) }
    }

    /// One of the two steps of Montgomery's reduction, by x^-64.
    pub fn reduced(self, node: &mut NodeBuilder) -> ValueId {
        let half = folded(node, self.low);
        node.binary(BinaryOp::Xor, self.high, half)
    }
}

/// The lower half of a polynomial reduced, by x^-64: where what lies above it begins.
fn folded(node: &mut NodeBuilder, low: ValueId) -> ValueId {
    let exchanged: Vec<Option<u32>> = (0..BITS).map(|bit| Some((bit + BITS / 2) % BITS)).collect();
    let factor = u128::from_be_bytes((0xc2u128 << 56).to_le_bytes());
    let factor = node.constant(Layout::BLOCK, factor);
    let product = node.block_of(BlockOp::Product(Halves { first: false, second: false }), low, factor);
    let turned = node.shuffle(low, exchanged);
    node.binary(BinaryOp::Xor, turned, product)
}

/// Two blocks: their lower halves side by side, their upper halves, and the sums of both.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    low: ValueId,
    high: ValueId,
    both: ValueId,
}

impl Pair {
    /// Of two blocks.
    pub fn of(node: &mut NodeBuilder, [a, b]: [ValueId; 2]) -> Pair {
        let [low, high] = [false, true].map(|later| node.block_of(BlockOp::JoinHalves(later), a, b));
        Pair { low, high, both: node.binary(BinaryOp::Xor, low, high) }
    }

    /// The lower halves, the upper halves, and the sums.
    pub fn of_parts([low, high, both]: [ValueId; 3]) -> Pair {
        Pair { low, high, both }
    }

    /// The same, of this one.
    pub fn parts(self) -> [ValueId; 3] {
        [self.low, self.high, self.both]
    }

    /// Adds the products of each block with that of another pair to sums of products of lower halves, of upper halves, and of their
    /// sums.
    pub fn times(self, node: &mut NodeBuilder, other: Pair, sums: Option<[ValueId; 3]>) -> [ValueId; 3] {
        let (own, others) = (self.parts(), other.parts());
        std::array::from_fn(|part| {
            let mut sum = sums.map(|sums| sums[part]);
            for later in [false, true] {
                let halves = Halves { first: later, second: later };
                let product = node.block_of(BlockOp::Product(halves), own[part], others[part]);
                sum = Some(sum.map_or(product, |sum| node.binary(BinaryOp::Xor, sum, product)));
            }
            sum.unwrap_or(own[part])
        })
    }
}
