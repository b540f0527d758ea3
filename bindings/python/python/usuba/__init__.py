"""Constant-time symmetric cryptography over many blocks at once, and the Usuba compiler.

Ciphers are called by name; `primitives()` lists them with their sizes. Data are bytes-like objects or NumPy arrays of any
type, in one piece and C order, and are not copied. Results are new `bytes`, or go to `out`, which is then returned: a
writable buffer of the same number of bytes, which may be the input itself. The interpreter lock is released meanwhile, so
no other thread should write to the buffers.

Wrong sizes are `ValueError`, objects without memory `TypeError`, a wrong tag `TagError`.
"""

from ._compile import Kernel, compile
from ._native import (
    Aead,
    BlockCipher,
    CompileError,
    Hash,
    Permutation,
    StreamCipher,
    TagError,
    Xof,
    primitives,
    set_target,
    target,
)

__version__ = "0.1.0"
__all__ = [
    "Aead",
    "BlockCipher",
    "CompileError",
    "Hash",
    "Kernel",
    "Permutation",
    "StreamCipher",
    "TagError",
    "Xof",
    "compile",
    "primitives",
    "set_target",
    "target",
]
