/* authenticator.c - tags of messages in pieces against the same at once, through the functions of MODE, of a library.
 *
 * Lengths to 300 bytes, cut at random, and what functions refuse. Prints how many messages there were; complaints end it with
 * status 1. NONCE says whether there is a nonce. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define OF(name) JOIN(MODE, name)

#if NONCE
#define WITH_NONCE(n) , nonce, n
#else
#define WITH_NONCE(n)
#endif

#define MOST 300

static uint64_t state = 88172645463325252u;

static size_t below(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)((state >> 11) % n);
}

static void fill(unsigned char *p, size_t size)
{
    while (size-- > 0)
        *p++ = (unsigned char)below(256);
}

static unsigned char text[MOST], nonce[12], tag[16], own[16];
static OF(_ctx) ctx;

#define REFUSED(call, code) \
    do { \
        const int found_ = (call); \
        if (found_ != (code)) { \
            printf(#call " returns %d, not " #code ", of %lu bytes\n", found_, (unsigned long)length); \
            exit(1); \
        } \
    } while (0)

static void message(size_t length)
{
    static const size_t pieces[6] = { 1, 3, 16, 17, 64, MOST };
    const size_t piece = pieces[below(6)];
    OF(_stream) stream, copy;
    size_t at = 0;
    fill(text, length);
    fill(nonce, sizeof nonce);
    REFUSED(OF(_compute)(&ctx, tag, sizeof tag WITH_NONCE(sizeof nonce), text, length), USUBA_OK);
    REFUSED(OF(_begin)(&stream, &ctx, sizeof tag WITH_NONCE(sizeof nonce)), USUBA_OK);
    while (at < length || below(3) == 0) {
        size_t now = below(piece + 1);
        now = now < length - at ? now : length - at;
        REFUSED(OF(_update)(&stream, &ctx, now == 0 ? NULL : text + at, now), USUBA_OK);
        at += now;
    }
    copy = stream;
    memset(own, 0, sizeof own);
    REFUSED(OF(_end)(&stream, &ctx, own, sizeof own), USUBA_OK);
    if (memcmp(own, tag, sizeof tag) != 0) {
        printf("the tag of %lu bytes is another in pieces\n", (unsigned long)length);
        exit(1);
    }
    memset(own, 0, sizeof own);
    REFUSED(OF(_end)(&copy, &ctx, own, sizeof own), USUBA_OK);
    if (memcmp(own, tag, sizeof tag) != 0) {
        printf("the tag of a copy is another, of %lu bytes\n", (unsigned long)length);
        exit(1);
    }
}

static void refusals(void)
{
    OF(_stream) stream;
    OF(_ctx) other;
    const size_t length = 0;
    memset(&stream, 0, sizeof stream);
    memset(&other, 0, sizeof other);
    REFUSED(OF(_update)(&stream, &ctx, text, 1), USUBA_ERROR_CONTEXT);
    REFUSED(OF(_begin)(NULL, &ctx, 16 WITH_NONCE(12)), USUBA_ERROR_NULL);
    REFUSED(OF(_begin)(&stream, NULL, 16 WITH_NONCE(12)), USUBA_ERROR_NULL);
    REFUSED(OF(_begin)(&stream, &other, 16 WITH_NONCE(12)), USUBA_ERROR_CONTEXT);
    REFUSED(OF(_begin)(&stream, &ctx, 17 WITH_NONCE(12)), USUBA_ERROR_LENGTH);
    REFUSED(OF(_begin)(&stream, &ctx, 0 WITH_NONCE(12)), USUBA_ERROR_LENGTH);
#if NONCE
    REFUSED(OF(_begin)(&stream, &ctx, 16, nonce, 0), USUBA_ERROR_LENGTH);
    REFUSED(OF(_begin)(&stream, &ctx, 16, NULL, 12), USUBA_ERROR_NULL);
#endif
    REFUSED(OF(_end)(&stream, &ctx, tag, 16), USUBA_ERROR_CONTEXT);
    REFUSED(OF(_begin)(&stream, &ctx, 16 WITH_NONCE(12)), USUBA_OK);
    REFUSED(OF(_update)(&stream, &ctx, NULL, 1), USUBA_ERROR_NULL);
    REFUSED(OF(_update)(&stream, &other, text, 1), USUBA_ERROR_CONTEXT);
    REFUSED(OF(_update)(&stream, &ctx, text, 40), USUBA_OK);
    REFUSED(OF(_end)(&stream, &ctx, tag, 12), USUBA_ERROR_LENGTH);
    REFUSED(OF(_end)(&stream, &ctx, NULL, 16), USUBA_ERROR_NULL);
    REFUSED(OF(_end)(&stream, &ctx, tag, 16), USUBA_OK);
    REFUSED(OF(_end)(&stream, &ctx, tag, 16), USUBA_ERROR_CONTEXT);
    REFUSED(OF(_begin)(&stream, &ctx, 16 WITH_NONCE(12)), USUBA_OK);
    OF(_stream_wipe)(&stream);
    REFUSED(OF(_update)(&stream, &ctx, text, 1), USUBA_ERROR_CONTEXT);
}

int main(void)
{
    unsigned char key[64];
    unsigned long many = 0;
    size_t length;
    fill(key, sizeof key);
    if (OF(_init)(&ctx, key) != USUBA_OK) {
        printf("there is no context\n");
        return 1;
    }
    refusals();
    for (length = 0; length <= MOST; length++, many += 3) {
        message(length);
        message(length);
        message(below(40));
    }
    printf("%lu\n", many);
    return 0;
}
