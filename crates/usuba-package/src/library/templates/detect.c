static unsigned detect(void)
{
    return @best@;
}
