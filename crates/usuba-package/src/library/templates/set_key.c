
USUBA_STACK_WIPER(@dead@)

/* A function of its own, whose frame is overwritten when it has returned. */
static USUBA_NOINLINE void set_key(unsigned char *keys, const unsigned char *key)
{
    schedule(keys, key);
}
