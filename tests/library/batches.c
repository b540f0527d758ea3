/* batches.c - see batches.h. */
#define _DEFAULT_SOURCE
#include "batches.h"
#include "guarded.h"

#define MOST 200
#define LONGEST 832
/* The most bytes of a vector or a tag. */
#define BLOCK 32

/* What becomes of a message. */
enum kind { GOOD, NO_VECTOR, NO_BLOCKS, OVERLAPPING };

struct one {
    enum kind kind;
    size_t length;
    int in_place, wanted;
    unsigned char *in, *out, *iv;
    unsigned char expected[LONGEST], vector[BLOCK];
};

static struct one all[MOST];
/* Whether each byte is a call of the cipher, so that long messages would take long. */
static int bytewise;

/* Memory of which nothing is used yet, before a page that cannot be touched. */
static unsigned char *room, *end;

static void empty_room(void)
{
    const size_t size = 64 * PAGE;
    if (room == NULL) {
        room = mmap(NULL, size + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (room == MAP_FAILED || mprotect(room + size, PAGE, PROT_NONE) != 0)
            stop("no memory");
    }
    memset(room, SENTINEL, size);
    end = room + size;
}

/* So many bytes right before those that were taken last, but for a few: at any alignment. */
static unsigned char *take(size_t size, size_t number)
{
    if ((size_t)(end - room) < size + 8)
        stop("no memory");
    end -= size;
    if (number > 0)
        end -= 1 + number % 7;
    memset(end, FRESH, size);
    return end;
}

/* Of message `number`, if each `step` bytes are a call of the cipher. */
static size_t length_of(size_t number, size_t unit, size_t step)
{
    const size_t lengths[8] = { 0, 1, 5, 2, 0, 3, 1, 4 };
    /* Some are long enough to be lanes on all levels. */
    const size_t base = number % 8 == 2 && step > 1 ? 192 : 0;
    const size_t length = number == 6 ? 25 * step : base + lengths[number % 8] * step + (number * 5) % (step > 1 ? 9 : 2);
    return length / unit * unit;
}

/* A message for a function that has vectors, or none if `block` is 0. */
static void make(struct one *one, size_t number, size_t unit, size_t block)
{
    static const enum kind kinds[16] = { GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD,
                                         GOOD, NO_VECTOR, GOOD, NO_BLOCKS, GOOD, OVERLAPPING, GOOD, GOOD };
    const size_t size = block > 0 ? block : 16;
    one->kind = block > 0 ? kinds[number % 16] : GOOD;
    if (one->kind == NO_BLOCKS && unit == 1)
        one->kind = GOOD;
    one->length = length_of(number, unit, bytewise ? 1 : size);
    if (one->kind == OVERLAPPING)
        one->length = 2 * size;
    if (one->kind == NO_BLOCKS)
        one->length++;
    one->in_place = block > 0 && number % 3 == 0;
    one->in = take(one->length + (one->kind == OVERLAPPING), 2 * number);
    fill(one->in, one->length, number);
    one->out = block == 0 || one->in_place ? one->in : take(one->length, 2 * number + 1);
    if (one->kind == OVERLAPPING)
        one->out = one->in + 1;
    one->iv = take(block > 0 ? block : BLOCK, 3 * number + 1);
    fill(one->iv, block, number + 1000);
    memcpy(one->vector, one->iv, block);
    memcpy(one->expected, one->in, one->length);
}

static void check_chain(const usuba_chain_functions *chain, const void *ctx, size_t count)
{
    usuba_chained_message messages[MOST];
    const size_t block = chain->iv_bytes;
    size_t i;
    int first = USUBA_OK, result;
    empty_room();
    for (i = 0; i < count; i++) {
        struct one *one = &all[i];
        make(one, i, chain->unit_bytes, block);
        messages[i].iv = one->kind == NO_VECTOR ? NULL : one->iv;
        messages[i].in = one->in;
        messages[i].out = one->out;
        messages[i].length = one->length;
        messages[i].result = 1;
        one->wanted = one->kind == NO_VECTOR ? USUBA_ERROR_NULL : one->kind == NO_BLOCKS ? USUBA_ERROR_LENGTH :
                      one->kind == OVERLAPPING ? USUBA_ERROR_OVERLAP : USUBA_OK;
        if (one->kind == GOOD &&
            chain->encrypt(ctx, one->vector, one->expected, one->expected, one->length) != USUBA_OK)
            COMPLAIN("%lu bytes are refused", (unsigned long)one->length);
        else if (one->kind != GOOD && one->out != one->in)
            memset(one->expected, FRESH, one->length);
        if (one->kind == OVERLAPPING)
            memcpy(one->expected, one->out, one->length);
        if (first == USUBA_OK)
            first = one->wanted;
    }
    result = chain->encrypt_batch(ctx, count, messages);
    if (result != first)
        COMPLAIN("%lu messages: the result is %d", (unsigned long)count, result);
    for (i = 0; i < count; i++) {
        const struct one *one = &all[i];
        if (messages[i].result != one->wanted)
            COMPLAIN("message %lu of %lu: the result is %d", (unsigned long)i, (unsigned long)count, messages[i].result);
        if (memcmp(one->out, one->expected, one->length) != 0)
            COMPLAIN("message %lu of %lu is not what it is by itself", (unsigned long)i, (unsigned long)count);
        if (memcmp(one->iv, one->vector, block) != 0)
            COMPLAIN("message %lu of %lu: another vector is left", (unsigned long)i, (unsigned long)count);
        if (one->iv[-1] != SENTINEL)
            COMPLAIN("message %lu of %lu: something is written before its vector", (unsigned long)i, (unsigned long)count);
    }
}

static void check_tags(const usuba_authenticator_functions *tags, const void *ctx, size_t count)
{
    usuba_tagged_message messages[MOST];
    size_t i;
    int first = USUBA_OK, result;
    empty_room();
    for (i = 0; i < count; i++) {
        struct one *one = &all[i];
        const size_t size = i % 16 == 9 ? tags->tag_bytes + 1 : i % 16 == 11 ? 0 : tags->tag_bytes - i % 5;
        make(one, i, 1, 0);
        one->wanted = size == 0 || size > tags->tag_bytes ? USUBA_ERROR_LENGTH : USUBA_OK;
        memset(one->vector, FRESH, BLOCK);
        if (one->wanted == USUBA_OK && tags->compute(ctx, one->vector, size, NULL, 0, one->in, one->length) != USUBA_OK)
            COMPLAIN("%lu bytes are refused", (unsigned long)one->length);
        messages[i].in = one->length > 0 || i % 2 == 0 ? one->in : NULL;
        messages[i].length = one->length;
        messages[i].tag = one->iv;
        messages[i].tag_bytes = size;
        messages[i].result = 1;
        if (first == USUBA_OK)
            first = one->wanted;
    }
    result = tags->compute_batch(ctx, count, messages);
    if (result != first)
        COMPLAIN("%lu messages: the result is %d", (unsigned long)count, result);
    for (i = 0; i < count; i++) {
        const struct one *one = &all[i];
        if (messages[i].result != one->wanted)
            COMPLAIN("message %lu of %lu: the result is %d", (unsigned long)i, (unsigned long)count, messages[i].result);
        if (memcmp(one->iv, one->vector, BLOCK) != 0)
            COMPLAIN("the tag of message %lu of %lu is not what it is by itself", (unsigned long)i, (unsigned long)count);
        if (memcmp(one->in, one->expected, one->length) != 0)
            COMPLAIN("message %lu of %lu is written", (unsigned long)i, (unsigned long)count);
    }
}

unsigned long check_batches(const usuba_primitive *primitive)
{
    static const size_t counts[6] = { 0, 1, 2, 7, 33, MOST };
    const usuba_chain_functions *chain = &primitive->of.chain;
    const usuba_authenticator_functions *tags = &primitive->of.authenticator;
    const int is_chain = primitive->kind == USUBA_KIND_CHAIN && chain->encrypt_batch != NULL;
    const int makes_tags = primitive->kind == USUBA_KIND_AUTHENTICATOR && tags->compute_batch != NULL;
    unsigned char key[64];
    void *ctx;
    size_t i;
    subject = primitive->name;
    complaints = 0;
    /* The blocks of a message wait for each other in all modes of this kind, of bytes too. */
    if (primitive->kind == USUBA_KIND_CHAIN && chain->encrypt_batch == NULL)
        COMPLAIN("there is no function for many messages");
    if (!is_chain && !makes_tags)
        return complaints;
    bytewise = strstr(subject, "-cfb8") != NULL;
    fill(key, sizeof key, 5);
    ctx = reserve(is_chain ? chain->context_bytes : tags->context_bytes);
    if ((is_chain ? chain->init(ctx, key) : tags->init(ctx, key)) != USUBA_OK)
        COMPLAIN("a key is refused");
    for (i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (is_chain)
            check_chain(chain, ctx, counts[i]);
        else
            check_tags(tags, ctx, counts[i]);
    }
    if ((is_chain ? chain->encrypt_batch(ctx, 1, NULL) : tags->compute_batch(ctx, 1, NULL)) != USUBA_ERROR_NULL)
        COMPLAIN("messages that are not there are not refused");
    if (is_chain)
        chain->wipe(ctx);
    else
        tags->wipe(ctx);
    if ((is_chain ? chain->encrypt_batch(ctx, 0, NULL) : tags->compute_batch(ctx, 0, NULL)) != USUBA_ERROR_CONTEXT)
        COMPLAIN("a context that was wiped is not refused");
    free(ctx);
    return complaints;
}
