/* sodium.c - libsodium. */
#include "peer.h"
#include <sodium.h>

static int start(void)
{
    return sodium_init() >= 0;
}

static void run(uint8_t *data, size_t bytes)
{
    crypto_stream_chacha20_ietf_xor(data, data, bytes, peer_zeros(), peer_key());
}

static const struct peer peers[] = { { "chacha20", "xor", "avx2", "constant time", start, run, 0 } };

int main(int argc, char **argv)
{
    return peer_main("libsodium", sodium_version_string(), peers, 1, argc, argv);
}
