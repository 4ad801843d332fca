"""Makes arguments for `hocket check` of a kernel, from a signature with sizes:

*f16[64x320]   an array of that shape: normally distributed numbers, integers from 0 to 9, or booleans
i32=64         a number; the type determines how the text is parsed, not how the number is passed
f32=0.5
i1=1           a bool
None
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from .kernel_files import UsageError

#: Maps the name of an element type in signatures to its name in NumPy or ml_dtypes.
_NUMPY = {
    "i1": "bool",
    **{f"{kind}{bits}": f"{name}{bits}" for kind, name in (("i", "int"), ("u", "uint")) for bits in (8, 16, 32, 64)},
    **{f"f{bits}": f"float{bits}" for bits in (16, 32, 64)},
}
_ML_DTYPES = {"bf16": "bfloat16", "f8e5": "float8_e5m2", "f8e4nv": "float8_e4m3fn"}

_ARRAY = re.compile(r"\*(?P<type>\w+)\[(?P<shape>\d+(x\d+)*)\]")
_NUMBER = re.compile(r"(?P<type>\w+)=(?P<value>.+)")


def arguments_of(names: list[str], signature: str, example: str) -> Callable[[], dict[str, Any]]:
    """Returns a function that makes new arguments `names`, with the same values on each call.

    Error messages show `example`, a valid signature.
    """
    entries = [entry.strip() for entry in signature.split(",")] if signature.strip() else []
    if len(entries) != len(names):
        raise UsageError(
            f"--signature has {len(entries)} types for the parameters {', '.join(names)}\n"
            f"  hint: for example --signature '{example}'"
        )
    makers = [_maker(entry, index) for index, entry in enumerate(entries)]
    return lambda: {name: make() for name, make in zip(names, makers, strict=True)}


def _maker(entry: str, seed: int) -> Callable[[], Any]:
    if entry == "None":
        return lambda: None
    if array := _ARRAY.fullmatch(entry):
        kind = dtype_of(array["type"], entry)
        shape = tuple(map(int, array["shape"].split("x")))
        return lambda: _numbers(kind, shape, np.random.default_rng(seed))
    if number := _NUMBER.fullmatch(entry):
        value = _number(number["type"], number["value"], entry)
        return lambda: value
    raise UsageError(
        f"{entry}: to check a kernel, give arrays a shape, as in *f32[64x128], and numbers a value, i32=64"
    )


def dtype_of(name: str, entry: str) -> np.dtype:
    """Returns the dtype of NumPy or ml_dtypes with a name in signatures."""
    if name in _NUMPY:
        return np.dtype(_NUMPY[name])
    if name not in _ML_DTYPES:
        raise UsageError(f"{entry}: unknown type {name}; there are {', '.join([*_NUMPY, *_ML_DTYPES])}")
    try:
        import ml_dtypes
    except ImportError:
        raise UsageError(f"{entry}: arrays of {name} need the package ml_dtypes") from None
    return np.dtype(getattr(ml_dtypes, _ML_DTYPES[name]))


def _numbers(kind: np.dtype, shape: tuple[int, ...], random: np.random.Generator) -> np.ndarray:
    if kind.kind == "b":
        return random.integers(0, 2, shape).astype(kind)
    if kind.kind in "iu":
        return random.integers(0, 10, shape).astype(kind)
    return random.standard_normal(shape, np.float32).astype(kind)


def _number(type_: str, text: str, entry: str) -> bool | int | float:
    kind = dtype_of(type_, entry) if type_ not in _ML_DTYPES else np.dtype(np.float32)
    try:
        if kind.kind == "b":
            return bool(int(text))
        value = int(text) if kind.kind in "iu" else float(text)
    except ValueError:
        raise UsageError(f"{entry}: {text} is not a number of type {type_}") from None
    if kind.kind in "iu" and not np.iinfo(kind).min <= value <= np.iinfo(kind).max:
        raise UsageError(f"{entry}: {text} does not fit {type_}")
    return value


def grid_of(text: str) -> tuple[int, ...]:
    """Parses a grid: `4`, `4,2` or `4,2,1`."""
    try:
        grid = tuple(int(part) for part in text.split(","))
    except ValueError:
        grid = ()
    if not 1 <= len(grid) <= 3 or min(grid) < 1:
        raise UsageError(f"--grid {text}: write one to three positive numbers, as in 4 or 4,2")
    return grid
