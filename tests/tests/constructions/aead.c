/* Requests to NAME, with authenticated encryption. */

/* `S` or `O`, placement, whether in place, sizes of the data and of the text, key, nonce, data, tag if `O`, text:
 * the result, what is at the output then, and the tag if `S`. */
static void NAME_one(int opening)
{
    const unsigned placement = take_byte();
    const int in_place = take_byte();
    const size_t ad_length = take_number(), length = take_number();
    unsigned char *key = place(0, UPPER_KEY_BYTES, placement), *nonce = place(1, UPPER_NONCE_BYTES, placement);
    unsigned char *ad = place(2, ad_length, placement), *tag = place(3, UPPER_TAG_BYTES, placement);
    unsigned char *in = place(4, length, placement), *out = in_place ? in : place(5, length, placement);
    int result;
    take(key, UPPER_KEY_BYTES);
    take(nonce, UPPER_NONCE_BYTES);
    take(ad, ad_length);
    if (opening)
        take(tag, UPPER_TAG_BYTES);
    if (length > 0)
        memset(out, FRESH, length);
    take(in, length);
    if (opening)
        result = NAME_open(out, tag, key, nonce, ad, ad_length, in, length);
    else
        result = NAME_seal(out, tag, key, nonce, ad, ad_length, in, length);
    give_result(result);
    give(out, length);
    if (!opening)
        give(tag, UPPER_TAG_BYTES);
}

/* `B` or `C`, number of messages, and for each: sizes of the data and of the text, key, nonce, data, tag, text. The
 * result of all, and for each: its result, its output, its tag. Outputs are in place for every other message. */
static void NAME_many(int opening)
{
    const size_t count = take_number();
    NAME_message *messages = (NAME_message *)fresh(count * sizeof *messages);
    size_t i;
    for (i = 0; i < count; i++) {
        NAME_message *m = &messages[i];
        m->ad_length = take_number();
        m->length = take_number();
        m->key = taken(UPPER_KEY_BYTES);
        m->nonce = taken(UPPER_NONCE_BYTES);
        m->ad = taken(m->ad_length);
        m->tag = taken(UPPER_TAG_BYTES);
        m->in = taken(m->length);
        m->out = i % 2 == 0 ? (unsigned char *)m->in : fresh(m->length);
    }
    give_result(opening ? NAME_open_batch(count, messages) : NAME_seal_batch(count, messages));
    for (i = 0; i < count; i++) {
        NAME_message *m = &messages[i];
        give_result(m->result);
        give(m->out, m->length);
        give(m->tag, UPPER_TAG_BYTES);
        if (m->out != m->in)
            free(m->out);
        free((void *)m->key);
        free((void *)m->nonce);
        free((void *)m->ad);
        free((void *)m->in);
        free(m->tag);
    }
    free(messages);
}

/* What bad arguments do, in both directions. */
static const char *NAME_bad_arguments(void)
{
    unsigned char key[UPPER_KEY_BYTES] = { 1 }, nonce[UPPER_NONCE_BYTES] = { 2 }, ad[8] = { 3 };
    unsigned char text[200], before[200];
    /* A tag apart, so that it can be right. */
    unsigned char tag[UPPER_TAG_BYTES];
    NAME_message messages[3];
    int opening;
    size_t i;
    for (i = 0; i < sizeof text; i++)
        text[i] = before[i] = (unsigned char)i;
    memset(tag, FRESH, sizeof tag);
    for (opening = 0; opening < 2; opening++) {
        struct {
            const char *what;
            unsigned char *out, *tag;
            const unsigned char *key, *nonce, *ad;
            size_t ad_length;
            const unsigned char *in;
            size_t length;
            int result;
        } calls[] = {
            { "a null output", NULL, tag, key, nonce, ad, 8, text, 16, USUBA_ERROR_NULL },
            { "a null input", text, tag, key, nonce, ad, 8, NULL, 16, USUBA_ERROR_NULL },
            { "a null tag", text, NULL, key, nonce, ad, 8, text, 16, USUBA_ERROR_NULL },
            { "a null key", text, tag, NULL, nonce, ad, 8, text, 16, USUBA_ERROR_NULL },
            { "a null nonce", text, tag, key, NULL, ad, 8, text, 16, USUBA_ERROR_NULL },
            { "null data", text, tag, key, nonce, NULL, 8, text, 16, USUBA_ERROR_NULL },
            { "an output a byte beyond the input", text + 1, tag, key, nonce, ad, 8, text, 16, USUBA_ERROR_OVERLAP },
            { "an output a byte before the input", text, tag, key, nonce, ad, 8, text + 1, 16, USUBA_ERROR_OVERLAP },
            { "a tag in the output", text, text + 15, key, nonce, ad, 8, text, 16, USUBA_ERROR_OVERLAP },
            { "a key in the output", text, tag, text + 63, nonce, ad, 8, text + 100, 64, USUBA_ERROR_OVERLAP },
            { "a nonce in the output", text, tag, key, text, ad, 8, text + 100, 64, USUBA_ERROR_OVERLAP },
            { "data in the output", text, tag, key, nonce, text + 8, 100, text + 120, 9, USUBA_ERROR_OVERLAP },
            { "an endless input", text, tag, key, nonce, ad, 8, text, SIZE_MAX, USUBA_ERROR_LENGTH },
            { "endless data", text, tag, key, nonce, ad, SIZE_MAX, text, 16, USUBA_ERROR_LENGTH },
        };
        for (i = 0; i < sizeof calls / sizeof calls[0]; i++) {
            const int result =
                opening ? NAME_open(calls[i].out, calls[i].tag, calls[i].key, calls[i].nonce, calls[i].ad,
                                    calls[i].ad_length, calls[i].in, calls[i].length)
                        : NAME_seal(calls[i].out, calls[i].tag, calls[i].key, calls[i].nonce, calls[i].ad,
                                    calls[i].ad_length, calls[i].in, calls[i].length);
            if (result != calls[i].result)
                return calls[i].what;
            if (memcmp(text, before, sizeof text) != 0 || tag[0] != FRESH)
                return "bad arguments, but something was written";
        }
    }
    /* The second of three messages is in error, the third has a wrong tag when it is opened. */
    memset(messages, 0, sizeof messages);
    for (i = 0; i < 3; i++) {
        messages[i].key = key;
        messages[i].nonce = nonce;
        messages[i].in = messages[i].out = text + 40 * i;
        messages[i].length = 20;
        messages[i].tag = text + 40 * i + 20;
    }
    messages[1].nonce = NULL;
    if (NAME_seal_batch(3, messages) != USUBA_ERROR_NULL)
        return "a batch to seal with a null nonce";
    if (messages[0].result != USUBA_OK || messages[1].result != USUBA_ERROR_NULL || messages[2].result != USUBA_OK)
        return "the results of a batch to seal";
    if (memcmp(text + 40, before + 40, 40) != 0)
        return "a message in error, but something was written";
    messages[1].nonce = nonce;
    messages[1].length = 0;
    messages[2].tag[3] ^= 16;
    if (NAME_open_batch(3, messages) != USUBA_ERROR_TAG)
        return "a batch to open with wrong tags";
    if (messages[0].result != USUBA_OK || messages[1].result != USUBA_ERROR_TAG ||
        messages[2].result != USUBA_ERROR_TAG)
        return "the results of a batch to open";
    if (memcmp(text, before, 20) != 0 || memcmp(text + 80, before + 80, 20) == 0)
        return "the outputs of a batch to open";
    if (NAME_seal_batch(0, NULL) != USUBA_OK || NAME_open_batch(0, NULL) != USUBA_OK)
        return "an empty batch";
    if (NAME_seal_batch(1, NULL) != USUBA_ERROR_NULL || NAME_open_batch(1, NULL) != USUBA_ERROR_NULL)
        return "a batch without messages";
    return "";
}

static void NAME_request(int what)
{
    if (what == 'S' || what == 'O')
        NAME_one(what == 'O');
    else if (what == 'B' || what == 'C')
        NAME_many(what == 'C');
    else if (what == 'E')
        give_message(NAME_bad_arguments());
    else
        stop("no such request");
}

