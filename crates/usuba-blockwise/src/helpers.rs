//! Small functions in C that the text of a message calls.

/// The name in C of the bytes of blocks that are worked on at once.
pub(crate) const BATCH: &str = "USUBA_BATCH";

/// What else messages need, by a word that they have then.
pub(crate) const PARTS: [(&str, &str); 9] = [
    (
        "USUBA_ELSEWHERE",
        "
/* A function in assembly, of the same program. */
#ifndef USUBA_ELSEWHERE
#define USUBA_ELSEWHERE __attribute__((visibility(\"hidden\"))) extern
#endif
",
    ),
    (
        "summed",
        "
/* A block as two words in one register. */
#ifndef USUBA_HAS_SUMMED_WORDS
#define USUBA_HAS_SUMMED_WORDS
typedef uint64_t summed_words __attribute__((vector_size(16)));
#endif
",
    ),
    (
        "USUBA_APART",
        "
/* What never is a part of the function that calls it. Clang keeps vectors on the stack as it finds it, across lines of the cache. */
#ifndef USUBA_APART
#if defined(__clang__) && defined(__x86_64__)
#define USUBA_APART __attribute__((noinline, force_align_arg_pointer))
#elif defined(__GNUC__)
#define USUBA_APART __attribute__((noinline))
#else
#define USUBA_APART
#endif
#endif
",
    ),
    (
        "USUBA_INSIDE",
        "
/* What is a part of the function that calls it. */
#ifndef USUBA_INSIDE
#if defined(__GNUC__)
#define USUBA_INSIDE __attribute__((always_inline))
#else
#define USUBA_INSIDE
#endif
#endif
",
    ),
    (
        "USUBA_GROUPED(",
        "
/* Blocks of the longest text that goes in groups, longer ones in pieces: what the code was made for, and what suits cores better on
   which rounds of AES share ports with carry-less products. There a program may define USUBA_GROUPED. */
#define USUBA_GROUPED_SHARED 240
#ifndef USUBA_GROUPED
#define USUBA_GROUPED(blocks) (blocks)
#endif
",
    ),
    (
        BATCH,
        "
/* Bytes of the blocks, on the stack, that are worked on at once, 128 at least: as many as the widest engines take of 8 bytes. */
#ifndef USUBA_BATCH
#define USUBA_BATCH 4096
#endif
",
    ),
    (
        " leading,",
        "
/* A block of zeros, then ones. */
static const uint8_t leading[64] = {
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
  255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
  255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255
};
",
    ),
    (
        " places ",
        "
/* Ones in one block: the register that begins so many blocks before it has them in that place, and the first has none. */
static const uint8_t places[128] = {
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255
};
",
    ),
    (
        " ones,",
        "
static const uint8_t ones[64] = {
  255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
  255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
  255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
  255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255
};
",
    ),
];

/// Functions that messages call, by name: each stands where it is called, as compilers warn of others.
pub(crate) const HELPERS: [(&str, &str); 14] = [
    (
        "bigword64",
        "
/* A word of 64 bits, from its most significant byte. */
static inline uint64_t bigword64(const uint8_t *from) {
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  uint64_t word;
  memcpy(&word, from, 8);
  return __builtin_bswap64(word);
#else
  uint64_t word = 0;
  for (int at = 0; at < 8; at++) word = word << 8 | from[at];
  return word;
#endif
}
",
    ),
    (
        "bigput64",
        "
static inline void bigput64(uint8_t *to, uint64_t word) {
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  word = __builtin_bswap64(word);
  memcpy(to, &word, 8);
#else
  for (int at = 0; at < 8; at++) to[at] = (uint8_t)(word >> (56 - 8 * at));
#endif
}
",
    ),
    (
        "word64",
        "
/* A word of 64 bits, from its least significant byte. */
static inline uint64_t word64(const uint8_t *from) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  uint64_t word;
  memcpy(&word, from, 8);
  return word;
#else
  uint64_t word = 0;
  for (int at = 7; at >= 0; at--) word = word << 8 | from[at];
  return word;
#endif
}
",
    ),
    (
        "put64",
        "
static inline void put64(uint8_t *to, uint64_t word) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  memcpy(to, &word, 8);
#else
  for (int at = 0; at < 8; at++) to[at] = (uint8_t)(word >> (8 * at));
#endif
}
",
    ),
    (
        "word32",
        "
/* A word of 32 bits, from its least significant byte. */
static inline uint32_t word32(const uint8_t *from) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  uint32_t word;
  memcpy(&word, from, 4);
  return word;
#else
  return (uint32_t)from[3] << 24 | (uint32_t)from[2] << 16 | (uint32_t)from[1] << 8 | from[0];
#endif
}
",
    ),
    (
        "put32",
        "
static inline void put32(uint8_t *to, uint32_t word) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  memcpy(to, &word, 4);
#else
  for (int at = 0; at < 4; at++) to[at] = (uint8_t)(word >> (8 * at));
#endif
}
",
    ),
    (
        "padded",
        "
/* A block of so many bytes in whole words that begins with `length` bytes, behind which come `first`, zeros, and `last` in the
 * last byte of all. */
static inline void padded(uint8_t *block, int64_t bytes, const uint8_t *from, int64_t length, unsigned first, unsigned last) {
  for (int64_t at = 0; at < bytes; at += 8) {
    uint64_t word = 0;
    if (at + 8 <= length) {
      word = word64(from + at);
    } else if (at <= length) {
      const int64_t rest = length - at;
      int64_t done = 0;
      if (rest >= 4) { word = word32(from + at); done = 4; }
      for (; done < rest; done++) word |= (uint64_t)from[at + done] << (8 * done);
      word |= (uint64_t)first << (8 * rest);
    }
    if (at + 8 == bytes && length < bytes) word |= (uint64_t)last << 56;
    put64(block + at, word);
  }
}
",
    ),
    (
        "give",
        "
/* So many bytes of what lies in whole words. */
static inline void give(uint8_t *to, const uint8_t *from, int64_t length) {
  for (; length >= 8; length -= 8, to += 8, from += 8) put64(to, word64(from));
  if (length > 0) {
    uint64_t word = word64(from);
    if (length & 4) { put32(to, (uint32_t)word); to += 4; word >>= 32; }
    for (length &= 3; length > 0; length--, word >>= 8) *to++ = (uint8_t)word;
  }
}
",
    ),
    (
        "joined",
        "/* The first `front` bytes of one string, 4, 8 or 12, and as many of another as a block has room for: as words, since a block
 * that is read when parts of it have just been stored has to wait for memory. */
typedef uint32_t joined_words __attribute__((vector_size(16)));
static inline void joined(uint8_t block[16], const uint8_t *a, const uint8_t *b, int front) {
  uint32_t first, second, third, fourth;
  memcpy(&first, a, 4);
  memcpy(&second, front > 4 ? a + 4 : b + 4 - front, 4);
  memcpy(&third, front > 8 ? a + 8 : b + 8 - front, 4);
  memcpy(&fourth, b + 12 - front, 4);
  const joined_words words = {first, second, third, fourth};
  memcpy(block, &words, 16);
}
",
    ),
    (
        "summed",
        "/* The sum modulo 2 of two blocks. */
static inline void summed(uint8_t to[16], const uint8_t *a, const uint8_t *b) {
  summed_words one, other;
  memcpy(&one, a, 16);
  memcpy(&other, b, 16);
  one ^= other;
  memcpy(to, &one, 16);
}
",
    ),
    (
        "differ",
        "/* Not 0 if two blocks differ. Compilers may not look into the sum: Clang branches on its halves one after the other. */
static inline unsigned differ(const uint8_t *a, const uint8_t *b) {
  uint64_t one[2], other[2];
  memcpy(one, a, 16);
  memcpy(other, b, 16);
  one[0] = (one[0] ^ other[0]) | (one[1] ^ other[1]);
  __asm__(\"\" : \"+r\"(one[0]));
  return one[0] != 0;
}
",
    ),
    (
        "quotient",
        "/* Rounded down; b > 0. */
static inline int64_t quotient(int64_t a, int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }
",
    ),
    ("minimum", "static inline int64_t minimum(int64_t a, int64_t b) { return a < b ? a : b; }\n"),
    (
        "number",
        "/* Two words in one register, so that no part of it is stored by itself. */
typedef uint64_t number_words __attribute__((vector_size(16)));
static inline void number(uint8_t block[16], uint64_t value) {
  const number_words words = {value, 0};
  memcpy(block, &words, 16);
}
",
    ),
];

/// The helpers that texts call, and those that these call.
pub(crate) fn helpers(texts: &[&str]) -> String {
    let mut found: Vec<String> = Vec::new();
    for (name, text) in HELPERS.into_iter().rev() {
        let call = format!("{name}(");
        if texts.iter().any(|part| part.contains(&call)) || found.iter().any(|other| other.contains(&call)) {
            // A file may have several messages.
            let guard = format!("USUBA_HAS_{}", name.to_uppercase());
            found.push(format!("#ifndef {guard}\n#define {guard}\n{}\n#endif\n", text.trim()));
        }
    }
    found.reverse();
    found.concat()
}

/// The definitions that texts need.
pub(crate) fn definitions(texts: &[&str]) -> String {
    let needed = PARTS.iter().filter(|(word, _)| texts.iter().any(|part| part.contains(word)));
    needed.map(|(_, text)| *text).collect()
}
