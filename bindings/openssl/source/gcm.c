/* gcm.c - GCM, as OpenSSL's own has it: data come in pieces of any size, and as many bytes are returned as are given.
 *
 * The library gives whole blocks and keeps the rest. What it keeps is computed at once in a copy of its stream, with zeros behind
 * it; in counter mode they change nothing of what is before them. A record of TLS 1.2 is one call. */

#include "provider.h"
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/proverr.h>
#include <string.h>

#define BLOCK_BYTES 16
#define TAG_BYTES 16
#define NONCE_BYTES 128
/* Of what is copied so that the output is apart from the input. */
#define CHUNK_BYTES 4096

/* RFC 5288: a nonce has 4 bytes that are kept and 8 that stand before the text of a record. */
#define FIXED_BYTES 4
#define EXPLICIT_BYTES 8

enum phase {
    /* Key or IV is not there. */
    NOTHING,
    /* Both are; the library has not been told. */
    READY,
    /* Associated data have come, or data. */
    ASSOCIATED,
    DATA,
    /* The tag is made or was right; the next message needs an IV of its own. */
    DONE,
    /* The message was refused. */
    REFUSED
};

struct gcm_context {
    const usuba_aead_functions *functions;
    size_t size;
    enum phase phase;
    int encrypting, key_set, iv_set, tag_set;
    size_t iv_bytes, tag_bytes;
    unsigned char iv[NONCE_BYTES], tag[TAG_BYTES];
    /* Bytes of data that the stream keeps. */
    size_t kept;
    struct tls_record record;
    /* The context of the library, a stream, and room for a copy of it. */
    size_t stream, copy;
    uint64_t memory[];
};

static void gcm_free(void *given)
{
    struct gcm_context *context = given;
    if (context != NULL)
        OPENSSL_clear_free(context, context->size);
}

void *gcm_new(const struct algorithm *algorithm)
{
    const usuba_aead_functions *functions = &algorithm->primitive->of.aead;
    const size_t stream = (functions->context_bytes + 15) / 16 * 2;
    const size_t copy = stream + (functions->stream_bytes + 15) / 16 * 2;
    const size_t size = sizeof(struct gcm_context) + 8 * copy + functions->stream_bytes;
    struct gcm_context *context = OPENSSL_zalloc(size);
    if (context == NULL)
        return NULL;
    context->functions = functions;
    context->size = size;
    context->stream = stream;
    context->copy = copy;
    context->encrypting = 1;
    context->iv_bytes = functions->nonce_bytes;
    context->tag_bytes = TAG_BYTES;
    return context;
}

static void *gcm_dup(void *given)
{
    const struct gcm_context *context = given;
    return OPENSSL_memdup(context, context->size);
}

static int is_tag_size(size_t size)
{
    return size == 4 || size == 8 || (size >= 12 && size <= TAG_BYTES);
}

static int set_tag(struct gcm_context *context, const OSSL_PARAM *param)
{
    if (param->data_type != OSSL_PARAM_OCTET_STRING) {
        ERR_raise(ERR_LIB_PROV, PROV_R_FAILED_TO_GET_PARAMETER);
        return 0;
    }
    /* The library wants to know the size before the data; without a tag it is told that of a whole one. */
    if (!is_tag_size(param->data_size) ||
        (!context->encrypting && param->data_size != context->tag_bytes &&
            (context->phase == ASSOCIATED || context->phase == DATA))) {
        ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_TAG_LENGTH);
        return 0;
    }
    context->tag_bytes = param->data_size;
    /* Without data it is the size that is set. */
    if (param->data == NULL)
        return 1;
    if (context->encrypting) {
        ERR_raise(ERR_LIB_PROV, PROV_R_TAG_NOT_NEEDED);
        return 0;
    }
    memcpy(context->tag, param->data, param->data_size);
    context->tag_set = 1;
    return 1;
}

static int gcm_set_params(void *given, const OSSL_PARAM params[])
{
    struct gcm_context *context = given;
    const OSSL_PARAM *param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_KEYLEN);
    size_t size;
    if (param != NULL && (!OSSL_PARAM_get_size_t(param, &size) || size != context->functions->key_bytes)) {
        ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_KEY_LENGTH);
        return 0;
    }
    param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_IVLEN);
    if (param != NULL) {
        if (!OSSL_PARAM_get_size_t(param, &size) || size == 0 || size > sizeof context->iv) {
            ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_IV_LENGTH);
            return 0;
        }
        if (size != context->iv_bytes) {
            context->iv_bytes = size;
            context->iv_set = 0;
            context->phase = NOTHING;
        }
    }
    param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_TAG);
    if (param != NULL && !set_tag(context, param))
        return 0;
    param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED);
    if (param != NULL) {
        if (param->data_type != OSSL_PARAM_OCTET_STRING || param->data_size != FIXED_BYTES || param->data == NULL) {
            ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_IV_LENGTH);
            return 0;
        }
        memcpy(context->iv, param->data, FIXED_BYTES);
    }
    param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD);
    return param == NULL || tls_begin(&context->record, param, context->encrypting, EXPLICIT_BYTES, TAG_BYTES);
}

static const OSSL_PARAM *gcm_settable(void *context, void *provider)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_IVLEN, NULL),
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)context;
    (void)provider;
    return params;
}

static int gcm_get_params(void *given, OSSL_PARAM params[])
{
    struct gcm_context *context = given;
    const struct {
        const char *name;
        size_t value;
    } numbers[] = {
        { OSSL_CIPHER_PARAM_KEYLEN, context->functions->key_bytes },
        { OSSL_CIPHER_PARAM_IVLEN, context->iv_bytes },
        { OSSL_CIPHER_PARAM_AEAD_TAGLEN, context->tag_bytes },
        { OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD, TAG_BYTES },
    };
    OSSL_PARAM *param;
    size_t i;
    for (i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        param = OSSL_PARAM_locate(params, numbers[i].name);
        if (param != NULL && !OSSL_PARAM_set_size_t(param, numbers[i].value))
            return 0;
    }
    for (i = 0; i < 2; i++) {
        param = OSSL_PARAM_locate(params, i == 0 ? OSSL_CIPHER_PARAM_IV : OSSL_CIPHER_PARAM_UPDATED_IV);
        if (param != NULL && !OSSL_PARAM_set_octet_ptr(param, context->iv, context->iv_bytes) &&
            !OSSL_PARAM_set_octet_string(param, context->iv, context->iv_bytes))
            return 0;
    }
    param = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_AEAD_TAG);
    if (param == NULL)
        return 1;
    if (!context->encrypting || context->phase != DONE) {
        ERR_raise(ERR_LIB_PROV, PROV_R_TAG_NOT_SET);
        return 0;
    }
    if (param->data_size == 0 || param->data_size > TAG_BYTES) {
        ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_TAG_LENGTH);
        return 0;
    }
    return OSSL_PARAM_set_octet_string(param, context->tag, param->data_size);
}

static const OSSL_PARAM *gcm_gettable(void *context, void *provider)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TAGLEN, NULL),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD, NULL),
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)context;
    (void)provider;
    return params;
}

static int gcm_init(struct gcm_context *context, int encrypting, const unsigned char *key, size_t key_length,
    const unsigned char *iv, size_t iv_length, const OSSL_PARAM params[])
{
    const int was_done = context->phase == DONE || context->phase == REFUSED;
    if (context->encrypting != encrypting || was_done) {
        context->tag_set = 0;
        context->tag_bytes = TAG_BYTES;
    }
    context->encrypting = encrypting;
    /* What was encrypted under an IV must not be followed by anything else under it. */
    if (was_done || context->phase == DATA)
        context->iv_set = 0;
    context->phase = NOTHING;
    context->record.begun = 0;
    if (key != NULL) {
        if (key_length != context->functions->key_bytes) {
            ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_KEY_LENGTH);
            return 0;
        }
        if (!succeeded(context->functions->init(context->memory, key)))
            return 0;
        context->key_set = 1;
    }
    /* A size among the parameters is that of the IV beside them. */
    if (!gcm_set_params(context, params))
        return 0;
    if (iv != NULL) {
        if (iv_length == 0 || iv_length > sizeof context->iv) {
            ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_IV_LENGTH);
            return 0;
        }
        context->iv_bytes = iv_length;
        memcpy(context->iv, iv, iv_length);
        context->iv_set = 1;
    }
    context->phase = context->key_set && context->iv_set ? READY : NOTHING;
    return 1;
}

static int gcm_encrypt_init(void *context, const unsigned char *key, size_t key_length, const unsigned char *iv,
    size_t iv_length, const OSSL_PARAM params[])
{
    return gcm_init(context, 1, key, key_length, iv, iv_length, params);
}

static int gcm_decrypt_init(void *context, const unsigned char *key, size_t key_length, const unsigned char *iv,
    size_t iv_length, const OSSL_PARAM params[])
{
    return gcm_init(context, 0, key, key_length, iv, iv_length, params);
}

/* Begins the stream, if that has not been done. */
static int begun(struct gcm_context *context)
{
    const usuba_aead_functions *functions = context->functions;
    if (context->phase == ASSOCIATED || context->phase == DATA)
        return 1;
    if (!context->key_set || context->phase != READY) {
        if (!context->key_set)
            ERR_raise(ERR_LIB_PROV, PROV_R_NO_KEY_SET);
        else
            ERR_raise_data(
                ERR_LIB_PROV, PROV_R_INVALID_STATE, "no IV is set, or the message is over: each needs an IV of its own");
        return 0;
    }
    if (!succeeded((context->encrypting ? functions->seal_begin : functions->open_begin)(context->memory + context->stream,
            context->memory, context->encrypting ? TAG_BYTES : context->tag_bytes, context->iv, context->iv_bytes)))
        return 0;
    context->kept = 0;
    context->phase = ASSOCIATED;
    return 1;
}

/* `length` bytes more of a stream, of which `expected` bytes come. */
static int advance(struct gcm_context *context, size_t stream, unsigned char *out, size_t expected, const unsigned char *in,
    size_t length)
{
    const usuba_aead_functions *functions = context->functions;
    size_t made = 0;
    if (!succeeded((context->encrypting ? functions->seal_update : functions->open_update)(
            context->memory + stream, context->memory, out, &made, in, length)))
        return 0;
    if (made == expected)
        return 1;
    ERR_raise(ERR_LIB_PROV, ERR_R_INTERNAL_ERROR);
    return 0;
}

/* At most as many bytes as are missing from a block. */
static int part(struct gcm_context *context, unsigned char *out, const unsigned char *in, size_t length)
{
    const size_t kept = context->kept, all = kept + length;
    unsigned char given[BLOCK_BYTES] = { 0 }, made[2 * BLOCK_BYTES];
    int result;
    memcpy(given, in, length);
    if (all < BLOCK_BYTES) {
        memcpy(context->memory + context->copy, context->memory + context->stream, context->functions->stream_bytes);
        result = advance(context, context->copy, made, BLOCK_BYTES, given, BLOCK_BYTES - kept);
        if (result) {
            memcpy(out, made + kept, length);
            result = advance(context, context->stream, made, 0, given, length);
        }
    } else {
        result = advance(context, context->stream, made, BLOCK_BYTES, given, length);
        if (result)
            memcpy(out, made + kept, length);
    }
    context->kept = all % BLOCK_BYTES;
    OPENSSL_cleanse(given, sizeof given);
    OPENSSL_cleanse(made, sizeof made);
    return result;
}

/* Whole blocks, where nothing is kept; `out` is `in`, or they do not overlap. */
static int blocks(struct gcm_context *context, unsigned char *out, const unsigned char *in, size_t length)
{
    unsigned char chunk[CHUNK_BYTES];
    if (in != out)
        return advance(context, context->stream, out, length, in, length);
    while (length > 0) {
        const size_t bytes = length < sizeof chunk ? length : sizeof chunk;
        memcpy(chunk, in, bytes);
        if (!advance(context, context->stream, out, bytes, chunk, bytes))
            return 0;
        in += bytes;
        out += bytes;
        length -= bytes;
    }
    OPENSSL_cleanse(chunk, sizeof chunk);
    return 1;
}

static int data(struct gcm_context *context, unsigned char *out, const unsigned char *in, size_t length)
{
    context->phase = DATA;
    while (length > 0) {
        size_t bytes = length / BLOCK_BYTES * BLOCK_BYTES;
        if (context->kept > 0 || bytes == 0) {
            bytes = BLOCK_BYTES - context->kept < length ? BLOCK_BYTES - context->kept : length;
            if (!part(context, out, in, bytes))
                return 0;
        } else if (!blocks(context, out, in, bytes)) {
            return 0;
        }
        in += bytes;
        out += bytes;
        length -= bytes;
    }
    return 1;
}

/* A record of TLS 1.2, in place: eight bytes of the nonce, the text, the tag. Its number is that part of the nonce, which no other
 * record under the key has. */
static int record(struct gcm_context *context, unsigned char *out, size_t *out_length, size_t out_size,
    const unsigned char *in, size_t length)
{
    const usuba_aead_functions *functions = context->functions;
    const size_t text = context->record.length, all = EXPLICIT_BYTES + text + TAG_BYTES;
    unsigned char nonce[FIXED_BYTES + EXPLICIT_BYTES], *result = out + EXPLICIT_BYTES;
    context->record.begun = 0;
    if (!context->key_set || in != out || length != all || out_size < all) {
        ERR_raise(ERR_LIB_PROV, PROV_R_CIPHER_OPERATION_FAILED);
        return 0;
    }
    if (context->encrypting)
        memcpy(out, context->record.ad, EXPLICIT_BYTES);
    memcpy(nonce, context->iv, FIXED_BYTES);
    memcpy(nonce + FIXED_BYTES, in, EXPLICIT_BYTES);
    *out_length = context->encrypting ? all : text;
    if (context->encrypting)
        return succeeded(functions->seal(context->memory, result, result + text, TAG_BYTES, nonce, sizeof nonce,
            context->record.ad, sizeof context->record.ad, result, text));
    return succeeded(functions->open(context->memory, result, result + text, TAG_BYTES, nonce, sizeof nonce,
        context->record.ad, sizeof context->record.ad, result, text));
}

static int gcm_update(void *given, unsigned char *out, size_t *out_length, size_t out_size, const unsigned char *in,
    size_t length)
{
    struct gcm_context *context = given;
    int result;
    *out_length = 0;
    if (context->record.begun)
        return record(context, out, out_length, out_size, in, length);
    if (!begun(context))
        return 0;
    if (length == 0)
        return 1;
    if (in == NULL) {
        ERR_raise(ERR_LIB_PROV, ERR_R_PASSED_NULL_PARAMETER);
        return 0;
    }
    if (out == NULL) {
        if (context->phase != ASSOCIATED) {
            ERR_raise_data(ERR_LIB_PROV, PROV_R_INVALID_STATE, "associated data come before the data");
            return 0;
        }
        result = succeeded(context->functions->ad(context->memory + context->stream, context->memory, in, length));
    } else if (out_size < length) {
        ERR_raise(ERR_LIB_PROV, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        return 0;
    } else if (in != out && overlap(out, length, in, length)) {
        return succeeded(USUBA_ERROR_OVERLAP);
    } else {
        result = data(context, out, in, length);
    }
    if (!result) {
        context->phase = REFUSED;
        return 0;
    }
    *out_length = length;
    return 1;
}

static int gcm_final(void *given, unsigned char *out, size_t *out_length, size_t out_size)
{
    struct gcm_context *context = given;
    const usuba_aead_functions *functions = context->functions;
    unsigned char rest[BLOCK_BYTES];
    size_t made = 0;
    int result;
    (void)out;
    (void)out_size;
    *out_length = 0;
    if (!context->encrypting && !context->tag_set) {
        ERR_raise(ERR_LIB_PROV, PROV_R_TAG_NOT_SET);
        return 0;
    }
    if (!begun(context))
        return 0;
    /* What is kept has been returned already. */
    if (context->encrypting)
        result = functions->seal_end(context->memory + context->stream, context->memory, rest, &made, context->tag, TAG_BYTES);
    else
        result = functions->open_end(
            context->memory + context->stream, context->memory, rest, &made, context->tag, context->tag_bytes);
    OPENSSL_cleanse(rest, sizeof rest);
    context->phase = result == USUBA_OK ? DONE : REFUSED;
    return succeeded(result);
}

/* EVP_Cipher: an update, or the end where there is no input. */
static int gcm_cipher(void *context, unsigned char *out, size_t *out_length, size_t out_size, const unsigned char *in,
    size_t length)
{
    return in != NULL ? gcm_update(context, out, out_length, out_size, in, length)
                      : gcm_final(context, out, out_length, out_size);
}

const OSSL_DISPATCH gcm_functions[] = {
    { OSSL_FUNC_CIPHER_FREECTX, (void (*)(void))gcm_free },
    { OSSL_FUNC_CIPHER_DUPCTX, (void (*)(void))gcm_dup },
    { OSSL_FUNC_CIPHER_ENCRYPT_INIT, (void (*)(void))gcm_encrypt_init },
    { OSSL_FUNC_CIPHER_DECRYPT_INIT, (void (*)(void))gcm_decrypt_init },
    { OSSL_FUNC_CIPHER_UPDATE, (void (*)(void))gcm_update },
    { OSSL_FUNC_CIPHER_FINAL, (void (*)(void))gcm_final },
    { OSSL_FUNC_CIPHER_CIPHER, (void (*)(void))gcm_cipher },
    { OSSL_FUNC_CIPHER_GETTABLE_PARAMS, (void (*)(void))cipher_gettable_params },
    { OSSL_FUNC_CIPHER_GET_CTX_PARAMS, (void (*)(void))gcm_get_params },
    { OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, (void (*)(void))gcm_gettable },
    { OSSL_FUNC_CIPHER_SET_CTX_PARAMS, (void (*)(void))gcm_set_params },
    { OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, (void (*)(void))gcm_settable },
    { 0, NULL },
};
