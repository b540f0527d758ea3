/* sodium.c - libsodium as a peer, for differential.c. */
#include "differential.h"
#include <sodium.h>
#include <string.h>

const struct peer_offer peer_offers[] = {
    { "chacha20", STREAM },
    { "poly1305", MAC },
    { "chacha20-poly1305", SEAL },
    { "xchacha20-poly1305", SEAL },
    { NULL, 0 },
};

const char *peer_name(void)
{
    return "libsodium " SODIUM_VERSION_STRING;
}

int peer_stream(const char *name, const unsigned char *key, const unsigned char *nonce, uint32_t counter,
                unsigned char *out, const unsigned char *in, size_t length)
{
    (void)name;
    return sodium_init() >= 0 && crypto_stream_chacha20_ietf_xor_ic(out, in, length, nonce, counter, key) == 0;
}

int peer_seal(const char *name, unsigned char *out, unsigned char *tag, const struct peer_message *m)
{
    unsigned long long size;
    if (strcmp(name, "xchacha20-poly1305") == 0)
        return sodium_init() >= 0 && crypto_aead_xchacha20poly1305_ietf_encrypt_detached(out, tag, &size, m->in, m->length,
                                                                                        m->ad, m->ad_length, NULL, m->nonce,
                                                                                        m->key) == 0;
    return sodium_init() >= 0 && crypto_aead_chacha20poly1305_ietf_encrypt_detached(out, tag, &size, m->in, m->length, m->ad,
                                                                                   m->ad_length, NULL, m->nonce, m->key) == 0;
}

/* It is asked for none of these. */
int peer_mode(const char *name, int decrypt, const unsigned char *key, size_t key_bytes, const unsigned char *iv, size_t block_bytes,
              unsigned char *out, const unsigned char *in, size_t length)
{
    (void)name;
    (void)decrypt;
    (void)key;
    (void)key_bytes;
    (void)iv;
    (void)block_bytes;
    (void)out;
    (void)in;
    (void)length;
    return 0;
}

int peer_tag(const char *name, unsigned char *tag, const struct peer_message *message)
{
    (void)name;
    (void)tag;
    (void)message;
    return 0;
}

int peer_mac(const char *name, unsigned char *tag, const unsigned char *key, const unsigned char *in, size_t length)
{
    (void)name;
    return sodium_init() >= 0 && crypto_onetimeauth_poly1305(tag, in, length, key) == 0;
}

/* What it lacks. */

int peer_blocks(const char *name, int decrypt, const unsigned char *key, size_t key_bytes, unsigned char *out,
                const unsigned char *in, size_t length)
{
    (void)name, (void)decrypt, (void)key, (void)key_bytes, (void)out, (void)in, (void)length;
    return 0;
}

int peer_counter(const char *name, const unsigned char *key, size_t key_bytes, const unsigned char *counter,
                 size_t block_bytes, unsigned char *out, const unsigned char *in, size_t length)
{
    (void)name, (void)key, (void)key_bytes, (void)counter, (void)block_bytes, (void)out, (void)in, (void)length;
    return 0;
}

int peer_hash(const char *name, unsigned char *out, size_t out_length, const unsigned char *in, size_t length)
{
    (void)name, (void)out, (void)out_length, (void)in, (void)length;
    return 0;
}
