// cryptopp.cpp - Crypto++.
#include "peer.h"
#include <cryptopp/chacha.h>
#include <cryptopp/config.h>
#include <cryptopp/des.h>
#include <cryptopp/modes.h>
#include <cryptopp/serpent.h>
#include <string>

namespace {

CryptoPP::ChaCha::Encryption chacha;
CryptoPP::CTR_Mode<CryptoPP::Serpent>::Encryption serpent;
CryptoPP::ECB_Mode<CryptoPP::DES>::Encryption des;
CryptoPP::ECB_Mode<CryptoPP::DES_EDE3>::Encryption triple_des;

int start_chacha()
{
    chacha.SetKeyWithIV(peer_key(), 32, peer_zeros(), 8);
    return 1;
}

int start_serpent()
{
    serpent.SetKeyWithIV(peer_key(), 16, peer_zeros(), 16);
    return 1;
}

int start_des()
{
    des.SetKey(peer_key(), 8);
    return 1;
}

int start_triple_des()
{
    triple_des.SetKey(peer_key(), 24);
    return 1;
}

template <typename Cipher, Cipher &cipher> void run(std::uint8_t *data, std::size_t bytes)
{
    cipher.ProcessData(data, data, bytes);
}

const peer peers[] = {
    { "chacha20", "xor", "avx2", "constant time", start_chacha, run<decltype(chacha), chacha>, 0 },
    { "serpent-128", "ctr", "gp64", "constant time", start_serpent, run<decltype(serpent), serpent>, 0 },
    { "des", "ecb", "gp64", "tables", start_des, run<decltype(des), des>, 0 },
    { "tdes-ede3", "ecb", "gp64", "tables", start_triple_des, run<decltype(triple_des), triple_des>, 0 },
};

} // namespace

int main(int argc, char **argv)
{
    const std::string version = std::to_string(CRYPTOPP_VERSION / 100) + "." + std::to_string(CRYPTOPP_VERSION / 10 % 10);
    return peer_main("Crypto++", version.c_str(), peers, sizeof peers / sizeof peers[0], argc, argv);
}
