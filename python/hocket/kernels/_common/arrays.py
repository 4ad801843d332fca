"""Properties of NumPy arrays and PyTorch tensors that the host side of kernels needs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from ... import devices, emulator
from ...errors import LaunchError
from ...runtime import places

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class ArrayFacts(NamedTuple):
    """Shape, strides in elements, and dtype by NumPy's name ("float16", "bfloat16", "float8_e4m3fn")."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    element_bits: int


def facts_of(array: Any, name: str) -> ArrayFacts:
    """Returns the ArrayFacts of an array. Raises a LaunchError if `array` is not an array; `name` names the argument in
    the message."""
    if isinstance(array, type) or not (hasattr(array, "dtype") and hasattr(array, "shape")):
        article = "a" if type(array).__name__[0] not in "aeio" else "an"
        raise LaunchError(
            f"{name} is {article} {type(array).__name__}, not an array\n  hint: pass a NumPy array or a PyTorch tensor"
        )
    if hasattr(array, "mask") and hasattr(array, "filled"):
        raise LaunchError(
            f"{name} is a masked array, whose mask would be ignored\n  hint: fill it first: array.filled(0)"
        )
    if hasattr(array, "stride") and callable(array.stride):  # PyTorch
        name = str(array.dtype).removeprefix("torch.")
        return ArrayFacts(tuple(array.shape), tuple(array.stride()), name, 8 * array.element_size())
    itemsize = array.dtype.itemsize
    return ArrayFacts(array.shape, tuple(s // itemsize for s in array.strides), array.dtype.name, 8 * itemsize)


def empty_like(array: Any, shape: Sequence[int], dtype: str) -> Any:
    """Returns a new uninitialized array of the same library, on the same device."""
    return maker_of_empty(array, shape, dtype)(array)


def zeros_like(array: Any, shape: Sequence[int], dtype: str) -> Any:
    """Returns a new array of zeros of the same library, on the same device."""
    zeros = empty_like(array, shape, dtype)
    zeros[...] = 0
    return zeros


def maker_of_empty(array: Any, shape: Sequence[int], dtype: str) -> Callable[[Any], Any]:
    """Returns a function that returns what `empty_like` returns for arrays like `array`. The dtype and the library are
    resolved once, before the first call of the returned function."""
    shape = tuple(shape)
    if hasattr(array, "hocket_empty"):  # an array without contents: runtime/traced_calls.py
        kind = _numpy_dtype(dtype)
        return lambda like: like.hocket_empty(shape, kind)
    if hasattr(array, "new_empty"):  # PyTorch
        import torch

        torch_dtype = getattr(torch, dtype, None) if isinstance(dtype, str) else dtype
        if not isinstance(torch_dtype, torch.dtype):
            raise _no_dtype(dtype)
        if shape == tuple(array.shape) and torch_dtype == array.dtype:
            if tuple(array.stride()) == _contiguous_strides(shape):
                return torch.empty_like
            contiguous = torch.contiguous_format
            return lambda like: torch.empty_like(like, memory_format=contiguous)
        if not shape:
            return lambda like: like.new_empty((), dtype=torch_dtype)
        # PyTorch parses sizes that are separate arguments faster than a tuple.
        return lambda like: like.new_empty(*shape, dtype=torch_dtype)
    import numpy as np

    kind = _numpy_dtype(dtype)
    return lambda like: np.empty(shape, kind)


def _numpy_dtype(dtype: Any) -> Any:
    """Returns the dtype of NumPy or ml_dtypes. Raises LaunchError if there is none."""
    import numpy as np

    try:
        return np.dtype(dtype)
    except (TypeError, ValueError):
        import ml_dtypes

        if not isinstance(dtype, str) or not isinstance(named := getattr(ml_dtypes, dtype, None), type):
            raise _no_dtype(dtype) from None
        return np.dtype(named)


def _contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Returns PyTorch's strides of a new contiguous tensor, in elements."""
    sizes = [max(size, 1) for size in shape]
    return tuple(math.prod(sizes[dimension + 1 :]) for dimension in range(len(shape)))


def _no_dtype(name: Any) -> LaunchError:
    return LaunchError(
        f"there is no dtype {name!r}\n  hint: NumPy's names are float32, float16, bfloat16, float8_e4m3fn, ..."
    )


def gpu_of(array: Any) -> devices.DeviceProperties | None:
    """Returns the GPU that holds `array`; None if launches with the array run in the emulator."""
    properties = devices.properties(array)
    return properties if properties.is_gpu else None


def target_of(array: Any) -> str:
    """Returns the target on which a launch with `array` runs."""
    return emulator.current_target() if (gpu := gpu_of(array)) is None else gpu.target


def check_target(kernel: str, target: str, supported: Sequence[str]) -> None:
    """Raises a LaunchError that lists the supported targets, unless `kernel` supports `target`."""
    if not isinstance(target, str) or target not in supported:
        hint = places.hint_for_target(target)
        raise LaunchError(f"{kernel} has no kernel for {target} yet; it is written for {', '.join(supported)}{hint}")
