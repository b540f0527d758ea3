//! `usuba_cpu.c`: which targets the machine has, asked once; and which version the library is.

use super::front::own_level;
use super::{Options, head, values};
use crate::OutputFile;
use usuba_target::machines::GP64;
use usuba_target::{PLATFORMS, Platform, Target};

/// The header and the source.
pub fn files(options: &Options) -> [OutputFile; 2] {
    let api = values(options).fill(include_str!("templates/api.h"));
    let values = values(options).text("names", names()).text("detect", detect()).text("api", api);
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

/// A text for every platform, and one for all other machines.
fn each(of: impl Fn(&Platform) -> String) -> String {
    let other = Platform { name: "", condition: "", levels: &[&GP64] };
    let mut text = String::new();
    for (number, platform) in PLATFORMS.iter().enumerate() {
        text +=
            &format!("#{} {}\n{}", if number == 0 { "if" } else { "elif" }, platform.condition, of(platform));
    }
    format!("{text}#else\n{}#endif\n", of(&other))
}

fn names() -> String {
    let list = |platform: &Platform| {
        let names: Vec<String> =
            platform.levels.iter().map(|target| format!("\"{}\"", target.name)).collect();
        format!("static const char *const names[] = {{ {} }};\n", names.join(", "))
    };
    format!("/* The levels of a machine; each has what those before it have. */\n{}", each(list))
}

fn detect() -> String {
    let ask = |platform: &Platform| {
        if platform.levels.iter().any(|target| target.requires.iter().any(|one| one.cpuid().is_some())) {
            return x86(platform.levels);
        }
        // All machines of the platform have all levels.
        format!("static unsigned detect(void)\n{{\n    return {};\n}}\n", platform.levels.len() - 1)
    };
    format!("/* The level of this machine. */\n{}", each(ask))
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
