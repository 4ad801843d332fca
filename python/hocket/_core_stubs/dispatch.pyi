"""Launches: csrc/bindings/dispatch."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from hocket.language._dtype import dtype
from hocket.runtime.compiled import CompiledKernel

T = TypeVar("T")

class LaunchChoice:
    """A value of a LaunchSetting, in effect until it is passed to `reset`."""

class LaunchSetting(Generic[T]):
    """A setting that `with` blocks choose for the launches inside; see csrc/bindings/dispatch/Setting.h."""

    def __init__(self, name: str, default: T) -> None: ...
    def set(self, value: T) -> LaunchChoice: ...
    def reset(self, choice: LaunchChoice) -> None: ...
    def get(self) -> T:
        """The choice of this thread or task, otherwise that of the other threads. Raises
        hocket.runtime.launch_settings.Disagreement if these differ."""

    def get_if_agreed(self) -> T:
        """Like `get`, but returns the default if the other threads differ."""

class PixelBox:
    """The pixels of each image that im2col covers. The outermost dimension of an image comes first."""

    def __init__(self, lower_corner: Sequence[int], upper_corner: Sequence[int], steps: Sequence[int]) -> None: ...

class LaunchDescriptor:
    """The form of a `TensorDescriptor` that a launch uses, stored in its `_launch_descriptor`.

    `shape`, `strides` (in elements) and `box` start with the outermost dimension. For im2col, `box` is pixels and
    channels.
    """

    def __init__(
        self,
        base: Any,
        specialization: Any,
        shape: Sequence[int],
        strides: Sequence[int],
        box: Sequence[int],
        swizzle_bytes: int,
        fills_nan: bool,
        rounds_to_tf32: bool,
        pixels: PixelBox | None = None,
    ) -> None: ...

def array_memory(base: Any) -> tuple[dtype, int, int | None]:
    """Returns the element type and the address of an array, and the bytes from there to its end if known."""

class LaunchFunction:
    """Base class of JITFunction: `self[grid]` is a callable that launches.

    For a new specialization, it calls `self._compile(types, values, options, place)`, whose result has the attributes
    `_device_kernel` (a DeviceKernel or None) and `_used_globals`.
    """

    def __getitem__(self, grid: Any) -> Callable[..., Any]: ...
    def warmup(self, *args: Any, grid: Any = None, target: str | None = None, **kwargs: Any) -> CompiledKernel: ...
    def _configure(
        self,
        name: str,
        parameters: Sequence[tuple[str, int, bool, Any, Any]],
        options: Sequence[tuple[str, Any]],
        positional_count: int,
        var_args: int,
        constexpr_class: type,
        constant_types: tuple[type, ...],
    ) -> None: ...
    def _specialize(self, *args: Any, **kwargs: Any) -> Any: ...
    def _forget(self) -> None: ...
