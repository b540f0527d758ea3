// botan.cpp - Botan 2 as a peer, for differential.c.
#include "differential.h"
#include <botan/aead.h>
#include <botan/block_cipher.h>
#include <botan/hash.h>
#include <botan/mac.h>
#include <botan/stream_cipher.h>
#include <botan/version.h>
#include <cstring>
#include <string>

extern "C" const peer_offer peer_offers[] = {
    { "aes-128", BLOCKS | COUNTER },
    { "aes-192", BLOCKS | COUNTER },
    { "aes-256", BLOCKS | COUNTER },
    { "aria-128", BLOCKS | COUNTER },
    { "aria-192", BLOCKS | COUNTER },
    { "aria-256", BLOCKS | COUNTER },
    { "camellia-128", BLOCKS | COUNTER },
    { "camellia-192", BLOCKS | COUNTER },
    { "camellia-256", BLOCKS | COUNTER },
    { "serpent-128", BLOCKS | COUNTER },
    { "serpent-192", BLOCKS | COUNTER },
    { "serpent-256", BLOCKS | COUNTER },
    { "sm4", BLOCKS | COUNTER },
    { "des", BLOCKS | COUNTER },
    { "tdes-ede3", BLOCKS | COUNTER },
    { "chacha20", STREAM },
    { "poly1305", MAC },
    { "chacha20-poly1305", SEAL },
    { "keccak-f1600", HASHES },
    { nullptr, 0 },
};

const char *peer_name()
{
    static const std::string name = "Botan " + Botan::short_version_string();
    return name.c_str();
}

// Botan's name of a block cipher.
static std::string named(const std::string &name)
{
    if (name.compare(0, 4, "aes-") == 0)
        return "AES-" + name.substr(4);
    if (name.compare(0, 5, "aria-") == 0)
        return "ARIA-" + name.substr(5);
    if (name.compare(0, 9, "camellia-") == 0)
        return "Camellia-" + name.substr(9);
    if (name.compare(0, 8, "serpent-") == 0)
        return "Serpent";
    return name == "sm4" ? "SM4" : name == "des" ? "DES" : "TripleDES";
}

int peer_blocks(const char *name, int decrypt, const unsigned char *key, size_t key_bytes, unsigned char *out,
                const unsigned char *in, size_t length)
{
    const auto cipher = Botan::BlockCipher::create_or_throw(named(name));
    cipher->set_key(key, key_bytes);
    if (decrypt)
        cipher->decrypt_n(in, out, length / cipher->block_size());
    else
        cipher->encrypt_n(in, out, length / cipher->block_size());
    return 1;
}

int peer_counter(const char *name, const unsigned char *key, size_t key_bytes, const unsigned char *counter,
                 size_t block_bytes, unsigned char *out, const unsigned char *in, size_t length)
{
    const auto cipher = Botan::StreamCipher::create_or_throw("CTR-BE(" + named(name) + ")");
    cipher->set_key(key, key_bytes);
    cipher->set_iv(counter, block_bytes);
    cipher->cipher(in, out, length);
    return 1;
}

int peer_stream(const char *, const unsigned char *key, const unsigned char *nonce, uint32_t counter,
                unsigned char *out, const unsigned char *in, size_t length)
{
    const auto cipher = Botan::StreamCipher::create_or_throw("ChaCha(20)");
    cipher->set_key(key, 32);
    cipher->set_iv(nonce, 12);
    cipher->seek(uint64_t(64) * counter);
    cipher->cipher(in, out, length);
    return 1;
}

int peer_seal(const char *, unsigned char *out, unsigned char *tag, const struct peer_message *m)
{
    const auto aead = Botan::AEAD_Mode::create_or_throw("ChaCha20Poly1305", Botan::ENCRYPTION);
    aead->set_key(m->key, 32);
    aead->set_associated_data(m->ad, m->ad_length);
    aead->start(m->nonce, 12);
    Botan::secure_vector<uint8_t> text(m->in, m->in + m->length);
    aead->finish(text);
    std::memcpy(out, text.data(), m->length);
    std::memcpy(tag, text.data() + m->length, 16);
    return text.size() == m->length + 16;
}

/* It is asked for none of these. */
int peer_mode(const char *, int , const unsigned char *, size_t , const unsigned char *, size_t ,
              unsigned char *, const unsigned char *, size_t )
{
    return 0;
}

int peer_tag(const char *, unsigned char *, const struct peer_message *)
{
    return 0;
}

int peer_mac(const char *, unsigned char *tag, const unsigned char *key, const unsigned char *in, size_t length)
{
    const auto mac = Botan::MessageAuthenticationCode::create_or_throw("Poly1305");
    mac->set_key(key, 32);
    mac->update(in, length);
    mac->final(tag);
    return 1;
}

int peer_hash(const char *name, unsigned char *out, size_t out_length, const unsigned char *in, size_t length)
{
    const std::string bits = std::to_string(8 * out_length), wanted = name;
    const std::string own = wanted.compare(0, 5, "shake") == 0 ? "SHAKE-" + wanted.substr(5) : "SHA-3";
    const auto hash = Botan::HashFunction::create_or_throw(own + "(" + bits + ")");
    hash->update(in, length);
    hash->final(out);
    return 1;
}
