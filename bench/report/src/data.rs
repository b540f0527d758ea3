//! What was measured: the one file from which the page is made. Cycles are core cycles per byte throughout.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A whole measurement.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Data {
    /// Where and when.
    pub machine: Machine,
    /// Our code, one row a variant, as usual and as tuned.
    pub ours: Vec<Ours>,
    /// Our code with one choice changed at a time, beside rows as usual of the same run.
    #[serde(default)]
    pub varied: Vec<Ours>,
    /// Everyone else's.
    pub peers: Vec<Peer>,
    /// The slowest compilations, slowest first.
    #[serde(default)]
    pub compile: Vec<Compile>,
    /// How many compilations were measured.
    #[serde(default)]
    pub compile_count: u64,
    /// The milliseconds of all of them.
    #[serde(default)]
    pub compile_milliseconds: f64,
    /// The largest memory of the process that compiled everything, in KiB.
    #[serde(default)]
    pub compile_peak_kib: Option<u64>,
    /// The commit of primitives and of peers ([`Peer::full_name`]) that were measured by themselves after the rest.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub again: BTreeMap<String, String>,
    /// What could not be measured, in words.
    #[serde(default)]
    pub missing: Vec<String>,
}

/// The machine and the circumstances.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Machine {
    /// The processor as the system names it.
    pub processor: String,
    /// How many processors the system has.
    pub cores: u32,
    /// The operating system's kernel.
    pub system: String,
    /// C compilers, Rust compiler: name and version.
    pub compilers: Vec<String>,
    /// The commit that was measured.
    pub commit: String,
    /// The day, year first.
    pub date: String,
    /// `quick` or `full`.
    pub mode: String,
    /// The load average (one minute) when it began and when it ended.
    pub load: [f64; 2],
}

/// A variant of ours.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Ours {
    /// The primitive, as manifests name it.
    pub primitive: String,
    /// `b`, `v` or `h`.
    pub slicing: String,
    /// The target.
    pub target: String,
    /// Who compiled it: a C compiler or `asm`.
    pub compiler: String,
    /// All that was chosen, by name.
    #[serde(default)]
    pub choices: BTreeMap<String, String>,
    /// Whether it is what `usubac tune` has chosen.
    #[serde(default)]
    pub tuned: bool,
    /// Blocks at once.
    #[serde(default)]
    pub instances: u32,
    /// Kernel only: registers' layout in, registers' layout out.
    #[serde(default)]
    pub kernel: Option<f64>,
    /// What the ports allow.
    #[serde(default)]
    pub port_bound: Option<f64>,
    /// The core that the bound is about.
    #[serde(default)]
    pub core: String,
    /// Bytes in, bytes out, by mode.
    #[serde(default)]
    pub whole: BTreeMap<String, f64>,
    /// The kernel's machine code.
    #[serde(default)]
    pub code: Option<Code>,
    /// The load average when this row was measured.
    #[serde(default)]
    pub load: Option<f64>,
}

/// Machine code of a kernel.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub struct Code {
    /// All bytes.
    pub bytes: u64,
    /// Bytes of the longest loop.
    #[serde(default)]
    pub loop_bytes: u64,
    /// All instructions.
    #[serde(default)]
    pub instructions: u64,
    /// Loads from the stack.
    #[serde(default)]
    pub stack_loads: u64,
    /// Stores to the stack.
    #[serde(default)]
    pub stack_stores: u64,
}

/// A peer, measured.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Peer {
    /// The library.
    pub name: String,
    /// Its version, read from it.
    pub version: String,
    /// The primitive, as our manifests name it.
    pub primitive: String,
    /// `kernel` (independent states in place), else the mode of a whole path.
    pub mode: String,
    /// The instructions that it may use.
    pub level: String,
    /// `constant time` or `tables`.
    pub method: String,
    /// Of the bytes it makes of the common text; empty for kernels.
    #[serde(default)]
    pub digest: String,
    /// The time.
    #[serde(default)]
    pub cycles: Option<f64>,
    /// The load average when it was measured.
    #[serde(default)]
    pub load: Option<f64>,
    /// Whether the figure is not of this measurement but of another one on the same core.
    #[serde(skip)]
    pub elsewhere: bool,
}

impl Peer {
    /// The library and its version, as the page calls it.
    pub fn full_name(&self) -> String {
        if self.version.is_empty() { self.name.clone() } else { format!("{} {}", self.name, self.version) }
    }
}

/// A compilation, timed.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Compile {
    /// The cipher and the node.
    pub node: String,
    /// `b`, `v` or `h`.
    pub slicing: String,
    /// The target.
    pub target: String,
    /// `c` or `asm`.
    pub backend: String,
    /// Source text to output text, in milliseconds.
    pub milliseconds: f64,
    /// Gates of the circuit in a call.
    #[serde(default)]
    pub gates: u64,
}
