/* Core cycles per byte of every stage around a kernel: packing, unpacking, counters, exclusive-or. Compile with the flags of a
 * target and the networks for it, `networks.h` of the example `networks` of usuba-package; bench/transposition.sh does it for
 * all. What is printed is the median of many samples. */
#include "usuba_drivers.h"
#include "usuba_count.h"

#include "networks.h"
#include "timing.h"
#include <stdio.h>

enum { BYTES = 32768 };

static unsigned char blocks[BYTES + 64] __attribute__((aligned(64)));
static unsigned char image[BYTES + 64] __attribute__((aligned(64)));
static unsigned char registers[BYTES + 64] __attribute__((aligned(64)));

/* CASE(name, what, size, instances, packing, unpacking, format...) */
#define CASES(CASE) \
    CASE(aes_b, "B  AES        planes 16 bytes", SIZE, 8 * SIZE, b, , USUBA_PLANES, 16, 8, 16) \
    CASE(serpent_b, "B  Serpent    little 16 bytes", SIZE, 8 * SIZE, b, , USUBA_LITTLE, 32, 4, 16) \
    CASE(des_b, "B  DES        big     8 bytes", SIZE, 8 * SIZE, b, , USUBA_BIG, 1, 64, 8) \
    CASE(rectangle_b, "B  RECTANGLE  little  8 bytes", SIZE, 8 * SIZE, b, , USUBA_LITTLE, 16, 4, 8) \
    CASE(serpent_v, "V  Serpent    little 16 bytes", SIZE, SIZE / 4, v, COMMA 4, USUBA_LITTLE, 32, 4, 16) \
    CASE(chacha_v, "V  ChaCha20   little 64 bytes", SIZE, SIZE / 4, v, COMMA 4, USUBA_LITTLE, 32, 16, 64) \
    CASE(ascon_v, "V  Ascon      big    40 bytes", SIZE, SIZE / 8, v, COMMA 8, USUBA_BIG, 64, 5, 40) \
    CASE(rectangle_v, "V  RECTANGLE  little  8 bytes", SIZE, SIZE / 2, v, COMMA 2, USUBA_LITTLE, 16, 4, 8) \
    CASE(gift_v, "V  GIFT-128   nibble 16 bytes", SIZE, SIZE / 4, v, COMMA 4, USUBA_NIBBLES, 32, 4, 16) \
    CASE(aes_h, "H  AES        planes 16 bytes", SIZE, SIZE / 2, h, COMMA 8, USUBA_PLANES, 16, 8, 16) \
    CASE(camellia_h, "H  Camellia   planes 16 bytes", SIZE, SIZE, h, COMMA 16, USUBA_PLANES, 8, 16, 16) \
    CASE(sm4_h, "H  SM4        planes 16 bytes", SIZE, 2 * SIZE, h, COMMA 32, USUBA_PLANES, 4, 32, 16) \
    CASE(rectangle_h, "H  RECTANGLE  little  8 bytes", SIZE, SIZE / 2, h, COMMA 8, USUBA_LITTLE, 16, 4, 8) \
    CASE(gift_64_h, "H  GIFT-64    nibble  8 bytes", SIZE, SIZE / 2, h, COMMA 8, USUBA_NIBBLES, 16, 4, 8) \
    CASES_ABOVE_16(CASE)
#define COMMA ,
/* A word of 32 bits takes 32 bytes of a register at least; general-purpose registers go through vectors of 16. */
#if SIZE > 16
#define CASES_ABOVE_16(CASE) \
    CASE(gift_128_h, "H  GIFT-128   nibble 16 bytes", SIZE, SIZE / 4, h, COMMA 8, USUBA_NIBBLES, 32, 4, 16) \
    CASE(serpent_h, "H  Serpent    little 16 bytes", SIZE, SIZE / 4, h, COMMA 8, USUBA_LITTLE, 32, 4, 16)
#else
#define CASES_ABOVE_16(CASE) \
    CASE(aes_b8, "B  AES        on 64 bits     ", 8, 64, b, , USUBA_PLANES, 16, 8, 16) \
    CASE(des_b8, "B  DES        on 64 bits     ", 8, 64, b, , USUBA_BIG, 1, 64, 8)
#endif

#define COUNT_b(name)
#define COUNT_v(name) , name##_pack
#define COUNT_h(name) , name##_pack

/* Packing; unpacking; and everything of a mode but the kernel: counters in registers, which stand for the results of a kernel,
 * and out = in ^ what they unpack to. */
#define FUNCTIONS(name, what, size, instances, layout, parameter, order, width, words, bytes) \
    static __attribute__((noinline)) void name##_in(void) \
    { \
        name##_pack(image, blocks); \
        __asm__ volatile("" : : : "memory"); \
    } \
    static __attribute__((noinline)) void name##_out(void) \
    { \
        name##_unpack(blocks, image); \
        __asm__ volatile("" : : : "memory"); \
    } \
    static __attribute__((noinline)) void name##_mode(void) \
    { \
        static unsigned char counter[bytes]; \
        static struct usuba_count memory; \
        name##_unpack_add(blocks, blocks, image); \
        __asm__ volatile("" : : : "memory"); \
        usuba_count_##layout(registers, size parameter, counter, instances, &memory, name##_format, 1, bytes COUNT_##layout(name)); \
        __asm__ volatile("" : : : "memory"); \
    }
CASES(FUNCTIONS)

int main(void)
{
    printf("%-30s %7s %7s %7s %7s\n", "", "in", "out", "sum", "ctr");
#define REPORT(name, what, size, instances, layout, parameter, order, width, words, bytes) \
    { \
        const double in = measure(name##_in, (instances) * bytes), out = measure(name##_out, (instances) * bytes); \
        const double mode = measure(name##_mode, (instances) * bytes); \
        printf("%-30s %7.3f %7.3f %7.3f %7.3f\n", what, in, out, in + out, mode); \
    }
    CASES(REPORT)
    return 0;
}
