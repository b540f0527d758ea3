static const char *const names[] = { @names@ };
static const char *const cores[] = { @cores@ };
