/* Brings round keys into the form in which @reader@. */
void @stem@_load_@member@(void *to, const unsigned char *round_keys)
{
    @element@ *keys = (@element@ *)to;
@declarations@@statements@}

