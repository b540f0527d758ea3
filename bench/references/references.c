/* references.c - a plain C reference per cipher, written from its specification, over many independent states at once.
 *
 * Word w of state i is words[w][i], and the loop over states is the innermost that the compiler sees, because the rounds
 * are unrolled: what it makes of that is what automatic vectorisation gives. No intrinsics, no tables, no branches on
 * data. bench/bench.sh compiles this file by clang once per instruction set; LEVEL is its name. Every start function
 * compares a published vector in all states. */
#include "../peers/peer.h"
#include "sboxes.h"
#include <string.h>

#define FULLY_UNROLLED _Pragma("clang loop unroll(full)")
#define ALIGNED __attribute__((aligned(64)))

static uint32_t rotate32(uint32_t x, int n)
{
    return x << n | x >> (32 - n);
}

static uint64_t rotate_right64(uint64_t x, int n)
{
    return x >> n | x << (64 - n);
}

static uint16_t rotate16(uint16_t x, int n)
{
    return (uint16_t)(x << n | x >> (16 - n));
}

/* ---- Ascon-p12: NIST SP 800-232, section 3 ---- */

enum { ASCON_STATES = 384 };
static uint64_t ascon[5][ASCON_STATES] ALIGNED;

static void ascon_run(uint8_t *unused, size_t bytes)
{
    static const uint8_t constants[12] = { 0xf0, 0xe1, 0xd2, 0xc3, 0xb4, 0xa5, 0x96, 0x87, 0x78, 0x69, 0x5a, 0x4b };
    (void)unused, (void)bytes;
    for (size_t i = 0; i < ASCON_STATES; i++) {
        uint64_t a = ascon[0][i], b = ascon[1][i], c = ascon[2][i], d = ascon[3][i], e = ascon[4][i];
        FULLY_UNROLLED
        for (int round = 0; round < 12; round++) {
            c ^= constants[round];
            ascon_sbox(&a, &b, &c, &d, &e);
            a ^= rotate_right64(a, 19) ^ rotate_right64(a, 28);
            b ^= rotate_right64(b, 61) ^ rotate_right64(b, 39);
            c ^= rotate_right64(c, 1) ^ rotate_right64(c, 6);
            d ^= rotate_right64(d, 10) ^ rotate_right64(d, 17);
            e ^= rotate_right64(e, 7) ^ rotate_right64(e, 41);
        }
        ascon[0][i] = a, ascon[1][i] = b, ascon[2][i] = c, ascon[3][i] = d, ascon[4][i] = e;
    }
}

/* The state zero: the first trace in ciphers/ascon/vectors/ascon-p12.json. */
static int ascon_start(void)
{
    static const uint64_t expected[5] = { 0x78ea7ae5cfebb108, 0x9b9bfb8513b560f7, 0x6937f83e03d11a50, 0x3fe53f36f2c1178c,
        0x045d648e4def12c9 };
    memset(ascon, 0, sizeof ascon);
    ascon_run(0, 0);
    for (size_t i = 0; i < ASCON_STATES; i++)
        for (int word = 0; word < 5; word++)
            if (ascon[word][i] != expected[word])
                return 0;
    return 1;
}

/* ---- ChaCha20 block function: RFC 8439, section 2.3 ---- */

enum { CHACHA_STATES = 128 };
static uint32_t chacha_input[16][CHACHA_STATES] ALIGNED, chacha_output[16][CHACHA_STATES] ALIGNED;

#define QUARTER(a, b, c, d)                  \
    a += b, d = rotate32(d ^ a, 16);         \
    c += d, b = rotate32(b ^ c, 12);         \
    a += b, d = rotate32(d ^ a, 8);          \
    c += d, b = rotate32(b ^ c, 7)

static void chacha_run(uint8_t *unused, size_t bytes)
{
    (void)unused, (void)bytes;
    for (size_t i = 0; i < CHACHA_STATES; i++) {
        uint32_t x[16];
        FULLY_UNROLLED
        for (int word = 0; word < 16; word++)
            x[word] = chacha_input[word][i];
        FULLY_UNROLLED
        for (int round = 0; round < 10; round++) {
            QUARTER(x[0], x[4], x[8], x[12]);
            QUARTER(x[1], x[5], x[9], x[13]);
            QUARTER(x[2], x[6], x[10], x[14]);
            QUARTER(x[3], x[7], x[11], x[15]);
            QUARTER(x[0], x[5], x[10], x[15]);
            QUARTER(x[1], x[6], x[11], x[12]);
            QUARTER(x[2], x[7], x[8], x[13]);
            QUARTER(x[3], x[4], x[9], x[14]);
        }
        FULLY_UNROLLED
        for (int word = 0; word < 16; word++)
            chacha_output[word][i] = x[word] + chacha_input[word][i];
    }
}

/* RFC 8439, section 2.3.2. */
static int chacha_start(void)
{
    static const uint32_t input[16] = { 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, 0x03020100, 0x07060504, 0x0b0a0908,
        0x0f0e0d0c, 0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c, 0x00000001, 0x09000000, 0x4a000000, 0x00000000 };
    static const uint32_t expected[16] = { 0xe4e7f110, 0x15593bd1, 0x1fdd0f50, 0xc47120a3, 0xc7f4d1c7, 0x0368c033, 0x9aaa2204,
        0x4e6cd4c3, 0x466482d2, 0x09aa9f07, 0x05d7c214, 0xa2028bd9, 0xd19c12b5, 0xb94e16de, 0xe883d0cb, 0x4e3c50a2 };
    for (int word = 0; word < 16; word++)
        for (size_t i = 0; i < CHACHA_STATES; i++)
            chacha_input[word][i] = input[word];
    chacha_run(0, 0);
    for (int word = 0; word < 16; word++)
        for (size_t i = 0; i < CHACHA_STATES; i++)
            if (chacha_output[word][i] != expected[word])
                return 0;
    return 1;
}

/* ---- Serpent: the proposal of 1998, in bitslice form ---- */

enum { SERPENT_STATES = 512 };
static uint32_t serpent[4][SERPENT_STATES] ALIGNED, serpent_keys[33][4];

typedef void serpent_sbox(uint32_t *, uint32_t *, uint32_t *, uint32_t *);

#define SERPENT_KEY(r) \
    a ^= serpent_keys[r][0], b ^= serpent_keys[r][1], c ^= serpent_keys[r][2], d ^= serpent_keys[r][3]
#define SERPENT_MIX()                          \
    a = rotate32(a, 13), c = rotate32(c, 3);   \
    b ^= a ^ c, d ^= c ^ a << 3;               \
    b = rotate32(b, 1), d = rotate32(d, 7);    \
    a ^= b ^ d, c ^= d ^ b << 7;               \
    a = rotate32(a, 5), c = rotate32(c, 22)
#define SERPENT_ROUND(r, sbox) SERPENT_KEY(r), sbox(&d, &c, &b, &a)

static void serpent_run(uint8_t *unused, size_t bytes)
{
    (void)unused, (void)bytes;
    for (size_t i = 0; i < SERPENT_STATES; i++) {
        uint32_t a = serpent[0][i], b = serpent[1][i], c = serpent[2][i], d = serpent[3][i];
        FULLY_UNROLLED
        for (int round = 0; round < 32; round += 8) {
            SERPENT_ROUND(round, serpent_s0);
            SERPENT_MIX();
            SERPENT_ROUND(round + 1, serpent_s1);
            SERPENT_MIX();
            SERPENT_ROUND(round + 2, serpent_s2);
            SERPENT_MIX();
            SERPENT_ROUND(round + 3, serpent_s3);
            SERPENT_MIX();
            SERPENT_ROUND(round + 4, serpent_s4);
            SERPENT_MIX();
            SERPENT_ROUND(round + 5, serpent_s5);
            SERPENT_MIX();
            SERPENT_ROUND(round + 6, serpent_s6);
            SERPENT_MIX();
            SERPENT_ROUND(round + 7, serpent_s7);
            if (round != 24) {
                SERPENT_MIX();
            }
        }
        SERPENT_KEY(32);
        serpent[0][i] = a, serpent[1][i] = b, serpent[2][i] = c, serpent[3][i] = d;
    }
}

static void serpent_schedule(const uint8_t key[16])
{
    static serpent_sbox *const sboxes[8] = { serpent_s3, serpent_s2, serpent_s1, serpent_s0, serpent_s7, serpent_s6,
        serpent_s5, serpent_s4 };
    uint32_t w[140] = { 0 };
    memcpy(w, key, 16);
    w[4] = 1;
    for (uint32_t i = 8; i < 140; i++)
        w[i] = rotate32(w[i - 8] ^ w[i - 5] ^ w[i - 3] ^ w[i - 1] ^ 0x9e3779b9u ^ (i - 8), 11);
    for (int round = 0; round < 33; round++) {
        uint32_t *k = serpent_keys[round];
        memcpy(k, w + 8 + 4 * round, 16);
        sboxes[round % 8](&k[3], &k[2], &k[1], &k[0]);
    }
}

/* NESSIE, Serpent with 128-bit keys, set 1, vector 0. */
static int serpent_start(void)
{
    static const uint8_t key[16] = { 0x80 };
    static const uint32_t expected[4] = { 0x81544e26, 0x462af4ef, 0x06daab06, 0x3ddabfc0 };
    serpent_schedule(key);
    memset(serpent, 0, sizeof serpent);
    serpent_run(0, 0);
    for (int word = 0; word < 4; word++)
        for (size_t i = 0; i < SERPENT_STATES; i++)
            if (serpent[word][i] != expected[word])
                return 0;
    return 1;
}

/* ---- RECTANGLE-80: eprint 2014/084, section 2 ---- */

enum { RECTANGLE_STATES = 1024 };
static uint16_t rectangle[4][RECTANGLE_STATES] ALIGNED, rectangle_keys[26][4];

static void rectangle_run(uint8_t *unused, size_t bytes)
{
    (void)unused, (void)bytes;
    for (size_t i = 0; i < RECTANGLE_STATES; i++) {
        uint16_t a = rectangle[0][i], b = rectangle[1][i], c = rectangle[2][i], d = rectangle[3][i];
        FULLY_UNROLLED
        for (int round = 0; round < 25; round++) {
            const uint16_t *key = rectangle_keys[round];
            a ^= key[0], b ^= key[1], c ^= key[2], d ^= key[3];
            rectangle_sbox(&d, &c, &b, &a);
            b = rotate16(b, 1), c = rotate16(c, 12), d = rotate16(d, 13);
        }
        rectangle[0][i] = a ^ rectangle_keys[25][0], rectangle[1][i] = b ^ rectangle_keys[25][1];
        rectangle[2][i] = c ^ rectangle_keys[25][2], rectangle[3][i] = d ^ rectangle_keys[25][3];
    }
}

/* The paper's first vector for 80-bit keys: key and text zero. */
static int rectangle_start(void)
{
    static const uint16_t expected[4] = { 0x2d96, 0xe354, 0xe8b1, 0x0874 };
    uint16_t k[5] = { 0 };
    uint8_t constant = 1;
    for (int round = 0; round < 26; round++) {
        memcpy(rectangle_keys[round], k, 8);
        uint16_t s[4];
        memcpy(s, k, 8);
        rectangle_sbox(&s[3], &s[2], &s[1], &s[0]);
        for (int row = 0; row < 4; row++)
            s[row] = (uint16_t)((s[row] & 15) | (k[row] & ~15));
        k[0] = (uint16_t)(rotate16(s[0], 8) ^ s[1] ^ constant);
        k[1] = s[2];
        k[2] = s[3];
        k[3] = (uint16_t)(rotate16(s[3], 12) ^ k[4]);
        k[4] = s[0];
        constant = (uint8_t)((constant << 1 | ((constant >> 4 ^ constant >> 2) & 1)) & 31);
    }
    memset(rectangle, 0, sizeof rectangle);
    rectangle_run(0, 0);
    for (int word = 0; word < 4; word++)
        for (size_t i = 0; i < RECTANGLE_STATES; i++)
            if (rectangle[word][i] != expected[word])
                return 0;
    return 1;
}

/* ---- AES-128: FIPS 197, four blocks in eight words, bit 16 r + 4 c + b of word 7 - j being bit j of the byte of row r and
 * column c of block b ---- */

enum { AES_STATES = 256 };
static uint64_t aes[8][AES_STATES] ALIGNED, aes_keys[11][8];

static void aes_sub_bytes(uint64_t q[8])
{
    aes_sbox(&q[0], &q[1], &q[2], &q[3], &q[4], &q[5], &q[6], &q[7]);
}

static uint64_t aes_shift_rows(uint64_t x)
{
    return (x & 0x000000000000ffff) | (x >> 4 & 0x000000000fff0000) | (x << 12 & 0x00000000f0000000) |
        (x >> 8 & 0x000000ff00000000) | (x << 8 & 0x0000ff0000000000) | (x >> 12 & 0x000f000000000000) |
        (x << 4 & 0xfff0000000000000);
}

static void aes_mix_columns(uint64_t q[8])
{
    uint64_t next[8], sum[8];
    FULLY_UNROLLED
    for (int j = 0; j < 8; j++)
        next[j] = rotate_right64(q[j], 16), sum[j] = q[j] ^ next[j];
    /* Times two: a shift to the next more significant plane; the top one comes back at the bits of x^4 + x^3 + x + 1. */
    FULLY_UNROLLED
    for (int j = 0; j < 8; j++) {
        uint64_t twice = j < 7 ? sum[j + 1] : 0;
        if (j == 7 || j == 6 || j == 4 || j == 3)
            twice ^= sum[0];
        q[j] = twice ^ next[j] ^ rotate_right64(sum[j], 32);
    }
}

static void aes_run(uint8_t *unused, size_t bytes)
{
    (void)unused, (void)bytes;
    for (size_t i = 0; i < AES_STATES; i++) {
        uint64_t q[8];
        FULLY_UNROLLED
        for (int j = 0; j < 8; j++)
            q[j] = aes[j][i] ^ aes_keys[0][j];
        FULLY_UNROLLED
        for (int round = 1; round < 11; round++) {
            aes_sub_bytes(q);
            FULLY_UNROLLED
            for (int j = 0; j < 8; j++)
                q[j] = aes_shift_rows(q[j]);
            if (round < 10)
                aes_mix_columns(q);
            FULLY_UNROLLED
            for (int j = 0; j < 8; j++)
                q[j] ^= aes_keys[round][j];
        }
        FULLY_UNROLLED
        for (int j = 0; j < 8; j++)
            aes[j][i] = q[j];
    }
}

/* One block in all four places. */
static void aes_planes(const uint8_t block[16], uint64_t q[8])
{
    memset(q, 0, 64);
    for (int byte = 0; byte < 16; byte++)
        for (int j = 0; j < 8; j++)
            q[7 - j] |= (uint64_t)(block[byte] >> j & 1) * 15 << (16 * (byte % 4) + 4 * (byte / 4));
}

static uint8_t aes_substitute(uint8_t byte)
{
    uint64_t q[8];
    uint8_t result = 0;
    for (int j = 0; j < 8; j++)
        q[j] = byte >> (7 - j) & 1;
    aes_sub_bytes(q);
    for (int j = 0; j < 8; j++)
        result = (uint8_t)(result << 1 | (q[j] & 1));
    return result;
}

/* FIPS 197, appendix C.1. */
static int aes_start(void)
{
    static const uint8_t expected[16] = { 0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30, 0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4,
        0xc5, 0x5a };
    uint8_t keys[11][16], plain[16], constant = 1;
    uint64_t q[8];
    memcpy(keys[0], peer_key(), 16);
    for (int round = 1; round < 11; round++) {
        for (int byte = 0; byte < 4; byte++)
            keys[round][byte] = keys[round - 1][byte] ^ aes_substitute(keys[round - 1][12 + (byte + 1) % 4]);
        keys[round][0] ^= constant;
        constant = (uint8_t)(constant << 1 ^ (constant >> 7) * 0x1b);
        for (int byte = 4; byte < 16; byte++)
            keys[round][byte] = keys[round - 1][byte] ^ keys[round][byte - 4];
    }
    for (int round = 0; round < 11; round++)
        aes_planes(keys[round], aes_keys[round]);
    for (int byte = 0; byte < 16; byte++)
        plain[byte] = (uint8_t)(byte * 0x11);
    aes_planes(plain, q);
    for (int j = 0; j < 8; j++)
        for (size_t i = 0; i < AES_STATES; i++)
            aes[j][i] = q[j];
    aes_run(0, 0);
    aes_planes(expected, q);
    for (int j = 0; j < 8; j++)
        for (size_t i = 0; i < AES_STATES; i++)
            if (aes[j][i] != q[j])
                return 0;
    return 1;
}

/* ---- Gimli: CHES 2017, section 2 ---- */

enum { GIMLI_STATES = 320 };
static uint32_t gimli[12][GIMLI_STATES] ALIGNED;

static void gimli_run(uint8_t *unused, size_t bytes)
{
    (void)unused, (void)bytes;
    for (size_t i = 0; i < GIMLI_STATES; i++) {
        uint32_t s[12], swap;
        FULLY_UNROLLED
        for (int word = 0; word < 12; word++)
            s[word] = gimli[word][i];
        FULLY_UNROLLED
        for (uint32_t round = 24; round > 0; round--) {
            FULLY_UNROLLED
            for (int column = 0; column < 4; column++) {
                const uint32_t x = rotate32(s[column], 24), y = rotate32(s[4 + column], 9), z = s[8 + column];
                s[8 + column] = x ^ z << 1 ^ (y & z) << 2;
                s[4 + column] = y ^ x ^ (x | z) << 1;
                s[column] = z ^ y ^ (x & y) << 3;
            }
            if (round % 4 == 0) {
                swap = s[0], s[0] = s[1], s[1] = swap;
                swap = s[2], s[2] = s[3], s[3] = swap;
                s[0] ^= 0x9e377900u ^ round;
            } else if (round % 4 == 2) {
                swap = s[0], s[0] = s[2], s[2] = swap;
                swap = s[1], s[1] = s[3], s[3] = swap;
            }
        }
        FULLY_UNROLLED
        for (int word = 0; word < 12; word++)
            gimli[word][i] = s[word];
    }
}

/* The paper's vector: word i of the input is i^3 + 0x9e3779b9 i. */
static int gimli_start(void)
{
    static const uint32_t expected[12] = { 0xba11c85a, 0x91bad119, 0x380ce880, 0xd24c2c68, 0x3eceffea, 0x277a921c, 0x4f73a0bd,
        0xda5a9cd8, 0x84b673f0, 0x34e52ff7, 0x9e2bef49, 0xf41bb8d6 };
    for (uint32_t word = 0; word < 12; word++)
        for (size_t i = 0; i < GIMLI_STATES; i++)
            gimli[word][i] = word * word * word + word * 0x9e3779b9u;
    gimli_run(0, 0);
    for (int word = 0; word < 12; word++)
        for (size_t i = 0; i < GIMLI_STATES; i++)
            if (gimli[word][i] != expected[word])
                return 0;
    return 1;
}

static const struct peer peers[] = {
    { "ascon-p12", "kernel", LEVEL, "constant time", ascon_start, ascon_run, 40 * ASCON_STATES },
    { "chacha20", "kernel", LEVEL, "constant time", chacha_start, chacha_run, 64 * CHACHA_STATES },
    { "serpent-128", "kernel", LEVEL, "constant time", serpent_start, serpent_run, 16 * SERPENT_STATES },
    { "rectangle-80", "kernel", LEVEL, "constant time", rectangle_start, rectangle_run, 8 * RECTANGLE_STATES },
    { "gimli", "kernel", LEVEL, "constant time", gimli_start, gimli_run, 48 * GIMLI_STATES },
    { "aes-128", "kernel", LEVEL, "constant time", aes_start, aes_run, 64 * AES_STATES },
};

int main(int argc, char **argv)
{
    return peer_main("plain C", __VERSION__, peers, sizeof peers / sizeof peers[0], argc, argv);
}
