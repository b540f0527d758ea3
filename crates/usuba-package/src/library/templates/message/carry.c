/* What is encrypted goes into the vector, from the back. */
static void carry(unsigned char *iv, const unsigned char *cipher, size_t length)
{
    if (length >= @CIPHER@_BLOCK_BYTES) {
        memcpy(iv, cipher + (length - @CIPHER@_BLOCK_BYTES), @CIPHER@_BLOCK_BYTES);
    } else {
        memmove(iv, iv + length, @CIPHER@_BLOCK_BYTES - length);
        memcpy(iv + (@CIPHER@_BLOCK_BYTES - length), cipher, length);
    }
}

