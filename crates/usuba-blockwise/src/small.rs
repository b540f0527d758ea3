//! Rows in little code ([`crate::row`]): register after register instead of a stretch for each number of them. One function has
//! short texts and long ones.

use crate::glue::{BLOCK, Writer, Written, refuse};
use crate::group;
use crate::linear::Linear;
use crate::row::Row;
use crate::segment::{Body, Segment};
use crate::stretch::{STRETCH, Stretch};

impl Writer<'_> {
    /// The code of a chain in rows, and of the step behind it. Registers by themselves need no code for their number: their rounds
    /// wait for nothing that others make, so that processors which execute out of order still have several of them in flight.
    pub(crate) fn small_rows(
        &mut self,
        segments: &[Segment],
        row: &Row,
        (powers, linear): (&str, &Linear),
    ) -> Written<()> {
        let (_, bytes) = self.longest()?;
        let (text, end) = (&segments[row.text], &segments[row.text + 1]);
        let front = self.front(segments, row, (powers, linear))?;
        let Body::Positions { plan, .. } = &text.body else { return refuse("no text") };
        // The shortest text of which a group leaves as many registers as it must.
        let least = i64::from(STRETCH + group::least(plan) - 1) * bytes as i64 - BLOCK;
        self.row_of(end, row, (powers, linear), |writer, state| {
            writer.line(&format!("if ({} >= {least}) {{", text.bytes));
            writer.depth += 1;
            writer.long_text(text, state, &front)?;
            writer.depth -= 1;
            writer.line("} else {");
            writer.depth += 1;
            writer.begin(text, state)?;
            writer.line(&format!("if ({} == 1) {{", state.left));
            writer.depth += 1;
            writer.stretch(text, Stretch { registers: 1, begins: true, ends: true }, state, Some(&front))?;
            writer.depth -= 1;
            writer.line("} else {");
            writer.depth += 1;
            writer.stretch(text, Stretch { registers: 1, begins: true, ends: false }, state, Some(&front))?;
            writer.line(&format!("{} = {};", state.at, bytes as i64 - BLOCK));
            writer.line(&format!("{} += {};", state.next, bytes as i64 / BLOCK));
            writer.foot();
            writer.line(&format!("{}--;", state.left));
            writer.foot();
            writer.line(&format!("if ({} > 0) {{", state.left));
            writer.depth += 1;
            writer.line(&format!("for (; {left} > 1; {left}--) {{", left = state.left));
            writer.depth += 1;
            writer.full(text, 1, state)?;
            writer.foot();
            writer.stretch(text, Stretch { registers: 1, begins: false, ends: true }, state, None)?;
            writer.foot();
            Ok(())
        })
    }
}
