
/* Bytes of a state. */
#define @STEM@_STATE_BYTES @state@
/* States that are worked on at once. */
#define @STEM@_BATCH @batch@

/* Replaces each of `count` states, one after another at `states`, by its image. Time depends on `count` only. */
void @stem@_permute(unsigned char *states, size_t count);
