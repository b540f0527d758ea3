#include "usuba_drivers.h"
#include "usuba_count.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

struct test {
    struct usuba_format format;
    int image; /* 0: B, 1: V, 2: H, 3: H in integers, 4: packed. */
    size_t parameter; /* Bytes of a lane, bits of an element. */
    size_t size, count, bytes, uniform_bytes;
    void (*pack)(void *registers, const unsigned char *blocks);
    void (*unpack)(unsigned char *blocks, void *registers);
    void (*unpack_add)(unsigned char *blocks, const unsigned char *data, void *registers);
};

/* FUNCTIONS */

static const struct test tests[] = {
/* CASES */
};

enum { PAGE = 65536, ROOM = 2 * PAGE };

static void fill(unsigned char *p, size_t size, uint64_t seed)
{
    size_t i;
    for (i = 0; i < size; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        p[i] = (unsigned char)(seed >> 56);
    }
}

static void die(const char *what, size_t number)
{
    fprintf(stderr, "case %lu: %s\n", (unsigned long)number, what);
    exit(1);
}

/* Memory between two pages that cannot be touched. */
static unsigned char *guarded(void)
{
    unsigned char *p =
        (unsigned char *)mmap(NULL, ROOM + 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || mprotect(p, PAGE, PROT_NONE) != 0 || mprotect(p + PAGE + ROOM, PAGE, PROT_NONE) != 0)
        die("no memory", 0);
    return p + PAGE;
}

/* `size` bytes of it: at its beginning, or at its end, where they have any alignment. */
static unsigned char *part(unsigned char *p, size_t size, int end)
{
    return end ? p + ROOM - size : p;
}

/* Leaves the image as it is. */
static void unpack(const struct test *t, unsigned char *blocks, const unsigned char *with, const void *image)
{
    void *copy = malloc(t->bytes);
    if (copy == NULL)
        die("no memory", 0);
    memcpy(copy, image, t->bytes);
    if (with == NULL)
        t->unpack(blocks, copy);
    else
        t->unpack_add(blocks, with, copy);
    free(copy);
}

static void count(const struct test *t, void *image, unsigned char *counter, uint64_t moved, struct usuba_count *memory,
                  int big)
{
    if (t->image == 0)
        usuba_count_b(image, t->size, counter, moved, memory, t->format, big, t->format.bytes);
    else if (t->image == 1)
        usuba_count_v(image, t->size, t->parameter, counter, moved, memory, t->format, big, t->format.bytes, t->pack);
    else if (t->image == 2)
        usuba_count_h(image, t->size, t->parameter, counter, moved, memory, t->format, big, t->format.bytes, t->pack);
    else if (t->image == 4)
        usuba_count_p(image, t->size, t->parameter, 1, counter, t->format, big, t->format.bytes);
    else
        usuba_count_interleaved(image, t->size, t->parameter, counter, moved, memory, t->format, big, t->format.bytes,
                                t->pack);
}

/* The digit of weight 256^i. */
static unsigned char *digit(unsigned char *counter, size_t i, size_t bytes, int big)
{
    return counter + (big ? bytes - 1 - i : i);
}

/* Counters in registers against counters in bytes, from numbers near to where 1, 2, 4, 8 and all bytes overflow, and from a
 * random one; two arrays of registers take turns. */
static void check_counters(const struct test *t, size_t number, int big)
{
    const size_t bytes = t->format.bytes;
    const size_t ends[6] = { 0, 1, 2, 4, 8, bytes };
    unsigned char *blocks = (unsigned char *)malloc(t->count * bytes), *counter = (unsigned char *)malloc(2 * bytes);
    unsigned char *expected = (unsigned char *)malloc(t->bytes);
    unsigned char *images[2] = { (unsigned char *)malloc(t->bytes), (unsigned char *)malloc(t->bytes) };
    unsigned char *next = counter + bytes;
    struct usuba_count memory[2];
    size_t end, step, i, j;
    for (end = 0; end < 6; end++) {
        /* Ends below 256^ends by two or three arrays and a half. */
        size_t back = t->count * (2 + number % 2) + t->count / 2;
        fill(counter, bytes, number + end);
        for (i = 0; i < bytes && i < ends[end]; i++) {
            *digit(counter, i, bytes, big) = (unsigned char)(255 - (back & 255));
            back >>= 8;
        }
        memset(images[0], 0xcc, t->bytes);
        memset(images[1], 0xcc, t->bytes);
        memcpy(next, counter, bytes);
        for (step = 0; step < 8; step++) {
            for (j = 0; j < t->count; j++) {
                memcpy(blocks + j * bytes, counter, bytes);
                for (i = 0; i < bytes && ++*digit(counter, i, bytes, big) == 0; i++)
                    ;
            }
            t->pack(expected, blocks);
            /* Registers have no bits beyond the last atom; nothing else may differ. */
            count(t, images[step % 2], next, step < 2 ? 0 : 2 * t->count, &memory[step % 2], big);
            if (memcmp(images[step % 2], expected, t->bytes) != 0)
                die("wrong counters", number);
            if (memcmp(next, counter, bytes) != 0)
                die("a wrong next counter", number);
        }
    }
    free(blocks);
    free(counter);
    free(expected);
    free(images[0]);
    free(images[1]);
}

/* Counters of several batches of packed registers at once against those of one after another: the lower half of a counter
 * overflows in each block of them, or before the first. Then the next ones. */
static void check_batches(const struct test *t, size_t number, int big)
{
    enum { BATCHES = 3 };
    const size_t bytes = t->format.bytes, all = BATCHES * t->count;
    unsigned char *counter = (unsigned char *)malloc(bytes), *next = (unsigned char *)malloc(bytes);
    unsigned char *image = (unsigned char *)malloc(BATCHES * t->bytes), *expected = (unsigned char *)malloc(t->bytes);
    size_t until, step, batch, i;
    for (until = 0; until <= 2 * all + 1; until++) {
        fill(counter, bytes, number + until);
        for (i = 0; i < 8 && i < bytes; i++)
            *digit(counter, i, bytes, big) = (unsigned char)(i == 0 ? 0 - until : until == 0 ? 0 : 255);
        memcpy(next, counter, bytes);
        for (step = 0; step < 3; step++) {
            usuba_count_p(image, t->size, t->parameter, BATCHES, next, t->format, big, bytes);
            for (batch = 0; batch < BATCHES; batch++) {
                usuba_count_p(expected, t->size, t->parameter, 1, counter, t->format, big, bytes);
                if (memcmp(image + batch * t->bytes, expected, t->bytes) != 0)
                    die("wrong counters of several batches", number);
            }
            if (memcmp(next, counter, bytes) != 0)
                die("a wrong next counter of several batches", number);
        }
    }
    free(counter);
    free(next);
    free(image);
    free(expected);
}

int main(void)
{
    unsigned char *rooms[3] = { guarded(), guarded(), guarded() };
    size_t number, i;
    int end;
    for (number = 0; number < sizeof tests / sizeof tests[0]; number++) {
        const struct test t = tests[number];
        const size_t size = t.count * t.format.bytes;
        /* Exact sizes for the sanitizers, as aligned as malloc makes them. */
        unsigned char *image = (unsigned char *)malloc(t.bytes), *other = (unsigned char *)malloc(t.bytes);
        uint64_t *uniform = (uint64_t *)malloc(sizeof(uint64_t) * t.uniform_bytes);
        if (image == NULL || other == NULL || uniform == NULL || size > ROOM)
            die("no memory", number);
        for (end = 0; end < 2; end++) {
            unsigned char *blocks = part(rooms[0], size, end), *back = part(rooms[1], size, !end);
            unsigned char *sum = part(rooms[2], size, end);
            fill(blocks, size, number);
            memset(image, 0xcc, t.bytes);
            t.pack(image, blocks);
            if (end && memcmp(image, other, t.bytes) != 0)
                die("the alignment of blocks shows in registers", number);
            memcpy(other, image, t.bytes);
            memset(back, 0xcc, size);
            unpack(&t, back, NULL, image);
            /* The same added to blocks, into other memory and in its place. */
            memset(sum, 0xcc, size);
            fill(blocks, size, number + 1);
            unpack(&t, sum, blocks, image);
            unpack(&t, blocks, blocks, image);
            if (memcmp(sum, blocks, size) != 0)
                die("adding in place differs", number);
            fill(blocks, size, number + 1);
            for (i = 0; i < size; i++)
                sum[i] ^= blocks[i];
            if (memcmp(sum, back, size) != 0)
                die("adding to blocks differs", number);
            fill(blocks, size, number);
            if (t.image == 0)
                usuba_uniform_b(uniform, 1, blocks, t.format);
            else if (t.image == 1)
                usuba_uniform_v(uniform, t.parameter, blocks, t.format);
            else if (t.image == 3)
                usuba_uniform_interleaved(uniform, t.parameter, blocks, t.format);
            else if (t.image == 4)
                usuba_uniform_p(uniform, t.parameter, blocks, t.format);
            else
                usuba_uniform_h(uniform, t.parameter, blocks, t.format);
            if (end == 0)
                continue;
            fwrite(image, 1, t.bytes, stdout);
            fwrite(back, 1, size, stdout);
            fwrite(uniform, 1, t.uniform_bytes, stdout);
            memset(back, 0xcc, t.format.bytes);
            if (t.image == 0) {
                usuba_uniform_b(uniform, sizeof uniform[0], blocks, t.format);
                usuba_bytes_b(back, uniform, t.format);
            }
            else if (t.image == 1)
                usuba_bytes_v(back, uniform, t.parameter, t.format);
            if (t.image < 2)
                fwrite(back, 1, t.format.bytes, stdout);
        }
        check_counters(&t, number, 0);
        check_counters(&t, number, 1);
        if (t.image == 4) {
            check_batches(&t, number, 0);
            check_batches(&t, number, 1);
        }
        free(image);
        free(other);
        free(uniform);
    }
    return 0;
}
