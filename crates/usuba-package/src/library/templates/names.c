static const char *const names[] = { @names@ };
