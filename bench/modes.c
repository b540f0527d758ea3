/* modes.c - what modes take beside their cipher: core cycles a byte of messages of 16 KiB, of every mode that a library has over a
 * block cipher, and how many times as much that is as its engine takes for the same blocks.
 *
 * usage: modes [NAME]…   (block ciphers; all are shown without any)
 * A mode that goes through the cipher twice is set against twice the engine's time. x86-64 only. */
#include "timing.h"
#include <stdio.h>
#include <string.h>
#include "usuba_cpu.h"
#include "usuba_primitives.h"

enum { BYTES = 1 << 14, CASE_SAMPLES = 201 };

static const usuba_primitive *cipher, *mode;
static void *context;
static unsigned char key[512], block[512], nonce[64], tag[64], text[BYTES], out[BYTES];
static int result;

static void run_encrypt(void)
{
    result |= cipher->of.block_cipher.encrypt_blocks(context, block, out, text, BYTES / cipher->of.block_cipher.block_bytes);
}

static void run_decrypt(void)
{
    result |= cipher->of.block_cipher.decrypt_blocks(context, block, out, text, BYTES / cipher->of.block_cipher.block_bytes);
}

static void run_counter(void)
{
    result |= cipher->of.block_cipher.ctr_xor(context, block, out, text, BYTES);
}

static void run_chain_encrypt(void)
{
    result |= mode->of.chain.encrypt(context, block, out, text, BYTES);
}

static void run_chain_decrypt(void)
{
    result |= mode->of.chain.decrypt(context, block, out, text, BYTES);
}

static void run_units_encrypt(void)
{
    result |= mode->of.units.encrypt(context, block, out, text, BYTES);
}

static void run_units_decrypt(void)
{
    result |= mode->of.units.decrypt(context, block, out, text, BYTES);
}

static void run_authenticator(void)
{
    result |= mode->of.authenticator.compute(context, tag, mode->of.authenticator.tag_bytes, nonce,
        mode->of.authenticator.nonce_bytes, text, BYTES);
}

static void run_seal(void)
{
    result |= mode->of.aead.seal(context, out, tag, mode->of.aead.tag_bytes, nonce, mode->of.aead.nonce_bytes, NULL, 0, text, BYTES);
}

/* What was sealed last. */
static void run_open(void)
{
    static unsigned char opened[BYTES];
    result |= mode->of.aead.open(context, opened, tag, mode->of.aead.tag_bytes, nonce, mode->of.aead.nonce_bytes, NULL, 0, out, BYTES);
}

/* Core cycles a byte. */
static double cycles(void (*run)(void))
{
    run();
    return median_cycles(run, 1, CASE_SAMPLES) / BYTES;
}

static void row(const char *name, const char *what, void (*run)(void), double engine, int passes)
{
    const double all = cycles(run);
    if (result != 0) {
        fprintf(stderr, "modes: %s: %s returned %d\n", name, what, result);
        exit(1);
    }
    printf("| %s | %s | %.2f | %.2f |\n", name, what, all, all / (engine * passes));
    fflush(stdout);
}

/* Memory for a context, with a key in it. */
static void begin(size_t bytes, int (*init)(void *, const unsigned char *))
{
    free(context);
    context = calloc(1, bytes + 64);
    if (context == NULL || init(context, key) != 0) {
        fprintf(stderr, "modes: no context\n");
        exit(1);
    }
}

/* Whether a mode's name is that of a cipher, a hyphen, and that of the mode, which is the result. */
static const char *over(const char *of)
{
    const size_t length = strlen(cipher->name);
    return strncmp(of, cipher->name, length) == 0 && of[length] == '-' ? of + length + 1 : NULL;
}

/* How often a mode puts a block through its cipher. */
static int passes_of(const char *name)
{
    return strcmp(name, "ccm") == 0 ? 2 : 1;
}

static void modes_of(void)
{
    size_t number;
    double encrypt, decrypt = 0;
    begin(cipher->of.block_cipher.context_bytes, cipher->of.block_cipher.init);
    encrypt = cycles(run_encrypt);
    printf("| %s | encrypt_blocks | %.2f | |\n", cipher->name, encrypt);
    if (cipher->of.block_cipher.decrypt_blocks != NULL) {
        decrypt = cycles(run_decrypt);
        printf("| %s | decrypt_blocks | %.2f | |\n", cipher->name, decrypt);
    }
    if (cipher->of.block_cipher.ctr_xor != NULL)
        row(cipher->name, "ctr", run_counter, encrypt, 1);
    for (number = 0; (mode = usuba_primitive_at(number)) != NULL; number++) {
        const char *name = over(mode->name);
        if (name == NULL)
            continue;
        switch (mode->kind) {
        case USUBA_KIND_CHAIN: {
            const double backwards = strcmp(name, "cbc") == 0 ? decrypt : encrypt;
            /* Each byte is a block of the cipher. */
            const int all = strcmp(name, "cfb8") == 0 ? (int)cipher->of.block_cipher.block_bytes : 1;
            begin(mode->of.chain.context_bytes, mode->of.chain.init);
            row(mode->name, "encrypt", run_chain_encrypt, encrypt, all);
            row(mode->name, "decrypt", run_chain_decrypt, backwards, all);
            break;
        }
        case USUBA_KIND_UNITS:
            key[mode->of.units.key_bytes / 2] ^= 1;
            begin(mode->of.units.context_bytes, mode->of.units.init);
            row(mode->name, "encrypt", run_units_encrypt, encrypt, 1);
            row(mode->name, "decrypt", run_units_decrypt, decrypt, 1);
            break;
        case USUBA_KIND_AUTHENTICATOR:
            begin(mode->of.authenticator.context_bytes, mode->of.authenticator.init);
            row(mode->name, "compute", run_authenticator, encrypt, 1);
            break;
        case USUBA_KIND_AEAD:
            begin(mode->of.aead.context_bytes, mode->of.aead.init);
            row(mode->name, "seal", run_seal, encrypt, passes_of(name));
            row(mode->name, "open", run_open, strcmp(name, "ocb3") == 0 ? decrypt : encrypt, passes_of(name));
            break;
        default:
            break;
        }
    }
}

int main(int arguments, char **argument)
{
    size_t number;
    int at;
    for (at = 0; at < (int)sizeof key; at++)
        key[at] = (unsigned char)(at * 7 + 1);
    printf("target: %s\n", usuba_target());
    printf("| primitive | function | cycles a byte | beside its engine |\n|---|---|--:|--:|\n");
    for (number = 0; (cipher = usuba_primitive_at(number)) != NULL; number++) {
        int named = arguments < 2;
        for (at = 1; at < arguments; at++)
            named |= strcmp(argument[at], cipher->name) == 0;
        if (named && cipher->kind == USUBA_KIND_BLOCK_CIPHER && cipher->of.block_cipher.encrypt_blocks != NULL)
            modes_of();
    }
    return 0;
}
