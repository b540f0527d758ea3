/* vectors.c - known answers through the provider, by libcrypto. The argument is the folder of the module. */

#include "lines.h"
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

static OSSL_LIB_CTX *context;

static void check(const struct line *line, int good, const char *what)
{
    if (!good) {
        ERR_print_errors_fp(stderr);
        fail(line, what);
    }
}

static EVP_CIPHER *cipher_of(const struct line *line, const char *mode)
{
    char name[96];
    EVP_CIPHER *cipher;
    snprintf(name, sizeof name, "%s%s", line->name, mode);
    cipher = EVP_CIPHER_fetch(context, name, "provider=usuba");
    check(line, cipher != NULL, "no such cipher");
    return cipher;
}

/* Without padding, from `in` to `out`, all at once. */
static void run(const struct line *line, EVP_CIPHER *cipher, int encrypt, const struct field *key, const struct field *iv,
    const struct field *in, const struct field *out)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    unsigned char *found = memory(NULL, in->length + (size_t)EVP_CIPHER_get_block_size(cipher));
    int length = 0, last = 0;
    check(line, (size_t)EVP_CIPHER_get_key_length(cipher) == key->length, "another size of the key");
    check(line, (size_t)EVP_CIPHER_get_iv_length(cipher) == iv->length, "another size of the IV");
    check(line, EVP_CipherInit_ex2(ctx, cipher, key->bytes, iv->length > 0 ? iv->bytes : NULL, encrypt, NULL), "init");
    EVP_CIPHER_CTX_set_padding(ctx, 0);
    check(line, EVP_CipherUpdate(ctx, found, &length, in->bytes, (int)in->length), "update");
    check(line, EVP_CipherFinal_ex(ctx, found + length, &last), "final");
    compare(line, found, (size_t)(length + last), out, encrypt ? "a wrong ciphertext" : "a wrong plaintext");
    EVP_CIPHER_CTX_free(ctx);
    free(found);
}

static void both(const struct line *line, const char *mode, const struct field *key, const struct field *iv,
    const struct field *in, const struct field *out)
{
    EVP_CIPHER *cipher = cipher_of(line, mode);
    run(line, cipher, 1, key, iv, in, out);
    run(line, cipher, 0, key, iv, out, in);
    EVP_CIPHER_free(cipher);
}

/* Again and again in one context; and back in another. */
static void chain(const struct line *line)
{
    const struct field *key = line->fields, *start = line->fields + 1, *last = line->fields + 3;
    const unsigned long long iterations = number_of(line->fields + 2);
    EVP_CIPHER *cipher = cipher_of(line, "-ECB");
    unsigned char *found = memory(start->bytes, start->length);
    int encrypt, length;
    unsigned long long i;
    for (encrypt = 1; encrypt >= 0; encrypt--) {
        EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
        check(line, EVP_CipherInit_ex2(ctx, cipher, key->bytes, NULL, encrypt, NULL), "init");
        EVP_CIPHER_CTX_set_padding(ctx, 0);
        for (i = 0; i < iterations; i++)
            check(line, EVP_CipherUpdate(ctx, found, &length, found, (int)start->length) && length == (int)start->length,
                "update");
        compare(line, found, start->length, encrypt ? last : start, "a wrong block in the end");
        EVP_CIPHER_CTX_free(ctx);
    }
    EVP_CIPHER_free(cipher);
    free(found);
}

static void stream(const struct line *line)
{
    const struct field *nonce = line->fields + 1, *counter = line->fields + 2;
    EVP_CIPHER *cipher = cipher_of(line, "");
    const size_t digits = (size_t)EVP_CIPHER_get_iv_length(cipher) - nonce->length;
    struct field iv = { memory(NULL, digits + nonce->length), digits + nonce->length };
    check(line, digits <= counter->length, "another size of the counter");
    memcpy(iv.bytes, counter->bytes, digits);
    memcpy(iv.bytes + digits, nonce->bytes, nonce->length);
    EVP_CIPHER_free(cipher);
    both(line, "", line->fields, &iv, line->fields + 3, line->fields + 4);
    free(iv.bytes);
}

/* The result of the last of: init, tag, associated data, data, final. */
static int open_message(EVP_CIPHER *cipher, const struct field *key, const struct field *nonce, const struct field *ad,
    const struct field *in, const struct field *tag, unsigned char *out)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int length = 0, last = 0;
    const int result = EVP_DecryptInit_ex2(ctx, cipher, key->bytes, nonce->bytes, NULL) &&
        EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, (int)tag->length, tag->bytes) &&
        (ad->length == 0 || EVP_DecryptUpdate(ctx, NULL, &length, ad->bytes, (int)ad->length)) &&
        (in->length == 0 || EVP_DecryptUpdate(ctx, out, &length, in->bytes, (int)in->length)) &&
        EVP_DecryptFinal_ex(ctx, out, &last) && last == 0;
    EVP_CIPHER_CTX_free(ctx);
    return result;
}

/* A message that was refused. That of ChaCha20-Poly1305 may come in pieces, as from OpenSSL's own, and what came of a
 * piece is out before the tag is looked at. */
static void check_refused(const struct line *line, const unsigned char *found, size_t length)
{
    if (strcmp(line->name, "CHACHA20-POLY1305") != 0)
        released_nothing(line, found, length);
    ERR_clear_error();
}

static void aead(const struct line *line)
{
    const struct field *key = line->fields, *nonce = line->fields + 1, *ad = line->fields + 2, *in = line->fields + 3;
    EVP_CIPHER *cipher = cipher_of(line, "");
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    const size_t length = in->length;
    const struct field out = { line->fields[4].bytes, length }, tag = { out.bytes + length, line->fields[4].length - length };
    unsigned char *found = memory(NULL, length), *made = memory(NULL, tag.length), *byte[5];
    size_t lengths[5], i;
    int part = 0, last = 0;
    check(line, (EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0, "it does not say that it authenticates");
    check(line, EVP_EncryptInit_ex2(ctx, cipher, key->bytes, nonce->bytes, NULL), "init");
    check(line, (size_t)EVP_CIPHER_CTX_get_tag_length(ctx) == tag.length, "another size of the tag");
    /* Associated data in two pieces. */
    check(line, EVP_EncryptUpdate(ctx, NULL, &part, ad->bytes, (int)(ad->length / 2)), "associated data");
    check(line, EVP_EncryptUpdate(ctx, NULL, &part, ad->bytes + ad->length / 2, (int)(ad->length - ad->length / 2)),
        "the rest of the associated data");
    part = 0;
    if (length > 0)
        check(line, EVP_EncryptUpdate(ctx, found, &part, in->bytes, (int)length), "data");
    check(line, !EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, (int)tag.length, made), "a tag before the end");
    ERR_clear_error();
    check(line, EVP_EncryptFinal_ex(ctx, found + part, &last) && last == 0, "final");
    compare(line, found, (size_t)part, &out, "a wrong ciphertext");
    check(line, EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, (int)tag.length, made), "the tag");
    compare(line, made, tag.length, &tag, "a wrong tag");
    check(line, !EVP_EncryptUpdate(ctx, found, &part, in->bytes, (int)length) || length == 0, "a message after the last");
    check(line, !EVP_EncryptInit_ex2(ctx, NULL, NULL, NULL, NULL) || !EVP_EncryptFinal_ex(ctx, found, &last),
        "a message under the IV of another");
    ERR_clear_error();
    EVP_CIPHER_CTX_free(ctx);
    check(line, open_message(cipher, key, nonce, ad, &out, &tag, found), "an authentic message was refused");
    compare(line, found, length, in, "a wrong plaintext");
    /* One bit of each of key, nonce, associated data, ciphertext and tag. */
    byte[0] = key->bytes, lengths[0] = key->length;
    byte[1] = nonce->bytes, lengths[1] = nonce->length;
    byte[2] = ad->bytes, lengths[2] = ad->length;
    byte[3] = out.bytes, lengths[3] = length;
    byte[4] = tag.bytes, lengths[4] = tag.length;
    for (i = 0; i < 5; i++) {
        unsigned char *changed = byte[i] + line->number % (lengths[i] > 0 ? lengths[i] : 1);
        if (lengths[i] == 0)
            continue;
        *changed ^= (unsigned char)(1u << line->number % 8);
        memset(found, FRESH, length);
        check(line, !open_message(cipher, key, nonce, ad, &out, &tag, found), "a message that was tampered with");
        check_refused(line, found, length);
        *changed ^= (unsigned char)(1u << line->number % 8);
    }
    EVP_CIPHER_free(cipher);
    free(found);
    free(made);
}

/* A message that is not authentic. */
static void forged(const struct line *line)
{
    EVP_CIPHER *cipher = cipher_of(line, "");
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    const struct field *sealed = line->fields + 3;
    struct field in = *sealed, tag;
    unsigned char *found;
    check(line, EVP_DecryptInit_ex2(ctx, cipher, line->fields->bytes, line->fields[1].bytes, NULL), "init");
    tag.length = (size_t)EVP_CIPHER_CTX_get_tag_length(ctx);
    check(line, sealed->length >= tag.length, "it is shorter than a tag");
    in.length -= tag.length;
    tag.bytes = sealed->bytes + in.length;
    found = memory(NULL, in.length);
    memset(found, FRESH, in.length);
    check(line, !open_message(cipher, line->fields, line->fields + 1, line->fields + 2, &in, &tag, found), "it was accepted");
    check_refused(line, found, in.length);
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
    free(found);
}

/* A nonce of a size that there is not. */
static void impossible(const struct line *line)
{
    const struct field *nonce = line->fields + 1;
    EVP_CIPHER *cipher = cipher_of(line, "");
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    check(line, (size_t)EVP_CIPHER_get_iv_length(cipher) != nonce->length, "its nonce is as long as others");
    check(line, EVP_DecryptInit_ex2(ctx, cipher, NULL, NULL, NULL), "init");
    check(line, EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)nonce->length, NULL) <= 0, "its nonce was accepted");
    ERR_clear_error();
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
}

static void digest(const struct line *line, const struct field *in, const struct field *out, int is_xof)
{
    EVP_MD *function = EVP_MD_fetch(context, line->name, "provider=usuba");
    EVP_MD_CTX *ctx = EVP_MD_CTX_new(), *copy = EVP_MD_CTX_new();
    unsigned char *found = memory(NULL, out->length);
    const size_t half = in->length / 2;
    int pass;
    check(line, function != NULL, "no such function");
    check(line, is_xof == ((EVP_MD_get_flags(function) & EVP_MD_FLAG_XOF) != 0), "its output is of another kind");
    check(line, is_xof || (size_t)EVP_MD_get_size(function) == out->length, "another size of the digest");
    check(line, EVP_DigestInit_ex2(ctx, function, NULL), "init");
    check(line, EVP_DigestUpdate(ctx, in->bytes, half), "update");
    /* The copy, then the original. */
    check(line, EVP_MD_CTX_copy_ex(copy, ctx), "copy");
    for (pass = 0; pass < 2; pass++) {
        EVP_MD_CTX *one = pass == 0 ? copy : ctx;
        check(line, EVP_DigestUpdate(one, in->bytes + half, in->length - half), "the rest");
        memset(found, 0, out->length);
        if (is_xof)
            check(line, EVP_DigestFinalXOF(one, found, out->length), "final");
        else
            check(line, EVP_DigestFinal_ex(one, found, NULL), "final");
        compare(line, found, out->length, out, "a wrong digest");
    }
    EVP_MD_CTX_free(ctx);
    EVP_MD_CTX_free(copy);
    EVP_MD_free(function);
    free(found);
}

static void mac(const struct line *line)
{
    const struct field *key = line->fields, *in = line->fields + 1, *out = line->fields + 2;
    EVP_MAC *function = EVP_MAC_fetch(context, line->name, "provider=usuba");
    EVP_MAC_CTX *ctx, *copy;
    unsigned char *found = memory(NULL, out->length);
    size_t length = 0;
    check(line, function != NULL, "no such function");
    ctx = EVP_MAC_CTX_new(function);
    check(line, EVP_MAC_CTX_get_mac_size(ctx) == out->length, "another size of the tag");
    check(line, !EVP_MAC_init(ctx, key->bytes, key->length - 1, NULL), "a short key");
    ERR_clear_error();
    check(line, EVP_MAC_init(ctx, key->bytes, key->length, NULL), "init");
    check(line, EVP_MAC_update(ctx, in->bytes, in->length / 2), "update");
    copy = EVP_MAC_CTX_dup(ctx);
    check(line, EVP_MAC_update(ctx, in->bytes + in->length / 2, in->length - in->length / 2), "the rest");
    check(line, EVP_MAC_final(ctx, found, &length, out->length), "final");
    compare(line, found, length, out, "a wrong tag");
    check(line, EVP_MAC_update(copy, in->bytes + in->length / 2, in->length - in->length / 2), "the rest for the copy");
    check(line, EVP_MAC_final(copy, found, &length, out->length), "final of the copy");
    compare(line, found, length, out, "a wrong tag of the copy");
    EVP_MAC_CTX_free(ctx);
    EVP_MAC_CTX_free(copy);
    EVP_MAC_free(function);
    free(found);
}

int main(int count, char **arguments)
{
    struct line line;
    unsigned long lines = 0;
    OSSL_PROVIDER *provider;
    const struct field none = { NULL, 0 };
    context = OSSL_LIB_CTX_new();
    if (count != 2 || context == NULL || !OSSL_PROVIDER_set_default_search_path(context, arguments[1]) ||
        (provider = OSSL_PROVIDER_load(context, "usuba")) == NULL) {
        ERR_print_errors_fp(stderr);
        return 2;
    }
    while (next_line(&line)) {
        const struct field *fields = line.fields;
        if (asks(&line, "encrypt", 4))
            both(&line, "-ECB", fields, &none, fields + 2, fields + 3);
        else if (asks(&line, "decrypt", 4))
            both(&line, "-ECB", fields, &none, fields + 3, fields + 2);
        else if (asks(&line, "counter", 4))
            both(&line, "-CTR", fields, fields + 1, fields + 2, fields + 3);
        else if (asks(&line, "chain", 4))
            chain(&line);
        else if (asks(&line, "stream", 5))
            stream(&line);
        else if (asks(&line, "aead", 5))
            aead(&line);
        else if (asks(&line, "refused", 4))
            forged(&line);
        else if (asks(&line, "impossible", 4))
            impossible(&line);
        else if (asks(&line, "hash", 2))
            digest(&line, fields, fields + 1, 0);
        else if (asks(&line, "xof", 3))
            digest(&line, fields + 1, fields + 2, 1);
        else if (asks(&line, "mac", 3))
            mac(&line);
        else
            fail(&line, "nothing that is known");
        line_free(&line);
        lines++;
    }
    OSSL_PROVIDER_unload(provider);
    OSSL_LIB_CTX_free(context);
    printf("%lu\n", lines);
    return 0;
}
