/* modes.c - every cipher of the provider against the definition of its mode, and against OpenSSL's own cipher of the name.
 *
 * The arguments are the folder of the module and the names to ask, or none for all. What the definition is made of is the
 * cipher in ECB mode, one block a call; that this is right is for known answers to say. */

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 40000

static OSSL_LIB_CTX *ours, *theirs;
static const char *name;
static size_t at_length;

static void fail(const char *what)
{
    ERR_print_errors_fp(stderr);
    fprintf(stderr, "%s, %lu bytes: %s\n", name, (unsigned long)at_length, what);
    exit(1);
}

static void check(int good, const char *what)
{
    if (!good)
        fail(what);
}

/* An error that must be: it has a reason, and is forgotten. */
static void refused(int result, const char *what)
{
    check(result <= 0, what);
    check(ERR_peek_error() != 0, "an error without a reason");
    ERR_clear_error();
}

/* SplitMix64: what is tested should be the same every time. */
static uint64_t seed;

static uint64_t random_bits(void)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void random_bytes(unsigned char *bytes, size_t length)
{
    size_t i;
    for (i = 0; i < length; i++)
        bytes[i] = (unsigned char)random_bits();
}

/* Memory of exactly this size: sanitizers see what is touched beyond. */
static unsigned char *memory(size_t length)
{
    unsigned char *bytes = malloc(length > 0 ? length : 1);
    if (bytes == NULL)
        exit(2);
    return bytes;
}

struct cipher {
    EVP_CIPHER *cipher;
    /* ECB, one block at a time, for the definition. */
    EVP_CIPHER *ecb;
    size_t key_bytes, iv_bytes, block_bytes;
    /* Of the cipher itself, not of the mode. */
    size_t inner_bytes;
    int mode;
    unsigned char key[EVP_MAX_KEY_LENGTH], iv[EVP_MAX_IV_LENGTH];
};

/* ---- What the mode is by definition ---- */

/* Encrypts `length` bytes of `in`, padded where the mode is one of blocks. Returns the length of the output. */
static size_t defined(const struct cipher *cipher, unsigned char *out, const unsigned char *in, size_t length)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    const size_t block = cipher->inner_bytes;
    unsigned char chain[EVP_MAX_IV_LENGTH], text[EVP_MAX_IV_LENGTH], stream[EVP_MAX_IV_LENGTH];
    const int in_blocks = cipher->mode == EVP_CIPH_ECB_MODE || cipher->mode == EVP_CIPH_CBC_MODE;
    size_t done = 0, i;
    int bytes;
    check(EVP_EncryptInit_ex2(ctx, cipher->ecb, cipher->key, NULL, NULL), "init of ECB");
    EVP_CIPHER_CTX_set_padding(ctx, 0);
    memcpy(chain, cipher->iv, block);
    while (done < length || (in_blocks && done == length)) {
        const size_t left = length - done, here = left < block ? left : block;
        memset(text, (int)(block - here), block);
        memcpy(text, in + done, here);
        switch (cipher->mode) {
        case EVP_CIPH_CBC_MODE:
            for (i = 0; i < block; i++)
                text[i] ^= chain[i];
            /* fall through */
        case EVP_CIPH_ECB_MODE:
            check(EVP_EncryptUpdate(ctx, chain, &bytes, text, (int)block), "ECB");
            memcpy(out + done, chain, block);
            done += block;
            continue;
        case EVP_CIPH_CTR_MODE:
            check(EVP_EncryptUpdate(ctx, stream, &bytes, chain, (int)block), "ECB");
            for (i = block; i-- > 0 && ++chain[i] == 0;)
                ;
            break;
        default:
            check(EVP_EncryptUpdate(ctx, stream, &bytes, chain, (int)block), "ECB");
            memcpy(chain, stream, block);
            break;
        }
        for (i = 0; i < here; i++)
            out[done + i] = text[i] ^ stream[i];
        if (cipher->mode == EVP_CIPH_CFB_MODE)
            memcpy(chain, out + done, here);
        done += here;
    }
    EVP_CIPHER_CTX_free(ctx);
    return done;
}

/* ---- One way through a cipher ---- */

enum way { WHOLE, IN_PLACE, PIECES, COPIED, WAYS };

struct answer {
    unsigned char *bytes;
    size_t length;
    int result;
    /* Of all updates, what each returned. */
    uint64_t trace;
};

/* What was given so far goes on in a copy. */
static EVP_CIPHER_CTX *copied(EVP_CIPHER_CTX *ctx)
{
    EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
    check(EVP_CIPHER_CTX_copy(copy, ctx), "copy");
    EVP_CIPHER_CTX_free(ctx);
    return copy;
}

static struct answer through(EVP_CIPHER *evp, const struct cipher *cipher, int encrypt, int padding, enum way way,
    const unsigned char *in, size_t length, uint64_t pieces)
{
    struct answer answer = { memory(length + 2 * cipher->inner_bytes), 0, 1, 0 };
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    const unsigned char *from = in;
    size_t done = 0;
    int bytes = 0;
    answer.result = EVP_CipherInit_ex2(ctx, evp, cipher->key, cipher->iv_bytes > 0 ? cipher->iv : NULL, encrypt, NULL);
    check(answer.result, "init");
    check(EVP_CIPHER_CTX_set_padding(ctx, padding), "padding");
    if (way == IN_PLACE) {
        memcpy(answer.bytes, in, length);
        from = answer.bytes;
    }
    while (done < length && answer.result) {
        size_t piece = length - done;
        if (way == PIECES || way == COPIED) {
            const uint64_t wanted = pieces % (pieces >> 61 == 0 ? 2000 : 40) + 1;
            pieces = pieces * 6364136223846793005u + 1442695040888963407u;
            if (wanted < piece)
                piece = (size_t)wanted;
        }
        answer.result = EVP_CipherUpdate(ctx, answer.bytes + answer.length, &bytes, from + done, (int)piece);
        answer.length += (size_t)bytes;
        answer.trace = answer.trace * 1000003 + (uint64_t)bytes;
        done += piece;
        if (way == COPIED)
            ctx = copied(ctx);
    }
    bytes = 0;
    if (answer.result)
        answer.result = EVP_CipherFinal_ex(ctx, answer.bytes + answer.length, &bytes);
    answer.length += (size_t)bytes;
    answer.trace = answer.trace * 1000003 + (uint64_t)bytes;
    EVP_CIPHER_CTX_free(ctx);
    return answer;
}

static void equal(const struct answer *a, const unsigned char *bytes, size_t length, const char *what)
{
    check(a->result && a->length == length && memcmp(a->bytes, bytes, length) == 0, what);
}

static void one_length(const struct cipher *cipher, EVP_CIPHER *other, size_t length)
{
    static const char *const names[WAYS] = { "whole", "in place", "in pieces", "in pieces, copied" };
    unsigned char *plain = memory(length), *wanted = memory(length + cipher->inner_bytes);
    const int in_blocks = cipher->block_bytes > 1;
    const uint64_t pieces = random_bits();
    size_t size;
    enum way way;
    int padding;
    at_length = length;
    random_bytes(plain, length);
    size = defined(cipher, wanted, plain, length);
    for (padding = 1; padding >= 0; padding--) {
        /* Without padding the last block of the definition is left out; what is no whole block is refused. */
        const int even = !in_blocks || padding || length % cipher->block_bytes == 0;
        const size_t encrypted = in_blocks && !padding ? length / cipher->block_bytes * cipher->block_bytes : size;
        for (way = WHOLE; way < WAYS; way++) {
            struct answer made, back;
            /* In place, blocks need room that is not there. */
            made = through(cipher->cipher, cipher, 1, padding, way, plain, length, pieces);
            if (even)
                equal(&made, wanted, encrypted, names[way]);
            else
                refused(made.result, "a part of a block without padding");
            back = through(cipher->cipher, cipher, 0, padding, way, wanted, encrypted, pieces);
            equal(&back, plain, padding || !in_blocks ? length : encrypted, "decryption");
            if (other != NULL) {
                struct answer their_made = through(other, cipher, 1, padding, way, plain, length, pieces);
                struct answer their_back = through(other, cipher, 0, padding, way, wanted, encrypted, pieces);
                ERR_clear_error();
                check(made.result == their_made.result && made.trace == their_made.trace, "not as OpenSSL in its updates");
                if (even)
                    equal(&their_made, made.bytes, made.length, "not OpenSSL's ciphertext");
                equal(&their_back, back.bytes, back.length, "not OpenSSL's plaintext");
                check(back.trace == their_back.trace, "not as OpenSSL in updates of decryption");
                free(their_made.bytes);
                free(their_back.bytes);
            }
            free(made.bytes);
            free(back.bytes);
        }
    }
    /* Without padding, a part of a block at the end is refused also in decryption; with it, wrong padding. */
    if (in_blocks && length > 0) {
        struct answer back = through(cipher->cipher, cipher, 0, 1, WHOLE, wanted, size - 1, 0);
        refused(back.result, "a ciphertext of no whole blocks");
        free(back.bytes);
        wanted[size - 1] ^= 1;
        back = through(cipher->cipher, cipher, 0, 1, PIECES, wanted, size, pieces);
        if (other != NULL) {
            struct answer their_back = through(other, cipher, 0, 1, PIECES, wanted, size, pieces);
            check(back.result == their_back.result && back.length == their_back.length, "not OpenSSL's view of wrong padding");
            free(their_back.bytes);
        }
        if (!back.result)
            refused(back.result, "wrong padding");
        free(back.bytes);
    }
    free(plain);
    free(wanted);
}

/* ---- Contexts ---- */

static void same_number(int a, int b, const char *what)
{
    check(a == b, what);
}

/* IV and position after some bytes, then a beginning anew without IV: as OpenSSL does it. */
static void states(const struct cipher *cipher, EVP_CIPHER *other)
{
    unsigned char text[500], out[2][520], iv[2][EVP_MAX_IV_LENGTH];
    int round;
    random_bytes(text, sizeof text);
    for (round = 0; round < 40; round++) {
        EVP_CIPHER_CTX *ctx[2];
        const int encrypt = round % 2, first = (int)(random_bits() % 200), second = (int)(random_bits() % 200);
        int which, bytes, num[2];
        at_length = (size_t)first;
        for (which = 0; which < 2; which++) {
            ctx[which] = EVP_CIPHER_CTX_new();
            check(EVP_CipherInit_ex2(ctx[which], which ? other : cipher->cipher, cipher->key, cipher->iv, encrypt, NULL), "init");
            check(EVP_CipherUpdate(ctx[which], out[which], &bytes, text, first), "update");
            check(EVP_CIPHER_CTX_get_updated_iv(ctx[which], iv[which], sizeof iv[which]) || cipher->iv_bytes == 0, "the IV");
            num[which] = EVP_CIPHER_CTX_get_num(ctx[which]);
        }
        check(cipher->iv_bytes == 0 || memcmp(iv[0], iv[1], cipher->iv_bytes) == 0, "another IV than OpenSSL's");
        same_number(num[0], num[1], "another position than OpenSSL's");
        for (which = 0; which < 2; which++) {
            check(EVP_CIPHER_CTX_get_original_iv(ctx[which], iv[which], sizeof iv[which]) || cipher->iv_bytes == 0, "the IV");
            check(EVP_CipherInit_ex2(ctx[which], NULL, NULL, NULL, -1, NULL), "a beginning anew");
            memset(out[which], 0, sizeof out[which]);
            check(EVP_CipherUpdate(ctx[which], out[which], &bytes, text, second), "update after a beginning anew");
            EVP_CIPHER_CTX_free(ctx[which]);
        }
        check(cipher->iv_bytes == 0 || memcmp(iv[0], iv[1], cipher->iv_bytes) == 0, "another first IV than OpenSSL's");
        check(memcmp(out[0], out[1], sizeof out[0]) == 0, "not as OpenSSL after a beginning anew");
    }
}

static void misuse(const struct cipher *cipher)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    unsigned char text[2 * EVP_MAX_IV_LENGTH + 80] = { 0 }, out[sizeof text + 64];
    int bytes;
    size_t wrong = cipher->key_bytes + 1;
    OSSL_PARAM params[2] = { OSSL_PARAM_END, OSSL_PARAM_END };
    at_length = 0;
    params[0] = OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_KEYLEN, &wrong);
    /* Without a key. */
    check(EVP_CipherInit_ex2(ctx, cipher->cipher, NULL, NULL, 1, NULL), "init without a key");
    refused(EVP_EncryptUpdate(ctx, out, &bytes, text, 64), "an update without a key");
    refused(EVP_CipherInit_ex2(ctx, NULL, cipher->key, cipher->iv, 1, params), "a wrong length of the key");
    refused(EVP_CIPHER_CTX_set_key_length(ctx, (int)wrong), "a wrong length of the key");
    check(EVP_CIPHER_CTX_get_key_length(ctx) == (int)cipher->key_bytes, "the length of the key");
    /* Overlap that is not the same place. */
    check(EVP_CipherInit_ex2(ctx, NULL, cipher->key, cipher->iv, 1, NULL), "init after errors");
    memcpy(out, text, sizeof text);
    refused(EVP_EncryptUpdate(ctx, out + 1, &bytes, out, 64), "overlap");
    /* Pieces in place, whose second lies where the first is written. */
    if (cipher->block_bytes > 1) {
        check(EVP_CipherInit_ex2(ctx, NULL, cipher->key, cipher->iv, 1, NULL), "init");
        check(EVP_EncryptUpdate(ctx, out, &bytes, out, 3) && bytes == 0, "a first piece");
        refused(EVP_EncryptUpdate(ctx, out, &bytes, out, 64), "overlap of what is written with what is still read");
        /* Only the first block is written where others are read. */
        refused(EVP_EncryptUpdate(ctx, out + cipher->block_bytes - 2, &bytes, out, (int)(2 * cipher->block_bytes - 3)),
            "overlap of the first block");
    }
    EVP_CIPHER_CTX_free(ctx);
}

/* What OpenSSL's cipher is also called, ours is too. */
static void also(const char *alias, void *unused)
{
    EVP_CIPHER *found = EVP_CIPHER_fetch(ours, alias, "provider=usuba");
    (void)unused;
    if (found == NULL)
        fail(alias);
    check(strcmp(EVP_CIPHER_get0_name(found), name) == 0, "a name of two ciphers");
    EVP_CIPHER_free(found);
}

static void sizes(const struct cipher *cipher, EVP_CIPHER *other)
{
    const unsigned long told = EVP_CIPH_MODE | EVP_CIPH_FLAG_AEAD_CIPHER | EVP_CIPH_CUSTOM_IV | EVP_CIPH_FLAG_CTS;
    same_number(EVP_CIPHER_get_key_length(cipher->cipher), EVP_CIPHER_get_key_length(other), "another size of the key");
    same_number(EVP_CIPHER_get_iv_length(cipher->cipher), EVP_CIPHER_get_iv_length(other), "another size of the IV");
    same_number(EVP_CIPHER_get_block_size(cipher->cipher), EVP_CIPHER_get_block_size(other), "another size of a block");
    same_number(EVP_CIPHER_get_mode(cipher->cipher), EVP_CIPHER_get_mode(other), "another mode");
    check((EVP_CIPHER_get_flags(cipher->cipher) & told) == (EVP_CIPHER_get_flags(other) & told), "other flags");
}

/* ---- Authenticated encryption ---- */

/* Seals in pieces. The tag follows the ciphertext. */
static void seal(EVP_CIPHER *evp, const struct cipher *cipher, const unsigned char *ad, size_t ad_length,
    const unsigned char *in, size_t length, size_t piece, unsigned char *out)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    size_t done = 0;
    int bytes;
    check(EVP_EncryptInit_ex2(ctx, evp, cipher->key, cipher->iv, NULL), "init");
    check(EVP_EncryptUpdate(ctx, NULL, &bytes, ad, (int)ad_length), "associated data");
    ctx = copied(ctx);
    while (done < length) {
        const size_t here = length - done < piece ? length - done : piece;
        check(EVP_EncryptUpdate(ctx, out + done, &bytes, in + done, (int)here) && bytes == (int)here, "data");
        done += here;
    }
    check(EVP_EncryptFinal_ex(ctx, out + length, &bytes) && bytes == 0, "final");
    check(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, out + length), "the tag");
    EVP_CIPHER_CTX_free(ctx);
}

/* 1 if the message is authentic. The tag is set before or after the data. */
static int open_message(EVP_CIPHER *evp, const struct cipher *cipher, const unsigned char *ad, size_t ad_length,
    const unsigned char *in, size_t length, size_t piece, int tag_first, unsigned char *out)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    unsigned char tag[16];
    size_t done = 0;
    int bytes, result;
    memcpy(tag, in + length, sizeof tag);
    check(EVP_DecryptInit_ex2(ctx, evp, cipher->key, cipher->iv, NULL), "init");
    if (tag_first)
        check(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, tag), "the tag");
    check(EVP_DecryptUpdate(ctx, NULL, &bytes, ad, (int)ad_length), "associated data");
    while (done < length) {
        const size_t here = length - done < piece ? length - done : piece;
        if (!EVP_DecryptUpdate(ctx, out + done, &bytes, in + done, (int)here)) {
            EVP_CIPHER_CTX_free(ctx);
            return 0;
        }
        done += here;
    }
    if (!tag_first)
        check(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, tag), "the tag");
    result = EVP_DecryptFinal_ex(ctx, out + length, &bytes);
    EVP_CIPHER_CTX_free(ctx);
    return result > 0;
}

/* Nonces and tags of other sizes than the usual, as OpenSSL's own takes them. */
static void other_sizes(struct cipher *cipher, EVP_CIPHER *other)
{
    static const size_t nonces[] = { 1, 8, 11, 13, 16, 17, 64, 128 }, tags[] = { 4, 8, 12, 13, 14, 15, 16 };
    unsigned char nonce[128], plain[50], made[2][50], tag[2][16], back[50];
    size_t n, t, i;
    int bytes;
    random_bytes(nonce, sizeof nonce);
    random_bytes(plain, sizeof plain);
    for (n = 0; n < sizeof nonces / sizeof nonces[0]; n++) {
        for (t = 0; t < sizeof tags / sizeof tags[0]; t++) {
            EVP_CIPHER_CTX *ctx;
            for (i = 0; i < 2; i++) {
                ctx = EVP_CIPHER_CTX_new();
                check(EVP_EncryptInit_ex2(ctx, i == 0 ? cipher->cipher : other, cipher->key, NULL, NULL), "the key");
                check(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)nonces[n], NULL), "the size of a nonce");
                check(EVP_EncryptInit_ex2(ctx, NULL, NULL, nonce, NULL), "the nonce");
                check(EVP_EncryptUpdate(ctx, NULL, &bytes, nonce, 21), "associated data");
                check(EVP_EncryptUpdate(ctx, made[i], &bytes, plain, 19) && bytes == 19, "data");
                check(EVP_EncryptUpdate(ctx, made[i] + 19, &bytes, plain + 19, 31) && bytes == 31, "more data");
                check(EVP_EncryptFinal_ex(ctx, made[i], &bytes) && bytes == 0, "final");
                check(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, (int)tags[t], tag[i]), "a part of the tag");
                EVP_CIPHER_CTX_free(ctx);
            }
            check(memcmp(made[0], made[1], sizeof plain) == 0, "not OpenSSL's ciphertext");
            check(memcmp(tag[0], tag[1], tags[t]) == 0, "not OpenSSL's tag");
            ctx = EVP_CIPHER_CTX_new();
            check(EVP_DecryptInit_ex2(ctx, cipher->cipher, cipher->key, NULL, NULL), "the key");
            check(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)nonces[n], NULL), "the size of a nonce");
            check(EVP_DecryptInit_ex2(ctx, NULL, NULL, nonce, NULL), "the nonce");
            check(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, (int)tags[t], tag[1]), "a tag of this size");
            check(EVP_DecryptUpdate(ctx, NULL, &bytes, nonce, 21), "associated data");
            check(EVP_DecryptUpdate(ctx, back, &bytes, made[1], sizeof plain), "data");
            check(EVP_DecryptFinal_ex(ctx, back, &bytes) && memcmp(back, plain, sizeof plain) == 0, "the end");
            EVP_CIPHER_CTX_free(ctx);
        }
    }
}

static void aead(struct cipher *cipher, EVP_CIPHER *other)
{
    /* What OpenSSL has too takes data in pieces, and GCM; all else takes them at once. */
    const int is_gcm = EVP_CIPHER_get_mode(cipher->cipher) == EVP_CIPH_GCM_MODE, streams = other != NULL || is_gcm;
    size_t length;
    if (is_gcm && other != NULL)
        other_sizes(cipher, other);
    for (length = 0; length <= 3000; length += length < 300 ? 1 : 337) {
        const size_t ad_length = (size_t)(random_bits() % 40), piece = streams ? random_bits() % 70 + 1 : LONGEST;
        unsigned char *ad = memory(ad_length), *plain = memory(length), *sealed = memory(length + 16);
        unsigned char *theirs_sealed = memory(length + 16), *back = memory(length), *zeros = memory(length);
        at_length = length;
        random_bytes(cipher->key, cipher->key_bytes);
        random_bytes(cipher->iv, cipher->iv_bytes);
        random_bytes(ad, ad_length);
        random_bytes(plain, length);
        memset(zeros, 0, length);
        seal(cipher->cipher, cipher, ad, ad_length, plain, length, piece, sealed);
        check(open_message(cipher->cipher, cipher, ad, ad_length, sealed, length, piece, 1, back), "an authentic message");
        check(memcmp(back, plain, length) == 0, "the plaintext");
        if (other != NULL) {
            seal(other, cipher, ad, ad_length, plain, length, LONGEST, theirs_sealed);
            check(memcmp(sealed, theirs_sealed, length + 16) == 0, "not OpenSSL's ciphertext and tag");
        }
        if (streams) {
            check(open_message(cipher->cipher, cipher, ad, ad_length, sealed, length, piece, 0, back), "the tag at the end");
            check(memcmp(back, plain, length) == 0, "the plaintext with the tag at the end");
            memcpy(theirs_sealed, sealed, length + 16);
            check(open_message(cipher->cipher, cipher, ad, ad_length, theirs_sealed, length, piece, 1, theirs_sealed), "in place");
            check(memcmp(theirs_sealed, plain, length) == 0, "the plaintext in place");
        } else if (length > 0) {
            /* Without the tag there is no plaintext; with it, it goes on. */
            EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
            int bytes;
            check(EVP_DecryptInit_ex2(ctx, cipher->cipher, cipher->key, cipher->iv, NULL), "init");
            check(EVP_DecryptUpdate(ctx, NULL, &bytes, ad, (int)ad_length), "associated data");
            refused(EVP_DecryptUpdate(ctx, back, &bytes, sealed, (int)length), "no tag before the data");
            ctx = copied(ctx);
            check(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, sealed + length), "the tag");
            check(EVP_DecryptUpdate(ctx, back, &bytes, sealed, (int)length), "the data after the tag");
            check(EVP_DecryptFinal_ex(ctx, back, &bytes) && memcmp(back, plain, length) == 0, "the end");
            EVP_CIPHER_CTX_free(ctx);
        }
        sealed[random_bits() % (length + 16)] ^= (unsigned char)(1u << random_bits() % 8);
        memset(back, 0, length);
        refused(open_message(cipher->cipher, cipher, ad, ad_length, sealed, length, piece, 1, back), "what was tampered with");
        if (!streams)
            check(memcmp(back, zeros, length) == 0, "plaintext that is not authentic");
        free(ad), free(plain), free(sealed), free(theirs_sealed), free(back), free(zeros);
    }
    {
        /* A second piece of data where all must come at once, a tag of another size, a tag to encrypt with. */
        EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
        unsigned char text[64] = { 0 }, tag[16] = { 0 };
        int bytes;
        at_length = 0;
        check(EVP_EncryptInit_ex2(ctx, cipher->cipher, cipher->key, cipher->iv, NULL), "init");
        refused(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, tag), "a tag to encrypt with");
        check(EVP_EncryptUpdate(ctx, text, &bytes, text, 20), "data");
        if (!streams)
            refused(EVP_EncryptUpdate(ctx, text, &bytes, text, 20), "more data");
        refused(EVP_EncryptUpdate(ctx, NULL, &bytes, text, 20), "associated data after the data");
        check(EVP_DecryptInit_ex2(ctx, cipher->cipher, cipher->key, cipher->iv, NULL), "init");
        refused(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, is_gcm ? 11 : 12, tag), "a short tag");
        refused(EVP_DecryptFinal_ex(ctx, text, &bytes), "no tag at all");
        EVP_CIPHER_CTX_free(ctx);
    }
}

/* ---- All of them ---- */

static unsigned asked, compared;

static void cipher(EVP_CIPHER *evp, void *unused)
{
    struct cipher cipher = { 0 };
    EVP_CIPHER *other;
    char ecb[96];
    size_t length;
    (void)unused;
    name = EVP_CIPHER_get0_name(evp);
    at_length = 0;
    seed = EVP_CIPHER_get_key_length(evp) + 1000u * (unsigned)EVP_CIPHER_get_mode(evp);
    other = EVP_CIPHER_fetch(theirs, name, NULL);
    ERR_clear_error();
    cipher.cipher = evp;
    cipher.mode = EVP_CIPHER_get_mode(evp);
    cipher.key_bytes = (size_t)EVP_CIPHER_get_key_length(evp);
    cipher.iv_bytes = (size_t)EVP_CIPHER_get_iv_length(evp);
    cipher.block_bytes = cipher.inner_bytes = (size_t)EVP_CIPHER_get_block_size(evp);
    random_bytes(cipher.key, sizeof cipher.key);
    random_bytes(cipher.iv, sizeof cipher.iv);
    if (other != NULL) {
        sizes(&cipher, other);
        check(EVP_CIPHER_names_do_all(other, also, NULL), "names");
    }
    if (EVP_CIPHER_get_flags(evp) & EVP_CIPH_FLAG_AEAD_CIPHER) {
        aead(&cipher, other);
    } else if (cipher.mode == EVP_CIPH_STREAM_CIPHER) {
        /* There is no definition at hand but OpenSSL's; others have known answers, and their pieces are compared here. */
        unsigned char *plain = memory(LONGEST);
        struct answer whole;
        random_bytes(plain, LONGEST);
        for (length = 0; length <= LONGEST; length += length < 300 ? 1 : 7001) {
            enum way way;
            at_length = length;
            /* A counter that overflows on the way. */
            if (length % 3 == 0)
                memset(cipher.iv, 0xff, 4);
            if (length % 5 == 0)
                cipher.iv[0] = 0xfd;
            whole = through(other != NULL ? other : evp, &cipher, 1, 1, WHOLE, plain, length, 0);
            for (way = WHOLE; way < WAYS; way++) {
                struct answer made = through(evp, &cipher, (int)(length & 1), 1, way, plain, length, random_bits());
                equal(&made, whole.bytes, whole.length, "not the same in pieces, or not OpenSSL's");
                free(made.bytes);
            }
            free(whole.bytes);
        }
        free(plain);
        misuse(&cipher);
    } else {
        snprintf(ecb, sizeof ecb, "%s", name);
        if (strlen(ecb) < 3)
            fail("a name without a mode");
        memcpy(ecb + strlen(ecb) - 3, "ECB", 3);
        cipher.ecb = EVP_CIPHER_fetch(ours, ecb, NULL);
        check(cipher.ecb != NULL, "no ECB");
        cipher.inner_bytes = (size_t)EVP_CIPHER_get_block_size(cipher.ecb);
        for (length = 0; length <= 300; length++)
            one_length(&cipher, other, length);
        one_length(&cipher, other, 4096);
        one_length(&cipher, other, 8193);
        if (cipher.mode == EVP_CIPH_CTR_MODE) {
            memset(cipher.iv, 0xff, sizeof cipher.iv);
            cipher.iv[cipher.iv_bytes - 1] = 0xe9;
            one_length(&cipher, other, 1000);
        }
        one_length(&cipher, other, LONGEST);
        if (other != NULL)
            states(&cipher, other);
        misuse(&cipher);
        EVP_CIPHER_free(cipher.ecb);
    }
    asked++;
    compared += other != NULL;
    printf("%-28s %s\n", name, other != NULL ? "as OpenSSL's" : "as defined");
    fflush(stdout);
    EVP_CIPHER_free(other);
}

int main(int count, char **arguments)
{
    OSSL_PROVIDER *loaded[3];
    int i;
    ours = OSSL_LIB_CTX_new();
    theirs = OSSL_LIB_CTX_new();
    if (count < 2 || !OSSL_PROVIDER_set_default_search_path(ours, arguments[1])) {
        fprintf(stderr, "usage: modes FOLDER [NAME…]\n");
        return 2;
    }
    loaded[0] = OSSL_PROVIDER_load(ours, "usuba");
    loaded[1] = OSSL_PROVIDER_load(theirs, "default");
    /* It has single DES. */
    loaded[2] = OSSL_PROVIDER_load(theirs, "legacy");
    ERR_clear_error();
    if (loaded[0] == NULL || loaded[1] == NULL) {
        ERR_print_errors_fp(stderr);
        return 2;
    }
    if (count == 2)
        EVP_CIPHER_do_all_provided(ours, cipher, NULL);
    for (i = 2; i < count; i++) {
        EVP_CIPHER *evp = EVP_CIPHER_fetch(ours, arguments[i], "provider=usuba");
        name = arguments[i];
        check(evp != NULL, "there is no such cipher");
        cipher(evp, NULL);
        EVP_CIPHER_free(evp);
    }
    printf("%u ciphers, %u of them also OpenSSL's\n", asked, compared);
    for (i = 0; i < 3; i++)
        OSSL_PROVIDER_unload(loaded[i]);
    OSSL_LIB_CTX_free(ours);
    OSSL_LIB_CTX_free(theirs);
    return 0;
}
