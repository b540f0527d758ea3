    if ((has & @needed@) != @needed@)
        return @below@;
