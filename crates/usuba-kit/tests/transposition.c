#include "usuba_transpose.h"
#include <stdio.h>
#include <stdlib.h>

struct test {
    struct usuba_format format;
    int image; /* 0: B, 1: V, 2: H, 3: H in integers. */
    size_t parameter; /* Bytes of a lane, bits of an element. */
    size_t size, count, bytes, uniform_bytes;
};

static const struct test tests[] = {
/* CASES */
};

static void fill(unsigned char *p, size_t size, uint64_t seed)
{
    size_t i;
    for (i = 0; i < size; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        p[i] = (unsigned char)(seed >> 56);
    }
}

int main(void)
{
    size_t number;
    for (number = 0; number < sizeof tests / sizeof tests[0]; number++) {
        const struct test t = tests[number];
        const size_t size = t.count * t.format.bytes;
        /* Blocks at odd addresses, images as aligned as malloc makes them; exact sizes for the sanitizers. */
        unsigned char *space = (unsigned char *)malloc(size + 1), *blocks = space + 1;
        unsigned char *back_space = (unsigned char *)malloc(size + 3), *back = back_space + 3;
        unsigned char *image = (unsigned char *)malloc(t.bytes);
        uint64_t *uniform = (uint64_t *)malloc(t.uniform_bytes);
        if (space == NULL || back_space == NULL || image == NULL || uniform == NULL)
            return 1;
        fill(blocks, size, number);
        memset(image, 0xcc, t.bytes);
        memset(back, 0xcc, size);
        if (t.image == 0) {
            usuba_pack_b(image, t.size, blocks, t.count, t.format);
            usuba_unpack_b(back, t.count, image, t.size, t.format);
            usuba_uniform_b(uniform, blocks, t.format);
        } else if (t.image == 1) {
            usuba_pack_v(image, t.size, t.parameter, blocks, t.count, t.format);
            usuba_unpack_v(back, t.count, image, t.size, t.parameter, t.format);
            usuba_uniform_v(uniform, t.parameter, blocks, t.format);
        } else if (t.image == 3) {
            usuba_pack_interleaved((uint64_t *)(void *)image, t.parameter, blocks, t.count, t.format);
            usuba_unpack_interleaved(back, t.count, (const uint64_t *)(const void *)image, t.parameter, t.format);
            usuba_uniform_interleaved(uniform, t.parameter, blocks, t.format);
        } else {
            usuba_pack_h(image, t.size, t.parameter, blocks, t.count, t.format);
            usuba_unpack_h(back, t.count, image, t.size, t.parameter, t.format);
            usuba_uniform_h(uniform, t.parameter, blocks, t.format);
        }
        fwrite(image, 1, t.bytes, stdout);
        fwrite(back, 1, size, stdout);
        fwrite(uniform, 1, t.uniform_bytes, stdout);
        memset(back, 0xcc, t.format.bytes);
        if (t.image == 0)
            usuba_bytes_b(back, uniform, t.format);
        else if (t.image == 1)
            usuba_bytes_v(back, uniform, t.parameter, t.format);
        if (t.image < 2)
            fwrite(back, 1, t.format.bytes, stdout);
        free(space);
        free(back_space);
        free(image);
        free(uniform);
    }
    return 0;
}
