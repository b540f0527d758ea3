/* usuba_results.h - the codes that public functions return: the one list of them.
 *
 * Public headers stand alone, so that what is shipped has the lines below in place of the include. */
#ifndef USUBA_OK
#define USUBA_OK 0
/* A null pointer where there must be data. */
#define USUBA_ERROR_NULL (-1)
/* A size in bytes that does not fit in a size_t, or a longer keystream than the counter can number. */
#define USUBA_ERROR_LENGTH (-2)
/* Input and output overlap without being the same. */
#define USUBA_ERROR_OVERLAP (-3)
/* A tag that is not right: the data are not authentic. */
#define USUBA_ERROR_TAG (-4)
/* A call that the ones before it do not allow, such as more input after the digest. */
#define USUBA_ERROR_STATE (-5)
/* A context that was not made, or was wiped. */
#define USUBA_ERROR_CONTEXT (-6)
/* A target that there is no code for, or that this machine lacks. */
#define USUBA_ERROR_TARGET (-7)
#endif
