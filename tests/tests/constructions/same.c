/* Constructions twice: `usuba_` with C by hand, `text_` as their texts become. Prints how many messages were compared, or the first
 * that differs, which is status 1. */
#include "text_chacha20_poly1305.h"
#include "text_poly1305.h"
#include "text_xchacha20_poly1305.h"
#include "usuba_chacha20_poly1305.h"
#include "usuba_poly1305.h"
#include "usuba_xchacha20_poly1305.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 5000

static unsigned long compared;
static uint64_t state = 1;

/* splitmix64. */
static uint64_t random64(void)
{
    uint64_t x = state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static void randomise(unsigned char *p, size_t size)
{
    size_t i;
    for (i = 0; i < size; i++)
        p[i] = (unsigned char)(random64() >> 56);
}

static void same(int result, int expected, const unsigned char *a, const unsigned char *b, size_t size, const char *what)
{
    compared++;
    if (result != expected || memcmp(a, b, size) != 0) {
        printf("%s differs: message %lu, %lu bytes\n", what, compared, (unsigned long)size);
        exit(1);
    }
}

typedef int sealing(unsigned char *out, unsigned char *tag, const unsigned char *key, const unsigned char *nonce,
                 const unsigned char *ad, size_t ad_length, const unsigned char *in, size_t length);
typedef int opening(unsigned char *out, const unsigned char *tag, const unsigned char *key, const unsigned char *nonce,
                 const unsigned char *ad, size_t ad_length, const unsigned char *in, size_t length);

static void compare(sealing *one_seal, opening *one_open, sealing *other_seal, opening *other_open, size_t length, size_t ad_length)
{
    static unsigned char plain[LONGEST], ad[LONGEST], one[LONGEST + 16], other[LONGEST + 16];
    unsigned char key[32], nonce[24];
    int result;
    randomise(plain, length);
    randomise(ad, ad_length);
    randomise(key, sizeof key);
    randomise(nonce, sizeof nonce);
    result = one_seal(one, one + length, key, nonce, ad, ad_length, plain, length);
    same(other_seal(other, other + length, key, nonce, ad, ad_length, plain, length), result, one, other, length + 16, "sealed");
    result = one_open(one, other + length, key, nonce, ad, ad_length, one, length);
    same(other_open(other, other + length, key, nonce, ad, ad_length, other, length), result, one, other, length, "opened");
    same(result, 0, one, plain, length, "again");
    one[length] ^= 1;
    same(one_open(one, one + length, key, nonce, ad, ad_length, one, length),
         other_open(other, one + length, key, nonce, ad, ad_length, other, length), one, one, 0, "refused");
}

/* A message in pieces, at most so large. */
static void compare_tags(size_t length, size_t largest, int extreme)
{
    static unsigned char message[LONGEST];
    unsigned char key[32], one[16], other[16];
    usuba_poly1305_ctx ctx;
    text_poly1305_ctx context;
    size_t at = 0, size;
    randomise(message, length);
    randomise(key, sizeof key);
    if (extreme) {
        memset(message, 0xff, length);
        memset(key, 0xff, 16);
    }
    usuba_poly1305(one, key, message, length);
    same(text_poly1305(other, key, message, length), 0, one, other, 16, "authenticated");
    usuba_poly1305_init(&ctx, key);
    text_poly1305_init(&context, key);
    for (; at < length; at += size) {
        size = (size_t)(random64() % (largest + 1));
        size = size < length - at ? size : length - at;
        usuba_poly1305_update(&ctx, message + at, size);
        text_poly1305_update(&context, message + at, size);
    }
    usuba_poly1305_final(&ctx, other);
    same(0, 0, one, other, 16, "in pieces by hand");
    text_poly1305_final(&context, other);
    same(0, 0, one, other, 16, "in pieces");
}

int main(void)
{
    static const size_t sizes[] = { 0, 1, 12, 13, 15, 16, 17, 31, 32, 33, 64, 200 };
    size_t length;
    for (length = 0; length <= LONGEST; length += length < 600 ? 1 : 97) {
        const size_t ad_length = sizes[length % 12];
        compare(usuba_chacha20_poly1305_seal, usuba_chacha20_poly1305_open, text_chacha20_poly1305_seal,
                text_chacha20_poly1305_open, length, ad_length);
        compare(usuba_xchacha20_poly1305_seal, usuba_xchacha20_poly1305_open, text_xchacha20_poly1305_seal,
                text_xchacha20_poly1305_open, length, ad_length);
        compare_tags(length, 1 + length % 70, length % 3 == 0);
    }
    printf("%lu messages are the same\n", compared);
    return 0;
}
