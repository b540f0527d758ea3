"""Ciphers through the installed package: the vectors of the repository, and everything that must be refused."""

import json
import pathlib
import threading
import tomllib

import numpy
import pytest

import usuba

ROOT = pathlib.Path(__file__).resolve().parents[3]
PRIMITIVES = usuba.primitives()


def vectors(name):
    """The known answers of a primitive, as its manifest has them, with the kind of their file."""
    for manifest in sorted(ROOT.glob("ciphers/*/usuba.toml")):
        parts = tomllib.loads(manifest.read_text())
        for one in parts.get("primitive", []) + parts.get("construction", []):
            if one["name"] == name:
                for path in one["vectors"]:
                    if path.endswith(".json"):
                        file = json.loads((manifest.parent / path).read_text())
                        for vector in file["vectors"]:
                            yield file["kind"], vector


def data(vector, name):
    return bytes.fromhex(vector[name])


@pytest.fixture(params=["gp64", None])
def any_target(request):
    usuba.set_target(request.param)
    yield usuba.target()
    usuba.set_target(None)


@pytest.mark.parametrize("name", PRIMITIVES.get("block-cipher", {}))
def test_block_ciphers(name, any_target):
    count = 0
    for kind, vector in vectors(name):
        key = data(vector, "key")
        if len(key) != PRIMITIVES["block-cipher"][name]["key"]:
            continue
        cipher = usuba.BlockCipher(name, key)
        if kind == "stream":
            assert cipher.ctr(data(vector, "nonce"), data(vector, "input")) == data(vector, "output")
        else:
            assert cipher.encrypt(data(vector, "input")) == data(vector, "output")
            assert cipher.decrypt(data(vector, "output")) == data(vector, "input")
        count += 1
    assert count > 0


@pytest.mark.parametrize("name", PRIMITIVES.get("stream", {}))
def test_streams(name, any_target):
    for _, vector in vectors(name):
        cipher = usuba.StreamCipher(name, data(vector, "key"))
        found = cipher.xor(data(vector, "nonce"), data(vector, "input"), counter=vector["counter"])
        assert found == data(vector, "output"), vector["id"]


@pytest.mark.parametrize("name", PRIMITIVES.get("permutation", {}))
def test_permutations(name, any_target):
    known = [vector for _, vector in vectors(name)]
    states = b"".join(data(vector, "input") for vector in known)
    images = b"".join(data(vector, "output") for vector in known)
    permutation = usuba.Permutation(name)
    assert permutation.permute(states) == images
    place = bytearray(states)
    assert permutation.permute(place, out=place) is place and place == images


@pytest.mark.parametrize("name", PRIMITIVES.get("aead", {}))
def test_aeads(name, any_target):
    for _, vector in vectors(name):
        sizes = PRIMITIVES["aead"][name]
        nonce, ad, sealed = data(vector, "nonce"), data(vector, "ad"), data(vector, "output")
        if len(nonce) != sizes["nonce"] or vector["tag_bits"] != 8 * sizes["tag"]:
            continue
        cipher = usuba.Aead(name, data(vector, "key"))
        if vector["result"] != "valid":
            with pytest.raises(usuba.TagError):
                cipher.open(nonce, sealed, ad)
            continue
        assert cipher.seal(nonce, data(vector, "input"), ad) == sealed
        assert cipher.open(nonce, sealed, ad) == data(vector, "input")
        for place in (0, len(sealed) - 1):
            changed = bytearray(sealed)
            changed[place] ^= 1
            out = bytearray(len(sealed) - sizes["tag"])
            with pytest.raises(usuba.TagError):
                cipher.open(nonce, changed, ad, out=out)
            assert not any(out)


@pytest.mark.parametrize("name", PRIMITIVES.get("hash", {}))
def test_hashes(name):
    for _, vector in vectors(name):
        message = data(vector, "input")
        assert usuba.Hash(name, message).digest() == data(vector, "output")
        parts = usuba.Hash(name)
        for start in range(0, len(message), 5):
            parts.update(message[start : start + 5])
        assert parts.hexdigest() == vector["output"]


@pytest.mark.parametrize("name", PRIMITIVES.get("xof", {}))
def test_xofs(name):
    for _, vector in vectors(name):
        output = data(vector, "output")
        xof = usuba.Xof(name, data(vector, "input"))
        assert xof.read(len(output) // 3) + xof.read(len(output) - len(output) // 3) == output
    with pytest.raises(ValueError, match="after output"):
        xof.update(b"more")


def test_arrays_and_places():
    cipher = usuba.StreamCipher("chacha20", bytes(32))
    for length in (0, 1, 63, 64, 65, 1000, 100_000):
        plain = numpy.arange(length, dtype=numpy.uint32)
        expected = cipher.xor(bytes(12), plain.tobytes())
        assert cipher.xor(bytes(12), plain) == expected
        out = numpy.empty_like(plain)
        assert cipher.xor(bytes(12), plain, out=out) is out
        assert out.tobytes() == expected
        assert cipher.xor(bytes(12), plain, out=plain) is plain
        assert plain.tobytes() == expected


def test_threads():
    cipher = usuba.StreamCipher("chacha20", bytes(32))
    expected = cipher.xor(bytes(12), bytes(1 << 20))
    found = [None] * 4

    def work(number):
        found[number] = cipher.xor(bytes(12), bytes(1 << 20))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert all(one == expected for one in found)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: usuba.StreamCipher("chacha20", bytes(31)), ValueError),
        (lambda: usuba.StreamCipher("no-such-cipher", bytes(32)), ValueError),
        (lambda: usuba.StreamCipher("chacha20", "text"), TypeError),
        (lambda: usuba.StreamCipher("chacha20", None), TypeError),
        (lambda: usuba.StreamCipher("chacha20", bytes(32)).xor(bytes(11), b""), ValueError),
        (lambda: usuba.StreamCipher("chacha20", bytes(32)).xor(bytes(12), b"", counter=1 << 32), ValueError),
        (lambda: usuba.StreamCipher("chacha20", bytes(32)).xor(bytes(12), b"", counter=-1), OverflowError),
        (lambda: usuba.StreamCipher("chacha20", bytes(32)).xor(bytes(12), b"ab", out=bytearray(3)), ValueError),
        (lambda: usuba.StreamCipher("chacha20", bytes(32)).xor(bytes(12), b"ab", out=b"cd"), ValueError),
        (lambda: usuba.StreamCipher("chacha20", bytes(32)).xor(bytes(12), numpy.zeros((8, 8))[:, ::2]), ValueError),
        (lambda: usuba.BlockCipher("no-such-cipher", b""), ValueError),
        (lambda: usuba.Permutation("ascon-p12").permute(bytes(41)), ValueError),
        (lambda: usuba.set_target("no-such-target"), ValueError),
    ],
)
def test_refused(call, error):
    with pytest.raises(error):
        call()


def test_overlap_is_refused():
    buffer = numpy.zeros(200, numpy.uint8)
    cipher = usuba.StreamCipher("chacha20", bytes(32))
    with pytest.raises(ValueError, match="overlap"):
        cipher.xor(bytes(12), buffer[:100], out=buffer[50:150])
    assert not buffer.any()
