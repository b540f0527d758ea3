/* pieces.c - messages in pieces against the same at once, through the functions of MODE, of a library.
 *
 * Lengths of associated data and of text to 300 bytes, cut at random; then what functions refuse, and openings of what was
 * changed. Prints how many messages there were; complaints end it with status 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define OF(name) JOIN(MODE, name)

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

static void fail(const char *what, size_t a, size_t b)
{
    printf("%s: %lu bytes of data, %lu of text\n", what, (unsigned long)a, (unsigned long)b);
    exit(1);
}

static unsigned char ad[MOST], text[MOST], sealed[MOST], tag[16], nonce[12], out[MOST], own[16];
static unsigned char window[MOST + 2 * HELD];
static OF(_ctx) ctx;

typedef int update(OF(_stream) *, const OF(_ctx) *, unsigned char *, size_t *, const unsigned char *, size_t);

/* The text in pieces of at most `piece` bytes, to `out`; returns what was made. */
static size_t text_of(OF(_stream) *stream, update *take, const unsigned char *from, size_t length, size_t piece)
{
    size_t at = 0, done = 0, made = 0;
    while (at < length || below(3) == 0) {
        size_t now = below(piece + 1);
        now = now < length - at ? now : length - at;
        memset(window, 0xa5, sizeof window);
        if (take(stream, &ctx, window + HELD, &made, from + at, now) != USUBA_OK)
            fail("a piece is refused", 0, length);
        at += now;
        if (made > now + HELD || made + done > at || at - done - made > HELD)
            fail("so much is not made of a piece", made, now);
        if (window[HELD - 1] != 0xa5 || window[HELD + made] != 0xa5)
            fail("something is written beside the output", made, now);
        memcpy(out + done, window + HELD, made);
        done += made;
    }
    return done;
}

static void data_of(OF(_stream) *stream, size_t length, size_t piece)
{
    size_t at = 0;
    while (at < length || below(3) == 0) {
        size_t now = below(piece + 1);
        now = now < length - at ? now : length - at;
        if (OF(_ad)(stream, &ctx, ad + at, now) != USUBA_OK)
            fail("data are refused", at, now);
        at += now;
    }
}

static void message(size_t ad_length, size_t length)
{
    static const size_t pieces[6] = { 1, 3, 16, 17, 64, MOST };
    const size_t piece = pieces[below(6)];
    OF(_stream) stream, copy;
    size_t done, made = 0, other = 0;
    int result;
    fill(ad, ad_length);
    fill(text, length);
    fill(nonce, sizeof nonce);
    if (OF(_seal)(&ctx, sealed, tag, sizeof tag, nonce, sizeof nonce, ad, ad_length, text, length) != USUBA_OK)
        fail("it is not sealed", ad_length, length);
    if (OF(_seal_begin)(&stream, &ctx, sizeof tag, nonce, sizeof nonce) != USUBA_OK)
        fail("it is not begun", ad_length, length);
    data_of(&stream, ad_length, piece);
    done = text_of(&stream, OF(_seal_update), text, length, piece);
    /* A copy goes on as the stream itself. */
    copy = stream;
    if (OF(_seal_end)(&copy, &ctx, window, &other, own, sizeof own) != USUBA_OK || memcmp(own, tag, sizeof tag) != 0)
        fail("a copy is not ended alike", ad_length, length);
    memset(own, 0, sizeof own);
    if (OF(_seal_end)(&stream, &ctx, out + done, &made, own, sizeof own) != USUBA_OK)
        fail("it is not ended", ad_length, length);
    if (made != other || done + made != length || memcmp(out, sealed, length) != 0)
        fail("the text is another", ad_length, length);
    if (memcmp(own, tag, sizeof tag) != 0)
        fail("the tag is another", ad_length, length);
    if (OF(_seal_end)(&stream, &ctx, out, &made, own, sizeof own) != USUBA_ERROR_CONTEXT)
        fail("it is ended twice", ad_length, length);

    /* Opened, as it is or with a bit changed. */
    if (below(3) == 0 && length > 0)
        sealed[below(length)] ^= (unsigned char)(1u << below(8));
    else if (below(3) == 0)
        tag[below(sizeof tag)] ^= (unsigned char)(1u << below(8));
    result = OF(_open)(&ctx, out, tag, sizeof tag, nonce, sizeof nonce, ad, ad_length, sealed, length);
    if (OF(_open_begin)(&stream, &ctx, sizeof tag, nonce, sizeof nonce) != USUBA_OK)
        fail("an opening is not begun", ad_length, length);
    data_of(&stream, ad_length, piece);
    done = text_of(&stream, OF(_open_update_unverified), sealed, length, piece);
    if (OF(_open_end)(&stream, &ctx, out + done, &made, tag, sizeof tag) != result)
        fail("it is not opened as at once", ad_length, length);
    if (result == USUBA_OK && (done + made != length || memcmp(out, text, length) != 0))
        fail("it is opened to another text", ad_length, length);
    if (result != USUBA_OK && made != 0)
        fail("something is made of what is refused", ad_length, length);
}

#define REFUSED(call, code) \
    do { \
        const int found_ = (call); \
        if (found_ != (code)) { \
            printf(#call " returns %d, not " #code "\n", found_); \
            exit(1); \
        } \
    } while (0)

static void refusals(void)
{
    OF(_stream) stream;
    OF(_ctx) other;
    size_t made;
    memset(&stream, 0, sizeof stream);
    memset(&other, 0, sizeof other);
    REFUSED(OF(_ad)(&stream, &ctx, ad, 1), USUBA_ERROR_CONTEXT);
    REFUSED(OF(_seal_begin)(NULL, &ctx, 16, nonce, 12), USUBA_ERROR_NULL);
    REFUSED(OF(_seal_begin)(&stream, NULL, 16, nonce, 12), USUBA_ERROR_NULL);
    REFUSED(OF(_seal_begin)(&stream, &other, 16, nonce, 12), USUBA_ERROR_CONTEXT);
    REFUSED(OF(_seal_begin)(&stream, &ctx, 17, nonce, 12), USUBA_ERROR_LENGTH);
    REFUSED(OF(_seal_begin)(&stream, &ctx, 0, nonce, 12), USUBA_ERROR_LENGTH);
    REFUSED(OF(_seal_begin)(&stream, &ctx, 16, nonce, 0), USUBA_ERROR_LENGTH);
    REFUSED(OF(_seal_begin)(&stream, &ctx, 16, NULL, 12), USUBA_ERROR_NULL);
    REFUSED(OF(_seal_update)(&stream, &ctx, out, &made, text, 1), USUBA_ERROR_CONTEXT);
    REFUSED(OF(_seal_begin)(&stream, &ctx, 16, nonce, 12), USUBA_OK);
    REFUSED(OF(_open_update_unverified)(&stream, &ctx, out, &made, text, 1), USUBA_ERROR_STATE);
    REFUSED(OF(_open_end)(&stream, &ctx, out, &made, tag, 16), USUBA_ERROR_STATE);
    REFUSED(OF(_ad)(&stream, &ctx, NULL, 1), USUBA_ERROR_NULL);
    REFUSED(OF(_ad)(&stream, &ctx, ad, 40), USUBA_OK);
    /* So many bytes lie on the stream itself, if they are not too many. */
    if (sizeof(size_t) > 6 && OF(_ad)(&stream, &ctx, ad, (size_t)1 << 24 << 24) == USUBA_OK)
        fail("more data are taken than there are", 0, 0);
    REFUSED(OF(_seal_update)(&stream, &ctx, text + 1, &made, text, 40), USUBA_ERROR_OVERLAP);
    REFUSED(OF(_seal_update)(&stream, &ctx, text, &made, text, 40), USUBA_ERROR_OVERLAP);
    REFUSED(OF(_seal_update)(&stream, &ctx, NULL, &made, text, 40), USUBA_ERROR_NULL);
    REFUSED(OF(_seal_update)(&stream, &ctx, out, NULL, text, 40), USUBA_ERROR_NULL);
    REFUSED(OF(_ad)(&stream, &ctx, ad, 1), USUBA_OK);
    REFUSED(OF(_seal_update)(&stream, &ctx, out, &made, text, 40), USUBA_OK);
    REFUSED(OF(_ad)(&stream, &ctx, ad, 0), USUBA_ERROR_STATE);
    REFUSED(OF(_seal_end)(&stream, &other, out, &made, tag, 16), USUBA_ERROR_CONTEXT);
    REFUSED(OF(_seal_end)(&stream, &ctx, out, &made, tag, 12), USUBA_ERROR_LENGTH);
    REFUSED(OF(_seal_end)(&stream, &ctx, NULL, &made, tag, 16), USUBA_ERROR_NULL);
    REFUSED(OF(_seal_end)(&stream, &ctx, out, &made, NULL, 16), USUBA_ERROR_NULL);
    REFUSED(OF(_seal_end)(&stream, &ctx, out, &made, tag, 16), USUBA_OK);
    REFUSED(OF(_seal_update)(&stream, &ctx, out, &made, text, 1), USUBA_ERROR_CONTEXT);
    REFUSED(OF(_open_begin)(&stream, &ctx, 16, nonce, 12), USUBA_OK);
    REFUSED(OF(_seal_end)(&stream, &ctx, out, &made, tag, 16), USUBA_ERROR_STATE);
    OF(_stream_wipe)(&stream);
    REFUSED(OF(_open_end)(&stream, &ctx, out, &made, tag, 16), USUBA_ERROR_CONTEXT);
}

int main(void)
{
    unsigned char key[64];
    unsigned long many = 0;
    size_t length;
    fill(key, sizeof key);
    if (OF(_init)(&ctx, key) != USUBA_OK)
        fail("there is no context", 0, 0);
    refusals();
    for (length = 0; length <= MOST; length++, many += 4) {
        message(length, below(MOST + 1));
        message(below(MOST + 1), length);
        message(below(20), length);
        message(0, length);
    }
    printf("%lu\n", many);
    return 0;
}
