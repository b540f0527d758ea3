static const struct usuba_step steps_@level@[] = @steps@;
