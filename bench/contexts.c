/* contexts.c - what keys cost the users of a library: for every primitive that takes a key, bytes of its context beside those of the
 * standard's round keys, core cycles of `init` and of short calls, and the stack that both take.
 *
 * usage: contexts [NAME BYTES]…   (primitives, and bytes of their round keys; all keyed primitives are shown)
 * Cycles are medians of calls whose keys and texts are in the cache. x86-64 only. */
#include "timing.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "keyed.h"
#include "usuba_cpu.h"

enum { MOST = 1 << 14, STACK = 1 << 20, PAINT = 0xa5, CALLS = 4, CASE_SAMPLES = 51 };

static const usuba_primitive *primitive;
static void *context;
static unsigned char key[512], tweaks[MOST], text[MOST], out[MOST], counter[512], nonce[512];
static size_t blocks;

static void init(void)
{
    const int result = init_context(primitive, context, key, nonce);
    if (result != 0) {
        fprintf(stderr, "contexts: %s: init returned %d\n", primitive->name, result);
        exit(1);
    }
}

/* Bytes that count as a block. */
static size_t block_bytes(void)
{
    switch (primitive->kind) {
    case USUBA_KIND_BLOCK_CIPHER:
        return primitive->of.block_cipher.block_bytes;
    case USUBA_KIND_GENERATOR:
        return primitive->of.generator.block_bytes;
    case USUBA_KIND_CHAIN:
        return primitive->of.chain.iv_bytes;
    default:
        return 16;
    }
}

/* Encrypts, or authenticates, `blocks` blocks. */
static void encrypt(void)
{
    const size_t bytes = blocks * block_bytes();
    int result = 0;
    switch (primitive->kind) {
    case USUBA_KIND_BLOCK_CIPHER:
        if (primitive->of.block_cipher.encrypt_blocks != NULL)
            result = primitive->of.block_cipher.encrypt_blocks(context, tweaks, out, text, blocks);
        else
            result = primitive->of.block_cipher.ctr_xor(context, counter, out, text, bytes);
        break;
    case USUBA_KIND_GENERATOR:
        result = primitive->of.generator.xor_bytes(context, out, text, bytes);
        break;
    case USUBA_KIND_AEAD:
        result = primitive->of.aead.seal(context, out, out + MOST - 16, primitive->of.aead.tag_bytes, nonce,
            primitive->of.aead.nonce_bytes, NULL, 0, text, bytes);
        break;
    case USUBA_KIND_CHAIN:
        result = primitive->of.chain.encrypt(context, counter, out, text, bytes);
        break;
    case USUBA_KIND_UNITS:
        result = primitive->of.units.encrypt(context, counter, out, text, bytes);
        break;
    case USUBA_KIND_AUTHENTICATOR:
        result = primitive->of.authenticator.compute(context, out, primitive->of.authenticator.tag_bytes, nonce,
            primitive->of.authenticator.nonce_bytes, text, bytes);
        break;
    case USUBA_KIND_MAC:
        result = primitive->of.mac.compute(out, key, text, bytes);
        break;
    default:
        break;
    }
    if (result != 0) {
        fprintf(stderr, "contexts: %s: %zu blocks returned %d\n", primitive->name, blocks, result);
        exit(1);
    }
}

static void decrypt(void)
{
    if (primitive->kind == USUBA_KIND_BLOCK_CIPHER && primitive->of.block_cipher.decrypt_blocks != NULL)
        (void)primitive->of.block_cipher.decrypt_blocks(context, tweaks, out, text, blocks);
    else
        encrypt();
}

static void nothing(void)
{
}

/* Core cycles of a call of `run`; as many samples as `measure` takes would be too many for thousands of cases. */
static double cycles(void (*run)(void), int calls)
{
    run();
    return median_cycles(run, calls, CASE_SAMPLES);
}

static void *run_in_thread(void *run)
{
    (*(void (**)(void))run)();
    return NULL;
}

/* Bytes of a painted stack that `run` writes. */
static size_t painted(void (*run)(void))
{
    static unsigned char *stack;
    pthread_attr_t attributes;
    pthread_t thread;
    size_t clean = 0;
    if (stack == NULL && posix_memalign((void **)&stack, 4096, STACK) != 0)
        exit(1);
    memset(stack, PAINT, STACK);
    pthread_attr_init(&attributes);
    if (pthread_attr_setstack(&attributes, stack, STACK) != 0 ||
        pthread_create(&thread, &attributes, run_in_thread, &run) != 0) {
        fprintf(stderr, "contexts: no thread\n");
        exit(1);
    }
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    while (clean < STACK && stack[clean] == PAINT)
        clean++;
    return STACK - clean;
}

/* The same beyond what a thread takes that does nothing. */
static size_t stack_of(void (*run)(void))
{
    const size_t least = painted(nothing), all = painted(run);
    return all > least ? all - least : 0;
}

int main(int arguments, char **argument)
{
    static const size_t short_calls[] = { 1, 2, 4, 8 };
    size_t number, i;
    int named;
    printf("target: %s\n", usuba_target());
    printf("| primitive | context | round keys | init | 1 block | 2 | 4 | 8 | 16 KiB, a byte | stack of init | of a call |\n");
    printf("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (number = 0; number < sizeof key; number++)
        key[number] = (unsigned char)(number * 7 + 1);
    for (number = 0; (primitive = usuba_primitive_at(number)) != NULL; number++) {
        size_t most = 0, one, of_init;
        const char *round_keys = "";
        if (context_bytes(primitive) == 0)
            continue;
        context = calloc(1, context_bytes(primitive) + 64);
        if (context == NULL)
            return 1;
        for (named = 1; named + 1 < arguments; named += 2) {
            if (strcmp(argument[named], primitive->name) == 0)
                round_keys = argument[named + 1];
        }
        printf("| %s | %zu | %s | %.0f |", primitive->name, context_bytes(primitive), round_keys, cycles(init, CALLS));
        for (i = 0; i < sizeof short_calls / sizeof short_calls[0]; i++) {
            blocks = short_calls[i];
            printf(" %.0f |", cycles(encrypt, CALLS));
            one = stack_of(encrypt);
            most = one > most ? one : most;
            one = stack_of(decrypt);
            most = one > most ? one : most;
        }
        of_init = stack_of(init);
        blocks = (MOST - 16) / block_bytes();
        one = stack_of(encrypt);
        most = one > most ? one : most;
        one = stack_of(decrypt);
        most = one > most ? one : most;
        printf(" %.2f | %zu | %zu |\n", cycles(encrypt, 1) / (double)(blocks * block_bytes()), of_init, most);
        fflush(stdout);
        free(context);
    }
    return 0;
}
