//! Every instruction of AArch64 that the lifter of object code knows computes what a processor computes, on random states.
//!
//! Each line below is a function around one instruction, or a few, as in `lifted_instructions`. The processor is an emulator, and the
//! decoder is compared with the disassembler of GNU binutils.

use usuba_tests::decoders::aarch64_disagreements;
use usuba_tests::lifted::{Functions, Processor, compare};
use usuba_verify::object::file::Architecture;

/// Where the memory for operands is, after four vector registers of 16 bytes.
const MEMORY: usize = 4 * 16;

/// Where the general-purpose registers x1 to x5 are.
const NUMBERS: usize = MEMORY + 64;

const STATE: usize = NUMBERS + 5 * 8;

const CONDITIONS: [&str; 14] =
    ["eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le"];

/// Lines on x1 to x5; x0 is the address of the state.
fn general_lines() -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for op in ["add", "sub", "adds", "subs", "and", "ands", "orr", "orn", "eor", "eon", "bic", "bics"] {
        lines.push(format!("{op} x1, x2, x3; {op} w4, w5, w2"));
        for shift in ["lsl", "lsr", "asr"] {
            lines.push(format!("{op} x1, x2, x3, {shift} #13; {op} w4, w5, w2, {shift} #8"));
        }
    }
    for op in ["and", "orr", "eor"] {
        lines.push(format!("{op} x1, x2, x3, ror #13; {op} w4, w5, w2, ror #8; {op} x3, x3, #0xff00ff00ff00ff00; {op} w2, w2, #0xff0"));
    }
    // The carry that goes in comes from another sum.
    for before in ["adds xzr, x1, x2", "subs xzr, x1, x2"] {
        for op in ["adc", "adcs", "sbc", "sbcs"] {
            lines.push(format!("{before}; {op} x3, x4, x5; {op} w5, w1, w2; cset x4, hs"));
        }
    }
    for condition in CONDITIONS {
        lines.push(format!(
            "cmp w1, w2; cset x3, {condition}; csel x4, x5, x1, {condition}; csinc w5, w1, w2, {condition}"
        ));
        lines.push(format!(
            "cmp x1, x1; csetm x3, {condition}; csinv x4, x5, x1, {condition}; csneg x5, x1, x2, {condition}"
        ));
        lines.push(format!("adds w1, w1, w2; cset w3, {condition}"));
        if !matches!(condition, "hi" | "ls") {
            lines.push(format!("tst x1, x2; cset w3, {condition}"));
        }
        // Whether there is a comparison depends on what is not known.
        lines.push(format!(
            "cmp x1, x2; ccmp x1, #9, #5, {condition}; cset x3, hi; cset x4, ge; cset x5, vs; cset x1, mi; cset x2, eq"
        ));
        lines.push(format!(
            "cmp w1, w2; ccmn w3, w4, #10, {condition}; cset x3, ls; cset x4, lt; cset x5, vc; cset x1, pl; cset x2, ne"
        ));
        lines.push(format!("mov x1, #5; subs x1, x1, #4; b.{condition} 1f; mov x2, #7; 1: mov x3, #1"));
    }
    // What is compared, or given, depends on what is known: both ways.
    for given in 0..16 {
        for condition in CONDITIONS {
            lines.push(format!("mov w1, #7; mov w2, #9; cmp w1, w2; ccmp w2, #9, #{given}, lo; cset x3, {condition}; cmp w1, w2; ccmp w2, #3, #{given}, hs; cset x4, {condition}"));
        }
    }
    for line in [
        "add x1, x2, w3, uxtw #2; add x2, x3, w4, sxtb; sub x3, x4, w5, uxth #1; add x4, x5, x1, sxtx #3",
        "add x1, x2, #1, lsl #12; sub w3, w4, #77; neg x5, x1; cmn x1, x2",
        "mov x1, #0x123400000000; movn x2, #5; movn w3, #5, lsl #16; movk x4, #0x1234, lsl #32; movk w5, #7",
        "lsl x1, x2, #5; lsr w3, w4, #6; asr x5, x1, #7; asr w2, w3, #31; lsl w4, w5, #1; lsr x3, x1, #63",
        "ubfx x1, x2, #3, #9; ubfiz x3, x4, #3, #9; sbfx w5, w1, #3, #9; sbfiz x2, x3, #13, #20",
        "bfi x1, x2, #8, #16; bfxil w3, w4, #3, #5; bfi w5, w1, #0, #31; bfi x2, x3, #63, #1",
        "sxtw x1, w2; sxtb w3, w4; uxtb w5, w1; sxth x2, w3; uxth w4, w5",
        "extr x1, x2, x3, #13; extr w4, w5, w1, #31; ror w2, w3, #5; ror x3, x4, #60",
        "mov x5, #9; lsl x1, x2, x5; lsr w3, w4, w5; asr x2, x1, x5; ror w4, w1, w5; ror x3, x1, x5",
        "mul x1, x2, x3; madd w4, w5, w1, w2; msub x5, x1, x2, x3; umull x2, w3, w4; smaddl x3, w4, w5, x1",
        "mov x1, #-3; mov x2, #-5; umulh x3, x1, x2; clz x4, x1; mov w2, #77; clz w5, w2",
        "rev x1, x2; rev w3, w4; rev16 w5, w1; rev32 x2, x3; rbit x4, x5; rbit w1, w2; rev16 x3, x3",
        "mov x1, xzr; cbz x1, 1f; mov x2, #1; 1: cbnz x1, 2f; mov x3, #2; 2: mov x4, #4; tbz x4, #2, 3f; mov x5, #1; 3: tbnz w4, #2, 4f; mov x5, #2; 4: nop",
        "b 1f; mov x1, #3; 1: mov x2, #4",
        "str x1, [x0, #64]; str w2, [x0, #76]; strh w3, [x0, #82]; strb w4, [x0, #87]; stp x5, x1, [x0, #96]; stp w2, w3, [x0, #112]",
        "ldr x1, [x0, #64]; ldr w2, [x0, #76]; ldrh w3, [x0, #82]; ldrb w4, [x0, #87]; ldp x5, x3, [x0, #96]; ldpsw x2, x4, [x0, #112]",
        "ldrsb x1, [x0, #65]; ldrsb w2, [x0, #66]; ldrsh x3, [x0, #68]; ldrsh w4, [x0, #70]; ldrsw x5, [x0, #72]",
        "ldur x1, [x0, #67]; sturb w2, [x0, #81]; ldurh w3, [x0, #83]; ldursw x4, [x0, #85]; stur w5, [x0, #93]",
        "mov x5, x0; ldr x1, [x5, #64]!; ldr w2, [x5], #5; str x3, [x5, #8]!; mov x5, #0",
        "mov x5, #9; ldr x1, [x0, x5, lsl #3]; mov w5, #70; ldrb w2, [x0, w5, uxtw]; ldr w3, [x0, w5, sxtw]; strb w4, [x0, x5]",
        "str xzr, [x0, #64]; stp wzr, wzr, [x0, #80]",
        "str x30, [sp, #-16]!; bl 1f; b 2f; 1: mov x1, #9; ret; 2: ldr x30, [sp], #16",
        "sub sp, sp, #32; str x1, [sp, #8]; stp q0, q1, [sp]; ldr x2, [sp, #8]; mov x3, #32; add sp, sp, x3",
        "stp x29, x19, [sp, #-16]!; mov x29, sp; mov x19, x1; eor x2, x2, x19; ldp x29, x19, [sp], #16",
        "adr x1, 1f; ldr x2, [x1]; ldr x3, 1f; mov x1, #0; b 2f; .balign 8; 1: .quad 0x123456789abcdef; 2: nop",
        "adrp x1, 1f; add x1, x1, :lo12:1f; ldr x2, [x1, #8]; adrp x3, 1f; ldr x4, [x3, :lo12:1f]; mov x1, #0; mov x3, #0; .section .rodata; .balign 8; 1: .quad 77, 78; .text",
        "mov x5, x0; add x4, x0, #32; 1: ldrb w1, [x5, #64]; add x5, x5, #8; cmp x5, x4; b.ne 1b; mov x5, #0; mov x4, #0",
        "mov x5, x0; add x4, x0, #32; sub x3, x4, x5; cmp x5, x4; cset x1, lo; mov x5, #0; mov x4, #0",
    ] {
        lines.push(line.to_owned());
    }
    lines
}

/// Lines on v0 to v3.
fn vector_lines() -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for op in ["and", "orr", "orn", "eor", "bic", "bsl", "bit", "bif"] {
        lines.push(format!(
            "{op} v0.16b, v1.16b, v2.16b; {op} v3.8b, v2.8b, v1.8b; {op} v1.16b, v1.16b, v1.16b"
        ));
    }
    for arrangement in ["16b", "8b", "8h", "4h", "4s", "2s", "2d"] {
        for op in ["add", "sub", "cmeq", "cmtst", "cmhi", "cmhs", "cmgt", "cmge"] {
            lines.push(format!("{op} v0.{arrangement}, v1.{arrangement}, v2.{arrangement}; {op} v3.{arrangement}, v0.{arrangement}, v0.{arrangement}"));
        }
        for op in ["zip1", "zip2", "uzp1", "uzp2", "trn1", "trn2"] {
            lines.push(format!("{op} v0.{arrangement}, v1.{arrangement}, v2.{arrangement}"));
        }
        for op in ["cmeq", "cmlt", "cmgt", "cmle", "cmge"] {
            lines.push(format!("{op} v0.{arrangement}, v1.{arrangement}, #0"));
        }
        let bits = match arrangement {
            "16b" | "8b" => 8,
            "8h" | "4h" => 16,
            "4s" | "2s" => 32,
            _ => 64,
        };
        for by in [1, bits / 2, bits - 1] {
            for op in ["shl", "ushr", "sshr", "sli", "sri", "usra", "ssra"] {
                lines.push(format!("{op} v0.{arrangement}, v1.{arrangement}, #{by}"));
            }
        }
        lines.push(format!("neg v0.{arrangement}, v1.{arrangement}; movi v2.16b, #3; sshl v3.{arrangement}, v1.{arrangement}, v2.{arrangement}; movi v2.16b, #0xfd; ushl v1.{arrangement}, v1.{arrangement}, v2.{arrangement}; sshl v0.{arrangement}, v0.{arrangement}, v2.{arrangement}"));
        if bits < 64 {
            lines.push(format!("mul v0.{arrangement}, v1.{arrangement}, v2.{arrangement}; mla v3.{arrangement}, v1.{arrangement}, v2.{arrangement}; mls v1.{arrangement}, v0.{arrangement}, v3.{arrangement}; rev64 v2.{arrangement}, v2.{arrangement}"));
        }
    }
    for line in [
        "shl d0, d1, #5; ushr d2, d3, #9; sshr d1, d0, #63; sri d3, d2, #7; sli d2, d1, #3; add d0, d1, d3; sub d1, d2, d3",
        "ushr v0.4s, v1.4s, #32; sri v2.16b, v3.16b, #8; sshr v1.8h, v3.8h, #16; sli v3.2d, v2.2d, #0",
        "movi v0.16b, #0xaa; movi v1.2d, #0xff00ff00ff00ff00; movi d2, #0xff00ff00ff00ff00; movi v3.4s, #3, lsl #8",
        "movi v0.4s, #3, msl #8; movi v1.2s, #3; movi v2.8h, #3, lsl #8; mvni v3.4s, #3, lsl #16",
        "mvni v0.8h, #3; mvni v1.4s, #3, msl #16; orr v2.4s, #3, lsl #8; bic v3.8h, #3; bic v2.4s, #0xff, lsl #24",
        "mov v0.16b, v1.16b; mov v2.8b, v3.8b; mvn v1.16b, v1.16b; mvn v3.8b, v1.8b",
        "mov v0.s[1], v1.s[2]; mov v2.d[1], x3; mov v3.b[3], w3; mov v1.h[7], v0.h[0]; fmov v0.d[1], x2",
        "mov s0, v1.s[1]; mov d2, v3.d[1]; dup v1.4s, w2; dup v3.16b, w4",
        "dup v0.2d, x2; dup v1.16b, v2.b[3]; dup v3.4h, v2.h[6]; dup v2.4s, v2.s[3]",
        "umov w1, v2.b[4]; umov x2, v2.d[1]; mov w3, v2.s[1]; smov x4, v2.h[1]; smov w5, v2.b[1]",
        "fmov d0, x2; fmov x1, d2; fmov w3, s2; fmov d1, d2; fmov s3, w4; fmov x5, v2.d[1]",
        "fmov d0, #-3.5; fmov s1, #0.15625; fmov v2.2d, #1.0; fmov v3.4s, #-31.0",
        "fmov v0.2s, #2.125; fneg v1.2d, v1.2d; fneg v2.4s, v2.4s; fneg v3.2s, v3.2s",
        "fneg d0, d1; fneg s2, s3; fneg d1, d1",
        "ushll v0.8h, v1.8b, #0; ushll2 v1.4s, v2.8h, #3; sshll v2.2d, v3.2s, #2; sshll2 v3.8h, v0.16b, #0; shll v0.4s, v1.4h, #16",
        "xtn v0.8b, v1.8h; xtn2 v2.8h, v3.4s; shrn v1.4h, v2.4s, #5; shrn2 v3.16b, v2.8h, #5",
        "ext v0.16b, v1.16b, v2.16b, #5; ext v3.8b, v1.8b, v2.8b, #5; ext v1.16b, v1.16b, v1.16b, #15",
        "rev32 v0.8h, v1.8h; rev32 v2.16b, v3.16b; rev16 v1.16b, v2.16b; rev64 v3.16b, v3.16b; rbit v2.16b, v2.16b",
        "movi v1.16b, #7; ushr v1.2d, v1.2d, #2; tbl v0.16b, {v2.16b}, v1.16b; tbx v3.16b, {v2.16b}, v1.16b; tbl v2.16b, {v2.16b, v3.16b}, v1.16b; tbl v1.8b, {v0.16b}, v1.8b",
        "mvni v1.8h, #0x0e; tbl v0.16b, {v2.16b}, v1.16b; tbx v3.16b, {v2.16b}, v1.16b",
        "ldr q0, [x0, #64]; ldr d1, [x0, #80]; ldr s2, [x0, #92]; ldr h3, [x0, #98]; str b3, [x0, #101]; str q0, [x0, #112]",
        "ldp q0, q1, [x0, #64]; ldp d2, d3, [x0, #72]; stp s0, s1, [x0, #96]; stp q2, q3, [x0, #96]",
        "ldur q0, [x0, #67]; stur d1, [x0, #83]; mov x5, #3; ldr s2, [x0, x5, lsl #2]; ldr b3, [x0, x5]",
        "add x5, x0, #64; ld1 {v0.16b, v1.16b}, [x5], #32; ld1 {v2.d}[1], [x5], #8; ld1r {v3.4s}, [x5]; st1 {v1.s}[2], [x5]; mov x5, #0",
        "add x5, x0, #64; mov x4, #16; st1 {v0.16b, v1.16b}, [x5], x4; ld1r {v2.2d}, [x5], #8; ld1 {v3.b}[5], [x5]; ld1r {v1.8b}, [x5]; mov x5, #0",
        "add x5, x0, #64; ld2 {v0.8b, v1.8b}, [x5], #16; ld4 {v0.8h, v1.8h, v2.8h, v3.8h}, [x0]; st2 {v1.4s, v2.4s}, [x5], #32; mov x5, #0",
        "ld3 {v0.16b, v1.16b, v2.16b}, [x0]; st3 {v0.2d, v1.2d, v2.2d}, [x0]; ld2 {v2.2d, v3.2d}, [x0]; st4 {v0.4h, v1.4h, v2.4h, v3.4h}, [x0]",
        "ldr q0, 1f; b 2f; .balign 16; 1: .quad 3, 4; 2: nop",
    ] {
        lines.push(line.to_owned());
    }
    // A table that is known, at indices that are not: of all bytes, and of those that it has.
    let table = "adr x1, 1f; ld1 {v16.16b, v17.16b, v18.16b, v19.16b}, [x1]; b 2f; .balign 16; 1: .quad 0x1f2e3d4c5b6a7988, 0x8796a5b4c3d2e1f0, 0x0123456789abcdef, 0x13579bdf02468ace; .quad 0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89; 2: mov x1, #0; movi v20.16b, #0x3f";
    for (op, registers) in [
        ("tbl", "v16.16b"),
        ("tbl", "v16.16b, v17.16b"),
        ("tbx", "v17.16b, v18.16b, v19.16b"),
        ("tbx", "v16.16b, v17.16b, v18.16b, v19.16b"),
    ] {
        lines.push(format!("{table}; {op} v0.16b, {{{registers}}}, v1.16b; {op} v1.8b, {{{registers}}}, v3.8b; and v2.16b, v2.16b, v20.16b; {op} v2.16b, {{{registers}}}, v2.16b; ushr v3.16b, v3.16b, #4; {op} v3.16b, {{{registers}}}, v3.16b"));
    }
    for line in [
        "aese v0.16b, v1.16b; aesd v2.16b, v3.16b; aesmc v1.16b, v1.16b; aesimc v3.16b, v3.16b",
        "pmull v0.1q, v1.1d, v2.1d; pmull2 v3.1q, v1.2d, v2.2d",
        "eor3 v0.16b, v1.16b, v2.16b, v3.16b; bcax v1.16b, v1.16b, v2.16b, v3.16b",
        "xar v0.2d, v1.2d, v2.2d, #11; rax1 v1.2d, v2.2d, v3.2d; xar v3.2d, v3.2d, v3.2d, #1",
    ] {
        lines.push(line.to_owned());
    }
    lines
}

fn assembly(lines: &[&str]) -> String {
    let mut text = ".arch armv8.2-a+crypto+sha3\n.text\n".to_owned();
    for (number, line) in lines.iter().enumerate() {
        text += &format!(".globl f{number}\n.type f{number}, %function\nf{number}:\n");
        text += "ldp q0, q1, [x0]\nldp q2, q3, [x0, #32]\n";
        text += "ldp x1, x2, [x0, #128]\nldp x3, x4, [x0, #144]\nldr x5, [x0, #160]\n";
        text += &format!("{}\n", line.replace("; ", "\n"));
        text += "stp x1, x2, [x0, #128]\nstp x3, x4, [x0, #144]\nstr x5, [x0, #160]\n";
        text += "stp q0, q1, [x0]\nstp q2, q3, [x0, #32]\n";
        text += &format!("ret\n.size f{number}, . - f{number}\n");
    }
    text + ".section .note.GNU-stack,\"\",%progbits\n"
}

#[test]
fn lifted_instructions_are_those_of_the_processor() {
    let lines = [general_lines(), vector_lines()].concat();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let functions =
        Functions { assembly: assembly(&lines), lines, state: STATE, register: 16, numbers: NUMBERS };
    println!("{} functions", functions.lines.len());
    let processor = Processor {
        architecture: Architecture::Aarch64,
        gcc: "aarch64-linux-gnu-gcc",
        flags: &["-static"],
        runner: &["qemu-aarch64"],
    };
    let found = compare(&functions, &processor);
    assert!(found.wrong.is_empty(), "{}", found.wrong.join("\n"));
    assert!(found.refused.is_empty(), "{}", found.refused.join("\n"));
    let (count, differences) = aarch64_disagreements(&found.object).expect("binutils for AArch64");
    assert!(count > 1000 && differences.is_empty(), "of {count}: {}", differences.join("\n"));
}
