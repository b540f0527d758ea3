/* usuba_count.h - counters made in registers: the number of its block for every instance, without a detour over bytes.
 *
 * A counter is the number that `format.bytes` bytes are, big-endian (`big`) or little-endian, modulo 256^bytes. A function
 * here writes to registers what packing `counter`, `counter` + 1, ... would write, for one register's worth of instances
 * that are in the order for blocks of `block` bytes, and leaves `counter` at the number after the last of them.
 *
 * `memory` keeps what does not change between calls with one array of registers. `moved` is the difference of the counter
 * to that of the last such call, a multiple of the instances, or 0 if there was none. Mostly only the lowest digits then
 * change. Time depends on counters, which are no secrets. */
#ifndef USUBA_COUNT_H
#define USUBA_COUNT_H

#include "usuba_counter.h"
#include "usuba_interleave.h"
#include "usuba_transpose_b.h"
#include "usuba_transpose_h.h"
#include "usuba_transpose_p.h"
#include "usuba_transpose_v.h"
#include "usuba_vector.h"

/* Packs counters that are blocks, one for each instance. It is asked for where `block` is `format.bytes`. */
typedef void usuba_pack_counters(void *registers, const unsigned char *blocks);

struct usuba_count {
    uint64_t words[8];
};

/* Bytes of counters that are made one behind the other, to be packed as blocks. */
enum { USUBA_COUNTER_ROOM = 2048 };

/* Which bit of the number of an instance is bit t of the number of its block: `usuba_block_of` moves bits, as all sizes are
 * powers of 2. */
USUBA_INLINE size_t usuba_count_source(size_t t, size_t instances, size_t size, size_t block)
{
    size_t bit = 0;
    while (usuba_block_of((size_t)1 << bit, instances, size, block) != (size_t)1 << t)
        bit++;
    return bit;
}

/* Bits `bit` of the numbers 64 * w to 64 * w + 63. */
USUBA_INLINE uint64_t usuba_count_pattern(size_t bit, size_t w)
{
    static const uint64_t patterns[6] = { 0xaaaaaaaaaaaaaaaau, 0xccccccccccccccccu, 0xf0f0f0f0f0f0f0f0u,
                                          0xff00ff00ff00ff00u, 0xffff0000ffff0000u, 0xffffffff00000000u };
    return bit < 6 ? patterns[bit] : 0 - (uint64_t)(w >> (bit - 6) & 1);
}

/* Adds bit t of the number of its block, one of those that count instances, and `value` to every instance: `plane` are the sums,
 * `memory` the carries. */
USUBA_INLINE void usuba_count_low(uint64_t plane[8], struct usuba_count *memory, size_t t, uint64_t value, size_t instances,
                                  size_t size, size_t block)
{
    const size_t source = usuba_count_source(t, instances, size, block), words = instances < 64 ? 1 : instances / 64;
    size_t w;
    for (w = 0; w < words; w++) {
        const uint64_t x = usuba_count_pattern(source, w), y = memory->words[w];
        plane[w] = x ^ value ^ y;
        memory->words[w] = (x & value) | ((x ^ value) & y);
    }
}

/* Whether registers have the counters that were `moved` before `now`, and neither these nor those after them overflow. */
USUBA_INLINE int usuba_counts_on(uint64_t now, uint64_t moved, size_t instances)
{
    return moved != 0 && moved <= now && now <= UINT64_MAX - instances;
}

/* B and H (`batch` > 0): registers have bits of counters. `memory` has the instances whose sum of the bits that count
 * instances overflows: for them, and only for them, the number above these bits is one greater. */
USUBA_INLINE void usuba_count_bits(unsigned char *image, size_t size, size_t batch, size_t instances,
                                   unsigned char *counter, uint64_t moved, struct usuba_count *memory,
                                   struct usuba_format format, int big, size_t block)
{
    const size_t bits = 8 * format.bytes, digits = format.bytes < 8 ? format.bytes : 8;
    const uint64_t now = usuba_counter_low(counter, format.bytes, big, digits), before = now - moved;
    const size_t words = instances < 64 ? 1 : instances / 64, low = usuba_log2(instances);
    size_t t = 0, end = bits, w;
    uint64_t carry = ~(uint64_t)0, changed = ~(uint64_t)0;
    if (usuba_counts_on(now, moved, instances)) {
        changed = (before ^ now) | ((before + instances) ^ (now + instances));
        t = low;
        end = end < 64 ? end : 64;
    } else {
        for (w = 0; w < 8; w++)
            memory->words[w] = 0;
    }
    for (; t < end && (t >= 64 || changed >> t != 0); t++) {
        const size_t digit = usuba_digit(t / 8, format.bytes, big);
        const uint64_t value = 0 - (uint64_t)(counter[digit] >> t % 8 & 1);
        const size_t bit = usuba_bit_number(format, digit, t % 8);
        uint64_t plane[8];
        if (t < low) {
            usuba_count_low(plane, memory, t, value, instances, size, block);
        } else {
            for (w = 0; w < words; w++)
                plane[w] = value ^ (memory->words[w] & carry);
            carry &= value;
        }
        if (bit >= format.width * format.words)
            continue;
        if (batch == 0) {
            for (w = 0; w < words; w++)
                usuba_store64(image + bit * size + 8 * w, plane[w]);
        } else {
            for (w = 0; w < instances / 8; w++)
                image[usuba_place_h(bit, w, size, batch, format)] = (unsigned char)(plane[w / 8] >> (8 * (w % 8)));
        }
    }
    usuba_counter_add(counter, format.bytes, big, instances);
}

USUBA_INLINE void usuba_count_b(void *registers, size_t size, unsigned char *counter, uint64_t moved,
                                struct usuba_count *memory, struct usuba_format format, int big, size_t block)
{
    usuba_count_bits((unsigned char *)registers, size, 0, 8 * size, counter, moved, memory, format, big, block);
}

/* The first counters are packed as blocks where there is room for these: the bits of an element are stored one by one. */
USUBA_INLINE void usuba_count_h(void *registers, size_t size, size_t batch, unsigned char *counter, uint64_t moved,
                                struct usuba_count *memory, struct usuba_format format, int big, size_t block,
                                usuba_pack_counters *pack)
{
    const size_t instances = 8 * size / format.width, bytes = format.bytes, low = usuba_log2(instances);
    const uint64_t now = usuba_counter_low(counter, bytes, big, bytes < 8 ? bytes : 8);
    unsigned char blocks[USUBA_COUNTER_ROOM];
    uint64_t plane[8];
    size_t t;
    if (block != bytes || instances * bytes > USUBA_COUNTER_ROOM || low > 8 * bytes || usuba_counts_on(now, moved, instances)) {
        usuba_count_bits((unsigned char *)registers, size, batch, instances, counter, moved, memory, format, big, block);
        return;
    }
    memset(memory, 0, sizeof *memory);
    for (t = 0; t < low; t++)
        usuba_count_low(plane, memory, t, 0 - (now >> t & 1), instances, size, block);
    usuba_counter_blocks(blocks, instances, counter, bytes, big);
    pack(registers, blocks);
}

/* Adds `moved` to the lanes at `numbers`, and writes them to `row`, their bytes reversed or not. */
USUBA_INLINE void usuba_count_lanes(unsigned char *row, unsigned char *numbers, size_t size, size_t lane, uint64_t moved,
                                    int reverse)
{
    size_t j;
#if USUBA_VECTOR
    if (usuba_is_vector(size)) {
        USUBA_FOR_SIZE(size, usuba_count, (row, numbers, lane, moved, reverse));
        return;
    }
#endif
    for (j = 0; j < size / lane; j++) {
        const uint64_t number = usuba_load_lane(numbers + j * lane, lane) + moved;
        usuba_store_lane(numbers + j * lane, number, lane);
        usuba_store_lane(row + j * lane, reverse ? usuba_reverse_lane(number, lane) : number, lane);
    }
}

/* Writes `next` to the lanes of `row` whose number is below `low`, to the others `value`. */
USUBA_INLINE void usuba_count_row(unsigned char *row, const unsigned char *numbers, size_t size, size_t lane, uint64_t low,
                                  uint64_t value, uint64_t next)
{
    size_t j;
#if USUBA_VECTOR
    if (usuba_is_vector(size)) {
        USUBA_FOR_SIZE(size, usuba_count_row, (row, numbers, lane, low, value, next));
        return;
    }
#endif
    for (j = 0; j < size / lane; j++) {
        const uint64_t number = usuba_load_lane(numbers + j * lane, lane);
        usuba_store_lane(row + j * lane, number < low ? next : value, lane);
    }
}

/* V: registers have words of counters. `memory` has the lowest words, as numbers; where one of them is below the first, it has
 * overflowed, and the words above are those of the counter after this call. They are only written where they change. */
USUBA_INLINE void usuba_count_v(void *registers, size_t size, size_t lane, unsigned char *counter, uint64_t moved,
                                struct usuba_count *memory, struct usuba_format format, int big, size_t block,
                                usuba_pack_counters *pack)
{
    enum { LONGEST = 64 };
    unsigned char *image = (unsigned char *)registers, *numbers = (unsigned char *)memory->words, next[LONGEST];
    const size_t instances = size / lane, bytes = format.bytes, digits = bytes < 8 ? bytes : 8;
    const int regular = 8 * lane == format.width && usuba_cell_bits(format) == 0 && size <= sizeof *memory &&
                        bytes <= LONGEST;
    const int reverse = lane > 1 && big != (format.order == USUBA_BIG);
    size_t j, word, t;
    uint64_t now, before, last, low;
    if (!regular) {
        unsigned char blocks[USUBA_COUNTER_ROOM];
        const size_t part = usuba_words_at_once(format);
        uint64_t words[8];
        size_t k;
        if (block == bytes && instances * bytes <= USUBA_COUNTER_ROOM) {
            usuba_counter_blocks(blocks, instances, counter, bytes, big);
            pack(registers, blocks);
            return;
        }
        for (j = 0; j < instances; j++) {
            /* The instance of the next block. */
            size_t instance = 0;
            while (usuba_block_of(instance, instances, size, block) != j)
                instance++;
            for (word = 0; word < format.words; word += part) {
                usuba_load_words(words, counter, word, format);
                for (k = 0; k < part; k++)
                    usuba_store_lane(image + (word + k) * size + instance * lane, words[k], lane);
            }
            usuba_counter_add(counter, bytes, big, 1);
        }
        return;
    }
    now = usuba_counter_low(counter, bytes, big, digits);
    before = now - moved;
    last = now + (instances - 1);
    low = usuba_counter_low(counter, bytes, big, lane);
    if (moved == 0)
        for (j = 0; j < instances; j++)
            usuba_store_lane(numbers + j * lane, low + usuba_block_of(j, instances, size, block), lane);
    usuba_count_lanes(image + (big ? format.words - 1 : 0) * size, numbers, size, lane, moved, reverse);
    memcpy(next, counter, bytes);
    usuba_counter_add(next, bytes, big, instances);
    for (t = 1; t < format.words; t++) {
        const size_t shift = 8 * lane * t;
        if (moved != 0 && before <= now && now <= last && (shift >= 64 || before >> shift == last >> shift))
            break;
        word = big ? format.words - 1 - t : t;
        usuba_count_row(image + word * size, numbers, size, lane, low, usuba_load_word(counter, word, format),
                        usuba_load_word(next, word, format));
    }
    memcpy(counter, next, bytes);
}

/* Packed, all `batches` of a kernel, and nothing is kept: those of 16 bytes are made at once, others one after another. */
USUBA_INLINE void usuba_count_p(void *registers, size_t size, size_t lane, size_t batches, unsigned char *counter,
                                struct usuba_format format, int big, size_t block)
{
    unsigned char *image = (unsigned char *)registers;
    const size_t groups = format.words * lane / 16;
    size_t batch, j, group;
    (void)block;
#if USUBA_VECTOR
    if (usuba_is_vector(size) && usuba_cell_bits(format) == 0 && 8 * lane == format.width && big && format.bytes == 16) {
        const uint64_t high = usuba_unknown(usuba_load64_big(counter)), low = usuba_unknown(usuba_load64_big(counter + 8));
        const int reverse = !usuba_is_plain_p(lane, format);
        if ((low & 0xff) + batches * (size / 16) <= 0x100)
            USUBA_FOR_SIZE(size, usuba_count_p_last, (image, batches, high, low, lane, reverse));
        else
            USUBA_FOR_SIZE(size, usuba_count_p, (image, batches, high, low, lane, reverse));
        usuba_counter_add(counter, 16, 1, batches * (size / 16));
        return;
    }
#endif
    for (batch = 0; batch < batches; batch++)
        for (j = 0; j < size / 16; j++) {
            for (group = 0; group < groups; group++)
                usuba_pack_group(image + (batch * groups + group) * size + 16 * j, lane, counter, group, format);
            usuba_counter_add(counter, format.bytes, big, 1);
        }
}

/* Packed, counters of 32 bits that have a group of words together with a nonce: a register of them, from the number `first` on,
 * modulo 2^32. They are put together in a register: processors wait for what was stored in parts and is loaded whole. */
USUBA_INLINE void usuba_count_rows(void *registers, size_t size, uint32_t first, const uint32_t nonce[3])
{
    unsigned char *row = (unsigned char *)registers;
    size_t j;
#if USUBA_VECTOR
    if (usuba_is_vector(size)) {
        const int low = USUBA_BIG_ENDIAN ? 32 : 0, high = 32 - low;
        /* The nonce was stored as its first two words and the last: the last two are not to be loaded at once. */
        const uint64_t second = usuba_unknown(nonce[1]);
        const uint64_t front = usuba_unknown((uint64_t)first << low | (uint64_t)nonce[0] << high);
        const uint64_t back = usuba_unknown(second << low | (uint64_t)nonce[2] << high);
        USUBA_FOR_SIZE(size, usuba_count_rows, (row, front, back));
        return;
    }
#endif
    for (j = 0; j < size / 16; j++, row += 16) {
        const uint32_t number = first + (uint32_t)j;
        memcpy(row, &number, 4);
        memcpy(row + 4, nonce, 12);
    }
}

/* H in integers: one counter after another. */
USUBA_INLINE void usuba_count_interleaved(void *registers, size_t size, size_t batch, unsigned char *counter,
                                          uint64_t moved, struct usuba_count *memory, struct usuba_format format, int big,
                                          size_t block, usuba_pack_counters *pack)
{
    unsigned char *image = (unsigned char *)registers, blocks[USUBA_COUNTER_ROOM];
    size_t word, j;
    (void)moved, (void)memory;
    if (block == format.bytes && batch * format.bytes <= USUBA_COUNTER_ROOM) {
        usuba_counter_blocks(blocks, batch, counter, format.bytes, big);
        pack(registers, blocks);
        return;
    }
    memset(image, 0, format.words * size);
    for (j = 0; j < batch; j++) {
        for (word = 0; word < format.words; word++) {
            unsigned char *at = image + word * size;
            const uint64_t x = usuba_load_word(counter, word, format) << (j * format.width);
            usuba_store_lane(at, usuba_load_lane(at, size) | x, size);
        }
        usuba_counter_add(counter, format.bytes, big, 1);
    }
    for (word = 0; word < format.words; word++) {
        const uint64_t x = usuba_load_lane(image + word * size, size);
        usuba_store_lane(image + word * size, usuba_interleave(x, batch), size);
    }
}

#endif
