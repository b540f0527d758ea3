/* A program around one construction, NAME. It reads requests from standard input until the end and writes one answer for
 * each to standard output. Numbers are 64 bits, little-endian; results are one byte, with the sign turned. Every buffer is
 * allocated for its call alone. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is in outputs before they are written. */
#define FRESH 0xaa

static void die(const char *why)
{
    fprintf(stderr, "harness: %s\n", why);
    exit(3);
}

static uint64_t receive_number(void)
{
    unsigned char bytes[8];
    uint64_t value = 0;
    int i;
    if (fread(bytes, 1, 8, stdin) != 8)
        die("the input ends in the middle of a number");
    for (i = 7; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

static unsigned char *reserve(size_t size)
{
    unsigned char *p = (unsigned char *)malloc(size == 0 ? 1 : size);
    if (p == NULL)
        die("out of memory");
    memset(p, FRESH, size == 0 ? 1 : size);
    return p;
}

static unsigned char *receive(size_t size)
{
    unsigned char *p = reserve(size);
    if (size != 0 && fread(p, 1, size, stdin) != size)
        die("the input ends in the middle of a request");
    return p;
}

static void answer(const void *p, size_t size)
{
    if (size != 0 && fwrite(p, 1, size, stdout) != size)
        die("cannot write");
}

static void answer_byte(int value)
{
    const unsigned char byte = (unsigned char)value;
    answer(&byte, 1);
}

#ifdef SEAL

/* `S`, sizes of data and text, key, nonce, data, text: the result, the ciphertext, the tag.
 * `O`, the same with the tag before the ciphertext: the result, whether a refusal left nothing but what was there or zeros,
 * and the plaintext, as zeros if it was refused. */
static void request(int what)
{
    const size_t ad_length = (size_t)receive_number(), length = (size_t)receive_number();
    unsigned char *key = receive(KEY), *nonce = receive(NONCE), *ad = receive(ad_length);
    unsigned char *tag = what == 'O' ? receive(TAG) : reserve(TAG), *in = receive(length), *out = reserve(length);
    size_t i;
    int result, clean = 1;
    if (what == 'S') {
        answer_byte(-SEAL(out, tag, key, nonce, ad, ad_length, in, length));
        answer(out, length);
        answer(tag, TAG);
    } else {
        result = OPEN(out, tag, key, nonce, ad, ad_length, in, length);
        for (i = 0; i < length && result != 0; i++) {
            clean &= out[i] == 0 || out[i] == FRESH;
            out[i] = 0;
        }
        answer_byte(-result);
        answer_byte(clean);
        answer(out, length);
    }
    free(key);
    free(nonce);
    free(ad);
    free(tag);
    free(in);
    free(out);
}

#else

/* `D`, sizes of output, of what stands before the message (a key or a customization string) and of the message, both of
 * these: the result, whether the functions for a message in pieces agree, and the output. */
static void request(int what)
{
    const size_t out_length = (size_t)receive_number(), before_length = (size_t)receive_number();
    const size_t length = (size_t)receive_number();
    unsigned char *before = receive(before_length), *in = receive(length);
    unsigned char *out = reserve(out_length), *pieces = reserve(out_length);
    CONTEXT ctx;
    size_t at, step;
    int agree;
    (void)what;
    (void)before_length;
    answer_byte(-CALL(out, out_length, before, before_length, in, length));
    agree = INIT(&ctx, before, before_length) == 0;
    for (at = 0, step = 1; at < length; at += step, step = step % 23 + 1) {
        if (step > length - at)
            step = length - at;
        agree &= UPDATE(&ctx, in + at, step) == 0;
    }
    agree &= END(&ctx, pieces, out_length) == 0;
    answer_byte(agree && memcmp(out, pieces, out_length) == 0);
    answer(out, out_length);
    WIPE(&ctx);
    free(before);
    free(in);
    free(out);
    free(pieces);
}

#endif

int main(void)
{
    int what;
    while ((what = getchar()) != EOF)
        request(what);
    return 0;
}
