//! Modes as machine code equal the form of messages: every mode over AES on every target with AES rounds.
//!
//! What code every mode becomes is looked at on every target. In a normal run it is compiled and run on one of them, with
//! `USUBA_WAYS=all` on all; `USUBA_MODE` names one mode or node that is tried alone, everywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::{Arc, Mutex};
use usuba_blockwise::machine::{Choices, Ciphers, Known, Machine};
use usuba_blockwise::message::{Code, code};
use usuba_blockwise::plan::Refusal;
use usuba_blockwise::schedule::makes_keys;
use usuba_lang::load::{Loaded, load};
use usuba_message::form::{Message, Sameness, VariableId};
use usuba_message::in_place;
use usuba_message::incremental::{Incremental, incremental};
use usuba_message::interpret::Runner;
use usuba_message::number::Term;
use usuba_message::{elaborate, passes};
use usuba_package::OutputFile;
use usuba_package::message::{self, CIPHER, MODES, Mode};
use usuba_target::{Target, by_name};
use usuba_tests::ciphers::{Disk, root};
use usuba_tests::messages::{self, bound, bytes};
use usuba_tests::round_keys::round_keys;
use usuba_tests::ways;
use usuba_trial::run::{Compiler, Family, RunError};
use usuba_verify::object::file::Object;

/// A message after the passes.
fn streamed(loaded: &Loaded, node: &str) -> Message {
    let cipher = loaded.program.ciphers.iter().any(|cipher| cipher.name.text == CIPHER).then_some(CIPHER);
    let mut message = elaborate::elaborate(&loaded.program, node, cipher).unwrap();
    passes::run(&mut message).unwrap();
    message
}

fn generated(
    loaded: &Loaded,
    message: &Message,
    pieces: Option<&Incremental>,
    way: Way,
) -> Result<Code, Refusal> {
    let mut loaded = loaded.clone();
    // The parts have steps of their own beside those of the message.
    let part = pieces.and_then(|pieces| pieces.parts.first());
    loaded.program = part.map_or(message, |part| &part.message).program.clone();
    let ciphers = Ciphers::default();
    let known = Known::over(&ciphers);
    let machine = |target| Machine::new(&loaded, target, &known).with(way.choices);
    let machines = way.blocks.map(|pair| pair.map(machine));
    let machines = machines.as_ref().map(|[wide, narrow]| (wide, narrow));
    code(message, &loaded.sources, machines, way.functions, "message", pieces)
}

/// What gives a message in pieces, cut at random, to its parts, and says whether the outcome is that of the whole.
fn in_pieces(message: &Message, pieces: &Incremental, code: &Code) -> String {
    let made = code.pieces.as_ref().expect("the parts that were asked for");
    let (lengths, inputs, outputs) = (
        pieces.parts.first().map_or(0, |part| part.message.lengths.len()),
        message.inputs.len(),
        message.outputs.len(),
    );
    let mut text = String::new();
    for declaration in made.parts.iter().chain(&made.counts) {
        let _ = writeln!(text, "{declaration};");
    }
    let names = |name: &str, many: usize| {
        (0..many).map(|number| format!("message_{name}{number}")).collect::<Vec<_>>().join(", ")
    };
    let _ = writeln!(text, "static part *const parts[] = {{ {} }};", names("part", made.parts.len()));
    let _ = writeln!(text, "static count *const counts[] = {{ {} }};", names("count", made.counts.len()));
    let _ = writeln!(text, "static const struct stream streams[] = {{");
    for stream in &pieces.streams {
        let place = |of: &[VariableId], id: VariableId| of.iter().position(|&other| other == id);
        let input = place(&message.inputs, stream.variable).map_or(-1, |place| place as i64);
        let own = place(&message.outputs, stream.variable).into_iter();
        let others = stream.outputs.iter().filter_map(|&id| place(&message.outputs, id));
        let all: Vec<String> = own.chain(others).map(|place| place.to_string()).collect();
        assert!(all.len() <= 2, "a string with many outputs");
        let of = |number: usize| all.get(number).map_or("-1", String::as_str);
        let _ = writeln!(
            text,
            "  {{ {}, {}, {}, {}, {}, {input}, {{ {}, {} }}, {} }},",
            stream.length,
            stream.before,
            stream.now,
            stream.rate,
            stream.element,
            of(0),
            of(1),
            stream.held
        );
    }
    let _ = writeln!(text, "}};");
    let _ = writeln!(
        text,
        "enum {{ LENGTHS = {lengths}, WHOLE = {}, INPUTS = {inputs}, OUTPUTS = {outputs}, KEPT = {}, STREAMS = {} }};",
        message.lengths.len(),
        made.kept.max(1),
        pieces.streams.len()
    );
    text + PIECES
}

const PIECES: &str = r"
static uint64_t random_state = 88172645463325252u;
static size_t below(size_t n) {
  random_state ^= random_state << 13; random_state ^= random_state >> 7; random_state ^= random_state << 17;
  return (size_t)(random_state >> 11) % n;
}
/* Whether what the parts make is what the whole has made, `result` being its result. */
static int pieces_agree(const int64_t *n, const struct string *s, const uint8_t *prepared, int result) {
  size_t lengths[LENGTHS + 1];
  _Alignas(16) uint8_t kept[KEPT];
  const uint8_t *in[INPUTS + 1]; uint8_t *out[OUTPUTS + 1];
  struct string made[OUTPUTS + 1];
  int found, same = 1;
  if (result == 2) return 1;
  for (int at = 0; at < LENGTHS; at++) lengths[at] = at < WHOLE ? (size_t)n[at] : ~(size_t)0;
  /* What is not known yet would be refused. */
  for (int at = 0; at < STREAMS; at++) lengths[streams[at].length] = ~(size_t)0;
  memset(kept, 0xa5, sizeof kept);
  for (int at = 0; at < INPUTS; at++) in[at] = s[at].bytes;
  for (int at = 0; at < OUTPUTS; at++) { made[at] = copy(s[INPUTS + at]); memset(made[at].bytes, 0xa5, made[at].size); }
  for (int at = 0; at < OUTPUTS; at++) out[at] = made[at].bytes;
  found = parts[0](lengths, prepared, kept, in, out);
  for (int at = 0; at < STREAMS && found == 0; at++) {
    const struct stream *one = &streams[at];
    const size_t all = (size_t)n[one->length], most = (size_t[5]){1, 7, 16, 65, 400}[below(5)];
    size_t come = 0, done = 0;
    while (come < all && found == 0) {
      come += 1 + below(most);
      come = come < all ? come : all;
      const size_t now = counts[at](come);
      if (now > done) {
        if (one->in >= 0) in[one->in] = s[one->in].bytes + done * one->rate;
        for (int to = 0; to < 2; to++) if (one->out[to] >= 0) out[one->out[to]] = made[one->out[to]].bytes + done * one->rate;
        lengths[one->before] = done; lengths[one->now] = now - done;
        found = parts[2 * at + 1](lengths, prepared, kept, in, out);
        lengths[one->before] = lengths[one->now] = ~(size_t)0;
        done = now;
      }
      same &= come * one->element - done * one->rate <= one->held;
    }
    lengths[one->length] = all;
    if (one->in >= 0) in[one->in] = s[one->in].bytes + done * one->rate;
    for (int to = 0; to < 2; to++) if (one->out[to] >= 0) out[one->out[to]] = made[one->out[to]].bytes + done * one->rate;
    if (found == 0) found = parts[2 * at + 2](lengths, prepared, kept, in, out);
  }
  same &= found == result;
  for (int at = 0; at < OUTPUTS; at++) {
    if (result == 0) same &= !memcmp(made[at].bytes, s[INPUTS + at].bytes, made[at].size);
    give_back(made[at]);
  }
  return same;
}
";

/// A program that reads numbers and strings and calls the message; strings end at a page that cannot be read.
fn harness(message: &Message, pieces: Option<&Incremental>, code: &Code) -> String {
    let parts = pieces.map_or(String::new(), |pieces| in_pieces(message, pieces, code));
    let mut text = format!(
        "{HARNESS}\n{};\n{};\n{parts}\nint main(void) {{\n  (void)copy;\n  for (;;) {{\n",
        code.prepare, code.prototype
    );
    let lengths = message.lengths.len();
    let (inputs, outputs) = (message.inputs.len(), message.outputs.len());
    let _ = writeln!(text, "    int64_t n[{}] = {{0}};", lengths.max(1));
    let _ = writeln!(text, "    if (fread(n, 8, {lengths}, stdin) != {lengths} || feof(stdin)) return 0;");
    let _ = writeln!(text, "    struct string s[{}];", inputs + outputs);
    let _ = writeln!(text, "    for (int at = 0; at < {inputs}; at++) s[at] = given();");
    let _ = writeln!(text, "    for (int at = {inputs}; at < {}; at++) s[at] = room();", inputs + outputs);
    let of_key = message.inputs.iter().enumerate();
    let of_key = of_key.filter(|(_, id)| message.variable(**id).sameness == Sameness::Key);
    let of_key: String = of_key.map(|(at, _)| format!("s[{at}].bytes, ")).collect();
    let _ = writeln!(text, "    _Alignas(64) static uint8_t prepared[{}];", code.prepared.max(1));
    let _ = writeln!(text, "    message_prepare({of_key}prepared);");
    let arguments = (0..lengths).map(|at| format!("n[{at}]"));
    let arguments: Vec<String> = arguments
        .chain(["prepared".into()])
        .chain((0..inputs + outputs).map(|at| format!("s[{at}].bytes")))
        .collect();
    let _ = writeln!(text, "    const int result = message({});\n    putchar(result);", arguments.join(", "));
    if pieces.is_some() {
        text += "    putchar(pieces_agree(n, s, prepared, result));\n";
    }
    for (input, output) in same_sizes(message) {
        let output = inputs + output;
        // Again with the output over the input; then all strings are put back.
        let _ = writeln!(text, "    {{ struct string had[{}]; int same = 1;", inputs + outputs);
        let _ =
            writeln!(text, "    for (int at = 0; at < {}; at++) had[at] = copy(s[at]);", inputs + outputs);
        let mut arguments = arguments.clone();
        arguments[lengths + 1 + output] = format!("s[{input}].bytes");
        let _ = writeln!(text, "    message({});", arguments.join(", "));
        let _ = writeln!(
            text,
            "    for (int at = {inputs}; at < {}; at++) same &= !memcmp(s[at == {output} ? {input} : at].bytes, \
             had[at].bytes, had[at].size);",
            inputs + outputs
        );
        let _ = writeln!(
            text,
            "    putchar(same);\n    for (int at = 0; at < {}; at++) {{ memcpy(s[at].bytes, had[at].bytes, s[at].size); \
             give_back(had[at]); }} }}",
            inputs + outputs
        );
    }
    let _ = writeln!(
        text,
        "    for (int at = 0; at < {}; at++) {{ if (at >= {inputs}) fwrite(s[at].bytes, 1, s[at].size, stdout); \
         give_back(s[at]); }}",
        inputs + outputs
    );
    text + "  }\n}\n"
}

/// The inputs and outputs, by their places among these, that are strings of one length.
fn same_sizes(message: &Message) -> Vec<(usize, usize)> {
    let size = |id: &VariableId| {
        let variable = message.variable(*id);
        variable.count.as_ref().and(variable.bytes())
    };
    let mut found = Vec::new();
    for (place, input) in message.inputs.iter().enumerate() {
        for (other, output) in message.outputs.iter().enumerate() {
            if size(input).is_some() && size(input) == size(output) {
                found.push((place, other));
            }
        }
    }
    found
}

const HARNESS: &str = r"#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
typedef int part(const size_t *, const uint8_t *, uint8_t *, const uint8_t *const *, uint8_t *const *);
typedef size_t count(size_t);
struct stream { size_t length, before, now, rate, element; int in, out[2]; size_t held; };
struct string { uint8_t *bytes; size_t size, all; };
static struct string room(void) {
  uint32_t size;
  if (fread(&size, 4, 1, stdin) != 1) exit(9);
  size_t page = (size_t)sysconf(_SC_PAGESIZE), all = (size + page - 1) / page * page;
  uint8_t *memory = mmap(NULL, all + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory + all, page, PROT_NONE)) exit(8);
  return (struct string){memory + all - size, size, all + page};
}
static struct string copy(struct string from) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  uint8_t *memory = mmap(NULL, from.all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory + from.all - page, page, PROT_NONE)) exit(8);
  struct string string = {memory + from.all - page - from.size, from.size, from.all};
  memcpy(string.bytes, from.bytes, from.size);
  return string;
}
static struct string given(void) {
  struct string string = room();
  if (fread(string.bytes, 1, string.size, stdin) != string.size) exit(7);
  return string;
}
static void give_back(struct string string) { munmap(string.bytes + string.size - (string.all - (size_t)sysconf(_SC_PAGESIZE)), string.all); }
";

/// AES-128 by its round keys, as functions that messages call.
const AES: &str = r"#include <wmmintrin.h>
#define KEY(i) _mm_loadu_si128((const __m128i *)(const void *)(key + 16 * (i)))
void message_encrypt(const uint8_t *key, const uint8_t *from, uint8_t *to, size_t blocks);
void message_decrypt(const uint8_t *key, const uint8_t *from, uint8_t *to, size_t blocks);
void message_encrypt(const uint8_t *key, const uint8_t *from, uint8_t *to, size_t blocks) {
  for (; blocks > 0; blocks--, from += 16, to += 16) {
    __m128i state = _mm_xor_si128(_mm_loadu_si128((const __m128i *)(const void *)from), KEY(0));
    for (int i = 1; i < 10; i++) state = _mm_aesenc_si128(state, KEY(i));
    _mm_storeu_si128((__m128i *)(void *)to, _mm_aesenclast_si128(state, KEY(10)));
  }
}
void message_decrypt(const uint8_t *key, const uint8_t *from, uint8_t *to, size_t blocks) {
  for (; blocks > 0; blocks--, from += 16, to += 16) {
    __m128i state = _mm_xor_si128(_mm_loadu_si128((const __m128i *)(const void *)from), KEY(10));
    for (int i = 9; i > 0; i--) state = _mm_aesdec_si128(state, _mm_aesimc_si128(KEY(i)));
    _mm_storeu_si128((__m128i *)(void *)to, _mm_aesdeclast_si128(state, KEY(0)));
  }
}
";

/// The key schedule of AES-128 (FIPS 197, section 5.2), for messages that make a key: what it writes, or returns.
const SCHEDULE: &str = r"
static uint8_t twice(uint8_t x) { return (uint8_t)(x << 1 ^ (x >> 7) * 27); }
static uint8_t substituted(uint8_t x) {
  uint8_t inverse = 1, power = x, result = 99;
  for (int i = 0; i < 7; i++) {
    uint8_t square = 0, product = 0;
    for (int bit = 7; bit >= 0; bit--) square = (uint8_t)(twice(square) ^ (power >> bit & 1) * power);
    power = square;
    for (int bit = 7; bit >= 0; bit--) product = (uint8_t)(twice(product) ^ (inverse >> bit & 1) * power);
    inverse = product;
  }
  for (int i = 0; i < 5; i++) result ^= (uint8_t)(inverse << i | inverse >> (8 - i));
  return result;
}
static void expand(const uint8_t *from, uint8_t *to) {
  uint8_t constant = 1;
  memcpy(to, from, 16);
  for (int at = 16; at < 176; at += 4) {
    uint8_t word[4];
    memcpy(word, to + at - 4, 4);
    if (at % 16 == 0) {
      for (int i = 0; i < 4; i++) word[i] = substituted(to[at - 4 + (i + 1) % 4]);
      word[0] ^= constant;
      constant = twice(constant);
    }
    for (int i = 0; i < 4; i++) to[at + i] = to[at - 16 + i] ^ word[i];
  }
}
";
const SCHEDULE_TO: &str = r"
void message_schedule(const uint8_t *from, uint8_t *to);
void message_schedule(const uint8_t *from, uint8_t *to) { expand(from, to); }
";
const SCHEDULE_INSTEAD: &str = r"
const uint8_t *message_schedule(const uint8_t *key, const uint8_t *from);
const uint8_t *message_schedule(const uint8_t *key, const uint8_t *from) {
  static uint8_t made[176];
  (void)key;
  expand(from, made);
  return made;
}
";

/// NOEKEON by its working key, whose words are little-endian here, as functions that messages call.
const NOEKEON: &str = r"
static uint32_t rol(uint32_t x, int by) { return x << by | x >> (32 - by); }
static void theta(uint32_t *a, const uint32_t *k) {
  uint32_t s = a[0] ^ a[2];
  s ^= rol(s, 8) ^ rol(s, 24);
  a[1] ^= s; a[3] ^= s;
  for (int i = 0; i < 4; i++) a[i] ^= k[i];
  s = a[1] ^ a[3];
  s ^= rol(s, 8) ^ rol(s, 24);
  a[0] ^= s; a[2] ^= s;
}
static void gamma_between(uint32_t *a) {
  a[1] = rol(a[1], 1); a[2] = rol(a[2], 5); a[3] = rol(a[3], 2);
  a[1] ^= ~a[3] & ~a[2];
  a[0] ^= a[2] & a[1];
  const uint32_t first = a[3];
  a[3] = a[0]; a[0] = first;
  a[2] ^= a[0] ^ a[1] ^ a[3];
  a[1] ^= ~a[3] & ~a[2];
  a[0] ^= a[2] & a[1];
  a[1] = rol(a[1], 31); a[2] = rol(a[2], 27); a[3] = rol(a[3], 30);
}
static const uint8_t added_first[17] = {
  0x80, 0x1b, 0x36, 0x6c, 0xd8, 0xab, 0x4d, 0x9a, 0x2f, 0x5e, 0xbc, 0x63, 0xc6, 0x97, 0x35, 0x6a, 0xd4
};
static void noekeon(const uint8_t *key, const uint8_t *from, uint8_t *to, int back) {
  uint32_t a[4], k[4], zero[4] = {0};
  memcpy(k, key, 16);
  memcpy(a, from, 16);
  for (int i = 0; i < 4; i++) a[i] = __builtin_bswap32(a[i]);
  if (back) theta(k, zero);
  for (int i = 0; i < 16; i++) {
    if (!back) a[0] ^= added_first[i];
    theta(a, k);
    if (back) a[0] ^= added_first[16 - i];
    gamma_between(a);
  }
  if (!back) a[0] ^= added_first[16];
  theta(a, k);
  if (back) a[0] ^= added_first[0];
  for (int i = 0; i < 4; i++) a[i] = __builtin_bswap32(a[i]);
  memcpy(to, a, 16);
}
void message_encrypt(const uint8_t *key, const uint8_t *from, uint8_t *to, size_t blocks);
void message_decrypt(const uint8_t *key, const uint8_t *from, uint8_t *to, size_t blocks);
void message_encrypt(const uint8_t *key, const uint8_t *from, uint8_t *to, size_t blocks) {
  for (; blocks > 0; blocks--, from += 16, to += 16) noekeon(key, from, to, 0);
}
void message_decrypt(const uint8_t *key, const uint8_t *from, uint8_t *to, size_t blocks) {
  for (; blocks > 0; blocks--, from += 16, to += 16) noekeon(key, from, to, 1);
}
";

/// PRESENT by its round keys in rows, words of 16 bits: row k has bit 3 - k of every nibble, that of the first in its top bit.
const PRESENT: &str = r"
void message_encrypt(const uint8_t *key, const uint8_t *from, uint8_t *to, size_t blocks);
void message_decrypt(const uint8_t *key, const uint8_t *from, uint8_t *to, size_t blocks);
static const uint8_t box[16] = {12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2};
static uint64_t round_key(const uint8_t *key, int round) {
  uint64_t number = 0;
  uint16_t rows[4];
  memcpy(rows, key + 8 * round, 8);
  for (int i = 0; i < 64; i++) number = number << 1 | (rows[i % 4] >> (15 - i / 4) & 1);
  return number;
}
static void present(const uint8_t *key, const uint8_t *from, uint8_t *to, int back) {
  uint64_t state = 0;
  for (int i = 0; i < 8; i++) state = state << 8 | from[i];
  state ^= round_key(key, back ? 31 : 0);
  for (int round = 0; round < 31; round++) {
    uint64_t next = 0;
    if (!back) {
      for (int i = 0; i < 16; i++) next |= (uint64_t)box[state >> (4 * i) & 15] << (4 * i);
      state = next, next = 0;
      for (int i = 0; i < 64; i++) next |= (state >> i & 1) << (i == 63 ? 63 : 16 * i % 63);
    } else {
      for (int i = 0; i < 64; i++) next |= (state >> (i == 63 ? 63 : 16 * i % 63) & 1) << i;
      state = next, next = 0;
      for (int i = 0; i < 16; i++)
        for (int x = 0; x < 16; x++)
          if (box[x] == (state >> (4 * i) & 15)) next |= (uint64_t)x << (4 * i);
    }
    state = next ^ round_key(key, back ? 30 - round : round + 1);
  }
  for (int i = 0; i < 8; i++) to[i] = (uint8_t)(state >> (56 - 8 * i));
}
void message_encrypt(const uint8_t *key, const uint8_t *from, uint8_t *to, size_t blocks) {
  for (; blocks > 0; blocks--, from += 8, to += 8) present(key, from, to, 0);
}
void message_decrypt(const uint8_t *key, const uint8_t *from, uint8_t *to, size_t blocks) {
  for (; blocks > 0; blocks--, from += 8, to += 8) present(key, from, to, 1);
}
";

const LENGTHS: [i64; 21] =
    [16, 0, 12, 17, 1, 33, 4, 15, 32, 8, 31, 48, 64, 7, 512, 513, 640, 13, 191, 1103, 3301];

/// Texts of GCM that go in pieces, and what is left of these: nothing, one byte, a register, blocks of which the last is not whole.
const LONG: [i64; 4] = [8193, 9216, 9215, 9280];

/// Messages of a mode, and what the form says of them.
struct Cases {
    loaded: Loaded,
    message: Message,
    /// What the program reads.
    given: Vec<u8>,
    /// For each message its lengths, and what the program writes: whether it is refused, then the outputs.
    expected: Vec<(Vec<i64>, Vec<u8>)>,
}

/// The cases of a mode over AES-128, made once for all targets.
fn cases(mode: Mode) -> Arc<Cases> {
    static KNOWN: Mutex<BTreeMap<&str, Arc<Cases>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap();
    Arc::clone(known.entry(mode.name).or_insert_with(|| Arc::new(cases_over("aes", "aes-128", mode))))
}

fn cases_over(cipher: &str, primitive: &str, mode: Mode) -> Cases {
    let sealing = mode.name.strip_suffix("-open").map(|name| {
        let mode = message::named(&format!("{name}-seal")).unwrap();
        streamed(&bound(cipher, primitive, mode), mode.node)
    });
    made_cases(bound(cipher, primitive, mode), mode.node, sealing)
}

fn made_cases(loaded: Loaded, node: &str, sealing: Option<Message>) -> Cases {
    let name = node;
    let message = streamed(&loaded, node);
    let mut runner = Runner::new(&message).unwrap();
    let (mut given, mut expected) = (Vec::new(), Vec::new());
    for seed in 0..4000u64 {
        if expected.len() == 24 {
            break;
        }
        let draw = bytes(seed + 1, message.lengths.len());
        let mut chosen: Vec<i64> = draw.iter().map(|&byte| LENGTHS[byte as usize % LENGTHS.len()]).collect();
        if let Some(&bytes) = expected.len().checked_sub(20).and_then(|number| LONG.get(number))
            && name.ends_with("GCM")
        {
            for (length, of) in chosen.iter_mut().zip(&message.lengths) {
                match &of[..] {
                    "len" => *length = bytes,
                    "ivlen" => *length = 12,
                    "t" => *length = 16,
                    _ => {}
                }
            }
        }
        // More turns than have their first values in memory at once, and a part of one.
        if expected.len() == 23 && name.ends_with("OCB") {
            for (length, of) in chosen.iter_mut().zip(&message.lengths) {
                *length = if of == "len" { 33_000 } else { (*length).clamp(8, 15) };
            }
        }
        let value = |term: &Term| match term {
            Term::Length(length) => chosen[*length as usize],
            _ => 0,
        };
        let size = |id| {
            let variable = message.variable(id);
            let count = variable.count.as_ref().map_or(Ok(1), |count| count.evaluate(&value)).ok()?;
            Some(usize::try_from(count).ok()? * variable.words.count as usize)
        };
        let mut inputs: Vec<Vec<u128>> = Vec::new();
        for (place, &id) in message.inputs.iter().enumerate() {
            let key = message.cipher.as_ref().filter(|_| message.variable(id).sameness == Sameness::Key);
            let count = key.map_or(size(id).unwrap_or(0), |cipher| cipher.key as usize);
            let string = bytes(1000 * seed + place as u64, count);
            inputs.push(match key {
                Some(cipher) if cipher.keys.count == 176 => {
                    round_keys(&string).iter().map(|&byte| byte.into()).collect()
                }
                Some(_) => messages::round_keys(&loaded.program, CIPHER, &string),
                None => string.iter().map(|&byte| byte.into()).collect(),
            });
        }
        let mut outcome = runner.run(&chosen, &inputs);
        // What opens is tried with what was sealed, but for some.
        if let (Ok(None), Some(seal)) = (&outcome, &sealing)
            && !expected.len().is_multiple_of(4)
        {
            let last = inputs.len() - 2;
            let mut lengths: Vec<i64> = chosen.clone();
            // The tag's length is a number of the seal; the order of the others is the same.
            let tag = seal.lengths.iter().position(|name| name == "t");
            let own = message.lengths.iter().position(|name| name == "t");
            if let (Some(tag), Some(own)) = (tag, own) {
                let t = lengths.remove(own);
                lengths.insert(tag, t);
            }
            let sealed = Runner::new(seal).unwrap().run(&lengths, &inputs[..=last]);
            let sealed = sealed.ok().flatten().expect("what is sealed has outputs");
            inputs[last].clone_from(&sealed[0]);
            inputs[last + 1].clone_from(&sealed[1]);
            outcome = runner.run(&chosen, &inputs);
            assert!(matches!(outcome, Ok(Some(_))), "{name}: what was sealed opens");
        }
        let Ok(outcome) = outcome else { continue };
        chosen.iter().for_each(|length| given.extend(length.to_le_bytes()));
        for (words, &id) in inputs.iter().zip(&message.inputs) {
            // Bits and bytes have a byte each, other words theirs from the least significant.
            let bytes = message.variable(id).words.width.div_ceil(8) as usize;
            given.extend(((bytes * words.len()) as u32).to_le_bytes());
            given.extend(words.iter().flat_map(|&word| word.to_le_bytes().into_iter().take(bytes)));
        }
        let sizes: Vec<usize> = message.outputs.iter().map(|&id| size(id).unwrap_or(0)).collect();
        sizes.iter().for_each(|&size| given.extend((size as u32).to_le_bytes()));
        let mut written = vec![u8::from(outcome.is_none())];
        let all = outcome.unwrap_or_else(|| sizes.iter().map(|&size| vec![0; size]).collect());
        written.extend(all.iter().flatten().map(|&word| word as u8));
        expected.push((chosen, written));
    }
    Cases { loaded, message, given, expected }
}

/// The targets of many positions and of one.
type Pair = [&'static Target; 2];

/// How code is made.
#[derive(Clone, Copy)]
struct Way {
    blocks: Option<Pair>,
    choices: Choices,
    /// Whether the cipher is functions.
    functions: bool,
    /// Whether the code is compiled and run.
    runs: bool,
}

/// What `USUBA_MODE` names, a mode or a node.
fn only() -> Option<String> {
    std::env::var("USUBA_MODE").ok()
}

/// Those to try of modes or nodes, each with the number that decides about its turns.
fn chosen<T>(all: &[T], name: impl Fn(&T) -> &str) -> impl Iterator<Item = (usize, &T)> {
    let only = only();
    all.iter().enumerate().filter(move |(_, one)| only.as_ref().is_none_or(|only| only == name(one)))
}

/// Whether the code of a mode or node is compiled and run in this of so many ways.
fn runs(number: usize, way: usize, ways: usize) -> bool {
    only().is_some() || ways::has_turn(number, way, ways)
}

fn compare(
    name: &str,
    cases: &Cases,
    blocks: Option<Pair>,
    family: Family,
    runs: bool,
) -> Result<Code, Refusal> {
    // One compiler has what is made with less code.
    let choices = Choices { is_small: family == Family::Clang, ..Choices::default() };
    compare_with(Way { blocks, choices, functions: blocks.is_none(), runs }, name, cases, family)
}

fn compare_with(way: Way, name: &str, cases: &Cases, family: Family) -> Result<Code, Refusal> {
    let blocks = way.blocks;
    let message = &cases.message;
    // Around functions a key that was made is known to the call alone.
    let whole_only = way.functions && makes_keys(message);
    let pieces = incremental(message).ok().filter(|_| !whole_only);
    let pieces = pieces.as_ref();
    let made = generated(&cases.loaded, message, pieces, way)?;
    if std::env::var_os("USUBA_SHOW").is_some() {
        std::fs::write(format!("/tmp/{name}.c"), &made.source).unwrap();
    }
    if !way.runs {
        return Ok(made);
    }
    let [wide, narrow] = blocks.unwrap_or([by_name("gp64").unwrap(); 2]);
    let compiler = match Compiler::find(wide, family) {
        Err(RunError::Features { .. }) => {
            println!("{name}: not run, this machine lacks {}", wide.name);
            return Ok(made);
        }
        found => found.expect("a compiler"),
    };
    let file = |path: &str, contents: String| OutputFile { path: path.into(), contents };
    let mut main = harness(message, pieces, &made);
    let calls = |function: &str| made.ciphers.iter().any(|cipher| cipher.contains(function));
    let is_functions = calls("_encrypt(") || calls("_decrypt(");
    if is_functions {
        main += match message.cipher.as_ref().map_or((0, 0), |cipher| (cipher.block, cipher.keys.count)) {
            (16, 4) => NOEKEON,
            (16, _) => AES,
            _ => PRESENT,
        };
    }
    if calls("_schedule(") {
        main += SCHEDULE;
        main += if !way.functions { SCHEDULE_TO } else { SCHEDULE_INSTEAD };
    }
    let mut files = vec![file("main.c", main), file("message.c", made.source.clone())];
    files.extend((!made.assembly.is_empty()).then(|| file("message_loops.S", made.assembly.clone())));
    // Compilers take most of the time: one has the widest vectors optimised, the other all; emulators are slow over other code.
    let is_plain =
        family == Family::Gcc && wide.toolchains[0].runner.is_empty() && wide.name != "avx512-vaes";
    let level = if is_plain { "-O0" } else { "-O1" };
    let flags = [level, "-Wall", "-Wno-missing-prototypes", "-Wno-unused-parameter"];
    let flags = flags.into_iter().chain(is_functions.then_some("-maes"));
    // One compiler has long texts in pieces where there are pieces, the other has them in groups; and batches of few blocks.
    let of_gcc = ["-DUSUBA_GROUPED(blocks)=64", "-DUSUBA_BATCH=256"];
    let flags = flags.chain(of_gcc.into_iter().filter(|_| family == Family::Gcc));
    // What the narrow target needs beside the wide one.
    let narrow = Compiler::find(narrow, family).expect("a compiler");
    let flags: Vec<&str> = flags.chain(narrow.flags.iter().map(String::as_str)).collect();
    let program = compiler.compile(&files, &flags).unwrap_or_else(|error| panic!("{name}: {error}"));
    let found = program.run(&cases.given).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut found = found.as_slice();
    let pairs = same_sizes(message);
    let mut always = vec![true; pairs.len()];
    for (lengths, expected) in &cases.expected {
        let place = format!("{name} on {} by {}, lengths {lengths:?}", wide.name, family.name());
        let more = pairs.len() + usize::from(pieces.is_some());
        let (one, rest) = found.split_at((expected.len() + more).min(found.len()));
        let (outcome, rest_of_one) = one.split_at(1.min(one.len()));
        let (agrees, rest_of_one) =
            rest_of_one.split_at(usize::from(pieces.is_some()).min(rest_of_one.len()));
        assert!(agrees.iter().all(|&agrees| agrees == 1), "{place}: in pieces");
        let (in_place, outputs) = rest_of_one.split_at(pairs.len().min(rest_of_one.len()));
        assert_eq!([outcome, outputs].concat(), *expected, "{place}");
        for (always, same) in always.iter_mut().zip(in_place) {
            *always &= *same == 1;
        }
        found = rest;
    }
    // In place is what is said to be, and nothing else: of what is not, a case shows it.
    let said: BTreeSet<(VariableId, VariableId)> = in_place::in_place(message).into_iter().collect();
    for (&(input, output), always) in pairs.iter().zip(always) {
        let is_said = said.contains(&(message.inputs[input], message.outputs[output]));
        assert_eq!(
            is_said,
            always,
            "{name} on {}: `{}` in place",
            wide.name,
            message.variable(message.outputs[output]).name
        );
    }
    assert!(said.len() <= pairs.len());
    assert!(found.is_empty(), "{name}");
    assert!(cases.expected.len() >= 20, "{name}: {} cases", cases.expected.len());
    Ok(made)
}

/// The modes that are code on blocks, by what their loops are: in registers of several blocks, and of one.
const GOLDEN: [&str; 2] = ["tests/messages/blocks.txt", "tests/messages/blocks-one.txt"];

/// The targets with rounds of AES. In a normal run every mode runs on one of them.
const ON: [&str; 4] = ["avx512-vaes", "avx2-vaes", "avx-aes", "neon-aes"];

fn on(wide: &str, narrow: &str, family: Family) {
    let (wide, narrow) = (by_name(wide).unwrap(), by_name(narrow).unwrap());
    let target = ON.iter().position(|name| *name == wide.name).expect("a target of these tests");
    let mut found = String::new();
    for (number, mode) in chosen(&MODES, |mode: &Mode| mode.name) {
        let _ = writeln!(found, "{}", mode.name);
        let runs = runs(number, target, ON.len());
        say(&mut found, compare(mode.name, &cases(*mode), Some([wide, narrow]), family, runs));
    }
    agrees(GOLDEN[usize::from(wide.name == narrow.name)], &found);
}

#[test]
fn avx512_vaes() {
    on("avx512-vaes", "avx-aes", Family::Gcc);
}

/// What the first round makes of counters, kept for a key.
#[test]
fn first_round() {
    let pair = Some(["avx512-vaes", "avx-aes"].map(|name| by_name(name).unwrap()));
    let way = |choices| Way { blocks: pair, choices, functions: false, runs: true };
    let kept = Choices { keeps_first_round: true, ..Choices::default() };
    let modes: Vec<_> = MODES.iter().filter(|mode| ["gcm-seal", "gcm-open"].contains(&mode.name)).collect();
    assert_eq!(modes.len(), 2);
    for mode in modes {
        let cases = cases(*mode);
        compare_with(way(kept), mode.name, &cases, Family::Clang).expect("code");
        // The changes of 256 bytes, and one more register.
        let prepared = [kept, Choices::default()].map(|choices| {
            generated(&cases.loaded, &cases.message, None, way(choices)).expect("code").prepared
        });
        assert_eq!(prepared[0], prepared[1] + 256 * 16 + 64, "{}", mode.name);
    }
}

/// GCM in little code: right, with the first round kept and without, and as little as is said of it. What makes the keys is not counted.
#[test]
fn small() {
    const MOST: u64 = 8192;
    let target = by_name("avx512-vaes").unwrap();
    let pair = Some([target, by_name("avx-aes").unwrap()]);
    let way = |choices| Way { blocks: pair, choices, functions: false, runs: true };
    let small = Choices { is_small: true, ..Choices::default() };
    let compiler = Compiler::of(&target.toolchains[0], Family::Gcc).expect("gcc is installed");
    for name in ["gcm-seal", "gcm-open"].into_iter().take(if ways::all() { 2 } else { 1 }) {
        let mode = MODES.iter().find(|mode| mode.name == name).unwrap();
        let cases = cases_over("aes", "aes-256", *mode);
        compare_with(way(small), name, &cases, Family::Gcc).expect("code");
        let kept = Choices { keeps_first_round: true, ..small };
        compare_with(way(kept), name, &cases, Family::Gcc).expect("code");
        let of_whole = generated(&cases.loaded, &cases.message, None, way(small)).expect("code");
        let files = [OutputFile { path: "message.c".into(), contents: of_whole.source }];
        let objects = compiler
            .objects(&files, &["-O2", "-maes", "-mpclmul"], None)
            .unwrap_or_else(|error| panic!("{error}"));
        let object = Object::parse(&objects.content("message.c").unwrap()).unwrap();
        let counted = object.functions.iter().filter(|function| !function.name.ends_with("_prepare"));
        let bytes: u64 = counted.map(|function| function.size).sum();
        assert!((4096..=MOST).contains(&bytes), "{name}: {bytes} bytes of code");
    }
}

/// Loops in assembly, on each machine that has it.
#[test]
fn assembly() {
    let modes = [
        ("gcm-seal", "avx512-vaes", 3),
        ("xts-encrypt", "avx2-vaes", 1),
        ("gcm-open", "avx-aes", 2),
        ("cbc-decrypt", "avx-aes", 1),
        ("gcm-open", "avx512-vaes", 3),
        ("ocb3-seal", "avx512-vaes", 2),
        ("gcm-seal", "avx2-vaes", 2),
    ];
    // The last three do what others do on another target.
    for (name, wide, least) in modes.into_iter().take(if ways::all() { 7 } else { 4 }) {
        let mode = MODES.iter().find(|mode| mode.name == name).unwrap();
        let pair = [wide, "avx-aes"].map(|name| by_name(name).unwrap());
        let choices = Choices { is_assembly: true, ..Choices::default() };
        let way = Way { blocks: Some(pair), choices, functions: false, runs: true };
        let made = compare_with(way, name, &cases(*mode), Family::Gcc).expect("code");
        let functions = made.assembly.matches("@function").count();
        assert!(functions >= least, "{name} on {wide}: {functions} functions in assembly");
    }
}

#[test]
fn avx2_vaes() {
    on("avx2-vaes", "avx-aes", Family::Clang);
}

#[test]
fn avx_aes() {
    on("avx-aes", "avx-aes", Family::Gcc);
}

#[test]
fn neon_aes() {
    on("neon-aes", "neon-aes", Family::Gcc);
}

/// Messages that have no cipher, on words.
const SPONGES: [(&str, &str, &[&str]); 8] = [
    ("ascon", "aead.ua", &["SealAEAD128", "OpenAEAD128"]),
    ("ascon", "v12.ua", &["SealAscon128", "OpenAscon128", "SealAscon128a", "OpenAscon128a"]),
    ("ascon", "hash.ua", &["Hash256", "XOF128", "CXOF128"]),
    ("keccak", "sha3.ua", &["SHA3_224", "SHA3_256", "SHA3_384", "SHA3_512", "SHAKE128", "SHAKE256"]),
    (
        "xoodoo",
        "xoodyak.ua",
        &["SealXoodyak", "OpenXoodyak", "SealXoodyakRound3", "OpenXoodyakRound3", "HashXoodyak"],
    ),
    ("subterranean", "sae.ua", &["SealSAE", "OpenSAE"]),
    ("chacha20", "poly1305.ua", &["Poly1305"]),
    (
        "chacha20",
        "aead.ua",
        &[
            "ChaCha20",
            "SealChaCha20Poly1305",
            "OpenChaCha20Poly1305",
            "SealXChaCha20Poly1305",
            "OpenXChaCha20Poly1305",
        ],
    ),
];

#[test]
fn words() {
    let mut found = String::new();
    for (cipher, file, nodes) in SPONGES {
        let path = root().join("ciphers").join(cipher).join(file).to_string_lossy().into_owned();
        let loaded = load(&path, &[], &Disk);
        for (number, node) in chosen(nodes, |node| node) {
            let sealing = node.strip_prefix("Open").map(|name| streamed(&loaded, &format!("Seal{name}")));
            let cases = made_cases(loaded.clone(), node, sealing);
            for (turn, family) in [Family::Gcc, Family::Clang].into_iter().enumerate() {
                match compare(node, &cases, None, family, runs(number, turn, 2)) {
                    Ok(_) if family == Family::Gcc => writeln!(found, "{node}").unwrap(),
                    Err(refusal) if family == Family::Gcc => {
                        writeln!(found, "{node}: none: {}", without_root(&refusal.0)).unwrap();
                    }
                    _ => {}
                }
            }
        }
    }
    agrees("tests/messages/words.txt", &found);
}

/// A text with paths as the repository has them.
fn without_root(text: &str) -> String {
    text.replace(&format!("{}/", root().to_string_lossy()), "")
}

/// Compares with a golden file, unless only one message was looked at. `UPDATE_EXPECT=1` writes the file anew.
fn agrees(path: &str, found: &str) {
    if only().is_some() {
        println!("{found}");
    } else if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(root().join(path), found).unwrap();
    } else {
        let golden = std::fs::read_to_string(root().join(path)).unwrap_or_default();
        assert_eq!(found, golden, "{path}: set UPDATE_EXPECT=1 if this is how it should be");
    }
}

/// Modes around ciphers that are functions: over AES-128, and over PRESENT with blocks of 8 bytes.
#[test]
fn functions() {
    let mut found = String::new();
    for (number, mode) in chosen(&MODES, |mode: &Mode| mode.name) {
        for (turn, (cipher, primitive)) in
            [("aes", "aes-128"), ("present", "present-80")].into_iter().enumerate()
        {
            let runs = runs(number, turn, 2);
            let loaded = bound(cipher, primitive, *mode);
            if elaborate::elaborate(&loaded.program, mode.node, Some(CIPHER)).is_err() {
                continue;
            }
            let _ = writeln!(found, "{} over {primitive}", mode.name);
            match cipher {
                "aes" => {
                    let outcome = compare(mode.name, &cases(*mode), None, Family::Gcc, runs);
                    say(&mut found, outcome);
                }
                _ => {
                    let made = std::panic::catch_unwind(|| cases_over(cipher, primitive, *mode));
                    let Ok(made) = made else {
                        println!("{} over {primitive}", mode.name);
                        continue;
                    };
                    if made.expected.is_empty() {
                        let _ = writeln!(found, "  no length fits");
                        continue;
                    }
                    say(&mut found, compare(mode.name, &made, None, Family::Gcc, runs));
                }
            }
        }
    }
    agrees("tests/messages/functions.txt", &found);
}

/// The same where the machine has registers of blocks, of several and of one: over NOEKEON, which has no rounds there.
#[test]
fn functions_on_blocks() {
    let narrow = by_name("avx-aes").unwrap();
    let mut found = String::new();
    for (number, mode) in chosen(&MODES, |mode: &Mode| mode.name) {
        let loaded = bound("noekeon", "noekeon-direct", *mode);
        if elaborate::elaborate(&loaded.program, mode.node, Some(CIPHER)).is_err() {
            continue;
        }
        let cases = cases_over("noekeon", "noekeon-direct", *mode);
        for (turn, wide) in ["avx512-vaes", "avx-aes"].into_iter().enumerate() {
            let runs = runs(number, turn, 4);
            let _ = writeln!(found, "{} on {wide}", mode.name);
            let pair = [by_name(wide).unwrap(), narrow];
            let way = Way { blocks: Some(pair), choices: Choices::default(), functions: true, runs };
            say(&mut found, compare_with(way, mode.name, &cases, Family::Gcc));
        }
    }
    agrees("tests/messages/functions-blocks.txt", &found);
}

fn say(found: &mut String, outcome: Result<Code, Refusal>) {
    match outcome {
        Ok(code) => {
            let lines = code.loops.iter().map(|one| without_root(&format!("  {one}")));
            lines.for_each(|line| writeln!(found, "{line}").unwrap());
        }
        Err(refusal) => writeln!(found, "  none: {}", without_root(&refusal.0)).unwrap(),
    }
}
