@if chained
#ifndef @PREFIX@CHAINED_MESSAGE
#define @PREFIX@CHAINED_MESSAGE
/* One of many messages in a mode that carries a vector: what the function for one is given, and what it would return. */
typedef struct @prefix@chained_message {
    unsigned char *iv;
    const unsigned char *in;
    size_t length;
    unsigned char *out;
    int result;
} @prefix@chained_message;
#endif
@end
@if tagged
#ifndef @PREFIX@TAGGED_MESSAGE
#define @PREFIX@TAGGED_MESSAGE
/* One of many messages of which tags are made: what the function for one is given, and what it would return. */
typedef struct @prefix@tagged_message {
    const unsigned char *in;
    size_t length;
    unsigned char *tag;
    size_t tag_bytes;
    int result;
} @prefix@tagged_message;
#endif
@end
