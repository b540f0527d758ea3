/* gcm.h - an implementation of AES-GCM as it is measured: a shared object with a table of these, `gcm_implementations`, which ends
 * with a row without a name. Nonces have 12 bytes, tags 16. */
#ifndef GCM_H
#define GCM_H

#include <stddef.h>
#include <stdint.h>

struct gcm {
    const char *name;
    /* A context for a key of 128 or 256 bits, whose schedule is made; NULL if this build or machine lacks the implementation. */
    void *(*start)(int key_bits, const uint8_t *key);
    /* The text and tag of a message. */
    int (*seal)(void *context, const uint8_t *nonce, const uint8_t *aad, size_t aad_bytes, const uint8_t *plain, size_t bytes,
                uint8_t *cipher, uint8_t *tag);
    /* The text of a message; other than 0 if its tag is wrong. */
    int (*open)(void *context, const uint8_t *nonce, const uint8_t *aad, size_t aad_bytes, const uint8_t *cipher, size_t bytes,
                const uint8_t *tag, uint8_t *plain);
};

#endif
