#![doc = include_str!("../README.md")]
#![no_std]

// The crate's tests read files.
#[cfg(test)]
extern crate std;

#[allow(unused_macros, unused_imports, dead_code, reason = "what is used depends on the features")]
mod authenticated;
#[allow(unused_macros, unused_imports, reason = "as above")]
mod authenticator;
#[allow(unused_macros, unused_imports, dead_code, reason = "as above")]
mod block;
#[allow(unused_macros, unused_imports, dead_code, reason = "as above")]
mod chained;
#[allow(unused_macros, unused_imports, dead_code, reason = "as above")]
mod cmac;
mod error;
#[allow(unused_macros, unused_imports, dead_code, reason = "as above")]
mod generator;
#[allow(unused_macros, unused_imports, dead_code, reason = "as above")]
mod hash;
mod keystream;
mod mode;
#[allow(unused_macros, unused_imports, reason = "as above")]
mod nonce_mac;
#[allow(unused_macros, unused_imports, reason = "as above")]
mod permutation;
pub mod raw;
#[allow(unused_macros, unused_imports, reason = "as above")]
mod stream;
mod target;
#[allow(unused_macros, unused_imports, dead_code, reason = "as above")]
mod tweakable;
#[allow(unused_macros, unused_imports, reason = "as above")]
mod units;

pub use aead;
pub use authenticated::Message;
pub use cipher;
pub use digest;
pub use error::Error;
pub use keystream::{CounterMode, Ctr, CtrCore, Ofb, OfbCore, OutputFeedback};
pub use mode::{AnyLength, ChainedMode, Decryptor, Encryptor};
pub use target::{set_target, target};

include!(concat!(env!("OUT_DIR"), "/primitives.rs"));
