/* The kernels are given the key. */
static void schedule(unsigned char *round_keys, const unsigned char *key)
{
    memcpy(round_keys, key, @key@);
}

