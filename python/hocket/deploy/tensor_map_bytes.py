"""The bytes of a tensor map that emulated kernels receive: the struct TensorMap of csrc/runtime/TensorMap.h."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from ..errors import LaunchError
from .manifest import TensorMap

_MOST_DIMENSIONS = 5
#: address, stride bytes, sizes, box, rank, element, element bytes, swizzle bytes, fills NaN, is im2col, steps, lower
#: and upper corners.
_FORMAT = struct.Struct("<Q5Q5I5I6B3Bx3h3h")
#: Bytes that launches pass for a tensor map.
_ENCODED_BYTES = 128


def bytes_of_map(given: TensorMap, address: int, sizes: Sequence[int], stride_bytes: Sequence[int]) -> bytes:
    """Returns the bytes of a tensor map for an array at `address`. The innermost dimension comes first."""

    def padded(values: Sequence[int]) -> list[int]:
        return [*values, *[0] * (_MOST_DIMENSIONS - len(values))]

    properties = given.rank, given.element, given.element_bytes, given.swizzle_bytes, int(given.fills_nan)
    packed = _FORMAT.pack(
        address, *padded(stride_bytes), *padded(sizes), *padded(given.box), *properties, 0, 1, 1, 1, *[0] * 6
    )
    return packed.ljust(_ENCODED_BYTES, b"\0")


def map_of_bytes(encoded: bytes) -> tuple[int, TensorMap]:
    """Returns the address and the other properties of a tensor map. Raises LaunchError for im2col."""
    fields = _FORMAT.unpack(encoded[: _FORMAT.size])
    address, stride_bytes, sizes, box = fields[0], fields[1:6], fields[6:11], fields[11:16]
    rank, element, element_bytes, swizzle_bytes, fills_nan, is_im2col = fields[16:22]
    if is_im2col:
        raise LaunchError("an export cannot hold im2col descriptors yet")
    return address, TensorMap(
        element, element_bytes, list(box[:rank]), swizzle_bytes, bool(fills_nan), list(sizes[:rank]),
        list(stride_bytes[:rank]),
    )  # fmt: skip
