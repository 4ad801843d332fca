"""Blocks of tensors, moved between global and shared memory by TMA, the tensor memory accelerator.

The host describes a tensor and its blocks (`hocket.nvidia.hopper.TensorDescriptor`) and passes that to the kernel, or
the kernel describes it (`make_tensor_descriptor`). One thread of the block starts a copy, which goes on by itself:

    tma.async_store(desc, [row, column], smem)   # shared to global memory
    tma.store_wait(0)                            # smem has been read

    mbarrier.expect(bar, desc.nbytes_per_cta)
    tma.async_load(desc, [row, column], bar, smem)
    mbarrier.wait(bar, phase)                    # smem has been written

Coordinates are those of the block's first element. What lies outside of the tensor is not written,
    but for what is left of 16 bytes that its last element of a row is in.
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
    """The type of a `tensor_descriptor`: elements and shape of its blocks, and how they stand in shared memory.

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
    """A tensor in global memory, blocks of which TMA moves: a `TensorDescriptor` that the kernel was passed, or what
    `make_tensor_descriptor` returns.

    `shape` and `strides`, in elements, are tuples of numbers known at run time.
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
        """Elements and shape of a block.

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
        """How a block stands in shared memory.

        Example:
            >>> desc.layout == gl.NVMMASharedLayout(0, 32, 2)
            True
        """

    @property
    @builtin
    def nbytes_per_cta(self) -> int:
        """The bytes of a block, which is what a load of one brings to its mbarrier, also at the edges of the tensor.

        Example:
            >>> desc.nbytes_per_cta
            128
        """


class tensor_descriptor_im2col(tensor_descriptor):
    """Images in global memory, whose pixels TMA loads as rows. Passed to the kernel as a `TensorDescriptorIm2Col`.

    `shape` and `strides` are those of the images; `block_shape` is pixels and channels.
    """


@builtin
def async_store(
    tensor_desc: tensor_descriptor,
    coord: Sequence[int | tensor],
    src: shared_memory_descriptor,
    cache_policy: CachePolicy | None = None,
) -> None:
    """Start copying the tile `src` to the block of the tensor that begins at `coord`. It is a group of its own.

    Until `store_wait` has waited for it, `src` must not be written. What threads have written to `src` before, TMA sees
    after a fence and a barrier, which the compiler inserts. Outside of the tensor nothing is written but the rest of
    the 16 bytes in which a row ends.

    Args:
        tensor_desc: whose dtype, block shape and layout `src` has.
        coord: int32, one per dimension, not negative; the last a multiple of 16 bytes of elements. (Measured: a GPU
            ends the program with an illegal instruction otherwise; the emulator says where.)
        src: a buffer in shared memory, a slot of a ring, or a slice of these whose rows follow each other.
        cache_policy: an `ampere.CachePolicy` of which `l2` says how long the L2 should keep what is written.

    Example:
        >>> tile = gl.allocate_shared_memory(gl.int32, [8, 4], desc.layout, value=gl.full([8, 4], 7, gl.int32, T))
        >>> tma.async_store(desc, [0, 4], tile)
        >>> tma.store_wait(0, read_only=False)
        >>> gl.barrier()
        >>> gl.load(p + 2 + i)
        [30, 40, 7, 7]
    """


#: Its older name.
async_copy_shared_to_global = async_store


@builtin
def store_wait(pendings: int, read_only: bool = True) -> None:
    """Wait until at most `pendings` bulk stores, the newest (known at compile time), are unfinished.

    Args:
        read_only: wait only until shared memory has been read, and may be written again. False: until what they write
            can be seen, too. At the end of a kernel all must have been read: `store_wait(0)`.

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
    """Start copying the block of the tensor that begins at `coord` to the tile `result`.

    It completes `tensor_desc.nbytes_per_cta` bytes of `barrier`, which must be told to expect them. `result` may be
    read by those who have waited for that phase. What lies outside of the tensor becomes 0 or NaN, as the descriptor
    says.

    Args:
        tensor_desc: whose dtype, block shape and layout `result` has.
        coord: int32, one per dimension; may be negative. The last is a multiple of 16 bytes of elements.
        barrier: one mbarrier.
        result: a buffer in shared memory, a slot of a ring, or a slice of these whose rows follow each other.
        pred: False: nothing is copied, and nothing arrives at `barrier`.
        multicast: in a cluster, of the blocks that hold copies of a part of the tile (rows of zeros in `cga_layout`)
            the first loads it for all: it arrives in each of them, and at the mbarrier of each. All must be ready.
        cache_policy: an `ampere.CachePolicy` of which `l2` says how long the L2 should keep what is read.

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


#: Its older name.
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
    """Start copying pixels of images to the rows of `result`: a part of the matrix that a convolution multiplies.

    The first row is of the pixel at `coord`, the next ones of those that a walk over the descriptor's box of pixels
    meets from there on: along the last dimension of the image, in the descriptor's steps, then in the next row of the
    box, at last in the next image. What a row gets is read `offsets` away from its pixel, which is how the taps of a
    filter are reached. What lies outside of the images becomes 0 or NaN, as the descriptor says.

    All else is as with `async_load`: it completes `tensor_desc.nbytes_per_cta` bytes of `barrier`.

    Args:
        tensor_desc: of images; its dtype, block shape and layout `result` has.
        coord: int32, one per dimension of the tensor: image, pixel, channel. The pixel lies in the box, the channel is
            a multiple of 16 bytes of elements.
        offsets: one per dimension of an image: int16, or numbers known at compile time. From 0 to 2^16 - 1 in images of
            one dimension, 255 of two, 31 of three.
        barrier: one mbarrier.
        result: a buffer in shared memory, a slot of a ring, or a slice of these whose rows follow each other.
        pred: False: nothing is copied, and nothing arrives at `barrier`.
        multicast: False; copies to several blocks are not supported yet.
        cache_policy: an `ampere.CachePolicy` of which `l2` says how long the L2 should keep what is read.

    Example:
        Of one image with a row of 8 pixels, 4 channels each; the box is all of it:

        >>> tile = gl.allocate_shared_memory(gl.int32, [8, 4], images.layout)
        >>> bar = mbarrier.allocate_mbarrier()
        >>> mbarrier.init(bar, count=1)
        >>> mbarrier.expect(bar, images.nbytes_per_cta)
        >>> tma.async_load_im2col(images, [0, 0, 0], [1], bar, tile)
        >>> mbarrier.wait(bar, 0)
        >>> gl.sum(tile.load(T), 0)
        [1190, 1260, 1330, 1400]
    """


#: Its older name.
async_copy_global_to_shared_im2col = async_load_im2col


@builtin
def async_atomic_add(
    tensor_desc: tensor_descriptor, coord: Sequence[int | tensor], src: shared_memory_descriptor
) -> None:
    """As `async_store`, but elements of the tensor become the sum of what they were and those of `src`.

    Atomic for each element. The elements are float16, bfloat16, float32, int32, uint32 or uint64.

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
    """As `async_store`, but elements of the tensor become the bitwise and of what they were and those of `src`.

    Atomic for each element. The elements are int32, uint32 or uint64.

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
    """As `async_store`, but elements of the tensor become the maximum of what they were and those of `src`.

    Atomic for each element. The elements are float16, bfloat16, or integers of 32 or 64 bits.

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
    """As `async_store`, but elements of the tensor become the minimum of what they were and those of `src`.

    Atomic for each element. The elements are float16, bfloat16, or integers of 32 or 64 bits.

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
    """As `async_store`, but elements of the tensor become the bitwise or of what they were and those of `src`.

    Atomic for each element. The elements are int32, uint32 or uint64.

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
    """As `async_store`, but elements of the tensor become the exclusive or of what they were and those of `src`.

    Atomic for each element. The elements are int32, uint32 or uint64.

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
    """Describe a tensor whose place or sizes only the kernel knows.

    One thread writes the descriptor to memory that each call has for each block; the runtime allocates it. A call in a
    loop writes the same memory each time: copies by the descriptor of the iteration before must have been waited for.
    (The emulator reports those that have not.) Where the host knows the tensor, pass a `TensorDescriptor`: that costs
    nothing in the kernel.

    Args:
        base: a pointer to the first element; a multiple of 16 bytes.
        shape: 1 to 5 integers, outermost first, at least 1 each.
        strides: in elements; the last is the constant 1, the others are multiples of 16 bytes.
        block_shape: sizes of what is moved at once: powers of two, at most 256, known at compile time. Of a block that
            is dealt to a cluster, this holds for what each of its blocks moves.
        layout: an `NVMMASharedLayout`, not transposed: that of the tiles in shared memory.
        padding_option: what lies outside is read as "zero" or, of floats of 16 bits and more, "nan".

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
