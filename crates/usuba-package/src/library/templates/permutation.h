
/* Bytes of a state. */
#define @STEM@_STATE_BYTES @state@

/* Replaces each of `count` states, one after another at `states`, by its image. Time depends on `count` only. */
@API@int @stem@_permute(unsigned char *states, size_t count);
