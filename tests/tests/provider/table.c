/* table.c - known answers through the table of a library, which is all that is known of it; and messages in batches. */

#include "batches.h"
#include "lines.h"
#include <usuba_primitives.h>

#define MOST_ROWS 1024
/* As many messages as are enough for an engine. */
#define COPIES 5
static unsigned long answered[MOST_ROWS];

static void check(const struct line *line, int result, int wanted)
{
    if (result != wanted)
        fail(line, "an unexpected result");
}

static void size(const struct line *line, const struct field *field, size_t wanted)
{
    if (field->length != wanted)
        fail(line, "a size in the table is not that of the known answer");
}

/* A counter that is the first block of the text: its ciphertext is the keystream. */
static void counted(const struct line *line, const usuba_block_cipher_functions *cipher,
    int (*xor)(const void *, unsigned char *, unsigned char *, const unsigned char *, size_t), const void *ctx)
{
    const struct field first = { line->fields[3].bytes, cipher->block_bytes };
    unsigned char *count = memory(line->fields[2].bytes, first.length), *found = memory(NULL, first.length);
    memset(found, 0, first.length);
    check(line, xor(ctx, count, found, found, first.length), USUBA_OK);
    compare(line, found, first.length, &first, "a wrong keystream");
    free(count);
    free(found);
}

static void blocks(const struct line *line, const usuba_block_cipher_functions *cipher)
{
    const struct field *key = line->fields, *in = line->fields + 2, *out = line->fields + 3;
    void *ctx = memory(NULL, cipher->context_bytes);
    unsigned char *found = memory(NULL, in->length), *tweaks = NULL;
    const struct field *tweak = line->fields + 1;
    const size_t count = in->length / cipher->block_bytes;
    size_t i;
    size(line, key, cipher->key_bytes);
    size(line, tweak, cipher->tweak_bytes);
    if (tweak->length > 0) {
        tweaks = memory(NULL, count * tweak->length);
        for (i = 0; i < count; i++)
            memcpy(tweaks + i * tweak->length, tweak->bytes, tweak->length);
    }
    check(line, cipher->init(ctx, key->bytes), USUBA_OK);
    if (strcmp(line->request, "encrypt") == 0) {
        check(line, cipher->encrypt_blocks(ctx, tweaks, found, in->bytes, count), USUBA_OK);
        compare(line, found, in->length, out, "a wrong ciphertext");
        if (cipher->ctr_xor != NULL) {
            counted(line, cipher, cipher->ctr_xor, ctx);
            counted(line, cipher, cipher->ctr32_xor, ctx);
        }
    } else {
        check(line, cipher->decrypt_blocks(ctx, tweaks, found, in->bytes, count), USUBA_OK);
        compare(line, found, in->length, out, "a wrong plaintext");
    }
    cipher->wipe(ctx);
    check(line, cipher->encrypt_blocks(ctx, tweaks, found, in->bytes, count), USUBA_ERROR_CONTEXT);
    free(ctx);
    free(found);
    free(tweaks);
}

/* Again and again in place; and back, if there is a way back. */
static void chain(const struct line *line, const usuba_primitive *primitive)
{
    const struct field *key = line->fields, *start = line->fields + 1, *last = line->fields + 3;
    const unsigned long long iterations = number_of(line->fields + 2);
    unsigned char *found = memory(start->bytes, start->length);
    unsigned long long i;
    if (primitive->kind == USUBA_KIND_PERMUTATION) {
        const usuba_permutation_functions *permutation = &primitive->of.permutation;
        size(line, key, 0);
        size(line, start, permutation->state_bytes);
        for (i = 0; i < iterations; i++)
            check(line, permutation->permute(found, 1), USUBA_OK);
        compare(line, found, start->length, last, "a wrong state in the end");
    } else {
        const usuba_block_cipher_functions *cipher = &primitive->of.block_cipher;
        void *ctx = memory(NULL, cipher->context_bytes);
        size(line, key, cipher->key_bytes);
        size(line, start, cipher->block_bytes);
        check(line, cipher->init(ctx, key->bytes), USUBA_OK);
        for (i = 0; i < iterations; i++)
            check(line, cipher->encrypt_blocks(ctx, NULL, found, found, 1), USUBA_OK);
        compare(line, found, start->length, last, "a wrong ciphertext in the end");
        if (cipher->decrypt_blocks != NULL) {
            for (i = 0; i < iterations; i++)
                check(line, cipher->decrypt_blocks(ctx, NULL, found, found, 1), USUBA_OK);
            compare(line, found, start->length, start, "a wrong plaintext in the end");
        }
        cipher->wipe(ctx);
        free(ctx);
    }
    free(found);
}

static void counter(const struct line *line, const usuba_block_cipher_functions *cipher)
{
    const struct field *key = line->fields, *start = line->fields + 1, *in = line->fields + 2, *out = line->fields + 3;
    void *ctx = memory(NULL, cipher->context_bytes);
    unsigned char *found = memory(NULL, in->length), *count = memory(start->bytes, start->length);
    size(line, key, cipher->key_bytes);
    size(line, start, cipher->block_bytes);
    check(line, cipher->init(ctx, key->bytes), USUBA_OK);
    check(line, cipher->ctr_xor(ctx, count, found, in->bytes, in->length), USUBA_OK);
    compare(line, found, in->length, out, "a wrong output");
    free(ctx);
    free(found);
    free(count);
}

static void stream(const struct line *line, const usuba_primitive *primitive)
{
    const struct field *key = line->fields, *nonce = line->fields + 1, *in = line->fields + 3, *out = line->fields + 4;
    unsigned char *found = memory(NULL, in->length);
    if (primitive->kind == USUBA_KIND_STREAM) {
        const usuba_stream_functions *functions = &primitive->of.stream;
        size(line, key, functions->key_bytes);
        size(line, nonce, functions->nonce_bytes);
        check(line, functions->xor_bytes(key->bytes, nonce->bytes, number_of(line->fields + 2), found, in->bytes, in->length),
            USUBA_OK);
        if (functions->counter_bytes < 8)
            check(line, functions->xor_bytes(key->bytes, nonce->bytes, 1ull << (8 * functions->counter_bytes), found,
                in->bytes, in->length), USUBA_ERROR_LENGTH);
        compare(line, found, in->length, out, "a wrong output");
    } else {
        const usuba_generator_functions *functions = &primitive->of.generator;
        const size_t half = in->length / 2;
        unsigned char *ctx = memory(NULL, 2 * functions->context_bytes);
        unsigned char *other = memory(NULL, in->length), *outputs[2];
        const unsigned char *inputs[2];
        size(line, key, functions->key_bytes);
        size(line, nonce, functions->nonce_bytes);
        check(line, functions->init(ctx, key->bytes, nonce->bytes), USUBA_OK);
        memcpy(ctx + functions->context_bytes, ctx, functions->context_bytes);
        check(line, functions->xor_bytes(ctx, found, in->bytes, half), USUBA_OK);
        check(line, functions->xor_bytes(ctx, found + half, in->bytes + half, in->length - half), USUBA_OK);
        compare(line, found, in->length, out, "a wrong output");
        /* Two streams at once, from the beginning. */
        memcpy(ctx, ctx + functions->context_bytes, functions->context_bytes);
        outputs[0] = found;
        outputs[1] = other;
        inputs[0] = inputs[1] = in->bytes;
        memset(found, 0, in->length);
        check(line, functions->xor_batch(ctx, outputs, inputs, in->length, 2), USUBA_OK);
        compare(line, found, in->length, out, "a wrong output of the first of two streams");
        compare(line, other, in->length, out, "a wrong output of the second of two streams");
        functions->wipe(ctx);
        free(ctx);
        free(other);
    }
    free(found);
}

static void permute(const struct line *line, const usuba_permutation_functions *permutation)
{
    const struct field *in = line->fields, *out = line->fields + 1;
    unsigned char *found = memory(in->bytes, in->length);
    check(line, permutation->permute(found, in->length / permutation->state_bytes), USUBA_OK);
    compare(line, found, in->length, out, "a wrong state");
    free(found);
}

/* The message must be refused, and nothing of it released. */
static void refused(const struct line *line, const usuba_aead_functions *functions, const struct field *ad,
    const struct field *in, const unsigned char *tag)
{
    unsigned char *found = memory(NULL, in->length);
    void *ctx = memory(NULL, functions->context_bytes);
    memset(found, FRESH, in->length);
    check(line, functions->init(ctx, line->fields[0].bytes), USUBA_OK);
    check(line, functions->open(ctx, found, tag, functions->tag_bytes, line->fields[1].bytes, functions->nonce_bytes,
        ad->bytes, ad->length, in->bytes, in->length), USUBA_ERROR_TAG);
    released_nothing(line, found, in->length);
    free(ctx);
    free(found);
}

/* The fields of a message, the last of them the ciphertext with its tag. */
static void message(const struct line *line, const usuba_aead_functions *functions, const struct field *sealed,
    struct field *cipher, struct field *tag)
{
    size(line, line->fields, functions->key_bytes);
    size(line, line->fields + 1, functions->nonce_bytes);
    if (sealed->length < functions->tag_bytes)
        fail(line, "the known answer is shorter than a tag");
    cipher->bytes = sealed->bytes;
    cipher->length = sealed->length - functions->tag_bytes;
    tag->bytes = sealed->bytes + cipher->length;
    tag->length = functions->tag_bytes;
}

static void aead(const struct line *line, const usuba_aead_functions *functions)
{
    const struct field *key = line->fields, *nonce = line->fields + 1, *ad = line->fields + 2, *in = line->fields + 3;
    struct field out, tag;
    void *ctx = memory(NULL, functions->context_bytes);
    const size_t nonce_bytes = functions->nonce_bytes, tag_bytes = functions->tag_bytes;
    unsigned char *found, *made;
    size_t i;
    message(line, functions, line->fields + 4, &out, &tag);
    size(line, in, out.length);
    found = memory(NULL, out.length);
    made = memory(NULL, tag.length);
    check(line, functions->init(ctx, key->bytes), USUBA_OK);
    check(line, functions->seal(ctx, found, made, tag_bytes, nonce->bytes, nonce_bytes, ad->bytes, ad->length, in->bytes,
        in->length), USUBA_OK);
    compare(line, found, out.length, &out, "a wrong ciphertext");
    compare(line, made, tag.length, &tag, "a wrong tag");
    check(line, functions->open(ctx, found, made, tag_bytes, nonce->bytes, nonce_bytes, ad->bytes, ad->length, out.bytes,
        out.length), USUBA_OK);
    check(line, functions->seal(ctx, found, made, tag_bytes, nonce->bytes, 0, ad->bytes, ad->length, in->bytes, in->length),
        USUBA_ERROR_LENGTH);
    functions->wipe(ctx);
    check(line, functions->seal(ctx, found, made, tag_bytes, nonce->bytes, nonce_bytes, ad->bytes, ad->length, in->bytes,
        in->length), USUBA_ERROR_CONTEXT);
    free(ctx);
    compare(line, found, out.length, in, "a wrong plaintext");
    /* One bit of each of key, nonce, associated data, ciphertext and tag: another in every line. */
    for (i = 0; i < 5; i++) {
        const struct field *parts[5] = { key, nonce, ad, &out, &tag };
        unsigned char *changed = parts[i]->bytes + line->number % (parts[i]->length > 0 ? parts[i]->length : 1);
        const unsigned char bit = (unsigned char)(1u << line->number % 8);
        if (parts[i]->length == 0)
            continue;
        *changed ^= bit;
        refused(line, functions, ad, &out, tag.bytes);
        *changed ^= bit;
    }
    free(found);
    free(made);
}

/* A message that is not authentic. */
static void forged(const struct line *line, const usuba_aead_functions *functions)
{
    struct field in, tag;
    message(line, functions, line->fields + 3, &in, &tag);
    refused(line, functions, line->fields + 2, &in, tag.bytes);
}

static void hash(const struct line *line, const usuba_hash_functions *functions)
{
    const struct field *in = line->fields, *out = line->fields + 1;
    unsigned char *found = memory(NULL, functions->digest_bytes);
    void *ctx = memory(NULL, functions->context_bytes);
    size(line, out, functions->digest_bytes);
    check(line, functions->compute(found, in->bytes, in->length), USUBA_OK);
    compare(line, found, out->length, out, "a wrong digest");
    memset(found, 0, out->length);
    check(line, functions->init(ctx), USUBA_OK);
    check(line, functions->update(ctx, in->bytes, in->length), USUBA_OK);
    check(line, functions->final(ctx, found), USUBA_OK);
    compare(line, found, out->length, out, "a wrong digest of parts");
    functions->wipe(ctx);
    check(line, functions->update(ctx, in->bytes, in->length), USUBA_ERROR_CONTEXT);
    free(ctx);
    free(found);
}

static void xof(const struct line *line, const usuba_xof_functions *functions)
{
    const struct field *custom = line->fields, *in = line->fields + 1, *out = line->fields + 2;
    unsigned char *found = memory(NULL, out->length);
    void *ctx = memory(NULL, functions->context_bytes);
    check(line, functions->compute(found, out->length, custom->bytes, custom->length, in->bytes, in->length), USUBA_OK);
    compare(line, found, out->length, out, "a wrong output");
    memset(found, 0, out->length);
    check(line, functions->init(ctx, custom->bytes, functions->customization_bytes + 1), USUBA_ERROR_LENGTH);
    check(line, functions->init(ctx, custom->bytes, custom->length), USUBA_OK);
    check(line, functions->update(ctx, in->bytes, in->length), USUBA_OK);
    check(line, functions->squeeze(ctx, found, out->length), USUBA_OK);
    compare(line, found, out->length, out, "a wrong output of parts");
    functions->wipe(ctx);
    check(line, functions->squeeze(ctx, found, out->length), USUBA_ERROR_CONTEXT);
    free(ctx);
    free(found);
}

static void mac(const struct line *line, const usuba_mac_functions *functions)
{
    const struct field *key = line->fields, *in = line->fields + 1, *out = line->fields + 2;
    unsigned char *found = memory(NULL, functions->tag_bytes);
    void *ctx = memory(NULL, functions->context_bytes);
    size(line, key, functions->key_bytes);
    size(line, out, functions->tag_bytes);
    check(line, functions->compute(found, key->bytes, in->bytes, in->length), USUBA_OK);
    compare(line, found, out->length, out, "a wrong tag");
    memset(found, 0, out->length);
    check(line, functions->init(ctx, key->bytes), USUBA_OK);
    check(line, functions->update(ctx, in->bytes, in->length), USUBA_OK);
    check(line, functions->final(ctx, found), USUBA_OK);
    compare(line, found, out->length, out, "a wrong tag of parts");
    functions->wipe(ctx);
    check(line, functions->update(ctx, in->bytes, in->length), USUBA_ERROR_CONTEXT);
    free(ctx);
    free(found);
}

/* The same message several times, at once. */
static void chained_batch(const struct line *line, const usuba_chain_functions *functions, const void *ctx)
{
    const struct field *iv = line->fields + 1, *in = line->fields + 2, *out = line->fields + 3;
    usuba_chained_message messages[COPIES];
    int i;
    for (i = 0; i < COPIES; i++) {
        messages[i].iv = memory(iv->bytes, iv->length);
        messages[i].in = in->bytes;
        messages[i].length = in->length;
        messages[i].out = memory(NULL, in->length);
    }
    check(line, functions->encrypt_batch(ctx, COPIES, messages), USUBA_OK);
    for (i = 0; i < COPIES; i++) {
        compare(line, messages[i].out, in->length, out, "a wrong text of several");
        free(messages[i].iv);
        free(messages[i].out);
    }
}

static void tagged_batch(const struct line *line, const usuba_authenticator_functions *functions, const void *ctx)
{
    const struct field *in = line->fields + 2, *out = line->fields + 3;
    usuba_tagged_message messages[COPIES];
    int i;
    for (i = 0; i < COPIES; i++) {
        messages[i].in = in->bytes;
        messages[i].length = in->length;
        messages[i].tag = memory(NULL, out->length);
        messages[i].tag_bytes = out->length;
    }
    check(line, functions->compute_batch(ctx, COPIES, messages), USUBA_OK);
    for (i = 0; i < COPIES; i++) {
        compare(line, messages[i].tag, out->length, out, "a wrong tag of several");
        free(messages[i].tag);
    }
}

/* Modes that carry a vector: in one call, and in two, the second of which goes on where the first has ended. */
static void mode(const struct line *line, const usuba_chain_functions *functions,
    int (*apply)(const void *, unsigned char *, unsigned char *, const unsigned char *, size_t))
{
    const struct field *key = line->fields, *iv = line->fields + 1, *in = line->fields + 2, *out = line->fields + 3;
    unsigned char *found = memory(NULL, in->length), *vector = memory(iv->bytes, iv->length);
    void *ctx = memory(NULL, functions->context_bytes);
    const size_t half = in->length / 2 / functions->iv_bytes * functions->iv_bytes;
    size(line, key, functions->key_bytes);
    size(line, iv, functions->iv_bytes);
    size(line, in, out->length);
    check(line, functions->init(ctx, key->bytes), USUBA_OK);
    check(line, apply(ctx, vector, found, in->bytes, in->length), USUBA_OK);
    compare(line, found, in->length, out, "a wrong text");
    memcpy(vector, iv->bytes, iv->length);
    memcpy(found, in->bytes, in->length);
    check(line, apply(ctx, vector, found, found, half), USUBA_OK);
    check(line, apply(ctx, vector, found + half, found + half, in->length - half), USUBA_OK);
    compare(line, found, in->length, out, "a wrong text of two parts, in place");
    if (apply == functions->encrypt && functions->encrypt_batch != NULL)
        chained_batch(line, functions, ctx);
    functions->wipe(ctx);
    check(line, apply(ctx, vector, found, found, half), USUBA_ERROR_CONTEXT);
    free(ctx);
    free(vector);
    free(found);
}

static void unit(const struct line *line, const usuba_units_functions *functions,
    int (*apply)(const void *, const unsigned char *, unsigned char *, const unsigned char *, size_t))
{
    const struct field *key = line->fields, *number = line->fields + 1, *in = line->fields + 2, *out = line->fields + 3;
    unsigned char *found = memory(NULL, in->length);
    void *ctx = memory(NULL, functions->context_bytes);
    size(line, key, functions->key_bytes);
    size(line, number, functions->unit_bytes);
    size(line, in, out->length);
    check(line, functions->init(ctx, key->bytes), USUBA_OK);
    check(line, apply(ctx, number->bytes, found, in->bytes, in->length), USUBA_OK);
    compare(line, found, in->length, out, "a wrong unit");
    functions->wipe(ctx);
    check(line, apply(ctx, number->bytes, found, in->bytes, in->length), USUBA_ERROR_CONTEXT);
    free(ctx);
    free(found);
}

static void tag_of(const struct line *line, const usuba_authenticator_functions *functions)
{
    const struct field *key = line->fields, *nonce = line->fields + 1, *in = line->fields + 2, *out = line->fields + 3;
    unsigned char *found = memory(NULL, out->length);
    void *ctx = memory(NULL, functions->context_bytes);
    size(line, key, functions->key_bytes);
    check(line, functions->init(ctx, key->bytes), USUBA_OK);
    check(line, functions->compute(ctx, found, out->length, nonce->bytes, nonce->length, in->bytes, in->length), USUBA_OK);
    compare(line, found, out->length, out, "a wrong tag");
    if (functions->compute_batch != NULL)
        tagged_batch(line, functions, ctx);
    functions->wipe(ctx);
    check(line, functions->compute(ctx, found, out->length, nonce->bytes, nonce->length, in->bytes, in->length),
        USUBA_ERROR_CONTEXT);
    free(ctx);
    free(found);
}

/* A message with a nonce and a tag of any size: sealed, opened, and refused with a bit of each part changed. */
static void sealed(const struct line *line, const usuba_aead_functions *functions)
{
    const struct field *key = line->fields, *nonce = line->fields + 1, *ad = line->fields + 2, *in = line->fields + 3;
    const struct field *out = line->fields + 4, *tag = line->fields + 5;
    unsigned char *found = memory(NULL, out->length), *made = memory(NULL, tag->length);
    void *ctx = memory(NULL, functions->context_bytes);
    size_t i;
    size(line, key, functions->key_bytes);
    size(line, in, out->length);
    check(line, functions->init(ctx, key->bytes), USUBA_OK);
    check(line, functions->seal(ctx, found, made, tag->length, nonce->bytes, nonce->length, ad->bytes, ad->length, in->bytes,
        in->length), USUBA_OK);
    compare(line, found, out->length, out, "a wrong ciphertext");
    compare(line, made, tag->length, tag, "a wrong tag");
    check(line, functions->open(ctx, found, made, tag->length, nonce->bytes, nonce->length, ad->bytes, ad->length, found,
        in->length), USUBA_OK);
    compare(line, found, out->length, in, "a wrong plaintext");
    check(line, functions->seal(ctx, found, made, tag->length, nonce->bytes, 0, ad->bytes, ad->length, in->bytes,
        in->length), USUBA_ERROR_LENGTH);
    check(line, functions->seal(ctx, found, made, 17, nonce->bytes, nonce->length, ad->bytes, ad->length, in->bytes,
        in->length), USUBA_ERROR_LENGTH);
    for (i = 0; i < 4; i++) {
        const struct field *parts[4] = { nonce, ad, out, tag };
        unsigned char *changed = parts[i]->bytes + line->number % (parts[i]->length > 0 ? parts[i]->length : 1);
        const unsigned char bit = (unsigned char)(1u << line->number % 8);
        if (parts[i]->length == 0)
            continue;
        *changed ^= bit;
        memset(found, FRESH, out->length);
        check(line, functions->open(ctx, found, tag->bytes, tag->length, nonce->bytes, nonce->length, ad->bytes, ad->length,
            out->bytes, out->length), USUBA_ERROR_TAG);
        released_nothing(line, found, out->length);
        *changed ^= bit;
    }
    functions->wipe(ctx);
    check(line, functions->seal(ctx, found, made, tag->length, nonce->bytes, nonce->length, ad->bytes, ad->length, in->bytes,
        in->length), USUBA_ERROR_CONTEXT);
    free(ctx);
    free(found);
    free(made);
}

/* A message that is not authentic, or whose sizes are none of the mode. */
static void unsealed(const struct line *line, const usuba_aead_functions *functions)
{
    const struct field *key = line->fields, *nonce = line->fields + 1, *ad = line->fields + 2, *in = line->fields + 3;
    const struct field *tag = line->fields + 4;
    unsigned char *found = memory(NULL, in->length);
    void *ctx = memory(NULL, functions->context_bytes);
    int result;
    size(line, key, functions->key_bytes);
    memset(found, FRESH, in->length);
    check(line, functions->init(ctx, key->bytes), USUBA_OK);
    result = functions->open(ctx, found, tag->bytes, tag->length, nonce->bytes, nonce->length, ad->bytes, ad->length,
        in->bytes, in->length);
    if (result != USUBA_ERROR_LENGTH)
        check(line, result, USUBA_ERROR_TAG);
    released_nothing(line, found, in->length);
    free(ctx);
    free(found);
}

/* Whether the line is for the kind of the primitive. */
static int ask(const struct line *line, const usuba_primitive *primitive)
{
    switch (primitive->kind) {
    case USUBA_KIND_BLOCK_CIPHER:
        if (asks(line, "encrypt", 4) || asks(line, "decrypt", 4))
            blocks(line, &primitive->of.block_cipher);
        else if (asks(line, "counter", 4))
            counter(line, &primitive->of.block_cipher);
        else if (asks(line, "chain", 4))
            chain(line, primitive);
        else
            return 0;
        return 1;
    case USUBA_KIND_STREAM:
    case USUBA_KIND_GENERATOR:
        if (!asks(line, "stream", 5))
            return 0;
        stream(line, primitive);
        return 1;
    case USUBA_KIND_PERMUTATION:
        if (asks(line, "permute", 2))
            permute(line, &primitive->of.permutation);
        else if (asks(line, "chain", 4))
            chain(line, primitive);
        else
            return 0;
        return 1;
    case USUBA_KIND_AEAD:
        if (asks(line, "aead", 5))
            aead(line, &primitive->of.aead);
        else if (asks(line, "refused", 4))
            forged(line, &primitive->of.aead);
        else if (asks(line, "sealed", 6))
            sealed(line, &primitive->of.aead);
        else if (asks(line, "forged", 5))
            unsealed(line, &primitive->of.aead);
        else
            return 0;
        return 1;
    case USUBA_KIND_HASH:
        if (!asks(line, "hash", 2))
            return 0;
        hash(line, &primitive->of.hash);
        return 1;
    case USUBA_KIND_XOF:
        if (!asks(line, "xof", 3))
            return 0;
        xof(line, &primitive->of.xof);
        return 1;
    case USUBA_KIND_MAC:
        if (!asks(line, "mac", 3))
            return 0;
        mac(line, &primitive->of.mac);
        return 1;
    case USUBA_KIND_CHAIN:
        if (asks(line, "forth", 4))
            mode(line, &primitive->of.chain, primitive->of.chain.encrypt);
        else if (asks(line, "back", 4))
            mode(line, &primitive->of.chain, primitive->of.chain.decrypt);
        else
            return 0;
        return 1;
    case USUBA_KIND_UNITS:
        if (asks(line, "forth", 4))
            unit(line, &primitive->of.units, primitive->of.units.encrypt);
        else if (asks(line, "back", 4))
            unit(line, &primitive->of.units, primitive->of.units.decrypt);
        else
            return 0;
        return 1;
    case USUBA_KIND_AUTHENTICATOR:
        if (!asks(line, "tag", 4))
            return 0;
        tag_of(line, &primitive->of.authenticator);
        return 1;
    }
    return 0;
}

int main(void)
{
    struct line line;
    const usuba_primitive *primitive;
    size_t row;
    for (row = 0; (primitive = usuba_primitive_at(row)) != NULL; row++) {
        if (usuba_primitive_named(primitive->name) != primitive)
            return 3;
    }
    if (usuba_primitive_at((size_t)-1) != NULL || usuba_primitive_named("no-such") != NULL ||
        usuba_primitive_named("") != NULL || usuba_primitive_named(NULL) != NULL)
        return 4;
    while (next_line(&line)) {
        primitive = usuba_primitive_named(line.name);
        if (primitive == NULL)
            fail(&line, "the table has no such row");
        if (!ask(&line, primitive))
            fail(&line, "the row is of another kind");
        for (row = 0; row + 1 < MOST_ROWS && usuba_primitive_at(row) != primitive; row++)
            ;
        answered[row]++;
        line_free(&line);
    }
    for (row = 0; (primitive = usuba_primitive_at(row)) != NULL; row++)
        if (check_batches(primitive) > 0)
            return 5;
    for (row = 0; (primitive = usuba_primitive_at(row)) != NULL; row++)
        printf("%s %lu\n", primitive->name, answered[row]);
    return 0;
}
