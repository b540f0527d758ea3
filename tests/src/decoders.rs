//! A second opinion on the decoder of object code: the disassembler of GNU binutils.

use iced_x86::{Decoder, DecoderOptions, FastFormatter};
use std::collections::BTreeMap;
use std::process::Command;
use usuba_verify::object::file::Object;

/// Where the decoder of this house and `objdump` do not read the code of a function, and of those in its section, in the same way:
/// another length, mnemonic, register or immediate; and how many instructions were compared. `None` where `objdump` is not installed.
///
/// # Panics
/// If the object has no such function.
pub fn disagreements(file: &[u8], function: &str) -> Option<(usize, Vec<String>)> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("it.o");
    std::fs::write(&path, file).expect("written");
    let listed = Command::new("objdump").args(["-d", "-w", "-M", "intel"]).arg(&path).output().ok()?;
    let theirs = read(&String::from_utf8_lossy(&listed.stdout));
    let object = Object::parse(file).expect("an object");
    let section = object.function(function).expect("a function").section;
    // A kernel may be a jump to the function of its node.
    let functions = object.functions.iter().filter(|one| one.section == section);
    let decoded = functions.flat_map(|function| {
        let code = object.code(function);
        Decoder::with_ip(64, code, function.offset, DecoderOptions::NONE).into_iter()
    });
    let (mut count, mut differences) = (0, Vec::new());
    for ours in decoded {
        let mut text = String::new();
        FastFormatter::new().format(&ours, &mut text);
        count += 1;
        match theirs.get(&ours.ip()) {
            Some((length, other)) if *length == ours.len() && normal(&text) == normal(other) => {}
            Some((length, other)) => differences.push(format!(
                "{:#x}: `{text}` of {} bytes, by objdump `{other}` of {length}",
                ours.ip(),
                ours.len()
            )),
            None => differences
                .push(format!("{:#x}: `{text}`, by objdump no instruction begins there", ours.ip())),
        }
    }
    Some((count, differences))
}

/// The place, length and text of each instruction of the section `.text` in a listing.
fn read(listing: &str) -> BTreeMap<u64, (usize, String)> {
    let mut all = BTreeMap::new();
    for line in listing.lines() {
        let mut parts = line.split('\t');
        let (Some(place), Some(bytes), Some(text)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let Ok(place) = u64::from_str_radix(place.trim().trim_end_matches(':'), 16) else { continue };
        let text = text.split('#').next().unwrap_or_default().trim();
        all.entry(place).or_insert((bytes.split_whitespace().count(), text.to_owned()));
    }
    all
}

/// What two ways to write an instruction have in common: the mnemonic, under one of its names, the registers in order, and the
/// numbers that stand alone between commas.
fn normal(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let (mnemonic, operands) = text.split_once(' ').unwrap_or((&text, ""));
    let mnemonic = match mnemonic {
        "jz" => "je",
        "jnz" => "jne",
        "jc" => "jb",
        "jae" => "jnb",
        "movabs" => "mov",
        "data16" | "cs" | "nopw" => "nop",
        // By its bytes it exchanges a register with itself.
        "xchg" if operands.trim() == "ax,ax" => "nop",
        other => other,
    };
    let mut all = vec![mnemonic.to_owned()];
    if mnemonic == "nop" || mnemonic.starts_with('j') || mnemonic == "call" {
        return all;
    }
    for operand in operands.split(',') {
        let operand = operand.trim();
        let words = operand.split(|c: char| !c.is_ascii_alphanumeric());
        all.extend(words.filter(|word| is_register(word)).map(str::to_owned));
        all.extend(number(operand).map(|number| number.to_string()));
    }
    all
}

fn is_register(word: &str) -> bool {
    const NAMES: [&str; 16] =
        ["ax", "bx", "cx", "dx", "si", "di", "bp", "sp", "al", "bl", "cl", "dl", "sil", "dil", "bpl", "spl"];
    let numbered = |prefix: &str| {
        word.strip_prefix(prefix)
            .map(|rest| rest.trim_end_matches(['d', 'w', 'b']))
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    NAMES.contains(&word)
        || NAMES[..8].iter().any(|name| word == format!("r{name}") || word == format!("e{name}"))
        || ["r", "xmm", "ymm", "zmm"].iter().any(|prefix| numbered(prefix))
        || word.len() == 2 && word.starts_with('k') && numbered("k")
}

/// An immediate, as `0x1f` or `1Fh`; modulo 2^8, as one sign-extends it in writing and the other does not.
fn number(operand: &str) -> Option<u64> {
    let (sign, digits) = operand.strip_prefix('-').map_or((false, operand), |rest| (true, rest));
    let value = match (digits.strip_prefix("0x"), digits.strip_suffix('h')) {
        (Some(digits), _) | (None, Some(digits)) => u64::from_str_radix(digits, 16).ok()?,
        (None, None) => digits.parse().ok()?,
    };
    Some(if sign { value.wrapping_neg() } else { value } & 0xff)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two ways to write an instruction are one; other registers, numbers and mnemonics are others.
    #[test]
    fn ways_to_write() {
        for (ours, theirs) in [
            ("vpaddd ymm1,ymm2,[rsp-40h]", "vpaddd ymm1,ymm2,YMMWORD PTR [rsp-0x40]"),
            ("shl r8d,1Fh", "shl    r8d,0x1f"),
            ("add rsp,0FFFFFFFFFFFFFF80h", "add    rsp,0xffffffffffffff80"),
            ("jnz 40h", "jne    40 <kernel+0x40>"),
            ("nop", "xchg   ax,ax"),
        ] {
            assert_eq!(normal(ours), normal(theirs));
        }
        for (one, other) in [
            ("vpandn ymm1,ymm2,ymm3", "vpandn ymm1,ymm3,ymm2"),
            ("shl r8d,1Fh", "shl r8d,0x1e"),
            ("shl r8d,1Fh", "shl r8,0x1f"),
            ("shl r8d,1Fh", "shr r8d,0x1f"),
            ("mov rax,[rbx+rcx*8]", "mov rax,QWORD PTR [rcx+rbx*8]"),
        ] {
            assert_ne!(normal(one), normal(other));
        }
    }
}
