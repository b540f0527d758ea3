@if ecb
USUBA_HIDDEN void @engine@_encrypt_blocks(const void *keys, @tweaks@unsigned char *out, const unsigned char *in, size_t blocks);
@if decrypt
USUBA_HIDDEN void @engine@_decrypt_blocks(const void *keys, @tweaks@unsigned char *out, const unsigned char *in, size_t blocks);
@end
@end
@if ctr
USUBA_HIDDEN void @engine@_ctr_xor(const void *keys, const unsigned char *counter, unsigned char *out, const unsigned char *in, size_t length);
@end
