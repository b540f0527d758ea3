/* references.h - authenticated encryption a byte at a time, over single calls of the primitives below it. */
#ifndef REFERENCES_H
#define REFERENCES_H

#include <stddef.h>

/* Seals a message; 1 if there is such a function for the name. */
int reference_seal(const char *name, unsigned char *out, unsigned char *tag, const unsigned char *key,
                   const unsigned char *nonce, const unsigned char *ad, size_t ad_length, const unsigned char *in,
                   size_t length);

#endif
