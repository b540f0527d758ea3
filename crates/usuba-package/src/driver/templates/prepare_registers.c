    @from_bytes@
    @symbol@(@member@_given, @member@_made);
    for (j = 0; j < @registers@; j++)
        memcpy(ctx->@member@ + @each@ * j, @member@_made + j, @each@ * sizeof ctx->@member@[0]);
    usuba_wipe(@member@_given, sizeof @member@_given);
    usuba_wipe(@member@_made, sizeof @member@_made);
