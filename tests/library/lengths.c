/* lengths.c - every primitive of a library at lengths from 0 to 4096 bytes, against itself a block or a byte at a time.
 *
 * usage: lengths STEP [NAME...]
 *
 * STEP 1 takes every length; larger ones the short lengths, those around borders, and every STEP-th. Buffers lie at every
 * alignment after a page that cannot be touched, or end before one; outputs are the input or apart from it; buffers that
 * overlap otherwise must be refused. Counters wrap at 2^32, at 2^64, and at the end. USUBA_TARGET says which code runs.
 * Complaints are on standard output; the status is 1 if there are any. */
#define _DEFAULT_SOURCE
#include "guarded.h"
#include "references.h"
#include "usuba_cpu.h"
#include "usuba_primitives.h"

#define LONGEST 4096

static size_t step = 1;
static unsigned long checks;

static int wanted(size_t n)
{
    return step == 1 || n <= 40 || n % step == 0 || (n + 1) % 512 <= 2;
}

/* One call from `in` to an output, and what must be there afterwards. */
typedef int call(const void *arguments, unsigned char *out, const unsigned char *in, size_t length);

/* `length` bytes through `apply`: at a placement, apart or in place. `variant` chooses which. */
static void check_call(call *apply, const void *arguments, const unsigned char *in, const unsigned char *expected,
                       size_t length, size_t variant)
{
    const unsigned to = (unsigned)(variant % PLACEMENTS), from = (unsigned)(variant * 5 / 3 % PLACEMENTS);
    const int in_place = (variant / 2) % 2 == 0;
    unsigned char *out = place(0, length, to);
    unsigned char *input = in_place ? out : place(1, length, from);
    int result;
    memcpy(input, in, length);
    /* Nothing at all may be null. */
    result = length == 0 && variant % 3 == 0 ? apply(arguments, NULL, NULL, 0) : apply(arguments, out, input, length);
    checks++;
    if (result != USUBA_OK)
        COMPLAIN("%lu bytes are refused with %d", (unsigned long)length, result);
    else if (memcmp(out, expected, length) != 0)
        COMPLAIN("%lu bytes%s are not what they are in parts", (unsigned long)length, in_place ? " in place" : "");
    if (!intact(out, length, to))
        COMPLAIN("%lu bytes: something is written beside the output", (unsigned long)length);
    if (!in_place && (memcmp(input, in, length) != 0 || !intact(input, length, from)))
        COMPLAIN("%lu bytes: the input is written", (unsigned long)length);
}

/* Buffers that overlap without being the same are refused, and nothing is written. */
static void check_overlaps(call *apply, const void *arguments, size_t length)
{
    const size_t shifts[3] = { 1, length / 2, length - 1 };
    size_t i, j;
    if (length < 2)
        return;
    for (i = 0; i < 6; i++) {
        const size_t shift = shifts[i % 3], size = length + shift;
        unsigned char *low = place(0, size, AT_END), *high = low + shift;
        const int result = i < 3 ? apply(arguments, low, high, length) : apply(arguments, high, low, length);
        checks++;
        if (shift > 0 && result != USUBA_ERROR_OVERLAP)
            COMPLAIN("an output %lu bytes from an input of %lu is not refused", (unsigned long)shift,
                     (unsigned long)length);
        for (j = 0; j < size; j++)
            if (low[j] != FRESH && result != USUBA_OK)
                break;
        if (j < size)
            COMPLAIN("an output that overlaps is refused, but written");
    }
}

/* A context that is none: wiped, then of nothing but zeros, then of noise. */
static void spoil(void *ctx, size_t bytes, int how, void (*wipe)(void *))
{
    if (how == 0)
        wipe(ctx);
    else
        memset(ctx, how == 1 ? 0 : 0xee, bytes);
}

/* A call refuses such a context, and has written nothing to `size` bytes that were fresh. */
static void refuses(const char *function, int result, const unsigned char *fresh, size_t size)
{
    size_t i;
    checks++;
    if (result != USUBA_ERROR_CONTEXT)
        COMPLAIN("%s takes a context that was wiped or not made: %d", function, result);
    for (i = 0; i < size; i++)
        if (fresh[i] != FRESH)
            break;
    if (i < size)
        COMPLAIN("%s refuses a context, but writes", function);
}

/* Block ciphers. */

struct blocks_arguments {
    int (*apply)(const void *, const unsigned char *, unsigned char *, const unsigned char *, size_t);
    const void *ctx;
    const unsigned char *tweaks;
    size_t block, tweak;
};

static int apply_blocks(const void *arguments, unsigned char *out, const unsigned char *in, size_t length)
{
    const struct blocks_arguments *a = arguments;
    const size_t blocks = length / a->block;
    const unsigned char *tweaks = NULL;
    if (a->tweak > 0) {
        unsigned char *copy = place(2, blocks * a->tweak, AT_END);
        memcpy(copy, a->tweaks, blocks * a->tweak);
        tweaks = copy;
    }
    return a->apply(a->ctx, tweaks, out, in, blocks);
}

static void check_blocks(struct blocks_arguments *a, const unsigned char *in, unsigned char *expected)
{
    size_t n, most = LONGEST / a->block;
    for (n = 0; n < most; n++)
        if (a->apply(a->ctx, a->tweak > 0 ? a->tweaks + n * a->tweak : NULL, expected + n * a->block, in + n * a->block,
                     1) != USUBA_OK)
            COMPLAIN("a block is refused");
    for (n = 0; n <= most; n++) {
        if (!wanted(n))
            continue;
        check_call(apply_blocks, a, in, expected, n * a->block, 3 * n);
        check_call(apply_blocks, a, in, expected, n * a->block, 3 * n + 2);
        check_overlaps(apply_blocks, a, n * a->block);
    }
}

struct counter_arguments {
    int (*apply)(const void *, unsigned char *, unsigned char *, const unsigned char *, size_t);
    const void *ctx;
    size_t block;
    const unsigned char *start;
    /* Where the counter is afterwards. */
    unsigned char *counter;
};

static int apply_counter(const void *arguments, unsigned char *out, const unsigned char *in, size_t length)
{
    const struct counter_arguments *a = arguments;
    const size_t block = a->block;
    unsigned char *counter = place(3, block, AT_END);
    int result;
    memcpy(counter, a->start, block);
    result = a->apply(a->ctx, counter, out, in, length);
    memcpy(a->counter, counter, block);
    if (!intact(counter, block, AT_END))
        COMPLAIN("something is written beside the counter");
    return result;
}

/* Where the lowest `wrap` bytes of the counter are all ones and go on to zero in block number `at`. The counter is a number
 * of the last `width` bytes: all of a block, or four. */
static void check_counter(const usuba_block_cipher_functions *cipher, const void *ctx, size_t width, size_t wrap,
                          size_t at, const unsigned char *in, unsigned char *expected)
{
    const size_t block = cipher->block_bytes, fixed = block - width;
    unsigned char start[64], counter[64], after[64], one[64];
    struct counter_arguments a = { width == block ? cipher->ctr_xor : cipher->ctr32_xor, ctx, block, start, counter };
    size_t n, i;
    fill(start, block, wrap + at);
    if (wrap > 0) {
        memset(start + block - wrap, 0xff, wrap);
        /* Back by at - 1: forth by 2^(8 wrap) less that, the carry out of these bytes apart. */
        for (i = 1; i < at; i++) {
            size_t byte = block;
            while (byte-- > block - wrap && start[byte]-- == 0)
                ;
        }
    }
    memcpy(after, start, block);
    for (n = 0; n * block < LONGEST; n++) {
        /* A single block; a cipher without functions for blocks shows it as keystream. */
        int result;
        memcpy(one, after, block);
        if (cipher->encrypt_blocks != NULL) {
            result = cipher->encrypt_blocks(ctx, NULL, one, one, 1);
        } else {
            memcpy(counter, after, block);
            memset(one, 0, block);
            result = cipher->ctr_xor(ctx, counter, one, one, block);
        }
        if (result != USUBA_OK)
            COMPLAIN("a block is refused");
        for (i = 0; i < block; i++)
            expected[n * block + i] = in[n * block + i] ^ one[i];
        add_big(after + fixed, width, 1);
    }
    for (n = 0; n <= LONGEST; n++) {
        if (!wanted(n))
            continue;
        check_call(apply_counter, &a, in, expected, n, 7 * n + wrap);
        memcpy(after, start, block);
        add_big(after + fixed, width, (n + block - 1) / block);
        if (memcmp(counter, after, block) != 0)
            COMPLAIN("%lu bytes leave a wrong counter", (unsigned long)n);
        if (wrap == 0) {
            check_overlaps(apply_counter, &a, n);
            if (n > 1 && memcmp(counter, start, block) != 0)
                COMPLAIN("a refused call changes the counter");
        }
    }
}

/* A counter in the output, or in the input, is refused, and nothing is written; one beside them is not. */
static void check_counter_apart(const char *name,
                                int (*apply)(const void *, unsigned char *, unsigned char *, const unsigned char *, size_t),
                                const void *ctx, size_t block, const unsigned char *in, size_t unit)
{
    const size_t length = unit > 1 ? 5 * unit : 5 * block + 1, size = length + 2 * block;
    size_t at, i;
    for (at = 0; at <= length + block; at++) {
        /* The buffer begins after a block. */
        unsigned char *whole = place(0, size, AT_END), *counter = whole + at, *buffer = whole + block;
        unsigned char *other = place(1, length, AT_END);
        const int apart = at == 0 || at == length + block;
        checks += 2;
        if (apply(ctx, counter, buffer, in, length) != (apart ? USUBA_OK : USUBA_ERROR_OVERLAP))
            COMPLAIN("%s: a counter %ld bytes from the output is not %s", name, (long)at - (long)block,
                     apart ? "taken" : "refused");
        if (apply(ctx, counter, other, buffer, length) != (apart ? USUBA_OK : USUBA_ERROR_OVERLAP))
            COMPLAIN("%s: a counter %ld bytes from the input is not %s", name, (long)at - (long)block,
                     apart ? "taken" : "refused");
        for (i = 0; i < size && !apart; i++)
            if (whole[i] != FRESH)
                COMPLAIN("%s: a counter is refused, but something is written", name);
    }
}

static void check_block_cipher(const usuba_block_cipher_functions *cipher, const unsigned char *in,
                               unsigned char *expected)
{
    unsigned char *key = place(4, cipher->key_bytes, AT_END), *tweaks = reserve(LONGEST * 16);
    void *ctx = reserve(cipher->context_bytes);
    struct blocks_arguments blocks = { NULL, ctx, tweaks, cipher->block_bytes, cipher->tweak_bytes };
    int how;
    fill(key, cipher->key_bytes, 1);
    fill(tweaks, LONGEST * 16, 2);
    if (cipher->init(ctx, key) != USUBA_OK)
        COMPLAIN("a key is refused");
    if (cipher->tweak_bytes > 16)
        stop("tweaks are longer than what is reserved for them");
    if (cipher->encrypt_blocks != NULL) {
        blocks.apply = cipher->encrypt_blocks;
        check_blocks(&blocks, in, expected);
    }
    if (cipher->decrypt_blocks != NULL) {
        unsigned char *back = reserve(LONGEST);
        const size_t whole = LONGEST / cipher->block_bytes;
        blocks.apply = cipher->decrypt_blocks;
        if (cipher->encrypt_blocks(ctx, tweaks, back, in, whole) != USUBA_OK ||
            cipher->decrypt_blocks(ctx, tweaks, back, back, whole) != USUBA_OK ||
            memcmp(back, in, whole * cipher->block_bytes) != 0)
            COMPLAIN("decryption does not undo encryption");
        check_blocks(&blocks, in, expected);
        free(back);
    }
    if (cipher->ctr_xor != NULL) {
        const size_t block = cipher->block_bytes, most = LONGEST / block;
        check_counter(cipher, ctx, block, 0, 0, in, expected);
        check_counter(cipher, ctx, block, 4, 1, in, expected);
        check_counter(cipher, ctx, block, 4, most / 3, in, expected);
        check_counter(cipher, ctx, block, block, most / 2 + 1, in, expected);
        if (block > 8) {
            check_counter(cipher, ctx, block, 8, most / 5, in, expected);
            check_counter(cipher, ctx, block, block, 2, in, expected);
        }
        check_counter(cipher, ctx, 4, 0, 0, in, expected);
        check_counter(cipher, ctx, 4, 4, most / 3 + 1, in, expected);
        check_counter_apart("ctr_xor", cipher->ctr_xor, ctx, block, in, 1);
        check_counter_apart("ctr32_xor", cipher->ctr32_xor, ctx, block, in, 1);
    }
    for (how = 0; how < 3; how++) {
        const size_t block = cipher->block_bytes;
        unsigned char *out = place(0, 2 * block, AT_END), *counter = out + block;
        spoil(ctx, cipher->context_bytes, how, cipher->wipe);
        if (cipher->encrypt_blocks != NULL)
            refuses("encrypt_blocks", cipher->encrypt_blocks(ctx, tweaks, out, in, 1), out, block);
        if (cipher->decrypt_blocks != NULL)
            refuses("decrypt_blocks", cipher->decrypt_blocks(ctx, tweaks, out, in, 1), out, block);
        if (cipher->ctr_xor != NULL) {
            refuses("ctr_xor", cipher->ctr_xor(ctx, counter, out, in, block), out, 2 * block);
            refuses("ctr32_xor", cipher->ctr32_xor(ctx, counter, out, in, block), out, 2 * block);
        }
    }
    free(ctx);
    free(tweaks);
}

/* Stream ciphers. */

struct stream_arguments {
    const usuba_stream_functions *stream;
    const unsigned char *key, *nonce;
    uint64_t counter;
};

static int apply_stream(const void *arguments, unsigned char *out, const unsigned char *in, size_t length)
{
    const struct stream_arguments *a = arguments;
    return a->stream->xor_bytes(a->key, a->nonce, a->counter, out, in, length);
}

static void check_stream(const usuba_stream_functions *stream, const unsigned char *in, unsigned char *expected)
{
    const size_t block = stream->block_bytes, blocks = LONGEST / block;
    const uint64_t last = stream->counter_bytes == 8 ? UINT64_MAX : ((uint64_t)1 << (8 * stream->counter_bytes)) - 1;
    const uint64_t starts[5] = { 0, 1, last - blocks / 3, last, UINT32_MAX - 5 };
    unsigned char *key = place(4, stream->key_bytes, AT_END), *nonce = place(5, stream->nonce_bytes, AT_END);
    struct stream_arguments a = { stream, key, nonce, 0 };
    size_t s, n;
    fill(key, stream->key_bytes, 1);
    fill(nonce, stream->nonce_bytes, 2);
    for (s = 0; s < 5; s++) {
        if (starts[s] > last)
            continue;
        for (n = 0; n < blocks; n++)
            if (stream->xor_bytes(key, nonce, (starts[s] + n) & last, expected + n * block, in + n * block, block) !=
                USUBA_OK)
                COMPLAIN("a block is refused");
        a.counter = starts[s];
        for (n = 0; n <= blocks * block; n++) {
            if (!wanted(n))
                continue;
            check_call(apply_stream, &a, in, expected, n, 7 * n + s);
            if (s == 0)
                check_overlaps(apply_stream, &a, n);
        }
    }
    /* A key or a nonce in the output. */
    for (n = 0; n < 2; n++) {
        const size_t size = n == 0 ? stream->key_bytes : stream->nonce_bytes;
        unsigned char *out = place(0, 2 * block, AT_END), *inside = out + 2 * block - size;
        checks++;
        if (stream->xor_bytes(n == 0 ? inside : key, n == 1 ? inside : nonce, 0, out, in, 2 * block - size + 1) !=
            USUBA_ERROR_OVERLAP)
            COMPLAIN("a %s in the output is not refused", n == 0 ? "key" : "nonce");
        for (s = 0; s < 2 * block; s++)
            if (out[s] != FRESH)
                COMPLAIN("a %s is refused, but something is written", n == 0 ? "key" : "nonce");
    }
}

/* Generators. */

struct generator_arguments {
    const usuba_generator_functions *generator;
    const unsigned char *key, *nonce;
    void *ctx;
    size_t pieces;
};

static int apply_generator(const void *arguments, unsigned char *out, const unsigned char *in, size_t length)
{
    const struct generator_arguments *a = arguments;
    const size_t first = a->pieces == 2 ? length * 7 % (length + 1) : 0;
    int result = a->generator->init(a->ctx, a->key, a->nonce);
    if (result == USUBA_OK && first > 0)
        result = a->generator->xor_bytes(a->ctx, out, in, first);
    if (result != USUBA_OK || first == length)
        return result;
    return a->generator->xor_bytes(a->ctx, length == 0 ? NULL : out + first, length == 0 ? NULL : in + first,
                                   length - first);
}

#define STREAMS 9

static void check_generator_batch(const usuba_generator_functions *generator, const unsigned char *key,
                                  const unsigned char *in, size_t length, size_t streams)
{
    unsigned char *contexts = reserve(streams * generator->context_bytes);
    unsigned char *out[STREAMS], *alone = reserve(length), nonce[64];
    const unsigned char *from[STREAMS];
    size_t s;
    for (s = 0; s < streams; s++) {
        fill(nonce, generator->nonce_bytes, s);
        generator->init(contexts + s * generator->context_bytes, key, nonce);
        out[s] = reserve(length);
        from[s] = in + s;
    }
    checks++;
    if (generator->xor_batch(contexts, out, from, length, streams) != USUBA_OK)
        COMPLAIN("%lu streams are refused", (unsigned long)streams);
    for (s = 0; s < streams; s++) {
        fill(nonce, generator->nonce_bytes, s);
        generator->init(contexts, key, nonce);
        generator->xor_bytes(contexts, alone, in + s, length);
        if (memcmp(alone, out[s], length) != 0)
            COMPLAIN("stream %lu of %lu is not what it is alone", (unsigned long)s, (unsigned long)streams);
        free(out[s]);
    }
    free(alone);
    free(contexts);
}

static void check_generator(const usuba_generator_functions *generator, const unsigned char *in,
                            unsigned char *expected)
{
    unsigned char *key = place(4, generator->key_bytes, AT_END), *nonce = place(5, generator->nonce_bytes, AT_END);
    void *ctx = reserve(generator->context_bytes);
    struct generator_arguments a = { generator, key, nonce, ctx, 1 };
    size_t n;
    int how;
    fill(key, generator->key_bytes, 1);
    fill(nonce, generator->nonce_bytes, 2);
    if (generator->init(ctx, key, nonce) != USUBA_OK)
        COMPLAIN("a key is refused");
    for (n = 0; n < LONGEST; n++)
        if (generator->xor_bytes(ctx, expected + n, in + n, 1) != USUBA_OK)
            COMPLAIN("a byte is refused");
    for (n = 0; n <= LONGEST; n++) {
        if (!wanted(n))
            continue;
        a.pieces = 1;
        check_call(apply_generator, &a, in, expected, n, 3 * n);
        check_overlaps(apply_generator, &a, n);
        a.pieces = 2;
        check_call(apply_generator, &a, in, expected, n, 3 * n + 2);
        if (n % 37 == 5 && n + STREAMS <= LONGEST)
            check_generator_batch(generator, key, in, n, 1 + n % STREAMS);
    }
    for (how = 0; how < 3; how++) {
        const size_t bytes = generator->context_bytes;
        unsigned char *contexts = reserve(3 * bytes), *copy = reserve(3 * bytes), *out = place(0, 30, AT_END);
        unsigned char *const outs[3] = { out, out + 10, out + 20 };
        const unsigned char *const from[3] = { in, in + 10, in + 20 };
        for (n = 0; n < 3; n++)
            generator->init(contexts + n * bytes, key, nonce);
        spoil(contexts + 2 * bytes, bytes, how, generator->wipe);
        memcpy(copy, contexts, 3 * bytes);
        refuses("xor", generator->xor_bytes(contexts + 2 * bytes, out, in, 10), out, 30);
        refuses("xor of nothing", generator->xor_bytes(contexts + 2 * bytes, NULL, NULL, 0), out, 30);
        refuses("xor_batch", generator->xor_batch(contexts, outs, from, 10, 3), out, 30);
        if (memcmp(copy, contexts, 3 * bytes) != 0)
            COMPLAIN("a refused call changes a context");
        free(contexts);
        free(copy);
    }
    free(ctx);
}

/* Permutations. */

static void check_permutation(const usuba_permutation_functions *permutation, const unsigned char *in,
                              unsigned char *expected)
{
    const size_t size = permutation->state_bytes, most = LONGEST / size;
    size_t n;
    memcpy(expected, in, most * size);
    for (n = 0; n < most; n++)
        if (permutation->permute(expected + n * size, 1) != USUBA_OK)
            COMPLAIN("a state is refused");
    for (n = 0; n <= most; n++) {
        const unsigned placement = (unsigned)(n % PLACEMENTS);
        unsigned char *states = place(0, n * size, placement);
        memcpy(states, in, n * size);
        checks++;
        if (permutation->permute(states, n) != USUBA_OK)
            COMPLAIN("%lu states are refused", (unsigned long)n);
        if (memcmp(states, expected, n * size) != 0)
            COMPLAIN("%lu states are not what they are one at a time", (unsigned long)n);
        if (!intact(states, n * size, placement))
            COMPLAIN("%lu states: something is written beside them", (unsigned long)n);
    }
}

/* Authenticated encryption. */

struct aead_arguments {
    const usuba_aead_functions *aead;
    const void *ctx;
    const unsigned char *nonce, *ad;
    size_t ad_length;
    /* To be written, or to be read. */
    unsigned char *tag;
    int opening;
};

static int apply_aead(const void *arguments, unsigned char *out, const unsigned char *in, size_t length)
{
    const struct aead_arguments *a = arguments;
    const usuba_aead_functions *aead = a->aead;
    if (a->opening)
        return aead->open(a->ctx, out, a->tag, aead->tag_bytes, a->nonce, aead->nonce_bytes, a->ad, a->ad_length, in, length);
    return aead->seal(a->ctx, out, a->tag, aead->tag_bytes, a->nonce, aead->nonce_bytes, a->ad, a->ad_length, in, length);
}

static void check_aead(const char *name, const usuba_aead_functions *aead, const unsigned char *in,
                       unsigned char *expected)
{
    unsigned char *key = place(4, aead->key_bytes, AT_END), *nonce = place(5, aead->nonce_bytes, AT_END);
    unsigned char *tag = place(3, aead->tag_bytes, AT_END), expected_tag[64], *plain = reserve(LONGEST);
    void *ctx = reserve(aead->context_bytes);
    struct aead_arguments a = { aead, ctx, nonce, NULL, 0, tag, 0 };
    size_t n, i;
    int how;
    fill(key, aead->key_bytes, 1);
    if (aead->init(ctx, key) != USUBA_OK)
        COMPLAIN("a key is refused");
    for (n = 0; n <= LONGEST; n++) {
        unsigned char *ad;
        if (!wanted(n))
            continue;
        a.ad_length = n % 64 == 0 ? n / 8 : n % 37;
        a.ad = ad = place(2, a.ad_length, (unsigned)(n % PLACEMENTS));
        fill(ad, a.ad_length, n);
        fill(nonce, aead->nonce_bytes, n);
        /* A mode is compared with itself, in memory that nothing guards: what it computes is compared elsewhere. */
        if (!reference_seal(name, expected, expected_tag, key, nonce, ad, a.ad_length, in, n) &&
            aead->seal(ctx, expected, expected_tag, aead->tag_bytes, nonce, aead->nonce_bytes, ad, a.ad_length, in, n) !=
                USUBA_OK)
            COMPLAIN("a message of %lu bytes is refused", (unsigned long)n);
        a.opening = 0;
        check_call(apply_aead, &a, in, expected, n, 3 * n);
        if (memcmp(tag, expected_tag, aead->tag_bytes) != 0)
            COMPLAIN("the tag of %lu bytes is not what it is a byte at a time", (unsigned long)n);
        check_overlaps(apply_aead, &a, n);
        a.opening = 1;
        memcpy(tag, expected_tag, aead->tag_bytes);
        check_call(apply_aead, &a, expected, in, n, 3 * n + 2);
        check_overlaps(apply_aead, &a, n);
        /* A bit of the tag. */
        tag[n % aead->tag_bytes] ^= (unsigned char)(1u << (n / 16 % 8));
        checks++;
        memset(plain, FRESH, n);
        if (aead->open(ctx, plain, tag, aead->tag_bytes, nonce, aead->nonce_bytes, ad, a.ad_length, expected, n) !=
            USUBA_ERROR_TAG)
            COMPLAIN("a wrong tag of %lu bytes is accepted", (unsigned long)n);
        for (i = 0; i < n; i++)
            if (plain[i] != FRESH && plain[i] != 0)
                break;
        if (i < n)
            COMPLAIN("something of a refused message of %lu bytes is released", (unsigned long)n);
    }
    for (how = 0; how < 3; how++) {
        unsigned char *out = place(0, 32, AT_END);
        spoil(ctx, aead->context_bytes, how, aead->wipe);
        refuses("seal", aead->seal(ctx, out, tag, aead->tag_bytes, nonce, aead->nonce_bytes, NULL, 0, in, 32), out, 32);
        refuses("open", aead->open(ctx, out, tag, aead->tag_bytes, nonce, aead->nonce_bytes, NULL, 0, in, 32), out, 32);
    }
    free(ctx);
    free(plain);
}

/* Modes that carry a vector, and modes for units: the same from the same vector in memory that nothing guards, and back. */

struct mode_arguments {
    int (*apply)(const void *, unsigned char *, unsigned char *, const unsigned char *, size_t);
    int (*apply_unit)(const void *, const unsigned char *, unsigned char *, const unsigned char *, size_t);
    const void *ctx;
    unsigned char *iv;
    const unsigned char *first;
    size_t iv_bytes;
};

static int apply_mode(const void *arguments, unsigned char *out, const unsigned char *in, size_t length)
{
    const struct mode_arguments *a = arguments;
    if (a->apply_unit != NULL)
        return a->apply_unit(a->ctx, a->first, out, in, length);
    memcpy(a->iv, a->first, a->iv_bytes);
    return a->apply(a->ctx, a->iv, out, in, length);
}

static void check_mode(struct mode_arguments *forth, struct mode_arguments *back, size_t least, size_t unit,
                       const unsigned char *in, unsigned char *expected)
{
    unsigned char *plain = reserve(LONGEST);
    size_t n;
    for (n = least; n <= LONGEST; n += unit) {
        if (!wanted(n))
            continue;
        checks++;
        if (apply_mode(forth, expected, in, n) != USUBA_OK || apply_mode(back, plain, expected, n) != USUBA_OK ||
            memcmp(plain, in, n) != 0)
            COMPLAIN("%lu bytes do not come back", (unsigned long)n);
        check_call(apply_mode, forth, in, expected, n, 3 * n);
        check_overlaps(apply_mode, forth, n);
        check_call(apply_mode, back, expected, in, n, 3 * n + 2);
        check_overlaps(apply_mode, back, n);
    }
    free(plain);
}

static void check_chain(const usuba_chain_functions *chain, const unsigned char *in, unsigned char *expected)
{
    unsigned char *key = place(4, chain->key_bytes, AT_END), *iv = place(5, chain->iv_bytes, AT_END), first[64];
    void *ctx = reserve(chain->context_bytes);
    struct mode_arguments forth = { chain->encrypt, NULL, ctx, iv, first, chain->iv_bytes }, back = forth;
    int how;
    back.apply = chain->decrypt;
    fill(key, chain->key_bytes, 1);
    fill(first, sizeof first, 2);
    if (chain->init(ctx, key) != USUBA_OK)
        COMPLAIN("a key is refused");
    check_mode(&forth, &back, 0, chain->unit_bytes, in, expected);
    check_counter_apart("encrypt", chain->encrypt, ctx, chain->iv_bytes, in, chain->unit_bytes);
    check_counter_apart("decrypt", chain->decrypt, ctx, chain->iv_bytes, in, chain->unit_bytes);
    checks++;
    if (chain->unit_bytes > 1 && chain->encrypt(ctx, iv, expected, in, chain->unit_bytes + 1) != USUBA_ERROR_LENGTH)
        COMPLAIN("a length that is not of whole blocks is not refused");
    for (how = 0; how < 3; how++) {
        unsigned char *out = place(0, chain->iv_bytes, AT_END);
        spoil(ctx, chain->context_bytes, how, chain->wipe);
        refuses("encrypt", chain->encrypt(ctx, iv, out, in, chain->iv_bytes), out, chain->iv_bytes);
        refuses("decrypt", chain->decrypt(ctx, iv, out, in, chain->iv_bytes), out, chain->iv_bytes);
    }
    free(ctx);
}

static void check_units(const usuba_units_functions *units, const unsigned char *in, unsigned char *expected)
{
    unsigned char *key = place(4, units->key_bytes, AT_END), *unit = place(5, units->unit_bytes, AT_END);
    void *ctx = reserve(units->context_bytes);
    unsigned char *longest;
    struct mode_arguments forth = { NULL, units->encrypt, ctx, NULL, unit, units->unit_bytes }, back = forth;
    int how;
    back.apply_unit = units->decrypt;
    fill(key, units->key_bytes, 1);
    fill(unit, units->unit_bytes, 2);
    if (units->init(ctx, key) != USUBA_OK)
        COMPLAIN("a key is refused");
    check_mode(&forth, &back, units->unit_bytes, 1, in, expected);
    checks++;
    if (units->encrypt(ctx, unit, expected, in, units->unit_bytes - 1) != USUBA_ERROR_LENGTH)
        COMPLAIN("a unit that is too short is not refused");
    longest = reserve(((size_t)1 << 24) + 1);
    if (units->encrypt(ctx, unit, longest, longest, ((size_t)1 << 24) + 1) != USUBA_ERROR_LENGTH
        || units->decrypt(ctx, unit, longest, longest, ((size_t)1 << 24) + 1) != USUBA_ERROR_LENGTH)
        COMPLAIN("a unit that is too long is not refused");
    free(longest);
    for (how = 0; how < 3; how++) {
        unsigned char *out = place(0, 32, AT_END);
        spoil(ctx, units->context_bytes, how, units->wipe);
        refuses("encrypt", units->encrypt(ctx, unit, out, in, 32), out, 32);
        refuses("decrypt", units->decrypt(ctx, unit, out, in, 32), out, 32);
    }
    free(ctx);
}

static void check_authenticator(const usuba_authenticator_functions *authenticator, const unsigned char *in)
{
    const size_t size = authenticator->tag_bytes;
    unsigned char *key = place(4, authenticator->key_bytes, AT_END), *nonce = place(5, authenticator->nonce_bytes, AT_END);
    unsigned char *tag = place(3, size, AT_END), expected[64];
    void *ctx = reserve(authenticator->context_bytes);
    size_t n;
    int how;
    fill(key, authenticator->key_bytes, 1);
    fill(nonce, authenticator->nonce_bytes, 2);
    if (authenticator->init(ctx, key) != USUBA_OK)
        COMPLAIN("a key is refused");
    for (n = 0; n <= LONGEST; n++) {
        unsigned char *message;
        if (!wanted(n))
            continue;
        message = place(0, n, (unsigned)(n % PLACEMENTS));
        memcpy(message, in, n);
        checks++;
        if (authenticator->compute(ctx, expected, size, nonce, authenticator->nonce_bytes, in, n) != USUBA_OK ||
            authenticator->compute(ctx, tag, size, nonce, authenticator->nonce_bytes, message, n) != USUBA_OK ||
            memcmp(tag, expected, size) != 0)
            COMPLAIN("the tag of %lu bytes depends on where they lie", (unsigned long)n);
    }
    for (how = 0; how < 3; how++) {
        unsigned char *out = place(3, size, AT_END);
        spoil(ctx, authenticator->context_bytes, how, authenticator->wipe);
        refuses("compute", authenticator->compute(ctx, out, size, nonce, authenticator->nonce_bytes, in, 32), out, size);
    }
    free(ctx);
}

/* Hashes and authenticators: in one call, and a byte at a time. */

static void check_digests(const usuba_primitive *primitive, const unsigned char *in)
{
    unsigned char one[64], parts[64], key[64], *message;
    size_t n, i, size, context;
    void *ctx;
    const int kind = (int)primitive->kind;
    const usuba_hash_functions *hash = &primitive->of.hash;
    const usuba_xof_functions *xof = &primitive->of.xof;
    const usuba_mac_functions *mac = &primitive->of.mac;
    int how;
    size = kind == USUBA_KIND_HASH ? hash->digest_bytes : kind == USUBA_KIND_MAC ? mac->tag_bytes : sizeof one;
    context = kind == USUBA_KIND_HASH ? hash->context_bytes :
              kind == USUBA_KIND_MAC  ? mac->context_bytes :
                                        xof->context_bytes;
    if (size > sizeof one)
        stop("an output that is longer than what is reserved for it");
    ctx = reserve(context);
    fill(key, sizeof key, 1);
    for (n = 0; n <= LONGEST; n++) {
        const unsigned placement = (unsigned)(n % PLACEMENTS);
        size_t custom = 0;
        int result, end;
        if (!wanted(n))
            continue;
        message = place(0, n, placement);
        memcpy(message, in, n);
        if (kind == USUBA_KIND_HASH) {
            result = hash->compute(one, message, n);
            end = hash->init(ctx);
            for (i = 0; i < n; i++)
                end |= hash->update(ctx, message + i, 1);
            end |= hash->final(ctx, parts);
        } else if (kind == USUBA_KIND_MAC) {
            result = mac->compute(one, key, message, n);
            end = mac->init(ctx, key);
            for (i = 0; i < n; i++)
                end |= mac->update(ctx, message + i, 1);
            end |= mac->final(ctx, parts);
        } else {
            custom = xof->customization_bytes == 0 ? 0 : n % 40;
            result = xof->compute(one, size, key, custom, message, n);
            end = xof->init(ctx, key, custom);
            for (i = 0; i < n; i++)
                end |= xof->update(ctx, message + i, 1);
            for (i = 0; i < size; i++)
                end |= xof->squeeze(ctx, parts + i, 1);
        }
        checks++;
        if (result != USUBA_OK || end != USUBA_OK)
            COMPLAIN("%lu bytes are refused", (unsigned long)n);
        if (memcmp(one, parts, size) != 0)
            COMPLAIN("%lu bytes are not what they are one at a time", (unsigned long)n);
        if (memcmp(message, in, n) != 0 || !intact(message, n, placement))
            COMPLAIN("%lu bytes: the input is written", (unsigned long)n);
    }
    for (how = 0; how < 3; how++) {
        unsigned char *out = place(0, size, AT_END);
        if (kind == USUBA_KIND_HASH) {
            hash->init(ctx);
            spoil(ctx, context, how, hash->wipe);
            refuses("update", hash->update(ctx, in, 1), out, size);
            refuses("final", hash->final(ctx, out), out, size);
        } else if (kind == USUBA_KIND_MAC) {
            mac->init(ctx, key);
            spoil(ctx, context, how, mac->wipe);
            refuses("update", mac->update(ctx, in, 1), out, size);
            refuses("final", mac->final(ctx, out), out, size);
        } else {
            xof->init(ctx, key, 0);
            spoil(ctx, context, how, xof->wipe);
            refuses("update", xof->update(ctx, in, 1), out, size);
            refuses("squeeze", xof->squeeze(ctx, out, size), out, size);
        }
    }
    free(ctx);
}

static int chosen(const char *name, char **names, int count)
{
    int i;
    for (i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return 1;
    return count == 0;
}

int main(int count, char **arguments)
{
    unsigned char *in = reserve(LONGEST + 64), *expected = reserve(LONGEST + 64);
    const usuba_primitive *primitive;
    size_t i;
    int found = 0;
    if (count < 2 || (step = (size_t)strtoul(arguments[1], NULL, 10)) == 0) {
        fprintf(stderr, "usage: lengths STEP [NAME...]\n");
        return 2;
    }
    /* Whole blocks, of whatever size. */
    fill(in, LONGEST + 64, 3);
    for (i = 0; (primitive = usuba_primitive_at(i)) != NULL; i++) {
        if (!chosen(primitive->name, arguments + 2, count - 2))
            continue;
        found++;
        subject = primitive->name;
        switch (primitive->kind) {
        case USUBA_KIND_BLOCK_CIPHER: check_block_cipher(&primitive->of.block_cipher, in, expected); break;
        case USUBA_KIND_STREAM: check_stream(&primitive->of.stream, in, expected); break;
        case USUBA_KIND_GENERATOR: check_generator(&primitive->of.generator, in, expected); break;
        case USUBA_KIND_PERMUTATION: check_permutation(&primitive->of.permutation, in, expected); break;
        case USUBA_KIND_AEAD: check_aead(primitive->name, &primitive->of.aead, in, expected); break;
        case USUBA_KIND_CHAIN: check_chain(&primitive->of.chain, in, expected); break;
        case USUBA_KIND_UNITS: check_units(&primitive->of.units, in, expected); break;
        case USUBA_KIND_AUTHENTICATOR: check_authenticator(&primitive->of.authenticator, in); break;
        case USUBA_KIND_HASH:
        case USUBA_KIND_XOF:
        case USUBA_KIND_MAC: check_digests(primitive, in); break;
        default: COMPLAIN("nothing is known of its kind");
        }
    }
    subject = "lengths";
    if (found < count - 2)
        COMPLAIN("a primitive that was named is not in the library");
    printf("%s: %d primitives, %lu calls, %lu complaints\n", usuba_target(), found, checks, complaints);
    free(in);
    free(expected);
    return complaints > 0 || found == 0;
}
