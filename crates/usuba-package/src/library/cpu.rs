//! `usuba_cpu.c`: which targets the machine has, asked once; and which version the library is.

use super::front::own_level;
use super::platforms::alternatives;
use super::{Options, head, values};
use crate::OutputFile;
use crate::template::Values;
use std::fmt::Write;
use usuba_target::machines::GP64;
use usuba_target::{Core, Feature, PLATFORMS, Platform, Target, beside};

/// The name of all cores of a platform that tells none apart.
const ANY_CORE: &str = "any";

/// The header and the source.
pub fn files(options: &Options) -> [OutputFile; 2] {
    let api = values(options).fill(include_str!("templates/api.h"));
    let values =
        values(options).text("names", names(options)).text("detect", detect(options)).text("api", api);
    let file = |extension: &str, summary: &str, template: &str| {
        let path = format!("{}cpu.{extension}", options.prefix);
        let contents = own_level(&(head(&path, summary, options) + &values.fill(template)), options);
        OutputFile { path, contents }
    };
    [
        file(
            "h",
            "which version this is, and which code runs on this machine.",
            include_str!("templates/cpu.h"),
        ),
        file(
            "c",
            "which version this is, and which code runs on this machine.",
            include_str!("templates/cpu.c"),
        ),
    ]
}

/// A text for every platform, and one for all other machines. A library with one level knows no platforms.
fn each(options: &Options, of: impl Fn(&[&'static Target], &[&'static Core]) -> String) -> String {
    if let Some(target) = options.level {
        return of(&[target], &[]);
    }
    let platform = |platform: &Platform| (platform.condition.to_owned(), of(platform.levels, platform.cores));
    alternatives(PLATFORMS.iter().map(platform).chain([(String::new(), of(&[&GP64], &[]))]))
}

/// For C by hand: that it is part of a library, what asks for the level of the machine, and for each level the number of the
/// one from which on there is to be code for it. That is a higher one, or none, if the library is for some targets only.
pub fn levels(options: &Options) -> String {
    let wanted = |target: &Target| {
        options.targets.is_empty() || options.targets.iter().any(|one| one.name == target.name)
    };
    let define = |target: &Target, level: usize| {
        let name = target.name.to_uppercase().replace(['-', '.'], "_");
        Values::default().text("NAME", name).text("level", level).fill(include_str!("templates/level.h"))
    };
    let list = |levels: &[&Target], _: &[&Core]| {
        let mut text = String::new();
        for (level, target) in levels.iter().enumerate().skip(1) {
            if let Some(further) = levels[level..].iter().position(|target| wanted(target)) {
                text += &define(target, level + further);
            }
        }
        text
    };
    // The machine has all that the one level needs.
    let implied = |one: &Target| {
        let has = |target: &&&Target| target.requires.iter().all(|feature| one.requires.contains(feature));
        let levels = PLATFORMS.iter().flat_map(|platform| platform.levels.iter().skip(1).filter(has));
        levels.map(|target| define(target, 0)).collect::<String>()
    };
    let lists = options.level.map_or_else(|| each(options, list), implied);
    Values::default().text("lists", lists).fill(include_str!("templates/levels.h"))
}

fn names(options: &Options) -> String {
    each(options, |levels, cores| {
        let quoted = |name: &str| format!("\"{name}\"");
        let names: Vec<String> = levels.iter().map(|target| quoted(target.name)).collect();
        let mut cores: Vec<String> = cores.iter().map(|core| quoted(core.id)).collect();
        if cores.is_empty() {
            cores.push(quoted(ANY_CORE));
        }
        Values::default()
            .text("names", names.join(", "))
            .text("cores", cores.join(", "))
            .fill(include_str!("templates/names.c"))
    })
}

fn detect(options: &Options) -> String {
    each(options, |levels, cores| {
        let first = |asked: &dyn Fn(Feature) -> bool| {
            levels.iter().skip(1).position(|target| target.requires.iter().any(|&one| asked(one)))
        };
        let values = Values::default().text("best", levels.len() - 1);
        if first(&|one| one.cpuid().is_some()).is_some() {
            let values = values.text("levels", conditions(levels)).text("models", models(cores));
            return values.fill(include_str!("templates/detect_x86.c"));
        }
        if let Some(all) = first(&|one| one.hwcap().is_some()) {
            let values = values.text("levels", hardware(levels)).text("all", all);
            return values.fill(include_str!("templates/detect_aarch64.c"));
        }
        // All machines of the platform have all levels.
        values.fill(include_str!("templates/detect.c"))
    })
}

/// The models of CPUs of x86 that are known, and the number of the core of each.
fn models(cores: &[&Core]) -> String {
    let mut text = String::new();
    for (number, core) in cores.iter().enumerate() {
        for name in core.vendor.names() {
            let letters = name.bytes().take(4).rev();
            let letters = letters.fold(0u32, |letters, letter| letters << 8 | u32::from(letter));
            for (family, model) in core.models {
                let _ = writeln!(text, "    {{ {letters:#010x}, {family}, {model}, {number} }},");
            }
        }
    }
    text
}

/// For each level but the first, what a CPU of x86 has that has it.
fn conditions(levels: &[&Target]) -> String {
    let mut text = String::new();
    for (level, target) in levels.iter().enumerate().skip(1) {
        let mut conditions = Vec::new();
        let mut needed = 0;
        let beside = beside(target).map_or(&[][..], |beside| beside.requires);
        for cpuid in target.requires.iter().chain(beside).filter_map(|feature| feature.cpuid()) {
            let leaf = if cpuid.leaf == 1 { "one" } else { "seven" };
            conditions.push(format!("{leaf}[{}] >> {} & 1", cpuid.register, cpuid.bit));
            needed |= cpuid.state;
        }
        if needed != 0 {
            conditions.push(format!("(state & {needed:#x}) == {needed:#x}"));
        }
        text += &Values::default()
            .text("conditions", conditions.join(") && ("))
            .text("below", level - 1)
            .fill(include_str!("templates/level_x86.c"));
    }
    text
}

/// The same of AArch64, on Linux.
fn hardware(levels: &[&Target]) -> String {
    let mut text = String::new();
    for (level, target) in levels.iter().enumerate().skip(1) {
        let bits = target.requires.iter().filter_map(|feature| feature.hwcap());
        let needed = bits.fold(0u64, |needed, bit| needed | 1 << bit);
        if needed != 0 {
            text += &Values::default()
                .text("needed", format!("{needed:#x}"))
                .text("below", level - 1)
                .fill(include_str!("templates/level_aarch64.c"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{conditions, hardware, levels};
    use crate::library::Options;
    use usuba_target::machines::{AVX2, AVX512_GFNI, AVX512_VAES, GP64, SSSE3};
    use usuba_target::{PLATFORMS, Target};

    fn lines(targets: &[&'static Target]) -> Vec<String> {
        let options = Options {
            prefix: "usuba_",
            command: "",
            primitives: &[],
            targets,
            level: None,
            drop_in: false,
            threads: false,
            choose: &|_, _, _| Vec::new(),
        };
        let text = levels(&options);
        text.lines().filter(|line| line.contains("_AVX")).map(str::to_owned).collect()
    }

    /// Emulators have no Arm without AES, so that what is asked of it is read here.
    #[test]
    fn levels_of_arm_are_asked_of_the_kernel() {
        let platform = PLATFORMS.iter().find(|platform| platform.name == "AArch64").expect("it is there");
        // AES is bit 3 and the product of polynomials bit 4 of AT_HWCAP.
        assert_eq!(hardware(platform.levels), "    if ((has & 0x18) != 0x18)\n        return 1;\n");
    }

    /// AVX2 is CPUID.7.EBX[5]; BMI1 and BMI2, which code beside it uses, are bits 3 and 8.
    #[test]
    fn what_stands_beside_a_level_is_asked_for() {
        let asked = conditions(&[&GP64, &AVX2]);
        for bit in [3, 5, 8] {
            assert!(asked.contains(&format!("seven[1] >> {bit} & 1")), "{asked}");
        }
        assert!(!conditions(&[&GP64, &SSSE3]).contains("seven"), "nothing is beside SSSE3");
    }

    #[test]
    fn levels_of_a_library_for_some_targets() {
        let numbered = |name: &str, number: &str| format!("#define USUBA_LEVEL_{name} {number}u");
        let all = ["AVX2", "AVX_AES", "AVX512", "AVX512_GFNI", "AVX512_VAES"];
        let x86 = PLATFORMS[0].levels;
        assert!(
            ["avx2", "avx-aes", "avx512", "avx512-gfni", "avx512-vaes"]
                .iter()
                .zip(2..)
                .all(|(name, at)| x86[at].name == *name)
        );
        assert_eq!(
            lines(&[]),
            all.iter().zip(["2", "3", "4", "5", "6"]).map(|(a, n)| numbered(a, n)).collect::<Vec<_>>()
        );
        assert_eq!(lines(&[&AVX512_VAES]), all.map(|name| numbered(name, "6")));
        assert_eq!(
            lines(&[&AVX512_GFNI]),
            all[..4].iter().map(|name| numbered(name, "5")).collect::<Vec<_>>()
        );
        assert_eq!(lines(&[&GP64]), Vec::<String>::new());
    }
}
