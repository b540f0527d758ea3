//! What the measurements are held against: the rows of the published compiler, and what was expected to be reached.

use crate::data::{Data, Ours};
use crate::query::{NOISE, geometric_mean, kernel, slicings, whole};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What was found to limit something, in words, by the core on which it was found; `any` if it has nothing to do with the core.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct Causes(BTreeMap<String, String>);

impl Causes {
    /// What was found on a core.
    pub fn on(&self, core: &str) -> Option<&str> {
        self.0.get(core).or_else(|| self.0.get("any")).map(String::as_str)
    }
}

/// The benchmark table of the published compiler.
#[derive(Debug, Deserialize)]
pub struct Published {
    /// Where the figures come from and how they were made.
    pub source: String,
    /// The core on which it was measured: only there is a ratio one of two programs.
    pub core: String,
    /// The rows.
    pub rows: Vec<PublishedRow>,
}

/// A cipher, slicing and instruction set of the published compiler, at its best flags.
#[derive(Debug, Deserialize)]
pub struct PublishedRow {
    /// The primitive as our manifests name it.
    pub primitive: String,
    /// `b`, `v`, `h`.
    pub slicing: String,
    /// As the compiler names it: `gp64`, `sse`, `avx2`, `avx512`.
    pub arch: String,
    /// The C compiler of the best time.
    pub compiler: String,
    /// The flags of the best time.
    pub flags: String,
    /// The best time.
    pub cycles: f64,
    /// The time on `gp64` when the C compiler may not vectorise, if it was measured.
    pub without_vectors: Option<f64>,
    /// The time with the usual flags.
    pub default: f64,
    /// What was found to make ours slower; printed where it is.
    #[serde(default)]
    pub causes: Causes,
}

/// A row of the published compiler beside ours.
#[derive(Debug)]
pub struct Compared<'a> {
    /// Theirs.
    pub row: &'a PublishedRow,
    /// Their time that is comparable: without vectors on `gp64`.
    pub theirs: f64,
    /// Whether their time on `gp64` is known only with vectors, made by the C compiler: no comparison of like with like.
    pub vectorised: bool,
    /// Ours, in the same slicing.
    pub ours: Option<(&'a Ours, f64)>,
    /// Ours, in any slicing.
    pub any: Option<(&'a Ours, f64)>,
    /// Whether both were measured on one core.
    pub is_alike: bool,
}

impl Compared<'_> {
    /// Ours over theirs, of one core.
    pub fn ratio(&self) -> Option<f64> {
        self.ours.filter(|_| self.is_alike).map(|(_, cycles)| cycles / self.theirs)
    }
}

/// The table, which is data of this crate.
///
/// # Errors
/// The data do not parse.
pub fn published() -> serde_json::Result<Published> {
    serde_json::from_str(include_str!("../data/published.json"))
}

/// Each row of the published compiler with ours beside it. Their `sse` and `avx2` were allowed the instructions of
/// AVX-512VL, so ours are those of 128 (where there is such a target) and 256 bits with them; their `avx512` was allowed VBMI2
/// and GFNI, so the faster of our two targets counts.
pub fn compare<'a>(data: &'a Data, published: &'a Published) -> Vec<Compared<'a>> {
    published
        .rows
        .iter()
        .map(|row| {
            // The first that has code; among targets side by side the faster one.
            let candidates: &[&[&str]] = match row.arch.as_str() {
                "sse" => &[&["avx512-128"], &["avx512-256"]],
                "avx2" => &[&["avx512-256"]],
                "avx512" => &[&["avx512", "avx512-gfni"]],
                _ => &[&["gp64"]],
            };
            // Theirs has one vertical slicing; ours has more, which pack words (`v4`).
            let slicings =
                slicings(data, &row.primitive).into_iter().filter(|ours| ours.starts_with(&row.slicing));
            let ours = candidates.iter().find_map(|targets| {
                let all = targets.iter().flat_map(|target| {
                    let fastest = move |slicing| kernel(data, &row.primitive, target, Some(slicing));
                    slicings.clone().filter_map(fastest)
                });
                all.min_by(|a, b| a.1.total_cmp(&b.1))
            });
            let any = candidates.iter().find_map(|targets| {
                let all = targets.iter().filter_map(|target| kernel(data, &row.primitive, target, None));
                all.min_by(|a, b| a.1.total_cmp(&b.1))
            });
            Compared {
                row,
                theirs: row.without_vectors.unwrap_or(row.cycles),
                vectorised: row.arch == "gp64" && row.without_vectors.is_none(),
                ours,
                any,
                is_alike: ours.is_some_and(|(ours, _)| ours.core == published.core),
            }
        })
        .collect()
}

/// The geometric mean of ours over theirs where like is compared with like.
pub fn mean_ratio(rows: &[Compared<'_>]) -> Option<f64> {
    let ratios: Vec<f64> = rows.iter().filter(|one| !one.vectorised).filter_map(Compared::ratio).collect();
    geometric_mean(&ratios)
}

/// Something that was to be reached.
#[derive(Debug, Deserialize)]
pub struct Expected {
    /// `kernel`, `whole`: cycles; `bound`: kernel over port bound; the others are named in [`measured`].
    pub measure: String,
    /// At most this.
    pub limit: f64,
    /// The primitive, if it is about one.
    pub primitive: Option<String>,
    /// The target, if it is about one.
    pub target: Option<String>,
    /// The slicing, if only one counts.
    pub slicing: Option<String>,
    /// The mode of a whole path.
    pub mode: Option<String>,
    /// What was found to limit it; printed where it is missed.
    #[serde(default)]
    pub causes: Causes,
}

/// All that was to be reached, which is data of this crate.
///
/// # Errors
/// The data do not parse.
pub fn expected() -> serde_json::Result<Vec<Expected>> {
    serde_json::from_str(include_str!("../data/expected.json"))
}

/// The row of ours that an expectation is about.
pub fn row<'a>(data: &'a Data, expected: &Expected) -> Option<&'a Ours> {
    let (primitive, target) = (expected.primitive.as_deref()?, expected.target.as_deref()?);
    match expected.measure.as_str() {
        "whole" => whole(data, primitive, target, expected.mode.as_deref()?).map(|(row, _)| row),
        _ => kernel(data, primitive, target, expected.slicing.as_deref()).map(|(row, _)| row),
    }
}

/// What was measured for an expectation.
pub fn measured(data: &Data, published: &Published, expected: &Expected) -> Option<f64> {
    let (primitive, target) =
        (expected.primitive.as_deref().unwrap_or_default(), expected.target.as_deref().unwrap_or_default());
    let slicing = expected.slicing.as_deref();
    match expected.measure.as_str() {
        "kernel" => kernel(data, primitive, target, slicing).map(|(_, cycles)| cycles),
        "bound" => {
            let (row, cycles) = kernel(data, primitive, target, slicing)?;
            Some(cycles / row.port_bound?)
        }
        "whole" => whole(data, primitive, target, expected.mode.as_deref()?).map(|(_, cycles)| cycles),
        "published-mean" => mean_ratio(&compare(data, published)),
        "published-rows" => {
            let rows = compare(data, published);
            rows.iter().find(|one| one.is_alike)?;
            let slower = rows.iter().filter(|one| !one.vectorised && one.ratio() > Some(1.0)).count();
            (!data.ours.is_empty()).then_some(slower as f64)
        }
        "wider-slower" => (!data.ours.is_empty()).then_some(slower_when_wider(data).len() as f64),
        "compile-seconds" => data.compile.iter().map(|row| row.milliseconds / 1000.0).max_by(f64::total_cmp),
        "compile-megabytes" => data.compile_peak_kib.map(|kib| kib as f64 / 1024.0),
        _ => None,
    }
}

/// A bitsliced cipher that is slower on wider registers: the primitive, both targets, both times.
#[derive(Debug)]
pub struct Slower {
    /// The primitive.
    pub primitive: String,
    /// The narrower target and its time.
    pub narrow: (&'static str, f64),
    /// The wider target and its time.
    pub wide: (&'static str, f64),
}

/// The registers of the targets, narrowest first: among those of one width the fastest counts.
const WIDTHS: &[&[&str]] = &[
    &["gp64"],
    &["sse2", "ssse3", "avx512-128"],
    &["avx2", "avx2-gfni", "avx512-256"],
    &["avx512", "avx512-gfni"],
];

/// Every bitsliced cipher that gets slower from registers of one width to the next.
pub fn slower_when_wider(data: &Data) -> Vec<Slower> {
    let mut found = Vec::new();
    for (primitive, ..) in crate::query::CIPHERS {
        if !slicings(data, primitive).contains(&"b") {
            continue;
        }
        let mut before: Option<(&'static str, f64)> = None;
        for targets in WIDTHS {
            let times = targets.iter().filter_map(|&target| {
                kernel(data, primitive, target, Some("b")).map(|(_, cycles)| (target, cycles))
            });
            let Some((target, cycles)) = times.min_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
            if let Some(narrow) = before.filter(|(_, narrow)| cycles > narrow * NOISE) {
                found.push(Slower { primitive: (*primitive).to_owned(), narrow, wide: (target, cycles) });
            }
            before = Some((target, cycles));
        }
    }
    found
}
