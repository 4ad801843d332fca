"""Tensor descriptors, with which kernels on Hopper copy tiles by TMA (`gl.nvidia.hopper.tma`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _core
from ..language._layouts.nvidia import NVMMASharedLayout
from ._descriptors import Description, DescriptorType, kind_of, layout_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..language._dtype import dtype

__all__ = ["DescriptorForm", "TensorDescriptor", "TensorDescriptorIm2Col"]

_MOST_DIMENSIONS = 5


@dataclass(frozen=True, eq=False)
class TensorDescriptor(Description):
    """A tensor in global memory whose blocks a kernel copies to shared memory and back by TMA. Launches pass the
    descriptor to kernels.

    In the kernel, the descriptor is a `gl.nvidia.hopper.tma.tensor_descriptor`. The driver encodes the descriptor at
    the first launch on a GPU, so use one descriptor object for all launches.

    Args:
        base: an array; its address is a multiple of 16 bytes.
        shape: 1 to 5 sizes of the tensor, outermost first. Elements of a block outside the tensor are not written, and
            read as `padding`.
        strides: in elements; the last is 1, the others are multiples of 16 bytes.
        block_shape: sizes of a block: powers of two. The size of a row of a block is a multiple of 16 bytes, and at
            least `layout.swizzle_byte_width`. If a block is distributed over a cluster, these rules apply to the part
            of each CTA. One instruction copies at most 256 elements along a dimension; larger blocks take several.
        layout: an `NVMMASharedLayout`, not transposed: the layout of tiles in shared memory.
        padding: "zero" or "nan" (floats of 16 bits and more).
        round_f32_to_tf32: loads round elements of float32 to the nearest tf32.

    Raises:
        ValueError: for properties that TMA does not support.
        LaunchError: if `base` is not an array.

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
    layout: NVMMASharedLayout = None  # type: ignore  # so that the error message can suggest a layout
    padding: str = "zero"
    round_f32_to_tf32: bool = False

    @staticmethod
    def from_tensor(
        tensor: Any,
        block_shape: Sequence[int],
        layout: NVMMASharedLayout = None,  # type: ignore
        padding: str = "zero",
        round_f32_to_tf32: bool = False,
    ) -> TensorDescriptor:
        """Returns a descriptor of the whole `tensor`, a NumPy array or a PyTorch tensor."""
        described = layout_of(tensor)
        if described is None:
            raise ValueError(f"TensorDescriptor: from_tensor needs an array with strides, got {kind_of(tensor)}")
        return TensorDescriptor(tensor, *described, block_shape, layout, padding, round_f32_to_tf32)  # type: ignore

    def __post_init__(self):
        self._take_lists("shape", "strides", "block_shape")
        element, address, reach = _core.array_memory(self.base)
        self._check_ranks()
        self._check_tensor(element, address, reach)
        self._check_block(element)
        self._check_options(element)
        specialization = DescriptorType.of(element, self.block_shape, self.layout)
        self._launch_with(specialization, self._box(element))

    def _check_ranks(self) -> None:
        rank = len(self.shape)
        if not 1 <= rank <= _MOST_DIMENSIONS:
            raise self._error(f"a tensor has 1 to {_MOST_DIMENSIONS} dimensions, got shape {self.shape}")
        for name in ("strides", "block_shape"):
            if len(getattr(self, name)) != rank:
                raise self._error(f"{name} must have an entry per dimension, {rank}, got {getattr(self, name)}")
        self._check_layout(rank, "tensor")


#: Range of the corners of a pixel box, by the number of dimensions of the tensor.
_CORNERS = {3: (-(1 << 15), (1 << 15) - 1), 4: (-(1 << 7), (1 << 7) - 1), 5: (-(1 << 4), (1 << 4) - 1)}
_MOST_PIXELS, _MOST_CHANNELS, _MOST_STEP = 1024, 256, 8


@dataclass(frozen=True, eq=False)
class TensorDescriptorIm2Col(Description):
    """Images in global memory, whose pixels a kernel loads as rows of im2col matrices, for convolutions.

    Launches pass the descriptor to kernels. In the kernel, the descriptor is a
    `gl.nvidia.hopper.tma.tensor_descriptor_im2col`. TMA reads a box of pixels of each image, row by row, and continues
    with the next image. The kernel passes the coordinates of the first pixel. Every pixel becomes a row of the block.
    Pixels outside the image have the value `padding`. A kernel adds offsets to select the taps of a filter.

    Args:
        base: an array; its address is a multiple of 16 bytes.
        shape: shape of the tensor: number of images, 1 to 3 sizes of an image, number of channels.
        strides: in elements; the last is 1, the others are multiples of 16 bytes.
        block_shape: number of pixels, at most 1024, and of channels, at most 256, of a block: powers of two. The
            channels of a pixel take a multiple of 16 bytes, and at least `layout.swizzle_byte_width` bytes.
        layout: an `NVMMASharedLayout` of rank 2, not transposed: the layout of tiles in shared memory. All CTAs of a
            cluster load the same block.
        padding: "zero" or "nan" (floats of 16 bits and more).
        round_f32_to_tf32: loads round elements of float32 to the nearest tf32.
        element_strides: distances between the pixels that are read, one per dimension, 1 to 8; 1 for images and
            channels. By default 1.
        pixel_box_lower_corner: the first pixel of the box, one entry per dimension of an image.
        pixel_box_upper_corner: the last pixel of the box, relative to the last pixel of the image: 0 is the last pixel
            of the image, -1 the pixel before.

    Raises:
        ValueError: for properties that TMA does not support.
        LaunchError: if `base` is not an array.

    Example:
        A convolution with a filter of 3 x 3 that preserves the size of images:

        >>> import numpy as np
        >>> from hocket import language as gl
        >>> x = np.zeros((4, 14, 14, 64), np.float16)
        >>> layout = gl.NVMMASharedLayout.get_default_for([128, 64], gl.float16)
        >>> desc = TensorDescriptorIm2Col.from_tensor(
        ...     x, [128, 64], layout, pixel_box_lower_corner=[-1, -1], pixel_box_upper_corner=[-1, -1])
        >>> desc.element_strides
        [1, 1, 1, 1]
    """

    base: Any
    shape: list[int]
    strides: list[int]
    block_shape: list[int]
    layout: NVMMASharedLayout = None  # type: ignore  # so that the error message can suggest a layout
    padding: str = "zero"
    round_f32_to_tf32: bool = False
    # `None` is the default of the fields. The check in `__post_init__` replaces `element_strides` by 1 in every
    # dimension, and raises an error for missing corners.
    element_strides: list[int] = None  # type: ignore
    pixel_box_lower_corner: list[int] = None  # type: ignore
    pixel_box_upper_corner: list[int] = None  # type: ignore

    @staticmethod
    def from_tensor(
        tensor: Any,
        block_shape: Sequence[int],
        layout: NVMMASharedLayout = None,  # type: ignore
        padding: str = "zero",
        round_f32_to_tf32: bool = False,
        element_strides: Sequence[int] | None = None,
        pixel_box_lower_corner: Sequence[int] | None = None,
        pixel_box_upper_corner: Sequence[int] | None = None,
    ) -> TensorDescriptorIm2Col:
        """Returns a descriptor of all images in `tensor`, a NumPy array or a PyTorch tensor."""
        described = layout_of(tensor)
        if described is None:
            raise ValueError(f"TensorDescriptorIm2Col: from_tensor needs an array with strides, got {kind_of(tensor)}")
        walk: list[Any] = [element_strides, pixel_box_lower_corner, pixel_box_upper_corner]
        return TensorDescriptorIm2Col(tensor, *described, block_shape, layout, padding, round_f32_to_tf32, *walk)  # type: ignore

    def __post_init__(self):
        self._take_lists("shape", "strides", "block_shape")
        if self.element_strides is None:
            object.__setattr__(self, "element_strides", [1] * len(self.shape))
        self._take_lists("element_strides", "pixel_box_lower_corner", "pixel_box_upper_corner")
        element, address, reach = _core.array_memory(self.base)
        self._check_ranks()
        self._check_tensor(element, address, reach)
        self._check_walk()
        if self._part() != self.block_shape:
            raise self._error("layout must not split pixels or channels among the blocks of a cluster (cga_layout)")
        self._check_block(element)
        self._check_options(element)
        specialization = DescriptorType.of(element, self.block_shape, self.layout, im2col=len(self.shape))
        pixels = _core.PixelBox(self.pixel_box_lower_corner, self.pixel_box_upper_corner, self.element_strides[1:-1])
        self._launch_with(specialization, [self.block_shape[0], self._box(element)[1]], pixels)

    def _check_block(self, element: dtype) -> None:
        pixels, channels = self.block_shape
        if pixels > _MOST_PIXELS or channels > _MOST_CHANNELS:
            raise self._error(
                f"a block has at most {_MOST_PIXELS} pixels and {_MOST_CHANNELS} channels, got block_shape "
                f"{self.block_shape}"
            )
        super()._check_block(element)

    def _check_ranks(self) -> None:
        rank = len(self.shape)
        if rank not in _CORNERS:
            raise self._error(
                f"a tensor of images has 3 to {_MOST_DIMENSIONS} dimensions, got shape {self.shape}",
                "they are images, 1 to 3 dimensions of each, and channels",
            )
        for name in ("strides", "element_strides"):
            if len(getattr(self, name)) != rank:
                raise self._error(f"{name} must have an entry per dimension, {rank}, got {getattr(self, name)}")
        for name in ("pixel_box_lower_corner", "pixel_box_upper_corner"):
            if len(getattr(self, name)) != rank - 2:
                raise self._error(
                    f"{name} must have an entry per dimension of an image, {rank - 2}, got {getattr(self, name)}"
                )
        if len(self.block_shape) != 2:
            raise self._error(f"block_shape must be [pixels, channels], got {self.block_shape}")
        self._check_layout(2, "block")

    def _check_walk(self) -> None:
        for step in self.element_strides:
            if not 1 <= step <= _MOST_STEP:
                raise self._error(f"element_strides must be 1 to {_MOST_STEP}, got {step} in {self.element_strides}")
        if self.element_strides[0] != 1 or self.element_strides[-1] != 1:
            raise self._error(
                f"element_strides of images and channels, the first and the last, must be 1, got {self.element_strides}"
            )
        least, most = _CORNERS[len(self.shape)]
        for name in ("pixel_box_lower_corner", "pixel_box_upper_corner"):
            for value in getattr(self, name):
                if not least <= value <= most:
                    raise self._error(
                        f"{name} must be {least} to {most} in {len(self.shape)} dimensions, got {getattr(self, name)}"
                    )
        corners = zip(self.pixel_box_lower_corner, self.pixel_box_upper_corner, self.shape[1:-1], strict=True)
        for dimension, (lower, upper, size) in enumerate(corners):
            if lower > size - 1 + upper:
                raise self._error(
                    f"the pixel box is empty in dimension {dimension} of images: from {lower} to {size - 1 + upper}",
                    "pixel_box_upper_corner is counted from the last pixel of the image",
                )


class DescriptorForm(_core.DescriptorForm):
    """Makes descriptors of arrays with equal shapes. The constructor gets a descriptor, whose properties are already
    checked, and `on` makes the descriptors of further arrays.

    `on(base)` returns the descriptor of `base`, for launches. No property is checked: `base` must have the dtype, shape
    and strides of the array that the form was made from, and begin at a multiple of 16 bytes. On a GPU, descriptors are
    cached by address, because encoding a descriptor takes longer than a launch, and allocators often return an earlier
    address again. The cache keeps no reference to an array; `len(form)` is the number of cached descriptors.

    Example:
        >>> import numpy as np
        >>> from hocket import language as gl
        >>> layout = gl.NVMMASharedLayout.get_default_for([32, 64], gl.float16)
        >>> form = DescriptorForm(TensorDescriptor.from_tensor(np.zeros((100, 64), np.float16), [32, 64], layout))
        >>> descriptor = form.on(np.ones((100, 64), np.float16))  # for a launch
    """

    __slots__ = ()

    def __init__(self, descriptor: TensorDescriptor):
        if not isinstance(descriptor, Description):
            raise TypeError(f"DescriptorForm takes a TensorDescriptor, not {kind_of(descriptor)}")
        super().__init__(descriptor)
