USUBA_HIDDEN void @name@(unsigned char *round_keys, const unsigned char *key);

USUBA_STACK_WIPER(@packed_dead@)
