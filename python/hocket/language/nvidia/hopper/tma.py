"""Copies of blocks of tensors between global and shared memory by TMA, the tensor memory accelerator.

A descriptor describes a tensor and its blocks. The host passes a `hocket.nvidia.hopper.TensorDescriptor` to the kernel,
or the kernel makes a descriptor (`make_tensor_descriptor`). One thread of the block starts a copy, which runs
asynchronously:

    tma.async_store(desc, [row, column], smem)   # shared to global memory
    tma.store_wait(0)                            # smem has been read

    mbarrier.expect(bar, desc.nbytes_per_cta)
    tma.async_load(desc, [row, column], bar, smem)
    mbarrier.wait(bar, phase)                    # smem has been written

Coordinates are those of the block's first element. Elements outside the tensor are not written, except for the rest of
the 16 bytes that contain the last element of a row.
"""

from __future__ import annotations

from ..._builtin import builtin
from ..._types import base_type, base_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..._dtype import dtype as dtype_t
    from ..._layouts.nvidia import NVMMASharedLayout
    from ..._shared_descriptor import shared_memory_descriptor
    from ..._tensor import tensor
    from ..._types import block_type as block_type_t
    from ..ampere import CachePolicy

__all__ = [
    "async_atomic_add",
    "async_atomic_and",
    "async_atomic_max",
    "async_atomic_min",
    "async_atomic_or",
    "async_atomic_xor",
    "async_copy_global_to_shared",
    "async_copy_global_to_shared_im2col",
    "async_copy_shared_to_global",
    "async_load",
    "async_load_im2col",
    "async_store",
    "make_tensor_descriptor",
    "store_wait",
    "tensor_descriptor",
    "tensor_descriptor_im2col",
    "tensor_descriptor_type",
]


class tensor_descriptor_type(base_type):
    """The type of a `tensor_descriptor`: element type, shape and shared layout of a block.

    Example:
        >>> desc.type.block_type.element_ty == gl.int32
        True
    """

    def __init__(self, block_type: block_type_t, layout: NVMMASharedLayout):
        self.block_type = block_type
        self.layout = layout

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and (self.block_type, self.layout) == (other.block_type, other.layout)

    def __hash__(self) -> int:
        return hash((self.block_type, self.layout))

    def __repr__(self) -> str:
        return f"tensor_descriptor_type({self.block_type!r}, {self.layout!r})"


class tensor_descriptor(base_value):
    """A tensor in global memory whose blocks TMA copies: a `TensorDescriptor` passed to the kernel, or a result of
    `make_tensor_descriptor`.

    `shape` and `strides`, in elements, are tuples of run-time integers.
    """

    _fields = ("_map", "shape", "strides")
    shape: tuple[tensor, ...]
    strides: tuple[tensor, ...]

    @property
    @builtin
    def dtype(self) -> dtype_t:
        """The type of the elements.

        Example:
            >>> desc.dtype == gl.int32
            True
        """

    @property
    @builtin
    def block_shape(self) -> tuple[int, ...]:
        """The sizes of a block, outermost first.

        Example:
            >>> desc.block_shape[1]
            4
        """

    @property
    @builtin
    def block_type(self) -> block_type_t:
        """Element type and shape of a block.

        Example:
            >>> desc.block_type == gl.block_type(gl.int32, [8, 4])
            True
        """

    @property
    @builtin
    def type(self) -> tensor_descriptor_type:
        """The type: `block_type` and `layout`.

        Example:
            >>> desc.type.block_type == desc.block_type
            True
        """

    @property
    @builtin
    def layout(self) -> NVMMASharedLayout:
        """The layout of a block in shared memory.

        Example:
            >>> desc.layout == gl.NVMMASharedLayout(0, 32, 2)
            True
        """

    @property
    @builtin
    def nbytes_per_cta(self) -> int:
        """Number of bytes of a block. A load completes this number of bytes at its mbarrier, also at the edges of the
        tensor.

        Example:
            >>> desc.nbytes_per_cta
            128
        """


class tensor_descriptor_im2col(tensor_descriptor):
    """Images in global memory, whose pixels TMA loads as rows. The argument of the kernel is a
    `TensorDescriptorIm2Col`.

    `shape` and `strides` describe the images; `block_shape` is the number of pixels and channels of a block.
    """


@builtin
def async_store(
    tensor_desc: tensor_descriptor,
    coord: Sequence[int | tensor],
    src: shared_memory_descriptor,
    cache_policy: CachePolicy | None = None,
) -> None:
    """Starts copying the tile `src` to the block of the tensor that begins at `coord`. Each copy is a separate bulk
    group.

    `src` must not be written until `store_wait` has waited for the copy. Earlier stores to `src` are visible to TMA
    after a fence and a barrier, which the compiler inserts. Nothing is written outside the tensor, except for the rest
    of the 16 bytes in which a row ends.

    Args:
        tensor_desc: a descriptor with the dtype, block shape and layout of `src`.
        coord: int32, one per dimension, not negative; the last coordinate is a multiple of 16 bytes. For other
            coordinates, a GPU ends the program with an illegal instruction, and the emulator reports the line.
        src: a buffer in shared memory, a buffer of a ring, or a slice of such a buffer with contiguous rows.
        cache_policy: an `ampere.CachePolicy` whose `l2` is the eviction policy of the written data.

    Example:
        >>> tile = gl.allocate_shared_memory(gl.int32, [8, 4], desc.layout, value=gl.full([8, 4], 7, gl.int32, T))
        >>> tma.async_store(desc, [0, 4], tile)
        >>> tma.store_wait(0, read_only=False)
        >>> gl.barrier()
        >>> gl.load(p + 2 + i)
        [30, 40, 7, 7]
    """


#: Name of `async_store` in older versions of Gluon.
async_copy_shared_to_global = async_store


@builtin
def store_wait(pendings: int, read_only: bool = True) -> None:
    """Waits for all bulk stores except the newest `pendings`, a number that is known at compile time.

    Args:
        read_only: wait only until shared memory has been read and may be overwritten. If False, wait until the writes
            are visible. Before the end of a kernel, the shared memory of all bulk stores must have been read:
            `store_wait(0)`.

    Example:
        >>> tile = gl.allocate_shared_memory(gl.int32, [8, 4], desc.layout, value=gl.full([8, 4], 7, gl.int32, T))
        >>> tma.async_store(desc, [0, 0], tile)
        >>> tma.store_wait(0)
        >>> tile.store(gl.full([8, 4], 8, gl.int32, T))
    """


@builtin
def async_load(
    tensor_desc: tensor_descriptor,
    coord: Sequence[int | tensor],
    barrier: shared_memory_descriptor,
    result: shared_memory_descriptor,
    pred: bool | tensor = True,
    multicast: bool = False,
    cache_policy: CachePolicy | None = None,
) -> None:
    """Starts copying the block of the tensor that begins at `coord` to the tile `result`.

    The copy completes `tensor_desc.nbytes_per_cta` bytes at `barrier`, which must expect these bytes. Threads that have
    waited for the phase of `barrier` may read `result`. Elements outside the tensor become 0 or NaN, depending on the
    descriptor.

    Args:
        tensor_desc: a descriptor with the dtype, block shape and layout of `result`.
        coord: int32, one per dimension; may be negative. The last coordinate is a multiple of 16 bytes.
        barrier: one mbarrier.
        result: a buffer in shared memory, a buffer of a ring, or a slice of such a buffer with contiguous rows.
        pred: if False, nothing is copied, and nothing arrives at `barrier`.
        multicast: in a cluster, if several blocks hold copies of a part of the tile (rows of zeros in `cga_layout`),
            the first of these blocks loads the part for all of them. The data arrives in the memory and at the mbarrier
            of each block. All blocks must be ready to receive the data.
        cache_policy: an `ampere.CachePolicy` whose `l2` is the eviction policy of the data.

    Example:
        >>> tile = gl.allocate_shared_memory(gl.int32, [8, 4], desc.layout)
        >>> bar = mbarrier.allocate_mbarrier()
        >>> mbarrier.init(bar, count=1)
        >>> mbarrier.expect(bar, desc.nbytes_per_cta)
        >>> tma.async_load(desc, [0, 0], bar, tile)
        >>> mbarrier.wait(bar, 0)
        >>> gl.sum(tile.load(T), 0)
        [2320, 2400, 2480, 2560]
    """


#: Name of `async_load` in older versions of Gluon.
async_copy_global_to_shared = async_load


@builtin
def async_load_im2col(
    tensor_desc: tensor_descriptor_im2col,
    coord: Sequence[int | tensor],
    offsets: Sequence[int | tensor],
    barrier: shared_memory_descriptor,
    result: shared_memory_descriptor,
    pred: bool | tensor = True,
    multicast: bool = False,
    cache_policy: CachePolicy | None = None,
) -> None:
    """Starts copying pixels of images to the rows of `result`: a part of the im2col matrix of a convolution.

    The first row holds the pixel at `coord`. The next rows hold the next pixels of the descriptor's box of pixels. The
    order of pixels is: along the last dimension of the image, in the descriptor's steps; then along the next rows of
    the box; then along the next images. Each pixel is read with the displacement `offsets`, which selects a tap of the
    filter. Pixels outside the images become 0 or NaN, depending on the descriptor.

    Like `async_load`, the copy completes `tensor_desc.nbytes_per_cta` bytes at `barrier`.

    Args:
        tensor_desc: a descriptor of images with the dtype, block shape and layout of `result`.
        coord: int32, one per dimension of the tensor: image, pixel, channel. The pixel must be in the box, and the
            channel must be a multiple of 16 bytes.
        offsets: one per dimension of an image: int16, or numbers known at compile time. The smallest offset is 0. The
            largest offset is 2^16 - 1 in images of one dimension, 255 with two dimensions, and 31 with three.
        barrier: one mbarrier.
        result: a buffer in shared memory, a buffer of a ring, or a slice of such a buffer with contiguous rows.
        pred: if False, nothing is copied, and nothing arrives at `barrier`.
        multicast: must be False; copies to several blocks are not supported yet.
        cache_policy: an `ampere.CachePolicy` whose `l2` is the eviction policy of the data.

    Example:
        For one image with a row of 8 pixels of 4 channels each; the box is the whole image:

        >>> tile = gl.allocate_shared_memory(gl.int32, [8, 4], images.layout)
        >>> bar = mbarrier.allocate_mbarrier()
        >>> mbarrier.init(bar, count=1)
        >>> mbarrier.expect(bar, images.nbytes_per_cta)
        >>> tma.async_load_im2col(images, [0, 0, 0], [1], bar, tile)
        >>> mbarrier.wait(bar, 0)
        >>> gl.sum(tile.load(T), 0)
        [1190, 1260, 1330, 1400]
    """


#: Name of `async_load_im2col` in older versions of Gluon.
async_copy_global_to_shared_im2col = async_load_im2col


@builtin
def async_atomic_add(
    tensor_desc: tensor_descriptor, coord: Sequence[int | tensor], src: shared_memory_descriptor
) -> None:
    """Works like `async_store`, but adds the elements of `src` to the elements of the tensor.

    Each element is updated atomically. The elements are float16, bfloat16, float32, int32, uint32 or uint64.

    Example:
        >>> tile = gl.allocate_shared_memory(gl.int32, [8, 4], desc.layout, value=gl.full([8, 4], 15, gl.int32, T))
        >>> tma.async_atomic_add(desc, [0, 0], tile)
        >>> tma.store_wait(0, read_only=False)
        >>> gl.barrier()
        >>> gl.load(p + i)
        [25, 35, 45, 55]
    """


@builtin
def async_atomic_and(
    tensor_desc: tensor_descriptor, coord: Sequence[int | tensor], src: shared_memory_descriptor
) -> None:
    """Works like `async_store`, but stores the bitwise AND of the elements of the tensor and the elements of `src`.

    Each element is updated atomically. The elements are int32, uint32 or uint64.

    Example:
        >>> tile = gl.allocate_shared_memory(gl.int32, [8, 4], desc.layout, value=gl.full([8, 4], 15, gl.int32, T))
        >>> tma.async_atomic_and(desc, [0, 0], tile)
        >>> tma.store_wait(0, read_only=False)
        >>> gl.barrier()
        >>> gl.load(p + i)
        [10, 4, 14, 8]
    """


@builtin
def async_atomic_max(
    tensor_desc: tensor_descriptor, coord: Sequence[int | tensor], src: shared_memory_descriptor
) -> None:
    """Works like `async_store`, but stores the larger of each element of the tensor and the element of `src`.

    Each element is updated atomically. The elements are float16, bfloat16, or integers of 32 or 64 bits.

    Example:
        >>> tile = gl.allocate_shared_memory(gl.int32, [8, 4], desc.layout, value=gl.full([8, 4], 15, gl.int32, T))
        >>> tma.async_atomic_max(desc, [0, 0], tile)
        >>> tma.store_wait(0, read_only=False)
        >>> gl.barrier()
        >>> gl.load(p + i)
        [15, 20, 30, 40]
    """


@builtin
def async_atomic_min(
    tensor_desc: tensor_descriptor, coord: Sequence[int | tensor], src: shared_memory_descriptor
) -> None:
    """Works like `async_store`, but stores the smaller of each element of the tensor and the element of `src`.

    Each element is updated atomically. The elements are float16, bfloat16, or integers of 32 or 64 bits.

    Example:
        >>> tile = gl.allocate_shared_memory(gl.int32, [8, 4], desc.layout, value=gl.full([8, 4], 15, gl.int32, T))
        >>> tma.async_atomic_min(desc, [0, 0], tile)
        >>> tma.store_wait(0, read_only=False)
        >>> gl.barrier()
        >>> gl.load(p + i)
        [10, 15, 15, 15]
    """


@builtin
def async_atomic_or(
    tensor_desc: tensor_descriptor, coord: Sequence[int | tensor], src: shared_memory_descriptor
) -> None:
    """Works like `async_store`, but stores the bitwise OR of the elements of the tensor and the elements of `src`.

    Each element is updated atomically. The elements are int32, uint32 or uint64.

    Example:
        >>> tile = gl.allocate_shared_memory(gl.int32, [8, 4], desc.layout, value=gl.full([8, 4], 15, gl.int32, T))
        >>> tma.async_atomic_or(desc, [0, 0], tile)
        >>> tma.store_wait(0, read_only=False)
        >>> gl.barrier()
        >>> gl.load(p + i)
        [15, 31, 31, 47]
    """


@builtin
def async_atomic_xor(
    tensor_desc: tensor_descriptor, coord: Sequence[int | tensor], src: shared_memory_descriptor
) -> None:
    """Works like `async_store`, but stores the bitwise XOR of the elements of the tensor and the elements of `src`.

    Each element is updated atomically. The elements are int32, uint32 or uint64.

    Example:
        >>> tile = gl.allocate_shared_memory(gl.int32, [8, 4], desc.layout, value=gl.full([8, 4], 15, gl.int32, T))
        >>> tma.async_atomic_xor(desc, [0, 0], tile)
        >>> tma.store_wait(0, read_only=False)
        >>> gl.barrier()
        >>> gl.load(p + i)
        [5, 27, 17, 39]
    """


@builtin
def make_tensor_descriptor(
    base: tensor,
    shape: Sequence[int | tensor],
    strides: Sequence[int | tensor],
    block_shape: Sequence[int],
    layout: NVMMASharedLayout,
    padding_option: str = "zero",
) -> tensor_descriptor:
    """Makes a descriptor of a tensor whose address or sizes are only known in the kernel.

    One thread writes the descriptor to memory that the runtime allocates for each call and block. A call in a loop
    writes the same memory each time, so copies with the descriptor of the previous iteration must be complete. The
    emulator reports a call that overwrites the descriptor of a pending copy. If the tensor is known on the host, pass a
    `TensorDescriptor`, which needs no instructions in the kernel.

    Args:
        base: a pointer to the first element; a multiple of 16 bytes.
        shape: 1 to 5 integers, outermost first, at least 1 each.
        strides: in elements; the last stride is the constant 1, and the other strides are multiples of 16 bytes.
        block_shape: sizes of a block: powers of two, at most 256, known at compile time. If a block is distributed over
            a cluster, the limits apply to the part of each block of the cluster.
        layout: an `NVMMASharedLayout`, not transposed: the layout of tiles in shared memory.
        padding_option: value of elements outside the tensor: "zero" or, for floats of 16 bits and more, "nan".

    Example:
        >>> rows = tma.make_tensor_descriptor(p, [8, 8], [8, 1], [8, 4], gl.NVMMASharedLayout(0, 32, 2))
        >>> tile = gl.allocate_shared_memory(gl.int32, [8, 4], rows.layout, value=gl.full([8, 4], 7, gl.int32, T))
        >>> tma.async_store(rows, [0, 4], tile)
        >>> tma.store_wait(0, read_only=False)
        >>> gl.barrier()
        >>> gl.load(p + 2 + i)
        [30, 40, 7, 7]
    """


def __dir__() -> list[str]:
    return __all__
