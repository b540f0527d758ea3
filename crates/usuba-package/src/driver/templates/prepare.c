    @from_bytes@
    @symbol@(given, keys);
    usuba_wipe(given, sizeof given);
