/* A program around the constructions of a cipher. It reads requests from standard input until the end, each with the number
 * of a construction in its first byte, and writes one answer for each to standard output. Numbers are 64 bits,
 * little-endian; results are one byte, with the sign turned. */
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Bytes of the answer to a request for checks of bad arguments. */
#define MESSAGE 128
/* What is in outputs before they are written. */
#define FRESH 0xaa

static void stop(const char *why)
{
    fprintf(stderr, "%s\n", why);
    exit(1);
}

static void take(void *to, size_t size)
{
    if (size > 0 && fread(to, 1, size, stdin) != size)
        stop("the request is not complete");
}

static size_t take_number(void)
{
    unsigned char bytes[8];
    size_t number = 0;
    int i;
    take(bytes, sizeof bytes);
    for (i = 7; i >= 0; i--)
        number = number << 8 | bytes[i];
    return number;
}

static void give(const void *from, size_t size)
{
    if (size > 0 && fwrite(from, 1, size, stdout) != size)
        stop("the answer cannot be written");
}

static void give_result(int result)
{
    const unsigned char byte = (unsigned char)-result;
    give(&byte, 1);
}

static void give_message(const char *text)
{
    char message[MESSAGE] = { 0 };
    strncpy(message, text, MESSAGE - 1);
    give(message, MESSAGE);
}

/* Room for the buffers of one call, between pages that cannot be touched. */
#define SLOTS 6
#define PAGE 4096
#define ROOM (32 * PAGE)

/* A buffer of `size` bytes. `placement` 0 puts its end before a page that cannot be touched, n + 1 its start n bytes after
 * one; plus 128, a buffer of no bytes is null. */
static unsigned char *place(size_t slot, size_t size, unsigned placement)
{
    static unsigned char *slots[SLOTS];
    if (size > ROOM - PAGE)
        stop("the buffer is too large");
    if (slots[slot] == NULL) {
        unsigned char *pages = mmap(NULL, ROOM + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED || mprotect(pages + PAGE, ROOM, PROT_READ | PROT_WRITE) != 0)
            stop("no memory");
        slots[slot] = pages + PAGE;
    }
    if (size == 0 && placement >= 128)
        return NULL;
    placement %= 128;
    return placement == 0 ? slots[slot] + ROOM - size : slots[slot] + placement - 1;
}

static unsigned char take_byte(void)
{
    unsigned char byte;
    take(&byte, 1);
    return byte;
}

/* A buffer of its own, for batches. */
static unsigned char *fresh(size_t size)
{
    unsigned char *p = malloc(size);
    if (p == NULL && size > 0)
        stop("no memory");
    if (size > 0)
        memset(p, FRESH, size);
    return p;
}

static unsigned char *taken(size_t size)
{
    unsigned char *p = fresh(size);
    take(p, size);
    return p;
}

