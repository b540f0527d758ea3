/* streams.c - messages that are encrypted by a key stream, beside other libraries: ticks of the time-stamp counter of one message,
 * by libraries of this tree, OpenSSL, libsodium and libgcrypt, by turns in one process.
 *
 * usage: streams NAME=OBJECT…   (shared libraries of this tree, such as before= and after= a change)
 * The environment says which code is measured: USUBA_TARGET, OPENSSL_ia32cap, and GCRYPT_WITHOUT, a name of libgcrypt. Of
 * ChaCha20-Poly1305 and ChaCha20 the key and the nonce are set for each message, of AES in counter mode the counter. Every output
 * is compared with that of the first library before anything is timed. x86-64 only. */
#define _GNU_SOURCE
#include "timing.h"
#include <dlfcn.h>
#include <gcrypt.h>
#include <openssl/evp.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 16384, AD = 16, WAYS = 12, CALLS = 16, CASE_SAMPLES = 500,
    /* More than any library needs for a key of AES. */
    CONTEXT = 1 << 14 };

/* What is used of a library of this tree. */
struct library {
    int (*chacha20_xor)(const unsigned char *, const unsigned char *, uint32_t, unsigned char *, const unsigned char *, size_t);
    int (*seal)(unsigned char *, unsigned char *, const unsigned char *, const unsigned char *, const unsigned char *, size_t,
        const unsigned char *, size_t);
    int (*open)(unsigned char *, const unsigned char *, const unsigned char *, const unsigned char *, const unsigned char *, size_t,
        const unsigned char *, size_t);
    int (*aes_128_init)(void *, const unsigned char *);
    int (*aes_128_ctr_xor)(const void *, unsigned char *, unsigned char *, const unsigned char *, size_t);
    const char *(*target)(void);
    void *aes_128;
};

/* A library, and how it does what is measured. */
struct way {
    const char *name;
    void (*run)(const struct library *);
    const struct library *library;
};

static struct library libraries[WAYS];
static const char *names[WAYS];
static struct way ways[WAYS];
static size_t count, library_count, length;
static unsigned char key[32], nonce[12], ad[AD], text[MOST], sealed[MOST], sealed_tag[16];
static unsigned char out[MOST], tag[16], counter[16];
static EVP_CIPHER_CTX *evp;
static gcry_cipher_hd_t gcrypt;
static int failed;

static void usuba_seal(const struct library *library)
{
    failed |= library->seal(out, tag, key, nonce, ad, AD, text, length);
}

static void usuba_open(const struct library *library)
{
    failed |= library->open(out, sealed_tag, key, nonce, ad, AD, sealed, length);
}

static void usuba_chacha20(const struct library *library)
{
    failed |= library->chacha20_xor(key, nonce, 0, out, text, length);
}

static void usuba_aes_128(const struct library *library)
{
    memset(counter, 0, sizeof counter);
    failed |= library->aes_128_ctr_xor(library->aes_128, counter, out, text, length);
}

static void openssl_seal(const struct library *library)
{
    int bytes;
    (void)library;
    failed |= !EVP_EncryptInit_ex(evp, NULL, NULL, key, nonce);
    failed |= !EVP_EncryptUpdate(evp, NULL, &bytes, ad, AD);
    failed |= !EVP_EncryptUpdate(evp, out, &bytes, text, (int)length);
    failed |= !EVP_EncryptFinal_ex(evp, out + length, &bytes);
    failed |= !EVP_CIPHER_CTX_ctrl(evp, EVP_CTRL_AEAD_GET_TAG, 16, tag);
}

static void openssl_open(const struct library *library)
{
    int bytes;
    (void)library;
    failed |= !EVP_DecryptInit_ex(evp, NULL, NULL, key, nonce);
    failed |= !EVP_CIPHER_CTX_ctrl(evp, EVP_CTRL_AEAD_SET_TAG, 16, sealed_tag);
    failed |= !EVP_DecryptUpdate(evp, NULL, &bytes, ad, AD);
    failed |= !EVP_DecryptUpdate(evp, out, &bytes, sealed, (int)length);
    failed |= !EVP_DecryptFinal_ex(evp, out + length, &bytes);
}

static void openssl_chacha20(const struct library *library)
{
    unsigned char iv[16] = { 0 };
    int bytes;
    (void)library;
    memcpy(iv + 4, nonce, sizeof nonce);
    failed |= !EVP_EncryptInit_ex(evp, NULL, NULL, key, iv);
    failed |= !EVP_EncryptUpdate(evp, out, &bytes, text, (int)length);
}

static void openssl_aes_128(const struct library *library)
{
    int bytes;
    (void)library;
    memset(counter, 0, sizeof counter);
    failed |= !EVP_EncryptInit_ex(evp, NULL, NULL, NULL, counter);
    failed |= !EVP_EncryptUpdate(evp, out, &bytes, text, (int)length);
}

static void sodium_seal(const struct library *library)
{
    (void)library;
    failed |= crypto_aead_chacha20poly1305_ietf_encrypt_detached(out, tag, NULL, text, length, ad, AD, NULL, nonce, key);
}

static void sodium_open(const struct library *library)
{
    (void)library;
    failed |= crypto_aead_chacha20poly1305_ietf_decrypt_detached(out, NULL, sealed, length, sealed_tag, ad, AD, nonce, key);
}

static void sodium_chacha20(const struct library *library)
{
    (void)library;
    failed |= crypto_stream_chacha20_ietf_xor(out, text, length, nonce, key);
}

static void gcrypt_seal(const struct library *library)
{
    (void)library;
    failed |= gcry_cipher_setkey(gcrypt, key, 32) || gcry_cipher_setiv(gcrypt, nonce, 12);
    failed |= gcry_cipher_authenticate(gcrypt, ad, AD) || gcry_cipher_final(gcrypt);
    failed |= gcry_cipher_encrypt(gcrypt, out, length, text, length) || gcry_cipher_gettag(gcrypt, tag, 16);
}

static void gcrypt_open(const struct library *library)
{
    (void)library;
    failed |= gcry_cipher_setkey(gcrypt, key, 32) || gcry_cipher_setiv(gcrypt, nonce, 12);
    failed |= gcry_cipher_authenticate(gcrypt, ad, AD) || gcry_cipher_final(gcrypt);
    failed |= gcry_cipher_decrypt(gcrypt, out, length, sealed, length) || gcry_cipher_checktag(gcrypt, sealed_tag, 16);
}

static void gcrypt_chacha20(const struct library *library)
{
    (void)library;
    failed |= gcry_cipher_setkey(gcrypt, key, 32) || gcry_cipher_setiv(gcrypt, nonce, 12);
    failed |= gcry_cipher_encrypt(gcrypt, out, length, text, length) != 0;
}

static void gcrypt_aes_128(const struct library *library)
{
    (void)library;
    memset(counter, 0, sizeof counter);
    failed |= gcry_cipher_setctr(gcrypt, counter, 16) != 0;
    failed |= gcry_cipher_encrypt(gcrypt, out, length, text, length) != 0;
}

/* A library may be of some ciphers only. */
static int has_seal(const struct library *library)
{
    return library->seal != NULL && library->open != NULL;
}

static int has_chacha20(const struct library *library)
{
    return library->chacha20_xor != NULL;
}

static int has_aes_128(const struct library *library)
{
    return library->aes_128_init != NULL && library->aes_128_ctr_xor != NULL;
}

/* What is measured, and who does it; libsodium has no AES in counter mode. */
static const struct subject {
    const char *name;
    int (*has)(const struct library *);
    void (*usuba)(const struct library *), (*openssl)(const struct library *), (*sodium)(const struct library *),
        (*gcrypt)(const struct library *);
    const EVP_CIPHER *(*evp)(void);
    int algorithm, mode;
} subjects[] = {
    { "ChaCha20-Poly1305, sealing", has_seal, usuba_seal, openssl_seal, sodium_seal, gcrypt_seal, EVP_chacha20_poly1305,
        GCRY_CIPHER_CHACHA20, GCRY_CIPHER_MODE_POLY1305 },
    { "ChaCha20-Poly1305, opening", has_seal, usuba_open, openssl_open, sodium_open, gcrypt_open, EVP_chacha20_poly1305,
        GCRY_CIPHER_CHACHA20, GCRY_CIPHER_MODE_POLY1305 },
    { "ChaCha20", has_chacha20, usuba_chacha20, openssl_chacha20, sodium_chacha20, gcrypt_chacha20, EVP_chacha20, GCRY_CIPHER_CHACHA20,
        GCRY_CIPHER_MODE_STREAM },
    { "AES-128 in counter mode", has_aes_128, usuba_aes_128, openssl_aes_128, NULL, gcrypt_aes_128, EVP_aes_128_ctr, GCRY_CIPHER_AES128,
        GCRY_CIPHER_MODE_CTR },
};

static void fail(const char *what, const char *which)
{
    fprintf(stderr, "streams: %s: %s\n", what, which);
    exit(1);
}

/* `object` is NAME=PATH. */
static void load(char *object)
{
    struct library *library = libraries + library_count;
    char *path = strchr(object, '=');
    void *handle;
    if (path == NULL || library_count + 3 >= WAYS)
        fail("no NAME=OBJECT, or too many", object);
    *path++ = 0;
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        fail(path, dlerror());
    *(void **)&library->chacha20_xor = dlsym(handle, "usuba_chacha20_xor");
    *(void **)&library->seal = dlsym(handle, "usuba_chacha20_poly1305_seal");
    *(void **)&library->open = dlsym(handle, "usuba_chacha20_poly1305_open");
    *(void **)&library->aes_128_init = dlsym(handle, "usuba_aes_128_init");
    *(void **)&library->aes_128_ctr_xor = dlsym(handle, "usuba_aes_128_ctr_xor");
    *(void **)&library->target = dlsym(handle, "usuba_target");
    library->aes_128 = aligned_alloc(64, CONTEXT);
    if (library->aes_128_init != NULL && (library->aes_128 == NULL || library->aes_128_init(library->aes_128, key) != 0))
        fail(path, "no context");
    names[library_count++] = object;
}

static void run(size_t way)
{
    ways[way].run(ways[way].library);
}

/* Who does `subject`, and contexts for those that keep one. */
static void prepare(const struct subject *subject)
{
    size_t at;
    count = 0;
    for (at = 0; at < library_count; at++)
        if (subject->has(libraries + at))
            ways[count++] = (struct way){ names[at], subject->usuba, libraries + at };
    ways[count++] = (struct way){ "OpenSSL", subject->openssl, NULL };
    if (subject->sodium != NULL)
        ways[count++] = (struct way){ "libsodium", subject->sodium, NULL };
    ways[count++] = (struct way){ "libgcrypt", subject->gcrypt, NULL };
    EVP_CIPHER_CTX_free(evp);
    evp = EVP_CIPHER_CTX_new();
    if (evp == NULL || !EVP_EncryptInit_ex(evp, subject->evp(), NULL, key, NULL))
        fail("OpenSSL", subject->name);
    if (gcrypt != NULL)
        gcry_cipher_close(gcrypt);
    if (gcry_cipher_open(&gcrypt, subject->algorithm, subject->mode, 0) != 0)
        fail("libgcrypt", subject->name);
    failed = subject->algorithm == GCRY_CIPHER_AES128 && gcry_cipher_setkey(gcrypt, key, 16) != 0;
}

/* Ends the program unless all compute the same. */
static void compare(const struct subject *subject)
{
    static unsigned char first[MOST], first_tag[16];
    size_t way;
    if (subject->usuba == usuba_open)
        failed |= ways[0].library->seal(sealed, sealed_tag, key, nonce, ad, AD, text, length);
    for (way = 0; way < count; way++) {
        memset(out, 0xa5, sizeof out);
        memset(tag, 0xa5, sizeof tag);
        run(way);
        if (way == 0) {
            memcpy(first, out, sizeof out);
            memcpy(first_tag, tag, sizeof tag);
        }
        if (failed || memcmp(first, out, sizeof out) != 0 || memcmp(first_tag, tag, sizeof tag) != 0)
            fail(subject->name, ways[way].name);
    }
}

static void table(const struct subject *subject)
{
    static const size_t lengths[] = { 16, 64, 128, 256, 512, 1024, 1420, 4096, 16384 };
    enum { LENGTHS = sizeof lengths / sizeof lengths[0] };
    double least[LENGTHS][WAYS];
    size_t at, way;
    prepare(subject);
    if (ways[0].library == NULL)
        return;
    printf("\n| %s |", subject->name);
    for (at = 0; at < LENGTHS; at++) {
        length = lengths[at];
        printf(" %zu |", length);
        compare(subject);
        least_by_turns(least[at], count, run, CALLS, CASE_SAMPLES);
    }
    printf("\n|---|");
    for (at = 0; at < LENGTHS; at++)
        printf("---:|");
    printf("\n");
    for (way = 0; way < count; way++) {
        printf("| %s |", ways[way].name);
        for (at = 0; at < LENGTHS; at++)
            printf(" %.0f |", least[at][way]);
        printf("\n");
    }
    if (failed)
        fail(subject->name, "failed while it was timed");
}

int main(int arguments, char **argument)
{
    const char *without = getenv("GCRYPT_WITHOUT");
    size_t at;
    double ticks = chain();
    int sample;
    if (arguments < 2)
        fail("usage", "streams NAME=OBJECT…");
    if (without != NULL)
        gcry_control(GCRYCTL_DISABLE_HWF, without, NULL);
    if (gcry_check_version(NULL) == NULL || sodium_init() < 0)
        fail("libgcrypt or libsodium", "not there");
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    for (at = 0; at < sizeof text; at++)
        text[at] = (unsigned char)(at * 5 + 3);
    for (at = 0; at < sizeof key; at++)
        key[at] = (unsigned char)(at * 7 + 1);
    for (at = 1; at < (size_t)arguments; at++)
        load(argument[at]);
    for (sample = 0; sample < 1000; sample++) {
        const double one = chain();
        ticks = one < ticks ? one : ticks;
    }
    printf("%s, libsodium %s, libgcrypt %s; code for %s; %.2f ticks in a core cycle\n", OpenSSL_version(OPENSSL_VERSION),
        sodium_version_string(), gcry_check_version(NULL), libraries[0].target(), ticks / 2000);
    for (at = 0; at < sizeof subjects / sizeof subjects[0]; at++)
        table(subjects + at);
    return 0;
}
