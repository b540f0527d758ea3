//! The status flags, kept as what they come from: most are never looked at.

use super::Why;
use super::value::Lane;
use crate::graph::{Edge, Graph, words};
use iced_x86::ConditionCode;

/// What the flags were set by.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Flags {
    /// Nothing that is known.
    #[default]
    Unknown,
    /// A sum of two words and a carry, or a difference: of the second word complemented, with what was carried.
    Sum {
        /// The first word.
        a: Vec<Edge>,
        /// The second word, complemented for a difference.
        b: Vec<Edge>,
        /// The carry that went in.
        carry: Edge,
        /// Whether it is a difference, whose carry flag is a borrow.
        borrows: bool,
        /// The carry flag if the instruction leaves it alone: as it was, where it was known.
        kept: Option<Result<(Edge, Lane), Why>>,
        /// Whose they are.
        lane: Lane,
    },
    /// A result without a carry.
    Result(Vec<Edge>, Lane),
    /// How two places in one region compare.
    Places(std::cmp::Ordering),
    /// How two numbers compare, of which neither is below zero.
    Numbers(std::cmp::Ordering),
    /// How a sum compares with zero, whose carry flag is not known.
    Sign(std::cmp::Ordering),
    /// How two numbers compare, which depends on how many turns a loop makes.
    Turns,
    /// A result of which only sign and zero are known.
    Shifted(Vec<Edge>, Lane),
    /// A carry flag; of the others nothing is known.
    Carry(Edge, Lane),
    /// Of AArch64: overflow, carry, zero and sign, and whose they are.
    Given([Edge; 4], Lane),
    /// Bits that were not looked at, of more than one instance.
    Mixed,
}

impl Flags {
    /// The carry flag.
    pub fn carry(&self, graph: &mut Graph) -> Result<(Edge, Lane), Why> {
        match self {
            Flags::Sum { kept: Some(kept), .. } => kept.clone(),
            Flags::Sum { a, b, carry, borrows, lane, .. } => {
                let (_, out) = words::add(graph, a, b, *carry);
                Ok((out.complemented_if(*borrows), *lane))
            }
            Flags::Result(_, lane) => Ok((Edge::FALSE, *lane)),
            Flags::Places(order) | Flags::Numbers(order) => Ok((Edge::constant(order.is_lt()), Lane::All)),
            Flags::Carry(edge, lane) => Ok((*edge, *lane)),
            Flags::Shifted(..) => Err(Why::Operand("the carry flag of a shift")),
            Flags::Sign(_) => Err(Why::Operand("the carry flag of a sum of numbers")),
            Flags::Mixed => Err(Why::Lanes),
            Flags::Turns => Err(Why::Turns),
            Flags::Unknown | Flags::Given(..) => Err(Why::Operand("flags that nothing has set")),
        }
    }

    /// A condition.
    pub fn condition(&self, graph: &mut Graph, code: ConditionCode) -> Result<(Edge, Lane), Why> {
        use ConditionCode as Is;
        if let Flags::Places(order) | Flags::Numbers(order) | Flags::Sign(order) = self {
            let is_signed = matches!(self, Flags::Numbers(_) | Flags::Sign(_));
            let has_carry = !matches!(self, Flags::Sign(_));
            let holds = match code {
                Is::e => order.is_eq(),
                Is::ne => order.is_ne(),
                Is::b if has_carry => order.is_lt(),
                Is::ae if has_carry => order.is_ge(),
                Is::be if has_carry => order.is_le(),
                Is::a if has_carry => order.is_gt(),
                Is::l | Is::s if is_signed => order.is_lt(),
                Is::ge | Is::ns if is_signed => order.is_ge(),
                Is::le if is_signed => order.is_le(),
                Is::g if is_signed => order.is_gt(),
                _ => return Err(Why::Operand("a condition on addresses")),
            };
            return Ok((Edge::constant(holds), Lane::All));
        }
        if let (Flags::Carry(edge, lane), Is::b | Is::ae) = (self, code) {
            return Ok((edge.complemented_if(code == Is::ae), *lane));
        }
        let (result, overflow, lane) = match self {
            Flags::Sum { a, b, carry, lane, .. } => {
                let (sum, _) = words::add(graph, a, b, *carry);
                let (Some(&sign), Some(&x), Some(&y)) = (sum.last(), a.last(), b.last()) else {
                    return Err(Why::Unknown);
                };
                let (p, q) = (graph.xor(sign, x), graph.xor(sign, y));
                let overflow = graph.and(p, q);
                (sum, overflow, *lane)
            }
            Flags::Result(bits, lane) => (bits.clone(), Edge::FALSE, *lane),
            Flags::Shifted(bits, lane) if matches!(code, Is::e | Is::ne | Is::s | Is::ns) => {
                (bits.clone(), Edge::FALSE, *lane)
            }
            Flags::Shifted(..) => return Err(Why::Operand("the overflow flag of a shift")),
            Flags::Mixed => return Err(Why::Lanes),
            Flags::Turns => return Err(Why::Turns),
            Flags::Unknown
            | Flags::Places(_)
            | Flags::Numbers(_)
            | Flags::Sign(_)
            | Flags::Carry(..)
            | Flags::Given(..) => {
                return Err(Why::Operand("flags that nothing has set"));
            }
        };
        let sign = result.last().copied().unwrap_or(Edge::FALSE);
        let any = |graph: &mut Graph| result.iter().fold(Edge::FALSE, |any, &bit| graph.or(any, bit));
        let less = graph.xor(sign, overflow);
        let edge = match code {
            Is::e => !any(graph),
            Is::ne => any(graph),
            Is::s => sign,
            Is::ns => !sign,
            Is::o => overflow,
            Is::no => !overflow,
            Is::l => less,
            Is::ge => !less,
            Is::le | Is::g => {
                let zero = !any(graph);
                graph.or(less, zero).complemented_if(code == Is::g)
            }
            Is::b | Is::ae => {
                let (carry, lane) = self.carry(graph)?;
                return Ok((carry.complemented_if(code == Is::ae), lane));
            }
            Is::be | Is::a => {
                let ((carry, of), zero) = (self.carry(graph)?, !any(graph));
                let either = graph.or(carry, zero).complemented_if(code == Is::a);
                return Ok((either, lane.mixed(of)?));
            }
            _ => return Err(Why::Operand("the parity of a result")),
        };
        Ok((edge, lane))
    }
}
