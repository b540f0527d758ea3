//! One folder of files to drop into a project: for each cipher one header that programs include, the sources, and the headers
//! that only these include, each once.

use super::amalgamate::{included_name, inline};
use super::{Cipher, Options, head, runtime, share};
use crate::OutputFile;
use crate::manifest::{Function, Mode, Primitive};

/// What the names of the runtime and of networks begin with, whatever the prefix of the library is.
const OWN: &str = "usuba_";

/// Puts the headers of primitives and constructions into one for each cipher, and adds the runtime.
pub fn arrange(files: &mut Vec<OutputFile>, headers: &[OutputFile], ciphers: &[Cipher], options: &Options) {
    let stems = share::stems(ciphers, options.prefix);
    let ciphers: Vec<OneHeader> =
        ciphers.iter().map(|&cipher| OneHeader::of(cipher, headers, options)).collect();
    let cpu = format!("{}cpu.h", options.prefix);
    // In the headers of ciphers, and a file of its own for the source that it declares the functions of.
    let mut parts: Vec<OutputFile> = files.iter().filter(|file| file.path == cpu).cloned().collect();
    parts.extend(headers.iter().cloned());
    for file in files.iter_mut().filter(|file| file.path.ends_with(".c") || file.path.ends_with(".h")) {
        file.contents = including(&file.contents, &ciphers);
    }
    share::share(files, &stems, &|path, summary| head(path, summary, options));
    let included = runtime::needed(files, options);
    files.extend(included);
    if options.prefix != OWN {
        renamed(files, options.prefix);
    }
    let there = ciphers.iter().filter(|cipher| !cipher.parts.is_empty());
    files.extend(there.map(|cipher| cipher.file(&parts, options)));
}

/// Gives the headers of the runtime and of networks the prefix of the library: those of another one, which may be of another
/// version, can lie in the same folder.
fn renamed(files: &mut [OutputFile], prefix: &str) {
    let named = |path: &str| path.strip_prefix(OWN).map(|rest| format!("{prefix}{rest}"));
    let own: Vec<(String, String)> = files
        .iter()
        .filter(|file| file.path.ends_with(".h") && !file.path.starts_with(prefix))
        .filter_map(|file| Some((file.path.clone(), named(&file.path)?)))
        .collect();
    let new_name = |path: &str| own.iter().find(|(old, _)| old == path).map(|(_, new)| new);
    for file in files {
        let mut contents = String::with_capacity(file.contents.len());
        for line in file.contents.lines() {
            match included_name(line).and_then(new_name) {
                Some(new) => contents += &format!("#include \"{new}\""),
                None => contents += line,
            }
            contents.push('\n');
        }
        file.contents = contents;
        if let Some(new) = new_name(&file.path) {
            // The first comment of a header names it.
            file.contents = file.contents.replacen(&file.path, new, 1);
            file.path.clone_from(new);
        }
    }
}

/// The header of a cipher, in place of those of its primitives and constructions.
struct OneHeader<'a> {
    cipher: Cipher<'a>,
    path: String,
    parts: Vec<String>,
}

impl<'a> OneHeader<'a> {
    fn of(cipher: Cipher<'a>, headers: &[OutputFile], options: &Options) -> OneHeader<'a> {
        let Cipher { manifest, .. } = cipher;
        let path = |identifier: String| format!("{}{identifier}.h", options.prefix);
        let with_modes = |one: &Primitive| {
            let modes: &[Mode] = match &one.function {
                Function::BlockCipher(cipher) => &cipher.modes,
                _ => &[],
            };
            let of_mode = |mode: &Mode| format!("{}_{}", one.identifier(), mode.name().replace('-', "_"));
            let of_modes = modes.iter().map(of_mode);
            std::iter::once(one.identifier()).chain(of_modes).collect::<Vec<_>>()
        };
        let primitives = manifest.primitives.iter().flat_map(with_modes);
        let parts = primitives
            .chain(manifest.constructions.iter().map(|one| one.identifier()))
            .map(path)
            .filter(|path| headers.iter().any(|header| header.path == *path))
            .collect();
        OneHeader { cipher, path: path(manifest.name.replace('-', "_")), parts }
    }

    /// Every part has a guard of its own: that about the machine is in the headers of all ciphers.
    fn file(&self, parts: &[OutputFile], options: &Options) -> OutputFile {
        let names = [format!("{}cpu.h", options.prefix)];
        let lines: String =
            names.iter().chain(&self.parts).map(|name| format!("#include \"{name}\"\n")).collect();
        let summary = format!("{}: all that programs call.", self.cipher.manifest.title);
        let contents = head(&self.path, &summary, options) + &inline(&lines, parts, &mut Vec::new());
        OutputFile { path: self.path.clone(), contents }
    }
}

/// The text with the header of a cipher, once, in place of those that are parts of it.
fn including(text: &str, ciphers: &[OneHeader]) -> String {
    let (mut result, mut seen) = (String::new(), Vec::new());
    for line in text.lines() {
        let part = |name: &str| ciphers.iter().find(|cipher| cipher.parts.iter().any(|part| part == name));
        match included_name(line).and_then(part) {
            Some(cipher) if seen.contains(&&cipher.path) => {}
            Some(cipher) => {
                seen.push(&cipher.path);
                result += &format!("#include \"{}\"\n", cipher.path);
            }
            None => {
                result += line;
                result.push('\n');
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::renamed;
    use crate::OutputFile;

    #[test]
    fn headers_of_the_runtime_have_the_prefix() {
        let file = |path: &str, contents: &str| OutputFile { path: path.into(), contents: contents.into() };
        let mut files = [
            file("my_a.c", "#include \"my_a.h\"\n#include \"usuba_format.h\"\n#include \"usuba.h\"\n"),
            file("usuba_format.h", "/* usuba_format.h - words. */\n#include <stdint.h>\n"),
            file("my_a.h", "int a;\n"),
        ];
        renamed(&mut files, "my_");
        assert_eq!(
            files[0].contents,
            "#include \"my_a.h\"\n#include \"my_format.h\"\n#include \"usuba.h\"\n"
        );
        assert_eq!(files[1], file("my_format.h", "/* my_format.h - words. */\n#include <stdint.h>\n"));
        assert_eq!(files[2].path, "my_a.h");
    }
}
