/* usuba_transpose.h - between the bytes of blocks and the registers of sliced code.
 *
 * A kernel made by usubac works on a batch of instances at once. Its parameters are arrays of registers, one register
 * per atom, in one of four layouts. In memory, which is how this file sees them:
 *
 *   B  an atom is one bit. Instance j is bit j mod 64 of the little-endian 64-bit word j div 64 of the register.
 *   V  an atom is a word. Instance j is lane j; a lane is 1, 2, 4 or 8 bytes in the byte order of the machine.
 *   H  an atom of m bits is spread over m elements. A register is a row of chunks; a chunk has m elements of `batch`
 *      bits, `batch` a multiple of 8; element e holds bit e, counted from the most significant, of `batch` instances;
 *      instance j of a chunk is bit j mod 8 of byte j div 8 of the element.
 *   H in integers: the words of `batch` = 64 / m instances are interleaved bit by bit; bit i of instance j is bit
 *      i * batch + j of a uint64_t.
 *
 * Inputs that are the same for all instances ("uniform", `const` in the source) take less room: in B a 64-bit word per
 * bit, zero or all ones; in V a word per atom, as wide as a lane; in H one chunk per
 * atom.
 *
 * Everything here is constant time: no branch and no address depends on the bytes of blocks and keys. Blocks may have
 * any alignment; there is one for every instance, in the order of `usuba_block_of`. Bits beyond the last atom are zero.
 *
 * C99 and the attribute `always_inline`; either byte order. */
#ifndef USUBA_TRANSPOSE_H
#define USUBA_TRANSPOSE_H

#include "usuba_interleave.h"
#include "usuba_transpose_b.h"
#include "usuba_transpose_h.h"
#include "usuba_transpose_v.h"
#include "usuba_transpose_p.h"

#endif
