    @from_bytes@
    @symbol@(@member@_given, ctx->@member@);
    usuba_wipe(@member@_given, sizeof @member@_given);
