"""Element types of bundles, by their names in signatures."""

from __future__ import annotations

import re
import struct
from typing import NamedTuple


class ElementType(NamedTuple):
    #: Name of the dtype in NumPy, ml_dtypes and PyTorch.
    array_name: str
    size_bytes: int
    #: Type of a scalar in C; "" if kernels cannot take scalars of this type.
    c_name: str
    #: Format of a scalar in Python's module `struct`.
    pack: str


ELEMENT_TYPES = {
    "i1": ElementType("bool", 1, "uint8_t", "B"),
    "i8": ElementType("int8", 1, "int8_t", "b"),
    "i16": ElementType("int16", 2, "int16_t", "h"),
    "i32": ElementType("int32", 4, "int32_t", "i"),
    "i64": ElementType("int64", 8, "int64_t", "q"),
    "u8": ElementType("uint8", 1, "uint8_t", "B"),
    "u16": ElementType("uint16", 2, "uint16_t", "H"),
    "u32": ElementType("uint32", 4, "uint32_t", "I"),
    "u64": ElementType("uint64", 8, "uint64_t", "Q"),
    "f8e5": ElementType("float8_e5m2", 1, "", ""),
    "f8e4nv": ElementType("float8_e4m3fn", 1, "", ""),
    "f8e5b16": ElementType("float8_e5m2fnuz", 1, "", ""),
    "f8e4b8": ElementType("float8_e4m3fnuz", 1, "", ""),
    "f16": ElementType("float16", 2, "", ""),
    "bf16": ElementType("bfloat16", 2, "", ""),
    "f32": ElementType("float32", 4, "float", "f"),
    "f64": ElementType("float64", 8, "double", "d"),
}
#: Short name of an element type by the name of the dtype in NumPy, ml_dtypes and PyTorch.
BY_ARRAY_NAME = {kind.array_name: name for name, kind in ELEMENT_TYPES.items()}


def short_name(dtype: object) -> str:
    """Returns the short name of a dtype of NumPy, ml_dtypes, PyTorch or CuPy; the dtype's own name if kernels do not
    support it."""
    name = str(dtype).removeprefix("torch.")
    return BY_ARRAY_NAME.get(name, name)


def scalar_bits(type_: str, value: object) -> int:
    """Returns the bits of a scalar argument, in the lowest bytes. Raises ValueError if `value` does not fit `type_`."""
    kind = ELEMENT_TYPES[type_]
    try:
        if kind.pack in "fd":
            number: int | float = float(value)  # type: ignore[arg-type]
        else:
            is_bool = type_ == "i1" and type(value).__name__ in ("bool", "bool_")  # NumPy's bool has no __index__
            number = int(bool(value)) if is_bool else value.__index__()  # type: ignore[attr-defined]
            if type_ == "i1" and number not in (0, 1):
                raise ValueError
        packed = struct.pack("<" + kind.pack, number)
    except (struct.error, TypeError, AttributeError, ValueError, OverflowError):
        raise ValueError(f"{value!r} is not a number of type {type_}") from None
    return int.from_bytes(packed, "little")


def identifier(name: str) -> str:
    """Returns `name` as an identifier of C."""
    text = re.sub(r"\W+", "_", name).strip("_") or "kernel"
    return f"k_{text}" if text[0].isdigit() else text
