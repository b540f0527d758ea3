#include "usuba_pebble.h"
#include <stdio.h>

int main(void)
{
    const unsigned char key[USUBA_PEBBLE_KEY_BYTES] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };
    unsigned char blocks[100][USUBA_PEBBLE_BLOCK_BYTES] = { { 0, 0, 0, 1, 0, 2, 0, 3 } };
    usuba_pebble_ctx ctx;
    if (usuba_pebble_init(&ctx, key) != USUBA_OK || usuba_pebble_encrypt_blocks(&ctx, blocks[0], blocks[0], 100) != USUBA_OK)
        return 1;
    for (int i = 0; i < 8; i++)
        printf("%02x", blocks[0][i]);
    printf("\n");
    return 0;
}
