/* Core cycles per byte of every stage around a kernel: packing, unpacking, counters, exclusive-or. Compile with the flags of a
 * target; bench/transposition.sh does it for all. What is printed is the median of many samples. */
#include "usuba_drivers.h"

#include "timing.h"
#include <stdio.h>

enum { BYTES = 32768 };

static unsigned char blocks[BYTES + 64] __attribute__((aligned(64)));
static unsigned char image[BYTES + 64] __attribute__((aligned(64)));
static unsigned char registers[BYTES + 64] __attribute__((aligned(64)));

#if defined(__AVX512BW__) && !defined(HALF)
#define SIZE 64
#elif defined(__AVX2__)
#define SIZE 32
#else
#define SIZE 16
#endif

/* CASE(name, what, size, instances, packing, unpacking, format...) */
#define CASES(CASE) \
    CASE(aes_b, "B  AES        planes 16 bytes", SIZE, 8 * SIZE, b, , USUBA_PLANES, 16, 8, 16) \
    CASE(serpent_b, "B  Serpent    little 16 bytes", SIZE, 8 * SIZE, b, , USUBA_LITTLE, 32, 4, 16) \
    CASE(des_b, "B  DES        big     8 bytes", SIZE, 8 * SIZE, b, , USUBA_BIG, 1, 64, 8) \
    CASE(rectangle_b, "B  RECTANGLE  little  8 bytes", SIZE, 8 * SIZE, b, , USUBA_LITTLE, 16, 4, 8) \
    CASE(aes_b8, "B  AES        on 64 bits     ", 8, 64, b, , USUBA_PLANES, 16, 8, 16) \
    CASE(des_b8, "B  DES        on 64 bits     ", 8, 64, b, , USUBA_BIG, 1, 64, 8) \
    CASE(serpent_v, "V  Serpent    little 16 bytes", SIZE, SIZE / 4, v, COMMA 4, USUBA_LITTLE, 32, 4, 16) \
    CASE(chacha_v, "V  ChaCha20   little 64 bytes", SIZE, SIZE / 4, v, COMMA 4, USUBA_LITTLE, 32, 16, 64) \
    CASE(ascon_v, "V  Ascon      big    40 bytes", SIZE, SIZE / 8, v, COMMA 8, USUBA_BIG, 64, 5, 40) \
    CASE(rectangle_v, "V  RECTANGLE  little  8 bytes", SIZE, SIZE / 2, v, COMMA 2, USUBA_LITTLE, 16, 4, 8) \
    CASE(ascon_v8, "V  Ascon      on 64 bits     ", 8, 1, v, COMMA 8, USUBA_BIG, 64, 5, 40) \
    CASE(aes_h, "H  AES        planes 16 bytes", SIZE, SIZE / 2, h, COMMA 8, USUBA_PLANES, 16, 8, 16) \
    CASE(camellia_h, "H  Camellia   planes 16 bytes", SIZE, SIZE, h, COMMA 16, USUBA_PLANES, 8, 16, 16) \
    CASE(sm4_h, "H  SM4        planes 16 bytes", SIZE, 2 * SIZE, h, COMMA 32, USUBA_PLANES, 4, 32, 16) \
    CASE(rectangle_h, "H  RECTANGLE  little  8 bytes", SIZE, SIZE / 2, h, COMMA 8, USUBA_LITTLE, 16, 4, 8) \
    CASE(gift_64_h, "H  GIFT-64    nibble  8 bytes", SIZE, SIZE / 2, h, COMMA 8, USUBA_NIBBLES, 16, 4, 8) \
    CASES_ABOVE_16(CASE)
#define COMMA ,
/* A word of 32 bits takes 32 bytes of a register at least. */
#if defined(__AVX2__)
#define CASES_ABOVE_16(CASE) \
    CASE(gift_128_h, "H  GIFT-128   nibble 16 bytes", SIZE, SIZE / 4, h, COMMA 8, USUBA_NIBBLES, 32, 4, 16) \
    CASE(serpent_h, "H  Serpent    little 16 bytes", SIZE, SIZE / 4, h, COMMA 8, USUBA_LITTLE, 32, 4, 16)
#else
#define CASES_ABOVE_16(CASE)
#endif

#define COUNT_b(name)
#define COUNT_v(name) , name##_pack_to
#define COUNT_h(name) , name##_pack_to

/* Packing; unpacking; and everything of a mode but the kernel: counters in registers, which stand for the results of a kernel,
 * and out = in ^ what they unpack to. */
#define FUNCTIONS(name, what, size, instances, layout, parameter, order, width, words, bytes) \
    static const struct usuba_format name##_format = { order, width, words, bytes }; \
    USUBA_INLINE void name##_pack_to(void *to, const unsigned char *from) \
    { \
        usuba_pack_##layout(to, size parameter, from, name##_format); \
    } \
    static __attribute__((noinline)) void name##_pack(void) \
    { \
        name##_pack_to(image, blocks); \
        __asm__ volatile("" : : : "memory"); \
    } \
    static __attribute__((noinline)) void name##_unpack(void) \
    { \
        usuba_unpack_##layout(usuba_output(blocks, NULL), image, size parameter, name##_format); \
        __asm__ volatile("" : : : "memory"); \
    } \
    static __attribute__((noinline)) void name##_mode(void) \
    { \
        static unsigned char counter[bytes]; \
        static struct usuba_count memory; \
        usuba_unpack_##layout(usuba_output(blocks, blocks), image, size parameter, name##_format); \
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
        const double in = measure(name##_pack, (instances) * bytes), out = measure(name##_unpack, (instances) * bytes); \
        const double mode = measure(name##_mode, (instances) * bytes); \
        printf("%-30s %7.3f %7.3f %7.3f %7.3f\n", what, in, out, in + out, mode); \
    }
    CASES(REPORT)
    return 0;
}
