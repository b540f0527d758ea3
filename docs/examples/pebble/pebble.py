import pathlib

import numpy
import usuba

path = pathlib.Path(__file__).parent / "pebble.ua"
schedule = usuba.compile(path, entry="Schedule")
encrypt = usuba.compile(path, entry="Encrypt")

keys = schedule([[0x0123, 0x4567, 0x89AB, 0xCDEF]])[0]
print("".join(f"{word:04x}" for word in encrypt([[0, 1, 2, 3]], keys)[0]))

# What becomes of one changed bit: how many of the 64 bits of the output change, over a hundred thousand blocks.
plain = numpy.random.default_rng(1).integers(0, 1 << 16, (100_000, 4), dtype=numpy.uint16)
other = plain.copy()
other[:, 0] ^= 1
difference = encrypt(plain, keys) ^ encrypt(other, keys)
changed = numpy.unpackbits(difference.view(numpy.uint8), axis=1).sum(axis=1)
print(f"{changed.mean():.2f} bits of 64 change, at least {changed.min()} and at most {changed.max()}")
