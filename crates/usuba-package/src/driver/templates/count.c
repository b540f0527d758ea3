/* The next counters, `moved` after those that are there. */
static void count(struct counting *state, uint64_t moved)
{
    @count@
}

