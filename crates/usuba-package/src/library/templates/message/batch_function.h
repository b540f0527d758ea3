
@batch_message@
/* The same for `count` messages of any lengths under one key, of which as many blocks are encrypted at a time as the machine
 * computes side by side: much faster than one after another.
 *
 * Every `result` is set to what @stem@_@first@ would return; a message in error does not keep the others from being
 * done. Nothing that is written for one message may overlap anything of another: this is not checked. Returns USUBA_OK if all
 * results are, else the first that is not; USUBA_ERROR_NULL without messages, and USUBA_ERROR_CONTEXT, with nothing done. */
@API@int @stem@_@first@_batch(const @stem@_ctx *ctx, size_t count, @prefix@@message@ *messages);
