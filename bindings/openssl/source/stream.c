/* stream.c - stream ciphers: those with a counter (ChaCha20) and those with a state (Trivium). */

#include "provider.h"
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/proverr.h>
#include <string.h>

struct stream_context {
    size_t size, key_bytes, iv_bytes;
    int key_set, iv_set;
    /* A stream can begin: whenever key and IV are there. */
    int begun;
    unsigned char key[EVP_MAX_KEY_LENGTH];
    unsigned char iv[EVP_MAX_IV_LENGTH];
    /* With a counter, or NULL. */
    struct counted counted;
    struct keystream keystream;
    /* With a state, or NULL, and the context of the library. */
    const usuba_generator_functions *generator;
    uint64_t state[];
};

void *stream_new(const struct algorithm *algorithm)
{
    const usuba_primitive *primitive = algorithm->primitive;
    const int generates = primitive->kind == USUBA_KIND_GENERATOR;
    const size_t size = sizeof(struct stream_context) + (generates ? primitive->of.generator.context_bytes : 0);
    struct stream_context *context = OPENSSL_zalloc(size);
    struct cipher_sizes sizes;
    if (context == NULL)
        return NULL;
    stream_sizes(algorithm, &sizes);
    context->size = size;
    context->key_bytes = sizes.key;
    context->iv_bytes = sizes.iv;
    if (generates)
        context->generator = &primitive->of.generator;
    else
        context->counted.functions = &primitive->of.stream;
    return context;
}

static void stream_free(void *given)
{
    struct stream_context *context = given;
    if (context != NULL)
        OPENSSL_clear_free(context, context->size);
}

static void *stream_dup(void *given)
{
    const struct stream_context *context = given;
    return OPENSSL_memdup(context, context->size);
}

void stream_sizes(const struct algorithm *algorithm, struct cipher_sizes *sizes)
{
    const usuba_primitive *primitive = algorithm->primitive;
    sizes->mode = EVP_CIPH_STREAM_CIPHER;
    sizes->block = 1;
    sizes->aead = 0;
    sizes->custom_iv = 1;
    if (primitive->kind == USUBA_KIND_GENERATOR) {
        sizes->key = primitive->of.generator.key_bytes;
        sizes->iv = primitive->of.generator.nonce_bytes;
    } else {
        sizes->key = primitive->of.stream.key_bytes;
        sizes->iv = primitive->of.stream.counter_bytes + primitive->of.stream.nonce_bytes;
    }
}

/* A stream from its beginning: the IV of one with a counter is the counter, little-endian, and the nonce. */
static int begin(struct stream_context *context)
{
    struct counted *counted = &context->counted;
    size_t i;
    context->begun = 0;
    if (!context->key_set || !context->iv_set)
        return 1;
    keystream_reset(&context->keystream);
    if (context->generator != NULL) {
        if (!succeeded(context->generator->init(context->state, context->key, context->iv)))
            return 0;
    } else {
        memcpy(counted->key, context->key, context->key_bytes);
        memcpy(counted->nonce, context->iv + counted->functions->counter_bytes, counted->functions->nonce_bytes);
        counted->counter = 0;
        for (i = counted->functions->counter_bytes; i-- > 0;)
            counted->counter = counted->counter << 8 | context->iv[i];
    }
    context->begun = 1;
    return 1;
}

static int stream_set_params(void *given, const OSSL_PARAM params[])
{
    const struct stream_context *context = given;
    const OSSL_PARAM *param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_KEYLEN);
    size_t size;
    if (param != NULL && (!OSSL_PARAM_get_size_t(param, &size) || size != context->key_bytes)) {
        ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_KEY_LENGTH);
        return 0;
    }
    param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_IVLEN);
    if (param != NULL && (!OSSL_PARAM_get_size_t(param, &size) || size != context->iv_bytes)) {
        ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_IV_LENGTH);
        return 0;
    }
    return 1;
}

static const OSSL_PARAM *stream_settable(void *context, void *provider)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
        OSSL_PARAM_END,
    };
    (void)context;
    (void)provider;
    return params;
}

static int stream_get_params(void *given, OSSL_PARAM params[])
{
    const struct stream_context *context = given;
    OSSL_PARAM *param = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_KEYLEN);
    if (param != NULL && !OSSL_PARAM_set_size_t(param, context->key_bytes))
        return 0;
    param = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_IVLEN);
    if (param != NULL && !OSSL_PARAM_set_size_t(param, context->iv_bytes))
        return 0;
    param = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_IV);
    return param == NULL || OSSL_PARAM_set_octet_ptr(param, context->iv, context->iv_bytes) ||
        OSSL_PARAM_set_octet_string(param, context->iv, context->iv_bytes);
}

static const OSSL_PARAM *stream_gettable(void *context, void *provider)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)context;
    (void)provider;
    return params;
}

/* Both directions are the same. */
static int stream_init(void *given, const unsigned char *key, size_t key_length, const unsigned char *iv,
    size_t iv_length, const OSSL_PARAM params[])
{
    struct stream_context *context = given;
    if (!stream_set_params(context, params))
        return 0;
    if (key != NULL) {
        if (key_length != context->key_bytes) {
            ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_KEY_LENGTH);
            return 0;
        }
        memcpy(context->key, key, key_length);
        context->key_set = 1;
    }
    if (iv != NULL) {
        if (iv_length != context->iv_bytes) {
            ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_IV_LENGTH);
            return 0;
        }
        memcpy(context->iv, iv, iv_length);
        context->iv_set = 1;
    }
    return begin(context);
}

static int stream_update(void *given, unsigned char *out, size_t *out_length, size_t out_size, const unsigned char *in,
    size_t length)
{
    struct stream_context *context = given;
    int result;
    *out_length = 0;
    if (!context->begun) {
        if (context->key_set)
            ERR_raise_data(ERR_LIB_PROV, PROV_R_INVALID_STATE, "no IV is set");
        else
            ERR_raise(ERR_LIB_PROV, PROV_R_NO_KEY_SET);
        return 0;
    }
    if (length == 0)
        return 1;
    if (out == NULL || out_size < length) {
        ERR_raise(ERR_LIB_PROV, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        return 0;
    }
    if (in != out && overlap(out, length, in, length))
        return succeeded(USUBA_ERROR_OVERLAP);
    if (context->generator != NULL)
        result = succeeded(context->generator->xor_bytes(context->state, out, in, length));
    else
        result = keystream_xor(&context->keystream, context->counted.functions->block_bytes, counted_generate,
            &context->counted, out, in, length);
    if (result)
        *out_length = length;
    return result;
}

static int stream_final(void *context, unsigned char *out, size_t *out_length, size_t out_size)
{
    (void)context;
    (void)out;
    (void)out_size;
    *out_length = 0;
    return 1;
}

const OSSL_DISPATCH stream_functions[] = {
    { OSSL_FUNC_CIPHER_FREECTX, (void (*)(void))stream_free },
    { OSSL_FUNC_CIPHER_DUPCTX, (void (*)(void))stream_dup },
    { OSSL_FUNC_CIPHER_ENCRYPT_INIT, (void (*)(void))stream_init },
    { OSSL_FUNC_CIPHER_DECRYPT_INIT, (void (*)(void))stream_init },
    { OSSL_FUNC_CIPHER_UPDATE, (void (*)(void))stream_update },
    { OSSL_FUNC_CIPHER_FINAL, (void (*)(void))stream_final },
    { OSSL_FUNC_CIPHER_CIPHER, (void (*)(void))stream_update },
    { OSSL_FUNC_CIPHER_GETTABLE_PARAMS, (void (*)(void))cipher_gettable_params },
    { OSSL_FUNC_CIPHER_GET_CTX_PARAMS, (void (*)(void))stream_get_params },
    { OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, (void (*)(void))stream_gettable },
    { OSSL_FUNC_CIPHER_SET_CTX_PARAMS, (void (*)(void))stream_set_params },
    { OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, (void (*)(void))stream_settable },
    { 0, NULL },
};
