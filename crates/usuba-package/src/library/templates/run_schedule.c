    if (usuba_level() >= @level@) {
        @name@(ctx->keys, key);
        usuba_wipe_stack_@packed_dead@();
    } else {
        set_key(ctx->keys, key);
        usuba_wipe_stack_@dead@();
    }
