//! Ciphers that code of modes calls.
//!
//! Code around engines calls a block cipher through pointers to functions. Nothing is known of it but that what it makes of a block
//! depends on the block and the round keys alone ([`crate::graph::functions`]). Code on rounds that makes a key of its own calls a
//! function that makes the round keys, which is taken for what the text says of it.

use super::Why;
use super::kernel::Kept;
use super::machine::{Called, Cipher, Machine, Sizes, Word};
use super::memory::{Address, Cell, Region, RegionId};
use super::value::{self, Byte, Lane};
use crate::graph::Edge;
use crate::graph::functions::Role;
use crate::symbolic::source;
use usuba_lang::typed::{InstanceId, Program};

/// The roles in the order of their pointers in `struct usuba_blocks` (`runtime/usuba_library.h`), behind that to the context.
const ROLES: [Role; 3] = [Role::Encrypt, Role::Decrypt, Role::Schedule];

/// Bytes of a pointer.
const POINTER: usize = 8;

/// A function from the bytes of a key to those of round keys.
pub(super) struct KeySchedule<'a> {
    pub symbol: String,
    pub program: &'a Program,
    /// The node that makes round keys, all of whose words are bytes.
    pub node: InstanceId,
}

impl Called for KeySchedule<'_> {
    fn symbol(&self) -> &str {
        &self.symbol
    }

    fn call(&mut self, machine: &mut Machine<'_>) -> Result<(), Why> {
        let top = machine.top_of_call(0)?;
        let arguments = machine.convention.arguments;
        let (Word::Address(from), Word::Address(to)) =
            (machine.general(arguments[0]), machine.general(arguments[1]))
        else {
            return Err(Why::SecretAddress);
        };
        let node = self.program.instance(self.node);
        let bytes = node.inputs.iter().map(|&id| node.variable(id).atoms() as usize).sum();
        let key = machine.block(from, bytes)?;
        let atoms = key.chunks_exact(8).map(<[Edge]>::to_vec).collect();
        let keys = source::of_node(machine.graph, self.program, self.node, atoms);
        let keys = keys.filter(|keys| keys.iter().all(|atom| atom.len() == 8));
        let keys = keys.ok_or(Why::Operand("round keys that are no bytes"))?.concat();
        machine.store_block(to, &keys)?;
        machine.forget_call(top);
        Ok(())
    }
}

impl Machine<'_> {
    /// A cipher under these round keys: its `struct usuba_blocks`.
    pub(super) fn cipher(&mut self, name: &str, key: &[Edge], sizes: Sizes) -> RegionId {
        let mut opaque = |what: &str| {
            let region = Region::constant(format!("{what} of {name}"), Vec::new(), 1);
            self.memory.add(region)
        };
        let context = opaque("the context");
        let functions = ROLES.map(|role| {
            opaque(match role {
                Role::Encrypt => "the encryption",
                Role::Decrypt => "the decryption",
                Role::Schedule => "the key schedule",
            })
        });
        let pointers = std::iter::once(context).chain(functions).map(|region| Address::new(region, 0));
        let cells =
            pointers.flat_map(|at| (0..POINTER as u8).map(move |part| Cell::Part(at, part))).collect();
        self.ciphers.push(Cipher { context, functions, key: key.to_vec(), sizes });
        self.memory.add(Region::holding(name, cells, POINTER as u64))
    }

    /// Calls what a pointer points to, where `pushed` bytes are on the stack since the call.
    pub(super) fn call_pointer(&mut self, pointer: &Word, pushed: i64) -> Result<(), Why> {
        let unknown = || Why::External("an address in a register or in memory".to_owned());
        let Word::Address(Address { region, offset: 0, .. }) = *pointer else { return Err(unknown()) };
        let place = |cipher: &Cipher| cipher.functions.iter().position(|one| *one == region);
        let (number, role) = (0..)
            .zip(&self.ciphers)
            .find_map(|(number, cipher): (usize, _)| Some((number, ROLES[place(cipher)?])))
            .ok_or_else(unknown)?;
        let top = self.top_of_call(pushed)?;
        let arguments = self.convention.arguments;
        let [context, from, to] = [0, 1, 2].map(|number| self.general(arguments[number]));
        if context != Word::Address(Address::new(self.ciphers[number].context, 0)) {
            return Err(Why::Operand("another context than that of the cipher"));
        }
        let Word::Address(from) = from else { return Err(Why::SecretAddress) };
        let Sizes { block, key } = self.ciphers[number].sizes;
        if role == Role::Schedule {
            let bits = self.block(from, key)?;
            let width = self.ciphers[number].key.len();
            self.ciphers[number].key = self.graph.applied(role, &bits, width);
        } else {
            let (Word::Address(to), Word::Bits(blocks)) = (to, self.general(arguments[3])) else {
                return Err(Why::SecretAddress);
            };
            let blocks = value::known(&blocks).ok_or(Why::SecretAddress)?;
            let bytes = i64::try_from(blocks).ok().and_then(|blocks| blocks.checked_mul(block as i64));
            let bytes = bytes.ok_or(Why::Operand("a number of blocks beyond all memory"))?;
            let meets = from.offset < to.offset + bytes && to.offset < from.offset + bytes;
            if from != to && from.region == to.region && meets {
                return Err(Why::Operand("blocks that overlap, and are not in one place"));
            }
            for number_of_block in 0..blocks as i64 {
                let place = number_of_block * block as i64;
                let mut argument = self.block(from.moved(place), block)?;
                argument.extend(&self.ciphers[number].key);
                let made = self.graph.applied(role, &argument, 8 * block);
                self.store_block(to.moved(place), &made)?;
            }
        }
        self.forget_call(top);
        Ok(())
    }

    /// The stack pointer of a call, where `pushed` bytes are on the stack since.
    fn top_of_call(&mut self, pushed: i64) -> Result<Address, Why> {
        match self.general(self.convention.stack_pointer) {
            Word::Address(top) if (top.offset + pushed).rem_euclid(16) == 0 => Ok(top),
            Word::Address(_) => Err(Why::Convention("the alignment of the stack")),
            _ => Err(Why::SecretAddress),
        }
    }

    /// Forgets what a function may change that is called with this stack pointer.
    fn forget_call(&mut self, top: Address) {
        self.forget(Kept::default());
        self.memory.forget(top.region, top.offset);
    }

    fn store_block(&mut self, at: Address, bits: &[Edge]) -> Result<(), Why> {
        let byte = |bits: &[Edge]| Byte { bits: std::array::from_fn(|bit| bits[bit]), lane: Lane::All };
        let cells: Vec<Cell> = bits.chunks_exact(8).map(|bits| Cell::Bits(byte(bits))).collect();
        self.memory.write(at, &cells)
    }

    /// The bits of so many bytes, from the least significant of the first.
    fn block(&mut self, at: Address, bytes: usize) -> Result<Vec<Edge>, Why> {
        let cells = self.memory.read(self.graph, at, bytes)?;
        Ok(self.bits(&cells)?.iter().flat_map(|byte| byte.bits).collect())
    }
}
