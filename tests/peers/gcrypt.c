/* gcrypt.c - libgcrypt as a peer, for differential.c. */
#include "differential.h"
#include <gcrypt.h>
#include <string.h>

const struct peer_offer peer_offers[] = {
    { "aes-128", BLOCKS | COUNTER },
    { "aes-192", BLOCKS | COUNTER },
    { "aes-256", BLOCKS | COUNTER },
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
    { "aes-128-cbc", CHAIN },
    { "aes-256-cbc", CHAIN },
    { "aes-128-cfb", CHAIN },
    { "aes-256-cfb", CHAIN },
    { "aes-128-cfb8", CHAIN },
    { "aes-256-cfb8", CHAIN },
    { "aes-128-ofb", CHAIN },
    { "aes-256-ofb", CHAIN },
    { "aes-128-xts", UNITS },
    { "aes-256-xts", UNITS },
    { "aes-128-cmac", TAG },
    { "aes-256-cmac", TAG },
    { "aes-128-gmac", TAG },
    { "aes-256-gmac", TAG },
    { "aes-128-gcm", SEAL },
    { "aes-192-gcm", SEAL },
    { "aes-256-gcm", SEAL },
    { "aes-128-ccm", SEAL },
    { "aes-256-ccm", SEAL },
    { "aes-128-ocb3", SEAL },
    { "aes-256-ocb3", SEAL },
    { NULL, 0 },
};

static void ready(void)
{
    if (!gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P)) {
        gcry_check_version(NULL);
        gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
        gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    }
}

const char *peer_name(void)
{
    static char name[64] = "libgcrypt ";
    ready();
    if (name[10] == 0)
        strncat(name, gcry_check_version(NULL), 20);
    return name;
}

static int algorithm(const char *name)
{
    static const struct {
        const char *name;
        int number;
    } all[] = {
        { "aes-128", GCRY_CIPHER_AES128 },           { "aes-192", GCRY_CIPHER_AES192 },
        { "aes-256", GCRY_CIPHER_AES256 },           { "camellia-128", GCRY_CIPHER_CAMELLIA128 },
        { "camellia-192", GCRY_CIPHER_CAMELLIA192 }, { "camellia-256", GCRY_CIPHER_CAMELLIA256 },
        { "serpent-128", GCRY_CIPHER_SERPENT128 },   { "serpent-192", GCRY_CIPHER_SERPENT192 },
        { "serpent-256", GCRY_CIPHER_SERPENT256 },   { "sm4", GCRY_CIPHER_SM4 },
        { "des", GCRY_CIPHER_DES },                  { "tdes-ede3", GCRY_CIPHER_3DES },
        { "chacha20", GCRY_CIPHER_CHACHA20 },        { "chacha20-poly1305", GCRY_CIPHER_CHACHA20 },
    };
    size_t i;
    for (i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i].name, name) == 0)
            return all[i].number;
    /* A mode: the name of the cipher is before it. */
    for (i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strncmp(all[i].name, name, strlen(all[i].name)) == 0)
            return all[i].number;
    return 0;
}

/* A cipher with its key; NULL if there is none. */
static gcry_cipher_hd_t opened(const char *name, int mode, const unsigned char *key, size_t key_bytes)
{
    gcry_cipher_hd_t handle = NULL;
    ready();
    if (gcry_cipher_open(&handle, algorithm(name), mode, 0) != 0)
        return NULL;
    if (gcry_cipher_setkey(handle, key, key_bytes) != 0) {
        gcry_cipher_close(handle);
        return NULL;
    }
    return handle;
}

int peer_blocks(const char *name, int decrypt, const unsigned char *key, size_t key_bytes, unsigned char *out,
                const unsigned char *in, size_t length)
{
    gcry_cipher_hd_t handle = opened(name, GCRY_CIPHER_MODE_ECB, key, key_bytes);
    int good = handle != NULL;
    if (good && length > 0)
        good = (decrypt ? gcry_cipher_decrypt(handle, out, length, in, length)
                        : gcry_cipher_encrypt(handle, out, length, in, length)) == 0;
    gcry_cipher_close(handle);
    return good;
}

int peer_counter(const char *name, const unsigned char *key, size_t key_bytes, const unsigned char *counter,
                 size_t block_bytes, unsigned char *out, const unsigned char *in, size_t length)
{
    gcry_cipher_hd_t handle = opened(name, GCRY_CIPHER_MODE_CTR, key, key_bytes);
    int good = handle != NULL && gcry_cipher_setctr(handle, counter, block_bytes) == 0;
    if (good && length > 0)
        good = gcry_cipher_encrypt(handle, out, length, in, length) == 0;
    gcry_cipher_close(handle);
    return good;
}

int peer_stream(const char *name, const unsigned char *key, const unsigned char *nonce, uint32_t counter,
                unsigned char *out, const unsigned char *in, size_t length)
{
    gcry_cipher_hd_t handle = opened(name, GCRY_CIPHER_MODE_STREAM, key, 32);
    unsigned char iv[16];
    int i, good;
    for (i = 0; i < 4; i++)
        iv[i] = (unsigned char)(counter >> (8 * i));
    memcpy(iv + 4, nonce, 12);
    good = handle != NULL && gcry_cipher_setiv(handle, iv, sizeof iv) == 0;
    if (good && length > 0)
        good = gcry_cipher_encrypt(handle, out, length, in, length) == 0;
    gcry_cipher_close(handle);
    return good;
}

static int mode(const char *name)
{
    static const struct {
        const char *name;
        int number;
    } all[] = {
        { "-cbc", GCRY_CIPHER_MODE_CBC },  { "-cfb", GCRY_CIPHER_MODE_CFB }, { "-cfb8", GCRY_CIPHER_MODE_CFB8 },
        { "-ofb", GCRY_CIPHER_MODE_OFB },  { "-xts", GCRY_CIPHER_MODE_XTS }, { "-gcm", GCRY_CIPHER_MODE_GCM },
        { "-ccm", GCRY_CIPHER_MODE_CCM }, { "-ocb3", GCRY_CIPHER_MODE_OCB },
    };
    const char *last = strrchr(name, '-');
    size_t i;
    for (i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i].name, last) == 0)
            return all[i].number;
    return GCRY_CIPHER_MODE_POLY1305;
}

int peer_mode(const char *name, int decrypt, const unsigned char *key, size_t key_bytes, const unsigned char *iv,
              size_t block_bytes, unsigned char *out, const unsigned char *in, size_t length)
{
    gcry_cipher_hd_t handle = opened(name, mode(name), key, key_bytes);
    int good = handle != NULL && gcry_cipher_setiv(handle, iv, block_bytes) == 0;
    if (good && length > 0)
        good = (decrypt ? gcry_cipher_decrypt(handle, out, length, in, length)
                        : gcry_cipher_encrypt(handle, out, length, in, length)) == 0;
    gcry_cipher_close(handle);
    return good;
}

int peer_seal(const char *name, unsigned char *out, unsigned char *tag, const struct peer_message *m)
{
    const int how = mode(name);
    gcry_cipher_hd_t handle = opened(name, how, m->key, m->key_bytes);
    int size = (int)m->tag_bytes, good = handle != NULL;
    if (good && how == GCRY_CIPHER_MODE_OCB)
        good = gcry_cipher_ctl(handle, GCRYCTL_SET_TAGLEN, &size, sizeof size) == 0;
    good = good && gcry_cipher_setiv(handle, m->nonce, m->nonce_bytes) == 0;
    if (good && how == GCRY_CIPHER_MODE_CCM) {
        uint64_t sizes[3];
        sizes[0] = m->length;
        sizes[1] = m->ad_length;
        sizes[2] = m->tag_bytes;
        good = gcry_cipher_ctl(handle, GCRYCTL_SET_CCM_LENGTHS, sizes, sizeof sizes) == 0;
    }
    good = good && gcry_cipher_authenticate(handle, m->ad, m->ad_length) == 0;
    if (good)
        gcry_cipher_final(handle);
    good = good && gcry_cipher_encrypt(handle, out, m->length, m->in, m->length) == 0 &&
           gcry_cipher_gettag(handle, tag, m->tag_bytes) == 0;
    gcry_cipher_close(handle);
    return good;
}

int peer_tag(const char *name, unsigned char *tag, const struct peer_message *m)
{
    const int is_gmac = strcmp(strrchr(name, '-'), "-gmac") == 0;
    gcry_mac_hd_t handle = NULL;
    unsigned char all[16];
    size_t size = sizeof all;
    int good;
    ready();
    good = gcry_mac_open(&handle, is_gmac ? GCRY_MAC_GMAC_AES : GCRY_MAC_CMAC_AES, 0, NULL) == 0 &&
           gcry_mac_setkey(handle, m->key, m->key_bytes) == 0;
    if (good && is_gmac)
        good = gcry_mac_setiv(handle, m->nonce, m->nonce_bytes) == 0;
    good = good && gcry_mac_write(handle, m->in, m->length) == 0 && gcry_mac_read(handle, all, &size) == 0;
    memcpy(tag, all, m->tag_bytes);
    gcry_mac_close(handle);
    return good;
}

int peer_mac(const char *name, unsigned char *tag, const unsigned char *key, const unsigned char *in, size_t length)
{
    gcry_mac_hd_t handle = NULL;
    size_t size = 16;
    int good;
    (void)name;
    ready();
    good = gcry_mac_open(&handle, GCRY_MAC_POLY1305, 0, NULL) == 0 && gcry_mac_setkey(handle, key, 32) == 0 &&
           gcry_mac_write(handle, in, length) == 0 && gcry_mac_read(handle, tag, &size) == 0;
    gcry_mac_close(handle);
    return good;
}

int peer_hash(const char *name, unsigned char *out, size_t out_length, const unsigned char *in, size_t length)
{
    gcry_md_hd_t handle = NULL;
    const int number = gcry_md_map_name(name);
    ready();
    if (gcry_md_open(&handle, number, 0) != 0)
        return 0;
    gcry_md_write(handle, in, length);
    if (strncmp(name, "shake", 5) == 0)
        gcry_md_extract(handle, number, out, out_length);
    else
        memcpy(out, gcry_md_read(handle, number), out_length);
    gcry_md_close(handle);
    return 1;
}
