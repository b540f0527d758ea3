"""`usuba.compile`: the same function in every slicing that has it, against numbers computed here."""

import doctest
import pathlib

import numpy
import pytest

import usuba

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "docs" / "examples"
MIX = "node Mix (a:u16x2, k:const u16) returns (x:u16, y:u16) let x = (a[0] <<< 3) ^ k; y = a[0] & ~a[1] tel"


def rotated(word, by):
    return ((word << by) | (word >> (16 - by))) & 0xFFFF


@pytest.mark.parametrize("target", ["gp64", "native"])
@pytest.mark.parametrize("slicing", ["b", "v", "h"])
@pytest.mark.parametrize("count", [0, 1, 5, 1000])
def test_every_slicing_is_the_same_function(slicing, target, count):
    mix = usuba.compile(MIX, slicing=slicing, target=target)
    random = numpy.random.default_rng(count)
    a = random.integers(0, 1 << 16, (count, 2), dtype=numpy.uint16)
    x, y = mix(a, 0x1234)
    wide = a.astype(numpy.uint32)
    assert x.dtype == y.dtype == numpy.uint16 and x.shape == y.shape == (count,)
    assert (x == rotated(wide[:, 0], 3) ^ 0x1234).all()
    assert (y == wide[:, 0] & ~wide[:, 1] & 0xFFFF).all()


def toy(plain, key):
    """The toy cipher of the README on one block, step by step."""
    table = [7, 12, 1, 10, 4, 15, 8, 3, 13, 2, 11, 0, 14, 9, 6, 5]
    state = [p ^ k for p, k in zip(plain, key[0])]
    for number in range(10):
        out = [0, 0, 0, 0]
        for bit in range(16):
            # The first word has the most significant bits of the nibbles.
            nibble = sum((state[word] >> bit & 1) << (3 - word) for word in range(4))
            for word in range(4):
                out[word] |= (table[nibble] >> (3 - word) & 1) << bit
        state = [
            out[i] ^ rotated(out[(i + 1) % 4], 5) ^ rotated(out[(i + 2) % 4], 11) ^ int(key[number + 1][i])
            for i in range(4)
        ]
    return state


@pytest.mark.parametrize("slicing", ["b", "v", "h"])
def test_a_cipher_from_a_file(slicing):
    kernel = usuba.compile(EXAMPLES / "toy.ua", slicing=slicing)
    assert [one.name for one in kernel.inputs] == ["plain", "key"]
    assert kernel.inputs[1].uniform and kernel.inputs[1].shape == (11, 4)
    random = numpy.random.default_rng(1)
    plain = random.integers(0, 1 << 16, (100, 4), dtype=numpy.uint16)
    key = random.integers(0, 1 << 16, (11, 4), dtype=numpy.uint16)
    found = kernel(plain, key)
    for number in range(100):
        assert found[number].tolist() == toy(plain[number].tolist(), key.tolist())


def test_auto_takes_a_slicing_that_there_is():
    mix = usuba.compile(MIX)
    assert mix.slicing in ("b", "v", "h")
    add = usuba.compile("node Add (a:u32, b:u32) returns (c:u32) let c = a + b tel")
    assert add.slicing == "v"
    assert (add([1, 2**32 - 1], [2, 5]) == [3, 4]).all()
    # What is wrong in every slicing is said once.
    with pytest.raises(usuba.CompileError, match="there is no") as refused:
        usuba.compile("node Add (a:u65, b:u65) returns (c:u65) let c = a + b tel")
    assert str(refused.value).count("error") == 1


def test_example_of_the_documentation():
    results = doctest.testmod(usuba._compile)
    assert results.attempted > 0 and results.failed == 0


def test_example_of_the_readme():
    readme = (EXAMPLES.parents[1] / "bindings" / "python" / "README.md").read_text()
    exec(readme.split("```python\n")[1].split("```")[0], {})


def test_wrong_programs_say_why():
    with pytest.raises(usuba.CompileError, match="<source>"):
        usuba.compile("node F (a:u16) returns (b:u16) let b = c tel")
    with pytest.raises(usuba.CompileError):
        usuba.compile("")
    with pytest.raises(usuba.CompileError):
        usuba.compile(EXAMPLES / "no-such-file.ua")
    with pytest.raises(usuba.CompileError, match="slicing|arithmetic|adder"):
        usuba.compile("node F (a:u16, b:u16) returns (c:u16) let c = a + b tel", slicing="h")
    with pytest.raises(ValueError, match="there is no slicing"):
        usuba.compile(MIX, slicing="diagonal")
    with pytest.raises(ValueError, match="there is no target"):
        usuba.compile(MIX, target="abacus")
    with pytest.raises(TypeError):
        usuba.compile(5)


def test_no_compiler(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(usuba.CompileError, match="need a C compiler"):
        usuba.compile(MIX)


def test_wrong_arrays():
    mix = usuba.compile(MIX)
    good = numpy.zeros((3, 2), numpy.uint16)
    for arrays, error in [
        ((good,), TypeError),
        ((good, 1, 2), TypeError),
        ((good.astype(float), 1), TypeError),
        ((numpy.zeros((3, 3), numpy.uint16), 1), ValueError),
        ((good[0], 1), ValueError),
        ((good, 1 << 16), ValueError),
        ((good, -1), ValueError),
        ((good, [1, 2]), ValueError),
    ]:
        with pytest.raises(error):
            mix(*arrays)
