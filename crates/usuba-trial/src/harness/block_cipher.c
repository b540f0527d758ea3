static CONTEXT context;

/* The tweaks of the blocks from number `first` on, as an argument with its comma. */
#if defined(TWEAK)
static unsigned char *tweaks;
#define TWEAKS(first) tweaks + (first) * TWEAK,
#define TWEAKS_TYPE const unsigned char *,
#else
#define TWEAKS(first)
#define TWEAKS_TYPE
#endif

/* One block; a cipher that has counter mode only shows it as the keystream. */
static void encrypt_one(unsigned char *out, const unsigned char *in)
{
#if defined(ENCRYPT)
    if (ENCRYPT(&context, TWEAKS(0) out, in, 1) != USUBA_OK)
        die("a block is refused");
#elif defined(CTR)
    unsigned char counter[BLOCK];
    memcpy(counter, in, BLOCK);
    memset(out, 0, BLOCK);
    if (CTR(&context, counter, out, out, BLOCK) != USUBA_OK)
        die("a block is refused");
#else
    (void)in;
    (void)out;
    die("there is no function that encrypts");
#endif
}

/* The greatest number of blocks in the checks below. */
#define MOST (2 * BATCH + 1)

typedef int blocks_function(const CONTEXT *, TWEAKS_TYPE unsigned char *, const unsigned char *, size_t);

#if defined(ENCRYPT)
/* Every number of blocks, any alignment, in place or not, against the blocks one at a time. */
static void check_blocks(const char *name, blocks_function *apply, const unsigned char *in, unsigned char *expected,
                         unsigned char *space, unsigned char *other)
{
    size_t n;
    for (n = 0; n < MOST; n++)
        if (apply(&context, TWEAKS(n) expected + n * BLOCK, in + n * BLOCK, 1) != USUBA_OK)
            COMPLAIN("%s refuses a block", name);
    for (n = 0; n <= MOST; n++) {
        const size_t size = n * BLOCK;
        unsigned char *out = prepare(space, n % 17, size);
        unsigned char *from = prepare(other, n * 5 % 19, size);
        memcpy(from, in, size);
        if (n % 3 == 1) {
            memcpy(out, in, size);
            from = out;
        }
        if (apply(&context, TWEAKS(0) out, from, n) != USUBA_OK)
            COMPLAIN("%s refuses %lu blocks", name, (unsigned long)n);
        if (memcmp(out, expected, size) != 0)
            COMPLAIN("%s of %lu blocks%s differs from one at a time", name, (unsigned long)n,
                     from == out ? " in place" : "");
        if (!margins_intact(out, size))
            COMPLAIN("%s of %lu blocks writes outside its output", name, (unsigned long)n);
        if (from != out && (memcmp(from, in, size) != 0 || !margins_intact(from, size)))
            COMPLAIN("%s of %lu blocks writes to its input", name, (unsigned long)n);
    }
    if (apply(&context, TWEAKS(0) NULL, in, 1) != USUBA_ERROR_NULL ||
        apply(NULL, TWEAKS(0) expected, in, 1) != USUBA_ERROR_NULL)
        COMPLAIN("%s accepts a null pointer", name);
    if (apply(&context, TWEAKS(0) expected, in, SIZE_MAX / BLOCK + 1) != USUBA_ERROR_LENGTH)
        COMPLAIN("%s accepts more bytes than memory has", name);
    if (apply(&context, TWEAKS(0) space + 1, space, 1) != USUBA_ERROR_OVERLAP)
        COMPLAIN("%s accepts overlapping buffers", name);
#if defined(TWEAK)
    if (apply(&context, NULL, expected, in, 1) != USUBA_ERROR_NULL)
        COMPLAIN("%s accepts a null pointer to tweaks", name);
    if (apply(&context, expected + BLOCK - 1, expected, in, 1) != USUBA_ERROR_OVERLAP)
        COMPLAIN("%s accepts tweaks in its output", name);
#endif
}
#endif

#if defined(CTR)
/* The counter plus `n`, byte by byte, of which the last `digits` count. */
static void counter_plus(unsigned char *out, const unsigned char *counter, size_t n, int digits)
{
    uint64_t carry = n;
    int i;
    memcpy(out, counter, BLOCK);
    for (i = BLOCK - 1; i >= BLOCK - digits; i--) {
        carry += counter[i];
        out[i] = (unsigned char)(carry & 0xff);
        carry >>= 8;
    }
}

/* The counter minus `n`. */
static void counter_minus(unsigned char *out, const unsigned char *counter, unsigned n)
{
    unsigned borrow = n;
    int i;
    for (i = BLOCK - 1; i >= 0; i--) {
        const unsigned digit = borrow & 0xff;
        borrow >>= 8;
        if (counter[i] < digit)
            borrow++;
        out[i] = (unsigned char)(counter[i] - digit);
    }
}

typedef int ctr_function(const CONTEXT *, unsigned char *, unsigned char *, const unsigned char *, size_t);

/* Numbers of blocks from 0 to MOST with odd ends, starting at `start`; the last `digits` bytes of the counter count. */
static void check_ctr(const char *name, ctr_function *apply, int digits, const unsigned char *start, size_t step,
                      const unsigned char *in, unsigned char *expected, unsigned char *space, unsigned char *other)
{
    unsigned char counter[BLOCK], next[BLOCK];
    size_t n, i;
#if defined(ENCRYPT) && !defined(TWEAK)
    /* All in one call, which `check_blocks` has compared with one at a time: that takes a whole batch for each. */
    for (n = 0; n < MOST; n++)
        counter_plus(expected + n * BLOCK, start, n, digits);
    if (ENCRYPT(&context, expected, expected, MOST) != USUBA_OK)
        COMPLAIN("encrypt refuses counters");
#else
    for (n = 0; n < MOST; n++) {
        counter_plus(counter, start, n, digits);
        encrypt_one(expected + n * BLOCK, counter);
    }
#endif
    for (i = 0; i < MOST * BLOCK; i++)
        expected[i] ^= in[i];
    for (n = 0; n < MOST; n += step) {
        const size_t tails[4] = { 0, 1, BLOCK - 1, n * 5 % BLOCK };
        size_t tail;
        for (tail = 0; tail < 4; tail++) {
            const size_t size = n * BLOCK + tails[tail];
            const size_t first = (n / 2) * BLOCK;
            unsigned char *out = prepare(space, (n + tail) % 17, size);
            unsigned char *from = prepare(other, n * 5 % 19, size);
            memcpy(from, in, size);
            if ((n + tail) % 3 == 1) {
                memcpy(out, in, size);
                from = out;
            }
            memcpy(counter, start, BLOCK);
            /* In one call, or in two that are to continue each other. */
            if (tail % 2 == 0) {
                if (apply(&context, counter, out, from, size) != USUBA_OK)
                    COMPLAIN("%s refuses %lu bytes", name, (unsigned long)size);
            } else if (apply(&context, counter, out, from, first) != USUBA_OK ||
                       apply(&context, counter, out + first, from + first, size - first) != USUBA_OK) {
                COMPLAIN("%s refuses %lu bytes in two calls", name, (unsigned long)size);
            }
            counter_plus(next, start, (size + BLOCK - 1) / BLOCK, digits);
            if (memcmp(out, expected, size) != 0)
                COMPLAIN("%s of %lu bytes%s%s differs from one block at a time", name, (unsigned long)size,
                         from == out ? " in place" : "", tail % 2 ? " in two calls" : "");
            if (memcmp(counter, next, BLOCK) != 0)
                COMPLAIN("%s of %lu bytes leaves a wrong counter", name, (unsigned long)size);
            if (!margins_intact(out, size))
                COMPLAIN("%s of %lu bytes writes outside its output", name, (unsigned long)size);
        }
    }
    if (apply(&context, NULL, expected, in, 1) != USUBA_ERROR_NULL || apply(&context, counter, NULL, in, 1) == USUBA_OK)
        COMPLAIN("%s accepts a null pointer", name);
    if (apply(&context, counter, space + 1, space, 2) != USUBA_ERROR_OVERLAP)
        COMPLAIN("%s accepts overlapping buffers", name);
    /* The last byte of the counter is the first of a buffer, or its first one the last of it. */
    memset(space, 0x5a, 4 * BLOCK);
    if (apply(&context, space, space + BLOCK - 1, in, 2 * BLOCK) != USUBA_ERROR_OVERLAP ||
        apply(&context, space + 2 * BLOCK - 1, space, in, 2 * BLOCK) != USUBA_ERROR_OVERLAP ||
        apply(&context, space, space, space, BLOCK) != USUBA_ERROR_OVERLAP)
        COMPLAIN("%s accepts a counter in its output", name);
    if (apply(&context, space, expected, space + BLOCK - 1, 2 * BLOCK) != USUBA_ERROR_OVERLAP)
        COMPLAIN("%s accepts a counter in its input", name);
    for (i = 0; i < 4 * BLOCK; i++)
        if (space[i] != 0x5a)
            break;
    if (i < 4 * BLOCK)
        COMPLAIN("%s refuses a counter, but writes", name);
    memset(space, 0, 4 * BLOCK);
    if (apply(&context, space, space + BLOCK, space + BLOCK, BLOCK) != USUBA_OK)
        COMPLAIN("%s refuses a counter beside its output", name);
}
#endif

/* `context` is none: all functions say so, and write nothing. */
static void check_refused(const char *what, const unsigned char *in, unsigned char *space)
{
    unsigned char counter[BLOCK];
    size_t i;
    memset(space, 0x5a, BLOCK);
    memset(counter, 0x5a, BLOCK);
#if defined(ENCRYPT)
    if (ENCRYPT(&context, TWEAKS(0) space, in, 1) != USUBA_ERROR_CONTEXT)
        COMPLAIN("encrypt accepts a context that %s", what);
#endif
#if defined(DECRYPT)
    if (DECRYPT(&context, TWEAKS(0) space, in, 1) != USUBA_ERROR_CONTEXT)
        COMPLAIN("decrypt accepts a context that %s", what);
#endif
#if defined(CTR)
    if (CTR(&context, counter, space, in, BLOCK) != USUBA_ERROR_CONTEXT ||
        CTR32(&context, counter, space, in, BLOCK) != USUBA_ERROR_CONTEXT)
        COMPLAIN("ctr accepts a context that %s", what);
#endif
    for (i = 0; i < BLOCK; i++)
        if (space[i] != 0x5a || counter[i] != 0x5a)
            break;
    if (i < BLOCK)
        COMPLAIN("a context that %s is refused, but something is written", what);
    (void)in;
}

static void check_modes(void)
{
    const size_t size = MOST * BLOCK;
    unsigned char *in = reserve(size), *expected = reserve(size);
    unsigned char *space = reserve(size + 2 * MARGIN + 32), *other = reserve(size + 2 * MARGIN + 32);
    unsigned char key[KEY];
    fill(key, KEY, 1);
    fill(in, size, 2);
#if defined(TWEAK)
    tweaks = reserve(MOST * TWEAK);
    fill(tweaks, MOST * TWEAK, 4);
#endif
    if (INIT(&context, key) != USUBA_OK || INIT(NULL, key) != USUBA_ERROR_NULL || INIT(&context, NULL) == USUBA_OK)
        COMPLAIN("init returns a wrong code");
#if defined(ENCRYPT)
    check_blocks("encrypt", ENCRYPT, in, expected, space, other);
#endif
#if defined(DECRYPT)
    check_blocks("decrypt", DECRYPT, in, expected, space, other);
    memcpy(space, in, size);
    if (ENCRYPT(&context, TWEAKS(0) space, space, MOST) != USUBA_OK ||
        DECRYPT(&context, TWEAKS(0) space, space, MOST) != USUBA_OK ||
        memcmp(space, in, size) != 0)
        COMPLAIN("decrypt does not undo encrypt");
#endif
#if defined(CTR)
    {
        unsigned char start[BLOCK];
        size_t low;
        fill(start, BLOCK, 3);
        check_ctr("ctr", CTR, BLOCK, start, 1, in, expected, space, other);
        /* Wraps of the low 32 bits, of the low 64 bits, and of the whole counter, in the middle of a batch, at its end,
         * and at the beginning. */
        for (low = 4; low <= BLOCK; low *= 2) {
            const unsigned before[3] = { BATCH / 2 + 1, BATCH, 1 };
            size_t i;
            for (i = 0; i < 3; i++) {
                unsigned char wrap[BLOCK];
                fill(wrap, BLOCK, low + i);
                memset(wrap + BLOCK - low, 0, low);
                counter_minus(start, wrap, before[i]);
                check_ctr("ctr", CTR, BLOCK, start, BATCH / 8 + 1, in, expected, space, other);
                if (low == 4)
                    check_ctr("ctr32", CTR32, 4, start, BATCH / 4 + 1, in, expected, space, other);
            }
        }
    }
#endif
    WIPE(&context);
    check_refused("was wiped", in, space);
    memset(&context, 0xee, sizeof context);
    check_refused("was not made", in, space);
    memset(&context, 0, sizeof context);
    check_refused("is zero", in, space);
    free(in);
    free(expected);
    free(space);
    free(other);
#if defined(TWEAK)
    free(tweaks);
#endif
}

int main(void)
{
    int request;
    while ((request = getchar()) != EOF) {
        if (request == 'K') {
            unsigned char key[KEY], round_keys[ROUND_KEYS];
            receive(key, KEY);
            if (INIT(&context, key) != USUBA_OK)
                die("init fails");
            schedule(round_keys, key);
            answer(round_keys, ROUND_KEYS);
        } else if (request == 'E' || request == 'D') {
            const size_t n = (size_t)receive_number();
            unsigned char *data = reserve(n * BLOCK);
            int result = USUBA_ERROR_NULL;
#if defined(TWEAK)
            tweaks = reserve(n * TWEAK);
            receive(tweaks, n * TWEAK);
#endif
            receive(data, n * BLOCK);
#if defined(ENCRYPT)
            if (request == 'E')
                result = ENCRYPT(&context, TWEAKS(0) data, data, n);
#else
            if (request == 'E') {
                size_t i;
                for (i = 0; i < n; i++)
                    encrypt_one(data + i * BLOCK, data + i * BLOCK);
                result = USUBA_OK;
            }
#endif
#if defined(DECRYPT)
            if (request == 'D')
                result = DECRYPT(&context, TWEAKS(0) data, data, n);
#endif
            if (result != USUBA_OK)
                die("blocks are refused");
            answer(data, n * BLOCK);
#if defined(TWEAK)
            free(tweaks);
#endif
            free(data);
#if defined(CTR)
        } else if (request == 'C') {
            const size_t n = (size_t)receive_number();
            unsigned char counter[BLOCK];
            unsigned char *data = reserve(n);
            receive(counter, BLOCK);
            receive(data, n);
            if (CTR(&context, counter, data, data, n) != USUBA_OK)
                die("ctr fails");
            answer(data, n);
            answer(counter, BLOCK);
            free(data);
#endif
        } else if (request == 'N') {
            uint64_t n = receive_number();
            unsigned char block[BLOCK];
            receive(block, BLOCK);
            while (n-- > 0)
                encrypt_one(block, block);
            answer(block, BLOCK);
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
