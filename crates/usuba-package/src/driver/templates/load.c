/* Brings round keys into the form in which the kernels read them. */
static void load(@stem@_ctx *ctx, const unsigned char *round_keys)
{
@declarations@@statements@}

