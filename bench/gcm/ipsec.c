/* ipsec.c - AES-GCM of Intel's multi-buffer library behind the table of gcm.h, by its function for one whole message. */
#include "gcm.h"
#include <intel-ipsec-mb.h>
#include <stdlib.h>
#include <string.h>

struct context {
    _Alignas(64) struct gcm_key_data key;
    IMB_MGR *manager;
    int bits;
};

static void *start(int bits, const uint8_t *key)
{
    struct context *context;
    if (posix_memalign((void **)&context, 64, sizeof *context) != 0)
        return NULL;
    context->bits = bits;
    context->manager = alloc_mb_mgr(0);
    if (context->manager == NULL)
        return NULL;
    init_mb_mgr_auto(context->manager, NULL);
    if (bits == 128)
        IMB_AES128_GCM_PRE(context->manager, key, &context->key);
    else
        IMB_AES256_GCM_PRE(context->manager, key, &context->key);
    return context;
}

static int seal(void *of, const uint8_t *nonce, const uint8_t *aad, size_t aad_bytes, const uint8_t *plain, size_t bytes,
                uint8_t *cipher, uint8_t *tag)
{
    const struct context *context = of;
    struct gcm_context_data state;
    if (context->bits == 128)
        IMB_AES128_GCM_ENC(context->manager, &context->key, &state, cipher, plain, bytes, nonce, aad, aad_bytes, tag, 16);
    else
        IMB_AES256_GCM_ENC(context->manager, &context->key, &state, cipher, plain, bytes, nonce, aad, aad_bytes, tag, 16);
    return 0;
}

static int open(void *of, const uint8_t *nonce, const uint8_t *aad, size_t aad_bytes, const uint8_t *cipher, size_t bytes,
                const uint8_t *tag, uint8_t *plain)
{
    const struct context *context = of;
    struct gcm_context_data state;
    uint64_t made[2], given[2];
    if (context->bits == 128)
        IMB_AES128_GCM_DEC(context->manager, &context->key, &state, plain, cipher, bytes, nonce, aad, aad_bytes, (uint8_t *)made, 16);
    else
        IMB_AES256_GCM_DEC(context->manager, &context->key, &state, plain, cipher, bytes, nonce, aad, aad_bytes, (uint8_t *)made, 16);
    memcpy(given, tag, 16);
    return ((made[0] ^ given[0]) | (made[1] ^ given[1])) != 0;
}

const struct gcm gcm_implementations[] = {{"", start, seal, open}, {0}};
