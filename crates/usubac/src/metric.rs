//! What `bench`, `tune` and `engines` count.

use clap::ValueEnum;

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Metric {
    /// Core cycles.
    #[default]
    Cycles,
    /// Instructions, under an emulator: exact, but what an instruction costs is not in it.
    Instructions,
}

impl Metric {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Cycles => "cycles",
            Metric::Instructions => "instructions",
        }
    }
}
