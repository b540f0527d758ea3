//! The files of a library in their folders, with what builds and installs it.

use super::amalgamate::included_name;
use super::{Cipher, Options, drop_in, front, head, runtime, share, values};
use crate::OutputFile;

/// Puts the files where they belong, and adds the headers, the runtime and the build files.
pub fn arrange(files: &mut Vec<OutputFile>, headers: Vec<OutputFile>, ciphers: &[Cipher], options: &Options) {
    files.sort_by(|a, b| a.path.cmp(&b.path));
    if options.drop_in {
        return drop_in::arrange(files, &headers, ciphers, options);
    }
    share::share(files, &share::stems(ciphers, options.prefix), &|path, summary| {
        head(path, summary, options)
    });
    let mut names: Vec<String> = headers.iter().map(|file| file.path.clone()).collect();
    let cpu = format!("{}cpu.h", options.prefix);
    names.push(cpu.clone());
    let public = public_sources(files, &names);
    for file in files.iter_mut() {
        let folder = if file.path == cpu { "include" } else { "src" };
        file.path = format!("{folder}/{}", file.path);
    }
    names.sort();
    // With headers that only this library has, so that a later build knows them.
    let sources: Vec<&str> =
        files.iter().map(|file| file.path.as_str()).filter(|path| path.starts_with("src/")).collect();
    let list = sources.iter().map(|path| format!("    {path}\n")).collect::<String>();
    let name = options.prefix.trim_end_matches('_');
    let titles: Vec<&str> = ciphers.iter().map(|cipher| cipher.manifest.title.as_str()).collect();
    let values = values(options)
        .text("library", name)
        .text("LIBRARY", name.to_uppercase())
        .text("sources", list)
        .text("public_list", public.iter().map(|path| format!("    {path}\n")).collect::<String>())
        .text("public", public.join(" \\\n    "))
        .text("abi", abi_version())
        .text("series", series())
        .when("threads", options.threads)
        .text("openmp", if options.threads { " -fopenmp" } else { "" })
        .text("titles", titles.join(", "))
        .text("includes", names.iter().map(|name| format!("#include \"{name}\"\n")).collect::<String>());
    let all = front::whole_header(&values, options);
    files.extend(
        headers
            .into_iter()
            .chain([all])
            .map(|file| OutputFile { path: format!("include/{}", file.path), ..file }),
    );
    let included = runtime::needed(files, options);
    files.extend(included.map(|file| OutputFile { path: format!("src/{}", file.path), ..file }));
    let map = format!("{name}.map");
    for (path, template) in [
        ("CMakeLists.txt", include_str!("templates/CMakeLists.txt")),
        ("Makefile", include_str!("templates/Makefile")),
        ("package.pc.in", include_str!("templates/package.pc.in")),
        ("config.cmake.in", include_str!("templates/config.cmake.in")),
        ("version.cmake", include_str!("templates/version.cmake")),
        (&map, include_str!("templates/library.map")),
        ("README.md", include_str!("templates/README.md")),
    ] {
        files.push(OutputFile { path: path.into(), contents: values.fill(template) });
    }
}

/// The sources that define public functions: those that include a public header. Engines include none.
fn public_sources(files: &[OutputFile], headers: &[String]) -> Vec<String> {
    let is_public = |file: &&OutputFile| {
        let mut included = file.contents.lines().filter_map(included_name);
        file.path.ends_with(".c") && included.any(|name| headers.iter().any(|header| header == name))
    };
    files.iter().filter(is_public).map(|file| format!("src/{}", file.path)).collect()
}

/// The first two numbers of the version.
fn series() -> String {
    let numbers: Vec<&str> = env!("CARGO_PKG_VERSION").split('.').take(2).collect();
    numbers.join(".")
}

/// The version of the binary interface (docs/stability.md): the first number, or the first two as long as that is 0.
fn abi_version() -> String {
    let series = series();
    match series.split_once('.') {
        Some((major, _)) if major != "0" => major.to_owned(),
        _ => series,
    }
}

/// The sources and headers that the library in a folder has, as its own files list them: `read` gives the text of a file by
/// its path in the folder, if it is there. Empty where there is no library.
pub fn earlier_files(read: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let Some(build) = read("CMakeLists.txt").filter(|text| crate::is_marked(text.as_bytes())) else {
        return Vec::new();
    };
    let is_plain = |name: &str| !name.is_empty() && !name.contains(['/', '\\']);
    let sources = build.lines().skip_while(|line| *line != "set(sources").skip(1);
    let mut files: Vec<String> = sources
        .map_while(|line| line.strip_prefix("    src/"))
        .filter(|name| is_plain(name))
        .map(|name| format!("src/{name}"))
        .collect();
    let name = build.lines().find_map(|line| line.strip_prefix("project(")?.split_whitespace().next());
    let header = name.filter(|name| is_plain(name)).and_then(|name| read(&format!("include/{name}.h")));
    let included = header.iter().flat_map(|text| text.lines());
    let names = included.filter_map(|line| line.strip_prefix("#include \"")?.strip_suffix('"'));
    files.extend(names.filter(|name| is_plain(name)).map(|name| format!("include/{name}")));
    files
}

#[cfg(test)]
mod tests {
    use super::earlier_files;

    const BUILD: &str = "# Generated by usubac 0.0.1. Do not edit.\nproject(my VERSION 0.0.1 LANGUAGES C ASM)\n\
        set(sources\n    src/my_a.c\n    src/my_a_avx2.S\n    src/../mine.c\n)\n    src/after.c\n";
    const HEADER: &str = "#ifndef MY_H\n#include \"my_a.h\"\n#include \"../mine.h\"\n#include <stddef.h>\n";

    fn files(build: &str) -> Vec<String> {
        earlier_files(|path| match path {
            "CMakeLists.txt" => Some(build.to_owned()),
            "include/my.h" => Some(HEADER.to_owned()),
            _ => None,
        })
    }

    #[test]
    fn a_library_lists_its_files() {
        assert_eq!(files(BUILD), ["src/my_a.c", "src/my_a_avx2.S", "include/my_a.h"]);
        assert_eq!(files(&BUILD.replace("Generated by usubac", "Written by hand")), [""; 0]);
        assert_eq!(earlier_files(|_| None), [""; 0]);
    }
}
