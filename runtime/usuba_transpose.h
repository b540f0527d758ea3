/* usuba_transpose.h - between the bytes of blocks and the registers of sliced code.
 *
 * A kernel made by usubac works on a batch of instances at once. Its parameters are arrays of registers, one register
 * per atom, in one of three layouts. In memory, which is how this file sees them:
 *
 *   B  an atom is one bit. Instance j is bit j mod 64 of the little-endian 64-bit word j div 64 of the register.
 *   V  an atom is a word. Instance j is lane j; a lane is 1, 2, 4 or 8 bytes in the byte order of the machine.
 *   H  an atom of m bits is spread over m elements. A register is a row of chunks; a chunk has m elements of `batch`
 *      bits, `batch` a multiple of 8; element e holds bit e, counted from the most significant, of `batch` instances;
 *      instance j of a chunk is bit j mod 8 of byte j div 8 of the element.
 *
 * Inputs that are the same for all instances ("uniform", `const` in the source) take less room: in B a 64-bit word per
 * bit, zero or all ones; in V a word per atom, as wide as a lane; in H one chunk per atom.
 *
 * Everything here is constant time: no branch and no address depends on the bytes of blocks and keys. Blocks may have
 * any alignment. Instances that have no block are zero. Bits beyond the last atom are zero.
 *
 * C99 and the attribute `always_inline`; either byte order. */
#ifndef USUBA_TRANSPOSE_H
#define USUBA_TRANSPOSE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__) || defined(__clang__)
#define USUBA_INLINE static inline __attribute__((always_inline))
#else
#define USUBA_INLINE static inline
#endif

/* How words of m bits lie in bytes.
 * BIG: their bits from the most significant, in sequence; for m a multiple of 8, big-endian words.
 * LITTLE: m a multiple of 8: little-endian words; m = 1: bit i is bit i mod 8 of byte i div 8.
 * PLANES: m bytes make 8 words; bit i, from the most significant, of word k is bit 7 - k of byte i. */
enum usuba_order { USUBA_BIG, USUBA_LITTLE, USUBA_PLANES };

/* A byte string and what it means: `words` words of `width` bits in `bytes` bytes. */
struct usuba_format {
    enum usuba_order order;
    size_t width;
    size_t words;
    size_t bytes;
};

/* The number of a bit among the bits of all words, those of a word from the most significant, given its byte and its
 * place in it from the least significant. At or beyond width * words for the unused bits of a last byte. */
USUBA_INLINE size_t usuba_bit_number(struct usuba_format format, size_t byte, size_t bit)
{
    const size_t m = format.width;
    if (format.order == USUBA_PLANES)
        return (byte / m * 8 + (7 - bit)) * m + byte % m;
    if (format.order == USUBA_BIG)
        return 8 * byte + (7 - bit);
    if (m == 1)
        return 8 * byte + bit;
    return byte / (m / 8) * m + (m - 1 - (8 * (byte % (m / 8)) + bit));
}

/* Little-endian 64-bit words in memory. */
USUBA_INLINE uint64_t usuba_load64(const unsigned char *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32 |
           (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

USUBA_INLINE void usuba_store64(unsigned char *p, uint64_t x)
{
    p[0] = (unsigned char)x;
    p[1] = (unsigned char)(x >> 8);
    p[2] = (unsigned char)(x >> 16);
    p[3] = (unsigned char)(x >> 24);
    p[4] = (unsigned char)(x >> 32);
    p[5] = (unsigned char)(x >> 40);
    p[6] = (unsigned char)(x >> 48);
    p[7] = (unsigned char)(x >> 56);
}

/* The same for the first `bytes` <= 8 bytes only. */
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

/* Exchanges bit p of rows[j] with bit j of rows[p]: blocks of 32 bits, then of 16, and so on. */
static inline void usuba_transpose64(uint64_t rows[64])
{
    uint64_t mask = 0x00000000ffffffffu;
    unsigned shift, k;
    for (shift = 32; shift != 0; shift >>= 1, mask ^= mask << shift) {
        for (k = 0; k < 64; k = ((k | shift) + 1) & ~shift) {
            const uint64_t t = (rows[k] >> shift ^ rows[k | shift]) & mask;
            rows[k] ^= t << shift;
            rows[k | shift] ^= t;
        }
    }
}

/* Exchanges bit t of byte i of words[j] with bit j of byte i of words[t], for each of the 8 bytes. */
USUBA_INLINE void usuba_transpose8(uint64_t words[8])
{
    static const uint64_t masks[3] = { 0x5555555555555555u, 0x3333333333333333u, 0x0f0f0f0f0f0f0f0fu };
    unsigned stage, k;
    for (stage = 0; stage < 3; stage++) {
        const unsigned shift = 1u << stage;
        for (k = 0; k < 8; k = ((k | shift) + 1) & ~shift) {
            const uint64_t t = (words[k] >> shift ^ words[k | shift]) & masks[stage];
            words[k] ^= t << shift;
            words[k | shift] ^= t;
        }
    }
}

/* ---- B: `registers` is width * words registers of `size` bytes, `size` a multiple of 8; 8 * size instances. ---- */

/* The first `count` blocks of `format` at `blocks` to registers. */
USUBA_INLINE void usuba_pack_b(void *registers, size_t size, const unsigned char *blocks, size_t count,
                               struct usuba_format format)
{
    unsigned char *image = (unsigned char *)registers;
    const size_t bits = format.width * format.words;
    size_t group, at, j, p;
    for (group = 0; group < size / 8; group++) {
        const size_t first = 64 * group;
        const size_t present = count <= first ? 0 : count - first < 64 ? count - first : 64;
        for (at = 0; at < format.bytes; at += 8) {
            const size_t part = format.bytes - at < 8 ? format.bytes - at : 8;
            uint64_t rows[64];
            for (j = 0; j < present; j++)
                rows[j] = usuba_load_part(blocks + (first + j) * format.bytes + at, part);
            for (; j < 64; j++)
                rows[j] = 0;
            usuba_transpose64(rows);
            for (p = 0; p < 8 * part; p++) {
                const size_t bit = usuba_bit_number(format, at + p / 8, p % 8);
                if (bit < bits)
                    usuba_store64(image + bit * size + 8 * group, rows[p]);
            }
        }
    }
}

/* The first `count` instances of registers to blocks. */
USUBA_INLINE void usuba_unpack_b(unsigned char *blocks, size_t count, const void *registers, size_t size,
                                 struct usuba_format format)
{
    const unsigned char *image = (const unsigned char *)registers;
    const size_t bits = format.width * format.words;
    size_t group, at, j, p;
    for (group = 0; 64 * group < count; group++) {
        const size_t first = 64 * group;
        const size_t present = count - first < 64 ? count - first : 64;
        for (at = 0; at < format.bytes; at += 8) {
            const size_t part = format.bytes - at < 8 ? format.bytes - at : 8;
            uint64_t rows[64];
            for (p = 0; p < 64; p++) {
                const size_t bit = p < 8 * part ? usuba_bit_number(format, at + p / 8, p % 8) : bits;
                rows[p] = bit < bits ? usuba_load64(image + bit * size + 8 * group) : 0;
            }
            usuba_transpose64(rows);
            for (j = 0; j < present; j++)
                usuba_store_part(blocks + (first + j) * format.bytes + at, rows[j], part);
        }
    }
}

/* One block to the uniform form: width * words 64-bit words, zero or all ones. */
USUBA_INLINE void usuba_uniform_b(uint64_t *uniform, const unsigned char *block, struct usuba_format format)
{
    const size_t bits = format.width * format.words;
    size_t byte, shift;
    for (byte = 0; byte < format.bytes; byte++) {
        for (shift = 0; shift < 8; shift++) {
            const size_t bit = usuba_bit_number(format, byte, shift);
            if (bit < bits)
                uniform[bit] = 0 - (uint64_t)(block[byte] >> shift & 1);
        }
    }
}

/* And back, from the least significant bit of each word: the one instance of a register image on 64-bit registers. */
USUBA_INLINE void usuba_bytes_b(unsigned char *block, const uint64_t *uniform, struct usuba_format format)
{
    const size_t bits = format.width * format.words;
    size_t byte, shift;
    for (byte = 0; byte < format.bytes; byte++) {
        unsigned value = 0;
        for (shift = 0; shift < 8; shift++) {
            const size_t bit = usuba_bit_number(format, byte, shift);
            if (bit < bits)
                value |= (unsigned)(uniform[bit] & 1) << shift;
        }
        block[byte] = (unsigned char)value;
    }
}

/* ---- V: `registers` is `words` registers of `size` bytes, with lanes of `lane` bytes, 8 * lane >= width. ---- */

/* Word number `word` of a block: width <= 64. */
USUBA_INLINE uint64_t usuba_load_word(const unsigned char *block, size_t word, struct usuba_format format)
{
    const size_t m = format.width, bytes = m / 8;
    uint64_t value = 0;
    size_t i;
    if (format.order == USUBA_PLANES) {
        const unsigned char *p = block + word / 8 * m;
        for (i = 0; i < m; i++)
            value = value << 1 | (uint64_t)(p[i] >> (7 - word % 8) & 1);
    } else if (m % 8 != 0) {
        for (i = 0; i < m; i++) {
            const size_t bit = word * m + i;
            const size_t shift = format.order == USUBA_BIG ? 7 - bit % 8 : bit % 8;
            value = value << 1 | (uint64_t)(block[bit / 8] >> shift & 1);
        }
    } else if (format.order == USUBA_BIG) {
        for (i = 0; i < bytes; i++)
            value |= (uint64_t)block[word * bytes + i] << (8 * (bytes - 1 - i));
    } else {
        for (i = 0; i < bytes; i++)
            value |= (uint64_t)block[word * bytes + i] << (8 * i);
    }
    return value;
}

/* Writes word number `word`; where words share bytes, the block must have been zero. */
USUBA_INLINE void usuba_store_word(unsigned char *block, size_t word, uint64_t value, struct usuba_format format)
{
    const size_t m = format.width, bytes = m / 8;
    size_t i;
    if (format.order == USUBA_PLANES) {
        unsigned char *p = block + word / 8 * m;
        for (i = 0; i < m; i++)
            p[i] = (unsigned char)(p[i] | (value >> (m - 1 - i) & 1) << (7 - word % 8));
    } else if (m % 8 != 0) {
        for (i = 0; i < m; i++) {
            const size_t bit = word * m + i;
            const size_t shift = format.order == USUBA_BIG ? 7 - bit % 8 : bit % 8;
            block[bit / 8] = (unsigned char)(block[bit / 8] | (value >> (m - 1 - i) & 1) << shift);
        }
    } else if (format.order == USUBA_BIG) {
        for (i = 0; i < bytes; i++)
            block[word * bytes + i] = (unsigned char)(value >> (8 * (bytes - 1 - i)));
    } else {
        for (i = 0; i < bytes; i++)
            block[word * bytes + i] = (unsigned char)(value >> (8 * i));
    }
}

/* A lane in the byte order of the machine. */
USUBA_INLINE void usuba_store_lane(unsigned char *p, uint64_t value, size_t lane)
{
    if (lane == 1) {
        p[0] = (unsigned char)value;
    } else if (lane == 2) {
        const uint16_t x = (uint16_t)value;
        memcpy(p, &x, sizeof x);
    } else if (lane == 4) {
        const uint32_t x = (uint32_t)value;
        memcpy(p, &x, sizeof x);
    } else {
        memcpy(p, &value, sizeof value);
    }
}

USUBA_INLINE uint64_t usuba_load_lane(const unsigned char *p, size_t lane)
{
    if (lane == 1) {
        return p[0];
    } else if (lane == 2) {
        uint16_t x;
        memcpy(&x, p, sizeof x);
        return x;
    } else if (lane == 4) {
        uint32_t x;
        memcpy(&x, p, sizeof x);
        return x;
    } else {
        uint64_t x;
        memcpy(&x, p, sizeof x);
        return x;
    }
}

/* The first `count` blocks to registers of size / lane instances. */
USUBA_INLINE void usuba_pack_v(void *registers, size_t size, size_t lane, const unsigned char *blocks, size_t count,
                               struct usuba_format format)
{
    unsigned char *image = (unsigned char *)registers;
    size_t j, word;
    if (count < size / lane)
        memset(image, 0, format.words * size);
    for (word = 0; word < format.words; word++) {
        for (j = 0; j < count; j++)
            usuba_store_lane(image + word * size + j * lane, usuba_load_word(blocks + j * format.bytes, word, format),
                             lane);
    }
}

/* The first `count` instances of registers to blocks. */
USUBA_INLINE void usuba_unpack_v(unsigned char *blocks, size_t count, const void *registers, size_t size, size_t lane,
                                 struct usuba_format format)
{
    const unsigned char *image = (const unsigned char *)registers;
    size_t j, word;
    if (format.order == USUBA_PLANES || format.width % 8 != 0)
        memset(blocks, 0, count * format.bytes);
    for (j = 0; j < count; j++) {
        for (word = 0; word < format.words; word++)
            usuba_store_word(blocks + j * format.bytes, word,
                             usuba_load_lane(image + word * size + j * lane, lane), format);
    }
}

/* One block to the uniform form: `words` words of `lane` bytes. */
USUBA_INLINE void usuba_uniform_v(void *uniform, size_t lane, const unsigned char *block, struct usuba_format format)
{
    usuba_pack_v(uniform, lane, lane, block, 1, format);
}

/* And back. */
USUBA_INLINE void usuba_bytes_v(unsigned char *block, const void *uniform, size_t lane, struct usuba_format format)
{
    usuba_unpack_v(block, 1, uniform, lane, lane, format);
}

/* ---- H: `registers` is `words` registers of `size` bytes, chunks of `width` elements of `batch` bits. ---- */

/* Where in a register image byte `group` (8 instances) of a bit is. */
USUBA_INLINE size_t usuba_place_h(size_t bit, size_t group, size_t size, size_t batch, struct usuba_format format)
{
    const size_t element = batch / 8, chunk = format.width * element;
    return bit / format.width * size + group / element * chunk + bit % format.width * element + group % element;
}

/* The first `count` blocks to registers of 8 * size / width instances. */
USUBA_INLINE void usuba_pack_h(void *registers, size_t size, size_t batch, const unsigned char *blocks, size_t count,
                               struct usuba_format format)
{
    unsigned char *image = (unsigned char *)registers;
    const size_t bits = format.width * format.words;
    const int runs = format.order == USUBA_PLANES && batch == 8 && format.width % 8 == 0;
    size_t group, at, i, j, t;
    for (group = 0; group < size / format.width; group++) {
        const size_t first = 8 * group;
        const size_t present = count <= first ? 0 : count - first < 8 ? count - first : 8;
        for (at = 0; at < format.bytes; at += 8) {
            const size_t part = format.bytes - at < 8 ? format.bytes - at : 8;
            uint64_t words[8];
            for (j = 0; j < present; j++)
                words[j] = usuba_load_part(blocks + (first + j) * format.bytes + at, part);
            for (; j < 8; j++)
                words[j] = 0;
            usuba_transpose8(words);
            for (t = 0; t < 8; t++) {
                if (runs) {
                    /* Bit t of 8 consecutive bytes: 8 consecutive elements of one atom. */
                    const size_t bit = usuba_bit_number(format, at, t);
                    usuba_store64(image + usuba_place_h(bit, group, size, batch, format), words[t]);
                    continue;
                }
                for (i = 0; i < part; i++) {
                    const size_t bit = usuba_bit_number(format, at + i, t);
                    if (bit < bits)
                        image[usuba_place_h(bit, group, size, batch, format)] = (unsigned char)(words[t] >> (8 * i));
                }
            }
        }
    }
}

/* The first `count` instances of registers to blocks. */
USUBA_INLINE void usuba_unpack_h(unsigned char *blocks, size_t count, const void *registers, size_t size, size_t batch,
                                 struct usuba_format format)
{
    const unsigned char *image = (const unsigned char *)registers;
    const size_t bits = format.width * format.words;
    const int runs = format.order == USUBA_PLANES && batch == 8 && format.width % 8 == 0;
    size_t group, at, i, j, t;
    for (group = 0; 8 * group < count; group++) {
        const size_t first = 8 * group;
        const size_t present = count - first < 8 ? count - first : 8;
        for (at = 0; at < format.bytes; at += 8) {
            const size_t part = format.bytes - at < 8 ? format.bytes - at : 8;
            uint64_t words[8];
            for (t = 0; t < 8; t++) {
                words[t] = 0;
                if (runs) {
                    const size_t bit = usuba_bit_number(format, at, t);
                    words[t] = usuba_load64(image + usuba_place_h(bit, group, size, batch, format));
                    continue;
                }
                for (i = 0; i < part; i++) {
                    const size_t bit = usuba_bit_number(format, at + i, t);
                    if (bit < bits)
                        words[t] |= (uint64_t)image[usuba_place_h(bit, group, size, batch, format)] << (8 * i);
                }
            }
            usuba_transpose8(words);
            for (j = 0; j < present; j++)
                usuba_store_part(blocks + (first + j) * format.bytes + at, words[j], part);
        }
    }
}

/* One block to the uniform form: `words` chunks of width * batch / 8 bytes, each element all zeros or all ones. */
USUBA_INLINE void usuba_uniform_h(void *uniform, size_t batch, const unsigned char *block, struct usuba_format format)
{
    unsigned char *image = (unsigned char *)uniform;
    const size_t element = batch / 8, bits = format.width * format.words;
    size_t byte, shift, i;
    for (byte = 0; byte < format.bytes; byte++) {
        for (shift = 0; shift < 8; shift++) {
            const size_t bit = usuba_bit_number(format, byte, shift);
            const unsigned value = 0u - (unsigned)(block[byte] >> shift & 1);
            for (i = 0; i < element && bit < bits; i++)
                image[bit * element + i] = (unsigned char)value;
        }
    }
}

#endif
