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

static void encrypt_blocks(const void *ctx, const unsigned char *in, unsigned char *out, size_t blocks)
{
    (void)@cipher@_encrypt_blocks((const @cipher@_ctx *)ctx, out, in, blocks);
}

@if decrypts
static void decrypt_blocks(const void *ctx, const unsigned char *in, unsigned char *out, size_t blocks)
{
    (void)@cipher@_decrypt_blocks((const @cipher@_ctx *)ctx, out, in, blocks);
}

@end
/* What code takes as a key: the round keys, or the functions of the cipher with its context. */
static const uint8_t *key_for(const struct code *code, const @cipher@_ctx *cipher, struct usuba_blocks *blocks)
{
    blocks->ctx = cipher;
    blocks->encrypt = encrypt_blocks;
@if decrypts
    blocks->decrypt = decrypt_blocks;
@end
@if undecrypted
    blocks->decrypt = NULL;
@end
    return code->rounds ? cipher->keys : (const uint8_t *)(const void *)blocks;
}

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

int @stem@_init(@stem@_ctx *ctx, const unsigned char key[@STEM@_KEY_BYTES])
{
    struct usuba_blocks blocks;
@if units
    struct usuba_blocks tweaks;
@end
    const unsigned level = usuba_level();
    const struct code *code = codes + level;
    uint8_t *prepared;
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
    prepared = (uint8_t *)ctx->prepared;
@prepare_all@    ctx->state = UINT64_C(@magic@) | level;
    return USUBA_OK;
}

void @stem@_wipe(@stem@_ctx *ctx)
{
    if (ctx != NULL)
        usuba_wipe(ctx, sizeof *ctx);
}

