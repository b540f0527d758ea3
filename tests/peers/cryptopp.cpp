// cryptopp.cpp - Crypto++ as a peer, for differential.c.
#include "differential.h"
#include <cryptopp/aes.h>
#include <cryptopp/aria.h>
#include <cryptopp/camellia.h>
#include <cryptopp/chacha.h>
#include <cryptopp/chachapoly.h>
#include <cryptopp/config_ver.h>
#include <cryptopp/des.h>
#include <cryptopp/modes.h>
#include <cryptopp/poly1305.h>
#include <cryptopp/serpent.h>
#include <cryptopp/sha3.h>
#include <cryptopp/shake.h>
#include <cryptopp/sm4.h>
#include <memory>
#include <string>

using namespace CryptoPP;

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
    static const std::string name = "Crypto++ " + std::to_string(CRYPTOPP_MAJOR) + "." + std::to_string(CRYPTOPP_MINOR);
    return name.c_str();
}

enum Mode { ENCRYPT, DECRYPT, CTR };

template <class Cipher>
static int run(Mode mode, const unsigned char *key, size_t key_bytes, const unsigned char *counter,
               unsigned char *out, const unsigned char *in, size_t length)
{
    if (mode == CTR) {
        typename CTR_Mode<Cipher>::Encryption cipher(key, key_bytes, counter);
        cipher.ProcessData(out, in, length);
    } else if (mode == DECRYPT) {
        typename ECB_Mode<Cipher>::Decryption cipher(key, key_bytes);
        cipher.ProcessData(out, in, length);
    } else {
        typename ECB_Mode<Cipher>::Encryption cipher(key, key_bytes);
        cipher.ProcessData(out, in, length);
    }
    return 1;
}

static int any(const std::string &name, Mode mode, const unsigned char *key, size_t key_bytes,
               const unsigned char *counter, unsigned char *out, const unsigned char *in, size_t length)
{
    const std::string family = name.substr(0, name.find('-'));
    const auto with = family == "aes"      ? run<AES>
                    : family == "aria"     ? run<ARIA>
                    : family == "camellia" ? run<Camellia>
                    : family == "serpent"  ? run<Serpent>
                    : family == "sm4"      ? run<SM4>
                    : family == "des"      ? run<DES>
                    : family == "tdes"     ? run<DES_EDE3>
                                           : nullptr;
    return with != nullptr && with(mode, key, key_bytes, counter, out, in, length);
}

int peer_blocks(const char *name, int decrypt, const unsigned char *key, size_t key_bytes, unsigned char *out,
                const unsigned char *in, size_t length)
{
    return any(name, decrypt ? DECRYPT : ENCRYPT, key, key_bytes, nullptr, out, in, length);
}

int peer_counter(const char *name, const unsigned char *key, size_t key_bytes, const unsigned char *counter, size_t,
                 unsigned char *out, const unsigned char *in, size_t length)
{
    return any(name, CTR, key, key_bytes, counter, out, in, length);
}

int peer_stream(const char *, const unsigned char *key, const unsigned char *nonce, uint32_t counter,
                unsigned char *out, const unsigned char *in, size_t length)
{
    ChaChaTLS::Encryption cipher;
    cipher.SetKeyWithIV(key, 32, nonce, 12);
    cipher.Seek(uint64_t(64) * counter);
    cipher.ProcessData(out, in, length);
    return 1;
}

int peer_seal(const char *, unsigned char *out, unsigned char *tag, const struct peer_message *m)
{
    ChaCha20Poly1305::Encryption aead;
    aead.SetKeyWithIV(m->key, 32, m->nonce, 12);
    aead.EncryptAndAuthenticate(out, tag, 16, m->nonce, 12, m->ad, m->ad_length, m->in, m->length);
    return 1;
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
    Poly1305TLS mac(key, 32);
    mac.Update(in, length);
    mac.Final(tag);
    return 1;
}

template <class Hash>
static int digest(Hash &&hash, unsigned char *out, size_t out_length, const unsigned char *in, size_t length)
{
    hash.Update(in, length);
    hash.TruncatedFinal(out, out_length);
    return 1;
}

int peer_hash(const char *name, unsigned char *out, size_t out_length, const unsigned char *in, size_t length)
{
    const std::string wanted = name;
    const unsigned int size = static_cast<unsigned int>(out_length);
    if (wanted == "sha3-224")
        return digest(SHA3_224(), out, out_length, in, length);
    if (wanted == "sha3-256")
        return digest(SHA3_256(), out, out_length, in, length);
    if (wanted == "sha3-384")
        return digest(SHA3_384(), out, out_length, in, length);
    if (wanted == "sha3-512")
        return digest(SHA3_512(), out, out_length, in, length);
    if (wanted == "shake128")
        return digest(SHAKE128(size), out, out_length, in, length);
    return digest(SHAKE256(size), out, out_length, in, length);
}
