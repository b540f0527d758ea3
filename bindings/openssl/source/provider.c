/* provider.c - the module: what OpenSSL asks first. */

#include "provider.h"
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/proverr.h>
#include <string.h>
#include <usuba.h>

OSSL_provider_init_fn OSSL_provider_init;

/* More than any kind has, with the two of the slot and the end. */
#define DISPATCH_ROWS 24

/* What OpenSSL needs of one algorithm for as long as the provider is there. */
struct entry {
    char names[NAME_BYTES];
    OSSL_DISPATCH dispatch[DISPATCH_ROWS];
};

/* A provider that was loaded. Several may be, for several library contexts. */
struct provider {
    struct entry *entries;
    /* Those of each operation, ended by a row of zeros. */
    OSSL_ALGORITHM *ciphers, *digests, *macs;
};

int succeeded(int result)
{
    switch (result) {
    case USUBA_OK:
        return 1;
    case USUBA_ERROR_NULL:
        ERR_raise(ERR_LIB_PROV, ERR_R_PASSED_NULL_PARAMETER);
        break;
    case USUBA_ERROR_LENGTH:
        ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_INPUT_LENGTH);
        break;
    case USUBA_ERROR_OVERLAP:
        ERR_raise_data(ERR_LIB_PROV, PROV_R_CIPHER_OPERATION_FAILED, "input and output overlap without being the same");
        break;
    case USUBA_ERROR_TAG:
        ERR_raise_data(ERR_LIB_PROV, PROV_R_INVALID_TAG, "the message is not authentic");
        break;
    default:
        ERR_raise(ERR_LIB_PROV, PROV_R_CIPHER_OPERATION_FAILED);
        break;
    }
    return 0;
}

int overlap(const void *a, size_t a_length, const void *b, size_t b_length)
{
    const uintptr_t a_start = (uintptr_t)a, b_start = (uintptr_t)b;
    return a_start < b_start + b_length && b_start < a_start + a_length;
}

static const OSSL_DISPATCH *functions_of(const struct algorithm *algorithm)
{
    switch (algorithm->primitive->kind) {
    case USUBA_KIND_BLOCK_CIPHER:
    case USUBA_KIND_CHAIN:
        return algorithm->mode == EVP_CIPH_ECB_MODE || algorithm->mode == EVP_CIPH_CBC_MODE ? block_functions
                                                                                              : feedback_functions;
    case USUBA_KIND_AEAD:
        return algorithm->mode == EVP_CIPH_GCM_MODE ? gcm_functions : aead_functions;
    case USUBA_KIND_HASH:
    case USUBA_KIND_XOF:
        return digest_functions;
    case USUBA_KIND_MAC:
        return mac_functions;
    default:
        return stream_functions;
    }
}

static void fill_entry(struct entry *entry, const struct algorithm *algorithm, size_t number)
{
    const OSSL_DISPATCH *functions = functions_of(algorithm);
    size_t rows = 0;
    int new_id = OSSL_FUNC_CIPHER_NEWCTX, get_params_id = OSSL_FUNC_CIPHER_GET_PARAMS;
    if (algorithm->operation == OSSL_OP_DIGEST) {
        new_id = OSSL_FUNC_DIGEST_NEWCTX;
        get_params_id = OSSL_FUNC_DIGEST_GET_PARAMS;
    } else if (algorithm->operation == OSSL_OP_MAC) {
        new_id = OSSL_FUNC_MAC_NEWCTX;
        get_params_id = OSSL_FUNC_MAC_GET_PARAMS;
    }
    algorithm_names(algorithm, entry->names, sizeof entry->names);
    entry->dispatch[rows].function_id = new_id;
    entry->dispatch[rows++].function = (void (*)(void))slot_new(number);
    entry->dispatch[rows].function_id = get_params_id;
    entry->dispatch[rows++].function = (void (*)(void))slot_get_params(number);
    /* The memory is zero: the last row is that of the end. */
    while (functions->function_id != 0 && rows + 1 < DISPATCH_ROWS)
        entry->dispatch[rows++] = *functions++;
}

static void provider_free(void *given)
{
    struct provider *provider = given;
    if (provider == NULL)
        return;
    OPENSSL_free(provider->entries);
    OPENSSL_free(provider->ciphers);
    OPENSSL_free(provider->digests);
    OPENSSL_free(provider->macs);
    OPENSSL_free(provider);
}

static struct provider *provider_new(void)
{
    struct provider *provider = OPENSSL_zalloc(sizeof *provider);
    struct algorithm algorithm;
    size_t count = 0, ciphers = 0, digests = 0, macs = 0, number;
    if (provider == NULL)
        return NULL;
    while (algorithm_at(count, &algorithm))
        count++;
    if (count > SLOTS) {
        ERR_raise_data(ERR_LIB_PROV, ERR_R_INTERNAL_ERROR, "the library has more algorithms than the provider has slots");
        provider_free(provider);
        return NULL;
    }
    provider->entries = OPENSSL_zalloc((count + 1) * sizeof *provider->entries);
    provider->ciphers = OPENSSL_zalloc((count + 1) * sizeof(OSSL_ALGORITHM));
    provider->digests = OPENSSL_zalloc((count + 1) * sizeof(OSSL_ALGORITHM));
    provider->macs = OPENSSL_zalloc((count + 1) * sizeof(OSSL_ALGORITHM));
    if (provider->entries == NULL || provider->ciphers == NULL || provider->digests == NULL || provider->macs == NULL) {
        provider_free(provider);
        return NULL;
    }
    for (number = 0; number < count && algorithm_at(number, &algorithm); number++) {
        struct entry *entry = provider->entries + number;
        OSSL_ALGORITHM *row = algorithm.operation == OSSL_OP_CIPHER ? provider->ciphers + ciphers++
            : algorithm.operation == OSSL_OP_DIGEST                 ? provider->digests + digests++
                                                                    : provider->macs + macs++;
        fill_entry(entry, &algorithm, number);
        row->algorithm_names = entry->names;
        row->property_definition = "provider=usuba";
        row->implementation = entry->dispatch;
    }
    return provider;
}

static const OSSL_ALGORITHM *query_operation(void *given, int operation, int *no_cache)
{
    const struct provider *provider = given;
    *no_cache = 0;
    switch (operation) {
    case OSSL_OP_CIPHER:
        return provider->ciphers;
    case OSSL_OP_DIGEST:
        return provider->digests;
    case OSSL_OP_MAC:
        return provider->macs;
    default:
        return NULL;
    }
}

static const OSSL_PARAM *gettable_params(void *provider)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_DEFN(OSSL_PROV_PARAM_NAME, OSSL_PARAM_UTF8_PTR, NULL, 0),
        OSSL_PARAM_DEFN(OSSL_PROV_PARAM_VERSION, OSSL_PARAM_UTF8_PTR, NULL, 0),
        OSSL_PARAM_DEFN(OSSL_PROV_PARAM_BUILDINFO, OSSL_PARAM_UTF8_PTR, NULL, 0),
        OSSL_PARAM_DEFN(OSSL_PROV_PARAM_STATUS, OSSL_PARAM_INTEGER, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)provider;
    return params;
}

static int get_params(void *provider, OSSL_PARAM params[])
{
    OSSL_PARAM *param;
    (void)provider;
    param = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_NAME);
    if (param != NULL && !OSSL_PARAM_set_utf8_ptr(param, "Usuba Provider"))
        return 0;
    param = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_VERSION);
    if (param != NULL && !OSSL_PARAM_set_utf8_ptr(param, usuba_version()))
        return 0;
    /* Which code runs here: what one wants to know first of a figure. */
    param = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_BUILDINFO);
    if (param != NULL && !OSSL_PARAM_set_utf8_ptr(param, usuba_target()))
        return 0;
    param = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_STATUS);
    return param == NULL || OSSL_PARAM_set_int(param, 1);
}

static const OSSL_DISPATCH provider_functions[] = {
    { OSSL_FUNC_PROVIDER_TEARDOWN, (void (*)(void))provider_free },
    { OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, (void (*)(void))gettable_params },
    { OSSL_FUNC_PROVIDER_GET_PARAMS, (void (*)(void))get_params },
    { OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query_operation },
    { 0, NULL },
};

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out,
    void **provider)
{
    (void)handle;
    (void)in;
    *provider = provider_new();
    *out = provider_functions;
    return *provider != NULL;
}
