//! Cores: which execution ports run what, where it differs from the tables of the targets, and how they run it out of order.
//!
//! No code depends on the core it is made on: orders of instructions are chosen for all of [`for_target`] together. Which of
//! its engines a library uses for how many blocks is chosen for each of [`TOLD_APART`]; what is said beside measurements is about
//! one.
//!
//! Which ports run what follows from `bench/ports.sh`: how many of each instruction start in a cycle, by itself and beside
//! others.

use crate::feature::Feature;
use crate::instruction::{Instruction, Meaning};
use crate::target::Target;

/// Who makes processors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vendor {
    /// Intel.
    Intel,
    /// AMD, and Hygon, whose cores are AMD's.
    Amd,
}

impl Vendor {
    /// How its processors call it (`CPUID`, leaf 0).
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Vendor::Intel => &["GenuineIntel"],
            Vendor::Amd => &["AuthenticAMD", "HygonGenuine"],
        }
    }
}

/// A core, or those alike.
#[derive(Clone, Copy, Debug)]
pub struct Core {
    /// Its name.
    pub name: &'static str,
    /// Its name in files, and where a library is told to choose as on it: `zen-4`.
    pub id: &'static str,
    /// Who makes it.
    pub vendor: Vendor,
    /// Where the numbers come from, and how far to trust them.
    pub source: &'static str,
    /// Families and models, as `/proc/cpuinfo` has them.
    pub models: &'static [(u32, u32)],
    /// Bits of a vector that a port computes in a cycle: it runs wider operations in several, one after the other.
    data_path: u32,
    /// Ports by meaning, for vectors: all that computes. Empty if the tables of the targets are about this core.
    vectors: &'static [(Meaning, u16)],
    /// The same for general-purpose registers.
    general: &'static [(Meaning, u16)],
    /// The least cycles from a vector operation to one that reads its result.
    vector_latency: u32,
    /// Vector instructions with a latency of their own, and the cycles in which they keep a port whatever the width; 0 where that
    /// is as for others.
    own: &'static [(Meaning, u8, u8)],
    /// Cycles beyond the latency for operands of a ternary operation that are not the register that it overwrites.
    other_operands: u32,
    /// How it runs what enters, if that was measured.
    flow: Option<Flow>,
}

/// How a core runs instructions out of order, as far as orders of instructions differ on it.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// Instructions that enter a cycle.
    pub width: u64,
    /// Instructions between entry and retirement.
    pub window: usize,
    /// Where instructions wait for operands and ports.
    pub waiting: Waiting,
    /// Cycles from the entry of a load to its value.
    pub load: u64,
    /// What a load of a value that was stored a moment ago waits for.
    pub forwarding: Forwarding,
    /// Hundredths of a cycle that a load takes beside what this model says, as fitted to measurements of large blocks.
    pub load_beside: u64,
    /// The same of a store.
    pub store_beside: u64,
    /// The same of a store where there are ternary operations.
    pub store_beside_ternary: u64,
}

/// Where instructions that have entered wait for operands and ports.
#[derive(Clone, Copy, Debug)]
pub enum Waiting {
    /// All in one scheduler, loads and stores too; each takes the port that is free first.
    Together {
        /// Instructions that can wait.
        places: usize,
    },
    /// What computes in several schedulers, to which the ports are dealt in turn. An instruction gets its port on entry: any, as
    /// far as measurements tell. Loads and stores wait elsewhere, where there is room.
    Apart {
        /// The schedulers.
        schedulers: usize,
        /// Instructions that can wait in each.
        places: usize,
        /// Instructions that wait, in order, for a place in a scheduler.
        queue: usize,
    },
}

/// What a load of a value that was stored a moment ago waits for.
#[derive(Clone, Copy, Debug)]
pub enum Forwarding {
    /// For the store: it is a load like others.
    FromMemory,
    /// For the value: it has it so many cycles after that could be stored, if the load has entered by then.
    OfTheValue(u64),
}

use Meaning::*;

/// What the tables of the x86 targets are about.
pub const GOLDEN_COVE: Core = Core {
    name: "Golden Cove",
    id: "golden-cove",
    vendor: Vendor::Intel,
    source: "the tables of the targets",
    // Sapphire Rapids, Emerald Rapids, Alder Lake and Raptor Lake (Intel's Software Developer's Manual, volume 4, table 2-1).
    models: &[(6, 143), (6, 207), (6, 151), (6, 154), (6, 183), (6, 186), (6, 191)],
    data_path: 512,
    vectors: &[],
    general: &[],
    own: &[],
    vector_latency: 1,
    other_operands: 0,
    flow: Some(Flow {
        width: 6,
        window: 512,
        waiting: Waiting::Together { places: 97 },
        load: 6,
        forwarding: Forwarding::FromMemory,
        load_beside: 15,
        store_beside: 20,
        store_beside_ternary: 20,
    }),
};

const ALL_FOUR: u16 = 0b1111;
const SHUFFLES: u16 = 0b0011;
const SHIFTS: u16 = 0b0110;
const PRODUCTS: u16 = 0b1001;
const CARRYLESS: u16 = 0b1000;
const ALU: u16 = 0b11_1111;
const ALU_SHIFTS: u16 = 0b00_0111;

/// Zen 5 with 512-bit data paths (EPYC 9005, Ryzen 9000).
pub const ZEN_5: Core = Core {
    name: "Zen 5",
    id: "zen-5",
    vendor: Vendor::Amd,
    source: "Our microbenchmarks, as those of `bench/ports.sh`, on an EPYC of family 26, model 2, 2026-11; numbers of ports \
             are ours",
    models: &[(26, 2), (26, 17), (26, 68)],
    data_path: 512,
    vectors: &[
        (And, ALL_FOUR),
        (Or, ALL_FOUR),
        (Xor, ALL_FOUR),
        (NotAnd, ALL_FOUR),
        (Ternary, ALL_FOUR),
        (Add, ALL_FOUR),
        (Subtract, ALL_FOUR),
        (ShiftLeft, SHIFTS),
        (ShiftRight, SHIFTS),
        (ShiftRightArithmetic, SHIFTS),
        (RotateLeft, SHIFTS),
        (ShuffleBytes, SHUFFLES),
        (ShuffleWords, SHUFFLES),
        (InterleaveLow, SHUFFLES),
        (InterleaveHigh, SHUFFLES),
        // Not measured: as other shuffles.
        (AlignBytes, SHUFFLES),
        (PermuteQuads, SHUFFLES),
        (PermuteGroups, SHUFFLES),
        (MapBytes, SHUFFLES),
        (MapInverseBytes, SHUFFLES),
        (Multiply, PRODUCTS),
        (MultiplyLowHalves, PRODUCTS),
        (AesEncrypt, PRODUCTS),
        (AesEncryptLast, PRODUCTS),
        (AesDecrypt, PRODUCTS),
        (AesDecryptLast, PRODUCTS),
        (AesInverseMixColumns, PRODUCTS),
        (CarrylessProduct, CARRYLESS),
    ],
    general: &[
        (And, ALU),
        (Or, ALU),
        (Xor, ALU),
        (NotAnd, ALU),
        (Not, ALU),
        (Add, ALU),
        (Subtract, ALU),
        (Constant, ALU),
        (ShiftLeft, ALU_SHIFTS),
        (ShiftRight, ALU_SHIFTS),
        (ShiftRightArithmetic, ALU_SHIFTS),
        (RotateLeft, ALU_SHIFTS),
        (Multiply, ALU_SHIFTS),
    ],
    // Chains of each instruction; chains side by side, up to 24; how much fits between two long chains before they no longer
    // run side by side; instructions of 512 bits and copies together; random code. Not measured: how many queue for the
    // schedulers, and that ports are dealt at random, which explains the chains best. Costs beside: fitted to 13 orders each of
    // AES and DES on AVX2 and AVX-512, of SM4, PRESENT and RECTANGLE on AVX-512. Stores and `vpternlog` get in each other's way: eight of these take 2.3
    // cycles, with two stores of 512 bits 6.0, while eight of two operands take 2.1 with the two.
    // Two rounds a cycle and a product in two, at every width; which ports they share with others was not measured, and is as on
    // Zen 4. A product of 512 bits keeps others from starting, as if it were three instructions; that is not here.
    own: &[
        (AesEncrypt, 4, 0),
        (AesEncryptLast, 4, 0),
        (AesDecrypt, 4, 0),
        (AesDecryptLast, 4, 0),
        (AesInverseMixColumns, 4, 0),
        (CarrylessProduct, 5, 2),
    ],
    vector_latency: 2,
    other_operands: 1,
    flow: Some(Flow {
        width: 6,
        window: 448,
        waiting: Waiting::Apart { schedulers: 2, places: 38, queue: 96 },
        load: 7,
        forwarding: Forwarding::OfTheValue(11),
        load_beside: 10,
        store_beside: 25,
        store_beside_ternary: 100,
    }),
};

const ROTATIONS: u16 = PRODUCTS;
const BYTE_SHUFFLES: u16 = 0b1100;
const WORD_SHUFFLES: u16 = 0b1110;
const FOUR_ALU: u16 = 0b1111;
const TWO_ALU: u16 = 0b0011;
const ONE_ALU: u16 = 0b0001;

/// Zen 4 (EPYC 9004, Ryzen 7000).
pub const ZEN_4: Core = Core {
    name: "Zen 4",
    id: "zen-4",
    vendor: Vendor::Amd,
    source: "`bench/ports.sh` and `bench/core.sh` on an EPYC of family 25, model 17, 2026-11; numbers of ports are ours",
    models: &[(25, 17), (25, 24), (25, 97), (25, 116), (25, 117), (25, 120), (25, 160)],
    data_path: 256,
    // Of 512 bits, 1.9 ANDs start in a cycle but 1.6 `vpternlog`; of 256 bits 3.8 and 3.5. That is not what ports explain, so it
    // is not here.
    vectors: &[
        (And, ALL_FOUR),
        (Or, ALL_FOUR),
        (Xor, ALL_FOUR),
        (NotAnd, ALL_FOUR),
        (Ternary, ALL_FOUR),
        (Add, ALL_FOUR),
        (Subtract, ALL_FOUR),
        (ShiftLeft, SHIFTS),
        (ShiftRight, SHIFTS),
        (ShiftRightArithmetic, SHIFTS),
        (RotateLeft, ROTATIONS),
        (ShuffleBytes, BYTE_SHUFFLES),
        (ShuffleWords, WORD_SHUFFLES),
        (InterleaveLow, WORD_SHUFFLES),
        (InterleaveHigh, WORD_SHUFFLES),
        (AlignBytes, BYTE_SHUFFLES),
        (PermuteQuads, BYTE_SHUFFLES),
        (PermuteGroups, BYTE_SHUFFLES),
        (MapBytes, PRODUCTS),
        (MapInverseBytes, PRODUCTS),
        (Multiply, PRODUCTS),
        (MultiplyLowHalves, PRODUCTS),
        (AesEncrypt, PRODUCTS),
        (AesEncryptLast, PRODUCTS),
        (AesDecrypt, PRODUCTS),
        (AesDecryptLast, PRODUCTS),
        (AesInverseMixColumns, PRODUCTS),
        (CarrylessProduct, CARRYLESS),
    ],
    general: &[
        (And, FOUR_ALU),
        (Or, FOUR_ALU),
        (Xor, FOUR_ALU),
        (NotAnd, FOUR_ALU),
        (Not, FOUR_ALU),
        (Add, FOUR_ALU),
        (Subtract, FOUR_ALU),
        (Constant, FOUR_ALU),
        (ShiftLeft, TWO_ALU),
        (ShiftRight, TWO_ALU),
        (ShiftRightArithmetic, TWO_ALU),
        (RotateLeft, TWO_ALU),
        (Multiply, ONE_ALU),
    ],
    // Measured: of up to 256 bits two rounds a cycle, of 512 one, and a product in two cycles at every width. Cycles for a round
    // and another instruction of 512 bits: `vpmuludq` 2.0, `vpshufb` 1.34, `vpslld` 1.20, a product 2.0.
    own: &[
        (AesEncrypt, 4, 0),
        (AesEncryptLast, 4, 0),
        (AesDecrypt, 4, 0),
        (AesDecryptLast, 4, 0),
        (AesInverseMixColumns, 4, 0),
        (CarrylessProduct, 4, 2),
    ],
    vector_latency: 1,
    other_operands: 1,
    flow: None,
};

/// Ports of memory where a core has numbers of its own.
const LOADS: u16 = 0b11 << 8;
const STORE: u16 = 1 << 10;

/// The cores with numbers of their own.
pub const CORES: &[Core] = &[ZEN_5, ZEN_4];

/// The cores that libraries for x86 tell apart: each has its own choice of engines.
pub const TOLD_APART: &[&Core] = &[&GOLDEN_COVE, &ZEN_4, &ZEN_5];

/// A core whose way of running instructions out of order is known, so that orders can be chosen for it.
#[derive(Clone, Copy, Debug)]
pub struct OutOfOrder {
    /// Its ports and latencies.
    pub core: &'static Core,
    /// How it runs what enters.
    pub flow: Flow,
}

/// What the order of a target's instructions is to be good for.
pub fn for_target(target: &Target) -> Vec<OutOfOrder> {
    let x86 = |feature: &Feature| {
        matches!(feature, Feature::Sse2 | Feature::Ssse3 | Feature::Avx | Feature::Avx512F)
    };
    let vectors = !target.single_lane && target.requires.iter().any(x86);
    let others = CORES.iter().filter(|_| vectors);
    let known = |core: &'static Core| core.flow.map(|flow| OutOfOrder { core, flow });
    std::iter::once(&GOLDEN_COVE).chain(others).filter_map(known).collect()
}

impl OutOfOrder {
    /// Hundredths of a cycle that a load and a store take beside what [`Flow`] says.
    pub fn beside(&self, target: &Target) -> (u64, u64) {
        let ternary = target.instruction(Ternary, 0).is_some();
        let store = if ternary { self.flow.store_beside_ternary } else { self.flow.store_beside };
        (self.flow.load_beside, store)
    }
}

impl Core {
    /// The core of an x86 processor, if it is one of [`TOLD_APART`]: the vendor as `CPUID` names it, family and model.
    pub fn of_cpu(vendor: &str, family: u32, model: u32) -> Option<&'static Core> {
        let is_it =
            |core: &Core| core.vendor.names().contains(&vendor) && core.models.contains(&(family, model));
        TOLD_APART.iter().copied().find(|core| is_it(core))
    }

    /// Which of some cores is the likest: of the same vendor before others, of those one that computes as many bits in a cycle,
    /// of those the one with the nearest family. Of equals the first.
    pub fn nearest<'a>(&self, known: impl Iterator<Item = &'a Core>) -> Option<&'a Core> {
        let family = |core: &Core| core.models.iter().map(|model| model.0).max().unwrap_or(0);
        known.min_by_key(|core| {
            let apart = family(core).abs_diff(family(self));
            (core.id != self.id, core.vendor != self.vendor, core.data_path != self.data_path, apart)
        })
    }

    /// The ports that can run an instruction of a target; 0 for what only reads or writes memory, whose ports have numbers of
    /// their own on cores that are not those of the tables.
    pub fn ports(&self, target: &Target, row: &Instruction) -> u16 {
        let own = if target.single_lane { self.general } else { self.vectors };
        if own.is_empty() {
            return row.ports;
        }
        own.iter().find(|(meaning, _)| *meaning == row.meaning).map_or(0, |(_, ports)| *ports)
    }

    /// The ports that load, and the one that stores: stores to different lines of the cache go one a cycle. 0 where not known.
    pub fn memory_ports(&self, target: &Target) -> (u16, u16) {
        if !self.vectors.is_empty() {
            return (LOADS, STORE);
        }
        let ports = |meaning| target.instruction(meaning, 0).map_or(0, |row| row.ports);
        let stores = ports(Store);
        (ports(Load), stores & stores.wrapping_neg())
    }

    /// Cycles from an instruction to one that reads its result.
    pub fn latency(&self, target: &Target, row: &Instruction) -> u64 {
        if target.single_lane {
            return u64::from(row.latency.max(1));
        }
        match self.own(target, row) {
            Some(&(_, latency, _)) => u64::from(latency),
            None => u64::from(u32::from(row.latency).max(self.vector_latency)),
        }
    }

    /// How often an instruction of a target is started at a port, each time for [`Core::cycles_at_port`].
    pub fn starts(&self, target: &Target, row: &Instruction) -> u32 {
        let own = self.own(target, row).map_or(0, |&(_, _, cycles)| u64::from(cycles));
        match own.div_ceil(self.cycles_at_port(target)) {
            0 => u32::from(row.uops.max(1)),
            starts => starts as u32,
        }
    }

    fn own(&self, target: &Target, row: &Instruction) -> Option<&(Meaning, u8, u8)> {
        self.own.iter().find(|(meaning, ..)| !target.single_lane && *meaning == row.meaning)
    }

    /// Cycles beyond [`Core::latency`] from operands other than the first, which the result overwrites.
    pub fn beyond_first(&self, row: &Instruction) -> u64 {
        if row.meaning == Ternary { u64::from(self.other_operands) } else { 0 }
    }

    /// Cycles in which a port starts an instruction of a target.
    pub fn cycles_at_port(&self, target: &Target) -> u64 {
        u64::from(target.register_bits.div_ceil(self.data_path).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machines::{AVX_AES, AVX2_VAES, AVX512_GFNI, AVX512_VAES, GP64};

    /// A core that has numbers has them for everything that computes, so that those of two cores are never mixed.
    #[test]
    fn all_that_computes_has_ports() {
        for core in CORES {
            for (target, own) in [(&AVX512_VAES, core.vectors), (&GP64, core.general)] {
                for row in target.instructions().filter(|row| row.meaning.is_computation()) {
                    let known = own.iter().any(|(meaning, _)| *meaning == row.meaning);
                    assert!(known, "{}: {} of {}", core.name, row.mnemonic, target.name);
                }
            }
        }
    }

    /// As measured: a product keeps its port for two cycles at every width.
    #[test]
    fn products_take_their_port_longer() {
        let on = |core: &Core, target: &Target, meaning| {
            let row = target.instruction(meaning, 0).expect("a row");
            let starts = u64::from(core.starts(target, row));
            (core.latency(target, row), starts * core.cycles_at_port(target))
        };
        assert_eq!(on(&ZEN_5, &AVX512_VAES, CarrylessProduct), (5, 2));
        for target in [&AVX_AES, &AVX2_VAES, &AVX512_VAES] {
            assert_eq!(on(&ZEN_4, target, CarrylessProduct), (4, 2));
        }
        assert_eq!(on(&ZEN_4, &AVX2_VAES, AesEncrypt), (4, 1));
        assert_eq!(on(&ZEN_4, &AVX512_VAES, AesEncrypt), (4, 2));
        assert_eq!(on(&GOLDEN_COVE, &AVX512_VAES, AesEncrypt), (3, 1));
    }

    #[test]
    fn processors_are_told_by_vendor_family_and_model() {
        let id = |vendor, family, model| Core::of_cpu(vendor, family, model).map(|core| core.id);
        assert_eq!(id("AuthenticAMD", 26, 2), Some("zen-5"));
        assert_eq!(id("AuthenticAMD", 25, 17), Some("zen-4"));
        assert_eq!(id("GenuineIntel", 6, 143), Some("golden-cove"));
        assert_eq!(id("GenuineIntel", 25, 17), None);
        assert_eq!(id("AuthenticAMD", 25, 1), None);
        let and = AVX512_GFNI.instruction(And, 0).expect("a row");
        assert_eq!(GOLDEN_COVE.ports(&AVX512_GFNI, and), and.ports);
    }

    /// Of the same vendor first; of another one, with as wide a data path.
    #[test]
    fn the_nearest_core() {
        let nearest = |core: &Core, known: &[&Core]| core.nearest(known.iter().copied()).map(|core| core.id);
        assert_eq!(nearest(&ZEN_4, &[&GOLDEN_COVE, &ZEN_4, &ZEN_5]), Some("zen-4"));
        assert_eq!(nearest(&ZEN_4, &[&GOLDEN_COVE, &ZEN_5]), Some("zen-5"));
        assert_eq!(nearest(&ZEN_5, &[&GOLDEN_COVE, &ZEN_4]), Some("zen-4"));
        assert_eq!(nearest(&GOLDEN_COVE, &[&ZEN_4, &ZEN_5]), Some("zen-5"));
        assert_eq!(nearest(&GOLDEN_COVE, &[&ZEN_4]), Some("zen-4"));
        assert_eq!(nearest(&GOLDEN_COVE, &[]), None);
    }
}
