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


def files(name):
    """The files of known answers of a primitive, as its manifest has them."""
    for manifest in sorted(ROOT.glob("ciphers/*/usuba.toml")):
        parts = tomllib.loads(manifest.read_text())
        for one in parts.get("primitive", []) + parts.get("construction", []):
            if one["name"] == name:
                for path in one["vectors"]:
                    if path.endswith(".json"):
                        yield json.loads((manifest.parent / path).read_text())


def vectors(name):
    """The known answers of a primitive, with the kind of their file."""
    for file in files(name):
        for vector in file["vectors"] + file.get("bulk", []):
            yield file["kind"], vector


def chains(name):
    """The iterated applications."""
    return [chain for file in files(name) for chain in file.get("chains", [])]


def messages(name):
    """The messages of an authenticated cipher, and those of Wycheproof's file for it: its parts, and whether it is valid."""
    for _, vector in vectors(name):
        parts = (data(vector, part) for part in ("key", "nonce", "ad", "input", "output"))
        yield *parts, vector["result"] == "valid"
    for path in ROOT.glob(f"ciphers/*/vectors/wycheproof/{name.replace('-', '_')}_test.json"):
        for group in json.loads(path.read_text())["testGroups"]:
            for test in group["tests"]:
                sealed = data(test, "ct") + data(test, "tag")
                parts = (data(test, part) for part in ("key", "iv", "aad", "msg"))
                yield *parts, sealed, test["result"] != "invalid"


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
    for chain in chains(name):
        cipher, block = usuba.BlockCipher(name, data(chain, "key")), bytearray(data(chain, "start"))
        for _ in range(chain["iterations"]):
            cipher.encrypt(block, out=block)
        assert block.hex() == chain["final"], chain["id"]


@pytest.mark.parametrize("name", PRIMITIVES.get("tweakable-block-cipher", {}))
def test_tweakable_block_ciphers(name, any_target):
    sizes = PRIMITIVES["tweakable-block-cipher"][name]
    for _, vector in vectors(name):
        plain, secret = data(vector, "input"), data(vector, "output")
        tweaks = data(vector, "tweak") * (len(plain) // sizes["block"])
        cipher = usuba.TweakableBlockCipher(name, data(vector, "key"))
        assert cipher.encrypt(tweaks, plain) == secret
        assert cipher.decrypt(tweaks, secret) == plain
        place = numpy.frombuffer(plain, numpy.uint8).copy()
        assert cipher.encrypt(tweaks, place, out=place) is place and place.tobytes() == secret
    with pytest.raises(ValueError, match="tweaks must be"):
        cipher.encrypt(tweaks[1:], plain)
    with pytest.raises(ValueError, match="whole blocks"):
        cipher.encrypt(tweaks, plain[1:])


@pytest.mark.parametrize("name", PRIMITIVES.get("generator", {}))
def test_generators(name, any_target):
    known = [vector for _, vector in vectors(name)]
    streams = []
    for vector in known:
        keystream = data(vector, "output")
        stream = usuba.Generator(name, data(vector, "key"), data(vector, "nonce"))
        third = len(keystream) // 3
        assert stream.xor(bytes(third)) + stream.xor(bytes(len(keystream) - third)) == keystream
        streams.append(usuba.Generator(name, data(vector, "key"), data(vector, "nonce")))
    shortest = min(len(vector["output"]) for vector in known) // 2
    rows = numpy.zeros((len(known), shortest), numpy.uint8)
    for part in (rows[:, : shortest // 2], rows[:, shortest // 2 :]):
        made = usuba.Generator.xor_many(streams, numpy.ascontiguousarray(part))
        part[:] = numpy.frombuffer(made, numpy.uint8).reshape(part.shape)
    for row, vector in zip(rows, known):
        assert row.tobytes() == data(vector, "output")[:shortest]
    for wrong in (streams + [streams[0]], streams[:2] + [streams[1]]):
        with pytest.raises(ValueError, match="twice"):
            usuba.Generator.xor_many(wrong, bytes(len(wrong)))
    with pytest.raises(ValueError, match="rows"):
        usuba.Generator.xor_many(streams[:2], bytes(3))
    assert usuba.Generator.xor_many([], b"") == b""


@pytest.mark.parametrize("name", [name for name in PRIMITIVES.get("mac", {}) if not name.endswith("-cmac")])
def test_macs(name):
    known = list(vectors(name))
    assert known
    for _, vector in known:
        message, tag = data(vector, "input"), data(vector, "output")
        mac = usuba.Mac(name, data(vector, "key"), message[:5])
        mac.update(message[5:])
        assert mac.tag() == tag
        mac.verify(tag)
        with pytest.raises(usuba.TagError):
            mac.verify(bytes([tag[0] ^ 1]) + tag[1:])
        with pytest.raises(ValueError, match="16 bytes"):
            mac.verify(tag[1:])


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
    for chain in chains(name):
        state = bytearray(data(chain, "start"))
        for _ in range(chain["iterations"]):
            permutation.permute(state, out=state)
        assert state.hex() == chain["final"], chain["id"]


MODES = ("-gcm", "-gcm-siv", "-ccm", "-cofb", "-ocb3")


@pytest.mark.parametrize("name", [name for name in PRIMITIVES.get("aead", {}) if name.endswith(MODES)])
def test_modes(name, any_target):
    """Against the package cryptography, which has those over AES."""
    aead = pytest.importorskip("cryptography.hazmat.primitives.ciphers.aead")
    exceptions = pytest.importorskip("cryptography.exceptions")
    sizes = PRIMITIVES["aead"][name]
    key, nonce, ad = bytes(range(sizes["key"])), bytes(range(40, 40 + sizes["nonce"])), b"header"
    kinds = {"gcm": aead.AESGCM, "siv": aead.AESGCMSIV, "ccm": aead.AESCCM, "ocb3": aead.AESOCB3}
    try:
        other = kinds[name.rsplit("-", 1)[1]](key) if name.startswith("aes-") else None
    except exceptions.UnsupportedAlgorithm:
        other = None
    cipher = usuba.Aead(name, key)
    for length in (0, 1, 16, 100, 5000):
        plain = bytes(range(256)) * 20
        sealed = cipher.seal(nonce, plain[:length], ad)
        assert other is None or sealed == other.encrypt(nonce, plain[:length], ad)
        assert cipher.open(nonce, sealed, ad) == plain[:length]
        with pytest.raises(usuba.TagError):
            cipher.open(nonce, sealed[:-1] + bytes([sealed[-1] ^ 1]), ad)
    nonces = [nonce, bytes(sizes["nonce"])]
    made = cipher.seal_many(nonces, [b"one", b"other"])
    assert made == [cipher.seal(nonces[0], b"one"), cipher.seal(nonces[1], b"other")]
    assert cipher.open_many(nonces, made) == [b"one", b"other"]


@pytest.mark.parametrize("name", [name for name in PRIMITIVES.get("aead", {}) if not name.endswith(MODES)])
def test_aeads(name, any_target):
    sizes = PRIMITIVES["aead"][name]
    refused, known = 0, []
    for key, nonce, ad, plain, sealed, valid in messages(name):
        if len(nonce) != sizes["nonce"]:
            with pytest.raises(ValueError, match="nonce must be"):
                usuba.Aead(name, key).open(nonce, sealed, ad)
            continue
        cipher = usuba.Aead(name, key)
        if not valid:
            refused += 1
            with pytest.raises(usuba.TagError):
                cipher.open(nonce, sealed, ad)
            continue
        assert cipher.seal(nonce, plain, ad) == sealed
        assert cipher.open(nonce, sealed, ad) == plain
        known.append((key, nonce, ad, plain, sealed))
        for place in (0, len(sealed) - 1):
            changed = bytearray(sealed)
            changed[place] ^= 1
            out = bytearray(len(sealed) - sizes["tag"])
            with pytest.raises(usuba.TagError):
                cipher.open(nonce, changed, ad, out=out)
            assert not any(out)
    assert known and (refused or name != "chacha20-poly1305")
    # Those of one key in one call.
    key = known[0][0]
    _, nonces, ads, plains, sealed = zip(*(one for one in known if one[0] == key))
    cipher = usuba.Aead(name, key)
    assert cipher.seal_many(nonces, plains, ads) == list(sealed)
    assert cipher.open_many(nonces, sealed, ads) == list(plains)
    wrong = [sealed[0][:-1] + bytes([sealed[0][-1] ^ 1]), *sealed[1:]]
    assert cipher.open_many(nonces, wrong, ads) == [None, *plains[1:]]
    assert cipher.open_many([*nonces, nonces[0]], [*sealed, b"short"], [*ads, ads[0]]) == [*plains, None]
    with pytest.raises(ValueError, match="nonces"):
        cipher.seal_many(nonces[1:], plains, ads)
    assert cipher.seal_many([], []) == [] and cipher.open_many([], [], []) == []


@pytest.mark.parametrize("name", PRIMITIVES.get("hash", {}))
def test_hashes(name):
    for _, vector in vectors(name):
        message = data(vector, "input")
        assert usuba.Hash(name, message).digest() == data(vector, "output")
        parts = usuba.Hash(name)
        for start in range(0, len(message), 5):
            parts.update(message[start : start + 5])
        assert parts.hexdigest() == vector["output"]
    known = [vector for _, vector in vectors(name)]
    inputs = [data(vector, "input") for vector in known]
    digests = numpy.zeros((len(known), PRIMITIVES["hash"][name]["digest"]), numpy.uint8)
    assert usuba.Hash.digest_many(name, inputs, out=digests) is digests
    assert [row.tobytes().hex() for row in digests] == [vector["output"] for vector in known]
    assert usuba.Hash.digest_many(name, []) == b""


@pytest.mark.parametrize("name", PRIMITIVES.get("xof", {}))
def test_xofs(name):
    for _, vector in vectors(name):
        output = data(vector, "output")
        customization = {"customization": data(vector, "customization")} if "customization" in vector else {}
        xof = usuba.Xof(name, data(vector, "input"), **customization)
        assert xof.read(len(output) // 3) + xof.read(len(output) - len(output) // 3) == output
    with pytest.raises(ValueError, match="after output"):
        xof.update(b"more")
    with pytest.raises(ValueError, match="customization"):
        usuba.Xof(name, b"", customization=bytes(257))


def test_lengths_against_openssl():
    """Every length, against the package `cryptography`."""
    ciphers = pytest.importorskip("cryptography.hazmat.primitives.ciphers")
    aead = pytest.importorskip("cryptography.hazmat.primitives.ciphers.aead")
    random = numpy.random.default_rng(5)
    text = random.bytes(4096)
    keys = {bits: random.bytes(bits // 8) for bits in (128, 192, 256)}
    counter = bytes(15 * [255]) + b"\xf0"
    algorithms = ciphers.algorithms
    others = {f"aes-{bits}": algorithms.AES(key) for bits, key in keys.items()}
    others["sm4"] = algorithms.SM4(keys[128])
    assert set(others) <= set(PRIMITIVES["block-cipher"])
    for name, algorithm in others.items():
        ours = usuba.BlockCipher(name, algorithm.key)
        theirs = ciphers.Cipher(algorithm, ciphers.modes.CTR(counter)).encryptor().update(text)
        for length in range(4097):
            assert ours.ctr(counter, text[:length]) == theirs[:length], (name, length)
    stream, sealer = usuba.StreamCipher("chacha20", keys[256]), usuba.Aead("chacha20-poly1305", keys[256])
    nonce = random.bytes(12)
    # OpenSSL's nonce begins with the counter.
    algorithm = algorithms.ChaCha20(keys[256], (7).to_bytes(4, "little") + nonce)
    keystream = ciphers.Cipher(algorithm, None).encryptor().update(text)
    other = aead.ChaCha20Poly1305(keys[256])
    for length in range(4097):
        assert stream.xor(nonce, text[:length], counter=7) == keystream[:length], length
        sealed = sealer.seal(nonce, text[:length], text[: length % 40])
        assert sealed == other.encrypt(nonce, text[:length], text[: length % 40]), length
        assert sealer.open(nonce, sealed, text[: length % 40]) == text[:length], length


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
        (lambda: usuba.BlockCipher("aes-128", bytes(16)).encrypt(bytes(17)), ValueError),
        (lambda: usuba.BlockCipher("aes-128", bytes(16)).ctr(bytes(15), b""), ValueError),
        (lambda: usuba.BlockCipher("aes-128", bytes(16)).ctr(bytes(16), b"", bits=31), ValueError),
        (lambda: usuba.Generator("trivium", bytes(10), bytes(9)), ValueError),
        (lambda: usuba.Mac("poly1305", bytes(31)), ValueError),
        (lambda: usuba.Mac("no-such-mac", bytes(32)), ValueError),
        (lambda: usuba.Xof("ascon-xof128", customization=b"none"), ValueError),
        (lambda: usuba.Hash.digest_many("ascon-hash256", [b"a", "text"]), TypeError),
        (lambda: usuba.BlockCipher("no-such-cipher", b""), ValueError),
        (lambda: usuba.Permutation("ascon-p12").permute(bytes(41)), ValueError),
        (lambda: usuba.set_target("no-such-target"), ValueError),
    ],
)
def test_refused(call, error):
    with pytest.raises(error):
        call()


def test_nothing_is_written_where_something_is_refused():
    cipher = usuba.BlockCipher("aes-128", bytes(16))
    for call in (
        lambda out: cipher.encrypt(bytes(17), out=out),
        lambda out: cipher.encrypt(bytes(32), out=out),
        lambda out: cipher.ctr(bytes(15), bytes(17), out=out),
        lambda out: cipher.ctr(bytes(16), bytes(18), out=out),
    ):
        out = bytearray(17)
        with pytest.raises(ValueError):
            call(out)
        assert not any(out)


def test_the_lock_is_released():
    """While one thread encrypts much, another goes on: as it does not if the interpreter waits."""
    data = numpy.zeros(1 << 27, numpy.uint8)
    cipher = usuba.StreamCipher("chacha20", bytes(32))
    thread = threading.Thread(target=lambda: cipher.xor(bytes(12), data, out=data))
    thread.start()
    count = 0
    while thread.is_alive():
        count += 1
        thread.join(0.0001)
    assert count > 10


def test_everything_is_documented():
    for name in usuba.__all__:
        one = getattr(usuba, name)
        assert one.__doc__, name
        if isinstance(one, type) and not issubclass(one, Exception):
            for method in vars(one):
                if not method.startswith("_"):
                    member = getattr(one, method)
                    assert isinstance(member, (str, int, list)) or not callable(member) or member.__doc__, (name, method)


def test_short_counters():
    cipher = usuba.BlockCipher("rectangle-80", bytes(10))
    counters = b"".join(bytes(4) + ((2**32 - 2 + number) % 2**32).to_bytes(4) for number in range(5))
    assert cipher.ctr(counters[:8], bytes(37), bits=32) == cipher.encrypt(counters)[:37]
    assert cipher.ctr(counters[:8], bytes(37), bits=64) == cipher.ctr(counters[:8], bytes(37))


def test_overlap_is_refused():
    buffer = numpy.zeros(200, numpy.uint8)
    cipher = usuba.StreamCipher("chacha20", bytes(32))
    with pytest.raises(ValueError, match="overlap"):
        cipher.xor(bytes(12), buffer[:100], out=buffer[50:150])
    assert not buffer.any()
