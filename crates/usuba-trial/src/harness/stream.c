#define MOST (2 * BATCH + 1)

/* Numbers of blocks from 0 to MOST with odd ends, starting at `start`. */
static void check_xor(COUNTER start, size_t step, const unsigned char *in, unsigned char *expected,
                      unsigned char *space, unsigned char *other)
{
    unsigned char key[KEY], nonce[NONCE];
    size_t n;
    fill(key, KEY, 1);
    fill(nonce, NONCE, 2);
    for (n = 0; n < MOST; n++)
        if (XOR(key, nonce, (COUNTER)(start + n), expected + n * BLOCK, in + n * BLOCK, BLOCK) != USUBA_OK)
            COMPLAIN("xor refuses a block");
    for (n = 0; n < MOST; n += step) {
        const size_t tails[4] = { 0, 1, BLOCK - 1, n * 5 % BLOCK };
        size_t tail;
        for (tail = 0; tail < 4; tail++) {
            const size_t size = n * BLOCK + tails[tail];
            unsigned char *out = prepare(space, (n + tail) % 17, size);
            unsigned char *from = prepare(other, n * 5 % 19, size);
            memcpy(from, in, size);
            if ((n + tail) % 3 == 1) {
                memcpy(out, in, size);
                from = out;
            }
            if (XOR(key, nonce, start, out, from, size) != USUBA_OK)
                COMPLAIN("xor refuses %lu bytes", (unsigned long)size);
            if (memcmp(out, expected, size) != 0)
                COMPLAIN("xor of %lu bytes%s differs from one block at a time", (unsigned long)size,
                         from == out ? " in place" : "");
            if (!margins_intact(out, size))
                COMPLAIN("xor of %lu bytes writes outside its output", (unsigned long)size);
        }
    }
    if (XOR(NULL, nonce, 0, expected, in, 1) != USUBA_ERROR_NULL || XOR(key, nonce, 0, NULL, in, 1) == USUBA_OK)
        COMPLAIN("xor accepts a null pointer");
    if (XOR(key, nonce, 0, space + 1, space, 2) != USUBA_ERROR_OVERLAP)
        COMPLAIN("xor accepts overlapping buffers");
    memset(space, 0x5a, KEY + NONCE + BLOCK);
    if (XOR(space, nonce, 0, space + KEY - 1, in, BLOCK) != USUBA_ERROR_OVERLAP ||
        XOR(key, space + BLOCK - 1, 0, space, in, BLOCK) != USUBA_ERROR_OVERLAP)
        COMPLAIN("xor accepts a key or a nonce in its output");
    for (n = 0; n < KEY + NONCE + BLOCK; n++)
        if (space[n] != 0x5a)
            break;
    if (n < KEY + NONCE + BLOCK)
        COMPLAIN("xor refuses a key or a nonce, but writes");
}

static void check_modes(void)
{
    const size_t size = MOST * BLOCK;
    unsigned char *in = reserve(size), *expected = reserve(size);
    unsigned char *space = reserve(size + 2 * MARGIN + 32), *other = reserve(size + 2 * MARGIN + 32);
    fill(in, size, 3);
    check_xor(1, 1, in, expected, space, other);
    check_xor((COUNTER)(0 - (uint64_t)(BATCH / 2 + 1)), 1, in, expected, space, other);
    check_xor((COUNTER)(0 - (uint64_t)1), BATCH / 8 + 1, in, expected, space, other);
    if (sizeof(COUNTER) > 4)
        check_xor((COUNTER)(((uint64_t)1 << 32) - BATCH / 2), 1, in, expected, space, other);
    free(in);
    free(expected);
    free(space);
    free(other);
}

int main(void)
{
    int request;
    while ((request = getchar()) != EOF) {
        if (request == 'X') {
            const COUNTER counter = (COUNTER)receive_number();
            const size_t n = (size_t)receive_number();
            unsigned char key[KEY], nonce[NONCE];
            unsigned char *data = reserve(n);
            receive(key, KEY);
            receive(nonce, NONCE);
            receive(data, n);
            if (XOR(key, nonce, counter, data, data, n) != USUBA_OK)
                die("xor fails");
            answer(data, n);
            free(data);
        } else if (request == 'M') {
            memset(message, 0, sizeof message);
            check_modes();
            answer(message, sizeof message);
        } else {
            die("an unknown request");
        }
    }
    return 0;
}
