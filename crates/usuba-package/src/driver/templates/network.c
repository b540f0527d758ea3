@if conditional
#@directive@ @condition@
@end
@definitions@
#define @name@_bytes @bytes@

@function@
