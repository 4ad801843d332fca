"""Tensor descriptors, which kernels on Hopper move tiles by (`gl.nvidia.hopper.tma`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _core
from ..language._dtype import dtype
from ..language.nvidia._layouts import NVMMASharedLayout

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["DescriptorForm", "TensorDescriptor"]

_MOST_DIMENSIONS = 5
_MOST_BLOCK_SIZE = 256
#: TMA moves pieces of so many bytes: what addresses, strides and rows of a block are multiples of.
_PIECE_BYTES = 16
_MOST_STRIDE_BYTES = 1 << 40
_PADDINGS = ("zero", "nan")


class DescriptorType:
    """What kernels are compiled for that are passed a descriptor. One object for each such type."""

    __slots__ = ("block_shape", "dtype", "layout")

    def __init__(self, dtype: dtype, block_shape: list[int], layout: NVMMASharedLayout):
        self.dtype = dtype
        self.block_shape = block_shape
        self.layout = layout

    @classmethod
    def of(cls, dtype: dtype, block_shape: list[int], layout: NVMMASharedLayout) -> DescriptorType:
        key = (dtype, tuple(block_shape), layout)
        return _known_types.setdefault(key, cls(dtype, list(block_shape), layout))

    def __repr__(self) -> str:
        return f"tensordesc<{self.dtype.name}{self.block_shape}, {self.layout}>"


_known_types: dict[tuple, DescriptorType] = {}


@dataclass(frozen=True, eq=False)
class TensorDescriptor:
    """A tensor in global memory, blocks of which a kernel moves to shared memory and back by TMA. Passed to launches.

    In the kernel it is a `gl.nvidia.hopper.tma.tensor_descriptor`. The driver encodes it when it is first passed to a
    kernel on a GPU; keep the object for later launches.

    Args:
        base: an array; its address is a multiple of 16 bytes.
        shape: 1 to 5 sizes of the tensor, outermost first. What a block has outside of it is not written, and read as
            `padding` says.
        strides: in elements; the last is 1, the others are multiples of 16 bytes.
        block_shape: sizes of what is moved at once: powers of two, at most 256. The last has a multiple of 16 bytes,
            and at least as many as the swizzle of `layout` is wide.
        layout: an `NVMMASharedLayout`, not transposed: that of the tiles in shared memory.
        padding: "zero" or "nan" (floats of 16 bits and more).

    Raises:
        ValueError: for what TMA cannot do.
        LaunchError: where `base` is no array.

    Example:
        >>> import numpy as np
        >>> from hocket import language as gl
        >>> x = np.zeros((100, 64), np.float16)
        >>> layout = gl.NVMMASharedLayout.get_default_for([32, 64], gl.float16)
        >>> TensorDescriptor.from_tensor(x, [32, 64], layout).strides
        [64, 1]
    """

    base: Any
    shape: list[int]
    strides: list[int]
    block_shape: list[int]
    layout: NVMMASharedLayout
    padding: str = "zero"
    round_f32_to_tf32: bool = False

    @staticmethod
    def from_tensor(
        tensor: Any,
        block_shape: Sequence[int],
        layout: NVMMASharedLayout,
        padding: str = "zero",
        round_f32_to_tf32: bool = False,
    ) -> TensorDescriptor:
        """A descriptor of all of `tensor`, an array of NumPy's or PyTorch's."""
        if hasattr(tensor, "stride") and callable(tensor.stride):  # PyTorch
            strides = list(tensor.stride())
        elif hasattr(tensor, "strides") and hasattr(tensor, "dtype"):
            strides = [stride // tensor.dtype.itemsize for stride in tensor.strides]
        else:
            raise ValueError(f"TensorDescriptor: from_tensor needs an array with strides, got {_kind_of(tensor)}")
        shape = list(tensor.shape)
        return TensorDescriptor(tensor, shape, strides, list(block_shape), layout, padding, round_f32_to_tf32)

    def __post_init__(self):
        for name in ("shape", "strides", "block_shape"):
            object.__setattr__(self, name, _integers(name, getattr(self, name)))
        element, address, reach = _core.array_memory(self.base)
        self._check_ranks()
        self._check_tensor(element, address, reach)
        self._check_block(element)
        if self.padding not in _PADDINGS:
            raise _error(f'padding must be "zero" or "nan", got {self.padding!r}')
        if self.padding == "nan" and not (element.is_floating() and element.primitive_bitwidth >= 16):
            raise _error(f'padding "nan" needs floats of 16 bits or more, and `base` has elements of {element}')
        if self.round_f32_to_tf32:
            raise NotImplementedError("TensorDescriptor: round_f32_to_tf32 is not supported yet")
        box = [*self.block_shape[:-1], self._columns(element)]
        specialization = DescriptorType.of(element, self.block_shape, self.layout)
        arguments = (
            specialization,
            self.shape,
            self.strides,
            box,
            self.layout.swizzle_byte_width,
            self.padding == "nan",
        )
        object.__setattr__(self, "_launch_arguments", arguments)
        object.__setattr__(self, "_launch_descriptor", _core.LaunchDescriptor(self.base, *arguments))

    def _columns(self, element: dtype) -> int:
        """Elements of a row that one instruction moves: what is beside them lies elsewhere in the tile's memory."""
        return self.layout.swizzle_byte_width * 8 // element.primitive_bitwidth or self.block_shape[-1]

    def _check_ranks(self) -> None:
        rank = len(self.shape)
        if not 1 <= rank <= _MOST_DIMENSIONS:
            raise _error(f"a tensor has 1 to {_MOST_DIMENSIONS} dimensions, got shape {self.shape}")
        for name in ("strides", "block_shape"):
            if len(getattr(self, name)) != rank:
                raise _error(f"{name} must have an entry per dimension, {rank}, got {getattr(self, name)}")
        if not isinstance(self.layout, NVMMASharedLayout):
            raise _error(
                f"layout must be an NVMMASharedLayout, got {self.layout!r}",
                "gl.NVMMASharedLayout.get_default_for(block_shape, dtype) has the widest swizzle that fits",
            )
        if self.layout.rank != rank:
            raise _error(f"layout has rank {self.layout.rank}, but the tensor has rank {rank}")

    def _check_tensor(self, element: dtype, address: int, reach: int | None) -> None:
        if address % _PIECE_BYTES:
            raise _error(
                f"the address of base must be a multiple of {_PIECE_BYTES} bytes, but is {address % _PIECE_BYTES} "
                "bytes above one",
                "describe the whole array, and add to the coordinates in the kernel",
            )
        for size in self.shape:
            if not 1 <= size < 1 << 31:
                raise _error(f"sizes must be 1 to 2^31 - 1, got {size} in shape {self.shape}")
        if self.strides[-1] != 1:
            raise _error(
                f"the last stride must be 1, got {self.strides[-1]} in {self.strides}",
                "describe the transposed array, and permute the tiles in shared memory",
            )
        size_bytes = element.primitive_bitwidth // 8
        for stride in self.strides[:-1]:
            if not 0 <= stride * size_bytes < _MOST_STRIDE_BYTES:
                raise _error(f"strides must be 0 to 2^40 bytes, got {stride * size_bytes} bytes in {self.strides}")
            if stride * size_bytes % _PIECE_BYTES:
                raise _error(
                    f"all strides but the last must be multiples of {_PIECE_BYTES} bytes, got {stride} elements of "
                    f"{element} ({stride * size_bytes} bytes) in {self.strides}",
                    "pad the rows of the array",
                )
        last = sum((size - 1) * stride for size, stride in zip(self.shape, self.strides, strict=True))
        if reach is not None and (last + 1) * size_bytes > reach:
            raise _error(
                f"shape {self.shape} with strides {self.strides} reaches {(last + 1) * size_bytes} bytes far, but base "
                f"ends after {reach}"
            )

    def _check_block(self, element: dtype) -> None:
        for size in self.block_shape:
            if not 1 <= size <= _MOST_BLOCK_SIZE or size & (size - 1):
                raise _error(
                    f"sizes of a block must be powers of two up to {_MOST_BLOCK_SIZE}, got {size} in block_shape "
                    f"{self.block_shape}"
                )
        bits = element.primitive_bitwidth
        if self.layout.element_bitwidth != bits:
            raise _error(
                f"layout is for elements of {self.layout.element_bitwidth} bits, but base has elements of {element}"
            )
        if self.layout.transposed:
            raise _error(
                "layout must not be transposed: TMA writes rows of the tensor as rows of the tile",
                "permute the tiles in shared memory: smem.permute([1, 0])",
            )
        row_bytes = self.block_shape[-1] * bits // 8
        if row_bytes % _PIECE_BYTES:
            raise _error(
                f"rows of a block must have a multiple of {_PIECE_BYTES} bytes, got {row_bytes} in block_shape "
                f"{self.block_shape} of {element}"
            )
        swizzle = self.layout.swizzle_byte_width
        if row_bytes < swizzle:
            raise _error(
                f"with a swizzle of {swizzle} bytes, rows of a block have at least as many, got {row_bytes} in "
                f"block_shape {self.block_shape} of {element}",
                "take a narrower swizzle, or wider blocks",
            )
        rows = 1
        for size in self.block_shape[:-1]:
            rows *= size
        if swizzle and rows < 8:
            raise _error(f"a swizzled block has at least 8 rows, got {rows} in block_shape {self.block_shape}")


class DescriptorForm:
    """What descriptors of arrays of one shape have in common. Checked once, it is put on one array after the other.

    Example:
        >>> import numpy as np
        >>> from hocket import language as gl
        >>> layout = gl.NVMMASharedLayout.get_default_for([32, 64], gl.float16)
        >>> form = DescriptorForm(TensorDescriptor.from_tensor(np.zeros((100, 64), np.float16), [32, 64], layout))
        >>> descriptor = form.on(np.ones((100, 64), np.float16))  # for a launch
    """

    __slots__ = ("_arguments", "_known")

    def __init__(self, descriptor: TensorDescriptor):
        self._arguments = descriptor._launch_arguments
        self._known: dict[tuple[int, int], FormedDescriptor] = {}

    def on(self, base: Any) -> FormedDescriptor:
        """The descriptor of `base`, for launches. Nothing is checked: `base` has the dtype, shape and strides of the
        array that the form was made of, and begins at a multiple of 16 bytes.

        On a GPU, descriptors are kept by address, without the array: allocators give the same addresses again and
        again, and encoding takes longer than a launch.
        """
        device = base.get_device() if hasattr(base, "get_device") else -1
        if device < 0:
            return FormedDescriptor(_core.LaunchDescriptor(base, *self._arguments))
        place = base.data_ptr(), device
        known = self._known.get(place)
        if known is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            memory = _GpuMemory(*place, base.dtype)
            known = self._known[place] = FormedDescriptor(_core.LaunchDescriptor(memory, *self._arguments))
        return known


#: Addresses whose descriptors a form keeps.
_MOST_KNOWN = 256


class FormedDescriptor:
    """What `DescriptorForm.on` makes."""

    __slots__ = ("_launch_descriptor",)

    def __init__(self, launched: _core.LaunchDescriptor):
        self._launch_descriptor = launched


class _GpuMemory:
    """Where an array is, without keeping it there."""

    __slots__ = ("_address", "_device", "dtype")

    def __init__(self, address: int, device: int, dtype: Any):
        self._address = address
        self._device = device
        self.dtype = dtype

    def data_ptr(self) -> int:
        return self._address

    def get_device(self) -> int:
        return self._device


def _error(message: str, hint: str = "") -> ValueError:
    return ValueError(f"TensorDescriptor: {message}" + (f"\n  hint: {hint}" if hint else ""))


def _kind_of(value: Any) -> str:
    return f"{'an' if type(value).__name__[0].lower() in 'aeiou' else 'a'} {type(value).__name__}"


def _integers(name: str, values: Any) -> list[int]:
    try:
        return [value.__index__() for value in values]
    except (AttributeError, TypeError):
        raise _error(f"{name} must be a list of ints, got {values!r}") from None
