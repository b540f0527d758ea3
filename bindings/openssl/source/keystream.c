/* keystream.c - keystream for any number of bytes from functions for many blocks. */

#include "provider.h"
#include <string.h>

void keystream_reset(struct keystream *keystream)
{
    keystream->used = keystream->made = keystream->ahead = 0;
}

void xor_bytes(unsigned char *out, const unsigned char *in, const unsigned char *with, size_t length)
{
    size_t i;
    /* Compilers make single bytes of the plain loop where nothing says that it is long. */
    for (i = 0; i + 8 <= length; i += 8) {
        uint64_t a, b;
        memcpy(&a, in + i, 8);
        memcpy(&b, with + i, 8);
        a ^= b;
        memcpy(out + i, &a, 8);
    }
    for (; i < length; i++)
        out[i] = in[i] ^ with[i];
}

/* Takes from what was made as much as is there and is wanted. */
static size_t take(struct keystream *keystream, unsigned char *out, const unsigned char *in, size_t length)
{
    const size_t left = keystream->made - keystream->used, bytes = length < left ? length : left;
    xor_bytes(out, in, keystream->bytes + keystream->used, bytes);
    keystream->used += bytes;
    return bytes;
}

int keystream_xor(struct keystream *keystream, size_t block, generate_function *generate, void *context,
    unsigned char *out, const unsigned char *in, size_t length)
{
    const size_t most = KEYSTREAM_BYTES - KEYSTREAM_BYTES % block;
    size_t bytes = take(keystream, out, in, length);
    out += bytes;
    in += bytes;
    length -= bytes;
    if (length >= most) {
        bytes = length - length % block;
        if (!generate(context, out, in, bytes))
            return 0;
        out += bytes;
        in += bytes;
        length -= bytes;
    }
    if (length > 0) {
        const size_t needed = (length + block - 1) / block * block;
        size_t wanted = 2 * keystream->ahead;
        if (wanted < needed)
            wanted = needed;
        if (wanted > most)
            wanted = most;
        memset(keystream->bytes, 0, wanted);
        keystream->used = keystream->made = 0;
        if (!generate(context, keystream->bytes, keystream->bytes, wanted))
            return 0;
        keystream->made = keystream->ahead = wanted;
        take(keystream, out, in, length);
    }
    return 1;
}

int counted_generate(void *context, unsigned char *out, const unsigned char *in, size_t length)
{
    struct counted *counted = context;
    const usuba_stream_functions *functions = counted->functions;
    const int is_short = functions->counter_bytes < 8;
    while (length > 0) {
        const size_t blocks = length / functions->block_bytes;
        const uint64_t numbers = is_short ? ((uint64_t)1 << (8 * functions->counter_bytes)) - counted->counter : 0;
        const size_t share = is_short && numbers < blocks ? (size_t)numbers : blocks;
        const size_t bytes = share * functions->block_bytes;
        if (!succeeded(functions->xor_bytes(counted->key, counted->nonce, counted->counter, out, in, bytes)))
            return 0;
        counted->counter += share;
        if (is_short && counted->counter >> (8 * functions->counter_bytes) != 0) {
            /* Where a counter is 32 bits, OpenSSL carries into the first four bytes of the nonce: the counter of the first
             * ChaCha20 was twice as long. */
            size_t i;
            counted->counter = 0;
            for (i = 0; i < 4 && functions->counter_bytes == 4 && ++counted->nonce[i] == 0; i++)
                ;
        }
        out += bytes;
        in += bytes;
        length -= bytes;
    }
    return 1;
}
