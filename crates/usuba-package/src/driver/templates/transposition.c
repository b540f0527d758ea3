@if pack
USUBA_INLINE void @name@_pack(void *registers, const unsigned char *blocks)
{
    usuba_pack_@layout@(registers, @register@,@argument@ blocks, @name@_format@from@);
}

@end
@if unpack
/* Changes the registers. */
USUBA_INLINE void @name@_unpack(struct usuba_output blocks, void *registers)
{
    usuba_unpack_@layout@(blocks, registers, @register@,@argument@ @name@_format@from@);
}

@end
