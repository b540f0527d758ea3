/* Brings round keys into the form in which @reader@. */
void @stem@_load_@member@(void *to, const unsigned char *round_keys)
{
@if turns
    @element@ *keys = (@element@ *)usuba_count_turns(to, @count@);
@end
@if no_turns
    @element@ *keys = (@element@ *)to;
@end
@declarations@@statements@}

