/* tls.c - records of TLS and DTLS that a cipher gets whole: RFC 5246, section 6.2.3.
 *
 * OpenSSL gives a cipher in CBC its version and the size of the MAC, and then a record with each update. What is decrypted has an
 * IV of its own before the data, the MAC behind them and padding behind that. Where the MAC lies is a secret until it has been
 * compared: nothing here takes a time, or looks at an address, that depends on it. */

#include "provider.h"
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/proverr.h>
#include <openssl/ssl3.h>
#include <openssl/tls1.h>
#include <string.h>

/* The longest padding, its length included. */
#define PADDING_BYTES 256

/* Compilers must not know that a mask has two values only. */
static size_t hidden(size_t mask)
{
#if defined(__GNUC__) || defined(__clang__)
    __asm__("" : "+r"(mask));
#endif
    return mask;
}

/* All bits if a >= b, else none; both are below half of what fits. */
static size_t at_least(size_t a, size_t b)
{
    return hidden(((a - b) >> (8 * sizeof a - 1)) - 1);
}

int tls_set_params(struct tls_records *tls, const OSSL_PARAM params[])
{
    const OSSL_PARAM *param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_TLS_VERSION);
    unsigned version;
    size_t size;
    if (param != NULL) {
        if (!OSSL_PARAM_get_uint(param, &version)) {
            ERR_raise(ERR_LIB_PROV, PROV_R_FAILED_TO_GET_PARAMETER);
            return 0;
        }
        switch (version) {
        case 0:
        case TLS1_VERSION:
            tls->with_iv = 0;
            break;
        case TLS1_1_VERSION:
        case TLS1_2_VERSION:
        case DTLS1_VERSION:
        case DTLS1_2_VERSION:
            tls->with_iv = 1;
            break;
        default:
            ERR_raise_data(ERR_LIB_PROV, PROV_R_INVALID_DATA, "records of this version are not served");
            return 0;
        }
        tls->version = version;
    }
    param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_TLS_MAC_SIZE);
    if (param != NULL) {
        if (!OSSL_PARAM_get_size_t(param, &size) || size > sizeof tls->mac) {
            ERR_raise(ERR_LIB_PROV, PROV_R_FAILED_TO_GET_PARAMETER);
            return 0;
        }
        tls->mac_bytes = size;
    }
    return 1;
}

int tls_take(struct tls_records *tls, size_t block, const unsigned char *data, size_t *length)
{
    const size_t mac_bytes = tls->mac_bytes;
    unsigned char found[EVP_MAX_MD_SIZE] = { 0 };
    size_t all = *length, padding, good, end, first, turned = 0, i, j;
    if (tls->with_iv) {
        if (all < block)
            return 0;
        data += block;
        all -= block;
    }
    if (all < mac_bytes + 1)
        return 0;
    /* The last byte says how many like it are before it. */
    padding = data[all - 1];
    good = at_least(all, mac_bytes + 1 + padding);
    for (i = 0; i < PADDING_BYTES && i < all; i++)
        good &= ~(at_least(padding, i) & (0 - (size_t)((padding ^ data[all - 1 - i]) != 0)));
    good = hidden(good);
    end = all - (good & (padding + 1)) - mac_bytes;
    *length = end;
    if (mac_bytes == 0)
        return good != 0;
    /* The MAC, turned by where it begins: byte by byte of all places where it may lie. */
    first = all > mac_bytes + PADDING_BYTES ? all - mac_bytes - PADDING_BYTES : 0;
    for (i = first, j = 0; i < all; i++) {
        const size_t from = at_least(i, end), inside = from & ~at_least(i, end + mac_bytes);
        found[j] |= (unsigned char)(data[i] & inside);
        turned |= j & from & ~at_least(i, end + 1);
        j = j + 1 == mac_bytes ? 0 : j + 1;
    }
    /* Back. With wrong padding it is zeros, which is no MAC. */
    for (i = 0; i < mac_bytes; i++) {
        size_t place = turned + i, byte = 0;
        place -= mac_bytes & at_least(place, mac_bytes);
        for (j = 0; j < mac_bytes; j++)
            byte |= found[j] & at_least(j, place) & at_least(place, j);
        tls->mac[i] = (unsigned char)(byte & good);
    }
    return 1;
}

int tls_begin(struct tls_record *record, const OSSL_PARAM *param, int encrypting, size_t nonce_bytes, size_t tag_bytes)
{
    const size_t around = nonce_bytes + (encrypting ? 0 : tag_bytes);
    size_t length;
    if (param->data_type != OSSL_PARAM_OCTET_STRING || param->data == NULL || param->data_size != sizeof record->ad) {
        ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_DATA);
        return 0;
    }
    memcpy(record->ad, param->data, sizeof record->ad);
    length = (size_t)record->ad[11] << 8 | record->ad[12];
    if (length < around) {
        ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_DATA);
        return 0;
    }
    /* What is authenticated is the length of the text. */
    length -= around;
    record->ad[11] = (unsigned char)(length >> 8);
    record->ad[12] = (unsigned char)length;
    record->length = length;
    record->begun = 1;
    return 1;
}
