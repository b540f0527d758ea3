"""What the package is to other code: objects as `hashlib` has them, memory of any layout, and Python alone."""

import ast
import functools
import hashlib
import hmac
import pathlib
import subprocess
import sys

import numpy
import pytest

import usuba

PRIMITIVES = usuba.primitives()
MESSAGE = bytes(range(256)) * 3

# Those that both have: FIPS 202.
HASHES = [name for name in ("sha3-224", "sha3-256", "sha3-384", "sha3-512") if name in PRIMITIVES.get("hash", {})]
XOFS = [(name, other) for name, other in (("shake128", "shake_128"), ("shake256", "shake_256")) if name in PRIMITIVES.get("xof", {})]


@pytest.mark.parametrize("name", HASHES)
def test_hashes_are_those_of_hashlib(name):
    ours, theirs = usuba.Hash(name, MESSAGE), hashlib.new(name.replace("-", "_"), MESSAGE)
    for attribute in ("digest_size", "block_size"):
        assert getattr(ours, attribute) == getattr(theirs, attribute), attribute
    assert ours.name.replace("-", "_") == theirs.name
    for _ in range(2):
        assert ours.digest() == theirs.digest() and ours.hexdigest() == theirs.hexdigest()
        ours.update(b"more")
        theirs.update(b"more")
    key = bytes(range(200))
    mac = hmac.new(key, MESSAGE, functools.partial(usuba.Hash, name))
    assert mac.hexdigest() == hmac.new(key, MESSAGE, name.replace("-", "_")).hexdigest()


@pytest.mark.parametrize(("name", "other"), XOFS)
def test_output_functions_are_those_of_hashlib(name, other):
    ours, theirs = usuba.Xof(name, MESSAGE), hashlib.new(other, MESSAGE)
    assert (ours.digest_size, ours.block_size) == (theirs.digest_size, theirs.block_size)
    for _ in range(2):
        assert ours.digest(500) == theirs.digest(500) and ours.hexdigest(33) == theirs.hexdigest(33)
        ours.update(b"more")
        theirs.update(b"more")
    assert ours.read(10) + ours.read(490) == theirs.digest(500)


@pytest.mark.parametrize("name", PRIMITIVES.get("hash", {}))
def test_a_copy_of_a_hash_goes_on_by_itself(name):
    one = usuba.Hash(name, b"begin")
    other = one.copy()
    one.update(b" one")
    other.update(b" other")
    assert one.digest() == usuba.Hash(name, b"begin one").digest()
    assert other.digest() == usuba.Hash(name, b"begin other").digest()
    sizes = PRIMITIVES["hash"][name]
    assert (one.digest_size, one.block_size) == (sizes["digest"], sizes["block"]) and one.block_size > 0


@pytest.mark.parametrize("name", PRIMITIVES.get("xof", {}))
def test_a_copy_of_an_output_function_goes_on_by_itself(name):
    one = usuba.Xof(name, b"begin")
    other = one.copy()
    other.update(b" other")
    assert other.read(40) == usuba.Xof(name, b"begin other").read(40)
    first = one.read(7)
    later = one.copy()
    assert first + one.read(33) == usuba.Xof(name, b"begin").digest(40)
    assert later.read(33) == usuba.Xof(name, b"begin").digest(40)[7:]


def layouts():
    """Arrays whose elements lie apart, or in another order, with their elements in the order of C."""
    plain = numpy.arange(24 * 16, dtype=numpy.uint16).reshape(24, 16)
    for array in (plain[::2], plain[:, ::-1], plain.T, plain[::-3, 4:9], numpy.asfortranarray(plain), plain[:0, ::2]):
        yield array, array.tobytes()
    yield memoryview(bytearray(MESSAGE))[::3], bytes(MESSAGE[::3])


def test_arrays_whose_elements_lie_apart():
    cipher = usuba.StreamCipher("chacha20", bytes(32))
    for array, plain in layouts():
        sealed = cipher.xor(bytes(12), plain)
        assert cipher.xor(bytes(12), array) == sealed
        out = array.copy(order="K") if isinstance(array, numpy.ndarray) else memoryview(bytearray(3 * len(array)))[::3]
        assert cipher.xor(bytes(12), array, out=out) is out and out.tobytes() == sealed
        # In place, where only what belongs to the array is written.
        assert cipher.xor(bytes(12), array, out=array) is array and array.tobytes() == sealed
    key = numpy.arange(64, dtype=numpy.uint8)[::2]
    assert usuba.StreamCipher("chacha20", key).xor(bytes(12), MESSAGE) == usuba.StreamCipher(
        "chacha20", key.tobytes()
    ).xor(bytes(12), MESSAGE)


def test_what_lies_between_the_elements_stays():
    memory = numpy.full(400, 7, numpy.uint8)
    usuba.StreamCipher("chacha20", bytes(32)).xor(bytes(12), memory[::2], out=memory[::2])
    assert (memory[1::2] == 7).all() and not (memory[::2] == 7).all()


def test_objects_are_no_memory():
    with pytest.raises(TypeError, match="objects"):
        usuba.StreamCipher("chacha20", bytes(32)).xor(bytes(12), numpy.array([1, None], dtype=object))
    read_only = numpy.zeros(16, numpy.uint8)[::2]
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="writable"):
        usuba.StreamCipher("chacha20", bytes(32)).xor(bytes(12), bytes(8), out=read_only)


WITHOUT_NUMPY = """
import sys
sys.modules["numpy"] = None
import array, usuba
assert usuba.StreamCipher("chacha20", bytes(32)).xor(bytes(12), array.array("I", range(9))) == usuba.StreamCipher(
    "chacha20", bytes(32)).xor(bytes(12), array.array("I", range(9)).tobytes())
mix = usuba.compile("node Mix (a:u16x2, k:const u16) returns (x:u16) let x = a[0] ^ k tel")
assert mix([[1, 2], [3, 4], [65535, 0]], 5).tolist() == [4, 6, 65530]
flat = memoryview(array.array("H", range(6)))
assert mix(flat.cast("B").cast("H", (3, 2)), 0).tolist() == [0, 2, 4]
swap = usuba.compile("node Swap (a:u8x2) returns (b:u8x2) let b[0] = a[1]; b[1] = a[0] tel")
assert swap([[1, 2], [3, 4]]).tolist() == [[2, 1], [4, 3]] and swap([[1, 2]]).shape == (1, 2)
for wrong, error in (([[1, 2], [3]], ValueError), ([[1, 256]], ValueError), ([[1, -1]], ValueError), ([[1.5, 2]], TypeError),
                     (["ab"], TypeError), ([1, 2], ValueError), (memoryview(array.array("d", [1])), TypeError)):
    try:
        swap(wrong)
    except error as refused:
        assert str(refused), wrong
    else:
        raise AssertionError(wrong)
try:
    swap.inputs[0].dtype
except ImportError:
    print("done")
"""


def test_without_numpy():
    said = subprocess.run([sys.executable, "-c", WITHOUT_NUMPY], capture_output=True, text=True, check=False)
    assert said.stdout == "done\n", said.stderr


def test_numpy_is_asked_for_when_it_is_needed():
    said = subprocess.run([sys.executable, "-c", "import sys, usuba; print('numpy' in sys.modules)"], capture_output=True, text=True)
    assert said.stdout == "False\n", said.stderr


def test_sources_are_for_the_oldest_python():
    for path in sorted(pathlib.Path(usuba.__file__).parent.glob("*.py*")):
        if path.suffix in (".py", ".pyi"):
            ast.parse(path.read_text(), feature_version=(3, 9))
