//! The Usuba compiler's command line: all input and output lives here.

mod args;
mod cipher;
mod commands;
mod compile;
mod files;
mod front_end;
mod journal;
mod machine;
mod measure;
mod message;
mod metric;
mod mode;
mod output;
mod overrides;
mod prediction;
mod progress;
mod recognition;
mod targets;
mod watch;

use args::{Command, CommandLine};
use clap::Parser;
use output::Failure;
use std::io::Write;
use std::process::ExitCode;

/// Deep expressions and long chains of calls get room; the limits of the language keep them within it.
const STACK: usize = 512 << 20;

/// The exit status of what was neither shown nor refuted.
const UNKNOWN: u8 = 3;

fn main() -> ExitCode {
    let command_line = match CommandLine::try_parse() {
        Ok(command_line) => command_line,
        Err(error) => return say(&error),
    };
    std::panic::set_hook(Box::new(|_| {}));
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || run(&command_line));
    let outcome = match worker {
        Ok(worker) => worker.join().ok(),
        Err(error) => {
            output::print_error(&format!("error: no memory for a stack: {error}"));
            return ExitCode::FAILURE;
        }
    };
    outcome.unwrap_or_else(|| {
        output::print_error(
            "error: usubac met a state that it holds impossible; no output was made\n  \
             help: this is a bug of usubac: please report it with the program and the command line",
        );
        ExitCode::FAILURE
    })
}

/// Prints what is wrong with a command line, or the help or the version that it asks for.
fn say(error: &clap::Error) -> ExitCode {
    let closed = |error: &std::io::Error| error.kind() == std::io::ErrorKind::BrokenPipe;
    let printed = error.print().and_then(|()| std::io::stdout().flush());
    match printed {
        Err(error) if !closed(&error) => {
            output::print_error(&format!("error: cannot write: {}", output::plain(&error)));
            ExitCode::FAILURE
        }
        _ => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)),
    }
}

fn run(command_line: &CommandLine) -> ExitCode {
    let output = output::Output::new(command_line.format, command_line.color);
    let outcome = match &command_line.command {
        Command::Check(check) => commands::check::run(check, &output),
        Command::Fmt(fmt) => commands::fmt::run(fmt, &output),
        Command::Run(run) => commands::run::run(run, &output),
        Command::Build(build) => commands::build::run(build, &output),
        Command::Test(test) => commands::test::run(test, &output),
        Command::Explain(explain) => commands::explain::run(explain, &output),
        Command::Bench(bench) => commands::bench::run(bench, &output),
        Command::Tune(tune) => commands::tune::run(tune, &output),
        Command::Engines(engines) => commands::engines::run(engines, &output),
        Command::Synth(synth) => commands::synth::run(synth, &output),
        Command::Verify(verify) => commands::verify::run(verify, &output),
        Command::Targets(targets) => commands::targets::run(targets, &output),
        Command::New(new) => commands::new::run(new, &output),
        Command::Completions(completions) => commands::completions::run(completions),
        Command::Man(man) => commands::man::run(man),
    };
    if let Err(failure) = &outcome {
        output.failure(failure);
    }
    match (outcome, output::finish()) {
        (Ok(()), Ok(())) => ExitCode::SUCCESS,
        (Err(Failure::Unknown(_) | Failure::Undecided), Ok(())) => ExitCode::from(UNKNOWN),
        (Err(_), Ok(())) => ExitCode::FAILURE,
        (_, Err(lost)) => {
            // On standard error whatever the format: it may be standard output that is lost.
            output::print_error(&format!("error: {lost}"));
            ExitCode::FAILURE
        }
    }
}
