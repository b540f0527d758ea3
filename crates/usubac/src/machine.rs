//! The machine that measures, described.

use serde_json::{Value, json};
use usuba_target::Core;
use usuba_target::core::GOLDEN_COVE;

/// What figures were measured with and on.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// The processor, as the system names it; the words of `--runner` if another machine runs the code.
    pub processor: String,
    /// Whose execution ports bounds are about: the core of the processor, as far as it is known.
    pub core: Option<&'static Core>,
    /// Ticks of its counter per core cycle at the highest clock seen, once something was measured.
    pub ticks_per_cycle: Option<f64>,
    /// Processes that wanted to run in the last minute, on average, before the measurement.
    pub load: Option<f64>,
    /// The compilers that were used, as they call themselves.
    pub compilers: Vec<String>,
}

impl Machine {
    /// This machine, or the one behind a command.
    pub fn new(runner: &[String]) -> Machine {
        if !runner.is_empty() {
            let processor = format!("behind `{}`", runner.join(" "));
            return Machine { processor, load: load(), ..Machine::default() };
        }
        let (processor, core) = processor();
        Machine { processor, core, load: load(), ..Machine::default() }
    }

    /// Adds a compiler, once.
    pub fn add_compiler(&mut self, version: String) {
        if !self.compilers.contains(&version) {
            self.compilers.push(version);
        }
    }

    /// Whose execution ports bounds are about.
    pub fn core(&self) -> &'static Core {
        self.core.unwrap_or(&GOLDEN_COVE)
    }

    /// Two lines for people.
    pub fn lines(&self) -> Vec<String> {
        let mut first = format!("machine: {}", self.processor);
        if let Some(load) = self.load {
            first.push_str(&format!(", load {load:.1}"));
        }
        first.push_str(&format!(", bounds of {}", self.core().name));
        if let Some(ratio) = self.ticks_per_cycle {
            first.push_str(&format!(", {ratio:.3} ticks a core cycle"));
        }
        let mut lines = vec![first];
        if !self.compilers.is_empty() {
            lines.push(format!("compilers: {}", self.compilers.join("; ")));
        }
        lines
    }

    /// The same for programs.
    pub fn json(&self) -> Value {
        json!({
            "processor": self.processor, "core": self.core().name, "ticks_per_cycle": self.ticks_per_cycle, "load": self.load,
            "compilers": self.compilers, "usubac": env!("CARGO_PKG_VERSION"),
        })
    }
}

/// The processor of this machine, as the system names it.
fn processor() -> (String, Option<&'static Core>) {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        text.lines()
            .find(|line| line.starts_with(name))
            .and_then(|line| line.split(": ").nth(1))
            .map(|value| value.trim().to_owned())
    };
    let model = field("model name").unwrap_or_else(|| "an unknown processor".into());
    match (field("cpu family"), field("model\t")) {
        (Some(family), Some(number)) => {
            let vendor = field("vendor_id").unwrap_or_default();
            let core = family.parse().ok().zip(number.parse().ok());
            let core = core.and_then(|(family, number)| Core::of_cpu(&vendor, family, number));
            (format!("{model} (family {family}, model {number})"), core)
        }
        _ => (model, None),
    }
}

fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}
