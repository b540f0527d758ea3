    set_key(ctx->keys, key);
    usuba_wipe_stack_@dead@();
