"""Constant-time symmetric cryptography over many blocks at once, and the Usuba compiler.

Ciphers are called by name; `primitives()` lists them with their sizes, which are all in bytes. Data are bytes-like objects or
arrays (of NumPy or any other library, by the buffer protocol) of any type and shape. They are not copied, unless they are not in one
piece and C order, such as every second row: then their elements are copied in that order. Results are new `bytes`, or go to
`out`, which is then returned: a writable buffer of as many bytes as the result has, which may be the input itself. Other overlaps
are refused; of buffers that are copied there are none. The interpreter lock is released meanwhile, so no other thread should write to the buffers.

- `BlockCipher`, `TweakableBlockCipher`: blocks, each by itself, and counter mode. The more blocks a call has, the faster each is.
- `BlockMode`: CBC, CFB and OFB; `encrypt_many` for many messages, which is where they are fast.
- `UnitCipher`: XTS, for storage. `NonceMac`: GMAC.
- `StreamCipher`, `Generator`: keystream from any block on; keystream that only goes on.
- `Aead`: authenticated encryption. `Hash`, `Xof`, `Mac`: functions of messages; `Hash` and `Xof` are objects as `hashlib` has them.
- `Permutation`: states.
- `compile`: a program in Usuba as a function over arrays of instances, of NumPy where it is installed.

What goes wrong is an exception, and then nothing was written, except that `Aead.open` may leave zeros:

- `ValueError`: a wrong size, a name that does not exist, a buffer that is read-only, or overlaps;
- `TypeError`: an object without memory, or an argument of another type;
- `TagError`, a `ValueError`: data that are not authentic;
- `CompileError`: a program that cannot be compiled;
- `NotImplementedError`: a cipher without this function;
- `OverflowError`: a number that does not fit.
"""

from ._compile import Kernel, Parameter, compile
from ._native import (
    Aead,
    BlockCipher,
    BlockMode,
    CompileError,
    Generator,
    Hash,
    Mac,
    NonceMac,
    Permutation,
    StreamCipher,
    TagError,
    TweakableBlockCipher,
    UnitCipher,
    Xof,
    primitives,
    set_target,
    target,
)

__version__ = "0.1.0"
__all__ = [
    "Aead",
    "BlockCipher",
    "BlockMode",
    "CompileError",
    "Generator",
    "Hash",
    "Kernel",
    "Mac",
    "NonceMac",
    "Parameter",
    "Permutation",
    "StreamCipher",
    "TagError",
    "TweakableBlockCipher",
    "UnitCipher",
    "Xof",
    "compile",
    "primitives",
    "set_target",
    "target",
]
