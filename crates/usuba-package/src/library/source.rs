//! The C file of an engine: its driver, and its kernels in C.

use super::Options;
use super::amalgamate::inline;
use crate::OutputFile;
use crate::engine::Engine;
use crate::template::Values;
use usuba_codegen::Kernel;
use usuba_ir::layout::Slicing;
use usuba_target::Target;

/// Instructions of a kernel that may be part of each function that uses it. Eight batches of AES side by side, 115 of them, take 2 %
/// longer for long messages inside.
const MOST_INSIDE: u64 = 100;

/// What stands in the C file of an engine, but for its head and for where it is compiled.
pub fn source(built: &Engine, target: &Target, stem: &str, options: &Options) -> Values {
    // What is included before the code is for this target is not made for it.
    let headers: String = target.headers.iter().map(|header| format!("#include <{header}>\n")).collect();
    let asked = target.requires.iter().filter(|one| one.cpuid().is_some() || one.hwcap().is_some());
    let mut features: Vec<&str> = asked.map(|one| one.attribute()).collect();
    // Two that have one name.
    features.dedup();
    let mut seen = Vec::new();
    let included: Vec<OutputFile> =
        built.files.iter().filter(|file| file.path.ends_with(".h")).cloned().collect();
    let driver = built.files.iter().find(|file| file.path == built.driver);
    let kernels = built.files.iter().filter(|file| file.path.ends_with(".c") && file.path != built.driver);
    let mut files = String::new();
    for file in driver.into_iter().chain(kernels) {
        files += "\n";
        // What stands at the head of a kernel's source stands in its header.
        let text = if file.path == built.driver { &file.contents } else { below_head(&file.contents) };
        files += &inline(text, &included, &mut seen);
    }
    // Assembly has no body here.
    let in_c = built.kernels.iter().filter(|_| !built.files.iter().any(|file| file.path.ends_with(".S")));
    for (_, compiled) in in_c.filter(|(_, compiled)| is_inside(&compiled.kernel, options)) {
        let function = format!("void {}(", compiled.kernel.symbol);
        files = files.replace(&function, &format!("USUBA_INLINE {function}"));
    }
    // A file of C has at least one declaration.
    Values::default()
        .text("headers", headers)
        .when("features", !features.is_empty())
        .text("features", features.join(","))
        .text("bytes", target.register_bits / 8)
        .text("stem", stem)
        .text("files", files)
}

/// Whether a kernel is part of the functions that use it. Of few blocks a call takes as long as what it is around, if they go to
/// memory and back: code of one level keeps it, so that kernels can be measured by themselves.
fn is_inside(kernel: &Kernel, options: &Options) -> bool {
    let instructions: u64 = kernel.report.instructions.values().map(|count| count.standing).sum();
    let is_short = instructions <= MOST_INSIDE;
    is_short && matches!(kernel.shape.slicing, Slicing::Packed(_)) && options.level.is_none()
}

/// A file without the comment at its head.
pub(super) fn below_head(text: &str) -> &str {
    let below = text.strip_prefix("/*\n").and_then(|rest| rest.split_once(" */\n"));
    below.map_or(text, |(_, below)| below)
}
