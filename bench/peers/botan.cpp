// botan.cpp - Botan, 2 (Debian) or 3 (crate botan-src): `botan LEVEL …`. What the level must not use is masked here for
// Botan 2, by the caller in BOTAN_CLEAR_CPUID for Botan 3. DES is by tables in Botan 2, bitsliced on 32-bit words in Botan 3.
#include "peer.h"
#include <botan/block_cipher.h>
#include <botan/stream_cipher.h>
#include <botan/version.h>
#if BOTAN_VERSION_MAJOR < 3
#include <botan/cpuid.h>
#endif
#include <cstring>
#include <memory>
#include <string>

namespace {

std::unique_ptr<Botan::BlockCipher> block;
std::unique_ptr<Botan::StreamCipher> stream;

int start_block(const char *name, std::size_t key_bytes)
{
    block = Botan::BlockCipher::create(name);
    if (!block)
        return 0;
    block->set_key(peer_key(), key_bytes);
    return 1;
}

int start_stream(const char *name, std::size_t key_bytes, std::size_t nonce_bytes)
{
    stream = Botan::StreamCipher::create(name);
    if (!stream)
        return 0;
    stream->set_key(peer_key(), key_bytes);
    stream->set_iv(peer_zeros(), nonce_bytes);
    return 1;
}

void run_block(std::uint8_t *data, std::size_t bytes)
{
    block->encrypt_n(data, data, bytes / block->block_size());
}

void run_stream(std::uint8_t *data, std::size_t bytes)
{
    stream->cipher(data, data, bytes);
}

int serpent()
{
    return start_block("Serpent", 16);
}

int serpent_ctr()
{
    return start_stream("CTR-BE(Serpent)", 16, 16);
}

int camellia()
{
    return start_block("Camellia-128", 16);
}

int camellia_ctr()
{
    return start_stream("CTR-BE(Camellia-128)", 16, 16);
}

int sm4()
{
    return start_block("SM4", 16);
}

int sm4_ctr()
{
    return start_stream("CTR-BE(SM4)", 16, 16);
}

int aria()
{
    return start_block("ARIA-128", 16);
}

int aria_ctr()
{
    return start_stream("CTR-BE(ARIA-128)", 16, 16);
}

int aes()
{
    return start_block("AES-128", 16);
}

int des()
{
    return start_block("DES", 8);
}

int triple_des()
{
    return start_block("TripleDES", 24);
}

int chacha()
{
    return start_stream("ChaCha(20)", 32, 12);
}

} // namespace

int main(int argc, char **argv)
{
    const char *level = argc > 1 ? argv[1] : "avx2";
    const char *const des_method = Botan::version_major() < 3 ? "tables" : "constant time";
    const peer wide[] = {
        { "serpent-128", "ecb", level, "constant time", serpent, run_block, 0 },
        { "serpent-128", "ctr", level, "constant time", serpent_ctr, run_stream, 0 },
        { "chacha20", "xor", level, "constant time", chacha, run_stream, 0 },
        { "des", "ecb", "gp64", des_method, des, run_block, 0 },
        { "tdes-ede3", "ecb", "gp64", des_method, triple_des, run_block, 0 },
    };
#if BOTAN_VERSION_MAJOR >= 3
    const peer bytes[] = {
        { "camellia-128", "ecb", level, "constant time", camellia, run_block, 0 },
        { "camellia-128", "ctr", level, "constant time", camellia_ctr, run_stream, 0 },
        { "sm4", "ecb", level, "constant time", sm4, run_block, 0 },
        { "sm4", "ctr", level, "constant time", sm4_ctr, run_stream, 0 },
        { "aria-128", "ecb", level, "constant time", aria, run_block, 0 },
        { "aria-128", "ctr", level, "constant time", aria_ctr, run_stream, 0 },
    };
#endif
    const peer without_aes[] = { { "aes-128", "ecb", "ssse3", "constant time", aes, run_block, 0 } };
#if BOTAN_VERSION_MAJOR < 3
    if (!std::strcmp(level, "without-aes"))
        Botan::CPUID::clear_cpuid_bit(Botan::CPUID::CPUID_AESNI_BIT);
    if (!std::strcmp(level, "sse2"))
        Botan::CPUID::clear_cpuid_bit(Botan::CPUID::CPUID_AVX2_BIT);
#endif
    const std::string version = Botan::short_version_string();
    int status;
#if BOTAN_VERSION_MAJOR >= 3
    // ARIA has no code for GFNI without AVX-512.
    if (!std::strcmp(level, "avx512-gfni") || !std::strcmp(level, "avx2-gfni")) {
        status = peer_main("Botan", version.c_str(), bytes, level[3] == '5' ? 6 : 4, argc, argv);
        block.reset();
        stream.reset();
        return status;
    }
#endif
    if (!std::strcmp(level, "without-aes")) {
        status = peer_main("Botan", version.c_str(), without_aes, 1, argc, argv);
    } else {
        // The ciphers that use no vectors are the same at every level: measured once.
        const std::size_t count = std::strcmp(level, "avx2") ? 3 : 5;
        status = peer_main("Botan", version.c_str(), wide, count, argc, argv);
    }
    // Before the library's own memory goes.
    block.reset();
    stream.reset();
    return status;
}
