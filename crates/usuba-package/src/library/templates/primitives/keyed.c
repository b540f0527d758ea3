
static int @id@_init(void *ctx, const unsigned char *key)
{
    return @stem@_init(ctx, key);
}

static void @id@_wipe(void *ctx)
{
    @stem@_wipe(ctx);
}
