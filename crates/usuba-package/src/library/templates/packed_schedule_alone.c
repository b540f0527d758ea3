USUBA_HIDDEN void @name@(unsigned char *round_keys, const unsigned char *key);

/* Runs the key schedule for one key. */
static void schedule(unsigned char *round_keys, const unsigned char *key)
{
    @name@(round_keys, key);
}
