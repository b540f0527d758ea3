
const uint8_t *@name@(const uint8_t *key, const uint8_t *from)
{
    const struct usuba_blocks *cipher = (const struct usuba_blocks *)(const void *)key;
    cipher->schedule(cipher->ctx, from);
    return key;
}
