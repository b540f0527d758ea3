/* lengths.c - AES-GCM by one implementation against another: every length to 2,400 bytes, each seventh to 10,400 and some from 65,000
 * bytes on, by eight lengths of associated data, keys of 128 and 256 bits, sealed and opened, out of place and in place, with nothing written behind the text, and a forged tag
 * that leaves zeros. Arguments: OBJECT OTHER, shared objects with the table of gcm.h. */
#include "gcm.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DENSE = 2400, SPARSE = 10400, LONG = 65000, MOST = 70000, BEHIND = 80, MARK = 7 };

static const size_t aad_lengths[] = {0, 1, 15, 16, 17, 20, 64, 1000};
static uint8_t plain[MOST + BEHIND], sealed[MOST + BEHIND], expected[MOST + BEHIND], opened[MOST + BEHIND];
static uint8_t aad[1000], nonce[12], key[32], tag[16], expected_tag[16];

static const struct gcm *load(const char *path)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct gcm *table = object ? dlsym(object, "gcm_implementations") : NULL;
    if (!table) {
        fprintf(stderr, "lengths: %s\n", dlerror());
        exit(2);
    }
    return table;
}

static void must(int holds, const char *what, int bits, size_t bytes, size_t aad_bytes)
{
    if (holds)
        return;
    fprintf(stderr, "lengths: %s: key of %d bits, %zu bytes, %zu of associated data\n", what, bits, bytes, aad_bytes);
    exit(1);
}

static int is(const uint8_t *bytes, size_t count, uint8_t value)
{
    for (size_t at = 0; at < count; at++)
        if (bytes[at] != value)
            return 0;
    return 1;
}

static void compare(const struct gcm *one, const struct gcm *other, void *of[2], int bits, size_t bytes, size_t aad_bytes)
{
    memset(sealed, MARK, sizeof sealed);
    memset(opened, MARK, sizeof opened);
    one->seal(of[0], nonce, aad, aad_bytes, plain, bytes, sealed, tag);
    other->seal(of[1], nonce, aad, aad_bytes, plain, bytes, expected, expected_tag);
    must(!memcmp(sealed, expected, bytes) && !memcmp(tag, expected_tag, 16), "sealed", bits, bytes, aad_bytes);
    must(is(sealed + bytes, BEHIND, MARK), "written behind the text", bits, bytes, aad_bytes);
    must(!one->open(of[0], nonce, aad, aad_bytes, sealed, bytes, tag, opened), "refused", bits, bytes, aad_bytes);
    must(!memcmp(opened, plain, bytes), "opened", bits, bytes, aad_bytes);
    must(is(opened + bytes, BEHIND, MARK), "written behind the opened text", bits, bytes, aad_bytes);
    one->seal(of[0], nonce, aad, aad_bytes, opened, bytes, opened, tag);
    must(!memcmp(opened, sealed, bytes) && !memcmp(tag, expected_tag, 16), "sealed in place", bits, bytes, aad_bytes);
    must(!one->open(of[0], nonce, aad, aad_bytes, opened, bytes, tag, opened), "refused in place", bits, bytes, aad_bytes);
    must(!memcmp(opened, plain, bytes), "opened in place", bits, bytes, aad_bytes);
    tag[bytes % 16] ^= (uint8_t)(1 << bytes / 16 % 8);
    must(one->open(of[0], nonce, aad, aad_bytes, sealed, bytes, tag, opened), "forged and not refused", bits, bytes, aad_bytes);
    must(is(opened, bytes, 0), "text of a forged tag", bits, bytes, aad_bytes);
}

int main(int count, char **arguments)
{
    if (count != 3)
        return 2;
    const struct gcm *one = load(arguments[1]), *other = load(arguments[2]);
    srand(1);
    for (size_t at = 0; at < sizeof plain; at++)
        plain[at] = (uint8_t)rand();
    for (size_t at = 0; at < sizeof aad; at++)
        aad[at] = (uint8_t)rand();
    for (size_t at = 0; at < sizeof key; at++)
        key[at] = (uint8_t)rand();
    int messages = 0;
    for (int bits = 128; bits <= 256; bits += 128) {
        void *of[2] = {one->start(bits, key), other->start(bits, key)};
        for (size_t bytes = 0; bytes <= MOST; bytes = bytes < DENSE ? bytes + 1 : bytes < SPARSE ? bytes + 7 : bytes < LONG ? LONG : bytes + 67)
            for (size_t at = 0; at < sizeof aad_lengths / sizeof *aad_lengths; at++, messages++) {
                nonce[messages % 12]++;
                compare(one, other, of, bits, bytes, aad_lengths[at]);
            }
    }
    printf("%d messages of all lengths agree\n", messages);
}
