
int @stem@_batch(const struct usuba_blocks *cipher, const uint8_t *prepared, size_t count, @prefix@@message@ *messages)
{
    size_t i;
    (void)cipher;
    (void)prepared;
    for (i = 0; i < count; i++)
        messages[i].result = USUBA_ERROR_TARGET;
    return count > 0 ? USUBA_ERROR_TARGET : USUBA_OK;
}
