/* The counters of a batch. */
struct counters {
    uint32_t lanes[@instances@];
};

/* The kernel, given counters and nonce each by itself. */
static void @symbol@(const @key@ *key, const struct counters *counters, const uint32_t *nonce, @register@ *out)
{
    @register@ rows[@batches@];
    size_t j;
    for (j = 0; j < @batches@; j++)
        usuba_count_rows(rows + j, sizeof rows[0], counters[j].lanes[0], nonce);
    @kernel@(key, rows, out);
}

