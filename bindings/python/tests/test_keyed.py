"""XTS and GMAC: the package `cryptography`, and what is refused."""

import numpy
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import usuba

PRIMITIVES = usuba.primitives()
UNITS = [name for name in PRIMITIVES.get("unit-cipher", {}) if name.startswith(("aes-128", "aes-256"))]
MACS = [name for name in PRIMITIVES.get("nonce-mac", {}) if name.startswith("aes")]


@pytest.fixture(params=["gp64", None])
def any_target(request):
    usuba.set_target(request.param)
    yield usuba.target()
    usuba.set_target(None)


def test_there_are_some():
    assert len(UNITS) == 2 and len(MACS) == 3


@pytest.mark.parametrize("name", UNITS)
def test_units(name, any_target):
    key = bytes(range(PRIMITIVES["unit-cipher"][name]["key"]))
    cipher = usuba.UnitCipher(name, key)
    assert (cipher.name, cipher.key_size) == (name, len(key))
    random = numpy.random.default_rng(3)
    for length in [16, 17, 31, 32, 33, 512, 1000]:
        for unit in [0, 1, 2**64, 2**128 - 1]:
            plain = random.bytes(length)
            peer = Cipher(algorithms.AES(key), modes.XTS(unit.to_bytes(16, "little"))).encryptor()
            secret = cipher.encrypt(unit, plain)
            assert secret == peer.update(plain) + peer.finalize()
            data = bytearray(secret)
            assert cipher.decrypt(unit, data, data) is data and data == plain
    with pytest.raises(ValueError):
        cipher.encrypt(0, bytes(15))
    with pytest.raises(OverflowError):
        cipher.encrypt(2**128, bytes(16))
    with pytest.raises(ValueError):
        usuba.UnitCipher(name, key[1:])


@pytest.mark.parametrize("name", MACS)
def test_nonce_macs(name, any_target):
    sizes = PRIMITIVES["nonce-mac"][name]
    key = bytes(range(sizes["key"]))
    mac = usuba.NonceMac(name, key)
    assert (mac.key_size, mac.nonce_size, mac.tag_size) == (len(key), 12, 16)
    random = numpy.random.default_rng(4)
    for length in [0, 1, 15, 16, 17, 1000]:
        nonce, data = random.bytes(12), random.bytes(length)
        tag = mac.tag(nonce, data)
        assert tag == AESGCM(key).encrypt(nonce, b"", data)
        mac.verify(nonce, data, tag)
        with pytest.raises(usuba.TagError):
            mac.verify(nonce, data, bytes([tag[0] ^ 1]) + tag[1:])
    with pytest.raises(ValueError):
        mac.tag(b"", b"")
    with pytest.raises(ValueError):
        mac.verify(bytes(12), b"", bytes(15))
