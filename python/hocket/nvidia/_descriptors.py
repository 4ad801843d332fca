"""Base classes of tensor descriptors, and checks of TMA's requirements."""

from __future__ import annotations

from typing import Any

from .. import _core
from ..language._dtype import dtype
from ..language._layouts.calls import check_arguments
from ..language._layouts.checks import part_of_block
from ..language._layouts.nvidia import NVMMASharedLayout

#: Largest number of elements that one TMA instruction copies along each dimension.
_MOST_BOX_SIZE = 256
#: Granularity of TMA: addresses, strides and rows of a block are multiples of 16 bytes.
_PIECE_BYTES = 16
_MOST_STRIDE_BYTES = 1 << 40
_PADDINGS = ("zero", "nan")
_HINT_OF_LAYOUT = "gl.NVMMASharedLayout.get_default_for(block_shape, dtype) has the widest swizzle that fits"


class DescriptorType:
    """The type of a descriptor. A kernel is specialized to the types of its descriptors. Equal types are one
    DescriptorType object."""

    __slots__ = ("block_shape", "dtype", "im2col", "layout")

    def __init__(self, dtype: dtype, block_shape: list[int], layout: NVMMASharedLayout, im2col: int):
        self.dtype = dtype
        self.block_shape = block_shape
        self.layout = layout
        self.im2col = im2col  #: number of dimensions of a tensor that is read by im2col; 0 for other tensors

    @classmethod
    def of(cls, dtype: dtype, block_shape: list[int], layout: NVMMASharedLayout, im2col: int = 0) -> DescriptorType:
        key = (dtype, tuple(block_shape), layout, im2col)
        return _known_types.setdefault(key, cls(dtype, list(block_shape), layout, im2col))

    def __repr__(self) -> str:
        name = f"tensordesc_im2col{self.im2col}d" if self.im2col else "tensordesc"
        return f"{name}<{self.dtype.name}{self.block_shape}, {self.layout}>"


_known_types: dict[tuple, DescriptorType] = {}


class Description:
    """Base class of descriptors of a tensor and its blocks. Subclasses are dataclasses with the fields that this class
    declares."""

    base: Any
    shape: list[int]
    strides: list[int]
    block_shape: list[int]
    layout: NVMMASharedLayout
    padding: str
    round_f32_to_tf32: bool
    _launch_arguments: tuple
    _launch_descriptor: _core.LaunchDescriptor

    def __new__(cls, *args: Any, **kwargs: Any):
        if args or kwargs:
            check_arguments(cls, args, kwargs)
        return super().__new__(cls)

    def _error(self, message: str, hint: str = "") -> ValueError:
        return ValueError(f"{type(self).__name__}: {message}" + (f"\n  hint: {hint}" if hint else ""))

    def _take_lists(self, *names: str) -> None:
        """Converts the fields `names` to lists of ints."""
        for name in names:
            values = getattr(self, name)
            try:
                integers = [value.__index__() for value in values]
            except (AttributeError, TypeError):
                raise self._error(f"{name} must be a list of ints, got {values!r}") from None
            object.__setattr__(self, name, integers)

    def _launch_with(
        self, specialization: DescriptorType, box: list[int], pixels: _core.PixelBox | None = None
    ) -> None:
        """Makes and stores the LaunchDescriptor, which launches of kernels use."""
        arguments = (
            specialization,
            self.shape,
            self.strides,
            box,
            self.layout.swizzle_byte_width,
            self.padding == "nan",
            bool(self.round_f32_to_tf32),
            pixels,
        )
        object.__setattr__(self, "_launch_arguments", arguments)
        object.__setattr__(self, "_launch_descriptor", _core.LaunchDescriptor(self.base, *arguments))

    def _box(self, element: dtype) -> list[int]:
        """Returns the sizes of the box that one TMA instruction copies. The box is contiguous in shared memory, has at
        most 256 elements along each dimension, and is as wide as the swizzle if the layout has one."""
        box = self._part()
        columns = self.layout.swizzle_byte_width * 8 // element.primitive_bitwidth
        if columns:
            box[-1] = columns
        is_split = False
        for dim in reversed(range(len(box))):
            whole = box[dim]
            box[dim] = 1 if is_split else min(whole, _MOST_BOX_SIZE)
            is_split = is_split or box[dim] < whole
        return box

    def _part(self) -> list[int]:
        """Returns the sizes of the part of a block that each CTA of a cluster copies."""
        return part_of_block(self.block_shape, self.layout.cga_layout)

    def _check_layout(self, rank: int, of: str) -> None:
        if self.layout is None:
            raise self._error("layout is missing: pass the layout of the tiles in shared memory", _HINT_OF_LAYOUT)
        if not isinstance(self.layout, NVMMASharedLayout):
            raise self._error(
                f"layout must be an NVMMASharedLayout, got {self.layout!r}",
                _HINT_OF_LAYOUT,
            )
        if self.layout.rank != rank:
            raise self._error(f"layout has rank {self.layout.rank}, but the {of} has rank {rank}")

    def _check_options(self, element: dtype) -> None:
        if not isinstance(self.round_f32_to_tf32, bool):
            raise self._error(f"round_f32_to_tf32 must be True or False, got {kind_of(self.round_f32_to_tf32)}")
        if not isinstance(self.padding, str) or self.padding not in _PADDINGS:
            raise self._error(f'padding must be "zero" or "nan", got {self.padding!r}')
        if self.padding == "nan" and not (element.is_floating() and element.primitive_bitwidth >= 16):
            raise self._error(f'padding "nan" needs floats of 16 bits or more, and `base` has elements of {element}')
        if self.round_f32_to_tf32 and element.name != "float32":
            raise self._error(f"round_f32_to_tf32 needs an array of float32, and `base` has elements of {element}")

    def _check_tensor(self, element: dtype, address: int, reach: int | None) -> None:
        if address % _PIECE_BYTES:
            raise self._error(
                f"the address of base must be a multiple of {_PIECE_BYTES} bytes, but is {address % _PIECE_BYTES} "
                "bytes above one",
                "describe the whole array, and add to the coordinates in the kernel",
            )
        for size in self.shape:
            if not 1 <= size < 1 << 31:
                raise self._error(f"sizes must be 1 to 2^31 - 1, got {size} in shape {self.shape}")
        size_bytes = element.primitive_bitwidth // 8
        described = layout_of(self.base)
        if described and self.strides != described[1] == [stride // size_bytes for stride in self.strides]:
            raise self._error(
                f"strides are counted in elements, not in bytes: got {self.strides}", f"write {described[1]}"
            )
        if any(stride < 0 for stride in self.strides):
            raise self._error(
                f"a stride is negative in {self.strides}: TMA reads rows in ascending order",
                "describe a copy of the array, or the array itself with reversed coordinates",
            )
        if self.strides[-1] != 1:
            raise self._error(
                f"the last stride must be 1, got {self.strides[-1]} in {self.strides}",
                "describe the transposed array, and permute the tiles in shared memory",
            )
        for stride in self.strides[:-1]:
            if not 0 <= stride * size_bytes < _MOST_STRIDE_BYTES:
                raise self._error(f"strides must be 0 to 2^40 bytes, got {stride * size_bytes} bytes in {self.strides}")
            if stride * size_bytes % _PIECE_BYTES:
                raise self._error(
                    f"all strides but the last must be multiples of {_PIECE_BYTES} bytes, got {stride} elements of "
                    f"{element} ({stride * size_bytes} bytes) in {self.strides}",
                    "pad the rows of the array",
                )
        last = sum((size - 1) * stride for size, stride in zip(self.shape, self.strides, strict=True))
        if reach is not None and (last + 1) * size_bytes > reach:
            raise self._error(
                f"shape {self.shape} with strides {self.strides} spans {(last + 1) * size_bytes} bytes, but base "
                f"has only {reach}"
            )

    def _check_block(self, element: dtype) -> None:
        part = self._part()
        for size in part:
            if size < 1 or size & (size - 1):
                raise self._error(
                    f"sizes of a block must be powers of two, got {size} in block_shape {self.block_shape}"
                )
        bits = element.primitive_bitwidth
        if self.layout.transposed:
            raise self._error(
                "layout must not be transposed: TMA writes rows of the tensor as rows of the tile",
                "permute the tiles in shared memory: smem.permute([1, 0])",
            )
        row_bytes = part[-1] * bits // 8
        if row_bytes % _PIECE_BYTES:
            raise self._error(
                f"rows of a block must have a multiple of {_PIECE_BYTES} bytes, got {row_bytes} in block_shape "
                f"{self.block_shape} of {element}"
            )
        swizzle = self.layout.swizzle_byte_width
        if row_bytes < swizzle:
            raise self._error(
                f"with a swizzle of {swizzle} bytes, rows of a block need at least that size, got {row_bytes} in "
                f"block_shape {self.block_shape} of {element}",
                "use a narrower swizzle, or wider blocks",
            )


def layout_of(tensor: Any) -> tuple[list[int], list[int]] | None:
    """Returns the shape and the strides, in elements, of a NumPy array or PyTorch tensor; None for other objects."""
    if isinstance(tensor, type):
        return None
    if hasattr(tensor, "stride") and callable(tensor.stride):  # PyTorch
        return list(tensor.shape), list(tensor.stride())
    if hasattr(tensor, "strides") and hasattr(tensor, "dtype"):
        return list(tensor.shape), [stride // tensor.dtype.itemsize for stride in tensor.strides]
    return None


def kind_of(value: Any) -> str:
    return f"{'an' if type(value).__name__[0].lower() in 'aeiou' else 'a'} {type(value).__name__}"
