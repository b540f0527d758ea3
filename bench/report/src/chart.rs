//! The charts of the page.

use crate::data::Data;
use crate::query::{CIPHERS, TARGETS, hardest, kernel, slicings};
use crate::svg::{DotRow, Line, dots, lines, number};

/// A chart: the name of its file, and its text.
#[derive(Debug)]
pub struct Chart {
    /// The file beside the page's data.
    pub file: &'static str,
    /// What it shows, for those who do not see it.
    pub caption: &'static str,
    /// The SVG.
    pub svg: String,
}

/// The targets of the scaling chart.
const SCALE: &[&str] = &["gp64", "sse2", "avx2", "avx512-256", "avx512"];

/// All charts of the page.
pub fn charts(data: &Data) -> Vec<Chart> {
    vec![
        Chart {
            file: "peers-avx512.svg",
            caption: "On AVX-512, Usuba beside the fastest constant-time code, the worst row first",
            svg: peers(data, &[("avx512", ""), ("avx512-gfni", ", GFNI")], "AVX-512"),
        },
        Chart {
            file: "peers-avx2.svg",
            caption: "On AVX2, Usuba beside the fastest constant-time code, the worst row first",
            svg: peers(data, &[("avx2", ""), ("avx2-gfni", ", GFNI")], "AVX2"),
        },
        Chart {
            file: "scaling.svg",
            caption: "Kernels of Usuba on registers of 64 to 512 bits",
            svg: scaling(data),
        },
        Chart { file: "rectangle.svg", caption: "RECTANGLE in the three slicings", svg: rectangle(data) },
    ]
}

/// Ours and the best peer that is constant time, [the harder way](hardest) for us, and the worst row first. The targets are named with what is said behind the name of a cipher on them.
fn peers(data: &Data, targets: &[(&str, &str)], name: &str) -> String {
    let mut rows = Vec::new();
    let everywhere = |cipher| targets.iter().map(move |target| (cipher, target));
    for ((primitive, title, modes), (target, with)) in CIPHERS.iter().flat_map(everywhere) {
        let Some(one) = hardest(data, primitive, target, modes) else { continue };
        let what = match one.mode {
            "xor" => "stream",
            "permute" => "bytes",
            "ctr" => "CTR",
            "ecb" => "ECB",
            other => other,
        };
        let theirs = format!("{} {}", number(one.theirs), one.peer.name);
        let dots = vec![Some((one.ours, number(one.ours))), Some((one.theirs, theirs))];
        rows.push((one.ratio(), DotRow { name: format!("{title}{with}, {what}"), dots }));
    }
    // Those that are furthest behind come first.
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let rows: Vec<DotRow> = rows.into_iter().map(|(_, row)| row).collect();
    dots(
        &format!("{name}: core cycles per byte (less is faster; logarithmic)"),
        "Whole path (bytes in and out, 16 KiB) or kernel, where the peer comes closer; the worst row first. Constant time, no AES instructions.",
        &["Usuba", "fastest peer"],
        &rows,
    )
}

fn short(target: &str) -> &str {
    match target {
        "sse2" => "SSE2",
        "ssse3" => "SSSE3",
        "avx2" => "AVX2",
        "avx512-128" => "AVX-512, 128 bits",
        "avx512-256" => "AVX-512, 256 bits",
        "avx512" => "AVX-512",
        other => other,
    }
}

fn scaling(data: &Data) -> String {
    let scale: Vec<&str> = SCALE
        .iter()
        .copied()
        .filter(|target| {
            CIPHERS.iter().any(|(primitive, ..)| kernel(data, primitive, target, None).is_some())
        })
        .collect();
    let places: Vec<&str> = scale.iter().map(|target| short(target)).collect();
    let all: Vec<Line> = CIPHERS
        .iter()
        .map(|(primitive, title, _)| Line {
            name: (*title).to_owned(),
            values: scale
                .iter()
                .map(|target| kernel(data, primitive, target, None).map(|(_, cycles)| cycles))
                .collect(),
        })
        .filter(|line| line.values.iter().any(Option::is_some))
        .collect();
    lines(
        "Kernels from 64 to 512 bits: core cycles per byte (logarithmic)",
        "The fastest slicing of each cipher on each target.",
        &places,
        &all,
    )
}

fn rectangle(data: &Data) -> String {
    let targets: Vec<&str> = TARGETS
        .iter()
        .map(|(target, _)| *target)
        .filter(|target| kernel(data, "rectangle-80", target, None).is_some())
        .collect();
    let places: Vec<&str> = targets.iter().map(|target| short(target)).collect();
    let all: Vec<Line> = slicings(data, "rectangle-80")
        .into_iter()
        .map(|slicing| Line {
            name: match slicing {
                "b" => "bitsliced",
                "v" => "vertical",
                _ => "horizontal",
            }
            .to_owned(),
            values: targets
                .iter()
                .map(|target| kernel(data, "rectangle-80", target, Some(slicing)).map(|(_, cycles)| cycles))
                .collect(),
        })
        .collect();
    lines(
        "RECTANGLE-80 kernel by slicing: core cycles per byte (logarithmic)",
        "Three layouts of one source text.",
        &places,
        &all,
    )
}
