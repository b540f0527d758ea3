
static const @prefix@primitive @id@_row = {
    "@name@", @PREFIX@KIND_PERMUTATION,
    { .permutation = {
        .state_bytes = @STEM@_STATE_BYTES,
        .permute = @stem@_permute,
    } }
};
