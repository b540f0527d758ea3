@prototypes@
static const struct engine engines[] = {
@rows@};

@steps@
static const struct usuba_plan plans[] = {
@plans@};
