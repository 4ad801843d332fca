"""Types of values inside kernels: `x.type`, and the classes for annotations.

The classes of values are never instantiated, because Python does not execute kernels.
"""

from __future__ import annotations

from ._constexpr import unwrap
from ._dtype import dtype as dtype_t

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._layouts import DistributedLayout, SharedLayout


def _checked_element(owner: Any, element_ty: Any) -> dtype_t:
    if isinstance(element_ty, dtype_t):
        return element_ty
    raise ValueError(f"{type(owner).__name__}: element_ty must be a dtype such as gl.float32, got {_shown(element_ty)}")


def _checked_sizes(owner: Any, name: str, sizes: Any) -> list[int]:
    """Returns the sizes as a list of integers. The functions to which the type is passed check the values."""
    if isinstance(sizes, list | tuple) and all(isinstance(size, int) for size in map(unwrap, sizes)):
        return list(map(unwrap, sizes))
    raise ValueError(f"{type(owner).__name__}: {name} must be a list of ints, got {_shown(sizes)}")


def _shown(value: Any) -> str:
    """Returns the text of a value for error messages: the name of a function or class, otherwise the repr. Functions of
    a kernel (PyCapsule) have no name in Python."""
    name = getattr(value, "__name__", None)
    return f"`{name}`" if name else "a function" if type(value).__name__ == "PyCapsule" else repr(value)


class base_type:
    """Base class of the types of values inside a kernel."""


class base_value:
    """Base class of values inside a kernel."""

    def __init__(self, *args: Any, **kwargs: Any):
        raise TypeError(f"gl.{type(self).__name__} values exist only inside @hocket.jit kernels")


class block_type(base_type):
    """The type of a tensor: element type and shape."""

    element_ty: dtype_t
    shape: list[int]

    def __new__(cls, *args: Any, **kwargs: Any):
        from ._layouts.calls import check_arguments  # this module imports dataclasses, which is slow

        if args or kwargs or cls is block_type:
            check_arguments(cls, args, kwargs)
        return super().__new__(cls)

    def __init__(self, element_ty: dtype_t, shape: list[int]):
        self.element_ty = _checked_element(self, element_ty)
        self.shape = _checked_sizes(self, "shape", shape)

    @property
    def scalar(self) -> dtype_t:
        """The type of the elements."""
        return self.element_ty

    @property
    def numel(self) -> int:
        """The number of elements."""
        product = 1
        for size in self.shape:
            product *= size
        return product

    @property
    def nbytes(self) -> int:
        """Number of bytes of all elements in memory."""
        return self.numel * max(self.element_ty.primitive_bitwidth, 8) // 8

    def is_block(self) -> bool:
        """Returns True, because this type is the type of a tensor."""
        return True

    def _key(self) -> tuple:
        return (self.element_ty, (*self.shape,))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, (self.element_ty, self.shape)))})"


class distributed_type(block_type):
    """The type of a tensor including its layout: `x.type` inside a kernel."""

    layout: DistributedLayout

    def __init__(self, element_ty: dtype_t, shape: list[int], layout: DistributedLayout):
        super().__init__(element_ty, shape)
        self.layout = layout

    def _key(self) -> tuple:
        return (*super()._key(), self.layout)

    def __repr__(self) -> str:
        return f"distributed_type({self.element_ty!r}, {self.shape!r}, {self.layout!r})"


class shared_memory_descriptor_type(base_type):
    """The type of a handle to shared memory."""

    def __init__(
        self, element_ty: dtype_t, shape: list[int], layout: SharedLayout, alloc_shape: list[int] | None = None
    ):
        self.element_ty = _checked_element(self, element_ty)
        self.shape = _checked_sizes(self, "shape", shape)
        self.layout = layout
        self.alloc_shape = _checked_sizes(self, "alloc_shape", shape if alloc_shape is None else alloc_shape)

    def _key(self) -> tuple:
        return (self.element_ty, (*self.shape,), self.layout, (*self.alloc_shape,))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"shared_memory_descriptor_type({self.element_ty!r}, {self.shape!r}, {self.layout!r})"


class tuple_type(base_type):
    """The type of a tuple of values."""


class tuple(base_value):
    """A tuple of values, which may have different types."""
