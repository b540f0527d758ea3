
/* Brings the lanes from `from` on that want a permutation before the others, and permutes their states. Returns how many lanes
 * lie before those that are left. */
static size_t @symbol@_gather(size_t *order, unsigned *wanted, unsigned char *states, size_t from, size_t active, unsigned number)
{
    size_t i, end = from;
    for (i = from; i < active; i++) {
        if (wanted[i] != number)
            continue;
        if (i != end) {
            const size_t lane = order[i];
            order[i] = order[end];
            order[end] = lane;
            wanted[i] = wanted[end];
            wanted[end] = number;
            usuba_exchange(states + i * @STATE@, states + end * @STATE@, @STATE@);
        }
        end++;
    }
    if (end > from) {
        switch (number) {
@cases@
        default: break;
        }
    }
    return end;
}
