"""Arrays of words, of NumPy where it is installed, else of what Python has: buffers and nested sequences."""

from __future__ import annotations

import array
from typing import Any, NamedTuple

# Formats of integers in buffers, with the order of the bytes of the machine.
_INTEGERS = frozenset("bBhHiIlLqQnN?")


def numpy() -> Any:
    """The module, or nothing if it is not installed."""
    try:
        import numpy as module
    except ImportError:
        return None
    return module


class Words(NamedTuple):
    """An argument: its dimensions, the least and the greatest word, and the words as a buffer of 64 bits each."""

    shape: tuple[int, ...]
    least: int
    most: int
    buffer: Any


def read(given: Any, name: str) -> Words:
    """The words of an argument.

    Raises `TypeError` for what is no array of integers, `ValueError` for a sequence whose rows differ in length.
    """
    library = numpy()
    if library is not None:
        found = library.asarray(given)
        if found.dtype.kind not in "ui" and found.size:
            raise TypeError(f"{name} must be an array of integers, not of {found.dtype}")
        least, most = (int(found.min()), int(found.max())) if found.size else (0, 0)
        return Words(found.shape, least, most, library.ascontiguousarray(found, dtype=library.uint64))
    nested = given
    try:
        view = memoryview(given)
    except TypeError:
        pass
    else:
        if view.format.lstrip("@=") not in _INTEGERS:
            raise TypeError(f"{name} must be an array of integers, not of format {view.format!r}")
        nested = view.tolist()
    flat: list[int] = []
    shape = _flatten(nested, name, flat)
    least, most = (min(flat), max(flat)) if flat else (0, 0)
    # What is out of range is refused for all arrays by the caller.
    return Words(shape, least, most, array.array("Q", (word & 0xFFFF_FFFF_FFFF_FFFF for word in flat)))


def _flatten(nested: Any, name: str, flat: list[int]) -> tuple[int, ...]:
    """Adds the integers of nested sequences to a list, and returns the dimensions."""
    if isinstance(nested, int):
        flat.append(nested)
        return ()
    if isinstance(nested, str) or not hasattr(nested, "__len__") or not hasattr(nested, "__iter__"):
        raise TypeError(f"{name} must be an array of integers, not of {type(nested).__name__}")
    shapes = {_flatten(one, name, flat) for one in nested}
    if len(shapes) > 1:
        raise ValueError(f"{name} has rows of different lengths")
    return (len(nested), *shapes.pop()) if shapes else (0,)


def made(words: bytes, size: int, shape: tuple[int, ...]) -> Any:
    """An array of unsigned words of so many bytes from words of 64 bits: of NumPy, or a `memoryview`, which has no dimensions of
    length 0: it is then an empty one."""
    library = numpy()
    if library is not None:
        return library.frombuffer(words, dtype=library.uint64).reshape(shape).astype(f"u{size}")
    code: Any = {1: "B", 2: "H", 4: "I", 8: "Q"}[size]
    if not words:
        return memoryview(array.array(code))
    view = memoryview(array.array(code, memoryview(words).cast("Q")))
    return view.cast("B").cast(code, shape) if len(shape) > 1 else view
