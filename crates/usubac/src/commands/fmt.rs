//! `usubac fmt`.

use crate::args::Fmt;
use crate::files;
use crate::output::{Failure, Output, print_line, print_text};
use std::path::{Path, PathBuf};
use usuba_lang::diagnostic::Diagnostic;
use usuba_lang::format::format;
use usuba_lang::source::Sources;

/// Formats every file; one that cannot be read as a program is left as it is.
pub fn run(fmt: &Fmt, output: &Output) -> Result<(), Failure> {
    let mut failed = false;
    for file in &fmt.files {
        let text =
            if file == "-" { files::read_standard_input()? } else { files::read_text(Path::new(file))? };
        let formatted = match format(&text) {
            Ok(formatted) => formatted,
            Err(findings) => {
                say(&findings, file, &text, output);
                failed = true;
                continue;
            }
        };
        if file == "-" {
            print_text(&formatted);
        } else if formatted != text {
            if fmt.check {
                print_line(file);
                failed = true;
            } else {
                let path = Path::new(file);
                let folder =
                    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
                let name = PathBuf::from(path.file_name().unwrap_or_default());
                files::write_all(folder, &[(name, formatted)])?;
            }
        }
    }
    if failed { Err(Failure::Said) } else { Ok(()) }
}

fn say(findings: &[Diagnostic], file: &str, text: &str, output: &Output) {
    let mut sources = Sources::default();
    sources.add(if file == "-" { "standard input" } else { file }, text);
    output.diagnostics(findings, &sources);
}
