/* usuba_format.h - what bytes mean, and words in memory. */
#ifndef USUBA_FORMAT_H
#define USUBA_FORMAT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__) || defined(__clang__)
#define USUBA_UNUSED __attribute__((unused))
#define USUBA_STATIC static inline __attribute__((unused))
#if defined(__OPTIMIZE__)
#define USUBA_INLINE static inline __attribute__((always_inline, unused))
#else
/* Without optimisation, what is inlined keeps the cases that its constant arguments rule out: code would be fifty times as
 * long, and the compiler thirty times as slow. */
#define USUBA_INLINE USUBA_STATIC
#endif
#else
#define USUBA_UNUSED
#define USUBA_STATIC static inline
#define USUBA_INLINE static inline
#endif

/* GCC leaves short loops at -O2, and then works out places when it runs. Sanitizers would check every copy. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
#define USUBA_UNROLL _Pragma("GCC unroll 8")
#else
#define USUBA_UNROLL
#endif

/* Whether the machine stores words with the most significant byte first. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define USUBA_BIG_ENDIAN 1
#else
#define USUBA_BIG_ENDIAN 0
#endif

/* How words of m bits lie in bytes.
 * BIG: their bits from the most significant, in sequence; for m a multiple of 8, big-endian words.
 * LITTLE: m a multiple of 8: little-endian words; m = 1: bit i is bit i mod 8 of byte i div 8.
 * PLANES: m bytes make 8 words; bit i, from the most significant, of word k is bit 7 - k of byte i.
 * NIBBLES: m nibbles make 4 words; bit i, from the most significant, of word k is bit 3 - k of nibble i, the upper nibble of
 * a byte coming before the lower. */
enum usuba_order { USUBA_BIG, USUBA_LITTLE, USUBA_PLANES, USUBA_NIBBLES };

/* A byte string and what it means: `words` words of `width` bits in `bytes` bytes. */
struct usuba_format {
    enum usuba_order order;
    size_t width;
    size_t words;
    size_t bytes;
};

/* Bits of the cells whose bits are spread over as many words; 0 if words are not planes. */
USUBA_INLINE size_t usuba_cell_bits(struct usuba_format format)
{
    return format.order == USUBA_PLANES ? 8 : format.order == USUBA_NIBBLES ? 4 : 0;
}

/* The number of a bit among the bits of all words, those of a word from the most significant, given its byte and its
 * place in it from the least significant. At or beyond width * words for the unused bits of a last byte. */
USUBA_INLINE size_t usuba_bit_number(struct usuba_format format, size_t byte, size_t bit)
{
    const size_t m = format.width, cell_bits = usuba_cell_bits(format);
    if (cell_bits != 0) {
        const size_t cell = (8 * byte + (7 - bit)) / cell_bits;
        return (cell / m * cell_bits + (7 - bit) % cell_bits) * m + cell % m;
    }
    if (format.order == USUBA_BIG)
        return 8 * byte + (7 - bit);
    if (m == 1)
        return 8 * byte + bit;
    return byte / (m / 8) * m + (m - 1 - (8 * (byte % (m / 8)) + bit));
}

/* Which of the blocks of a batch instance number `instance` of a register is, `of` instances to a register of `size`
 * bytes. Blocks go to instances in the order in which whole registers are loaded from blocks of 8 or of 16 bytes. A
 * register is `pieces` of 16 bytes, the lanes in which x86 shuffles, or one that is shorter; in binary, most significant
 * first, instance = piece, place and block = place, piece; for blocks of 8 bytes, two to a piece,
 * instance = piece, place, one and block = place, piece, one. With a single piece this is the natural order. */
USUBA_INLINE size_t usuba_block_of(size_t instance, size_t of, size_t size, size_t bytes)
{
    const size_t pieces = size < 16 ? 1 : size / 16, places = of / pieces;
    const size_t piece = instance / places, place = instance % places;
    if (bytes == 8)
        return (place / 2 * pieces + piece) * 2 + place % 2;
    return place * pieces + piece;
}

/* The same number, of which compilers know nothing. */
USUBA_INLINE uint64_t usuba_unknown(uint64_t x)
{
#if defined(__GNUC__) || defined(__clang__)
    __asm__("" : "+r"(x));
#endif
    return x;
}

/* 64-bit words in memory, little-endian and big-endian. */
#if defined(__BYTE_ORDER__) && (defined(__GNUC__) || defined(__clang__))
USUBA_INLINE uint64_t usuba_load64(const unsigned char *p)
{
    uint64_t x;
    memcpy(&x, p, 8);
    return USUBA_BIG_ENDIAN ? __builtin_bswap64(x) : x;
}

USUBA_INLINE uint64_t usuba_load64_big(const unsigned char *p)
{
    return __builtin_bswap64(usuba_load64(p));
}

USUBA_INLINE void usuba_store64(unsigned char *p, uint64_t x)
{
    x = USUBA_BIG_ENDIAN ? __builtin_bswap64(x) : x;
    memcpy(p, &x, 8);
}

USUBA_INLINE void usuba_store64_big(unsigned char *p, uint64_t x)
{
    usuba_store64(p, __builtin_bswap64(x));
}

/* Words of 32 bits: their bytes the other way round, and in memory, little-endian. */
USUBA_INLINE uint32_t usuba_swap32(uint32_t x)
{
    return __builtin_bswap32(x);
}

USUBA_INLINE uint32_t usuba_load32(const unsigned char *p)
{
    uint32_t x;
    memcpy(&x, p, 4);
    return USUBA_BIG_ENDIAN ? usuba_swap32(x) : x;
}

USUBA_INLINE void usuba_store32(unsigned char *p, uint32_t x)
{
    x = USUBA_BIG_ENDIAN ? usuba_swap32(x) : x;
    memcpy(p, &x, 4);
}
#else
USUBA_INLINE uint64_t usuba_load64(const unsigned char *p)
{
    uint64_t x = 0;
    size_t i;
    for (i = 0; i < 8; i++)
        x |= (uint64_t)p[i] << (8 * i);
    return x;
}

USUBA_INLINE uint64_t usuba_load64_big(const unsigned char *p)
{
    uint64_t x = 0;
    size_t i;
    for (i = 0; i < 8; i++)
        x = x << 8 | p[i];
    return x;
}

USUBA_INLINE void usuba_store64(unsigned char *p, uint64_t x)
{
    size_t i;
    for (i = 0; i < 8; i++)
        p[i] = (unsigned char)(x >> (8 * i));
}

USUBA_INLINE void usuba_store64_big(unsigned char *p, uint64_t x)
{
    size_t i;
    for (i = 0; i < 8; i++)
        p[i] = (unsigned char)(x >> (8 * (7 - i)));
}

USUBA_INLINE uint32_t usuba_swap32(uint32_t x)
{
    return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
}

USUBA_INLINE uint32_t usuba_load32(const unsigned char *p)
{
    return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

USUBA_INLINE void usuba_store32(unsigned char *p, uint32_t x)
{
    size_t i;
    for (i = 0; i < 4; i++)
        p[i] = (unsigned char)(x >> (8 * i));
}
#endif

/* The bytes of a lane the other way round. */
USUBA_INLINE uint64_t usuba_reverse_lane(uint64_t value, size_t lane)
{
    if (lane == 2)
        return (value & 0xff) << 8 | (value >> 8 & 0xff);
    if (lane == 4)
        return (value & 0xff) << 24 | (value & 0xff00) << 8 | (value >> 8 & 0xff00) | (value >> 24 & 0xff);
    if (lane == 8) {
        unsigned char bytes[8];
        usuba_store64(bytes, value);
        return usuba_load64_big(bytes);
    }
    return value;
}

/* Little-endian words of the first `bytes` <= 8 bytes only. */
USUBA_INLINE uint64_t usuba_load_part(const unsigned char *p, size_t bytes)
{
    uint64_t x = 0;
    size_t i;
    if (bytes == 8)
        return usuba_load64(p);
    for (i = 0; i < bytes; i++)
        x |= (uint64_t)p[i] << (8 * i);
    return x;
}

USUBA_INLINE void usuba_store_part(unsigned char *p, uint64_t x, size_t bytes)
{
    size_t i;
    if (bytes == 8) {
        usuba_store64(p, x);
        return;
    }
    for (i = 0; i < bytes; i++)
        p[i] = (unsigned char)(x >> (8 * i));
}

#endif
