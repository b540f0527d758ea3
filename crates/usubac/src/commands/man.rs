//! `usubac man`: manual pages, made of the help.

use crate::args::{CommandLine, Man};
use crate::files::write_all;
use crate::output::{Failure, print_line, print_text};
use clap::CommandFactory;
use std::path::PathBuf;

/// Prints one page, or writes all of them.
pub fn run(arguments: &Man) -> Result<(), Failure> {
    // Only a built command knows that the page of `build` is that of `usubac-build`.
    let mut all = CommandLine::command();
    all.build();
    if let Some(folder) = &arguments.output {
        let commands = all.get_subcommands().filter(|command| command.get_name() != "help");
        let pages = std::iter::once(&all).chain(commands).map(page).collect::<Result<Vec<_>, _>>()?;
        for path in write_all(folder, &pages)? {
            print_line(&format!("wrote {}", path.display()));
        }
        return Ok(());
    }
    let command = match &arguments.command {
        None => &all,
        Some(name) => all.find_subcommand(name).ok_or_else(|| {
            let names: Vec<&str> = all.get_subcommands().map(clap::Command::get_name).collect();
            Failure::general(format!("there is no command `{name}`; there are {}", names.join(", ")))
        })?,
    };
    print_text(&page(command)?.1);
    Ok(())
}

/// The file of a command, as in `usubac-build.1`, and its contents.
fn page(command: &clap::Command) -> Result<(PathBuf, String), Failure> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone())
        .source(concat!("usubac ", env!("CARGO_PKG_VERSION")))
        .render(&mut text)
        .map_err(|error| Failure::general(format!("cannot make the page of `{name}`: {error}")))?;
    Ok((PathBuf::from(format!("{name}.1")), String::from_utf8_lossy(&text).into_owned()))
}
