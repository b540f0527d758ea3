USUBA_HIDDEN void @engine@_permute(unsigned char *states, size_t count);
