//! What the execution ports allow.

use crate::report::{Report, Row};
use usuba_target::core::GOLDEN_COVE;
use usuba_target::{Core, Target};

impl Report {
    /// The fewest cycles in which the ports can start the instructions of one call: for every set of ports, the
    /// micro-operations that only these can run, divided by their number. `None` if the table of the target does not say
    /// which ports run what. Loads, stores and constants are not counted: in a bitsliced kernel they run beside the logic.
    pub fn port_bound(&self, target: &Target) -> Option<f64> {
        self.port_bound_on(target, &GOLDEN_COVE)
    }

    /// [`Report::port_bound`] on another core than that of the table.
    pub fn port_bound_on(&self, target: &Target, core: &Core) -> Option<f64> {
        let mut loads: Vec<(u16, u64)> = Vec::new();
        let cycles = core.cycles_at_port(target);
        for (&Row(row), count) in &self.instructions {
            let ports = core.ports(target, row);
            if ports != 0 && !row.meaning.is_move() && !row.meaning.is_constant() {
                loads.push((ports, cycles * count.run * u64::from(core.starts(target, row))));
            }
        }
        let every = loads.iter().fold(0, |ports, load| ports | load.0);
        if every == 0 {
            return None;
        }
        // All subsets of the ports in use, by counting down within the mask.
        let mut bound: f64 = 0.0;
        let mut ports = every;
        while ports != 0 {
            let within: u64 = loads.iter().filter(|load| load.0 & !ports == 0).map(|load| load.1).sum();
            bound = bound.max(within as f64 / f64::from(ports.count_ones()));
            ports = (ports - 1) & every;
        }
        Some(bound)
    }

    /// Instructions that one call runs.
    pub fn instructions_run(&self) -> u64 {
        self.instructions.values().map(|count| count.run).sum()
    }
}
