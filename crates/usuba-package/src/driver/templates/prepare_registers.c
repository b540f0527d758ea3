    @from_bytes@
    @symbol@(given, made);
    for (j = 0; j < @registers@; j++)
        memcpy(keys + @each@ * j, made + j, @each@ * sizeof keys[0]);
    usuba_wipe(given, sizeof given);
    usuba_wipe(made, sizeof made);
