/* usuba_buffers.h - what public functions return, and what they ask of the buffers that they are given.
 *
 * The time of everything here depends on sizes and addresses only. C99; see usuba_format.h. */
#ifndef USUBA_BUFFERS_H
#define USUBA_BUFFERS_H

#include "usuba_format.h"

/* What public functions return. */
#include "usuba_results.h"

/* Whether the arguments of a function from `size` bytes to as many make sense. */
USUBA_INLINE int usuba_check(const void *out, const void *in, size_t size)
{
    const uintptr_t o = (uintptr_t)out, i = (uintptr_t)in;
    if (size == 0)
        return USUBA_OK;
    if (out == NULL || in == NULL)
        return USUBA_ERROR_NULL;
    if (size > UINTPTR_MAX - o || size > UINTPTR_MAX - i)
        return USUBA_ERROR_LENGTH;
    if (o != i && o < i + size && i < o + size)
        return USUBA_ERROR_OVERLAP;
    return USUBA_OK;
}

/* Whether `size` bytes at `p` are there, and none of them is one of the `written` bytes at `out`, which are. */
USUBA_INLINE int usuba_check_apart(const void *out, size_t written, const void *p, size_t size)
{
    const uintptr_t o = (uintptr_t)out, i = (uintptr_t)p;
    if (size == 0)
        return USUBA_OK;
    if (p == NULL)
        return USUBA_ERROR_NULL;
    if (size > UINTPTR_MAX - i)
        return USUBA_ERROR_LENGTH;
    if (written > 0 && o < i + size && i < o + written)
        return USUBA_ERROR_OVERLAP;
    return USUBA_OK;
}

/* Whether the arguments of counter mode make sense: the output is the input or apart from it, and the counter of `block`
 * bytes, which is left one beyond the last block, is in neither. */
USUBA_INLINE int usuba_check_counter(const void *counter, size_t block, const void *out, const void *in, size_t length)
{
    int result = usuba_check(out, in, length);
    if (result == USUBA_OK)
        result = usuba_check_apart(out, length, counter, block);
    if (result == USUBA_OK)
        result = usuba_check_apart(counter, block, in, length);
    return result;
}

/* Whether the arguments of a stream cipher make sense: the output is the input or apart from it, and apart from key and
 * nonce, which are read again in the middle of a long one. */
USUBA_INLINE int usuba_check_stream(const void *key, size_t key_bytes, const void *nonce, size_t nonce_bytes,
                                    const void *out, const void *in, size_t length)
{
    int result = usuba_check(out, in, length);
    if (result == USUBA_OK)
        result = usuba_check_apart(out, length, key, key_bytes);
    if (result == USUBA_OK)
        result = usuba_check_apart(out, length, nonce, nonce_bytes);
    return result;
}

/* Whether the arguments of authenticated encryption make sense: the output is the input or apart from it, and apart from
 * all else. */
USUBA_STATIC int usuba_check_aead(const void *out, const void *in, size_t length, const void *ad, size_t ad_length,
                                   const void *key, size_t key_bytes, const void *nonce, size_t nonce_bytes,
                                   const void *tag, size_t tag_bytes)
{
    int result = usuba_check(out, in, length);
    if (result == USUBA_OK)
        result = usuba_check_apart(out, length, ad, ad_length);
    if (result == USUBA_OK)
        result = usuba_check_apart(out, length, key, key_bytes);
    if (result == USUBA_OK)
        result = usuba_check_apart(out, length, nonce, nonce_bytes);
    if (result == USUBA_OK)
        result = usuba_check_apart(out, length, tag, tag_bytes);
    return result;
}

/* 1 if the `size` bytes at `a` and at `b` are the same, else 0. Where they differ has no influence on the time. */
USUBA_STATIC int usuba_equal(const unsigned char *a, const unsigned char *b, size_t size)
{
    uint32_t difference = 0;
    size_t i;
    for (i = 0; i < size; i++) {
        difference |= (uint32_t)(a[i] ^ b[i]);
#if defined(__GNUC__) || defined(__clang__)
        /* Keeps compilers from leaving the loop once the outcome is certain. */
        __asm__ __volatile__("" : "+r"(difference));
#endif
    }
    return (int)((difference - 1) >> 8 & 1);
}

/* Overwrites `size` bytes at `p` in a way that compilers do not remove. */
USUBA_INLINE void usuba_wipe(void *p, size_t size)
{
#if defined(__GNUC__) || defined(__clang__)
    memset(p, 0, size);
    __asm__ __volatile__("" : : "r"(p) : "memory");
#else
    volatile unsigned char *q = (volatile unsigned char *)p;
    while (size--)
        *q++ = 0;
#endif
}

/* The same, of more bytes than a few registers have: a call of memset is faster than `rep stos`, which GCC makes of a size that it
 * knows. */
USUBA_INLINE void usuba_wipe_many(void *p, size_t size)
{
#if defined(__GNUC__) || defined(__clang__)
    __asm__("" : "+r"(size));
#endif
    usuba_wipe(p, size);
}

/* usuba_wipe_stack_BYTES overwrites what functions that were called before have left on the stack below its caller. */
#if defined(__GNUC__) || defined(__clang__)
#define USUBA_STACK_WIPER(bytes)                                                       \
    static __attribute__((noinline, unused)) void usuba_wipe_stack_##bytes(void)      \
    {                                                                                  \
        unsigned char dead[bytes];                                                     \
        usuba_wipe(dead, sizeof dead);                                                 \
    }
#define USUBA_NOINLINE __attribute__((noinline))
#else
#define USUBA_STACK_WIPER(bytes) USUBA_STATIC void usuba_wipe_stack_##bytes(void) {}
#define USUBA_NOINLINE
#endif

#endif
