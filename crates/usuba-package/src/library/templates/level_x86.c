    if (!((@conditions@)))
        return @below@;
