/* Makes of round keys those under which encryption decrypts. */
static USUBA_NOINLINE void decryption_keys(unsigned char *made, const unsigned char *round_keys)
{
    struct {
        @in@;
        @out@;
    } words;
    @from_bytes@
    @symbol@(words.in, words.out);
    @to_bytes@
    usuba_wipe_many(&words, sizeof words);
}

