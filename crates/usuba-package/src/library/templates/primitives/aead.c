
static const @prefix@primitive @id@_row = {
    "@name@", @PREFIX@KIND_AEAD,
    { .aead = {
        .key_bytes = @key@,
        .nonce_bytes = @nonce@,
        .tag_bytes = @tag@,
        .seal = @stem@_seal,
        .open = @stem@_open,
    } }
};
