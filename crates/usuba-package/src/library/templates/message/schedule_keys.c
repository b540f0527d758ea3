
USUBA_HIDDEN void @stem@_schedule(const uint8_t *from, uint8_t *to);

void @stem@_schedule(const uint8_t *from, uint8_t *to)
{
    @cipher@_ctx made;
    (void)@cipher@_init(&made, from);
    memcpy(to, made.keys, sizeof made.keys);
    usuba_wipe(&made, sizeof made);
}
