/* block.c - block ciphers in the modes ECB, CBC, CFB, OFB and CTR.
 *
 * The library has the modes. What callers see of them (buffering, padding, when an IV begins anew, a position in a block) is
 * what OpenSSL's own ciphers do, and is made here. */

#include "provider.h"
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/proverr.h>
#include <string.h>

struct block_context {
    /* The cipher in ECB and CTR, or a mode that carries a vector: the other one is NULL. */
    const usuba_block_cipher_functions *functions;
    const usuba_chain_functions *chain;
    size_t size, key_bytes, block_bytes;
    unsigned mode;
    int encrypting, padding, key_set, iv_set;
    /* Input that is no block yet, or the last block before the padding can be seen. */
    size_t buffered;
    unsigned char buffer[EVP_MAX_IV_LENGTH];
    unsigned char original_iv[EVP_MAX_IV_LENGTH];
    /* Of records of TLS in CBC: the version, 0 if the data are no records; and the MAC of the last one. */
    struct tls_records tls;
    /* The block before of CBC; the next counter; the block that CFB and OFB are in, `position` bytes of which are used. */
    unsigned char iv[EVP_MAX_IV_LENGTH];
    size_t position;
    /* What a caller was last told of the IV: OpenSSL may ask for a pointer to it. */
    unsigned char shown_iv[EVP_MAX_IV_LENGTH];
    struct keystream keystream;
    /* The context of the library. */
    uint64_t keys[];
};

void *block_new(const struct algorithm *algorithm)
{
    const usuba_primitive *primitive = algorithm->primitive;
    const int chained = primitive->kind == USUBA_KIND_CHAIN;
    const size_t size = sizeof(struct block_context) +
        (chained ? primitive->of.chain.context_bytes : primitive->of.block_cipher.context_bytes);
    struct block_context *context = OPENSSL_zalloc(size);
    struct cipher_sizes sizes;
    if (context == NULL)
        return NULL;
    if (chained)
        context->chain = &primitive->of.chain;
    else
        context->functions = &primitive->of.block_cipher;
    block_sizes(algorithm, &sizes);
    context->size = size;
    context->key_bytes = sizes.key;
    context->block_bytes = chained ? primitive->of.chain.iv_bytes : primitive->of.block_cipher.block_bytes;
    context->mode = algorithm->mode;
    context->padding = 1;
    return context;
}

static void block_free(void *given)
{
    struct block_context *context = given;
    if (context != NULL)
        OPENSSL_clear_free(context, context->size);
}

static void *block_dup(void *given)
{
    const struct block_context *context = given;
    return OPENSSL_memdup(context, context->size);
}

void block_sizes(const struct algorithm *algorithm, struct cipher_sizes *sizes)
{
    const usuba_primitive *primitive = algorithm->primitive;
    const int chained = primitive->kind == USUBA_KIND_CHAIN;
    const size_t block = chained ? primitive->of.chain.iv_bytes : primitive->of.block_cipher.block_bytes;
    const int in_blocks = algorithm->mode == EVP_CIPH_ECB_MODE || algorithm->mode == EVP_CIPH_CBC_MODE;
    sizes->mode = algorithm->mode;
    sizes->key = chained ? primitive->of.chain.key_bytes : primitive->of.block_cipher.key_bytes;
    sizes->iv = algorithm->mode == EVP_CIPH_ECB_MODE ? 0 : block;
    sizes->block = in_blocks ? block : 1;
    sizes->aead = sizes->custom_iv = 0;
}

static int block_set_params(void *given, const OSSL_PARAM params[])
{
    struct block_context *context = given;
    const OSSL_PARAM *param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_PADDING);
    unsigned number;
    size_t size;
    if (param != NULL) {
        if (!OSSL_PARAM_get_uint(param, &number)) {
            ERR_raise(ERR_LIB_PROV, PROV_R_FAILED_TO_GET_PARAMETER);
            return 0;
        }
        context->padding = number != 0;
    }
    param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_KEYLEN);
    if (param != NULL) {
        if (!OSSL_PARAM_get_size_t(param, &size)) {
            ERR_raise(ERR_LIB_PROV, PROV_R_FAILED_TO_GET_PARAMETER);
            return 0;
        }
        if (size != context->key_bytes) {
            ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_KEY_LENGTH);
            return 0;
        }
    }
    param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_NUM);
    if (param != NULL) {
        if (!OSSL_PARAM_get_uint(param, &number) || number >= context->block_bytes) {
            ERR_raise(ERR_LIB_PROV, PROV_R_FAILED_TO_GET_PARAMETER);
            return 0;
        }
        context->position = number;
    }
    return context->mode != EVP_CIPH_CBC_MODE || tls_set_params(&context->tls, params);
}

static const OSSL_PARAM *block_settable(void *given, void *provider)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, NULL),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
        OSSL_PARAM_END,
    };
    /* A position in CTR would be one in keystream that nobody has. */
    static const OSSL_PARAM feedback[] = {
        OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, NULL),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
        OSSL_PARAM_uint(OSSL_CIPHER_PARAM_NUM, NULL),
        OSSL_PARAM_END,
    };
    static const OSSL_PARAM chained[] = {
        OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, NULL),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
        OSSL_PARAM_uint(OSSL_CIPHER_PARAM_TLS_VERSION, NULL),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, NULL),
        OSSL_PARAM_END,
    };
    const struct block_context *context = given;
    (void)provider;
    if (context != NULL && context->mode == EVP_CIPH_CBC_MODE)
        return chained;
    return context != NULL && (context->mode == EVP_CIPH_CFB_MODE || context->mode == EVP_CIPH_OFB_MODE) ? feedback
                                                                                                         : params;
}

/* The IV as it stands: where the next bytes go on. A counter is one beyond the last block that was begun. */
static void update_shown_iv(struct block_context *context)
{
    const size_t block = context->block_bytes;
    unsigned char *iv = context->shown_iv;
    size_t unused = (context->keystream.made - context->keystream.used) / block, i;
    memcpy(iv, context->iv, block);
    for (i = block; i-- > 0 && unused > 0;) {
        const size_t digit = unused & 0xff, borrow = iv[i] < digit;
        iv[i] = (unsigned char)(iv[i] - digit);
        unused = (unused >> 8) + borrow;
    }
}

static int block_get_params(void *given, OSSL_PARAM params[])
{
    struct block_context *context = given;
    const size_t block = context->block_bytes;
    const size_t iv_bytes = context->mode == EVP_CIPH_ECB_MODE ? 0 : block;
    const size_t position = context->mode == EVP_CIPH_CTR_MODE ? context->keystream.used % block : context->position;
    OSSL_PARAM *param = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_KEYLEN);
    if (param != NULL && !OSSL_PARAM_set_size_t(param, context->key_bytes))
        return 0;
    param = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_IVLEN);
    if (param != NULL && !OSSL_PARAM_set_size_t(param, iv_bytes))
        return 0;
    param = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_PADDING);
    if (param != NULL && !OSSL_PARAM_set_uint(param, (unsigned)context->padding))
        return 0;
    param = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_NUM);
    if (param != NULL && !OSSL_PARAM_set_uint(param, (unsigned)position))
        return 0;
    param = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_IV);
    if (param != NULL && !OSSL_PARAM_set_octet_ptr(param, context->original_iv, iv_bytes) &&
        !OSSL_PARAM_set_octet_string(param, context->original_iv, iv_bytes))
        return 0;
    param = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_UPDATED_IV);
    if (param != NULL) {
        update_shown_iv(context);
        if (!OSSL_PARAM_set_octet_ptr(param, context->shown_iv, iv_bytes) &&
            !OSSL_PARAM_set_octet_string(param, context->shown_iv, iv_bytes))
            return 0;
    }
    param = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_TLS_MAC);
    return param == NULL || OSSL_PARAM_set_octet_ptr(param, context->tls.mac, context->tls.mac_bytes);
}

static const OSSL_PARAM *block_gettable(void *context, void *provider)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
        OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, NULL),
        OSSL_PARAM_uint(OSSL_CIPHER_PARAM_NUM, NULL),
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, NULL, 0),
        OSSL_PARAM_octet_ptr(OSSL_CIPHER_PARAM_TLS_MAC, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)context;
    (void)provider;
    return params;
}

static int block_init(struct block_context *context, int encrypting, const unsigned char *key, size_t key_length,
    const unsigned char *iv, size_t iv_length, const OSSL_PARAM params[])
{
    const size_t block = context->block_bytes;
    context->encrypting = encrypting;
    context->buffered = context->position = 0;
    if (context->mode == EVP_CIPH_CTR_MODE) {
        /* Without a new IV the counter goes on after the last block that was begun. */
        update_shown_iv(context);
        memcpy(context->iv, context->shown_iv, block);
        keystream_reset(&context->keystream);
    }
    if (iv != NULL && context->mode != EVP_CIPH_ECB_MODE) {
        if (iv_length != block) {
            ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_IV_LENGTH);
            return 0;
        }
        memcpy(context->original_iv, iv, block);
        memcpy(context->iv, iv, block);
        context->iv_set = 1;
    } else if (context->iv_set && context->mode != EVP_CIPH_CTR_MODE) {
        memcpy(context->iv, context->original_iv, block);
    }
    if (key != NULL) {
        if (key_length != context->key_bytes) {
            ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_KEY_LENGTH);
            return 0;
        }
        if (!succeeded(
                context->chain != NULL ? context->chain->init(context->keys, key) : context->functions->init(context->keys, key)))
            return 0;
        context->key_set = 1;
    }
    return block_set_params(context, params);
}

static int block_encrypt_init(void *context, const unsigned char *key, size_t key_length, const unsigned char *iv,
    size_t iv_length, const OSSL_PARAM params[])
{
    return block_init(context, 1, key, key_length, iv, iv_length, params);
}

static int block_decrypt_init(void *context, const unsigned char *key, size_t key_length, const unsigned char *iv,
    size_t iv_length, const OSSL_PARAM params[])
{
    return block_init(context, 0, key, key_length, iv, iv_length, params);
}

/* ---- ECB and CBC ---- */

/* Whole blocks; `out` is `in`, or they do not overlap. */
static int process(struct block_context *context, unsigned char *out, const unsigned char *in, size_t length)
{
    const size_t blocks = length / context->block_bytes;
    const int encrypting = context->encrypting;
    if (context->chain != NULL)
        return succeeded(
            (encrypting ? context->chain->encrypt : context->chain->decrypt)(context->keys, context->iv, out, in, length));
    return succeeded((encrypting ? context->functions->encrypt_blocks : context->functions->decrypt_blocks)(
        context->keys, NULL, out, in, blocks));
}

static int ready(const struct block_context *context)
{
    if (!context->key_set)
        ERR_raise(ERR_LIB_PROV, PROV_R_NO_KEY_SET);
    return context->key_set;
}

/* An update that is a record of TLS. */
static int record(struct block_context *context, unsigned char *out, size_t *out_length, size_t out_size,
    const unsigned char *in, size_t length)
{
    if (in != out || out_size < length || !context->padding || context->buffered > 0) {
        ERR_raise(ERR_LIB_PROV, PROV_R_CIPHER_OPERATION_FAILED);
        return 0;
    }
    if (context->encrypting) {
        const size_t added = context->block_bytes - length % context->block_bytes;
        if (out_size - length < added) {
            ERR_raise(ERR_LIB_PROV, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
            return 0;
        }
        memset(out + length, (int)(added - 1), added);
        length += added;
        if (!process(context, out, in, length))
            return 0;
        *out_length = length;
        return 1;
    }
    if (length % context->block_bytes != 0 || !process(context, out, in, length) ||
        !tls_take(&context->tls, context->block_bytes, out, &length)) {
        ERR_raise(ERR_LIB_PROV, PROV_R_CIPHER_OPERATION_FAILED);
        return 0;
    }
    *out_length = length;
    return 1;
}

static int block_update(void *given, unsigned char *out, size_t *out_length, size_t out_size, const unsigned char *in,
    size_t length)
{
    struct block_context *context = given;
    const size_t block = context->block_bytes;
    size_t total = context->buffered + length, whole, first = 0, tail;
    unsigned char rest[EVP_MAX_IV_LENGTH];
    *out_length = 0;
    if (!ready(context))
        return 0;
    if (length == 0)
        return 1;
    if (total < length)
        return succeeded(USUBA_ERROR_LENGTH);
    if (context->tls.version != 0)
        return record(context, out, out_length, out_size, in, length);
    /* The last block of a padded message is kept back until it is known to be the last. */
    whole = context->padding && !context->encrypting ? (total - 1) / block * block : total / block * block;
    if (whole == 0) {
        memcpy(context->buffer + context->buffered, in, length);
        context->buffered = total;
        return 1;
    }
    if (out == NULL || out_size < whole) {
        ERR_raise(ERR_LIB_PROV, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        return 0;
    }
    tail = total - whole;
    memcpy(rest, in + length - tail, tail);
    if (context->buffered > 0) {
        const size_t missing = block - context->buffered;
        first = block;
        /* The first block is written where the next ones are still to be read, if a caller in place has given pieces. */
        if (whole > block && in + missing != out + block && overlap(out, whole, in + missing, whole - block))
            return succeeded(USUBA_ERROR_OVERLAP);
        memcpy(context->buffer + context->buffered, in, missing);
        in += missing;
        if (!process(context, context->buffer, context->buffer, block))
            return 0;
        memcpy(out, context->buffer, block);
    }
    if (whole > first && !process(context, out + first, in, whole - first))
        return 0;
    memcpy(context->buffer, rest, tail);
    context->buffered = tail;
    *out_length = whole;
    return 1;
}

/* The bytes of padding after the text, or 0 if it is none: each is their number. Looks at all of the block whatever is in
 * it. */
static size_t padding_of(const unsigned char *text, size_t block)
{
    const size_t bytes = text[block - 1];
    size_t wrong = bytes == 0 || bytes > block, i;
    for (i = 0; i < block; i++)
        wrong |= (size_t)(block - i <= bytes) & (size_t)(text[i] != bytes);
    return wrong ? 0 : bytes;
}

static int block_final(void *given, unsigned char *out, size_t *out_length, size_t out_size)
{
    struct block_context *context = given;
    const size_t block = context->block_bytes;
    size_t bytes = block;
    *out_length = 0;
    if (!ready(context))
        return 0;
    if (!context->padding && context->buffered == 0)
        return 1;
    if (context->padding && context->encrypting) {
        const size_t added = block - context->buffered;
        memset(context->buffer + context->buffered, (int)added, added);
    } else if (context->buffered != block) {
        ERR_raise(ERR_LIB_PROV, PROV_R_WRONG_FINAL_BLOCK_LENGTH);
        return 0;
    }
    if (out == NULL || (context->encrypting && out_size < block)) {
        ERR_raise(ERR_LIB_PROV, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        return 0;
    }
    if (!process(context, context->buffer, context->buffer, block))
        return 0;
    context->buffered = 0;
    if (context->padding && !context->encrypting) {
        const size_t added = padding_of(context->buffer, block);
        if (added == 0) {
            OPENSSL_cleanse(context->buffer, block);
            ERR_raise(ERR_LIB_PROV, PROV_R_BAD_DECRYPT);
            return 0;
        }
        bytes = block - added;
    }
    if (out_size < bytes) {
        ERR_raise(ERR_LIB_PROV, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        return 0;
    }
    memcpy(out, context->buffer, bytes);
    OPENSSL_cleanse(context->buffer, block);
    *out_length = bytes;
    return 1;
}

/* EVP_Cipher: whole blocks, past all buffers. */
static int block_cipher(void *given, unsigned char *out, size_t *out_length, size_t out_size, const unsigned char *in,
    size_t length)
{
    struct block_context *context = given;
    *out_length = 0;
    if (!ready(context))
        return 0;
    if (out_size < length) {
        ERR_raise(ERR_LIB_PROV, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        return 0;
    }
    if (length % context->block_bytes != 0) {
        ERR_raise(ERR_LIB_PROV, PROV_R_WRONG_FINAL_BLOCK_LENGTH);
        return 0;
    }
    if (!process(context, out, in, length))
        return 0;
    *out_length = length;
    return 1;
}

/* ---- CFB, OFB and CTR ---- */

static int ctr_generate(void *given, unsigned char *out, const unsigned char *in, size_t length)
{
    struct block_context *context = given;
    return succeeded(context->functions->ctr_xor(context->keys, context->iv, out, in, length));
}

/* The block that CFB and OFB are in, from its first byte: the keystream, which is what a block of zeros becomes. */
static int begin_block(struct block_context *context)
{
    unsigned char vector[EVP_MAX_IV_LENGTH];
    memcpy(vector, context->iv, context->block_bytes);
    memset(context->iv, 0, context->block_bytes);
    return succeeded(
        context->chain->encrypt(context->keys, vector, context->iv, context->iv, context->block_bytes));
}

/* Any number of bytes in CFB and OFB: whole blocks by the library, and parts of blocks byte by byte. */
static int feedback(struct block_context *context, unsigned char *out, const unsigned char *in, size_t length)
{
    const size_t block = context->block_bytes;
    const int is_cfb = context->mode == EVP_CIPH_CFB_MODE;
    size_t i = 0;
    while (i < length) {
        const size_t whole = (length - i) / block * block;
        unsigned char byte;
        if (context->position == 0 && whole > 0) {
            if (!process(context, out + i, in + i, whole))
                return 0;
            i += whole;
            continue;
        }
        if (context->position == 0 && !begin_block(context))
            return 0;
        byte = in[i];
        out[i] = byte ^ context->iv[context->position];
        if (is_cfb)
            context->iv[context->position] = context->encrypting ? out[i] : byte;
        context->position = (context->position + 1) % block;
        i++;
    }
    return 1;
}

static int feedback_update(void *given, unsigned char *out, size_t *out_length, size_t out_size, const unsigned char *in,
    size_t length)
{
    struct block_context *context = given;
    int result;
    *out_length = 0;
    if (!ready(context))
        return 0;
    if (length == 0)
        return 1;
    if (out == NULL || out_size < length) {
        ERR_raise(ERR_LIB_PROV, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        return 0;
    }
    if (in != out && overlap(out, length, in, length))
        return succeeded(USUBA_ERROR_OVERLAP);
    if (context->mode == EVP_CIPH_CTR_MODE)
        result = keystream_xor(&context->keystream, context->block_bytes, ctr_generate, context, out, in, length);
    else
        result = feedback(context, out, in, length);
    if (result)
        *out_length = length;
    return result;
}

static int feedback_final(void *context, unsigned char *out, size_t *out_length, size_t out_size)
{
    (void)out;
    (void)out_size;
    *out_length = 0;
    return ready(context);
}

#define COMMON \
    { OSSL_FUNC_CIPHER_FREECTX, (void (*)(void))block_free }, \
    { OSSL_FUNC_CIPHER_DUPCTX, (void (*)(void))block_dup }, \
    { OSSL_FUNC_CIPHER_ENCRYPT_INIT, (void (*)(void))block_encrypt_init }, \
    { OSSL_FUNC_CIPHER_DECRYPT_INIT, (void (*)(void))block_decrypt_init }, \
    { OSSL_FUNC_CIPHER_GETTABLE_PARAMS, (void (*)(void))cipher_gettable_params }, \
    { OSSL_FUNC_CIPHER_GET_CTX_PARAMS, (void (*)(void))block_get_params }, \
    { OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, (void (*)(void))block_gettable }, \
    { OSSL_FUNC_CIPHER_SET_CTX_PARAMS, (void (*)(void))block_set_params }, \
    { OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, (void (*)(void))block_settable }

const OSSL_DISPATCH block_functions[] = {
    COMMON,
    { OSSL_FUNC_CIPHER_UPDATE, (void (*)(void))block_update },
    { OSSL_FUNC_CIPHER_FINAL, (void (*)(void))block_final },
    { OSSL_FUNC_CIPHER_CIPHER, (void (*)(void))block_cipher },
    { 0, NULL },
};

const OSSL_DISPATCH feedback_functions[] = {
    COMMON,
    { OSSL_FUNC_CIPHER_UPDATE, (void (*)(void))feedback_update },
    { OSSL_FUNC_CIPHER_FINAL, (void (*)(void))feedback_final },
    { OSSL_FUNC_CIPHER_CIPHER, (void (*)(void))feedback_update },
    { 0, NULL },
};
