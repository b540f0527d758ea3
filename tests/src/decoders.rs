//! A second opinion on the decoders of object code: the disassembler of GNU binutils.

use iced_x86::{Decoder, DecoderOptions, FastFormatter};
use std::collections::BTreeMap;
use std::process::Command;
use usuba_verify::object::file::{Architecture, Object};
use yaxpeax_arch::{Decoder as _, U8Reader};
use yaxpeax_arm::armv8::a64;

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
            Some((length, other))
                if *length == ours.len() && normal(&text) == normal(without_remark(other)) => {}
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

/// The same for all functions of an object for AArch64.
///
/// # Panics
/// If it is no such object.
pub fn aarch64_disagreements(file: &[u8]) -> Option<(usize, Vec<String>)> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("it.o");
    std::fs::write(&path, file).expect("written");
    let listed = Command::new("aarch64-linux-gnu-objdump")
        .args(["-d", "-w", "-j", ".text"])
        .arg(&path)
        .output()
        .ok()?;
    let theirs = read(&String::from_utf8_lossy(&listed.stdout));
    let object = Object::parse_for(file, Architecture::Aarch64).expect("an object");
    let code = object.sections.values().find(|section| section.name == ".text").expect("code");
    let (mut count, mut differences) = (0, Vec::new());
    for (place, bytes) in code.bytes.chunks(4).enumerate() {
        let place = 4 * place as u64;
        let Some((_, other)) = theirs.get(&place) else { continue };
        // Data between functions.
        if other.starts_with('.') || other.starts_with("udf") {
            continue;
        }
        count += 1;
        let ours = a64::InstDecoder::default().decode(&mut U8Reader::new(bytes));
        let text = ours.map_or_else(|error| error.to_string(), |instruction| instruction.to_string());
        if normal_of_aarch64(&text) != normal_of_aarch64(other) {
            differences.push(format!("{place:#x}: `{text}`, by objdump `{other}`"));
        }
    }
    Some((count, differences))
}

/// What two ways to write an instruction of AArch64 have in common: the mnemonic, under one of its names, registers and shifts in
/// order, and the numbers other than zero, but for places in the code.
fn normal_of_aarch64(text: &str) -> Vec<String> {
    let text = text.split("//").next().unwrap_or_default().trim().to_lowercase();
    let (mnemonic, operands) = text.split_once(char::is_whitespace).unwrap_or((&text, ""));
    let mnemonic = match mnemonic {
        "dup" => "mov",
        "uxtl" => "ushll",
        "uxtl2" => "ushll2",
        "sxtl" => "sshll",
        "sxtl2" => "sshll2",
        "b.cs" => "b.hs",
        "b.cc" => "b.lo",
        other => other,
    };
    let mut all = vec![mnemonic.to_owned()];
    // A place in the code, and the function that it is in.
    let operands = match operands.split_once('<') {
        Some((before, _)) => before.trim_end().rsplit_once(char::is_whitespace).map_or("", |(rest, _)| rest),
        None => operands,
    };
    for word in operands.split(|c: char| c.is_whitespace() || "[]{},!".contains(c)) {
        let listed = between(word).unwrap_or_else(|| vec![word.to_owned()]);
        for word in listed.iter().map(String::as_str).filter(|word| !word.is_empty()) {
            let digits = word.trim_start_matches('#');
            let (sign, digits) = digits.strip_prefix('-').map_or((false, digits), |rest| (true, rest));
            let number = match digits.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16).ok(),
                None => digits.parse().ok(),
            };
            match (number, word) {
                (Some(_), _) if !word.starts_with('#') => {}
                (Some(0), _) => {}
                (Some(number), _) => {
                    all.push(if sign { number.wrapping_neg() } else { number }.to_string());
                }
                (None, _) if word.starts_with('#') && digits.parse::<f64>().is_ok() => {
                    let number: f64 = digits.parse().unwrap_or_default();
                    all.push(if sign { -number } else { number }.to_string());
                }
                // A place in the code.
                (None, word) if word.starts_with('$') => {}
                (None, "cs") => all.push("hs".to_owned()),
                (None, "cc") => all.push("lo".to_owned()),
                (None, "uxtw" | "uxtx" | "lsl") => {}
                (None, word) => all.push(word.to_owned()),
            }
        }
    }
    all
}

/// The registers of a list that is written by its ends, as `v30.16b-v1.16b`.
fn between(word: &str) -> Option<Vec<String>> {
    let number = |register: &str| -> Option<(u32, String)> {
        let (number, arrangement) = register.strip_prefix('v')?.split_once('.')?;
        Some((number.parse().ok()?, arrangement.to_owned()))
    };
    let (first, last) = word.split_once('-')?;
    let ((first, arrangement), (last, _)) = (number(first)?, number(last)?);
    let count = (last + 32 - first) % 32;
    Some((0..=count).map(|more| format!("v{}.{arrangement}", (first + more) % 32)).collect())
}

/// The place, length and text of each instruction of the section `.text` in a listing.
fn read(listing: &str) -> BTreeMap<u64, (usize, String)> {
    let mut all = BTreeMap::new();
    for line in listing.lines() {
        let mut parts = line.splitn(3, '\t');
        let (Some(place), Some(bytes), Some(text)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let Ok(place) = u64::from_str_radix(place.trim().trim_end_matches(':'), 16) else { continue };
        all.entry(place).or_insert((bytes.split_whitespace().count(), text.trim().to_owned()));
    }
    all
}

/// The text of an instruction of x86 without what the disassembler says of it.
fn without_remark(text: &str) -> &str {
    text.split('#').next().unwrap_or_default()
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
        let [ours, theirs] =
            ["tbl v0.8b, {v30.16b-v0.16b}, v1.8b", "tbl v0.8b, {v30.16b, v31.16b, v0.16b}, v1.8b"];
        assert_eq!(normal_of_aarch64(ours), normal_of_aarch64(theirs));
        let [ours, theirs] = ["fmov v3.4s, #-2.125", "fmov\tv3.4s, #-2.125000000000000000e+00"];
        assert_eq!(normal_of_aarch64(ours), normal_of_aarch64(theirs));
        assert_ne!(normal_of_aarch64(ours), normal_of_aarch64("fmov v3.4s, #-2.25e+00"));
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
