static unsigned detect(void)
{
    return @best@;
}

static unsigned detect_core(void)
{
    return 0;
}
