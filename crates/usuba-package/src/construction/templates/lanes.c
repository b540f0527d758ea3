
/* Goes on with all lanes to their ends. States lie one after another, as permutations take them. */
static void @symbol@_run(struct @symbol@_lane *lanes, size_t count)
{
    unsigned char states[@LANES@ * @STATE@];
    size_t order[@LANES@], active = count, i, from;
    unsigned wanted[@LANES@];
    for (i = 0; i < count; i++)
        order[i] = i;
    while (active > 0) {
        for (i = 0; i < active;) {
            struct @symbol@_lane *lane = &lanes[order[i]];
            lane->state = states + i * @STATE@;
            wanted[i] = @symbol@_lane_step(lane);
            if (wanted[i] > 0) {
                i++;
            } else if (i < --active) {
                /* The last lane, which has not gone on yet, takes its place. */
                order[i] = order[active];
                memcpy(states + i * @STATE@, states + active * @STATE@, @STATE@);
            }
        }
        from = 0;
@permute@
    }
    usuba_wipe(states, count * @STATE@);
}
