"""Reads the arrays that programs pass to bundles: PyTorch tensors, objects with `__cuda_array_interface__`, NumPy
arrays, and addresses."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..errors import LaunchError
from .element_types import ELEMENT_TYPES, short_name
from .manifest import Argument, BundleParameter, TensorMap


class GivenArray(NamedTuple):
    """An array argument. `device` is the ordinal of a GPU, -1 for memory of the host, None for an address without
    properties. The strides are in elements."""

    address: int
    device: int | None
    element: str = ""
    shape: tuple[int, ...] | None = None
    strides: tuple[int, ...] | None = None
    array: Any = None


_elements: dict[Any, str] = {}


def element_of(dtype: Any) -> str:
    """Returns the short name of a dtype, which is a hashable object."""
    found = _elements.get(dtype)
    if found is None:
        found = _elements[dtype] = short_name(dtype)
    return found


def read_array(name: str, given: Any) -> GivenArray:
    """Returns the properties of an argument. Raises LaunchError if `given` is neither an array nor an address."""
    if isinstance(given, int) and not isinstance(given, bool):
        return GivenArray(given, None)
    if hasattr(given, "data_ptr") and hasattr(given, "get_device"):  # PyTorch
        strides = tuple(given.stride()) if hasattr(given, "stride") else None
        return GivenArray(
            given.data_ptr(), given.get_device(), short_name(given.dtype), tuple(given.shape), strides, given
        )
    interface = getattr(given, "__cuda_array_interface__", None)
    device = -1
    if interface is not None:
        device = getattr(getattr(given, "device", None), "id", 0)  # CuPy
    elif (interface := getattr(given, "__array_interface__", None)) is None:
        raise LaunchError(
            f"`{name}` is {_kind(given)}, which is not an array\n  hint: pass a PyTorch or CuPy array on a GPU, an "
            "address, or a NumPy array for the emulator"
        )
    shape = tuple(interface["shape"])
    element = short_name(getattr(given, "dtype", interface["typestr"]))
    strides = interface.get("strides")
    if strides is not None and element in ELEMENT_TYPES:
        strides = tuple(stride // ELEMENT_TYPES[element].size_bytes for stride in strides)
    else:
        strides = contiguous_strides(shape)
    return GivenArray(interface["data"][0] or 0, device, element, shape, strides, given)


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the strides of a contiguous array, in elements."""
    strides = [1]
    for size in reversed(shape[1:]):
        strides.insert(0, strides[0] * size)
    return tuple(strides[: len(shape)])


def check_array(bundle: str, parameter: BundleParameter, given: GivenArray) -> None:
    """Raises LaunchError if an array does not have the properties that the bundle was exported for."""
    name = f"{bundle}: `{parameter.name}`"
    expected = parameter.element_type
    if given.element and given.element != expected:
        raise LaunchError(f"{name} has elements of {given.element}; the bundle was exported for {expected}")
    if given.address % parameter.multiple_of:
        raise LaunchError(
            f"{name} is at an address that is not a multiple of {parameter.multiple_of} bytes, as the bundle was "
            "exported for"
        )
    if parameter.rank and given.shape is not None and len(given.shape) != parameter.rank:
        raise LaunchError(f"{name} has {len(given.shape)} dimensions; the bundle was exported for {parameter.rank}")
    if parameter.rank and given.strides is not None and given.strides[-1] != 1:
        raise LaunchError(
            f"{name} has the strides {list(given.strides)}; the kernel reads it by TMA, so the last one must be 1"
        )
    if parameter.shape is None or given.shape is None:
        return
    if list(given.shape) != parameter.shape:
        raise LaunchError(f"{name} has the shape {list(given.shape)}; the bundle was exported for {parameter.shape}")
    if given.strides is None or parameter.strides is None:
        return
    # The stride of a dimension with one element has no effect.
    for size, stride, wanted in zip(parameter.shape, given.strides, parameter.strides, strict=True):
        if size > 1 and stride != wanted:
            raise LaunchError(
                f"{name} has the strides {list(given.strides)}; the bundle was exported for {parameter.strides}"
            )


def extent_of(argument: Argument, array: GivenArray) -> int:
    """Returns a size or a stride in elements of an array that a kernel reads by TMA."""
    shape, strides = _layout(array)
    return (shape if argument.kind == "shape" else strides)[argument.dimension]


def layout_of_map(given: TensorMap, array: GivenArray | None) -> tuple[Sequence[int], Sequence[int]]:
    """Returns the sizes and the strides in bytes of a tensor map. The innermost dimension comes first."""
    if given.sizes is not None and given.stride_bytes is not None:
        return given.sizes, given.stride_bytes
    assert array
    shape, strides = _layout(array)
    return shape[::-1], [stride * given.element_bytes for stride in strides[::-1]]


def _layout(array: GivenArray) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if array.shape is None:
        raise LaunchError("a kernel reads this array by TMA: pass an array with a shape instead of an address")
    return array.shape, array.strides or contiguous_strides(array.shape)


def current_stream(ordinal: int) -> int:
    """Returns PyTorch's current stream on a GPU; 0, the default stream, if PyTorch is not imported."""
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    if cuda is None or not cuda.is_initialized():
        return 0
    return torch._C._cuda_getCurrentRawStream(ordinal)  # type: ignore[union-attr]  # faster than current_stream


def _kind(value: Any) -> str:
    return f"{'an' if type(value).__name__[0].lower() in 'aeiou' else 'a'} {type(value).__name__}"
