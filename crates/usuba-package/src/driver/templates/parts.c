/* The counters of a batch. */
struct counters {
    @element@ lanes[@instances@];
};

/* The kernel, given counters and nonce each by itself. */
static void @symbol@(const @key@ *key, const struct counters *counters, const @element@ *nonce, @register@ *out)
{
    @register@ rows[@batches@];
    unsigned char *row = (unsigned char *)rows;
    size_t j;
    for (j = 0; j < @all@; j++, row += 16) {
        memcpy(row, counters[j / @instances@].lanes + j % @instances@, @lane@);
        memcpy(row + @lane@, nonce, @nonce@);
    }
    @kernel@(key, rows, out);
}

