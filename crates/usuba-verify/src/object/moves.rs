//! Instructions on vector registers whose result is bytes of their operands, and those of AES and of fields.

use super::Why;
use super::byte_tables::{entry, substituted};
use super::machine::Machine;
use super::operand::{GROUP, first, immediate, read, two};
use super::value::{self, Byte, Lane, bitwise, each_word};
use crate::graph::{Edge, Graph, blocks};
use iced_x86::{Instruction, Mnemonic};
use usuba_ir::aes::Round;
use usuba_ir::block::BlockOp;
use usuba_ir::bytes::{ByteAffine, ByteMap};
use usuba_ir::carryless::Halves;

/// A word with a sign as a byte without one: 0 if it is negative, 255 if it is more.
fn saturated(graph: &mut Graph, low: Byte, high: Byte) -> Result<Byte, Why> {
    if high.known() == Some(0) {
        return Ok(low);
    }
    let is_negative = high.bits[7];
    let is_more = high.bits[..7].iter().fold(Edge::FALSE, |some, &bit| graph.or(some, bit));
    let bits = low.bits.map(|bit| {
        let byte = graph.or(bit, is_more);
        graph.and(byte, !is_negative)
    });
    Ok(Byte { bits, lane: low.lane.mixed(high.lane)? })
}

/// A number with a sign as one of half as many bits: the nearest that there is.
fn narrowed(graph: &mut Graph, number: &[Byte]) -> Result<Vec<Byte>, Why> {
    let (bits, lane) = value::word(number)?;
    let (low, high) = bits.split_at(bits.len() / 2);
    let sign = high[high.len() - 1];
    let mut fits = Edge::TRUE;
    for &bit in low.last().into_iter().chain(high) {
        let differs = graph.xor(bit, sign);
        fits = graph.and(fits, !differs);
    }
    let mut narrow: Vec<Edge> = low.iter().map(|&bit| graph.select(fits, bit, !sign)).collect();
    narrow[low.len() - 1] = sign;
    Ok(value::bytes(&narrow, lane))
}

/// The bytes that such an instruction makes, of a register of so many.
pub(super) fn moved(machine: &mut Machine<'_>, one: &Instruction, bytes: usize) -> Result<Vec<Byte>, Why> {
    use Mnemonic::*;
    let mnemonic = one.mnemonic();
    let unpack = match mnemonic {
        Punpcklbw | Vpunpcklbw => Some((1, 0)),
        Punpcklwd | Vpunpcklwd => Some((2, 0)),
        Punpckldq | Vpunpckldq | Unpcklps | Vunpcklps => Some((4, 0)),
        Punpcklqdq | Vpunpcklqdq | Unpcklpd | Vunpcklpd | Movlhps | Vmovlhps => Some((8, 0)),
        Punpckhbw | Vpunpckhbw => Some((1, 8)),
        Punpckhwd | Vpunpckhwd => Some((2, 8)),
        Punpckhdq | Vpunpckhdq | Unpckhps | Vunpckhps => Some((4, 8)),
        Punpckhqdq | Vpunpckhqdq | Unpckhpd | Vunpckhpd => Some((8, 8)),
        _ => None,
    };
    if let Some((size, from)) = unpack {
        let [a, b] = two(machine, one, bytes)?;
        let mut result = Vec::with_capacity(bytes);
        for group in (0..bytes).step_by(GROUP) {
            for place in (from..from + 8).step_by(size) {
                result.extend_from_slice(&a[group + place..][..size]);
                result.extend_from_slice(&b[group + place..][..size]);
            }
        }
        return Ok(result);
    }
    match mnemonic {
        Packuswb | Vpackuswb => {
            let [a, b] = two(machine, one, bytes)?;
            let mut result = Vec::with_capacity(bytes);
            for group in (0..bytes).step_by(GROUP) {
                for words in [&a, &b].map(|from| from[group..].chunks_exact(2).take(GROUP / 2)) {
                    for word in words {
                        result.push(saturated(machine.graph, word[0], word[1])?);
                    }
                }
            }
            Ok(result)
        }
        Packssdw | Vpackssdw | Packsswb | Vpacksswb => {
            let size = if matches!(mnemonic, Packssdw | Vpackssdw) { 4 } else { 2 };
            let [a, b] = two(machine, one, bytes)?;
            let mut result = Vec::with_capacity(bytes);
            for group in (0..bytes).step_by(GROUP) {
                let words = [&a, &b].into_iter().flat_map(|from| from[group..group + GROUP].chunks(size));
                for word in words {
                    result.extend(narrowed(machine.graph, word)?);
                }
            }
            Ok(result)
        }
        Movhlps | Vmovhlps => {
            let [a, b] = two(machine, one, bytes)?;
            Ok([&b[8..], &a[8..]].concat())
        }
        Pshufd | Vpshufd | Vpermilps if immediate(one).is_ok() => {
            let (n, a) = (immediate(one)?, read(machine, one, one.op_count() - 2, bytes)?);
            Ok(picked(bytes, 4, |word| word / 4 * 4 + usize::from(n >> (2 * (word % 4)) & 3), &a))
        }
        Pshuflw | Vpshuflw | Pshufhw | Vpshufhw => {
            let (n, a) = (immediate(one)?, read(machine, one, one.op_count() - 2, bytes)?);
            let upper = usize::from(matches!(mnemonic, Pshufhw | Vpshufhw));
            let from = |word: usize| match word % 8 / 4 == upper {
                true => word / 4 * 4 + usize::from(n >> (2 * (word % 4)) & 3),
                false => word,
            };
            Ok(picked(bytes, 2, from, &a))
        }
        Shufps | Vshufps => {
            let (n, [a, b]) = (immediate(one)?, two(machine, one, bytes)?);
            let all = [a, b].concat();
            let from = |word: usize| {
                let second = if word % 4 < 2 { 0 } else { bytes / 4 };
                second + word / 4 * 4 + usize::from(n >> (2 * (word % 4)) & 3)
            };
            Ok(picked(bytes, 4, from, &all))
        }
        Shufpd | Vshufpd => {
            let (n, [a, b]) = (immediate(one)?, two(machine, one, bytes)?);
            let all = [a, b].concat();
            let from = |word: usize| {
                let second = if word.is_multiple_of(2) { 0 } else { bytes / 8 };
                second + word / 2 * 2 + usize::from(n >> word & 1)
            };
            Ok(picked(bytes, 8, from, &all))
        }
        Pshufb | Vpshufb => {
            let [a, control] = two(machine, one, bytes)?;
            let mut result = Vec::with_capacity(bytes);
            for (place, index) in control.iter().enumerate() {
                let group = place / GROUP * GROUP;
                // Four bits of the index count, and the highest one, which is set for a zero.
                let bits = std::array::from_fn(|bit| match bit {
                    4..7 => Edge::FALSE,
                    _ => index.bits[bit],
                });
                let (table, index) = (&a[group..group + GROUP], Byte { bits, ..*index });
                result.push(entry(machine.graph, table, &index, &Byte::ZERO)?);
            }
            Ok(result)
        }
        Palignr | Vpalignr => {
            let (n, [a, b]) = (usize::from(immediate(one)?), two(machine, one, bytes)?);
            let mut result = Vec::with_capacity(bytes);
            for group in (0..bytes).step_by(GROUP) {
                let both = [&b[group..group + GROUP], &a[group..group + GROUP]].concat();
                result.extend((n..n + GROUP).map(|from| both.get(from).copied().unwrap_or(Byte::ZERO)));
            }
            Ok(result)
        }
        Valignd | Valignq => {
            let size = if mnemonic == Valignd { 4 } else { 8 };
            let (n, [a, b]) = (usize::from(immediate(one)?) % (bytes / size), two(machine, one, bytes)?);
            Ok([b, a].concat()[n * size..][..bytes].to_vec())
        }
        Pslldq | Vpslldq | Psrldq | Vpsrldq => {
            let (n, a) = (usize::from(immediate(one)?).min(GROUP), read(machine, one, first(one), bytes)?);
            let is_left = matches!(mnemonic, Pslldq | Vpslldq);
            let byte = |place: usize| {
                let (group, inside) = (place / GROUP * GROUP, place % GROUP);
                let from =
                    if is_left { inside.checked_sub(n) } else { Some(inside + n).filter(|&at| at < GROUP) };
                from.map_or(Byte::ZERO, |from| a[group + from])
            };
            Ok((0..bytes).map(byte).collect())
        }
        Vpermq | Vpermpd if immediate(one).is_ok() => {
            let (n, a) = (immediate(one)?, read(machine, one, 1, bytes)?);
            Ok(picked(bytes, 8, |word| word / 4 * 4 + usize::from(n >> (2 * (word % 4)) & 3), &a))
        }
        Vpermb | Vpermw | Vpermd | Vpermps | Vpermq | Vpermpd => {
            let size = table_element(mnemonic);
            let (indices, a) = (read(machine, one, 1, bytes)?, read(machine, one, 2, bytes)?);
            looked_up(&indices, size, &a)
        }
        Vpermt2b | Vpermt2w | Vpermt2d | Vpermt2ps | Vpermt2q | Vpermt2pd => {
            let [a, indices, b] = [0, 1, 2].map(|operand| read(machine, one, operand, bytes));
            looked_up(&indices?, table_element(mnemonic), &[a?, b?].concat())
        }
        Vpermi2b | Vpermi2w | Vpermi2d | Vpermi2ps | Vpermi2q | Vpermi2pd => {
            let [indices, a, b] = [0, 1, 2].map(|operand| read(machine, one, operand, bytes));
            looked_up(&indices?, table_element(mnemonic), &[a?, b?].concat())
        }
        Vperm2i128 | Vperm2f128 => {
            let (n, [a, b]) = (immediate(one)?, two(machine, one, bytes)?);
            let all = [a, b].concat();
            let mut result = Vec::with_capacity(bytes);
            for half in [n & 15, n >> 4] {
                let from = usize::from(half & 3) * GROUP;
                let group = &all[from..from + GROUP];
                result.extend(if half & 8 == 0 { group.to_vec() } else { vec![Byte::ZERO; GROUP] });
            }
            Ok(result)
        }
        Vshufi32x4 | Vshufi64x2 | Vshuff32x4 | Vshuff64x2 => {
            let (n, [a, b]) = (usize::from(immediate(one)?), two(machine, one, bytes)?);
            let all = [a, b].concat();
            let groups = bytes / GROUP;
            let bits = if groups == 2 { 1 } else { 2 };
            let from = |group: usize| {
                let second = if group < groups / 2 { 0 } else { groups };
                second + (n >> (bits * group) & (groups - 1))
            };
            Ok(picked(bytes, GROUP, from, &all))
        }
        Vinserti128 | Vinsertf128 | Vinserti32x4 | Vinserti64x2 | Vinsertf32x4 | Vinsertf64x2
        | Vinserti64x4 | Vinserti32x8 | Vinsertf64x4 | Vinsertf32x8 => {
            let size = match mnemonic {
                Vinserti64x4 | Vinserti32x8 | Vinsertf64x4 | Vinsertf32x8 => 2 * GROUP,
                _ => GROUP,
            };
            let mut all = read(machine, one, 1, bytes)?;
            let new = read(machine, one, 2, size)?;
            let place = usize::from(immediate(one)?) % (bytes / size) * size;
            all[place..place + size].copy_from_slice(&new);
            Ok(all)
        }
        Vextracti128 | Vextractf128 | Vextracti32x4 | Vextracti64x2 | Vextractf32x4 | Vextractf64x2
        | Vextracti64x4 | Vextracti32x8 | Vextractf64x4 | Vextractf32x8 => {
            let size = match mnemonic {
                Vextracti64x4 | Vextracti32x8 | Vextractf64x4 | Vextractf32x8 => 2 * GROUP,
                _ => GROUP,
            };
            let source = one.op_register(1).size();
            let all = read(machine, one, 1, source)?;
            let place = usize::from(immediate(one)?) % (source / size) * size;
            Ok(all[place..place + size].to_vec())
        }
        Vpbroadcastb | Vpbroadcastw | Vpbroadcastd | Vpbroadcastq | Vbroadcastss | Vbroadcastsd
        | Vbroadcasti128 | Vbroadcastf128 | Vbroadcasti32x4 | Vbroadcasti64x2 | Vbroadcastf32x4
        | Vbroadcastf64x2 | Vbroadcasti64x4 | Vbroadcasti32x8 | Vbroadcastf64x4 | Vbroadcastf32x8
        | Vbroadcasti32x2 | Vbroadcastf32x2 => {
            let size = match mnemonic {
                Vpbroadcastb => 1,
                Vpbroadcastw => 2,
                Vpbroadcastd | Vbroadcastss => 4,
                Vpbroadcastq | Vbroadcastsd | Vbroadcasti32x2 | Vbroadcastf32x2 => 8,
                Vbroadcasti64x4 | Vbroadcasti32x8 | Vbroadcastf64x4 | Vbroadcastf32x8 => 2 * GROUP,
                _ => GROUP,
            };
            Ok(read(machine, one, 1, size)?.repeat(bytes / size))
        }
        Pmovsxbw | Pmovsxbd | Pmovsxbq | Pmovsxwd | Pmovsxwq | Pmovsxdq | Pmovzxbw | Pmovzxbd | Pmovzxbq
        | Pmovzxwd | Pmovzxwq | Pmovzxdq | Vpmovsxbw | Vpmovsxbd | Vpmovsxbq | Vpmovsxwd | Vpmovsxwq
        | Vpmovsxdq | Vpmovzxbw | Vpmovzxbd | Vpmovzxbq | Vpmovzxwd | Vpmovzxwq | Vpmovzxdq => {
            let (from, to, is_signed) = widths(mnemonic);
            let narrow = read(machine, one, 1, bytes / to * from)?;
            let mut result = Vec::with_capacity(bytes);
            for element in narrow.chunks(from) {
                let top = element[from - 1];
                let fill = match is_signed {
                    true => Byte { bits: [top.bits[7]; 8], lane: top.lane.mixed(Lane::All)? },
                    false => Byte::ZERO,
                };
                result.extend_from_slice(element);
                result.resize(result.len() + to - from, fill);
            }
            Ok(result)
        }
        Vpmovwb | Vpmovdb | Vpmovdw | Vpmovqb | Vpmovqw | Vpmovqd => {
            let (from, to) = match mnemonic {
                Vpmovwb => (2, 1),
                Vpmovdb => (4, 1),
                Vpmovdw => (4, 2),
                Vpmovqb => (8, 1),
                Vpmovqw => (8, 2),
                _ => (8, 4),
            };
            let wide = read(machine, one, 1, one.op_register(1).size())?;
            let narrow: Vec<Byte> = wide.chunks(from).flat_map(|element| &element[..to]).copied().collect();
            // What is above it in a register of 128 bits is zero.
            let size = if Machine::is_memory(one, 0) { narrow.len() } else { narrow.len().max(GROUP) };
            Ok([narrow, vec![Byte::ZERO; size]].concat()[..size].to_vec())
        }
        Movddup | Vmovddup if bytes == GROUP => Ok(read(machine, one, 1, 8)?.repeat(2)),
        Pinsrb | Pinsrw | Pinsrd | Pinsrq | Vpinsrb | Vpinsrw | Vpinsrd | Vpinsrq => {
            let size = element(mnemonic);
            let mut all = read(machine, one, first(one), GROUP)?;
            let new = read(machine, one, first(one) + 1, size)?;
            let place = usize::from(immediate(one)?) % (GROUP / size) * size;
            all[place..place + size].copy_from_slice(&new);
            Ok(all)
        }
        Pextrb | Pextrw | Pextrd | Pextrq | Vpextrb | Vpextrw | Vpextrd | Vpextrq => {
            let size = element(mnemonic);
            let all = read(machine, one, 1, GROUP)?;
            let place = usize::from(immediate(one)?) % (GROUP / size) * size;
            Ok(all[place..place + size].to_vec())
        }
        // Of which the mask leaves what it leaves: the rest is the second operand.
        Vpblendmb | Vpblendmw | Vpblendmd | Vpblendmq | Vblendmps | Vblendmpd => read(machine, one, 2, bytes),
        Pblendw | Vpblendw => {
            let (n, [a, b]) = (immediate(one)?, two(machine, one, bytes)?);
            let word = |place: usize| if n >> (place / 2 % 8) & 1 == 1 { b[place] } else { a[place] };
            Ok((0..bytes).map(word).collect())
        }
        Vpblendd | Blendps | Vblendps => {
            let (n, [a, b]) = (immediate(one)?, two(machine, one, bytes)?);
            let word = |place: usize| if n >> (place / 4) & 1 == 1 { b[place] } else { a[place] };
            Ok((0..bytes).map(word).collect())
        }
        // The highest bit of each byte of the last operand chooses.
        Vpblendvb => {
            let [a, b, choice] = [1, 2, 3].map(|operand| read(machine, one, operand, bytes));
            let (a, b, choice) = (a?, b?, choice?);
            let mut result = Vec::with_capacity(bytes);
            for ((a, b), choice) in a.iter().zip(&b).zip(&choice) {
                let chosen = match choice.bits[7].known() {
                    Some(chosen) => {
                        if chosen {
                            *b
                        } else {
                            *a
                        }
                    }
                    None => {
                        let graph = &mut *machine.graph;
                        let lane = choice.lane.mixed(a.lane)?.mixed(b.lane)?;
                        let bits =
                            std::array::from_fn(|bit| graph.select(choice.bits[7], b.bits[bit], a.bits[bit]));
                        Byte { bits, lane }
                    }
                };
                result.push(chosen);
            }
            Ok(result)
        }
        Aesenc | Vaesenc | Aesenclast | Vaesenclast | Aesdec | Vaesdec | Aesdeclast | Vaesdeclast => {
            let round = match mnemonic {
                Aesenc | Vaesenc => Round::Encrypt,
                Aesenclast | Vaesenclast => Round::EncryptLast,
                Aesdec | Vaesdec => Round::Decrypt,
                _ => Round::DecryptLast,
            };
            let [a, b] = two(machine, one, bytes)?;
            let graph = &mut *machine.graph;
            if matches!(round, Round::EncryptLast | Round::DecryptLast) {
                let result = substituted(graph, &a, round == Round::EncryptLast)?;
                return bitwise(graph, &result, &b, |graph, a, b| graph.xor(a, b));
            }
            each_word(&[&a, &b], GROUP, |words| {
                blocks::block(graph, BlockOp::Aes(round), &words[0], &words[1])
            })
        }
        Aesimc | Vaesimc => {
            let a = read(machine, one, 1, bytes)?;
            let graph = &mut *machine.graph;
            each_word(&[&a], GROUP, |words| blocks::inverse_mix_columns(graph, &words[0]))
        }
        Pclmulqdq | Vpclmulqdq => {
            let n = immediate(one)?;
            let halves = Halves { first: n & 1 != 0, second: n & 16 != 0 };
            let [a, b] = two(machine, one, bytes)?;
            let graph = &mut *machine.graph;
            each_word(&[&a, &b], GROUP, |words| {
                blocks::block(graph, BlockOp::Product(halves), &words[0], &words[1])
            })
        }
        Gf2p8affineqb | Vgf2p8affineqb | Gf2p8affineinvqb | Vgf2p8affineinvqb => {
            let n = immediate(one)?;
            let inverts = matches!(mnemonic, Gf2p8affineinvqb | Vgf2p8affineinvqb);
            let [a, matrices] = two(machine, one, bytes)?;
            let mut result = Vec::with_capacity(bytes);
            for (bytes, matrix) in a.chunks(8).zip(matrices.chunks(8)) {
                if !inverts {
                    for byte in bytes {
                        result.push(product(machine.graph, byte, matrix, n)?);
                    }
                    continue;
                }
                let matrix = value::known(matrix).ok_or(Why::Operand("a matrix that is not known"))?;
                let map = ByteMap { inverts, affine: ByteAffine::of_matrix(matrix, n) };
                for byte in bytes {
                    let lane = byte.lane.mixed(Lane::All)?;
                    result.extend(value::bytes(&blocks::map_byte(machine.graph, &byte.bits, &map), lane));
                }
            }
            Ok(result)
        }
        _ => Err(Why::Unknown),
    }
}

/// The product of a matrix of bits and a byte, and a constant: bit i is the parity of the byte and of row 7 - i.
fn product(graph: &mut Graph, byte: &Byte, matrix: &[Byte], constant: u8) -> Result<Byte, Why> {
    let mut lane = byte.lane.mixed(Lane::All)?;
    let mut bits = vec![Edge::FALSE; 8];
    for (bit, sum) in bits.iter_mut().enumerate() {
        let row = &matrix[7 - bit];
        lane = lane.mixed(row.lane)?;
        *sum = Edge::constant(constant >> bit & 1 == 1);
        for (&a, &b) in row.bits.iter().zip(&byte.bits) {
            let term = graph.and(a, b);
            *sum = graph.xor(*sum, term);
        }
    }
    Ok(value::bytes(&bits, lane)[0])
}

/// Bytes of the elements that an extension takes and makes, and whether it copies signs.
fn widths(mnemonic: Mnemonic) -> (usize, usize, bool) {
    use Mnemonic::*;
    let (from, to) = match mnemonic {
        Pmovsxbw | Pmovzxbw | Vpmovsxbw | Vpmovzxbw => (1, 2),
        Pmovsxbd | Pmovzxbd | Vpmovsxbd | Vpmovzxbd => (1, 4),
        Pmovsxbq | Pmovzxbq | Vpmovsxbq | Vpmovzxbq => (1, 8),
        Pmovsxwd | Pmovzxwd | Vpmovsxwd | Vpmovzxwd => (2, 4),
        Pmovsxwq | Pmovzxwq | Vpmovsxwq | Vpmovzxwq => (2, 8),
        _ => (4, 8),
    };
    let is_unsigned = matches!(
        mnemonic,
        Pmovzxbw
            | Pmovzxbd
            | Pmovzxbq
            | Pmovzxwd
            | Pmovzxwq
            | Pmovzxdq
            | Vpmovzxbw
            | Vpmovzxbd
            | Vpmovzxbq
            | Vpmovzxwd
            | Vpmovzxwq
            | Vpmovzxdq
    );
    (from, to, !is_unsigned)
}

/// Bytes of the element of an insertion or extraction.
fn element(mnemonic: Mnemonic) -> usize {
    use Mnemonic::*;
    match mnemonic {
        Pinsrb | Vpinsrb | Pextrb | Vpextrb => 1,
        Pinsrw | Vpinsrw | Pextrw | Vpextrw => 2,
        Pinsrd | Vpinsrd | Pextrd | Vpextrd => 4,
        _ => 8,
    }
}

/// Bytes of the element of a permutation.
fn table_element(mnemonic: Mnemonic) -> usize {
    use Mnemonic::*;
    match mnemonic {
        Vpermb | Vpermt2b | Vpermi2b => 1,
        Vpermw | Vpermt2w | Vpermi2w => 2,
        Vpermd | Vpermps | Vpermt2d | Vpermt2ps | Vpermi2d | Vpermi2ps => 4,
        _ => 8,
    }
}

/// Elements of a table, each at a known index, of which the low bits count.
fn looked_up(indices: &[Byte], size: usize, table: &[Byte]) -> Result<Vec<Byte>, Why> {
    let count = (table.len() / size) as u64;
    let mut result = Vec::with_capacity(indices.len());
    for index in indices.chunks(size) {
        let low = &index[..size.min(2)];
        let index = value::known(low).ok_or(Why::Operand("an index that is not known"))?;
        let from = (index % count) as usize * size;
        result.extend_from_slice(&table[from..from + size]);
    }
    Ok(result)
}

/// Elements of so many bytes, each from the place that its own number gives.
fn picked(bytes: usize, size: usize, from: impl Fn(usize) -> usize, all: &[Byte]) -> Vec<Byte> {
    (0..bytes / size).flat_map(|to| all[size * from(to)..][..size].to_vec()).collect()
}
