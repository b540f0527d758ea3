#include <stdio.h>
#include <usuba.h>

int main(void)
{
    unsigned char key[16] = "a secret of ours", counter[16] = { 0 }, text[] = "attack at dawn";
    usuba_serpent_128_ctx ctx;
    usuba_serpent_128_init(&ctx, key);
    usuba_serpent_128_ctr_xor(&ctx, counter, text, text, sizeof text);
    for (size_t i = 0; i < sizeof text; i++)
        printf("%02x", text[i]);
    printf("  Serpent-128 in counter mode, code for %s\n", usuba_target());
    return 0;
}
