/* usuba_ascon_aead128.c - Ascon-AEAD128 over Ascon-p[12] and Ascon-p[8]: NIST SP 800-232, section 4.
 *
 * Everything is done for several messages at once, one of them being the usual case: a step is made for all messages that
 * are not yet past it, and then one call permutes their states. */
#include "usuba_ascon_aead128.h"
#include "usuba_ascon_p12.h"
#include "usuba_ascon_p8.h"
#include "usuba_ascon_state.h"

/* The initial value, which encodes the algorithm, the numbers of rounds, the size of the tag and the rate. */
#define AEAD128_IV 0x00001000808c0001u
/* The rate, two words. */
#define AEAD128_RATE 16

typedef struct usuba_ascon_aead128_message aead128_message;
typedef struct usuba_lane aead128_lane;

/* Adds the byte 1 that ends a string which leaves a block with `bytes` < 16 bytes. */
static void aead128_pad(unsigned char *state, size_t bytes)
{
    usuba_ascon_state_add(state, bytes / 8, (uint64_t)1 << (8 * (bytes % 8)));
}

/* Adds a block of associated data: all of its 16 bytes, or the last ones with padding. */
static void aead128_absorb(unsigned char *state, const unsigned char *in, size_t bytes)
{
    usuba_ascon_state_add(state, 0, usuba_load_part(in, bytes < 8 ? bytes : 8));
    if (bytes > 8)
        usuba_ascon_state_add(state, 1, usuba_load_part(in + 8, bytes - 8));
    if (bytes < AEAD128_RATE)
        aead128_pad(state, bytes);
}

/* Encrypts or decrypts up to 8 bytes with a word of the state, and adds the plaintext to it. */
static void aead128_crypt_word(unsigned char *state, size_t w, unsigned char *out, const unsigned char *in,
                               size_t bytes, int opening)
{
    const uint64_t mask = bytes == 8 ? ~(uint64_t)0 : ((uint64_t)1 << (8 * bytes)) - 1;
    const uint64_t x = usuba_ascon_state_word(state, w), given = usuba_load_part(in, bytes), made = given ^ x;
    usuba_store_part(out, made, bytes);
    usuba_ascon_state_set(state, w, x ^ (opening ? made & mask : given));
}

/* The same for a block of text, with padding if it has fewer than 16 bytes. */
static void aead128_crypt(unsigned char *state, unsigned char *out, const unsigned char *in, size_t bytes, int opening)
{
    aead128_crypt_word(state, 0, out, in, bytes < 8 ? bytes : 8, opening);
    if (bytes > 8)
        aead128_crypt_word(state, 1, out + 8, in + 8, bytes - 8, opening);
    if (bytes < AEAD128_RATE)
        aead128_pad(state, bytes);
}

/* Adds the key to the words `w` and `w + 1`. */
static void aead128_add_key(unsigned char *state, size_t w, const unsigned char *key)
{
    usuba_ascon_state_add(state, w, usuba_load64(key));
    usuba_ascon_state_add(state, w + 1, usuba_load64(key + 8));
}

/* Section 4.1.1, initialization: the state of each message knows its key and nonce. */
static void aead128_begin(const aead128_message *messages, const aead128_lane *lanes, unsigned char *states,
                          size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        const aead128_message *message = &messages[lanes[i].message];
        unsigned char *state = states + i * USUBA_ASCON_STATE_BYTES;
        memset(state, 0, USUBA_ASCON_STATE_BYTES);
        usuba_ascon_state_set(state, 0, AEAD128_IV);
        aead128_add_key(state, 1, message->key);
        aead128_add_key(state, 3, message->nonce);
    }
    usuba_ascon_p12_permute(states, count);
    for (i = 0; i < count; i++)
        aead128_add_key(states + i * USUBA_ASCON_STATE_BYTES, 3, messages[lanes[i].message].key);
}

/* The associated data of each message, if there are any, and the bit that separates them from the text. */
static void aead128_associate(const aead128_message *messages, aead128_lane *lanes, unsigned char *states,
                              size_t count)
{
    size_t i, active;
    for (i = 0; i < count; i++) {
        const aead128_message *message = &messages[lanes[i].message];
        lanes[i].in = message->ad;
        lanes[i].left = message->ad_length;
        lanes[i].over = message->ad_length == 0;
    }
    for (active = usuba_ascon_state_sort(lanes, states, count); active > 0;
         active = usuba_ascon_state_sort(lanes, states, active)) {
        for (i = 0; i < active; i++) {
            aead128_lane *lane = &lanes[i];
            const size_t bytes = lane->left < AEAD128_RATE ? lane->left : AEAD128_RATE;
            aead128_absorb(states + i * USUBA_ASCON_STATE_BYTES, lane->in, bytes);
            /* The last block is one that is not full, even if it is empty. */
            lane->over = bytes < AEAD128_RATE;
            lane->in += bytes;
            lane->left -= bytes;
        }
        usuba_ascon_p8_permute(states, active);
    }
    for (i = 0; i < count; i++)
        usuba_ascon_state_add(states + i * USUBA_ASCON_STATE_BYTES, 4, (uint64_t)1 << 63);
}

/* The text of each message. */
static void aead128_text(const aead128_message *messages, aead128_lane *lanes, unsigned char *states, size_t count,
                         int opening)
{
    size_t i, active;
    for (i = 0; i < count; i++) {
        const aead128_message *message = &messages[lanes[i].message];
        lanes[i].in = message->in;
        lanes[i].out = message->out;
        lanes[i].left = message->length;
        lanes[i].over = message->length < AEAD128_RATE;
    }
    for (active = usuba_ascon_state_sort(lanes, states, count); active > 0;
         active = usuba_ascon_state_sort(lanes, states, active)) {
        for (i = 0; i < active; i++) {
            aead128_lane *lane = &lanes[i];
            aead128_crypt(states + i * USUBA_ASCON_STATE_BYTES, lane->out, lane->in, AEAD128_RATE, opening);
            lane->in += AEAD128_RATE;
            lane->out += AEAD128_RATE;
            lane->left -= AEAD128_RATE;
            lane->over = lane->left < AEAD128_RATE;
        }
        usuba_ascon_p8_permute(states, active);
    }
    for (i = 0; i < count; i++)
        aead128_crypt(states + i * USUBA_ASCON_STATE_BYTES, lanes[i].out, lanes[i].in, lanes[i].left, opening);
}

/* Finalization: the tags, and in opening what follows from them. */
static void aead128_end(aead128_message *messages, const aead128_lane *lanes, unsigned char *states, size_t count,
                        int opening)
{
    unsigned char tag[USUBA_ASCON_AEAD128_TAG_BYTES];
    size_t i;
    for (i = 0; i < count; i++)
        aead128_add_key(states + i * USUBA_ASCON_STATE_BYTES, 2, messages[lanes[i].message].key);
    usuba_ascon_p12_permute(states, count);
    for (i = 0; i < count; i++) {
        aead128_message *message = &messages[lanes[i].message];
        unsigned char *state = states + i * USUBA_ASCON_STATE_BYTES;
        aead128_add_key(state, 3, message->key);
        usuba_store64(tag, usuba_ascon_state_word(state, 3));
        usuba_store64(tag + 8, usuba_ascon_state_word(state, 4));
        message->result = USUBA_OK;
        if (!opening) {
            memcpy(message->tag, tag, sizeof tag);
        } else if (!usuba_equal(tag, message->tag, sizeof tag)) {
            message->result = USUBA_ERROR_TAG;
            if (message->length > 0)
                usuba_wipe(message->out, message->length);
        }
    }
    usuba_wipe(tag, sizeof tag);
}

/* Seals or opens the messages that `count` lanes name, whose arguments are in order. */
static void aead128_run(aead128_message *messages, aead128_lane *lanes, unsigned char *states, size_t count,
                        int opening)
{
    aead128_begin(messages, lanes, states, count);
    aead128_associate(messages, lanes, states, count);
    aead128_text(messages, lanes, states, count, opening);
    aead128_end(messages, lanes, states, count, opening);
    usuba_wipe(states, count * USUBA_ASCON_STATE_BYTES);
}

/* Whether the arguments make sense. */
static int aead128_check(const aead128_message *m)
{
    return usuba_check_aead(m->out, m->in, m->length, m->ad, m->ad_length, m->key, USUBA_ASCON_AEAD128_KEY_BYTES,
                            m->nonce, USUBA_ASCON_AEAD128_NONCE_BYTES, m->tag, USUBA_ASCON_AEAD128_TAG_BYTES);
}

static int aead128_one(aead128_message *message, int opening)
{
    unsigned char state[USUBA_ASCON_STATE_BYTES];
    aead128_lane lane;
    message->result = aead128_check(message);
    if (message->result == USUBA_OK) {
        lane.message = 0;
        aead128_run(message, &lane, state, 1, opening);
    }
    return message->result;
}

static int aead128_batch(size_t count, aead128_message *messages, int opening)
{
    unsigned char states[USUBA_ASCON_STATE_LANES * USUBA_ASCON_STATE_BYTES];
    aead128_lane lanes[USUBA_ASCON_STATE_LANES];
    size_t i, used = 0;
    if (count > 0 && messages == NULL)
        return USUBA_ERROR_NULL;
    for (i = 0; i < count; i++) {
        messages[i].result = aead128_check(&messages[i]);
        if (messages[i].result == USUBA_OK)
            lanes[used++].message = i;
        if (used == USUBA_ASCON_STATE_LANES || (i + 1 == count && used > 0)) {
            aead128_run(messages, lanes, states, used, opening);
            used = 0;
        }
    }
    for (i = 0; i < count; i++)
        if (messages[i].result != USUBA_OK)
            return messages[i].result;
    return USUBA_OK;
}

int usuba_ascon_aead128_seal(unsigned char *out, unsigned char tag[USUBA_ASCON_AEAD128_TAG_BYTES],
                             const unsigned char key[USUBA_ASCON_AEAD128_KEY_BYTES],
                             const unsigned char nonce[USUBA_ASCON_AEAD128_NONCE_BYTES], const unsigned char *ad,
                             size_t ad_length, const unsigned char *in, size_t length)
{
    aead128_message message = { key, nonce, ad, ad_length, in, length, out, tag, USUBA_OK };
    return aead128_one(&message, 0);
}

int usuba_ascon_aead128_open(unsigned char *out, const unsigned char tag[USUBA_ASCON_AEAD128_TAG_BYTES],
                             const unsigned char key[USUBA_ASCON_AEAD128_KEY_BYTES],
                             const unsigned char nonce[USUBA_ASCON_AEAD128_NONCE_BYTES], const unsigned char *ad,
                             size_t ad_length, const unsigned char *in, size_t length)
{
    /* The message is opened: its tag is only read. */
    aead128_message message = { key, nonce, ad, ad_length, in, length, out, (unsigned char *)tag, USUBA_OK };
    return aead128_one(&message, 1);
}

int usuba_ascon_aead128_seal_batch(size_t count, usuba_ascon_aead128_message *messages)
{
    return aead128_batch(count, messages, 0);
}

int usuba_ascon_aead128_open_batch(size_t count, usuba_ascon_aead128_message *messages)
{
    return aead128_batch(count, messages, 1);
}
