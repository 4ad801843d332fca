"""Classes and functions that launch kernels (csrc/bindings/dispatch)."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from hocket.language._dtype import dtype
from hocket.runtime.compiled import CompiledKernel

T = TypeVar("T")

class LaunchChoice:
    """A value that `LaunchSetting.set` has set. The value applies until the LaunchChoice is passed to `reset`."""

class LaunchSetting(Generic[T]):
    """A setting that `with` blocks choose for the launches inside; see csrc/bindings/dispatch/Setting.h."""

    def __init__(self, name: str, default: T) -> None: ...
    def set(self, value: T) -> LaunchChoice: ...
    def reset(self, choice: LaunchChoice) -> None: ...
    def get(self) -> T:
        """Returns the value that this thread or task has set, otherwise the value that the other threads have set,
        otherwise the default. Raises hocket.runtime.launch_settings.Disagreement if the other threads have set
        different values."""

    def get_if_agreed(self) -> T:
        """Works like `get`, but returns the default if the other threads have set different values."""

class PixelBox:
    """The box of pixels that im2col reads from each image. Coordinates begin with the outermost dimension of an
    image."""

    def __init__(self, lower_corner: Sequence[int], upper_corner: Sequence[int], steps: Sequence[int]) -> None: ...

class LaunchDescriptor:
    """The representation of a `TensorDescriptor` in launches. Its attribute `_launch_descriptor` contains this object.

    `shape`, `strides` (in elements) and `box` start with the outermost dimension. For im2col, `box` is (number of
    pixels, number of channels).
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

class FormedDescriptor:
    """The result of `DescriptorForm.on`: an argument of launches."""

class DescriptorForm:
    """Base class of hocket.nvidia.hopper.DescriptorForm; see csrc/bindings/dispatch/DescriptorForm.h."""

    def __init__(self, descriptor: Any) -> None: ...
    def on(self, base: Any) -> FormedDescriptor: ...
    def __len__(self) -> int: ...

class LaunchCache:
    """Base class of hocket.launch_cache.LaunchCache; see csrc/bindings/dispatch/LaunchCache.cpp.

    `form_of(array, alignment)` returns a tuple of the properties of an array. The first one is the ordinal of the
    array's GPU, or -1. `current_target()` returns the target of the emulator.
    """

    def __init__(
        self,
        prepare: Callable[..., Callable[..., Any]],
        alignment: int,
        most_forms: int,
        form_of: Callable[[Any, int], tuple[Any, ...]],
        current_target: Callable[[], str],
        /,
    ) -> None: ...
    def find(self, arrays: tuple[Any, ...], settings: tuple[Any, ...], /) -> Callable[..., Any]: ...
    def clear(self) -> None: ...
    def __len__(self) -> int: ...

def array_memory(base: Any) -> tuple[dtype, int, int | None]:
    """Returns the element type and the address of an array, and the number of bytes from the address to the end of the
    array; None if this number is unknown."""

class LaunchFunction:
    """Base class of JITFunction. `self[grid]` returns a function that launches the kernel.

    For a new specialization, a launch calls `self._compile(types, values, options, place)`. The result must have the
    attributes `_device_kernel` (a DeviceKernel or None) and `_used_globals`.
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
