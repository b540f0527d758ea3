#include "usuba_pebble.h"

const size_t pebble_context_bytes = sizeof(usuba_pebble_ctx);
