//! `usuba_cpu.c`: which targets the machine has, asked once; and which version the library is.

use super::front::own_level;
use super::{Options, head, values};
use crate::OutputFile;
use usuba_target::machines::GP64;
use usuba_target::{PLATFORMS, Target};

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
fn each(options: &Options, of: impl Fn(&[&'static Target]) -> String) -> String {
    if let Some(target) = options.level {
        return of(&[target]);
    }
    let mut text = String::new();
    for (number, platform) in PLATFORMS.iter().enumerate() {
        text += &format!(
            "#{} {}\n{}",
            if number == 0 { "if" } else { "elif" },
            platform.condition,
            of(platform.levels)
        );
    }
    format!("{text}#else\n{}#endif\n", of(&[&GP64]))
}

/// For C by hand: that it is part of a library, what asks for the level of the machine, and for each level the number of the
/// one from which on there is to be code for it. That is a higher one, or none, if the library is for some targets only.
pub fn levels(options: &Options) -> String {
    let wanted = |target: &Target| {
        options.targets.is_empty() || options.targets.iter().any(|one| one.name == target.name)
    };
    let define = |target: &Target, level: usize| {
        let name = target.name.to_uppercase().replace(['-', '.'], "_");
        format!("#define USUBA_LEVEL_{name} {level}u\n")
    };
    let list = |levels: &[&Target]| {
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
    format!(
        "/* The level of this machine, and what there is code for from which level on. */\n\
         #define USUBA_IN_LIBRARY 1\n#if defined(__GNUC__)\n__attribute__((visibility(\"hidden\")))\n#endif\n\
         unsigned usuba_level(void);\n{lists}\n"
    )
}

fn names(options: &Options) -> String {
    let list = |levels: &[&Target]| {
        let names: Vec<String> = levels.iter().map(|target| format!("\"{}\"", target.name)).collect();
        format!("static const char *const names[] = {{ {} }};\n", names.join(", "))
    };
    format!("/* The levels of a machine; each has what those before it have. */\n{}", each(options, list))
}

fn detect(options: &Options) -> String {
    let ask = |levels: &[&Target]| {
        if levels.iter().skip(1).any(|target| target.requires.iter().any(|one| one.cpuid().is_some())) {
            return x86(levels);
        }
        // All machines of the platform have all levels.
        format!("static unsigned detect(void)\n{{\n    return {};\n}}\n", levels.len() - 1)
    };
    format!("/* The level of this machine. */\n{}", each(options, ask))
}

fn x86(levels: &[&Target]) -> String {
    let mut text = String::from(
        "#include <cpuid.h>\n\n\
         static unsigned detect(void)\n{\n    unsigned one[4] = { 0 }, seven[4] = { 0 }, state = 0, high;\n    \
         __cpuid(1, one[0], one[1], one[2], one[3]);\n    \
         if (__get_cpuid_max(0, NULL) >= 7)\n        __cpuid_count(7, 0, seven[0], seven[1], seven[2], seven[3]);\n    \
         /* Which registers the operating system saves: XGETBV, if there is one. */\n    \
         if (one[2] >> 27 & 1)\n        __asm__ __volatile__(\".byte 0x0f, 0x01, 0xd0\" : \"=a\"(state), \"=d\"(high) : \
         \"c\"(0));\n",
    );
    for (level, target) in levels.iter().enumerate().skip(1) {
        let mut conditions = Vec::new();
        let mut needed = 0;
        for cpuid in target.requires.iter().filter_map(|feature| feature.cpuid()) {
            let leaf = if cpuid.leaf == 1 { "one" } else { "seven" };
            conditions.push(format!("{leaf}[{}] >> {} & 1", cpuid.register, cpuid.bit));
            needed |= cpuid.state;
        }
        if needed != 0 {
            conditions.push(format!("(state & {needed:#x}) == {needed:#x}"));
        }
        text += &format!("    if (!(({})))\n        return {};\n", conditions.join(") && ("), level - 1);
    }
    text + &format!("    return {};\n}}\n", levels.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::levels;
    use crate::library::Options;
    use usuba_target::machines::{AVX512_GFNI, GP64};
    use usuba_target::{PLATFORMS, Target};

    fn lines(targets: &[&'static Target]) -> Vec<String> {
        let options = Options {
            prefix: "usuba_",
            command: "",
            primitives: &[],
            targets,
            level: None,
            amalgamated: false,
            threads: false,
            choose: &|_, _, _| Vec::new(),
        };
        let text = levels(&options);
        text.lines().filter(|line| line.contains("_AVX")).map(str::to_owned).collect()
    }

    #[test]
    fn levels_of_a_library_for_some_targets() {
        let numbered = |name: &str, number: &str| format!("#define USUBA_LEVEL_{name} {number}u");
        let all = ["AVX2", "AVX512", "AVX512_GFNI"];
        let x86 = PLATFORMS[0].levels;
        assert!(["avx2", "avx512", "avx512-gfni"].iter().zip(2..).all(|(name, at)| x86[at].name == *name));
        assert_eq!(
            lines(&[]),
            all.iter().zip(["2", "3", "4"]).map(|(a, n)| numbered(a, n)).collect::<Vec<_>>()
        );
        assert_eq!(lines(&[&AVX512_GFNI]), all.map(|name| numbered(name, "4")));
        assert_eq!(lines(&[&GP64]), Vec::<String>::new());
    }
}
