/* mac.c - message authentication codes. */

#include "provider.h"
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/proverr.h>

struct mac_context {
    const usuba_mac_functions *functions;
    size_t size;
    int key_set;
    /* The context of the library. */
    uint64_t state[];
};

void *mac_new(const struct algorithm *algorithm)
{
    const usuba_mac_functions *functions = &algorithm->primitive->of.mac;
    const size_t size = sizeof(struct mac_context) + functions->context_bytes;
    struct mac_context *context = OPENSSL_zalloc(size);
    if (context == NULL)
        return NULL;
    context->functions = functions;
    context->size = size;
    return context;
}

static void mac_free(void *given)
{
    struct mac_context *context = given;
    if (context != NULL)
        OPENSSL_clear_free(context, context->size);
}

static void *mac_dup(void *given)
{
    const struct mac_context *context = given;
    return OPENSSL_memdup(context, context->size);
}

static int set_key(struct mac_context *context, const unsigned char *key, size_t length)
{
    if (length != context->functions->key_bytes) {
        ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_KEY_LENGTH);
        return 0;
    }
    context->key_set = succeeded(context->functions->init(context->state, key));
    return context->key_set;
}

static int mac_set_params(void *given, const OSSL_PARAM params[])
{
    const OSSL_PARAM *param = OSSL_PARAM_locate_const(params, OSSL_MAC_PARAM_KEY);
    const void *key;
    size_t length;
    if (param == NULL)
        return 1;
    if (!OSSL_PARAM_get_octet_string_ptr(param, &key, &length)) {
        ERR_raise(ERR_LIB_PROV, PROV_R_FAILED_TO_GET_PARAMETER);
        return 0;
    }
    return set_key(given, key, length);
}

static const OSSL_PARAM *mac_settable(void *context, void *provider)
{
    static const OSSL_PARAM params[] = { OSSL_PARAM_octet_string(OSSL_MAC_PARAM_KEY, NULL, 0), OSSL_PARAM_END };
    (void)context;
    (void)provider;
    return params;
}

/* A key is for one message only: there is none left to begin another with. */
static int mac_init(void *given, const unsigned char *key, size_t length, const OSSL_PARAM params[])
{
    struct mac_context *context = given;
    if (!mac_set_params(context, params))
        return 0;
    if (key != NULL)
        return set_key(context, key, length);
    if (!context->key_set)
        ERR_raise(ERR_LIB_PROV, PROV_R_NO_KEY_SET);
    return context->key_set;
}

static int mac_update(void *given, const unsigned char *in, size_t length)
{
    struct mac_context *context = given;
    return length == 0 || succeeded(context->functions->update(context->state, in, length));
}

static int mac_final(void *given, unsigned char *out, size_t *out_length, size_t out_size)
{
    struct mac_context *context = given;
    *out_length = 0;
    if (!context->key_set) {
        ERR_raise(ERR_LIB_PROV, PROV_R_NO_KEY_SET);
        return 0;
    }
    if (out_size < context->functions->tag_bytes) {
        ERR_raise(ERR_LIB_PROV, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        return 0;
    }
    context->key_set = 0;
    if (!succeeded(context->functions->final(context->state, out)))
        return 0;
    *out_length = context->functions->tag_bytes;
    return 1;
}

int mac_get_params(const struct algorithm *algorithm, OSSL_PARAM params[])
{
    OSSL_PARAM *param = OSSL_PARAM_locate(params, OSSL_MAC_PARAM_SIZE);
    return param == NULL || OSSL_PARAM_set_size_t(param, algorithm->primitive->of.mac.tag_bytes);
}

static const OSSL_PARAM *mac_gettable_params(void *provider)
{
    static const OSSL_PARAM params[] = { OSSL_PARAM_size_t(OSSL_MAC_PARAM_SIZE, NULL), OSSL_PARAM_END };
    (void)provider;
    return params;
}

const OSSL_DISPATCH mac_functions[] = {
    { OSSL_FUNC_MAC_FREECTX, (void (*)(void))mac_free },
    { OSSL_FUNC_MAC_DUPCTX, (void (*)(void))mac_dup },
    { OSSL_FUNC_MAC_INIT, (void (*)(void))mac_init },
    { OSSL_FUNC_MAC_UPDATE, (void (*)(void))mac_update },
    { OSSL_FUNC_MAC_FINAL, (void (*)(void))mac_final },
    { OSSL_FUNC_MAC_GETTABLE_PARAMS, (void (*)(void))mac_gettable_params },
    { OSSL_FUNC_MAC_SET_CTX_PARAMS, (void (*)(void))mac_set_params },
    { OSSL_FUNC_MAC_SETTABLE_CTX_PARAMS, (void (*)(void))mac_settable },
    { 0, NULL },
};
