"""Types of the native half. `Buffer` is any bytes-like object or array, in one piece; sizes are in bytes."""

from collections.abc import Sequence
from typing import Any, TypeVar, overload

from typing_extensions import Buffer

_Out = TypeVar("_Out", bound=Buffer)

class TagError(ValueError):
    """A tag is not right: the data are not authentic."""

class CompileError(Exception):
    """A program cannot be compiled; the text says why and where."""

def target() -> str:
    """The target whose code is used, such as `avx2`."""

def set_target(name: str | None = None) -> None:
    """Uses the code of another target from now on; `None` asks the machine anew. `ValueError` if it lacks it."""

def primitives() -> dict[str, dict[str, dict[str, int]]]:
    """For each kind the primitives by name, with their sizes in bytes."""

class BlockCipher:
    """A block cipher with a key, by name: `BlockCipher("aes-128", key)`."""

    def __init__(self, name: str, key: Buffer) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def key_size(self) -> int: ...
    @property
    def block_size(self) -> int: ...
    @overload
    def encrypt(self, data: Buffer, out: None = None) -> bytes:
        """Encrypts each block by itself."""
    @overload
    def encrypt(self, data: Buffer, out: _Out) -> _Out: ...
    @overload
    def decrypt(self, data: Buffer, out: None = None) -> bytes:
        """Decrypts each block by itself."""
    @overload
    def decrypt(self, data: Buffer, out: _Out) -> _Out: ...
    @overload
    def ctr(self, counter: Buffer, data: Buffer, out: None = None) -> bytes:
        """Counter mode, for any number of bytes; `counter` is the first one, a big-endian block, and stays as it is."""
    @overload
    def ctr(self, counter: Buffer, data: Buffer, out: _Out) -> _Out: ...

class StreamCipher:
    """A stream cipher with a key: `StreamCipher("chacha20", key)`."""

    def __init__(self, name: str, key: Buffer) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def key_size(self) -> int: ...
    @property
    def nonce_size(self) -> int: ...
    @overload
    def xor(self, nonce: Buffer, data: Buffer, counter: int = 0, out: None = None) -> bytes:
        """Encrypts or decrypts any number of bytes; the keystream begins with the block `counter`."""
    @overload
    def xor(self, nonce: Buffer, data: Buffer, counter: int = 0, *, out: _Out) -> _Out: ...

class Aead:
    """An authenticated cipher with a key: `Aead("ascon-aead128", key)`. A nonce must not be used twice."""

    def __init__(self, name: str, key: Buffer) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def key_size(self) -> int: ...
    @property
    def nonce_size(self) -> int: ...
    @property
    def tag_size(self) -> int: ...
    @overload
    def seal(self, nonce: Buffer, data: Buffer, ad: Buffer | None = None, out: None = None) -> bytes:
        """The ciphertext and then the tag, for `data` and the associated data `ad`."""
    @overload
    def seal(self, nonce: Buffer, data: Buffer, ad: Buffer | None = None, *, out: _Out) -> _Out: ...
    @overload
    def open(self, nonce: Buffer, data: Buffer, ad: Buffer | None = None, out: None = None) -> bytes:
        """The plaintext of a ciphertext with its tag; `TagError` if it is not authentic, and then `out` has no plaintext."""
    @overload
    def open(self, nonce: Buffer, data: Buffer, ad: Buffer | None = None, *, out: _Out) -> _Out: ...

class Permutation:
    """A permutation: `Permutation("ascon-p12")`."""

    def __init__(self, name: str) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def state_size(self) -> int: ...
    @overload
    def permute(self, states: Buffer, out: None = None) -> bytes:
        """The images of states, one after another."""
    @overload
    def permute(self, states: Buffer, out: _Out) -> _Out: ...

class Hash:
    """A hash function with the message so far: `Hash("ascon-hash256", b"message").digest()`."""

    def __init__(self, name: str, data: Buffer | None = None) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def digest_size(self) -> int: ...
    def update(self, data: Buffer) -> None:
        """Adds to the message."""
    def digest(self) -> bytes:
        """The digest of the message so far; more may follow."""
    def hexdigest(self) -> str: ...

class Xof:
    """An extendable-output function: `Xof("ascon-xof128", b"message").read(64)`."""

    def __init__(self, name: str, data: Buffer | None = None) -> None: ...
    @property
    def name(self) -> str: ...
    def update(self, data: Buffer) -> None:
        """Adds to the message; `ValueError` after output was read."""
    def read(self, length: int) -> bytes:
        """The next bytes of output."""

class Kernel:
    @property
    def inputs(self) -> list[tuple[str, list[int], int, bool]]: ...
    @property
    def outputs(self) -> list[tuple[str, list[int], int, bool]]: ...
    @property
    def instances(self) -> int: ...
    @property
    def symbol(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def slicing(self) -> str: ...
    @property
    def target(self) -> str: ...
    def run(self, arrays: Sequence[Any], count: int) -> list[bytes]: ...

def compile(source: str, path: bool, slicing: str, target: str, entry: str | None, word: int | None) -> Kernel: ...
