//! Questions that the page and its charts ask of the data.

use crate::data::{Data, Ours, Peer};
use std::collections::BTreeSet;

/// Targets of the page, narrowest first: the name, and what it is called in text.
pub const TARGETS: &[(&str, &str)] = &[
    ("gp64", "64-bit registers"),
    ("sse2", "SSE2"),
    ("ssse3", "SSSE3"),
    ("avx2", "AVX2"),
    ("avx2-gfni", "AVX2 and GFNI"),
    ("avx512-128", "AVX-512VL, 128 bits"),
    ("avx512-256", "AVX-512VL, 256 bits"),
    ("avx512", "AVX-512"),
    ("avx512-gfni", "AVX-512 and GFNI"),
];

/// What a target has beside itself: targets whose instructions and registers are among its own.
const WITHIN: &[(&str, &[&str])] = &[
    ("sse2", &["gp64"]),
    ("ssse3", &["sse2"]),
    ("avx2", &["ssse3"]),
    ("avx2-gfni", &["avx2"]),
    ("avx512-128", &["ssse3"]),
    ("avx512-256", &["avx512-128", "avx2"]),
    ("avx512", &["avx512-256"]),
    ("avx512-gfni", &["avx512", "avx2-gfni"]),
];

/// Whether all that a level of a peer uses is in a target.
fn has(target: &str, level: &str) -> bool {
    target == level
        || WITHIN.iter().any(|(name, all)| *name == target && all.iter().any(|one| has(one, level)))
}

/// The ciphers of the page: the primitive that stands for each, its title, the modes of its whole path.
pub const CIPHERS: &[(&str, &str, &[&str])] = &[
    ("aes-128", "AES-128", &["ctr", "ecb"]),
    ("ace", "ACE", &["permute"]),
    ("aria-128", "ARIA-128", &["ctr", "ecb"]),
    ("ascon-p12", "Ascon-p12", &["permute"]),
    ("camellia-128", "Camellia-128", &["ctr", "ecb"]),
    ("chacha20", "ChaCha20", &["xor"]),
    ("clyde-128", "Clyde-128", &["ctr", "ecb"]),
    ("des", "DES", &["ecb", "ctr"]),
    ("gift-128", "GIFT-128", &["ctr", "ecb"]),
    ("gift-128-fixsliced", "GIFT-128, fixsliced", &["ctr", "ecb"]),
    ("gimli", "Gimli", &["permute"]),
    ("keccak-f1600", "Keccak-f[1600]", &["permute"]),
    ("photon-256", "PHOTON-256", &["permute"]),
    ("present-80", "PRESENT-80", &["ctr", "ecb"]),
    ("pyjamask-128", "Pyjamask-128", &["ctr", "ecb"]),
    ("rectangle-80", "RECTANGLE-80", &["ctr", "ecb"]),
    ("serpent-128", "Serpent-128", &["ctr", "ecb"]),
    ("skinny-128-256", "SKINNY-128-256", &["ctr", "ecb"]),
    ("sm4", "SM4", &["ctr", "ecb"]),
    ("spongent-pi-160", "Spongent-π[160]", &["permute"]),
    ("subterranean-8rounds", "Subterranean, 8 rounds", &["permute"]),
    ("xoodoo-12", "Xoodoo[12]", &["permute"]),
];

/// The title of a cipher, or its name if the page has none.
pub fn title(primitive: &str) -> &str {
    CIPHERS.iter().find(|(name, ..)| *name == primitive).map_or(primitive, |(_, title, _)| title)
}

/// The place of a target in [`TARGETS`]; unknown ones come last.
pub fn width(target: &str) -> usize {
    TARGETS.iter().position(|(name, _)| *name == target).unwrap_or(TARGETS.len())
}

/// Our fastest kernel of a primitive on a target, in one slicing or in any.
pub fn kernel<'a>(
    data: &'a Data,
    primitive: &str,
    target: &str,
    slicing: Option<&str>,
) -> Option<(&'a Ours, f64)> {
    data.ours
        .iter()
        .filter(|row| row.primitive == primitive && row.target == target)
        .filter(|row| slicing.is_none_or(|slicing| row.slicing == slicing))
        .filter_map(|row| Some((row, row.kernel?)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Our fastest whole path.
pub fn whole<'a>(data: &'a Data, primitive: &str, target: &str, mode: &str) -> Option<(&'a Ours, f64)> {
    data.ours
        .iter()
        .filter(|row| row.primitive == primitive && row.target == target)
        .filter_map(|row| Some((row, *row.whole.get(mode)?)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
}

/// How much slower counts: two runs of the same code differ by this much.
pub const NOISE: f64 = 1.03;

/// Our fastest code that a processor of a target runs, by a figure of its rows: that of the target, unless code of a target within
/// it takes less. A library chooses that way.
fn fastest<'a>(
    data: &'a Data,
    primitive: &str,
    target: &str,
    figure: impl Fn(&Ours) -> Option<f64>,
) -> Option<(&'a Ours, f64)> {
    let best = |own: bool| {
        data.ours
            .iter()
            .filter(|row| row.primitive == primitive && has(target, &row.target))
            .filter(|row| (row.target == target) == own)
            .filter_map(|row| Some((row, figure(row)?)))
            .min_by(|a, b| a.1.total_cmp(&b.1))
    };
    match (best(true), best(false)) {
        (Some(own), Some(other)) if other.1 * NOISE < own.1 => Some(other),
        // Without code of its own a target has no row.
        (own, _) => own,
    }
}

/// Our fastest kernel that a processor of a target runs.
pub fn kernel_on<'a>(data: &'a Data, primitive: &str, target: &str) -> Option<(&'a Ours, f64)> {
    fastest(data, primitive, target, |row| row.kernel)
}

/// Our fastest whole path that a processor of a target runs.
pub fn whole_on<'a>(data: &'a Data, primitive: &str, target: &str, mode: &str) -> Option<(&'a Ours, f64)> {
    fastest(data, primitive, target, |row| row.whole.get(mode).copied())
}

/// The fastest peer that uses no more than a target has. Constant time only, or any.
pub fn peer<'a>(
    data: &'a Data,
    primitive: &str,
    mode: &str,
    target: &str,
    constant_time: bool,
) -> Option<(&'a Peer, f64)> {
    data.peers
        .iter()
        .filter(|peer| peer.primitive == primitive && peer.mode == mode && has(target, &peer.level))
        .filter(|peer| !constant_time || peer.method == "constant time")
        .filter_map(|peer| Some((peer, peer.cycles?)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Ours beside a peer.
#[derive(Clone, Copy, Debug)]
pub struct Against<'a> {
    /// `kernel`, or the mode of the whole path.
    pub mode: &'a str,
    /// The code of ours.
    pub row: &'a Ours,
    /// Core cycles per byte of ours, by its fastest way.
    pub ours: f64,
    /// The peer.
    pub peer: &'a Peer,
    /// Core cycles per byte of the peer.
    pub theirs: f64,
}

impl Against<'_> {
    /// Ours over theirs.
    pub fn ratio(&self) -> f64 {
        self.ours / self.theirs
    }
}

/// Ours and the best peer that is constant time, on the whole path or kernel beside kernel: the harder of the two for us.
pub fn hardest<'a>(
    data: &'a Data,
    primitive: &str,
    target: &str,
    modes: &'a [&'a str],
) -> Option<Against<'a>> {
    let paths = modes.iter().filter_map(|mode| Some((*mode, whole_on(data, primitive, target, mode)?)));
    let kernels = kernel_on(data, primitive, target).map(|ours| ("kernel", ours));
    let beside = |(mode, (row, ours))| {
        let (peer, theirs) = peer(data, primitive, mode, target, true)?;
        Some(Against { mode, row, ours, peer, theirs })
    };
    paths.chain(kernels).filter_map(beside).max_by(|a, b| a.ratio().total_cmp(&b.ratio()))
}

/// The targets of [`TARGETS`] that have rows.
pub fn targets(data: &Data) -> Vec<&'static str> {
    TARGETS
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| data.ours.iter().any(|row| row.target == *name && row.kernel.is_some()))
        .collect()
}

/// The slicings of a primitive that have rows, in the order of their names.
pub fn slicings<'a>(data: &'a Data, primitive: &str) -> Vec<&'a str> {
    let found: BTreeSet<&str> = data
        .ours
        .iter()
        .filter(|row| row.primitive == primitive && row.kernel.is_some())
        .map(|row| row.slicing.as_str())
        .collect();
    found.into_iter().collect()
}

/// The geometric mean; nothing of nothing.
pub fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    if ratios.is_empty() {
        return None;
    }
    Some((ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp())
}

/// How a row of ours was made: slicing, language or compiler, and what is not as usual.
pub fn way(row: &Ours) -> String {
    let mut text = format!("{}, {}", row.slicing.to_uppercase(), row.compiler);
    for (name, value) in row.choices.iter().filter(|(name, _)| !COLUMNS.contains(&name.as_str())) {
        text.push_str(&format!(", {name} {value}"));
    }
    if row.tuned {
        text.push_str(", tuned");
    }
    text
}

/// Choices that have a field of their own in a row.
pub const COLUMNS: &[&str] = &["slicing", "backend", "compiler"];
