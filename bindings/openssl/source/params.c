/* params.c - what all ciphers say of themselves. */

#include "provider.h"
#include <openssl/core_names.h>

const OSSL_PARAM *cipher_gettable_params(void *provider)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_uint(OSSL_CIPHER_PARAM_MODE, NULL),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_BLOCK_SIZE, NULL),
        OSSL_PARAM_int(OSSL_CIPHER_PARAM_AEAD, NULL),
        OSSL_PARAM_int(OSSL_CIPHER_PARAM_CUSTOM_IV, NULL),
        OSSL_PARAM_int(OSSL_CIPHER_PARAM_CTS, NULL),
        OSSL_PARAM_int(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK, NULL),
        OSSL_PARAM_int(OSSL_CIPHER_PARAM_HAS_RAND_KEY, NULL),
        OSSL_PARAM_END,
    };
    (void)provider;
    return params;
}

int cipher_get_params(const struct cipher_sizes *sizes, OSSL_PARAM params[])
{
    const struct {
        const char *name;
        int value;
    } flags[] = {
        { OSSL_CIPHER_PARAM_AEAD, sizes->aead },      { OSSL_CIPHER_PARAM_CUSTOM_IV, sizes->custom_iv },
        { OSSL_CIPHER_PARAM_CTS, 0 },                 { OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK, 0 },
        { OSSL_CIPHER_PARAM_HAS_RAND_KEY, 0 },
    };
    const struct {
        const char *name;
        size_t value;
    } numbers[] = {
        { OSSL_CIPHER_PARAM_KEYLEN, sizes->key },
        { OSSL_CIPHER_PARAM_IVLEN, sizes->iv },
        { OSSL_CIPHER_PARAM_BLOCK_SIZE, sizes->block },
    };
    OSSL_PARAM *param = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_MODE);
    size_t i;
    if (param != NULL && !OSSL_PARAM_set_uint(param, sizes->mode))
        return 0;
    for (i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        param = OSSL_PARAM_locate(params, flags[i].name);
        if (param != NULL && !OSSL_PARAM_set_int(param, flags[i].value))
            return 0;
    }
    for (i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        param = OSSL_PARAM_locate(params, numbers[i].name);
        if (param != NULL && !OSSL_PARAM_set_size_t(param, numbers[i].value))
            return 0;
    }
    return 1;
}
