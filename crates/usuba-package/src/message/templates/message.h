/*
@head@
 */
#ifndef @GUARD@
#define @GUARD@

#include <stddef.h>
#include <stdint.h>

/* Bytes that @symbol@_prepare writes, and what their address is a multiple of. */
#define @SYMBOL@_PREPARED_BYTES @prepared@
#define @SYMBOL@_PREPARED_ALIGNMENT 64

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Does what needs nothing but the key, once for all messages of the key.
@key_parameters@
 *   prepared: @SYMBOL@_PREPARED_BYTES bytes, aligned as said above. They are as secret as the key.
 */
void @symbol@_prepare(@prepare@);

/*
 * Lengths:
@lengths@
@conditions@
 *
 * Inputs, which are not written; all but `prepared` may have any address:
 *   prepared: what @symbol@_prepare has written for the same key.
@inputs@
 *
 * Outputs, which may have any address:
@outputs@
 *
@overlap@
 * A string of no bytes may have the address NULL.
 *
 * Returns 0 if all is well.
@if opens
 *   1 if the message is refused: then all outputs are zero.
@end
 *   2 if the lengths do not fit: then nothing is written.
 * Time, branches and addresses depend on lengths, never on what is in the strings.
@if opens
 *   That the message is refused is no secret: this is decided when all of the tag has been compared.
@end
 */
int @symbol@(
    @parameters@);

#ifdef __cplusplus
}
#endif

#endif
