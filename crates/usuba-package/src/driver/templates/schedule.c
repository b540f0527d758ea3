/* Runs the key schedule for one key. */
static void schedule(unsigned char *round_keys, const unsigned char *key)
{
    @in@;
    @out@;
    @from_bytes@
    @symbol@(in, out);
    @to_bytes@
    usuba_wipe(in, sizeof in);
    usuba_wipe(out, sizeof out);
}

