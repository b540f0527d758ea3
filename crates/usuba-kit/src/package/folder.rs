//! The files of a library in their folders, with what builds and installs it.

use super::amalgamate::inline;
use super::{Cipher, Options, front, head, values};
use crate::OutputFile;

/// Puts the files where they belong, and adds the headers, the runtime and the build files.
pub fn arrange(files: &mut Vec<OutputFile>, headers: Vec<OutputFile>, ciphers: &[Cipher], options: &Options) {
    files.sort_by(|a, b| a.path.cmp(&b.path));
    if options.amalgamated {
        return drop_in(files, headers, options);
    }
    let mut names: Vec<String> = headers.iter().map(|file| file.path.clone()).collect();
    let cpu = format!("{}cpu.h", options.prefix);
    names.push(cpu.clone());
    for file in files.iter_mut() {
        let folder = if file.path == cpu { "include" } else { "src" };
        file.path = format!("{folder}/{}", file.path);
    }
    names.sort();
    let sources: Vec<&str> = files
        .iter()
        .map(|file| file.path.as_str())
        .filter(|path| path.ends_with(".c") || path.ends_with(".S"))
        .collect();
    let list = sources.iter().map(|path| format!("    {path}\n")).collect::<String>();
    let name = options.prefix.trim_end_matches('_');
    let titles: Vec<&str> = ciphers.iter().map(|cipher| cipher.manifest.title.as_str()).collect();
    let values = values(options)
        .text("library", name)
        .text("LIBRARY", name.to_uppercase())
        .text("sources", list)
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
    files.push(version(&values, options));
    files.extend(crate::library_runtime().into_iter().map(|file| OutputFile {
        path: format!("src/{}", file.path),
        contents: front::own_level(&file.contents, options),
    }));
    for (path, template) in [
        ("CMakeLists.txt", include_str!("templates/CMakeLists.txt")),
        ("Makefile", include_str!("templates/Makefile")),
        ("package.pc.in", include_str!("templates/package.pc.in")),
        ("README.md", include_str!("templates/README.md")),
    ] {
        files.push(OutputFile { path: path.into(), contents: values.fill(template) });
    }
}

/// One folder of files that include nothing but each other's headers and those of the language.
fn drop_in(files: &mut Vec<OutputFile>, headers: Vec<OutputFile>, options: &Options) {
    let mut included: Vec<OutputFile> = crate::library_runtime();
    for file in &mut included {
        file.contents = front::own_level(&file.contents, options);
    }
    // Headers that only sources include go into these.
    let cpu = format!("{}cpu.h", options.prefix);
    let (own, kept): (Vec<_>, Vec<_>) =
        files.drain(..).partition(|file| file.path.ends_with(".h") && file.path != cpu);
    included.extend(own);
    *files = kept;
    for file in files.iter_mut().filter(|file| file.path.ends_with(".c")) {
        file.contents = inline(&file.contents, &included, &crate::INCLUDED_AGAIN, &mut Vec::new());
    }
    files.extend(headers);
}

/// The file with the version.
fn version(values: &super::Values, options: &Options) -> OutputFile {
    let path = format!("src/{}version.c", options.prefix);
    let contents = head(&format!("{}version.c", options.prefix), "which version this is.", options)
        + &values.fill(include_str!("templates/version.c"));
    OutputFile { path, contents }
}
