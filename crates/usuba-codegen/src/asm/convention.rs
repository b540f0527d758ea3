//! Calling conventions as data.

use super::machine::Gpr;

/// Who may use which registers, and where arguments are.
pub(crate) struct Convention {
    /// The registers of the first arguments.
    pub(crate) arguments: &'static [Gpr],
    /// Bytes between the return address and the first argument in memory.
    pub(crate) home: i64,
    /// Registers that a function may change, best first; those of arguments are free when these are not used.
    pub(crate) scratch: &'static [Gpr],
    /// Registers that a function must leave as they were.
    pub(crate) preserved: &'static [Gpr],
    /// The first vector register that a function must leave as it was, up to number 15; 16 if it need not.
    pub(crate) preserved_vectors: u8,
}

/// System V, x86-64 psABI 1.0, section 3.2. All vector registers belong to the callee.
///
/// The Microsoft convention would be `rcx rdx r8 r9`, 32 bytes of home, `rdi rsi` among the preserved and
/// `preserved_vectors` 6; the prologue would have to save those.
pub(crate) const SYSTEM_V: Convention = Convention {
    arguments: &[Gpr::RDI, Gpr::RSI, Gpr::RDX, Gpr::RCX, Gpr(8), Gpr(9)],
    home: 0,
    scratch: &[Gpr(10), Gpr(11)],
    preserved: &[Gpr::RBX, Gpr(12), Gpr(13), Gpr(14), Gpr(15), Gpr::RBP],
    preserved_vectors: 16,
};
