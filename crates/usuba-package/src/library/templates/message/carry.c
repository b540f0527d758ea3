/* What is encrypted goes into the vector, from the back. */
static void carry(unsigned char *iv, const unsigned char *cipher, size_t length)
{
    if (length >= @block@) {
        memcpy(iv, cipher + (length - @block@), @block@);
    } else {
        memmove(iv, iv + length, @block@ - length);
        memcpy(iv + (@block@ - length), cipher, length);
    }
}

