/* What the test programs share. */
#include <stdio.h>
#include <stdlib.h>

static char message[128];

/* Keeps the first complaint. */
#define COMPLAIN(...)                                                                                                  \
    do {                                                                                                               \
        if (message[0] == 0)                                                                                           \
            snprintf(message, sizeof message, __VA_ARGS__);                                                            \
    } while (0)

static void die(const char *why)
{
    fprintf(stderr, "harness: %s\n", why);
    exit(3);
}

static void receive(unsigned char *p, size_t size)
{
    if (size != 0 && fread(p, 1, size, stdin) != size)
        die("the input ends in the middle of a request");
}

static void answer(const void *p, size_t size)
{
    if (size != 0 && fwrite(p, 1, size, stdout) != size)
        die("cannot write");
}

static uint64_t receive_number(void)
{
    unsigned char bytes[8];
    uint64_t value = 0;
    int i;
    receive(bytes, 8);
    for (i = 7; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

static unsigned char *reserve(size_t size)
{
    unsigned char *p = (unsigned char *)malloc(size == 0 ? 1 : size);
    if (p == NULL)
        die("out of memory");
    return p;
}

/* Bytes that look random and are the same every time. */
static void fill(unsigned char *p, size_t size, uint64_t seed)
{
    size_t i;
    for (i = 0; i < size; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        p[i] = (unsigned char)(seed >> 56);
    }
}

/* Buffers with a margin of 64 bytes on both sides, in which nothing may be written. */
#define MARGIN 64
#define SENTINEL 0xa5

static int margins_intact(const unsigned char *p, size_t size)
{
    size_t i;
    for (i = 0; i < MARGIN; i++)
        if (p[-(ptrdiff_t)(i + 1)] != SENTINEL || p[size + i] != SENTINEL)
            return 0;
    return 1;
}

static unsigned char *prepare(unsigned char *space, size_t misalignment, size_t size)
{
    unsigned char *p = space + MARGIN + misalignment;
    memset(p - MARGIN, SENTINEL, size + 2 * MARGIN);
    return p;
}
