/* @words@ words of @width@ bits in @bytes@ bytes. */
static const struct usuba_format @name@ = { @order@, @width@, @words@, @bytes@ };

