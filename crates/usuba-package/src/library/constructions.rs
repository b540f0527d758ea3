//! Hashes and AEADs in a library.

use super::{Cipher, Options, cpu, front};
use crate::OutputFile;
use crate::manifest::Construction;

/// Puts the public header of a construction to `headers`, its other files to `files`.
pub fn add(
    construction: &Construction,
    cipher: Cipher,
    files: &mut Vec<OutputFile>,
    headers: &mut Vec<OutputFile>,
    options: &Options,
) {
    let named = |extension: &str| format!("{}{}.{extension}", options.prefix, construction.identifier());
    let includes = construction.text.fast.as_ref().map_or(&[][..], |fast| &fast.includes);
    for file in cipher.constructions {
        let included = |path: &String| file.path == format!("{}{}", options.prefix, base_name(path));
        if file.path == named("h") {
            headers.push(OutputFile { path: file.path.clone(), contents: visible(&file.contents) });
        } else if (file.path == named("c") || includes.iter().any(included))
            && !files.iter().any(|known| known.path == file.path)
        {
            files.push(OutputFile { path: file.path.clone(), contents: in_library(&file.contents, options) });
        }
    }
}

/// A file as part of a library. A source that has code for levels of the machine is told their numbers; outside of a
/// library it has the flags of the compiler to go by.
fn in_library(text: &str, options: &Options) -> String {
    const ASKED: &str = "defined(USUBA_IN_LIBRARY)";
    let levels = if text.contains(ASKED) { cpu::levels(options) } else { String::new() };
    front::own_level(&(levels + text), options)
}

/// The last part of a path.
fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A header whose functions others see even where the flags of the compiler hide everything.
fn visible(text: &str) -> String {
    const PUSH: &str = "#if defined(__GNUC__) && !defined(USUBA_STATIC_LIBRARY)\n#pragma GCC visibility push(default)\n#endif\n";
    const POP: &str =
        "#if defined(__GNUC__) && !defined(USUBA_STATIC_LIBRARY)\n#pragma GCC visibility pop\n#endif\n";
    const OPEN: &str = "#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
    const CLOSE: &str = "#ifdef __cplusplus\n}\n#endif\n";
    text.replacen(OPEN, &format!("{OPEN}{PUSH}"), 1).replacen(CLOSE, &format!("{POP}{CLOSE}"), 1)
}
