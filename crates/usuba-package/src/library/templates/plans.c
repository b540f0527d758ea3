@prototypes@
@if loaded
enum { LOADED_WORDS = @loaded_words@ };

@end
static const struct engine engines[] = {
@rows@};

/* Lists one after another, each of which ends with a step for any number of blocks. */
static const struct usuba_step steps[] = {
@steps@};

/* For each plan, in the order of usuba_cpu.c, where its list begins. */
static const unsigned short plans[] = {
@plans@};
