USUBA_HIDDEN void @engine@_xor(const unsigned char *key, const unsigned char *nonce, uint@counter_bits@_t counter,
    unsigned char *out, const unsigned char *in, size_t length);
