//! Messages whose strings come in pieces, in C: a function for each part, all of one type.

use crate::glue::{Writer, Written};
use crate::message::{LENGTH_BITS, Pieces};
use crate::plan::Refusal;
use std::fmt::Write;
use usuba_message::form::{Message, VariableId};
use usuba_message::incremental::{Incremental, Part};
use usuba_message::number::Term;

impl<'a> Writer<'a> {
    /// The functions of the parts, which `fused` are, and what they are called. `whole`: the message that is in parts.
    pub(crate) fn pieces(
        &mut self,
        whole: &Message,
        pieces: &Incremental,
        fused: &'a [Message],
    ) -> Written<(String, Pieces)> {
        let message = self.message;
        self.in_pieces = true;
        let mut bytes = 0;
        for &id in &pieces.kept {
            self.kept.insert(id, bytes);
            let words = pieces.parts.first().map(|part| part.message.variable(id).words);
            let bits = words.map_or(0, |words| words.width * words.count);
            bytes += (bits.div_ceil(8) as usize).next_multiple_of(16);
        }
        let mut made = String::new();
        let mut parts = Vec::new();
        for (number, (part, of)) in fused.iter().zip(&pieces.parts).enumerate() {
            self.message = part;
            (self.queue, self.queue_bytes, self.depth) = (None, 0, 1);
            self.prepare()?;
            self.body(&part.body)?;
            let prototype = format!(
                "int {}_part{number}(const size_t *lengths, const uint8_t *prepared, uint8_t *kept, \
                 const uint8_t *const *in, uint8_t *const *out)",
                self.symbol
            );
            let start = self.part_start(of, whole)?;
            let _ = write!(made, "\n{prototype}\n{{\n{start}{}  return 0;\n}}\n", self.text);
            self.text.clear();
            parts.push(prototype);
        }
        let mut counts = Vec::new();
        for (number, stream) in pieces.streams.iter().enumerate() {
            let prototype = format!("size_t {}_count{number}(size_t length)", self.symbol);
            let name = self.length_name(stream.length);
            let blocks = self.number(&stream.blocks);
            let _ = write!(
                made,
                "\n{prototype}\n{{\n  const int64_t {name} = (int64_t)length;\n  const int64_t blocks = {blocks};\n  \
                 return blocks > 0 ? (size_t)blocks : 0;\n}}\n"
            );
            counts.push(prototype);
        }
        self.message = message;
        self.loops.clear();
        self.kept.clear();
        Ok((made, Pieces { parts, counts, kept: bytes }))
    }

    /// A length in C.
    fn length_name(&self, place: u32) -> String {
        self.number(&Term::Length(place).into())
    }

    /// What a part knows, in C.
    fn part_start(&mut self, part: &Part, whole: &Message) -> Written<String> {
        let mut text = String::new();
        for &length in &part.lengths {
            let name = self.length_name(length);
            let _ = writeln!(text, "  const int64_t {name} = (int64_t)lengths[{length}];");
        }
        for &length in &part.lengths {
            let name = self.length_name(length);
            // So that nothing that is made of lengths is beyond 64 bits.
            let _ = writeln!(text, "  if ((uint64_t){name} >> {LENGTH_BITS} != 0) return 2;");
        }
        text += &self.conditions();
        let place = |of: &[VariableId], id: VariableId| {
            let place = of.iter().position(|&other| other == id);
            place.ok_or_else(|| Refusal("a part with a parameter of its own".into()))
        };
        for &id in &self.message.inputs {
            let (name, place) = (self.name(id), place(&whole.inputs, id)?);
            if self.text.contains(&name) {
                let _ = writeln!(text, "  const uint8_t *const {name} = in[{place}];");
            }
        }
        for &id in &self.message.outputs {
            let (name, place) = (self.name(id), place(&whole.outputs, id)?);
            let _ = writeln!(text, "  uint8_t *const {name} = out[{place}];");
        }
        for name in ["lengths", "prepared", "kept", "in", "out"] {
            let _ = writeln!(text, "  (void){name};");
        }
        Ok(text + &self.locals())
    }
}
