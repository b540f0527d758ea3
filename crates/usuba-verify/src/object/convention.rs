//! What functions do with registers, so that others can call them.

use super::file::Architecture;

/// A calling convention. Registers go by their numbers.
#[derive(Debug)]
pub struct Convention {
    /// The general-purpose registers of the first arguments.
    pub arguments: &'static [usize],
    /// The general-purpose registers that a callee leaves as they were.
    pub kept: &'static [usize],
    /// The vector registers of which a callee leaves the lower eight bytes as they were.
    pub kept_vectors: &'static [usize],
    /// The stack pointer.
    pub stack_pointer: usize,
    /// Bytes that a call puts on the stack.
    pub pushed: usize,
}

/// System V ABI for x86-64, version 1.0, section 3.2: arguments in rdi, rsi, rdx, rcx, r8, r9; rbx, rbp and r12 to r15 are kept.
static SYSTEM_V: Convention = Convention {
    arguments: &[7, 6, 2, 1, 8, 9],
    kept: &[3, 5, 12, 13, 14, 15],
    kept_vectors: &[],
    stack_pointer: 4,
    pushed: 8,
};

/// Procedure Call Standard for the Arm 64-bit Architecture, release 2024Q3, section 6.1: arguments in x0 to x7; x19 to x29 are kept,
/// and the lower halves of v8 to v15. Register 31 is the stack pointer.
static AAPCS64: Convention = Convention {
    arguments: &[0, 1, 2, 3, 4, 5, 6, 7],
    kept: &[19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29],
    kept_vectors: &[8, 9, 10, 11, 12, 13, 14, 15],
    stack_pointer: 31,
    pushed: 0,
};

impl Convention {
    /// That of objects for an architecture.
    pub fn of(architecture: Architecture) -> &'static Convention {
        match architecture {
            Architecture::X86_64 => &SYSTEM_V,
            Architecture::Aarch64 => &AAPCS64,
        }
    }
}
