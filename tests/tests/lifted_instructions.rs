//! Every instruction that the lifter of object code knows computes what the processor computes, on random states.
//!
//! Each line below is a function around one instruction, or a few: it loads registers from a state in memory, runs the
//! lines, and stores the registers. The processor runs the function, and the lifter runs its bytes with the same state as
//! constants. Lines for features that the processor lacks are left out, and said.

use usuba_tests::lifted::{Functions, Processor, compare};
use usuba_verify::object::file::Architecture;

/// Bytes of a state: four vector registers of 64 bytes, 64 bytes of memory for operands, five general-purpose registers.
const STATE: usize = NUMBERS + 5 * 8;

/// Where the general-purpose registers are.
const NUMBERS: usize = 4 * 64 + 64;

/// Lines on general-purpose registers rax, rcx, rdx, rsi, r8, with `setcc` where they set flags.
fn scalar_lines() -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let widths = [["rax", "rcx"], ["eax", "ecx"], ["ax", "cx"], ["al", "cl"], ["ah", "cl"]];
    for op in ["add", "sub", "and", "or", "xor", "adc", "sbb", "cmp", "test"] {
        for [a, b] in widths {
            // The carry that goes in comes from another sum.
            lines.push(format!("add r8, rsi; {op} {a}, {b}; setb dl; setc dh"));
        }
    }
    for condition in ["e", "ne", "b", "ae", "be", "a", "l", "ge", "le", "g", "s", "ns", "o", "no"] {
        lines.push(format!("cmp eax, ecx; set{condition} dl; cmov{condition} rsi, r8"));
        lines.push(format!("cmp rax, rax; set{condition} dl"));
        lines.push(format!("and al, cl; set{condition} dl"));
        lines.push(format!("add ax, cx; cmov{condition} esi, r8d"));
        lines.push(format!("sub al, cl; set{condition} dl"));
    }
    for op in ["inc", "dec", "neg", "not", "bswap"] {
        for register in ["rax", "ecx"] {
            lines.push(format!("{op} {register}"));
        }
    }
    lines.push("add rax, rcx; inc rdx; setb al; setl cl".to_owned());
    lines.push("neg rax; setb dl; sets cl; dec ax; sete sil".to_owned());
    for op in ["shl", "shr", "sar", "rol", "ror"] {
        for (register, amounts) in
            [("rax", [1, 7, 8, 63]), ("eax", [1, 5, 16, 31]), ("ax", [1, 3, 8, 15]), ("al", [1, 2, 4, 7])]
        {
            for amount in amounts {
                lines.push(format!("{op} {register}, {amount}"));
            }
        }
    }
    for line in [
        "movzx eax, cl; movzx edx, cx; movsx rsi, cx; movsxd r8, ecx",
        "movsx eax, cl; movsx rdx, byte ptr [rdi + 257]; movzx esi, word ptr [rdi + 260]",
        "cdqe",
        "cwde",
        "cdq",
        "cqo",
        "mov eax, ecx; mov dx, cx; mov sil, cl; mov ah, ch",
        "lea rax, [rcx + 4*rdx + 77]; lea esi, [r8 + rcx]; lea rdx, [rdx*8 - 3]",
        "xchg rax, rcx; xchg edx, esi",
        "push rax; push rcx; pop rdx; pop rsi",
        "imul rax, rcx; imul edx, esi, 77; imul r8w, cx, -5",
        "shld rax, rcx, 11; shrd edx, esi, 9; shld cx, si, 5; shrd dx, ax, 9",
        "mov rax, -2; mov ecx, 0x80000000; mov rdx, 0x123456789abcdef0",
        "mov qword ptr [rdi + 256], rax; mov dword ptr [rdi + 264], ecx; mov word ptr [rdi + 270], dx; mov byte ptr [rdi + 273], sil",
        "add qword ptr [rdi + 256], rax; xor ecx, dword ptr [rdi + 260]; not byte ptr [rdi + 261]",
        "xor eax, eax; setb cl; sete dl",
        "mov rax, qword ptr [rdi + 256]; movbe rcx, qword ptr [rdi + 264]",
        "mov ecx, 3; lea rsi, [rdi + 256]; mov rdx, rdi; lea rdi, [rdi + 288]; rep movsq; mov rdi, rdx; xor esi, esi; xor edx, edx",
        "mov ecx, 5; mov rdx, rdi; lea rdi, [rdi + 288]; rep stosd; mov rdi, rdx; xor edx, edx",
        "andn rax, rcx, rdx; rorx rsi, r8, 13; rorx ecx, eax, 7",
        "bt rax, 5; setb dl; bt ecx, 17; setc sil",
        "btr rax, 63; setb dl; bts ecx, 17; setc sil; btc r8, 7; btr r9d, 31",
        "mov rdx, rcx; bt rax, rdx; setb sil; bt r8d, edx; setae dl",
        "mov edx, 0x28000; tzcnt rcx, rdx; xor edx, edx; tzcnt esi, edx; tzcnt r8, rdx",
        // A table of jumps.
        "lea rax, [rip + 2f]; movsxd rcx, dword ptr [rax + 4]; add rcx, rax; jmp rcx; 1: mov edx, 7; 3: mov esi, 9; \
         .pushsection .rodata; 2: .long 1b - 2b; .long 3b - 2b; .popsection; xor eax, eax; xor ecx, ecx",
        "mul rcx; mov rcx, rdx; mulx rsi, r8, rax",
        "shl eax, 3; sete dl; sets cl; shr r8, 40; setne sil; sar cl, 7; setns dh",
        "test rdi, rdi; sete dl; setne cl; seta sil",
        "mov rdx, rcx; mov ecx, 9; shlx rax, rax, rcx; shrx rsi, rsi, rcx; sarx r8d, r8d, ecx; mov rcx, rdx",
    ] {
        lines.push(line.to_owned());
    }
    lines
}

/// Lines on vectors, for one encoding: xmm, ymm or zmm registers 0 to 3.
fn vector_lines() -> Vec<(&'static str, String)> {
    let mut lines: Vec<(&str, String)> = Vec::new();
    let two = [
        "pand",
        "por",
        "pxor",
        "pandn",
        "paddb",
        "paddw",
        "paddd",
        "paddq",
        "psubb",
        "psubw",
        "psubd",
        "psubq",
        "pmullw",
        "pmulhuw",
        "packuswb",
        "packssdw",
        "packsswb",
        "pmulld",
        "pmuludq",
        "pcmpeqb",
        "pcmpeqw",
        "pcmpeqd",
        "pcmpeqq",
        "pcmpgtb",
        "pcmpgtw",
        "pcmpgtd",
        "pcmpgtq",
        "punpcklbw",
        "punpcklwd",
        "punpckldq",
        "punpcklqdq",
        "punpckhbw",
        "punpckhwd",
        "punpckhdq",
        "punpckhqdq",
        "andps",
        "orps",
        "xorps",
        "andnps",
        "andpd",
        "orpd",
        "xorpd",
        "andnpd",
        "unpcklps",
        "unpckhps",
        "unpcklpd",
        "unpckhpd",
    ];
    for op in two {
        lines.push(("sse4.2", format!("{op} xmm0, xmm1")));
        lines.push(("sse4.2", format!("{op} xmm2, xmmword ptr [rdi + 256]")));
        lines.push(("sse4.2", format!("{op} xmm3, xmm3")));
        lines.push(("avx2", format!("v{op} xmm0, xmm1, xmm2")));
        lines.push(("avx2", format!("v{op} ymm3, ymm1, ymmword ptr [rdi + 256]")));
    }
    for (size, shifts) in [
        (16, ["psllw", "psrlw", "psraw"].as_slice()),
        (32, &["pslld", "psrld", "psrad"]),
        (64, &["psllq", "psrlq"]),
    ] {
        for op in shifts {
            for by in [1, 7, 8, size - 1, size, 200] {
                lines.push(("sse4.2", format!("{op} xmm0, {by}")));
                lines.push(("avx2", format!("v{op} ymm0, ymm1, {by}")));
            }
        }
    }
    for by in [0, 1, 5, 15, 16, 31, 40] {
        lines.push(("sse4.2", format!("pslldq xmm0, {by}; psrldq xmm1, {by}; palignr xmm2, xmm3, {by}")));
        lines.push((
            "avx2",
            format!("vpslldq ymm0, ymm1, {by}; vpsrldq ymm2, ymm3, {by}; vpalignr ymm1, ymm2, ymm3, {by}"),
        ));
    }
    for by in [0, 1, 3, 6, 15, 17, 255] {
        lines.push((
            "avx512vl",
            format!("valignd zmm0, zmm1, zmm2, {by}; valignd ymm1, ymm2, ymm3, {by}; valignd xmm2, xmm3, xmm1, {by}"),
        ));
        lines.push((
            "avx512vl",
            format!("valignq zmm0, zmm1, zmm2, {by}; valignq ymm1, ymm2, ymmword ptr [rdi + 256], {by}; valignq xmm2, xmm3, xmm1, {by}"),
        ));
    }
    for n in [0x00, 0x1b, 0x4e, 0x93, 0xe4, 0xb1, 0xff] {
        lines.push((
            "sse4.2",
            format!("pshufd xmm0, xmm1, {n}; pshuflw xmm2, xmm3, {n}; pshufhw xmm1, xmm3, {n}"),
        ));
        lines.push((
            "sse4.2",
            format!("shufps xmm0, xmm1, {n}; shufpd xmm2, xmm3, {}; pblendw xmm1, xmm3, {n}", n & 3),
        ));
        lines.push((
            "avx2",
            format!("vpshufd ymm0, ymm1, {n}; vpshuflw ymm2, ymm3, {n}; vpshufhw ymm1, ymm3, {n}"),
        ));
        lines.push((
            "avx2",
            format!(
                "vshufps ymm0, ymm1, ymm2, {n}; vshufpd ymm3, ymm1, ymm2, {}; vpermilps ymm1, ymm2, {n}",
                n & 15
            ),
        ));
        lines.push(("avx2", format!("vpermq ymm0, ymm1, {n}; vperm2i128 ymm2, ymm3, ymm0, {}; vpblendd ymm1, ymm2, ymm3, {n}; vpblendw ymm3, ymm0, ymm1, {n}", n & 0xbb)));
        lines.push(("avx512vl", format!("vpternlogd ymm0, ymm1, ymm2, {n}; vpternlogq zmm3, zmm1, zmm2, {n}; vshufi64x2 zmm0, zmm1, zmm2, {n}; vshufi32x4 ymm1, ymm2, ymm3, {}", n & 3)));
        lines.push((
            "avx512_vbmi2",
            format!(
                "vpshldw zmm0, zmm1, zmm2, {n}; vpshldd ymm3, ymm1, ymm2, {n}; vpshldq xmm1, xmm2, xmm3, {n}"
            ),
        ));
        lines.push((
            "avx512_vbmi2",
            format!(
                "vpshrdw ymm0, ymm1, ymm2, {n}; vpshrdd zmm3, zmm1, zmm2, {n}; vpshrdq ymm1, ymm2, ymm3, {n}"
            ),
        ));
        lines.push(("avx512vl", format!("vpternlogd zmm0, zmm1, dword ptr [rdi + 256]{{1to16}}, {n}; vpermq zmm1, zmm2, {n}; vpshufd zmm2, zmm3, {n}")));
    }
    for line in [
        "movdqa xmm0, xmm1; movdqu xmm2, xmmword ptr [rdi + 261]; movups xmmword ptr [rdi + 300], xmm3; movaps xmm1, xmmword ptr [rdi + 272]",
        "movd xmm0, ecx; movq xmm1, rax; movd edx, xmm2; movq rsi, xmm3",
        "movq xmm0, xmm1; movq xmm2, qword ptr [rdi + 257]; movq qword ptr [rdi + 300], xmm3",
        "movss xmm0, xmm1; movss xmm2, dword ptr [rdi + 258]; movsd xmm1, xmm3; movsd xmm3, qword ptr [rdi + 259]; movss dword ptr [rdi + 301], xmm2",
        "movhps xmm0, qword ptr [rdi + 257]; movlps xmm1, qword ptr [rdi + 266]; movhps qword ptr [rdi + 300], xmm2; movlpd qword ptr [rdi + 310], xmm3",
        "movhlps xmm0, xmm1; movlhps xmm2, xmm3",
        "movddup xmm0, xmm1; lddqu xmm2, xmmword ptr [rdi + 257]",
        "psrad xmm0, 13; psraw xmm1, 6; packssdw xmm0, xmm2; packsswb xmm1, xmm3",
        "pinsrb xmm0, ecx, 5; pinsrw xmm1, ecx, 3; pinsrd xmm2, ecx, 2; pinsrq xmm3, rcx, 1",
        "pextrb eax, xmm0, 5; pextrw ecx, xmm1, 3; pextrd edx, xmm2, 2; pextrq rsi, xmm3, 1",
        "pcmpeqd xmm1, xmm1; psrld xmm1, 28; pshufb xmm0, xmm1",
        // A table that is known, at indices that are not.
        "mov rax, 0x1f2e3d4c5b6a7988; movq xmm1, rax; mov rax, 0x8796a5b4c3d2e1f0; pinsrq xmm1, rax, 1; movdqa xmm3, xmm1; pshufb xmm1, xmm0; psrlw xmm2, 4; pshufb xmm3, xmm2",
        "pmovsxbw xmm0, xmm1; pmovsxbd xmm2, xmm3; pmovsxwq xmm1, xmm2; pmovsxdq xmm3, xmm0",
        "pmovzxbw xmm0, xmm1; pmovzxbq xmm2, word ptr [rdi + 257]; pmovzxwd xmm1, xmm2; pmovzxdq xmm3, xmm0",
        "blendps xmm0, xmm1, 6",
    ] {
        lines.push(("sse4.2", line.to_owned()));
    }
    for line in [
        "vmovdqa ymm0, ymm1; vmovdqu ymm2, ymmword ptr [rdi + 261]; vmovups ymmword ptr [rdi + 280], ymm3; vmovaps xmm1, xmm2",
        "vmovd xmm0, ecx; vmovq xmm1, rax; vmovd edx, xmm2; vmovq rsi, xmm3; vmovq xmm3, xmm2",
        "vmovhps xmm0, xmm1, qword ptr [rdi + 257]; vmovlpd xmm1, xmm2, qword ptr [rdi + 266]; vmovhps qword ptr [rdi + 300], xmm2",
        "vmovss xmm0, xmm1, xmm2; vmovsd xmm3, xmm1, xmm2; vmovhlps xmm1, xmm2, xmm3; vmovlhps xmm2, xmm3, xmm0",
        "vpbroadcastb ymm0, xmm1; vpbroadcastw ymm1, word ptr [rdi + 257]; vpbroadcastd ymm2, xmm3; vpbroadcastq ymm3, qword ptr [rdi + 263]",
        "vbroadcastss ymm0, xmm1; vbroadcastsd ymm1, qword ptr [rdi + 257]; vbroadcasti128 ymm2, xmmword ptr [rdi + 259]; vbroadcastf128 ymm3, xmmword ptr [rdi + 260]; vmovddup xmm3, xmm1",
        "vinserti128 ymm0, ymm1, xmm2, 1; vinserti128 ymm1, ymm2, xmmword ptr [rdi + 257], 0; vextracti128 xmm2, ymm3, 1; vextracti128 xmmword ptr [rdi + 290], ymm0, 0",
        "vpinsrb xmm0, xmm1, ecx, 5; vpinsrw xmm1, xmm2, ecx, 3; vpinsrd xmm2, xmm3, ecx, 2; vpinsrq xmm3, xmm0, rcx, 1; vpextrb eax, xmm0, 5; vpextrq rsi, xmm3, 1",
        "vpmovsxbw ymm0, xmm1; vpmovsxwq ymm1, qword ptr [rdi + 257]; vpmovzxbd ymm2, xmm3; vpmovsxdq ymm3, xmm2",
        "vpblendvb ymm0, ymm1, ymm2, ymm3; vpblendvb xmm1, xmm2, xmmword ptr [rdi + 257], xmm3",
        "vzeroupper",
        "vzeroall",
        "vpcmpeqd ymm1, ymm1, ymm1; vpsrld ymm1, ymm1, 28; vpshufb ymm0, ymm0, ymm1; vpand ymm2, ymm2, ymm0",
    ] {
        lines.push(("avx2", line.to_owned()));
    }
    for line in [
        "vmovdqa64 zmm0, zmm1; vmovdqu8 zmm2, zmmword ptr [rdi + 250]; vmovdqu32 ymm3, ymm1",
        "vpxord zmm0, zmm1, zmm2; vpandq zmm1, zmm2, zmm3; vporq ymm2, ymm3, ymm0; vpandnd zmm3, zmm0, zmm1",
        "vprold zmm0, zmm1, 3; vprolq ymm2, ymm3, 17; vprord zmm1, zmm2, 5; vprorq xmm3, xmm0, 63; vprold xmm2, xmm1, 0",
        "vpsraq zmm0, zmm1, 9; vpmullq ymm2, ymm3, ymm1",
        "vpaddd zmm0, zmm1, dword ptr [rdi + 256]{1to16}; vpxorq ymm1, ymm2, qword ptr [rdi + 256]{1to4}",
        "vpbroadcastd zmm0, ecx; vpbroadcastb ymm1, eax; vbroadcasti32x4 zmm2, xmmword ptr [rdi + 257]; vbroadcasti64x4 zmm3, ymmword ptr [rdi + 257]",
        "vinserti64x2 zmm0, zmm1, xmm2, 3; vinserti64x4 zmm1, zmm2, ymm3, 1; vextracti32x4 xmm2, zmm3, 2; vextracti64x4 ymm3, zmm0, 1",
        "vpaddb zmm0, zmm1, zmm2; vpunpckhqdq zmm1, zmm2, zmm3; vpslldq zmm2, zmm3, 3; vpalignr zmm3, zmm0, zmm1, 7",
    ] {
        lines.push(("avx512vl", line.to_owned()));
    }
    // Sums of addresses that are none, on the way to one and to a number.
    for line in [
        "lea rcx, [4*rdi + 16]; mov rsi, rdi; sub rsi, rcx; mov [rdi + 272], rsi; lea rdx, [rdi + 256]; mov rcx, [rdi + 272]; mov rax, [rcx + 4*rdx - 752]; mov qword ptr [rdi + 272], 0; xor ecx, ecx; xor esi, esi; xor edx, edx",
        "mov rcx, rdi; neg rcx; mov rax, [rcx + 2*rdi + 264]; lea rsi, [rcx + 2*rdi + 257]; mov rdx, [rsi]; xor ecx, ecx; xor esi, esi",
        "lea rcx, [rdi + 2*rdi]; lea rsi, [2*rdi + 5]; sub rsi, rcx; add rsi, rdi; lea rdx, [rcx + 7]; sub rdx, rcx; xor ecx, ecx",
    ] {
        lines.push(("sse4.2", line.to_owned()));
    }
    for line in [
        "vpsllvq ymm0, ymm1, ymm2; vpsrlvd ymm1, ymm2, ymm3; vpsravd ymm2, ymm3, ymm0",
        "vpcmpeqd xmm3, xmm3, xmm3; vpsrlq xmm3, xmm3, 60; vpsllvq xmm0, xmm1, xmm3; vpsrlvq xmm1, xmm2, xmm3",
        "lea rsi, [rdi + 256]; vmovq xmm0, rdi; vpinsrq xmm0, xmm0, rsi, 1; vmovdqu [rdi + 272], xmm0; mov rcx, [rdi + 280]; mov rax, [rcx]; mov rdx, [rdi + 272]; mov rdx, [rdx + 64]; vpxor xmm0, xmm0, xmm0; vmovdqu [rdi + 272], xmm0; xor ecx, ecx; xor esi, esi",
        "lea rsi, [rdi + 256]; vmovq xmm0, rsi; vmovq [rdi + 272], xmm0; vpinsrq xmm0, xmm0, rdi, 1; vmovhps [rdi + 280], xmm0; mov rcx, [rdi + 272]; mov rax, [rcx]; mov rcx, [rdi + 280]; mov rdx, [rcx + 64]; vpxor xmm0, xmm0, xmm0; vmovdqu [rdi + 272], xmm0; xor ecx, ecx; xor esi, esi",
        "lea rsi, [rdi + 256]; vmovq xmm0, rdi; vpinsrq xmm0, xmm0, rsi, 1; vmovq rax, xmm0; vpextrq rcx, xmm0, 1; mov rax, [rax + 64]; mov rdx, [rcx]; vpxor xmm0, xmm0, xmm0; xor ecx, ecx; xor esi, esi",
        "lea rsi, [rdi + 256]; vmovq xmm0, rsi; vpinsrq xmm0, xmm0, rdi, 1; vmovdqa xmm1, xmm0; movaps xmm2, xmm1; vmovq rax, xmm1; vpextrq rcx, xmm2, 1; mov rax, [rax]; mov rdx, [rcx + 264]; vpxor xmm0, xmm0, xmm0; vpxor xmm1, xmm1, xmm1; pxor xmm2, xmm2; xor ecx, ecx; xor esi, esi",
        "lea rsi, [rdi + 256]; vmovq xmm0, rdi; vmovq xmm1, rsi; vpunpcklqdq xmm2, xmm0, xmm1; vmovdqu [rdi + 272], xmm2; mov rcx, [rdi + 280]; mov rax, [rcx]; vpxor xmm0, xmm0, xmm0; vpxor xmm1, xmm1, xmm1; vpxor xmm2, xmm2, xmm2; vmovdqu [rdi + 272], xmm0; xor ecx, ecx; xor esi, esi",
    ] {
        lines.push(("avx2", line.to_owned()));
    }
    for line in [
        "kmovq k1, rax; vmovdqu8 zmm0{k1}, zmm1; vmovdqu8 zmm2{k1}{z}, zmm3",
        "kmovd k2, ecx; vpblendmb ymm0{k2}, ymm1, ymm2; vpblendmw zmm3{k2}, zmm1, zmm2; vpblendmd zmm2{k2}{z}, zmm0, zmm1",
        "kmovw k1, eax; vmovdqu32 zmmword ptr [rdi + 256]{k1}, zmm1; vmovdqa32 zmm2{k1}{z}, zmmword ptr [rdi + 256]; vmovdqu16 zmm3{k1}, zmmword ptr [rdi + 256]",
        "kmovb k3, ecx; vpxorq zmm0{k3}, zmm1, zmm2; vpermq zmm1{k3}{z}, zmm2, 0x4e; vpaddd ymm2{k3}, ymm3, ymm0; vprold xmm3{k3}, xmm1, 5",
        "vpmovb2m k1, zmm0; kmovq rax, k1; vpmovw2m k2, ymm1; kmovd ecx, k2; vpmovd2m k3, zmm2; kmovw edx, k3; vpmovq2m k4, zmm3; kmovb esi, k4",
        "kmovq k1, rax; kmovq k2, rcx; kandq k3, k1, k2; kandnq k4, k1, k2; korq k5, k1, k2; kxorq k6, k1, k2; kxnorq k7, k1, k2; knotq k1, k1; kmovq rax, k3; kmovq rcx, k4; kmovq rdx, k5; kmovq rsi, k6; kmovq r8, k7; vmovdqu8 zmm0{k1}, zmm1",
        "kmovd k1, eax; knotd k2, k1; kmovd ecx, k2; kxorw k3, k1, k1; kmovw edx, k3; kxnorb k4, k4, k4; kmovb esi, k4; kmovw word ptr [rdi + 258], k1; kmovb k5, byte ptr [rdi + 261]; kmovd r8d, k5",
        "vpmovwb ymm0, zmm1; vpmovqw xmm2, zmm3; vpmovdb xmm1, ymm2; vpmovqd ymmword ptr [rdi + 256], zmm3; vpmovdw ymm3, zmm0; vpmovqb xmm0, ymm1",
        "vpsllvw zmm0, zmm1, zmm2; vpsravq zmm1, zmm2, zmm3",
        "kmovd k1, eax; valignd zmm0{k1}, zmm1, zmm2, 7; valignq ymm1{k1}{z}, ymm2, ymm3, 1; valignq zmm2, zmm3, qword ptr [rdi + 256]{1to8}, 2",
        "vpermd zmm0, zmm1, zmm2; vpermq zmm1, zmm2, zmm3; vpermw zmm2, zmm3, zmm0; vpermps ymm3, ymm0, ymm1",
        "vpermt2q zmm0, zmm1, zmm2; vpermt2d ymm1, ymm2, ymm3; vpermt2w zmm2, zmm3, zmm0; vpermi2q ymm3, ymm0, ymm1",
        "vpermi2d zmm0, zmm1, zmm2; vpermi2w xmm1, xmm2, xmm3; vpermt2q zmm2, zmm3, zmmword ptr [rdi + 256]; kmovb k1, eax; vpermt2q zmm3{k1}, zmm0, zmm1",
        "mov rax, 0x0000000800000010; vmovq xmm1, rax; vpmovzxdq xmm1, xmm1; mov eax, 3; kmovb k1, eax; kmovb k2, ecx; vpscatterqq [rdi + xmm1 + 264]{k1}, xmm2; vpscatterqd [rdi + xmm1 + 257]{k2}, xmm3; kmovb edx, k1; kmovb esi, k2",
        "mov rax, 0x0000000200000001; vmovq xmm1, rax; mov eax, 3; kmovb k1, eax; vpscatterdd [rdi + 4*xmm1 + 256]{k1}, xmm2; kmovb k1, eax; vpscatterdq [rdi + 8*xmm1 + 280]{k1}, xmm3",
    ] {
        lines.push(("avx512vl", line.to_owned()));
    }
    lines.push((
        "avx512vbmi",
        "vpermb ymm0, ymm1, ymm2; vpermt2b ymm1, ymm2, ymm3; vpermi2b ymm3, ymm0, ymm2".to_owned(),
    ));
    lines.push(("avx2", "vpermd ymm0, ymm1, ymm2; vpermps ymm3, ymm2, ymm1".to_owned()));
    lines.push(("gfni", "gf2p8affineqb xmm0, xmm1, 0x63; gf2p8affineqb xmm2, xmm3, 0".to_owned()));
    lines.push(("aes", "aesenc xmm0, xmm1; aesenclast xmm2, xmm3; aesdec xmm1, xmm0; aesdeclast xmm3, xmm2; aesimc xmm0, xmm3".to_owned()));
    lines.push(("vaes", "vaesenc ymm0, ymm1, ymm2; vaesenclast ymm1, ymm2, ymm3; vaesdec ymm2, ymm3, ymm0; vaesdeclast ymm3, ymm0, ymm1".to_owned()));
    for n in [0x00, 0x01, 0x10, 0x11] {
        lines.push(("pclmulqdq", format!("pclmulqdq xmm0, xmm1, {n}")));
        lines.push(("vpclmulqdq", format!("vpclmulqdq ymm0, ymm1, ymm2, {n}")));
    }
    let matrix = "mov rax, 0xf1e3c78f1f3e7cf8; movq xmm1, rax; punpcklqdq xmm1, xmm1";
    lines.push((
        "gfni",
        format!(
            "{matrix}; gf2p8affineqb xmm0, xmm1, 0x63; gf2p8affineinvqb xmm2, xmm1, 0x63; movaps xmm1, xmm0"
        ),
    ));
    lines
}

/// The features that the processor has, as the kernel of the system names them.
fn features() -> Vec<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
    line.split_whitespace().map(|flag| flag.replace("sse4_2", "sse4.2")).collect()
}

fn assembly(lines: &[(&str, String)], wide: bool) -> String {
    let mut text = ".intel_syntax noprefix\n.text\n".to_owned();
    for (number, (feature, line)) in lines.iter().enumerate() {
        text += &format!(".globl f{number}\n.type f{number}, @function\nf{number}:\n");
        let vectors = *feature != "scalar";
        let (name, load) = match (*feature, wide) {
            ("avx512vl", true) => ("zmm", "vmovdqu64"),
            ("sse4.2" | "aes" | "pclmulqdq" | "gfni", _) => ("xmm", "movdqu"),
            _ => ("ymm", "vmovdqu"),
        };
        if vectors {
            (0..4).for_each(|n| text += &format!("{load} {name}{n}, [rdi + {}]\n", 64 * n));
        }
        let general = ["rax", "rcx", "rdx", "rsi", "r8"];
        for (n, register) in general.iter().enumerate() {
            text += &format!("mov {register}, [rdi + {}]\n", NUMBERS + 8 * n);
        }
        text += &format!("{}\n", line.replace("; ", "\n"));
        for (n, register) in general.iter().enumerate() {
            text += &format!("mov [rdi + {}], {register}\n", NUMBERS + 8 * n);
        }
        if vectors {
            (0..4).for_each(|n| text += &format!("{load} [rdi + {}], {name}{n}\n", 64 * n));
        }
        text += &format!("ret\n.size f{number}, . - f{number}\n");
    }
    text + ".section .note.GNU-stack,\"\",@progbits\n"
}

#[test]
fn lifted_instructions_are_those_of_the_processor() {
    if !cfg!(target_arch = "x86_64") {
        println!("left out: no x86-64");
        return;
    }
    let have = features();
    let has = |feature: &str| feature == "scalar" || have.iter().any(|known| known == feature);
    let scalar = scalar_lines().into_iter().map(|line| ("scalar", line));
    let (lines, missing): (Vec<_>, Vec<_>) = scalar
        .chain(vector_lines())
        .partition(|(feature, _)| has(feature) && (*feature != "scalar" || has("bmi2")));
    println!("{} functions; {} are left out: the processor lacks what they need", lines.len(), missing.len());
    let functions = Functions {
        lines: lines.iter().map(|(_, line)| line.as_str()).collect(),
        assembly: assembly(&lines, has("avx512f")),
        state: STATE,
        register: 64,
        numbers: NUMBERS,
    };
    let processor = Processor { architecture: Architecture::X86_64, gcc: "gcc", flags: &[], runner: &[] };
    let found = compare(&functions, &processor);
    assert!(found.wrong.is_empty(), "{}", found.wrong.join("\n"));
    // Shifts, indices, masks of accesses and long products that are not known.
    println!("{} are refused where nothing is known of the state", found.refused.len());
    assert!(found.refused.len() <= 11, "{}", found.refused.join("\n"));
}
