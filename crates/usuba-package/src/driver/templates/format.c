/* @words@ words of @width@ bits in @bytes@ bytes. */
static const struct usuba_format @name@ USUBA_UNUSED = { @order@, @width@, @words@, @bytes@ };

