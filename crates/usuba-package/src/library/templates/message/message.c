#include "@stem@.h"
#include "usuba_library.h"
@if pieces
#include "usuba_pieces.h"
@end

/* The code for a level of the machine: whether it is on round keys, or around the functions of the cipher; and for each public
 * function what is done once a key, and itself. */
struct code {
    int rounds;
@types@};

@prototypes@
static const struct code codes[] = {
@codes@};

USUBA_HIDDEN void @cipher@_loaded_blocks(const @cipher@_ctx *ctx, struct usuba_loaded *loaded, size_t direction,
    unsigned char *out, const unsigned char *in, size_t blocks);

/* The cipher and its context for a call, with what its engine reads. */
struct keyed {
    struct usuba_blocks blocks;
    const @cipher@_ctx *cipher;
    struct usuba_loaded loaded;
    uint64_t memory[@loaded_words@];
@if derives
    /* The cipher under a key that the message has made, once it has. */
    @cipher@_ctx made;
@end
};

static void encrypt_blocks(void *ctx, const unsigned char *in, unsigned char *out, size_t blocks)
{
    struct keyed *keyed = (struct keyed *)ctx;
    @cipher@_loaded_blocks(keyed->cipher, &keyed->loaded, 0, out, in, blocks);
}

@if decrypts
static void decrypt_blocks(void *ctx, const unsigned char *in, unsigned char *out, size_t blocks)
{
    struct keyed *keyed = (struct keyed *)ctx;
    @cipher@_loaded_blocks(keyed->cipher, &keyed->loaded, 1, out, in, blocks);
}

@end
@if derives
static void schedule_key(void *ctx, const unsigned char *key)
{
    struct keyed *keyed = (struct keyed *)ctx;
    (void)@cipher@_init(&keyed->made, key);
    keyed->cipher = &keyed->made;
    keyed->loaded.round_keys = keyed->made.keys;
    keyed->loaded.load = NULL;
    keyed->loaded.direction = 0;
}

@end
/* The functions of the cipher with its context. */
static void blocks_for(const @cipher@_ctx *cipher, struct keyed *keyed)
{
    keyed->blocks.ctx = keyed;
    keyed->blocks.encrypt = encrypt_blocks;
@if decrypts
    keyed->blocks.decrypt = decrypt_blocks;
@end
@if undecrypted
    keyed->blocks.decrypt = NULL;
@end
@if derives
    keyed->blocks.schedule = schedule_key;
@end
@if underived
    keyed->blocks.schedule = NULL;
@end
    keyed->cipher = cipher;
    keyed->loaded.round_keys = cipher->keys;
    keyed->loaded.load = NULL;
    keyed->loaded.direction = 0;
    keyed->loaded.memory = keyed->memory;
    keyed->loaded.bytes = 0;
}

/* What code takes as a key: the round keys, or the functions of the cipher. */
static const uint8_t *key_for(const struct code *code, const @cipher@_ctx *cipher, struct keyed *keyed)
{
    if (code->rounds) {
        keyed->loaded.bytes = 0;
        return cipher->keys;
    }
    blocks_for(cipher, keyed);
    return (const uint8_t *)(const void *)&keyed->blocks;
}

/* At the end of a call. */
static void forget(struct keyed *keyed)
{
    usuba_wipe(keyed->memory, keyed->loaded.bytes);
@if derives
    usuba_wipe(&keyed->made, sizeof keyed->made);
@end
}
@schedules@
/* The code for a context; NULL if it was not made or was wiped. */
static const struct code *code_for(const @stem@_ctx *ctx)
{
    const uint64_t level = ctx->state ^ UINT64_C(@magic@);
    return level < sizeof codes / sizeof codes[0] ? codes + level : NULL;
}

/* What the code returns, as a result of a public function. */
static int result_of(int result)
{
    switch (result) {
    case 0: return USUBA_OK;
    case 1: return USUBA_ERROR_TAG;
    case 2: return USUBA_ERROR_LENGTH;
    default: return USUBA_ERROR_TARGET;
    }
}

@if prepares
/* For init: as keyed, but the cipher takes one block at a time, so that no engine for many has anything on the stack. */
struct keyed_one {
    struct usuba_blocks blocks;
    const @cipher@_ctx *cipher;
    struct usuba_loaded loaded;
    uint64_t memory[@one_words@];
};

static void one_by_one(struct keyed_one *one, size_t direction, unsigned char *out, const unsigned char *in, size_t blocks)
{
    size_t i;
    for (i = 0; i < blocks; i++)
        @cipher@_loaded_blocks(one->cipher, &one->loaded, direction, out + i * @CIPHER@_BLOCK_BYTES,
            in + i * @CIPHER@_BLOCK_BYTES, 1);
}

static void encrypt_one_by_one(void *ctx, const unsigned char *in, unsigned char *out, size_t blocks)
{
    one_by_one((struct keyed_one *)ctx, 0, out, in, blocks);
}

@if decrypts
static void decrypt_one_by_one(void *ctx, const unsigned char *in, unsigned char *out, size_t blocks)
{
    one_by_one((struct keyed_one *)ctx, 1, out, in, blocks);
}

@end
static const uint8_t *key_for_one(const struct code *code, const @cipher@_ctx *cipher, struct keyed_one *one)
{
    one->loaded.bytes = 0;
    if (code->rounds)
        return cipher->keys;
    one->blocks.ctx = one;
    one->blocks.encrypt = encrypt_one_by_one;
@if decrypts
    one->blocks.decrypt = decrypt_one_by_one;
@end
@if undecrypted
    one->blocks.decrypt = NULL;
@end
    one->blocks.schedule = NULL;
    one->cipher = cipher;
    one->loaded.round_keys = cipher->keys;
    one->loaded.load = NULL;
    one->loaded.direction = 0;
    one->loaded.memory = one->memory;
    return (const uint8_t *)(const void *)&one->blocks;
}

static void forget_one(struct keyed_one *one)
{
    usuba_wipe(one->memory, one->loaded.bytes);
}

USUBA_STACK_WIPER(@dead@)

@end
int @stem@_init(@stem@_ctx *ctx, const unsigned char key[@STEM@_KEY_BYTES])
{
@if prepares
    struct keyed_one keyed;
@if units
    struct keyed_one tweaks;
@end
    uint8_t *prepared;
@end
    const unsigned level = usuba_level();
@if prepares
    const struct code *code = codes + level;
@end
    int result;
    if (ctx == NULL || key == NULL)
        return USUBA_ERROR_NULL;
    result = @cipher@_init(&ctx->cipher, key);
@if units
    if (result == USUBA_OK)
        result = @cipher@_init(&ctx->tweak, key + @CIPHER@_KEY_BYTES);
@end
    if (result != USUBA_OK)
        return result;
@if prepares
    prepared = (uint8_t *)ctx->prepared;
@prepare_all@
    usuba_wipe_stack_@dead@();
@end
    ctx->state = UINT64_C(@magic@) | level;
    return USUBA_OK;
}

size_t @stem@_ctx_bytes(void)
{
    return sizeof(@stem@_ctx);
}

void @stem@_wipe(@stem@_ctx *ctx)
{
    if (ctx != NULL)
        usuba_wipe(ctx, sizeof *ctx);
}

