@prototypes@
@if loaded
enum { LOADED_WORDS = @loaded_words@ };

@end
static const struct engine engines[] = {
@rows@};

@steps@
static const struct usuba_plan plans[] = {
@plans@};
