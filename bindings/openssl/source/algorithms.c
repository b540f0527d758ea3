/* algorithms.c - from the table of the library to what OpenSSL can fetch.
 *
 * OpenSSL calls the functions for a new context and for the sizes of an algorithm without saying which one it means: each
 * algorithm must have functions of its own. How many there are is known only when the table is read, so there is a fixed
 * number of pairs, slots, each of which knows its number. */

#include "provider.h"
#include <ctype.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

/* The modes of a block cipher: those that its own functions have, and those that are rows of the library by themselves, whose
 * names end like this. */
static const struct mode {
    unsigned mode;
    const char *name, *end;
} modes[] = {
    { EVP_CIPH_ECB_MODE, "ECB", NULL },   { EVP_CIPH_CTR_MODE, "CTR", NULL },   { EVP_CIPH_CBC_MODE, "CBC", "-cbc" },
    { EVP_CIPH_CFB_MODE, "CFB", "-cfb" }, { EVP_CIPH_OFB_MODE, "OFB", "-ofb" }, { EVP_CIPH_GCM_MODE, "GCM", "-gcm" },
    { EVP_CIPH_CCM_MODE, "CCM", "-ccm" }, { EVP_CIPH_OCB_MODE, "OCB", "-ocb3" },
};

#define MODES (sizeof modes / sizeof modes[0])

/* The mode that a row is by itself; NULL if it is none. */
static const struct mode *mode_of(const usuba_primitive *primitive)
{
    const char *end = strrchr(primitive->name, '-');
    size_t m;
    for (m = 0; m < MODES && end != NULL; m++) {
        if (modes[m].end != NULL && strcmp(modes[m].end, end) == 0)
            return modes + m;
    }
    return NULL;
}

/* Where OpenSSL has another name than the library. */
static const struct {
    const char *ours, *theirs;
} names[] = {
    { "tdes-ede3", "DES-EDE3" },
    { "chacha20", "ChaCha20" },
    { "chacha20-poly1305", "ChaCha20-Poly1305" },
};

/* The second names that OpenSSL has for some. */
static const struct {
    const char *name, *also;
} aliases[] = {
    { "ARIA-128-CBC", "ARIA128" },         { "ARIA-192-CBC", "ARIA192" },         { "ARIA-256-CBC", "ARIA256" },
    { "CAMELLIA-128-CBC", "CAMELLIA128" }, { "CAMELLIA-192-CBC", "CAMELLIA192" }, { "CAMELLIA-256-CBC", "CAMELLIA256" },
    { "DES-CBC", "DES" },                  { "DES-EDE3-CBC", "DES3" },            { "DES-EDE3-ECB", "DES-EDE3" },
    { "SM4-CBC", "SM4" },                  { "SM4-CFB", "SM4-CFB128" },           { "SM4-OFB", "SM4-OFB128" },
    { "AES-128-GCM", "id-aes128-GCM:2.16.840.1.101.3.4.1.6" },
    { "AES-192-GCM", "id-aes192-GCM:2.16.840.1.101.3.4.1.26" },
    { "AES-256-GCM", "id-aes256-GCM:2.16.840.1.101.3.4.1.46" },
};

/* OpenSSL has constant-time assembly for AES, with the instructions that most machines have for it: nobody is served by
 * finding this one instead. Its GCM is there, as a part of what OpenSSL's is compared with. */
static int left_out(const usuba_primitive *primitive)
{
    const struct mode *mode = mode_of(primitive);
    return strncmp(primitive->name, "aes-", 4) == 0 && (mode == NULL || mode->mode != EVP_CIPH_GCM_MODE);
}

static int has_mode(const usuba_block_cipher_functions *cipher, unsigned mode)
{
    /* OpenSSL knows no tweaks. */
    if (cipher->tweak_bytes > 0 || cipher->block_bytes > EVP_MAX_IV_LENGTH || cipher->key_bytes > EVP_MAX_KEY_LENGTH)
        return 0;
    if (mode == EVP_CIPH_CTR_MODE)
        return cipher->ctr_xor != NULL;
    return mode == EVP_CIPH_ECB_MODE && cipher->encrypt_blocks != NULL && cipher->decrypt_blocks != NULL;
}

/* Whether the primitive can be fetched as algorithm number `number` of its own. */
static int variant_at(const usuba_primitive *primitive, size_t number, struct algorithm *algorithm)
{
    size_t m;
    algorithm->primitive = primitive;
    algorithm->operation = OSSL_OP_CIPHER;
    algorithm->mode = EVP_CIPH_STREAM_CIPHER;
    if (left_out(primitive))
        return 0;
    switch (primitive->kind) {
    case USUBA_KIND_BLOCK_CIPHER:
        for (m = 0; m < MODES; m++) {
            if (has_mode(&primitive->of.block_cipher, modes[m].mode) && number-- == 0) {
                algorithm->mode = modes[m].mode;
                return 1;
            }
        }
        return 0;
    case USUBA_KIND_CHAIN: {
        const usuba_chain_functions *chain = &primitive->of.chain;
        if (number != 0 || mode_of(primitive) == NULL || chain->iv_bytes > EVP_MAX_IV_LENGTH ||
            chain->key_bytes > EVP_MAX_KEY_LENGTH)
            return 0;
        algorithm->mode = mode_of(primitive)->mode;
        return 1;
    }
    case USUBA_KIND_STREAM: {
        const usuba_stream_functions *stream = &primitive->of.stream;
        return number == 0 && stream->key_bytes <= sizeof ((struct counted *)0)->key &&
            stream->nonce_bytes <= sizeof ((struct counted *)0)->nonce &&
            stream->counter_bytes + stream->nonce_bytes <= EVP_MAX_IV_LENGTH && stream->block_bytes <= KEYSTREAM_BYTES;
    }
    case USUBA_KIND_GENERATOR:
        return number == 0 && primitive->of.generator.key_bytes <= EVP_MAX_KEY_LENGTH &&
            primitive->of.generator.nonce_bytes <= EVP_MAX_IV_LENGTH;
    case USUBA_KIND_AEAD:
        /* Programs expect of these names what OpenSSL's own do: of GCM that is here, of CCM and OCB it is not. */
        if (mode_of(primitive) != NULL) {
            algorithm->mode = mode_of(primitive)->mode;
            if (algorithm->mode != EVP_CIPH_GCM_MODE || primitive->of.aead.stream_bytes == 0)
                return 0;
        }
        return number == 0 && primitive->of.aead.key_bytes <= EVP_MAX_KEY_LENGTH &&
            primitive->of.aead.nonce_bytes <= EVP_MAX_IV_LENGTH && primitive->of.aead.tag_bytes <= EVP_MAX_IV_LENGTH;
    case USUBA_KIND_HASH:
        algorithm->operation = OSSL_OP_DIGEST;
        return number == 0 && primitive->of.hash.digest_bytes <= EVP_MAX_MD_SIZE;
    case USUBA_KIND_XOF:
        /* OpenSSL 3 has no name for a customization string. */
        algorithm->operation = OSSL_OP_DIGEST;
        return number == 0 && primitive->of.xof.customization_bytes == 0;
    case USUBA_KIND_MAC:
        algorithm->operation = OSSL_OP_MAC;
        return number == 0;
    default:
        return 0;
    }
}

int algorithm_at(size_t number, struct algorithm *algorithm)
{
    const usuba_primitive *primitive;
    size_t p, variant;
    for (p = 0; (primitive = usuba_primitive_at(p)) != NULL; p++) {
        for (variant = 0; variant_at(primitive, variant, algorithm); variant++) {
            if (number-- == 0)
                return 1;
        }
    }
    return 0;
}

void algorithm_names(const struct algorithm *algorithm, char *text, size_t size)
{
    const char *name = algorithm->primitive->name, *base, *mode = "";
    const struct mode *own = algorithm->primitive->kind == USUBA_KIND_BLOCK_CIPHER ? NULL : mode_of(algorithm->primitive);
    char cipher[NAME_BYTES], upper[NAME_BYTES];
    size_t i;
    snprintf(cipher, sizeof cipher, "%.*s", (int)(strlen(name) - (own != NULL ? strlen(own->end) : 0)), name);
    for (i = 0; cipher[i] != '\0'; i++)
        upper[i] = (char)toupper((unsigned char)cipher[i]);
    upper[i] = '\0';
    base = upper;
    for (i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(cipher, names[i].ours) == 0)
            base = names[i].theirs;
    }
    for (i = 0; i < MODES; i++) {
        if (modes[i].mode == algorithm->mode)
            mode = modes[i].name;
    }
    snprintf(text, size, "%s%s%s", base, *mode == '\0' ? "" : "-", mode);
    for (i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
        if (strcmp(text, aliases[i].name) == 0) {
            snprintf(text, size, "%s:%s", aliases[i].name, aliases[i].also);
            break;
        }
    }
}

static void *new_context(size_t number)
{
    struct algorithm algorithm;
    if (!algorithm_at(number, &algorithm))
        return NULL;
    switch (algorithm.primitive->kind) {
    case USUBA_KIND_BLOCK_CIPHER:
    case USUBA_KIND_CHAIN:
        return block_new(&algorithm);
    case USUBA_KIND_AEAD:
        return algorithm.mode == EVP_CIPH_GCM_MODE ? gcm_new(&algorithm) : aead_new(&algorithm);
    case USUBA_KIND_HASH:
    case USUBA_KIND_XOF:
        return digest_new(&algorithm);
    case USUBA_KIND_MAC:
        return mac_new(&algorithm);
    default:
        return stream_new(&algorithm);
    }
}

static int get_params(size_t number, OSSL_PARAM params[])
{
    struct algorithm algorithm;
    struct cipher_sizes sizes = { 0, 0, 0, 1, 0, 0 };
    if (!algorithm_at(number, &algorithm))
        return 0;
    switch (algorithm.primitive->kind) {
    case USUBA_KIND_BLOCK_CIPHER:
    case USUBA_KIND_CHAIN:
        block_sizes(&algorithm, &sizes);
        break;
    case USUBA_KIND_AEAD:
        aead_sizes(&algorithm, &sizes);
        break;
    case USUBA_KIND_HASH:
    case USUBA_KIND_XOF:
        return digest_get_params(&algorithm, params);
    case USUBA_KIND_MAC:
        return mac_get_params(&algorithm, params);
    default:
        stream_sizes(&algorithm, &sizes);
        break;
    }
    return cipher_get_params(&sizes, params);
}

/* The slots, by their numbers in octal. */
#define EACH(M, a) M(a##0) M(a##1) M(a##2) M(a##3) M(a##4) M(a##5) M(a##6) M(a##7)
#define EACH_64(M, a) \
    EACH(M, a##0) EACH(M, a##1) EACH(M, a##2) EACH(M, a##3) EACH(M, a##4) EACH(M, a##5) EACH(M, a##6) EACH(M, a##7)
#define EACH_512(M) \
    EACH_64(M, 00) EACH_64(M, 01) EACH_64(M, 02) EACH_64(M, 03) EACH_64(M, 04) EACH_64(M, 05) EACH_64(M, 06) EACH_64(M, 07)

#define SLOT(n) \
    static void *new_##n(void *provider) \
    { \
        (void)provider; \
        return new_context(n); \
    } \
    static int get_params_##n(OSSL_PARAM params[]) \
    { \
        return get_params(n, params); \
    }
#define ROW(n) { new_##n, get_params_##n },

EACH_512(SLOT)

static const struct {
    new_function *new;
    get_params_function *get_params;
} slots[SLOTS] = { EACH_512(ROW) };

new_function *slot_new(size_t number)
{
    return slots[number].new;
}

get_params_function *slot_get_params(size_t number)
{
    return slots[number].get_params;
}
