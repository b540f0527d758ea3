USUBA_HIDDEN int @around@_batch(const struct usuba_blocks *cipher, const uint8_t *prepared, size_t count,
    @prefix@@message@ *messages);
