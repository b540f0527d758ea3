/* Seals and opens a file with AES-256-GCM in records of 16 KiB, by generated code and by OpenSSL in turn: every byte and every
 * tag is compared, a record with a changed bit must be refused, and the best time of a record is said for both.
 *
 * usage: seal KEY IN OUT        (KEY: 64 hexadecimal digits; the nonce of a record is its number) */
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "usuba_aes_256_gcm.h"

enum { RECORD = 16384, TAG = USUBA_AES_256_GCM_TAG_BYTES, NONCE = USUBA_AES_256_GCM_NONCE_BYTES };

static const unsigned char header[] = "a record of the demonstration";

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void fail(const char *what)
{
    fprintf(stderr, "seal: %s\n", what);
    exit(1);
}

static int theirs(EVP_CIPHER_CTX *ctx, unsigned char *out, unsigned char *tag, const unsigned char *nonce,
    const unsigned char *in, int length)
{
    int n;
    return EVP_EncryptInit_ex2(ctx, NULL, NULL, nonce, NULL) == 1 &&
        EVP_EncryptUpdate(ctx, NULL, &n, header, sizeof header) == 1 && EVP_EncryptUpdate(ctx, out, &n, in, length) == 1 &&
        EVP_EncryptFinal_ex(ctx, out + n, &n) == 1 && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, TAG, tag) == 1;
}

int main(int count, char **arguments)
{
    static unsigned char plain[RECORD], sealed[RECORD + TAG], other[RECORD + TAG], opened[RECORD];
    unsigned char key[32];
    double best = 1e9, their_best = 1e9, opening_best = 1e9;
    unsigned long records = 0;
    size_t length, i;
    usuba_aes_256_gcm_ctx ctx;
    EVP_CIPHER_CTX *peer = EVP_CIPHER_CTX_new();
    FILE *in, *out;
    if (count != 4 || strlen(arguments[1]) != 64) {
        fprintf(stderr, "usage: seal KEY IN OUT\n");
        return 2;
    }
    for (i = 0; i < sizeof key; i++) {
        char digits[3] = { arguments[1][2 * i], arguments[1][2 * i + 1], 0 };
        key[i] = (unsigned char)strtoul(digits, NULL, 16);
    }
    in = fopen(arguments[2], "rb");
    out = fopen(arguments[3], "wb");
    if (in == NULL || out == NULL)
        fail("the files cannot be opened");
    if (usuba_aes_256_gcm_init(&ctx, key) != USUBA_OK || peer == NULL ||
        EVP_EncryptInit_ex2(peer, EVP_aes_256_gcm(), key, NULL, NULL) != 1)
        fail("the key is refused");
    while ((length = fread(plain, 1, RECORD, in)) > 0) {
        unsigned char nonce[NONCE] = { 0 };
        double start;
        for (i = 0; i < 8; i++)
            nonce[NONCE - 1 - i] = (unsigned char)((uint64_t)records >> (8 * i));
        start = now();
        if (usuba_aes_256_gcm_seal(&ctx, sealed, sealed + length, TAG, nonce, NONCE, header, sizeof header, plain, length) !=
            USUBA_OK)
            fail("a record is not sealed");
        if (length == RECORD && now() - start < best)
            best = now() - start;
        start = now();
        if (!theirs(peer, other, other + length, nonce, plain, (int)length))
            fail("OpenSSL does not seal a record");
        if (length == RECORD && now() - start < their_best)
            their_best = now() - start;
        if (memcmp(sealed, other, length + TAG) != 0)
            fail("a record is not what OpenSSL makes of it");
        start = now();
        if (usuba_aes_256_gcm_open(&ctx, opened, sealed + length, TAG, nonce, NONCE, header, sizeof header, sealed, length) !=
                USUBA_OK ||
            memcmp(opened, plain, length) != 0)
            fail("a record does not come back");
        if (length == RECORD && now() - start < opening_best)
            opening_best = now() - start;
        if (fwrite(sealed, 1, length + TAG, out) != length + TAG)
            fail("the output cannot be written");
        if (records++ == 0) {
            sealed[length / 2] ^= 1;
            if (usuba_aes_256_gcm_open(&ctx, opened, sealed + length, TAG, nonce, NONCE, header, sizeof header, sealed,
                    length) != USUBA_ERROR_TAG)
                fail("a record with a changed bit is not refused");
        }
    }
    usuba_aes_256_gcm_wipe(&ctx);
    EVP_CIPHER_CTX_free(peer);
    if (ferror(in) != 0 || fclose(in) != 0 || fclose(out) != 0)
        fail("reading or writing failed");
    printf("%lu records of %d bytes; at best %.2f us to seal and %.2f to open, %s %.2f to seal\n", records, RECORD, 1e6 * best,
        1e6 * opening_best, OpenSSL_version(OPENSSL_VERSION), 1e6 * their_best);
    return records == 0;
}
