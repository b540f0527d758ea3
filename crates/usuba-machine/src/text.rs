//! The form of machine programs that prints and parses.
//!
//! ```text
//! target avx512
//!
//! function Mix inline (%0 "x": v512x32, &0 "key": uniform u32[4], &1 "y": output v512x32[8]) {
//!   &2 "t": local v512x32[8]
//!   %1: v512x32 = constant vmovdqa64.32 0x1
//!   loop i0 < 8 carry (%3: v512x32 = %0 next %6) {
//!     %4 "k": v512x32 = load vpbroadcastd.32 &0[i0 + 1]
//!     %5: v512x32 = vprold.32 7 %3
//!     %6: v512x32 = vpternlogq 0x96 %5, %4, %1  // %5 ^ %4 ^ %1
//!     store vmovdqa64 &2[i0], %6
//!   }
//!   copy vmovdqa64 vmovdqa64 &1[0], &2[0] 8
//! }
//! ```
//!
//! - A type is `v512x32`, a vector of 512 bits in lanes of 32 (`v512`: single bits), `g64`, a word in a general-purpose
//!   register, or `count`. An element of a region is a register of a type, or scalars: `u32` of 32 bits,
//!   `u8*16` sixteen of 8 bits. After the element stands how many there are: `[8]`, or `[%2]` and `[4*%2]` of a public count.
//! - An instruction is named by its mnemonic and, after a dot, the bits of its lanes if it has any; if several instructions
//!   of the target are called so, `!` and its meaning follow. Then come the immediate and the operands. The function that an
//!   instruction of three inputs computes is written beside it, as a comment.
//! - A constant is a number for each lane, `lanes` with those of a group, or `bytes` in memory order. Constants come first in a
//!   function, after its regions. `unused` lists the registers and regions that nothing defines.
//! - A public count is a sum, `4*%2 - %3 + 1`, a quotient, `%2 / 64`, what that leaves, `%2 mod 64`, or the smaller one of a
//!   count and a number, `min(%2, 1)`.
//! - `&3 "rest": input u8[%5] = &1 + %4` is a view: the elements of `&1` from the one of the number `%4` on.
//! - A `load` of several places, `&0[8], &0[0]`, has a lane of the register from each, and a `store` to several writes one to
//!   each, lane 0 first.
//! - `part %5` after a load, a store or a copy says that only so many elements are moved, from the first on.
//! - A loop runs a constant number of times, or as often as a register says: `loop i0 < %2`. A carried register has its
//!   first and its next value beside it.
//! - `fill` stores a register to so many places from one on; `copy` names a load and a store, then to where, from where, and
//!   how many.
//! - An argument of a `call` is a register, `read` or `write` and a place, or `result` and a register that the call defines.
//! - After the name of a function may come `inline` or `no_inline`. `//` starts a comment.
//!
//! Parsing what was printed gives the same program, numbers included.

mod meaning;
mod parse;
mod print;

pub use crate::messages::{TextError, TextMessage};
use crate::rows::row_name;
pub use meaning::computed;
use usuba_target::{Instruction, Meaning, Target};

/// What a row stands for in a step. Rows of one kind and name are told apart by their meanings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Compute,
    Constant,
    Load,
    Store,
}

impl Kind {
    fn of(meaning: Meaning) -> Kind {
        match meaning {
            Meaning::Load
            | Meaning::Broadcast
            | Meaning::RepeatMask
            | Meaning::Gather
            | Meaning::LoadPart => Kind::Load,
            meaning if meaning.is_store() => Kind::Store,
            meaning if meaning.is_constant() => Kind::Constant,
            meaning => {
                debug_assert!(meaning.is_computation(), "every meaning is of one kind");
                Kind::Compute
            }
        }
    }

    fn purpose(self) -> &'static str {
        match self {
            Kind::Compute => "computes something of registers",
            Kind::Constant => "makes a constant",
            Kind::Load => "loads",
            Kind::Store => "stores",
        }
    }
}

/// The rows of a target of that kind and name.
fn rows_called<'a>(
    target: &Target,
    kind: Kind,
    name: &'a str,
) -> impl Iterator<Item = &'static Instruction> + use<'a> {
    target.all_instructions().filter(move |row| Kind::of(row.meaning) == kind && row_name(row) == name)
}

/// What a row is written as in a program for a target.
fn written(target: Option<&Target>, row: &Instruction) -> String {
    let name = row_name(row);
    let same = target.is_none_or(|target| {
        rows_called(target, Kind::of(row.meaning), &name)
            .next()
            .is_none_or(|first| first.meaning == row.meaning)
    });
    if same { name } else { format!("{name}!{:?}", row.meaning) }
}
