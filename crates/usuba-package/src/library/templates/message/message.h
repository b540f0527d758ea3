#include "@cipher@.h"

/* Bytes of a key@halves@. */
#define @STEM@_KEY_BYTES @key@

/* What is made of a key. It has no pointers, may be copied, and is for one machine only. Its members are private. */
typedef struct @stem@_ctx {
    uint64_t state;
    @cipher@_ctx cipher;
@if units
    @cipher@_ctx tweak;
@end
    uint64_t prepared[@words@];
} @stem@_ctx;

/* Bytes of a context in the library that is linked: what `sizeof` says, or the header is of another version. */
@API@size_t @stem@_ctx_bytes(void);

/* Expands a key. */
@API@int @stem@_init(@stem@_ctx *ctx, const unsigned char key[@STEM@_KEY_BYTES]);

/* Overwrites what was made of the key; functions then refuse the context. */
@API@void @stem@_wipe(@stem@_ctx *ctx);

