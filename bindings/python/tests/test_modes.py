"""CBC, CFB, OFB and CMAC: the vectors of the repository, the package `cryptography`, and many messages against each by itself."""

import json
import pathlib

import numpy
import pytest

import usuba

VECTORS = pathlib.Path(__file__).resolve().parents[3] / "modes" / "vectors"
PRIMITIVES = usuba.primitives()
MODES = PRIMITIVES.get("block-mode", {})
CMACS = [name for name in PRIMITIVES.get("mac", {}) if name.endswith("-cmac")]


@pytest.fixture(params=["gp64", None])
def any_target(request):
    usuba.set_target(request.param)
    yield usuba.target()
    usuba.set_target(None)


def published(name):
    """The published answers of a mode over a cipher."""
    cipher, mode = name.rsplit("-", 1)
    for vector in json.loads((VECTORS / "published.json").read_text())["vectors"]:
        if vector["primitive"] == cipher and vector["mode"].split("-")[0] == mode:
            parts = vector["inputs"] | vector["outputs"]
            yield vector["mode"], {part: bytes.fromhex(value) for part, value in parts.items()}


def wycheproof(name, file):
    """The tests of Wycheproof's file for a mode over a cipher, whose keys have the size of this one."""
    for path in VECTORS.glob(f"wycheproof/{name.split('-')[0]}_{file}_test.json"):
        for group in json.loads(path.read_text())["testGroups"]:
            yield from group["tests"]


@pytest.mark.parametrize("name", MODES)
def test_modes(name, any_target):
    sizes, mode = MODES[name], name.rsplit("-", 1)[1]
    random = numpy.random.default_rng(7)
    key, iv = random.bytes(sizes["key"]), random.bytes(sizes["block"])
    cipher, block = usuba.BlockMode(name, key), sizes["block"]
    assert (cipher.name, cipher.key_size, cipher.block_size) == (name, len(key), block)
    blocks = usuba.BlockCipher(name.rsplit("-", 1)[0], key)
    plain = random.bytes(9 * block)
    secret = cipher.encrypt(iv, plain)
    # What SP 800-38A says, with the cipher by itself.
    carried = iv
    for start in range(0, len(plain), 1 if mode == "cfb8" else block):
        part, made = plain[start : start + block], secret[start : start + block]
        if mode == "cbc":
            carried = blocks.encrypt(bytes(a ^ b for a, b in zip(carried, part)))
            assert made == carried
        elif mode == "cfb8":
            assert made[0] == part[0] ^ blocks.encrypt(carried)[0]
            carried = carried[1:] + made[:1]
        else:
            stream = blocks.encrypt(carried)
            assert made == bytes(a ^ b for a, b in zip(part, stream))
            carried = made if mode == "cfb" else stream
    for length in range(0, 4 * block, block if mode == "cbc" else 1):
        # The beginning of a longer message.
        assert cipher.encrypt(iv, plain[:length]) == secret[:length]
        assert cipher.decrypt(iv, secret[:length]) == plain[:length]
    place = numpy.frombuffer(plain, numpy.uint8).copy()
    assert cipher.encrypt(iv, place, out=place) is place and place.tobytes() == secret
    assert cipher.decrypt(iv, place, out=place) is place and place.tobytes() == plain
    # Whole blocks go on.
    middle = 4 * block
    last = secret[middle - block : middle]
    if mode == "ofb":
        last = bytes(a ^ b for a, b in zip(last, plain[middle - block : middle]))
    assert cipher.encrypt(last, plain[middle:]) == secret[middle:]
    assert cipher.decrypt(last, secret[middle:]) == plain[middle:]


@pytest.mark.parametrize("name", MODES)
def test_known_answers_of_modes(name, any_target):
    count = 0
    for mode, parts in published(name):
        cipher = usuba.BlockMode(name, parts["key"])
        if mode.endswith("-decrypt"):
            assert cipher.decrypt(parts["iv"], parts["cipher"]) == parts["plain"]
        else:
            assert cipher.encrypt(parts["iv"], parts["plain"]) == parts["cipher"]
        count += 1
    if name.endswith("-cbc"):
        for test in wycheproof(name, "cbc_pkcs5"):
            key, iv, plain, secret = (bytes.fromhex(test[part]) for part in ("key", "iv", "msg", "ct"))
            if test["result"] == "valid" and len(key) == MODES[name]["key"]:
                # Padding is for the caller.
                padding = 16 - len(plain) % 16
                padded = plain + padding * bytes([padding])
                assert usuba.BlockMode(name, key).encrypt(iv, padded) == secret
                assert usuba.BlockMode(name, key).decrypt(iv, secret) == padded
                count += 1
    assert count > 0 or not name.startswith("aes-128-")


@pytest.mark.parametrize("name", MODES)
def test_many_messages(name, any_target):
    block, step = MODES[name]["block"], MODES[name]["block"] if name.endswith("-cbc") else 1
    random = numpy.random.default_rng(8)
    cipher = usuba.BlockMode(name, random.bytes(MODES[name]["key"]))
    for count in (0, 1, 2, 5, 40):
        ivs = random.integers(0, 256, (count, block), dtype=numpy.uint8)
        data = [random.bytes(number * 13 % (4 * block) // step * step) for number in range(count)]
        expected = [cipher.encrypt(iv, one) for iv, one in zip(ivs, data)]
        before = ivs.copy()
        assert cipher.encrypt_many(ivs, data) == expected
        out = [bytearray(len(one)) for one in data]
        made = cipher.encrypt_many([iv.tobytes() for iv in ivs], data, out=out)
        assert all(one is other for one, other in zip(made, out)) and [bytes(one) for one in out] == expected
        places = [bytearray(one) for one in data]
        cipher.encrypt_many(ivs, places, out=places)
        assert places == expected
        assert (ivs == before).all()
    # Rows of an array, in place.
    rows = random.integers(0, 256, (7, 3 * block), dtype=numpy.uint8)
    ivs = random.integers(0, 256, (7, block), dtype=numpy.uint8)
    expected = [cipher.encrypt(iv, row) for iv, row in zip(ivs, rows)]
    assert cipher.encrypt_many(ivs, rows) == expected
    cipher.encrypt_many(ivs, rows, out=rows)
    assert [row.tobytes() for row in rows] == expected


def test_what_modes_refuse():
    cipher = usuba.BlockMode("aes-128-cbc", bytes(16))
    row = numpy.zeros(64, numpy.uint8)
    for call, error, text in (
        (lambda: usuba.BlockMode("aes-128-xyz", bytes(16)), ValueError, "no mode of a block cipher"),
        (lambda: usuba.BlockMode("aes-128-cbc", bytes(15)), ValueError, "key must be 16 bytes"),
        (lambda: cipher.encrypt(bytes(15), bytes(16)), ValueError, "iv must be 16 bytes"),
        (lambda: cipher.encrypt(bytes(16), bytes(17)), ValueError, "data must be whole blocks of 16 bytes, not 17"),
        (lambda: cipher.decrypt(bytes(16), bytes(17)), ValueError, "whole blocks"),
        (lambda: cipher.encrypt(bytes(16), "text"), TypeError, "bytes-like"),
        (lambda: cipher.encrypt(bytes(16), row[:32], out=row[16:48]), ValueError, "overlap"),
        (lambda: cipher.encrypt(bytes(16), row, out=bytes(64)), ValueError, "writable"),
        (lambda: cipher.encrypt_many([bytes(16)], []), ValueError, "there are 1 ivs for 0 messages"),
        (lambda: cipher.encrypt_many([bytes(16)], [bytes(16)], out=[]), ValueError, "there are 0 out for 1"),
        (lambda: cipher.encrypt_many(2 * [bytes(16)], [bytes(16), bytes(5)]), ValueError, r"data\[1\] must be whole"),
        (lambda: cipher.encrypt_many([bytes(16), bytes(5)], 2 * [bytes(16)]), ValueError, r"ivs\[1\] must be 16"),
        (lambda: cipher.encrypt_many([bytes(16)], [row[:32]], out=[row[:16]]), ValueError, r"out\[0\] must be 32"),
        # The same place for two messages, and a message in the place of another.
        (lambda: cipher.encrypt_many(2 * [bytes(16)], 2 * [bytes(16)], out=2 * [row[:16]]), ValueError, "another message"),
        (
            lambda: cipher.encrypt_many(2 * [bytes(16)], [row[:16], row[16:32]], out=[row[16:32], row[:16]]),
            ValueError,
            "another message",
        ),
        (lambda: cipher.encrypt_many([bytes(16)], [row[:32]], out=[row[8:40]]), ValueError, "overlap"),
        (lambda: usuba.Mac.tag_many("poly1305", bytes(32), [b""]), NotImplementedError, "for one message"),
        (lambda: usuba.Mac.tag_many("aes-128-cmac", bytes(15), [b""]), ValueError, "key must be"),
        (lambda: usuba.Mac.tag_many("aes-128-cmac", bytes(16), [b"", "text"]), TypeError, r"messages\[1\]"),
        (lambda: usuba.Mac.tag_many("aes-128-cmac", bytes(16), [b""], out=row), ValueError, "out must be 16"),
        (lambda: usuba.Mac.tag_many("aes-128-cmac", bytes(16), 2 * [row[:8]], out=row[:32]), ValueError, "overlap"),
    ):
        with pytest.raises(error, match=text):
            call()
        assert not row.any()


@pytest.mark.parametrize("name", CMACS)
def test_cmac(name, any_target):
    sizes = PRIMITIVES["mac"][name]
    known = [(parts["key"], parts["message"], parts["tag"], True) for _, parts in published(name)]
    for test in wycheproof(name, "cmac"):
        key, message, tag = (bytes.fromhex(test[part]) for part in ("key", "msg", "tag"))
        if (len(key), len(tag)) == (sizes["key"], sizes["tag"]):
            known.append((key, message, tag, test["result"] == "valid"))
    assert known or name.split("-")[0] not in ("aes", "aria", "camellia")
    for key, message, tag, valid in known:
        mac = usuba.Mac(name, key, message[:5])
        mac.update(message[5:])
        assert (mac.tag() == tag) == valid
        if not valid:
            with pytest.raises(usuba.TagError):
                mac.verify(tag)
    # All lengths, in pieces and at once.
    random = numpy.random.default_rng(9)
    key = random.bytes(sizes["key"])
    messages = [random.bytes(length) for length in range(5 * sizes["tag"])]
    tags = []
    for number, message in enumerate(messages):
        mac = usuba.Mac(name, key)
        for start in range(0, len(message), 1 + number % 9):
            mac.update(message[start : start + 1 + number % 9])
        tags.append(mac.tag())
        assert usuba.Mac(name, key, message).tag() == tags[-1]
    assert usuba.Mac.tag_many(name, key, messages) == b"".join(tags)
    out = numpy.zeros((len(messages), sizes["tag"]), numpy.uint8)
    assert usuba.Mac.tag_many(name, key, messages, out=out) is out
    assert [row.tobytes() for row in out] == tags
    assert usuba.Mac.tag_many(name, key, []) == b""


def test_modes_against_openssl():
    """Every length, against the package `cryptography`."""
    ciphers = pytest.importorskip("cryptography.hazmat.primitives.ciphers")
    cmac = pytest.importorskip("cryptography.hazmat.primitives.cmac")
    try:
        from cryptography.hazmat.decrepit.ciphers import modes as decrepit
    except ImportError:
        decrepit = ciphers.modes
    random = numpy.random.default_rng(5)
    text, iv = random.bytes(1024), random.bytes(16)
    kinds = {"cbc": "CBC", "cfb": "CFB", "cfb8": "CFB8", "ofb": "OFB"}
    for bits in (128, 192, 256):
        algorithm = ciphers.algorithms.AES(random.bytes(bits // 8))
        for mode, kind in kinds.items():
            theirs = getattr(decrepit, kind, None) or getattr(ciphers.modes, kind)
            secret = ciphers.Cipher(algorithm, theirs(iv)).encryptor().update(text)
            ours = usuba.BlockMode(f"aes-{bits}-{mode}", algorithm.key)
            for length in range(0, 1025, 16 if mode == "cbc" else 7):
                assert ours.encrypt(iv, text[:length]) == secret[:length], (mode, length)
                assert ours.decrypt(iv, secret[:length]) == text[:length], (mode, length)
        messages = [text[:length] for length in range(300)]
        expected = []
        for message in messages:
            other = cmac.CMAC(algorithm)
            other.update(message)
            expected.append(other.finalize())
        assert usuba.Mac.tag_many(f"aes-{bits}-cmac", algorithm.key, messages) == b"".join(expected)
