//! Linear orbits: what a loop carries goes through the same linear map at every position, as the tweaks of XTS do. Then position
//! i + 8 has the map to the power 8 of what position i has, for which registers need not wait for one another.

use crate::draft::{Draft, Draw, Pending};
use crate::glue::{Writer, Written, refuse};
use crate::helpers::BATCH;
use crate::place::{self, as_is};
use crate::plan::Given;
use crate::step::{Bit, Step, Value};
use std::rc::Rc;

/// Positions from one to the next that a power of the map makes of it.
pub(crate) const STRIDE: u32 = 8;

/// Positions whose values lie in memory at once, in C.
pub(crate) fn positions() -> String {
    format!("{BATCH} / 16")
}

impl Writer<'_> {
    /// The code of what is carried for `many` positions, in a buffer that it declares; what is carried goes on. `rows`: the map;
    /// `variable`: where the value is; `scan`: the call that makes the values of the first positions one by one, up to [`STRIDE`].
    pub(crate) fn orbit(
        &mut self,
        rows: &[u128],
        (variable, buffer): (&str, &str),
        scan: &str,
    ) -> Written<()> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        let squared = |rows: Vec<u128>, _| rows.iter().map(|&row| through(&rows, row)).collect();
        let rows: Vec<u128> = (0..STRIDE.ilog2()).fold(rows.to_vec(), squared);
        let mut power = Draft::default();
        let given = power.give(Given::Each, buffer.to_owned());
        power.pending.push(Pending::Step(Rc::new(step_of(&rows)), vec![(given, as_is(place::BITS))]));
        let (plan, given, _) = power.finish(&[Draw::Made(0)], &[]);
        let groups = STRIDE as usize / wide.in_register();
        let kernel = self.kernel(format!("orbit {plan:?}"), |name| wide.positions(&plan, name, groups))?;
        self.line(&format!("_Alignas(64) uint8_t {buffer}[{BATCH} + {}];", 16 * STRIDE));
        self.line(scan);
        self.line(&format!("if (many >= {STRIDE}) {{"));
        self.depth += 1;
        // With the value of the first position behind all.
        let bytes = format!("16 * (size_t)((many + {STRIDE}) / {STRIDE} * {STRIDE} - {STRIDE})");
        let goal = format!("{buffer} + {}", 16 * STRIDE);
        let call = self.call(&kernel, (&plan, &given), Some(&bytes), &[goal]);
        self.line(&call);
        self.line(&format!("memcpy({variable}, {buffer} + 16 * many, 16);"));
        self.foot();
        Ok(())
    }
}

/// The map from what is carried to its next value, as rows over the bits in memory, if it is linear.
pub(crate) fn map_of(draft: &Draft, next: &[Draw]) -> Option<Vec<u128>> {
    let ([Pending::Step(step, inputs)], [Draw::Made(output)]) = (&draft.pending[..], next) else {
        return None;
    };
    if step.blocks() != step.outputs.len() {
        return None;
    }
    let bits = step.outputs.get(*output).filter(|bits| bits.len() == place::BITS as usize)?;
    bits.iter()
        .map(|bit| {
            let mut row = 0u128;
            for (value, bit) in &bit.terms {
                let Value::Input(input) = step.values.get(*value)? else { return None };
                let (Draw::Given(slot), places) = inputs.get(*input)? else { return None };
                (draft.plan.given.get(*slot)? == &Given::Carried).then_some(())?;
                row ^= 1u128.checked_shl(*places.get(*bit as usize)?)?;
            }
            (!bit.constant).then_some(row)
        })
        .collect()
}

/// A sum of bits, of each of which rows say what it is made of.
fn through(rows: &[u128], sum: u128) -> u128 {
    rows.iter().enumerate().filter(|(bit, _)| sum >> bit & 1 == 1).fold(0, |all, (_, row)| all ^ row)
}

fn step_of(rows: &[u128]) -> Step {
    let bit = |row: &u128| Bit {
        constant: false,
        terms: (0..place::BITS).filter(|bit| row >> bit & 1 == 1).map(|bit| (0, bit)).collect(),
    };
    Step {
        inputs: vec![place::BITS],
        values: vec![Value::Input(0)],
        outputs: vec![rows.iter().map(bit).collect()],
        schedules: Vec::new(),
    }
}
