/* aead.c - authenticated encryption.
 *
 * ChaCha20-Poly1305 is put together here from its stream cipher and its authenticator, so that data come in pieces of any
 * size, as in OpenSSL's own. Of all others the library takes a message whole and releases no byte that is not authentic: all
 * data of a message are one call, and for decryption the tag is set before it, as for OpenSSL's ciphers in CCM mode. */

#include "provider.h"
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/proverr.h>
#include <string.h>

#define TAG_BYTES EVP_MAX_IV_LENGTH

enum phase {
    /* Key or IV is not there. */
    NOTHING,
    /* Associated data may come. */
    BEGUN,
    /* Data have come. */
    DATA,
    /* The tag is made or was right; the next message needs an IV of its own. */
    DONE,
    /* The message was refused. */
    REFUSED
};

struct aead_context {
    const usuba_aead_functions *functions;
    enum phase phase;
    int encrypting, key_set, iv_set, tag_set;
    unsigned char key[EVP_MAX_KEY_LENGTH];
    unsigned char iv[EVP_MAX_IV_LENGTH];
    unsigned char tag[TAG_BYTES];
    /* Bytes of associated data, which are kept, and of data. */
    size_t ad_length, ad_room;
    uint64_t length;
    unsigned char *ad;
    /* Of ChaCha20-Poly1305; NULL for all others. */
    const usuba_mac_functions *mac;
    uint64_t *mac_state;
    struct counted counted;
    struct keystream keystream;
    struct tls_record record;
};

static void aead_free(void *given)
{
    struct aead_context *context = given;
    if (context == NULL)
        return;
    OPENSSL_clear_free(context->ad, context->ad_room);
    if (context->mac != NULL)
        OPENSSL_clear_free(context->mac_state, context->mac->context_bytes);
    OPENSSL_clear_free(context, sizeof *context);
}

void *aead_new(const struct algorithm *algorithm)
{
    struct aead_context *context = OPENSSL_zalloc(sizeof *context);
    const usuba_primitive *stream = usuba_primitive_named("chacha20"), *mac = usuba_primitive_named("poly1305");
    if (context == NULL)
        return NULL;
    context->functions = &algorithm->primitive->of.aead;
    context->encrypting = 1;
    if (strcmp(algorithm->primitive->name, "chacha20-poly1305") == 0 && stream != NULL && mac != NULL) {
        context->counted.functions = &stream->of.stream;
        context->mac = &mac->of.mac;
        context->mac_state = OPENSSL_zalloc(context->mac->context_bytes);
        if (context->mac_state == NULL) {
            aead_free(context);
            return NULL;
        }
    }
    return context;
}

static void *aead_dup(void *given)
{
    const struct aead_context *context = given;
    struct aead_context *copy = OPENSSL_memdup(context, sizeof *context);
    if (copy == NULL)
        return NULL;
    copy->ad = NULL;
    copy->ad_room = 0;
    copy->mac_state = NULL;
    if (context->ad != NULL) {
        copy->ad = OPENSSL_memdup(context->ad, context->ad_room);
        copy->ad_room = context->ad_room;
    }
    if (context->mac != NULL)
        copy->mac_state = OPENSSL_memdup(context->mac_state, context->mac->context_bytes);
    if ((context->ad != NULL && copy->ad == NULL) || (context->mac != NULL && copy->mac_state == NULL)) {
        aead_free(copy);
        return NULL;
    }
    return copy;
}

void aead_sizes(const struct algorithm *algorithm, struct cipher_sizes *sizes)
{
    const usuba_aead_functions *functions = &algorithm->primitive->of.aead;
    sizes->mode = algorithm->mode;
    sizes->key = functions->key_bytes;
    sizes->iv = functions->nonce_bytes;
    sizes->block = 1;
    sizes->aead = 1;
    sizes->custom_iv = 1;
}

static int aead_set_params(void *given, const OSSL_PARAM params[])
{
    struct aead_context *context = given;
    const usuba_aead_functions *functions = context->functions;
    const OSSL_PARAM *param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_KEYLEN);
    size_t size;
    if (param != NULL && (!OSSL_PARAM_get_size_t(param, &size) || size != functions->key_bytes)) {
        ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_KEY_LENGTH);
        return 0;
    }
    param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_IVLEN);
    if (param != NULL && (!OSSL_PARAM_get_size_t(param, &size) || size != functions->nonce_bytes)) {
        ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_IV_LENGTH);
        return 0;
    }
    param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD);
    if (param != NULL && context->mac != NULL && !tls_begin(&context->record, param, context->encrypting, 0, functions->tag_bytes))
        return 0;
    param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_TAG);
    if (param == NULL)
        return 1;
    if (param->data_type != OSSL_PARAM_OCTET_STRING) {
        ERR_raise(ERR_LIB_PROV, PROV_R_FAILED_TO_GET_PARAMETER);
        return 0;
    }
    if (param->data_size != functions->tag_bytes) {
        ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_TAG_LENGTH);
        return 0;
    }
    /* Without data it is the size that is set. */
    if (param->data == NULL)
        return 1;
    if (context->encrypting) {
        ERR_raise(ERR_LIB_PROV, PROV_R_TAG_NOT_NEEDED);
        return 0;
    }
    memcpy(context->tag, param->data, functions->tag_bytes);
    context->tag_set = 1;
    return 1;
}

static const OSSL_PARAM *aead_settable(void *context, void *provider)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_IVLEN, NULL),
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)context;
    (void)provider;
    return params;
}

static int aead_get_params(void *given, OSSL_PARAM params[])
{
    const struct aead_context *context = given;
    const usuba_aead_functions *functions = context->functions;
    OSSL_PARAM *param = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_KEYLEN);
    if (param != NULL && !OSSL_PARAM_set_size_t(param, functions->key_bytes))
        return 0;
    param = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_AEAD_IVLEN);
    if (param != NULL && !OSSL_PARAM_set_size_t(param, functions->nonce_bytes))
        return 0;
    param = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_AEAD_TAGLEN);
    if (param != NULL && !OSSL_PARAM_set_size_t(param, functions->tag_bytes))
        return 0;
    param = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD);
    if (param != NULL && !OSSL_PARAM_set_size_t(param, functions->tag_bytes))
        return 0;
    param = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_IV);
    if (param != NULL && !OSSL_PARAM_set_octet_ptr(param, context->iv, functions->nonce_bytes) &&
        !OSSL_PARAM_set_octet_string(param, context->iv, functions->nonce_bytes))
        return 0;
    param = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_AEAD_TAG);
    if (param == NULL)
        return 1;
    if (!context->encrypting || context->phase != DONE) {
        ERR_raise(ERR_LIB_PROV, PROV_R_TAG_NOT_SET);
        return 0;
    }
    if (param->data_size != functions->tag_bytes) {
        ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_TAG_LENGTH);
        return 0;
    }
    return OSSL_PARAM_set_octet_string(param, context->tag, functions->tag_bytes);
}

static const OSSL_PARAM *aead_gettable(void *context, void *provider)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_IVLEN, NULL),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TAGLEN, NULL),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD, NULL),
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)context;
    (void)provider;
    return params;
}

/* ---- ChaCha20-Poly1305: RFC 8439, section 2.8 ---- */

/* The longest message: the counter of blocks begins at 1 and has 32 bits. */
#define LONGEST ((((uint64_t)1 << 32) - 1) * 64)

static int mac_update(struct aead_context *context, const unsigned char *in, size_t length)
{
    return length == 0 || succeeded(context->mac->update(context->mac_state, in, length));
}

static int mac_pad(struct aead_context *context, uint64_t length)
{
    static const unsigned char zeros[16];
    return mac_update(context, zeros, (size_t)(-length & 15));
}

/* The key of the authenticator is the first keystream; the data begin at the second block. */
static int combined_begin(struct aead_context *context)
{
    unsigned char first[64] = { 0 };
    int result;
    memcpy(context->counted.key, context->key, context->functions->key_bytes);
    memcpy(context->counted.nonce, context->iv, context->functions->nonce_bytes);
    context->counted.counter = 0;
    keystream_reset(&context->keystream);
    result = counted_generate(&context->counted, first, first, sizeof first) &&
        succeeded(context->mac->init(context->mac_state, first));
    OPENSSL_cleanse(first, sizeof first);
    return result;
}

static int combined_data(struct aead_context *context, unsigned char *out, const unsigned char *in, size_t length)
{
    if (length > LONGEST - context->length) {
        ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_INPUT_LENGTH);
        return 0;
    }
    if (context->phase == BEGUN && !mac_pad(context, context->ad_length))
        return 0;
    context->phase = DATA;
    context->length += length;
    if (!context->encrypting && !mac_update(context, in, length))
        return 0;
    if (!keystream_xor(&context->keystream, context->counted.functions->block_bytes, counted_generate, &context->counted,
            out, in, length))
        return 0;
    return !context->encrypting || mac_update(context, out, length);
}

static int combined_tag(struct aead_context *context, unsigned char *tag)
{
    unsigned char lengths[16];
    size_t i;
    if (!mac_pad(context, context->phase == BEGUN ? context->ad_length : context->length))
        return 0;
    for (i = 0; i < 8; i++) {
        lengths[i] = (unsigned char)((uint64_t)context->ad_length >> (8 * i));
        lengths[8 + i] = (unsigned char)(context->length >> (8 * i));
    }
    return mac_update(context, lengths, sizeof lengths) && succeeded(context->mac->final(context->mac_state, tag));
}

static int combined_final(struct aead_context *context)
{
    unsigned char tag[TAG_BYTES];
    int result;
    if (context->encrypting)
        return combined_tag(context, context->tag);
    if (!combined_tag(context, tag))
        return 0;
    result = CRYPTO_memcmp(tag, context->tag, context->functions->tag_bytes) == 0;
    OPENSSL_cleanse(tag, sizeof tag);
    return result ? 1 : succeeded(USUBA_ERROR_TAG);
}

/* ---- All others ---- */

static int keep_ad(struct aead_context *context, const unsigned char *in, size_t length)
{
    const size_t total = context->ad_length + length;
    if (total > context->ad_room) {
        const size_t room = total > 2 * context->ad_room ? total : 2 * context->ad_room;
        unsigned char *ad = OPENSSL_clear_realloc(context->ad, context->ad_room, room);
        if (ad == NULL)
            return 0;
        context->ad = ad;
        context->ad_room = room;
    }
    memcpy(context->ad + context->ad_length, in, length);
    return 1;
}

/* A message at once. */
struct message {
    const unsigned char *nonce, *ad;
    size_t ad_length;
};

static int at_once(const struct aead_context *context, const struct message *message, unsigned char *out, unsigned char *tag,
    const unsigned char *in, size_t length)
{
    const usuba_aead_functions *functions = context->functions;
    void *ctx = OPENSSL_zalloc(functions->context_bytes);
    int result = ctx != NULL && succeeded(functions->init(ctx, context->key));
    if (result && context->encrypting)
        result = succeeded(functions->seal(ctx, out, tag, functions->tag_bytes, message->nonce, functions->nonce_bytes,
            message->ad, message->ad_length, in, length));
    else if (result)
        result = succeeded(functions->open(ctx, out, tag, functions->tag_bytes, message->nonce, functions->nonce_bytes,
            message->ad, message->ad_length, in, length));
    if (ctx != NULL)
        functions->wipe(ctx);
    OPENSSL_free(ctx);
    return result;
}

static int whole(struct aead_context *context, unsigned char *out, const unsigned char *in, size_t length)
{
    const struct message message = { context->iv, context->ad, context->ad_length };
    return at_once(context, &message, out, context->tag, in, length);
}

/* A record of TLS 1.2, in place: the text and the tag. RFC 7905, section 2: the number of the record is added to the IV. */
static int record(struct aead_context *context, unsigned char *out, size_t *out_length, size_t out_size,
    const unsigned char *in, size_t length)
{
    const usuba_aead_functions *functions = context->functions;
    const size_t text = context->record.length, all = text + functions->tag_bytes;
    unsigned char nonce[EVP_MAX_IV_LENGTH];
    struct message message = { NULL, NULL, 0 };
    size_t i;
    message.nonce = nonce;
    message.ad = context->record.ad;
    message.ad_length = sizeof context->record.ad;
    context->record.begun = 0;
    if (!context->key_set || !context->iv_set || in != out || length != all || out_size < all) {
        ERR_raise(ERR_LIB_PROV, PROV_R_CIPHER_OPERATION_FAILED);
        return 0;
    }
    memcpy(nonce, context->iv, functions->nonce_bytes);
    for (i = 0; i < 8; i++)
        nonce[functions->nonce_bytes - 8 + i] ^= context->record.ad[i];
    *out_length = context->encrypting ? all : text;
    return at_once(context, &message, out, out + text, in, text);
}

/* ---- For both ---- */

static int aead_begin(struct aead_context *context)
{
    context->ad_length = 0;
    context->length = 0;
    context->phase = NOTHING;
    if (!context->key_set || !context->iv_set)
        return 1;
    if (context->mac != NULL && !combined_begin(context))
        return 0;
    context->phase = BEGUN;
    return 1;
}

static int aead_init(struct aead_context *context, int encrypting, const unsigned char *key, size_t key_length,
    const unsigned char *iv, size_t iv_length, const OSSL_PARAM params[])
{
    const int was_done = context->phase == DONE || context->phase == REFUSED;
    if (context->encrypting != encrypting || was_done)
        context->tag_set = 0;
    context->encrypting = encrypting;
    /* What was encrypted under an IV must not be followed by anything else under it. */
    if (was_done || context->phase == DATA)
        context->iv_set = 0;
    if (key != NULL) {
        if (key_length != context->functions->key_bytes) {
            ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_KEY_LENGTH);
            return 0;
        }
        memcpy(context->key, key, key_length);
        context->key_set = 1;
    }
    if (iv != NULL) {
        if (iv_length != context->functions->nonce_bytes) {
            ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_IV_LENGTH);
            return 0;
        }
        memcpy(context->iv, iv, iv_length);
        context->iv_set = 1;
    }
    return aead_set_params(context, params) && aead_begin(context);
}

static int aead_encrypt_init(void *context, const unsigned char *key, size_t key_length, const unsigned char *iv,
    size_t iv_length, const OSSL_PARAM params[])
{
    return aead_init(context, 1, key, key_length, iv, iv_length, params);
}

static int aead_decrypt_init(void *context, const unsigned char *key, size_t key_length, const unsigned char *iv,
    size_t iv_length, const OSSL_PARAM params[])
{
    return aead_init(context, 0, key, key_length, iv, iv_length, params);
}

/* Whether something of a message may come now. */
static int expected(const struct aead_context *context)
{
    if (context->phase == BEGUN || context->phase == DATA)
        return 1;
    if (!context->key_set)
        ERR_raise(ERR_LIB_PROV, PROV_R_NO_KEY_SET);
    else
        ERR_raise_data(ERR_LIB_PROV, PROV_R_INVALID_STATE, "no IV is set, or the message is over: each needs an IV of its own");
    return 0;
}

static int associated(struct aead_context *context, const unsigned char *in, size_t length)
{
    if (context->phase != BEGUN) {
        ERR_raise_data(ERR_LIB_PROV, PROV_R_INVALID_STATE, "associated data come before the data");
        return 0;
    }
    if (context->ad_length + length < length)
        return succeeded(USUBA_ERROR_LENGTH);
    if (!(context->mac != NULL ? mac_update(context, in, length) : keep_ad(context, in, length)))
        return 0;
    context->ad_length += length;
    return 1;
}

static int aead_update(void *given, unsigned char *out, size_t *out_length, size_t out_size, const unsigned char *in,
    size_t length)
{
    struct aead_context *context = given;
    int result;
    *out_length = 0;
    if (context->record.begun)
        return record(context, out, out_length, out_size, in, length);
    if (!expected(context))
        return 0;
    if (length == 0)
        return 1;
    if (in == NULL) {
        ERR_raise(ERR_LIB_PROV, ERR_R_PASSED_NULL_PARAMETER);
        return 0;
    }
    if (out == NULL) {
        if (!associated(context, in, length))
            return 0;
        *out_length = length;
        return 1;
    }
    if (out_size < length) {
        ERR_raise(ERR_LIB_PROV, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        return 0;
    }
    if (in != out && overlap(out, length, in, length))
        return succeeded(USUBA_ERROR_OVERLAP);
    if (context->mac != NULL) {
        result = combined_data(context, out, in, length);
    } else if (context->phase == DATA) {
        ERR_raise_data(ERR_LIB_PROV, PROV_R_INVALID_STATE, "all data of a message must come at once");
        return 0;
    } else if (!context->encrypting && !context->tag_set) {
        ERR_raise_data(ERR_LIB_PROV, PROV_R_TAG_NOT_SET, "the tag must be set before the data");
        return 0;
    } else {
        result = whole(context, out, in, length);
        context->phase = DATA;
    }
    if (!result) {
        context->phase = REFUSED;
        return 0;
    }
    *out_length = length;
    return 1;
}

static int aead_final(void *given, unsigned char *out, size_t *out_length, size_t out_size)
{
    struct aead_context *context = given;
    int result = 1;
    (void)out;
    (void)out_size;
    *out_length = 0;
    if (!expected(context))
        return 0;
    if (!context->encrypting && !context->tag_set) {
        ERR_raise(ERR_LIB_PROV, PROV_R_TAG_NOT_SET);
        return 0;
    }
    if (context->mac != NULL)
        result = combined_final(context);
    else if (context->phase == BEGUN)
        result = whole(context, NULL, NULL, 0);
    context->phase = result ? DONE : REFUSED;
    return result;
}

/* EVP_Cipher: an update, or the end where there is no input. */
static int aead_cipher(void *context, unsigned char *out, size_t *out_length, size_t out_size, const unsigned char *in,
    size_t length)
{
    return in != NULL ? aead_update(context, out, out_length, out_size, in, length)
                      : aead_final(context, out, out_length, out_size);
}

const OSSL_DISPATCH aead_functions[] = {
    { OSSL_FUNC_CIPHER_FREECTX, (void (*)(void))aead_free },
    { OSSL_FUNC_CIPHER_DUPCTX, (void (*)(void))aead_dup },
    { OSSL_FUNC_CIPHER_ENCRYPT_INIT, (void (*)(void))aead_encrypt_init },
    { OSSL_FUNC_CIPHER_DECRYPT_INIT, (void (*)(void))aead_decrypt_init },
    { OSSL_FUNC_CIPHER_UPDATE, (void (*)(void))aead_update },
    { OSSL_FUNC_CIPHER_FINAL, (void (*)(void))aead_final },
    { OSSL_FUNC_CIPHER_CIPHER, (void (*)(void))aead_cipher },
    { OSSL_FUNC_CIPHER_GETTABLE_PARAMS, (void (*)(void))cipher_gettable_params },
    { OSSL_FUNC_CIPHER_GET_CTX_PARAMS, (void (*)(void))aead_get_params },
    { OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, (void (*)(void))aead_gettable },
    { OSSL_FUNC_CIPHER_SET_CTX_PARAMS, (void (*)(void))aead_set_params },
    { OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, (void (*)(void))aead_settable },
    { 0, NULL },
};
