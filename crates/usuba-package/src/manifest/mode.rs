//! Modes of operation, by the names that manifests have for them.

use serde::Deserialize;
use std::fmt;

/// Modes of operation of a block cipher.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Every block by itself, in both directions.
    Ecb,
    /// A keystream of encrypted counters: SP 800-38A, the whole block being a big-endian counter.
    Ctr,
    /// Cipher block chaining: SP 800-38A.
    Cbc,
    /// Cipher feedback of whole blocks: SP 800-38A.
    Cfb,
    /// Cipher feedback of bytes: SP 800-38A.
    Cfb8,
    /// Output feedback: SP 800-38A.
    Ofb,
    /// Sectors of a disk: IEEE 1619, SP 800-38E.
    Xts,
    /// An authenticator: SP 800-38B.
    Cmac,
    /// An authenticator with a nonce: SP 800-38D.
    Gmac,
    /// Authenticated encryption: SP 800-38D.
    Gcm,
    /// Authenticated encryption: SP 800-38C.
    Ccm,
    /// Authenticated encryption: GIFT-COFB.
    Cofb,
    /// Authenticated encryption that survives a repeated nonce: RFC 8452.
    GcmSiv,
    /// Authenticated encryption: RFC 7253.
    Ocb3,
}

impl Mode {
    /// All modes.
    pub const ALL: [Mode; 14] = [
        Mode::Ecb,
        Mode::Ctr,
        Mode::Cbc,
        Mode::Cfb,
        Mode::Cfb8,
        Mode::Ofb,
        Mode::Xts,
        Mode::Cmac,
        Mode::Gmac,
        Mode::Gcm,
        Mode::GcmSiv,
        Mode::Ccm,
        Mode::Cofb,
        Mode::Ocb3,
    ];

    /// Whether engines have it; the others are messages over the blocks that engines encrypt.
    pub fn is_of_engines(self) -> bool {
        matches!(self, Mode::Ecb | Mode::Ctr)
    }

    /// The name, as manifests have it.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Ecb => "ecb",
            Mode::Ctr => "ctr",
            Mode::Cbc => "cbc",
            Mode::Cfb => "cfb",
            Mode::Cfb8 => "cfb8",
            Mode::Ofb => "ofb",
            Mode::Xts => "xts",
            Mode::Cmac => "cmac",
            Mode::Gmac => "gmac",
            Mode::Gcm => "gcm",
            Mode::GcmSiv => "gcm-siv",
            Mode::Ccm => "ccm",
            Mode::Cofb => "cofb",
            Mode::Ocb3 => "ocb3",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
