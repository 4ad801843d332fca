"""Names of compiled kernels."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

#: Pattern of kernel names that PTX and the assembler for AMD GPUs accept.
_SYMBOL = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")


class KernelSpecialization(NamedTuple):
    """A kernel and its specialization: the argument of `repr` of `@hocket.jit`, and part of events of hocket.hooks."""

    fn: Any
    #: The type of each parameter, such as "*f32" or "i32"; "constexpr" for a constant.
    signature: dict[str, str]
    #: The value of each constant parameter.
    constants: dict[str, Any]


def symbol_of(function: Any, types: list, values: list) -> str:
    """Returns the name of the compiled kernel for a specialization of `function`. Raises TypeError if `repr` returns an
    invalid name."""
    if function.repr is None:
        return function.__name__
    symbol = function.repr(specialization_of(function, types, values))
    if not (isinstance(symbol, str) and _SYMBOL.fullmatch(symbol)):
        raise TypeError(
            f"repr of {function.__name__} returns {symbol!r}\n"
            "  hint: the name of a kernel consists of letters, digits and _, and does not begin with a digit"
        )
    return symbol


def specialization_of(function: Any, types: list, values: list) -> KernelSpecialization:
    """Returns the specialization for arguments of `types` and `values`, in the form that the launch path passes."""
    signature, constants = {}, {}
    for parameter, type, value in zip(function.parameters, types, values, strict=True):
        signature[parameter.name] = _type_text(type)
        if type is None:
            constants[parameter.name] = value
    return KernelSpecialization(function, signature, constants)


def _type_text(type: Any) -> str:
    """Returns the text of a type, without properties of the argument's value such as its divisibility."""
    if isinstance(type, tuple):
        return f"({', '.join(map(_type_text, type))})"
    return "constexpr" if type is None else type.partition(":")[0]
