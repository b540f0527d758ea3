
void @name@(const uint8_t *key, const uint8_t *from, uint8_t *to, size_t blocks)
{
    const struct usuba_blocks *cipher = (const struct usuba_blocks *)(const void *)key;
    cipher->@role@(cipher->ctx, from, to, blocks);
}
