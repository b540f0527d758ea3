use super::*;

#[test]
fn code_of_x86() {
    let text = "
k.o:     file format elf64-x86-64

Disassembly of section .text:

0000000000000000 <helper>:
   0:\tc5 fd ef c1          \tvpxor  %ymm1,%ymm0,%ymm0
   4:\tc3                   \tret

0000000000000010 <kernel>:
  10:\t55                   \tpush   %rbp
  11:\t48 89 e5             \tmov    %rsp,%rbp
  14:\tc5 fd 6f 07          \tvmovdqa (%rdi),%ymm0
  18:\tc5 fd 7f 44 24 20    \tvmovdqa %ymm0,0x20(%rsp)
  1e:\tc5 fd ef 4c 24 20    \tvpxor  0x20(%rsp),%ymm0,%ymm1
  24:\tc5 fd 6f 45 e0       \tvmovdqa -0x20(%rbp),%ymm0
  29:\t48 8d 44 24 20       \tlea    0x20(%rsp),%rax
  2e:\t48 39 44 24 08       \tcmp    %rax,0x8(%rsp)
  33:\t75 df                \tjne    14 <kernel+0x4>
  35:\te8 00 00 00 00       \tcall   0 <helper>
  3a:\tc3                   \tret
  3b:\t0f 1f 44 00 00       \tnopl   0x0(%rax,%rax,1)

0000000000000040 <driver>:
  40:\te8 00 00 00 00       \tcall   10 <kernel>
  45:\tc3                   \tret
";
    let code = parse(text, "kernel");
    assert_eq!(
        code,
        Code { bytes: 5 + 43, instructions: 13, loop_bytes: 0x35 - 0x14, stack_loads: 3, stack_stores: 1 }
    );
}

#[test]
fn code_of_arm_and_power() {
    let text = "
0000000000000000 <kernel>:
   0:\t3dc00000 \tldr\tq0, [x0]
   4:\t3d8007e0 \tstr\tq0, [sp, #16]
   8:\t3dc007e1 \tldr\tq1, [sp, #16]
   c:\t54ffffa1 \tb.ne\t0 <kernel>  // b.any
";
    assert_eq!(
        parse(text, "kernel"),
        Code { bytes: 16, instructions: 4, loop_bytes: 16, stack_loads: 1, stack_stores: 1 }
    );
    let text = "
0000000000000000 <.kernel>:
   0:\t11 00 01 f4 \tlxv     vs0,16(r1)
   4:\t15 00 01 f4 \tstxv    vs0,16(r1)
   8:\tf8 ff 20 42 \tbdnz    0 <.kernel>
";
    assert_eq!(
        parse(text, "kernel"),
        Code { bytes: 12, instructions: 3, loop_bytes: 12, stack_loads: 1, stack_stores: 1 }
    );
}

#[test]
fn no_code() {
    assert_eq!(parse("objdump: nothing here\n", "kernel"), Code::default());
}
