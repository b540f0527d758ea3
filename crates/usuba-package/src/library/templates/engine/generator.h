USUBA_HIDDEN void @engine@_init(void *, const unsigned char *key, const unsigned char *nonce);
USUBA_HIDDEN void @engine@_xor_batch(void *, unsigned char *const *out, const unsigned char *const *in,
    size_t length, size_t streams);
