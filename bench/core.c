/* core.c - what orders of instructions need to know of a core with AVX-512: latencies, what stores do to vpternlog, and how many
 * instructions wait for operands before nothing behind them can start. usuba-target/src/core.rs has what came of it. */
#include "timing.h"
#include <stdio.h>

/* A function that runs `body` so many times, on a stack of 4 KiB. */
#define CODE(name, times, body)                                                                            \
    __asm__(".text\n.intel_syntax noprefix\n" name ":\n push rbp\n mov rbp, rsp\n sub rsp, 4096\n and rsp, -64\n"   \
            ".rept " #times "\n" body "\n.endr\n vzeroupper\n mov rsp, rbp\n pop rbp\n ret\n.att_syntax\n")

#define TERNARY(a, b, c) "vpternlogq zmm" #a ", zmm" #b ", zmm" #c ", 150\n"
#define XOR(a, b, c) "vpxorq zmm" #a ", zmm" #b ", zmm" #c "\n"
#define COPY(a, b) "vmovdqa64 zmm" #a ", zmm" #b "\n"
#define STORE(place) "vmovdqa64 [rsp + " #place "], zmm30\n"

CODE("first_operand", 200, TERNARY(0, 30, 31));
/* Each overwrites a copy of what was there before, and reads what the last one made. */
CODE("second_operand", 100, COPY(4, 30) TERNARY(4, 3, 31) COPY(3, 30) TERNARY(3, 4, 31));
CODE("third_operand", 100, COPY(4, 30) TERNARY(4, 31, 3) COPY(3, 30) TERNARY(3, 31, 4));
CODE("two_operands", 200, XOR(0, 0, 31));
CODE("through_memory", 100, "vmovdqa64 [rsp], zmm0\nvpxorq zmm0, zmm31, [rsp]\n");

#define EIGHT_TERNARIES                                                                                        \
    TERNARY(0, 30, 31) TERNARY(1, 30, 31) TERNARY(2, 30, 31) TERNARY(3, 30, 31) TERNARY(4, 30, 31) TERNARY(5, 30, 31)  \
        TERNARY(6, 30, 31) TERNARY(7, 30, 31)
#define MORE_TERNARIES                                                                                         \
    TERNARY(8, 30, 31) TERNARY(9, 30, 31) TERNARY(10, 30, 31) TERNARY(11, 30, 31) TERNARY(12, 30, 31)                 \
        TERNARY(13, 30, 31) TERNARY(14, 30, 31) TERNARY(15, 30, 31)
#define EIGHT_XORS                                                                                             \
    XOR(0, 30, 31) XOR(1, 30, 31) XOR(2, 30, 31) XOR(3, 30, 31) XOR(4, 30, 31) XOR(5, 30, 31) XOR(6, 30, 31)           \
        XOR(7, 30, 31)
CODE("ternaries", 32, EIGHT_TERNARIES MORE_TERNARIES);
CODE("ternaries_and_store", 32, EIGHT_TERNARIES STORE(0) MORE_TERNARIES STORE(64));
CODE("ternaries_and_stores", 32, EIGHT_TERNARIES STORE(0) STORE(64) MORE_TERNARIES STORE(128) STORE(192));
CODE("xors", 64, EIGHT_XORS);
CODE("xors_and_stores", 64, EIGHT_XORS STORE(0) STORE(64));

/* Two chains that need nothing of each other, and `filling` instructions between them that wait for the first: as long as these
 * fit where instructions wait, both chains run at once. */
#define CHAIN(register) ".rept 12\n vdivsd " register ", " register ", xmm29\n .endr\n"
#define BETWEEN(name, filling)                                                                               \
    CODE(name, 16,                                                                                           \
         CHAIN("xmm0") ".set filler, 0\n.rept " #filling "\n vpxorq zmm4, zmm0, zmm31\n.endr\n" CHAIN("xmm1") "lfence\n")
BETWEEN("waiting_0", 0);
BETWEEN("waiting_32", 32);
BETWEEN("waiting_48", 48);
BETWEEN("waiting_64", 64);
BETWEEN("waiting_96", 96);

/* Chains side by side. */
CODE("chains_4", 50, TERNARY(0, 30, 31) TERNARY(1, 30, 31) TERNARY(2, 30, 31) TERNARY(3, 30, 31));
CODE("chains_8", 30, EIGHT_TERNARIES);
CODE("chains_16", 15, EIGHT_TERNARIES MORE_TERNARIES);

#define CASES(use)                                                                                             \
    use(first_operand, 200, "vpternlog, through the operand that it overwrites")                                      \
    use(second_operand, 200, "vpternlog, through its second operand")                                                 \
    use(third_operand, 200, "vpternlog, through its third operand")                                                   \
    use(two_operands, 200, "vpxorq")                                                                                  \
    use(through_memory, 100, "vpxorq of what was stored just now")                                                    \
    use(chains_4, 200, "vpternlog, 4 chains side by side")                                                            \
    use(chains_8, 240, "vpternlog, 8 chains side by side")                                                            \
    use(chains_16, 240, "vpternlog, 16 chains side by side")                                                          \
    use(ternaries, 64, "8 vpternlog")                                                                                 \
    use(ternaries_and_store, 64, "8 vpternlog, 1 store of 512 bits")                                                  \
    use(ternaries_and_stores, 64, "8 vpternlog, 2 stores of 512 bits")                                                \
    use(xors, 64, "8 vpxorq")                                                                                         \
    use(xors_and_stores, 64, "8 vpxorq, 2 stores of 512 bits")                                                        \
    use(waiting_0, 16, "two chains of 12 divisions, side by side")                                                    \
    use(waiting_32, 16, "the same, 32 vpxorq that wait for the first between them")                                   \
    use(waiting_48, 16, "48 of them")                                                                                 \
    use(waiting_64, 16, "64 of them")                                                                                 \
    use(waiting_96, 16, "96 of them")

#define DECLARE(name, times, text) TEN(name)
CASES(DECLARE)

#define PRINT(name, times, text)                                                                               \
    __asm__ volatile("vmovq %0, %%xmm29\n vmovq %0, %%xmm0\n vmovq %0, %%xmm1" : : "r"(one) : "xmm0", "xmm1", "xmm29"); \
    measure(ten_##name, times * 10);                                                                                  \
    printf("%-66s %8.2f\n", text, measure(ten_##name, times * 10));

int main(void)
{
    const double unit = 1.0;
    uint64_t one;
    __builtin_memcpy(&one, &unit, sizeof one);
    CASES(PRINT)
    return 0;
}
