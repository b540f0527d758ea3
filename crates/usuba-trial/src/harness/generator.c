#define STREAMS (2 * BATCH + 3)
#define MOST (7 * BLOCK + 3)

/* One byte at a time, from the beginning. */
static void slowly(const unsigned char *key, const unsigned char *nonce, unsigned char *out, const unsigned char *in,
                   size_t size)
{
    CONTEXT ctx;
    size_t i;
    if (INIT(&ctx, key, nonce) != USUBA_OK)
        COMPLAIN("init fails");
    for (i = 0; i < size; i++)
        if (XOR(&ctx, out + i, in + i, 1) != USUBA_OK)
            COMPLAIN("xor refuses a byte");
}

/* Every length in two calls, in place and not, any alignment. */
static void check_lengths(void)
{
    unsigned char key[KEY], nonce[NONCE], in[MOST], expected[MOST];
    unsigned char *space = reserve(MOST + 2 * MARGIN + 32), *other = reserve(MOST + 2 * MARGIN + 32);
    size_t n;
    fill(key, KEY, 1);
    fill(nonce, NONCE, 2);
    fill(in, MOST, 3);
    slowly(key, nonce, expected, in, MOST);
    for (n = 0; n <= MOST; n++) {
        const size_t first = n * 7 % (n + 1);
        unsigned char *out = prepare(space, n % 17, n), *from = prepare(other, n * 5 % 19, n);
        CONTEXT ctx;
        memcpy(from, in, n);
        if (n % 3 == 1) {
            memcpy(out, in, n);
            from = out;
        }
        if (INIT(&ctx, key, nonce) != USUBA_OK || XOR(&ctx, out, from, first) != USUBA_OK ||
            XOR(&ctx, out + first, from + first, n - first) != USUBA_OK)
            COMPLAIN("xor refuses %lu bytes", (unsigned long)n);
        if (memcmp(out, expected, n) != 0)
            COMPLAIN("xor of %lu bytes, cut at %lu, differs from one at a time", (unsigned long)n,
                     (unsigned long)first);
        if (!margins_intact(out, n))
            COMPLAIN("xor of %lu bytes writes outside its output", (unsigned long)n);
    }
    free(space);
    free(other);
}

/* Many streams at once, some of which have had a few bytes more. */
static void check_streams(void)
{
    static CONTEXT ctx[STREAMS];
    static unsigned char in[STREAMS][MOST], found[STREAMS][MOST], expected[STREAMS][MOST];
    unsigned char *out[STREAMS];
    const unsigned char *from[STREAMS];
    const size_t lengths[3] = { 1, 2 * BLOCK + 5, BLOCK };
    size_t s, n;
    for (s = 0; s < STREAMS; s++) {
        unsigned char key[KEY], nonce[NONCE];
        const size_t ahead = s % 5 == 4 ? 3 : 0;
        fill(key, KEY, s);
        fill(nonce, NONCE, s + 1);
        fill(in[s], MOST, s + 2);
        slowly(key, nonce, expected[s], in[s], MOST);
        if (INIT(&ctx[s], key, nonce) != USUBA_OK || XOR(&ctx[s], found[s], in[s], ahead) != USUBA_OK)
            COMPLAIN("a stream does not begin");
        out[s] = found[s] + ahead;
        from[s] = in[s] + ahead;
    }
    for (n = 0; n < 3; n++) {
        if (XOR_BATCH(ctx, out, from, lengths[n], STREAMS) != USUBA_OK)
            COMPLAIN("xor_batch refuses %lu bytes", (unsigned long)lengths[n]);
        for (s = 0; s < STREAMS; s++) {
            out[s] += lengths[n];
            from[s] += lengths[n];
        }
    }
    for (s = 0; s < STREAMS; s++)
        if (memcmp(found[s], expected[s], (size_t)(out[s] - found[s])) != 0)
            COMPLAIN("stream %lu of a batch differs from one byte at a time", (unsigned long)s);
}

/* A context that was not made or was wiped is refused, alone and among others, and nothing is written. */
static void check_contexts(void)
{
    static CONTEXT ctx[3], before[3];
    unsigned char key[KEY] = { 0 }, nonce[NONCE] = { 0 }, in[3] = { 1, 2, 3 }, found[3] = { 0x5a, 0x5a, 0x5a };
    const unsigned char untouched[3] = { 0x5a, 0x5a, 0x5a };
    unsigned char *const out[3] = { found, found + 1, found + 2 };
    const unsigned char *const from[3] = { in, in + 1, in + 2 };
    int i;
    for (i = 0; i < 3; i++) {
        size_t s;
        for (s = 0; s < 3; s++)
            if (INIT(&ctx[s], key, nonce) != USUBA_OK || XOR(&ctx[s], found, in, 1) != USUBA_OK)
                COMPLAIN("a stream does not begin");
        if (i == 0)
            WIPE(&ctx[1]);
        else
            memset(&ctx[1], i == 1 ? 0 : 0xee, sizeof ctx[1]);
        memcpy(before, ctx, sizeof ctx);
        memcpy(found, untouched, sizeof found);
        if (XOR(&ctx[1], found, in, 1) != USUBA_ERROR_CONTEXT || XOR(&ctx[1], NULL, NULL, 0) != USUBA_ERROR_CONTEXT ||
            XOR_BATCH(ctx, out, from, 1, 3) != USUBA_ERROR_CONTEXT)
            COMPLAIN("a context that is none is accepted (%d)", i);
        if (memcmp(found, untouched, sizeof found) != 0 || memcmp(before, ctx, sizeof ctx) != 0)
            COMPLAIN("a context is refused, but something is written (%d)", i);
    }
}

static void check_modes(void)
{
    unsigned char key[KEY] = { 0 }, nonce[NONCE] = { 0 }, data[2] = { 0 };
    unsigned char *const nowhere[1] = { NULL };
    const unsigned char *const from[1] = { data };
    CONTEXT ctx;
    check_lengths();
    check_streams();
    check_contexts();
    if (INIT(NULL, key, nonce) != USUBA_ERROR_NULL || INIT(&ctx, NULL, nonce) != USUBA_ERROR_NULL ||
        INIT(&ctx, key, NULL) != USUBA_ERROR_NULL || INIT(&ctx, key, nonce) != USUBA_OK)
        COMPLAIN("init returns a wrong code");
    if (XOR(NULL, data, data, 1) != USUBA_ERROR_NULL || XOR(&ctx, NULL, data, 1) != USUBA_ERROR_NULL ||
        XOR(&ctx, NULL, NULL, 0) != USUBA_OK || XOR_BATCH(&ctx, nowhere, from, 1, 1) != USUBA_ERROR_NULL ||
        XOR_BATCH(NULL, NULL, NULL, 1, 0) != USUBA_OK)
        COMPLAIN("xor returns a wrong code");
    if (XOR(&ctx, data + 1, data, 2) != USUBA_ERROR_OVERLAP)
        COMPLAIN("xor accepts overlapping buffers");
}

int main(void)
{
    int request;
    while ((request = getchar()) != EOF) {
        if (request == 'X') {
            size_t n;
            unsigned char key[KEY], nonce[NONCE];
            unsigned char *data;
            CONTEXT ctx;
            (void)receive_number();
            n = (size_t)receive_number();
            data = reserve(n);
            receive(key, KEY);
            receive(nonce, NONCE);
            receive(data, n);
            if (INIT(&ctx, key, nonce) != USUBA_OK || XOR(&ctx, data, data, n) != USUBA_OK)
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
