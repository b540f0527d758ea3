//! Object code of AArch64: runs a function from its first instruction to its return, with everything that it calls.
//!
//! Tests compare each instruction with a processor, which an emulator is (`tests/tests/lifted_aarch64.rs`), and the decoder with
//! another one.

mod access;
mod general;
mod operand;
mod vector;

use super::file::{Fill, Relocation, Target};
use super::machine::{Flow, Machine};
use super::memory::{Address, RegionId};
use super::run::{Preserved, Run, Stop};
use super::{Refusal, Why};
use yaxpeax_arch::{Decoder, U8Reader};
use yaxpeax_arm::armv8::a64::{InstDecoder, Instruction};

/// The register that a call leaves the place after it in.
pub(super) const LINK: usize = 30;

/// Bytes of an instruction.
const SIZE: u64 = 4;

/// An instruction, where it is, and what the linker fills in there.
struct One {
    instruction: Instruction,
    section: usize,
    place: u64,
    relocation: Option<Relocation>,
}

impl One {
    /// The target of a relocation of a kind, if the instruction has one.
    fn target(&self, fill: Fill) -> Option<&Target> {
        self.relocation.as_ref().filter(|one| one.fill == fill).map(|one| &one.target)
    }

    /// The target whose place in its page the linker fills in.
    fn target_in_page(&self) -> Option<&Target> {
        self.relocation.as_ref().filter(|one| matches!(one.fill, Fill::InPage(_))).map(|one| &one.target)
    }

    /// The place that is so far away.
    fn at(&self, distance: i64) -> u64 {
        self.place.wrapping_add_signed(distance)
    }
}

/// Runs a function on, to its return or to the next jump back.
pub(super) fn resume(machine: &mut Machine<'_>, run: &mut Run) -> Result<Stop, Refusal> {
    loop {
        let (section, place) = (run.section, run.place);
        let one = decode(machine, section, place)
            .map_err(|why| machine.refusal(section, place, String::new(), why))?;
        let refused =
            |machine: &Machine<'_>, why| machine.refusal(section, place, one.instruction.to_string(), why);
        machine.count().map_err(|why| refused(machine, why))?;
        let mut flow = step(machine, &one).map_err(|why| refused(machine, why))?;
        if let Flow::Call(target, _) | Flow::Leave(target) = &flow
            && let Some(callee) = machine.callee(target)
        {
            let link = machine.general(LINK);
            machine.call(callee).map_err(|why| refused(machine, why))?;
            flow = match flow {
                Flow::Call(_, next) => Flow::Jump(next),
                // It returns for this function.
                _ => {
                    machine.set_general(LINK, link);
                    Flow::Return
                }
            };
        }
        match flow {
            Flow::Next => run.place += SIZE,
            Flow::Jump(to) => run.place = to,
            Flow::Leave(Target::Place { section: to, offset }) => {
                (run.section, run.place) = (to, offset as u64);
                if to == section && run.place <= place {
                    return Ok(Stop::Back);
                }
            }
            Flow::Leave(Target::External(name, _)) => return Err(refused(machine, Why::External(name))),
            Flow::Call(Target::Place { section: to, offset }, next) => {
                let back = machine.code(section, next).map_err(|why| refused(machine, why))?;
                machine.set_general(LINK, back);
                run.returns.push((section, next));
                (run.section, run.place) = (to, offset as u64);
            }
            Flow::Call(Target::External(name, _), next) => {
                machine.library(&name).map_err(|why| refused(machine, why))?;
                run.place = next;
            }
            Flow::Return => {
                let back = machine.general(LINK);
                let (expected, next) = match run.returns.pop() {
                    Some((to, next)) => {
                        (machine.code(to, next).map_err(|why| refused(machine, why))?, Some((to, next)))
                    }
                    None => (run.caller.clone(), None),
                };
                if back != expected {
                    return Err(refused(machine, Why::Convention("the return address")));
                }
                let Some(next) = next else {
                    let what = run.preserved.differs(&Preserved::of(machine));
                    return what
                        .map_or(Ok(Stop::Returned), |what| Err(refused(machine, Why::Convention(what))));
                };
                (run.section, run.place) = next;
            }
        }
        if machine.is_stop(run) {
            return Ok(Stop::Entered);
        }
    }
}

fn decode(machine: &Machine<'_>, section: usize, place: u64) -> Result<One, Why> {
    let code = machine.object.sections.get(&section).filter(|one| one.is_code).ok_or(Why::Undecodable)?;
    let bytes = code.bytes.get(place as usize..(place + SIZE) as usize).ok_or(Why::Undecodable)?;
    let instruction =
        InstDecoder::default().decode(&mut U8Reader::new(bytes)).map_err(|_| Why::Undecodable)?;
    let mut relocations = code.relocations.range(place..place + SIZE);
    let relocation = relocations.next();
    let word = bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
    if relocation.is_some_and(|(at, one)| *at != place || !takes(word, one.fill))
        || relocations.next().is_some()
    {
        return Err(Why::Operand("what the linker fills in"));
    }
    let relocation = relocation.map(|(_, one)| one.clone());
    Ok(One { instruction, section, place, relocation })
}

/// Whether an instruction has the field that the linker fills in (ELF for the Arm 64-bit Architecture, section 5.7.8; Arm Architecture
/// Reference Manual, section C4.1): the linker writes there whatever the instruction is.
fn takes(word: u32, fill: Fill) -> bool {
    match fill {
        Fill::Page => word & 0x9f00_0000 == 0x9000_0000,
        Fill::Near => word & 0x9f00_0000 == 0x1000_0000,
        Fill::NearWords => word & 0x3b00_0000 == 0x1800_0000,
        Fill::Branch => word & 0x7c00_0000 == 0x1400_0000,
        Fill::InPage(None) => word & 0xffc0_0000 == 0x9100_0000,
        Fill::InPage(Some(bytes)) => {
            // Of a vector register the upper bit of `opc` belongs to the size.
            let above = if word >> 26 & 1 == 1 { word >> 21 & 4 } else { 0 };
            word & 0x3b00_0000 == 0x3900_0000 && 1 << (word >> 30 | above) == u32::from(bytes)
        }
        Fill::Relative | Fill::Other => false,
    }
}

/// Runs an instruction. What the linker fills in is looked at by those that can have it, and by no other.
fn step(machine: &mut Machine<'_>, one: &One) -> Result<Flow, Why> {
    if let Some(flow) = general::jump(machine, one)? {
        return Ok(flow);
    }
    let is_done = general::address(machine, one)? || access::step(machine, one)?;
    if is_done {
        return Ok(Flow::Next);
    }
    if one.relocation.is_some() {
        return Err(Why::Operand("what the linker fills in"));
    }
    if !vector::step(machine, &one.instruction)? && !general::step(machine, &one.instruction)? {
        return Err(Why::Unknown);
    }
    Ok(Flow::Next)
}

/// What `adrp` makes of a target: the page that it lies in. Nothing can be read there: what follows has to add the place in the page.
fn page(machine: &mut Machine<'_>, target: &Target) -> Result<Address, Why> {
    let (section, offset) = known(target)?;
    let region = machine.memory.page(section).ok_or(Why::Operand("a section that is not loaded"))?;
    Ok(Address::new(region, offset))
}

/// The address that a page and the place in it make, which have to be those of one target.
fn in_page(machine: &mut Machine<'_>, base: Address, target: &Target) -> Result<Address, Why> {
    let (section, offset) = known(target)?;
    let page: Option<RegionId> = machine.memory.page(section);
    if page != Some(base.region) || base.offset != offset {
        return Err(Why::Operand("a place in another page"));
    }
    machine.memory.section(section, offset).ok_or(Why::Operand("a section that is not loaded"))
}

fn known(target: &Target) -> Result<(usize, i64), Why> {
    match target {
        Target::Place { section, offset } => Ok((*section, *offset)),
        Target::External(name, _) => Err(Why::External(name.clone())),
    }
}
