/* ports.c - how many of each instruction a core with AVX-512 starts in a cycle, by itself and beside others: from which follows
 * which ports run what. usuba-target/src/core.rs has what came of it. */
#include "timing.h"
#include <stdio.h>

/* Sixteen of each, to sixteen registers, of which none reads another: what takes longer than they do is a lack of ports. */
#define EACH(use, size)                                                                                     \
    use(size, 0) use(size, 1) use(size, 2) use(size, 3) use(size, 4) use(size, 5) use(size, 6) use(size, 7)             \
        use(size, 8) use(size, 9) use(size, 10) use(size, 11) use(size, 12) use(size, 13) use(size, 14) use(size, 15)
#define BOTH(one, other, size)                                                                              \
    one(size, 0) other(size, 16) one(size, 1) other(size, 17) one(size, 2) other(size, 18) one(size, 3) other(size, 19) \
        one(size, 4) other(size, 20) one(size, 5) other(size, 21) one(size, 6) other(size, 22) one(size, 7) other(size, 23)

#define CODE(name, body)                                                                                    \
    __asm__(".text\n.intel_syntax noprefix\n" name ":\n push rbx\n mov rax, rsp\n sub rsp, 4096\n and rsp, -64\n"       \
            ".rept 32\n" body ".endr\n vzeroupper\n mov rsp, rax\n pop rbx\n ret\n.att_syntax\n")

#define AND(size, to) "vpandq " #size #to ", " #size "30, " #size "31\n"
#define TERNARY(size, to) "vpternlogq " #size #to ", " #size "30, " #size "31, 150\n"
#define ADD(size, to) "vpaddd " #size #to ", " #size "30, " #size "31\n"
#define SUBTRACT(size, to) "vpsubd " #size #to ", " #size "30, " #size "31\n"
#define SHIFT(size, to) "vpsrld " #size #to ", " #size "30, 7\n"
#define ARITHMETIC(size, to) "vpsraw " #size #to ", " #size "30, 7\n"
#define ROTATE(size, to) "vprold " #size #to ", " #size "30, 7\n"
#define BYTES(size, to) "vpshufb " #size #to ", " #size "30, " #size "31\n"
#define WORDS(size, to) "vpshufd " #size #to ", " #size "30, 57\n"
#define ALIGN(size, to) "vpalignr " #size #to ", " #size "30, " #size "31, 5\n"
#define QUADS(size, to) "vpermq " #size #to ", " #size "30, 57\n"
#define GROUPS(size, to) "vshufi64x2 " #size #to ", " #size "30, " #size "30, 1\n"
#define AFFINE(size, to) "vgf2p8affineqb " #size #to ", " #size "30, " #size "31, 0\n"
#define INVERSE(size, to) "vgf2p8affineinvqb " #size #to ", " #size "30, " #size "31, 0\n"
#define MULTIPLY(size, to) "vpmullw " #size #to ", " #size "30, " #size "31\n"
#define HALVES(size, to) "vpmuludq " #size #to ", " #size "30, " #size "31\n"
#define ROUND(size, to) "vaesenc " #size #to ", " #size "30, " #size "31\n"
#define PRODUCT(size, to) "vpclmulqdq " #size #to ", " #size "30, " #size "31, 0\n"
#define LOAD(size, to) "vmovdqa64 " #size #to ", [rsp + 64 * (" #to " % 8)]\n"
#define STORE(size, to) "vmovdqa64 [rsp + 64 * (" #to " % 8)], " #size "30\n"

#define INSTRUCTIONS(use, size)                                                                             \
    use(AND, size) use(TERNARY, size) use(ADD, size) use(SUBTRACT, size) use(SHIFT, size) use(ARITHMETIC, size)         \
        use(ROTATE, size) use(BYTES, size) use(WORDS, size) use(GROUPS, size) use(ALIGN, size) use(QUADS, size) use(AFFINE, size) use(INVERSE, size)      \
        use(MULTIPLY, size) use(HALVES, size) use(ROUND, size) use(PRODUCT, size) \
        use(LOAD, size) use(STORE, size)

/* General-purpose registers: eight targets, twice. */
#define GENERAL(name, text) CODE("general_" #name, text("r8") text("r9") text("r10") text("r11") text("rcx") text("rdx")     \
                                     text("rsi") text("rdi") text("r8") text("r9") text("r10") text("r11") text("rcx")  \
                                     text("rdx") text("rsi") text("rdi"))
#define GENERAL_AND(to) "and " to ", rbx\n"
#define GENERAL_ANDN(to) "andn " to ", rbx, rax\n"
#define GENERAL_NOT(to) "not " to "\n"
#define GENERAL_ADD(to) "add " to ", rbx\n"
#define GENERAL_SHIFT(to) "shr " to ", 7\n"
#define GENERAL_ROTATE(to) "rol " to ", 7\n"
#define GENERAL_RORX(to) "rorx " to ", rbx, 7\n"
#define GENERAL_MULTIPLY(to) "imul " to ", rbx\n"
#define GENERAL_LOAD(to) "mov " to ", [rsp + 8]\n"
#define GENERAL_STORE(to) "mov [rsp + 8], " to "\n"
#define GENERALS(use)                                                                                       \
    use(AND) use(ANDN) use(NOT) use(ADD) use(SHIFT) use(ROTATE) use(RORX) use(MULTIPLY) use(LOAD) use(STORE)

#define VECTOR(name, size)                                                                                  \
    CODE("alone_" #name "_" #size, EACH(name, size));                                                                   \
    CODE("ternary_" #name "_" #size, BOTH(name, TERNARY, size));                                                        \
    CODE("shift_" #name "_" #size, BOTH(name, SHIFT, size));                                                            \
    CODE("bytes_" #name "_" #size, BOTH(name, BYTES, size));                                                            \
    CODE("multiply_" #name "_" #size, BOTH(name, MULTIPLY, size));                                                      \
    TEN(alone_##name##_##size)                                                                                       \
    TEN(ternary_##name##_##size)                                                                                     \
    TEN(shift_##name##_##size)                                                                                       \
    TEN(bytes_##name##_##size)                                                                                       \
    TEN(multiply_##name##_##size)
INSTRUCTIONS(VECTOR, zmm)
INSTRUCTIONS(VECTOR, ymm)
#define SCALAR(name) GENERAL(name, GENERAL_##name); TEN(general_##name)
GENERALS(SCALAR)

/* A cycle's worth of each. */
static double a_cycle(void (*run)(void))
{
    measure(run, 5120);
    return 1 / measure(run, 5120);
}

#define PRINT(name, size)                                                                                   \
    printf("%-12s %s %7.2f %12.2f %12.2f %12.2f %12.2f\n", #name, #size, a_cycle(ten_alone_##name##_##size),            \
           a_cycle(ten_ternary_##name##_##size), a_cycle(ten_shift_##name##_##size), a_cycle(ten_bytes_##name##_##size),\
           a_cycle(ten_multiply_##name##_##size));
#define PRINT_GENERAL(name) printf("%-12s     %7.2f\n", #name, a_cycle(ten_general_##name));

int main(void)
{
    printf("%-16s %7s %12s %12s %12s %12s\n", "a cycle", "alone", "with TERNARY", "with SHIFT", "with BYTES", "with MULTIPLY");
    INSTRUCTIONS(PRINT, zmm)
    INSTRUCTIONS(PRINT, ymm)
    GENERALS(PRINT_GENERAL)
    return 0;
}
