@if pack
USUBA_INLINE void @name@_pack(void *registers, const unsigned char *blocks)
{
@pack@
}

@end
@if unpack
/* Changes the registers. */
USUBA_INLINE void @name@_unpack(unsigned char *blocks, void *registers)
{
@unpack@
}

@end
@if add
/* The same, exclusive or data, which may be where the blocks are. */
USUBA_INLINE void @name@_unpack_add(unsigned char *blocks, const unsigned char *data, void *registers)
{
@unpack_add@
}

@end
