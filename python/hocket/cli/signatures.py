"""Parses signatures: the types of the parameters of a kernel in a command line."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from .kernel_files import UsageError, example_signature

#: Description of signatures for the help of commands.
SIGNATURE_HELP = """\
SIGNATURE, the types of the parameters that are not constexprs, in order:
  i1 i8 i16 i32 i64 u8 u16 u32 u64 f8e5 f8e4nv f16 bf16 f32 f64
  *f32     a pointer whose address is a multiple of 16 bytes, as allocators return
  *f32:4   a pointer whose address is only known to be a multiple of this smaller power of two
  i32:16   an integer that is a multiple of 16
  i32=1    an integer that is always 1
  None     a parameter that is None
  tensordesc<f16[128x64]>     a descriptor for TMA whose blocks have this shape, with the widest swizzle
  tensordesc<f16[128x64],32>  a descriptor with a swizzle of 0, 32, 64 or 128 bytes
"""

_DESCRIPTOR = re.compile(r"tensordesc<\s*(?P<type>\w+)\[(?P<shape>\d+(x\d+)*)\]\s*(,\s*(?P<swizzle>\d+)\s*)?>")


class BoundSignature(NamedTuple):
    """The parameters of a kernel in the form in which a launch passes them to the compiler. `descriptors`: a
    TensorDescriptor for each parameter with a descriptor, by name."""

    types: list[str | None]
    values: list[Any]
    descriptors: dict[str, Any]


def bind_signature(kernel: Any, signature: str, constexprs: dict[str, Any]) -> BoundSignature:
    """Returns the types and values of the kernel's parameters."""
    entries = divided(signature)
    types: list[str | None] = []
    values: list[Any] = []
    descriptors: dict[str, Any] = {}
    unknown = set(constexprs) - set(kernel.arg_names)
    if unknown:
        raise UsageError(f"{kernel.__name__} has no parameter {', '.join(sorted(unknown))}")
    remaining = iter(entries)
    for parameter in kernel.parameters:
        if parameter.name in constexprs or parameter.is_constexpr:
            if parameter.name not in constexprs and not parameter.has_default:
                raise UsageError(
                    f"{kernel.__name__} needs a value for {parameter.name}: --constexpr {parameter.name}=..."
                )
            types.append(None)
            values.append(constexprs.get(parameter.name, parameter.default))
            continue
        entry = next(remaining, None)
        if entry is None:
            names = [p.name for p in kernel.parameters if p.name not in constexprs and not p.is_constexpr]
            raise UsageError(
                f"--signature has {len(entries)} types for the parameters {', '.join(names)}\n"
                f"  hint: for example --signature '{example_signature(kernel, names, '*f32', 'i32')}'"
            )
        if entry.startswith("tensordesc"):
            descriptor = _descriptor(entry)
            descriptors[parameter.name] = descriptor
            value = descriptor._launch_arguments[0]
            type_: str | None = str(value)
        else:
            type_, value = _parse_type(entry)
        types.append(type_)
        values.append(value)
    if left := list(remaining):
        raise UsageError(f"--signature has {len(left)} types too many: {', '.join(left)}")
    return BoundSignature(types, values, descriptors)


def divided(text: str) -> list[str]:
    """Divides a text at the commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for i, character in enumerate(text):
        depth += {"[": 1, "<": 1, "]": -1, ">": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return [*parts, text[start:].strip()] if text.strip() else []


def _parse_type(entry: str) -> tuple[str | None, Any]:
    from .. import _core

    if entry == "None":
        return None, None
    if entry.startswith("*") and ":" not in entry:
        entry += ":16"
    try:
        _core.check_signature(entry)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if "=" in entry:
        return None, int(entry.partition("=")[2])
    return entry, None


def _descriptor(entry: str) -> Any:
    """Returns a TensorDescriptor of an array with one block."""
    found = _DESCRIPTOR.fullmatch(entry)
    if found is None:
        raise UsageError(f"{entry}: write a descriptor as tensordesc<f16[128x64]>")
    import numpy as np

    from ..language._layouts.nvidia import NVMMASharedLayout
    from ..nvidia.hopper import TensorDescriptor
    from .kernel_arguments import dtype_of

    block = list(map(int, found["shape"].split("x")))
    array = np.empty(block, dtype_of(found["type"], entry))
    try:
        if found["swizzle"] is None:
            from .. import _core

            layout = NVMMASharedLayout.get_default_for(block, _core.array_memory(array)[0])
        else:
            layout = NVMMASharedLayout(int(found["swizzle"]), 8 * array.itemsize, len(block))
        return TensorDescriptor.from_tensor(array, block, layout)
    except (ValueError, TypeError) as error:
        raise UsageError(f"{entry}: {error}") from None
