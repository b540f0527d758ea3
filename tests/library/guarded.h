/* guarded.h - buffers between pages that cannot be touched, random bytes, and complaints: what the programs around a whole
 * library share. */
#ifndef GUARDED_H
#define GUARDED_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096
/* Room of a buffer, and what of it around the buffer must stay as it was. */
#define ROOM (4 * PAGE)
#define MARGIN 64
#define SENTINEL 0xa5
/* What is in outputs before they are written. */
#define FRESH 0x5a

/* Placements from 0: the buffer begins so many bytes after a page that cannot be touched; the last: it ends before one. */
#define PLACEMENTS 17
#define AT_END 16

static const char *subject = "";
static unsigned long complaints __attribute__((unused));

#define COMPLAIN(...)                                                                                                  \
    do {                                                                                                               \
        if (complaints++ < 20) {                                                                                       \
            printf("%s: ", subject);                                                                                   \
            printf(__VA_ARGS__);                                                                                       \
            printf("\n");                                                                                              \
        }                                                                                                              \
    } while (0)

static inline void stop(const char *why)
{
    fprintf(stderr, "%s: %s\n", subject, why);
    exit(3);
}

static inline void *reserve(size_t size)
{
    void *p = malloc(size == 0 ? 1 : size);
    if (p == NULL)
        stop("no memory");
    return p;
}

/* Bytes that look random and are the same every time. */
static inline void fill(unsigned char *p, size_t size, uint64_t seed)
{
    size_t i;
    seed = (seed + 1) * 0x9e3779b97f4a7c15u;
    for (i = 0; i < size; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        p[i] = (unsigned char)(seed >> 56);
    }
}

/* Buffer number `slot` of `size` bytes at a placement, full of FRESH and with SENTINELs around. */
static inline unsigned char *place(size_t slot, size_t size, unsigned placement)
{
    static unsigned char *slots[8];
    unsigned char *p, *room;
    if (size + MARGIN + AT_END > ROOM)
        stop("the buffer is too large");
    if (slots[slot] == NULL) {
        unsigned char *pages =
            mmap(NULL, ROOM + 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED || mprotect(pages, PAGE, PROT_NONE) != 0 ||
            mprotect(pages + PAGE + ROOM, PAGE, PROT_NONE) != 0)
            stop("no memory");
        slots[slot] = pages + PAGE;
    }
    room = slots[slot];
    p = placement == AT_END ? room + ROOM - size : room + placement;
    if (placement == AT_END) {
        memset(p - MARGIN, SENTINEL, MARGIN);
    } else {
        memset(room, SENTINEL, placement);
        memset(p + size, SENTINEL, MARGIN);
    }
    memset(p, FRESH, size);
    return p;
}

/* Whether nothing was written around it. */
static inline int intact(const unsigned char *p, size_t size, unsigned placement)
{
    const size_t before = placement == AT_END ? MARGIN : placement, after = placement == AT_END ? 0 : MARGIN;
    size_t i;
    for (i = 1; i <= before; i++)
        if (p[-(ptrdiff_t)i] != SENTINEL)
            return 0;
    for (i = 0; i < after; i++)
        if (p[size + i] != SENTINEL)
            return 0;
    return 1;
}

/* Adds `n` to a big-endian number, modulo its size. */
static inline void add_big(unsigned char *number, size_t bytes, uint64_t n)
{
    uint64_t carry = n;
    while (bytes-- > 0) {
        carry += number[bytes];
        number[bytes] = (unsigned char)carry;
        carry >>= 8;
    }
}

#endif
