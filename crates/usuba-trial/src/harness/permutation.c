#define MOST (2 * BATCH + 1)

/* Every number of states, any alignment, against the states one at a time. */
static void check_modes(void)
{
    const size_t size = MOST * BLOCK;
    unsigned char *in = reserve(size), *expected = reserve(size), *space = reserve(size + 2 * MARGIN + 32);
    size_t n;
    fill(in, size, 1);
    memcpy(expected, in, size);
    for (n = 0; n < MOST; n++)
        if (PERMUTE(expected + n * BLOCK, 1) != USUBA_OK)
            COMPLAIN("permute refuses a state");
    for (n = 0; n <= MOST; n++) {
        unsigned char *states = prepare(space, n % 17, n * BLOCK);
        memcpy(states, in, n * BLOCK);
        if (PERMUTE(states, n) != USUBA_OK)
            COMPLAIN("permute refuses %lu states", (unsigned long)n);
        if (memcmp(states, expected, n * BLOCK) != 0)
            COMPLAIN("permute of %lu states differs from one at a time", (unsigned long)n);
        if (!margins_intact(states, n * BLOCK))
            COMPLAIN("permute of %lu states writes outside them", (unsigned long)n);
    }
    if (PERMUTE(NULL, 1) != USUBA_ERROR_NULL || PERMUTE(NULL, 0) != USUBA_OK ||
        PERMUTE(in, SIZE_MAX / BLOCK + 1) != USUBA_ERROR_LENGTH)
        COMPLAIN("permute returns a wrong code");
    free(in);
    free(expected);
    free(space);
}

int main(void)
{
    int request;
    while ((request = getchar()) != EOF) {
        if (request == 'P') {
            const size_t n = (size_t)receive_number();
            unsigned char *data = reserve(n * BLOCK);
            receive(data, n * BLOCK);
            if (PERMUTE(data, n) != USUBA_OK)
                die("permute fails");
            answer(data, n * BLOCK);
            free(data);
        } else if (request == 'N') {
            uint64_t n = receive_number();
            unsigned char state[BLOCK];
            receive(state, BLOCK);
            while (n-- > 0)
                if (PERMUTE(state, 1) != USUBA_OK)
                    die("permute fails");
            answer(state, BLOCK);
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
