"""Programs compiled while Python runs, as functions over arrays of instances."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from . import _arrays, _native


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel.

    `shape` are the dimensions of one instance, in words; `width` the bits of a word; `uniform` says that all instances share
    it: a `const` input.
    """

    name: str
    shape: tuple[int, ...]
    width: int
    uniform: bool

    @property
    def itemsize(self) -> int:
        """Bytes of the smallest unsigned type that holds a word."""
        return next(size for size in (1, 2, 4, 8) if self.width <= 8 * size)

    @property
    def dtype(self) -> Any:
        """That type, of NumPy. Raises `ImportError` where NumPy is not installed."""
        import numpy

        return numpy.dtype(f"u{self.itemsize}")


class Kernel:
    """A compiled node: call it with its inputs, in the order of `inputs`.

    An input that is not uniform is an array of integers of shape `(n, *shape)` for n instances, a uniform one of shape
    `shape`. Results have shape `(n, *shape)`; several are a tuple. Words are numbers: a word of 16 bits is 0 to 65,535.
    """

    def __init__(self, native: _native.Kernel) -> None:
        self._native = native
        self.inputs = [Parameter(name, tuple(shape), width, uniform) for name, shape, width, uniform in native.inputs]
        self.outputs = [Parameter(name, tuple(shape), width, uniform) for name, shape, width, uniform in native.outputs]

    @property
    def instances(self) -> int:
        """How many instances are computed at a time; any number may be asked for."""
        return self._native.instances

    @property
    def source(self) -> str:
        """The C."""
        return self._native.source

    @property
    def slicing(self) -> str:
        """The slicing: `b`, `v`, `h`, `v2` …"""
        return self._native.slicing

    @property
    def target(self) -> str:
        """The target: `gp64`, `avx2` …"""
        return self._native.target

    def __repr__(self) -> str:
        ports = ", ".join(f"{one.name}: u{one.width}{list(one.shape) or ''}" for one in self.inputs)
        return f"<usuba.Kernel ({ports}), slicing {self.slicing}, {self.target}, {self.instances} instances>"

    def __call__(self, *inputs: Any) -> Any:
        """The outputs for arrays of inputs: one array, or a tuple of them if the node has several.

        Raises `TypeError` for another number of inputs or arrays that are not of integers, `ValueError` for shapes other
        than those above, inputs with different numbers of instances, and words that are negative or too large.
        """
        if len(inputs) != len(self.inputs):
            names = ", ".join(one.name for one in self.inputs)
            raise TypeError(f"{len(self.inputs)} inputs are needed ({names}), not {len(inputs)}")
        arrays: list[Any] = []
        count: int | None = None
        for given, parameter in zip(inputs, self.inputs):
            words = _arrays.read(given, parameter.name)
            batch = () if parameter.uniform else words.shape[:1]
            if words.shape[len(batch) :] != parameter.shape or (not parameter.uniform and not words.shape):
                wanted = parameter.shape if parameter.uniform else ("n", *parameter.shape)
                raise ValueError(f"{parameter.name} must have the shape {wanted}, not {words.shape}".replace("'", ""))
            if batch:
                if count not in (None, batch[0]):
                    raise ValueError(f"{parameter.name} has {batch[0]} instances, others have {count}")
                count = batch[0]
            if words.least < 0 or words.most >> parameter.width:
                raise ValueError(f"{parameter.name} has words that are not of {parameter.width} bits")
            arrays.append(words.buffer)
        # Without inputs that vary, all instances are the same one.
        count = 1 if count is None else count
        results = tuple(
            _arrays.made(words, parameter.itemsize, (count, *parameter.shape))
            for words, parameter in zip(self._native.run(arrays, count), self.outputs)
        )
        return results[0] if len(results) == 1 else results


def compile(
    source: str | os.PathLike[str],
    *,
    slicing: str = "auto",
    target: str = "native",
    entry: str | None = None,
    word: int | None = None,
) -> Kernel:
    """Compiles a node of an Usuba program with the C compiler of the system, and returns it as a function over arrays.

    - `source`: the text of the program, or a path object to a file.
    - `slicing`: `"b"` (a bit of each instance in a register), `"v"` (a word), `"h"` (the bits of a word side by side), or
      `"v2"` … `"v16"` for words of one instance side by side. `"auto"` takes of the first three the one whose code needs the
      fewest cycles, by the ports of the target; it does not change the function or the shapes of arrays.
    - `target`: a machine, such as `"gp64"` or `"avx2"`; `"native"` for the widest that this one runs.
    - `entry`: the node; the last definition if it is left out.
    - `word`: the bits of words whose size the program leaves open.

    Raises `CompileError` with the place and the rule if the program is wrong, or the slicing or target have no code for it,
    or there is no C compiler; `ValueError` for a slicing or target that does not exist.

    >>> mix = compile("node Mix (a:u32, b:u32) returns (c:u32) let c = (a <<< 7) ^ b tel")
    >>> [hex(word) for word in mix([1, 2], [0, 1])]
    ['0x80', '0x101']
    """
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"source must be a text or a path object, not {type(source).__name__}")
    path = not isinstance(source, str)
    return Kernel(_native.compile(os.fspath(source), path, slicing, target, entry, word))
