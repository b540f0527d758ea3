/* residue.c - what of a key a library leaves on the stack below its caller: for every primitive that takes a key, bytes of a painted
 * stack that are other ones for another key, after the key was set, and after a call for 64 bytes or a block.
 *
 * usage: residue [MOST]   exits with 1 if setting a key leaves more than MOST bytes, by default any number
 * Link with -z now: a dynamic linker that binds functions when they are called first keeps vector registers on the stack. */
#define _POSIX_C_SOURCE 200112L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "keyed.h"
#include "usuba_cpu.h"

enum { STACK = 1 << 20, PAINT = 0xa5, TEXT = 64, ROOM = 4096 };

static const usuba_primitive *primitive;
static void *context;
static unsigned char key[512], text[ROOM], out[ROOM], tweaks[ROOM], counter[512], nonce[512];
static int does_call;

static int call(void)
{
    switch (primitive->kind) {
    case USUBA_KIND_BLOCK_CIPHER:
        if (primitive->of.block_cipher.encrypt_blocks != NULL)
            return primitive->of.block_cipher.encrypt_blocks(context, tweaks, out, text, 1);
        return primitive->of.block_cipher.ctr_xor(context, counter, out, text, TEXT);
    case USUBA_KIND_GENERATOR:
        return primitive->of.generator.xor_bytes(context, out, text, TEXT);
    case USUBA_KIND_STREAM:
        return primitive->of.stream.xor_bytes(key, nonce, 1, out, text, TEXT);
    case USUBA_KIND_AEAD:
        return primitive->of.aead.seal(context, out, out + ROOM - 64, primitive->of.aead.tag_bytes, nonce,
            primitive->of.aead.nonce_bytes, NULL, 0, text, TEXT);
    case USUBA_KIND_CHAIN:
        return primitive->of.chain.encrypt(context, counter, out, text, TEXT - TEXT % primitive->of.chain.unit_bytes);
    case USUBA_KIND_UNITS:
        return primitive->of.units.encrypt(context, counter, out, text, TEXT);
    case USUBA_KIND_AUTHENTICATOR:
        return primitive->of.authenticator.compute(context, out, primitive->of.authenticator.tag_bytes, nonce,
            primitive->of.authenticator.nonce_bytes, text, TEXT);
    case USUBA_KIND_MAC:
        return primitive->of.mac.compute(out, key, text, TEXT);
    default:
        return 0;
    }
}

static void *run(void *unused)
{
    (void)unused;
    if ((does_call ? call() : init_context(primitive, context, key, nonce)) != 0) {
        fprintf(stderr, "residue: %s failed\n", primitive->name);
        exit(2);
    }
    return NULL;
}

static unsigned char *stacks[2];

/* Runs with a key in a thread, and keeps what its stack is then. */
static void once(int which)
{
    static unsigned char *stack;
    pthread_attr_t attributes;
    pthread_t thread;
    size_t i;
    if (stack == NULL && posix_memalign((void **)&stack, 4096, STACK) != 0)
        exit(2);
    for (i = 0; i < sizeof key; i++)
        key[i] = (unsigned char)((i * 7 + 1) ^ (which ? 0xff - i * 13 : 0));
    if (does_call && context_bytes(primitive) > 0 && init_context(primitive, context, key, nonce) != 0)
        exit(2);
    memset(stack, PAINT, STACK);
    pthread_attr_init(&attributes);
    if (pthread_attr_setstack(&attributes, stack, STACK) != 0 || pthread_create(&thread, &attributes, run, NULL) != 0)
        exit(2);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    memcpy(stacks[which], stack, STACK);
}

/* Bytes that depend on the key. */
static size_t left(void)
{
    size_t count = 0, i;
    once(0);
    once(1);
    for (i = 0; i < STACK; i++)
        count += stacks[0][i] != stacks[1][i];
    return count;
}

int main(int arguments, char **argument)
{
    const size_t most = arguments > 1 ? strtoul(argument[1], NULL, 10) : STACK;
    int status = 0;
    size_t number;
    stacks[0] = malloc(STACK);
    stacks[1] = malloc(STACK);
    if (stacks[0] == NULL || stacks[1] == NULL)
        return 2;
    printf("target: %s\n| primitive | after the key | after a call |\n|---|--:|--:|\n", usuba_target());
    for (number = 0; (primitive = usuba_primitive_at(number)) != NULL; number++) {
        const size_t bytes = context_bytes(primitive);
        size_t of_init = 0;
        if (bytes == 0 && primitive->kind != USUBA_KIND_STREAM)
            continue;
        if (posix_memalign(&context, 64, bytes + 64) != 0)
            return 2;
        if (bytes > 0) {
            does_call = 0;
            of_init = left();
        }
        does_call = 1;
        printf("| %s | %lu | %lu |\n", primitive->name, (unsigned long)of_init, (unsigned long)left());
        if (of_init > most) {
            fprintf(stderr, "residue: %s leaves %lu bytes of a key\n", primitive->name, (unsigned long)of_init);
            status = 1;
        }
        free(context);
    }
    return status;
}
