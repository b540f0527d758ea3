#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-tree-slp-vectorize")
#endif
@if kernel
@kernel@
@end
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

