/* digest.c - hash functions, and those with output of any length. */

#include "provider.h"
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/proverr.h>

/* What OpenSSL takes of output of any length if nobody says how much: 128 bits of security, also against collisions. */
#define USUAL_XOF_BYTES 32

/* What the key of HMAC is padded to, where a block is less than a digest, as in a sponge with a state of 40 bytes: HMAC of OpenSSL
 * would use no more of the key. Nobody has said yet what it should be. */
#define LEAST_BLOCK_BYTES 64

struct digest_context {
    const usuba_primitive *primitive;
    size_t size, xof_bytes;
    /* The context of the library. */
    uint64_t state[];
};

void *digest_new(const struct algorithm *algorithm)
{
    const usuba_primitive *primitive = algorithm->primitive;
    const int is_xof = primitive->kind == USUBA_KIND_XOF;
    const size_t size =
        sizeof(struct digest_context) + (is_xof ? primitive->of.xof.context_bytes : primitive->of.hash.context_bytes);
    struct digest_context *context = OPENSSL_zalloc(size);
    if (context == NULL)
        return NULL;
    context->primitive = primitive;
    context->size = size;
    context->xof_bytes = USUAL_XOF_BYTES;
    return context;
}

static void digest_free(void *given)
{
    struct digest_context *context = given;
    if (context != NULL)
        OPENSSL_clear_free(context, context->size);
}

static void *digest_dup(void *given)
{
    const struct digest_context *context = given;
    return OPENSSL_memdup(context, context->size);
}

static int digest_set_params(void *given, const OSSL_PARAM params[])
{
    struct digest_context *context = given;
    const OSSL_PARAM *param = OSSL_PARAM_locate_const(params, OSSL_DIGEST_PARAM_XOFLEN);
    if (param != NULL && context->primitive->kind == USUBA_KIND_XOF &&
        !OSSL_PARAM_get_size_t(param, &context->xof_bytes)) {
        ERR_raise(ERR_LIB_PROV, PROV_R_FAILED_TO_GET_PARAMETER);
        return 0;
    }
    return 1;
}

static const OSSL_PARAM *digest_settable(void *given, void *provider)
{
    static const OSSL_PARAM none[] = { OSSL_PARAM_END };
    static const OSSL_PARAM params[] = { OSSL_PARAM_size_t(OSSL_DIGEST_PARAM_XOFLEN, NULL), OSSL_PARAM_END };
    const struct digest_context *context = given;
    (void)provider;
    return context != NULL && context->primitive->kind == USUBA_KIND_XOF ? params : none;
}

static int digest_init(void *given, const OSSL_PARAM params[])
{
    struct digest_context *context = given;
    const usuba_primitive *primitive = context->primitive;
    const int result = primitive->kind == USUBA_KIND_XOF ? primitive->of.xof.init(context->state, NULL, 0)
                                                         : primitive->of.hash.init(context->state);
    return succeeded(result) && digest_set_params(context, params);
}

static int digest_update(void *given, const unsigned char *in, size_t length)
{
    struct digest_context *context = given;
    const usuba_primitive *primitive = context->primitive;
    return succeeded(primitive->kind == USUBA_KIND_XOF ? primitive->of.xof.update(context->state, in, length)
                                                       : primitive->of.hash.update(context->state, in, length));
}

static int digest_final(void *given, unsigned char *out, size_t *out_length, size_t out_size)
{
    struct digest_context *context = given;
    const usuba_primitive *primitive = context->primitive;
    const int is_xof = primitive->kind == USUBA_KIND_XOF;
    const size_t bytes = is_xof ? context->xof_bytes : primitive->of.hash.digest_bytes;
    *out_length = 0;
    if (out_size < bytes) {
        ERR_raise(ERR_LIB_PROV, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        return 0;
    }
    if (!succeeded(is_xof ? primitive->of.xof.squeeze(context->state, out, bytes)
                          : primitive->of.hash.final(context->state, out)))
        return 0;
    *out_length = bytes;
    return 1;
}

int digest_get_params(const struct algorithm *algorithm, OSSL_PARAM params[])
{
    const usuba_primitive *primitive = algorithm->primitive;
    const int is_xof = primitive->kind == USUBA_KIND_XOF;
    const size_t block = is_xof ? primitive->of.xof.block_bytes : primitive->of.hash.block_bytes;
    const size_t size = is_xof ? USUAL_XOF_BYTES : primitive->of.hash.digest_bytes;
    OSSL_PARAM *param = OSSL_PARAM_locate(params, OSSL_DIGEST_PARAM_BLOCK_SIZE);
    if (param != NULL && !OSSL_PARAM_set_size_t(param, block < size ? LEAST_BLOCK_BYTES : block))
        return 0;
    param = OSSL_PARAM_locate(params, OSSL_DIGEST_PARAM_SIZE);
    if (param != NULL && !OSSL_PARAM_set_size_t(param, size))
        return 0;
    param = OSSL_PARAM_locate(params, OSSL_DIGEST_PARAM_XOF);
    if (param != NULL && !OSSL_PARAM_set_int(param, is_xof))
        return 0;
    param = OSSL_PARAM_locate(params, OSSL_DIGEST_PARAM_ALGID_ABSENT);
    return param == NULL || OSSL_PARAM_set_int(param, 1);
}

static const OSSL_PARAM *digest_gettable_params(void *provider)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_size_t(OSSL_DIGEST_PARAM_BLOCK_SIZE, NULL),
        OSSL_PARAM_size_t(OSSL_DIGEST_PARAM_SIZE, NULL),
        OSSL_PARAM_int(OSSL_DIGEST_PARAM_XOF, NULL),
        OSSL_PARAM_int(OSSL_DIGEST_PARAM_ALGID_ABSENT, NULL),
        OSSL_PARAM_END,
    };
    (void)provider;
    return params;
}

const OSSL_DISPATCH digest_functions[] = {
    { OSSL_FUNC_DIGEST_FREECTX, (void (*)(void))digest_free },
    { OSSL_FUNC_DIGEST_DUPCTX, (void (*)(void))digest_dup },
    { OSSL_FUNC_DIGEST_INIT, (void (*)(void))digest_init },
    { OSSL_FUNC_DIGEST_UPDATE, (void (*)(void))digest_update },
    { OSSL_FUNC_DIGEST_FINAL, (void (*)(void))digest_final },
    { OSSL_FUNC_DIGEST_GETTABLE_PARAMS, (void (*)(void))digest_gettable_params },
    { OSSL_FUNC_DIGEST_SET_CTX_PARAMS, (void (*)(void))digest_set_params },
    { OSSL_FUNC_DIGEST_SETTABLE_CTX_PARAMS, (void (*)(void))digest_settable },
    { 0, NULL },
};
