/* keyed.h - the contexts of primitives that take a key, whatever their kind. */
#ifndef USUBA_TEST_KEYED_H
#define USUBA_TEST_KEYED_H

#include <stddef.h>
#include "usuba_primitives.h"

/* Bytes of a context; 0 if there is none. */
static size_t context_bytes(const usuba_primitive *primitive)
{
    switch (primitive->kind) {
    case USUBA_KIND_BLOCK_CIPHER:
        return primitive->of.block_cipher.context_bytes;
    case USUBA_KIND_GENERATOR:
        return primitive->of.generator.context_bytes;
    case USUBA_KIND_AEAD:
        return primitive->of.aead.context_bytes;
    case USUBA_KIND_CHAIN:
        return primitive->of.chain.context_bytes;
    case USUBA_KIND_UNITS:
        return primitive->of.units.context_bytes;
    case USUBA_KIND_AUTHENTICATOR:
        return primitive->of.authenticator.context_bytes;
    case USUBA_KIND_MAC:
        return primitive->of.mac.context_bytes;
    default:
        return 0;
    }
}

/* What `init` returns; 0 where there is none. */
static int init_context(const usuba_primitive *primitive, void *context, const unsigned char *key, const unsigned char *nonce)
{
    switch (primitive->kind) {
    case USUBA_KIND_BLOCK_CIPHER:
        return primitive->of.block_cipher.init(context, key);
    case USUBA_KIND_GENERATOR:
        return primitive->of.generator.init(context, key, nonce);
    case USUBA_KIND_AEAD:
        return primitive->of.aead.init(context, key);
    case USUBA_KIND_CHAIN:
        return primitive->of.chain.init(context, key);
    case USUBA_KIND_UNITS:
        return primitive->of.units.init(context, key);
    case USUBA_KIND_AUTHENTICATOR:
        return primitive->of.authenticator.init(context, key);
    case USUBA_KIND_MAC:
        return primitive->of.mac.init(context, key);
    default:
        return 0;
    }
}

#endif
