"""Loads by TMA of pixels as rows (im2col): 3 to 5 dimensions, boxes, steps, offsets, swizzles; what lies outside."""

import itertools

import numpy as np
import pytest

import hocket
from hocket import emulator, errors
from hocket import language as gl
from hocket.language.nvidia.hopper import cluster, mbarrier, tma
from hocket.nvidia.hopper import TensorDescriptorIm2Col

LANES = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))
READ = gl.constexpr(gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0]))


@hocket.jit
def load_pixels(desc, out, COORD: gl.constexpr, OFFSETS: gl.constexpr, SIZE: gl.constexpr):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, desc.nbytes_per_cta)
    tma.async_load_im2col(desc, COORD, OFFSETS, bar, tile)
    mbarrier.wait(bar, 0)
    value = gl.convert_layout(tile.load(READ).reshape([SIZE]), LANES)
    gl.store(out + gl.arange(0, SIZE, layout=LANES), value)


def pixels_of(x, block, lower, upper, steps, coord, offsets, outside):
    """Computes the rows of the block from the definition: all pixels of the box of each image, in order."""
    spatial = x.shape[1:-1]
    walks = [range(low, size + up, step) for low, size, up, step in zip(lower, spatial, upper, steps, strict=True)]
    pixels = list(itertools.product(range(coord[0], coord[0] + block[0] + 1), *walks))
    first = pixels.index(tuple(coord[:-1]))
    rows = np.full(block, outside, x.dtype)
    for row, (image, *pixel) in enumerate(pixels[first : first + block[0]]):
        tap = [p + offset for p, offset in zip(pixel, offsets, strict=True)]
        inside = all(0 <= t < size for t, size in zip((image, *tap), x.shape[:-1], strict=True))
        channels = max(0, min(block[1], x.shape[-1] - coord[-1]))
        if inside:
            rows[row, :channels] = x[(image, *tap)][coord[-1] : coord[-1] + channels]
    return rows


def check(device, x, swizzle, block, lower, upper, steps, coord, offsets, padding="zero", completion="late"):
    layout = gl.NVMMASharedLayout(swizzle, 8 * x.itemsize, 2)
    desc = TensorDescriptorIm2Col.from_tensor(
        device.to_device(x),
        block,
        layout,
        padding,
        element_strides=[1, *steps, 1],
        pixel_box_lower_corner=lower,
        pixel_box_upper_corner=upper,
    )
    out = device.to_device(np.full(block, 77, x.dtype))
    with emulator.schedule(completion=completion):
        load_pixels[(1,)](desc, out, tuple(coord), tuple(offsets), block[0] * block[1])
    expected = pixels_of(x, block, lower, upper, steps, coord, offsets, np.nan if padding == "nan" else 0)
    np.testing.assert_array_equal(device.to_host(out), expected)


def images(shape, dtype=np.float16):
    return np.random.default_rng(len(shape)).integers(1, 100, shape).astype(dtype)


#: (shape, lower corner, upper corner, steps, coordinates, offsets)
WALKS = {
    "a whole row": ((3, 8, 64), [0], [0], [1], (0, 0, 0), (0,)),
    "rows of two images": ((3, 9, 64), [-1], [-1], [1], (0, 3, 0), (2,)),
    "every third of a row": ((4, 17, 64), [-2], [1], [3], (1, -2, 0), (4,)),
    "all pixels": ((2, 5, 6, 64), [0, 0], [0, 0], [1, 1], (0, 0, 0, 0), (0, 0)),
    "from within an image": ((3, 5, 6, 64), [-1, -1], [-1, -1], [1, 1], (1, 2, 3, 0), (0, 0)),
    "under the last tap": ((3, 5, 6, 64), [-1, -1], [-1, -1], [1, 1], (0, -1, -1, 0), (2, 2)),
    "a box beyond the image": ((3, 4, 4, 64), [-3, 1], [2, 3], [1, 1], (0, -3, 1, 0), (1, 0)),
    "steps": ((2, 9, 8, 64), [-1, -1], [-1, 0], [2, 3], (0, 1, 2, 0), (1, 2)),
    "later channels": ((2, 5, 6, 160), [0, 0], [0, 0], [1, 1], (0, 1, 1, 96), (0, 1)),
    "past the last image": ((2, 5, 6, 64), [0, 0], [-2, -2], [1, 1], (1, 1, 2, 0), (1, 1)),
    "volumes": ((2, 3, 4, 5, 64), [-1, -1, -1], [-1, -1, -1], [1, 1, 1], (0, -1, -1, -1, 0), (1, 0, 2)),
    "steps in volumes": ((3, 5, 4, 7, 64), [0, -1, -2], [0, -1, 1], [2, 1, 3], (1, 2, 1, 1, 0), (0, 2, 1)),
}


@pytest.mark.parametrize("completion", ["late", "random", "now"])
@pytest.mark.parametrize("walk", WALKS)
def test_walks(hopper_device, walk, completion):
    shape, *rest = WALKS[walk]
    check(hopper_device, images(shape), 128, [32, 64], *rest, completion=completion)


@pytest.mark.parametrize("width", [1, 2, 4], ids="{}bytes".format)
@pytest.mark.parametrize("swizzle", [0, 32, 64, 128])
def test_swizzles(hopper_device, swizzle, width):
    dtype = {1: np.uint8, 2: np.float16, 4: np.float32}[width]
    columns = 2 * (swizzle or 32) // width  # two boxes side by side, but without swizzle
    x = images((2, 5, 6, columns + columns // 2), dtype)
    check(hopper_device, x, swizzle, [64, columns], [-1, -1], [-1, -1], [1, 1], (0, -1, -1, 16 // width), (1, 0))


@pytest.mark.parametrize("rows", [8, 256, 512])
def test_many_pixels(hopper_device, rows):
    check(hopper_device, images((4, 12, 12, 32)), 64, [rows, 32], [-1, -1], [-1, -1], [1, 1], (0, 0, 0, 0), (1, 1))


def test_nan_outside_of_the_images(hopper_device):
    x = images((2, 5, 6, 64))
    check(hopper_device, x, 128, [64, 64], [-1, -1], [-1, -1], [1, 1], (1, -1, -1, 0), (0, 2), padding="nan")


@hocket.jit
def load_at(desc, row, channel, OFFSET: gl.constexpr):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, desc.nbytes_per_cta)
    offset = gl.program_id(0).to(gl.int16) + OFFSET
    tma.async_load_im2col(desc, [0, row, 0, channel], [offset.to(gl.int16), 0], bar, tile)
    mbarrier.wait(bar, 0)


@pytest.mark.parametrize(
    "row, channel, offset, message",
    [
        (-2, 0, 0, "an im2col load begins at -2 in dimension 1, outside of the pixel box -1 to 3"),
        (4, 0, 0, "an im2col load begins at 4 in dimension 1, outside of the pixel box -1 to 3"),
        (0, 0, 256, "an im2col load has offset 256 in dimension 1, which is not 0 to 255"),
        (0, 4, 0, "a bulk load begins at 4 in dimension 3, which is not a multiple of 8 elements"),
    ],
)
def test_where_walks_cannot_begin(row, channel, offset, message):
    layout = gl.NVMMASharedLayout(128, 16, 2)
    corners = {"pixel_box_lower_corner": [-1, 0], "pixel_box_upper_corner": [-1, 0]}
    desc = TensorDescriptorIm2Col.from_tensor(images((2, 5, 6, 64)), [32, 64], layout, **corners)
    with emulator.target("sm_90a"), pytest.raises(errors.EmulatorError, match=message):
        load_at[(1,)](desc, row, channel, offset)


@hocket.jit
def read_too_early(desc, out, waits, SIZE: gl.constexpr):
    """`waits` is not known to the compiler."""
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, desc.nbytes_per_cta)
    tma.async_load_im2col(desc, [0, 0, 0, 0], [0, 0], bar, tile)
    mbarrier.wait(bar, 0, pred=waits != 0)
    value = gl.convert_layout(tile.load(READ).reshape([SIZE]), LANES)
    gl.store(out + gl.arange(0, SIZE, layout=LANES), value)


def test_a_read_before_the_wait_is_reported():
    x, layout = images((2, 5, 6, 64)), gl.NVMMASharedLayout(128, 16, 2)
    corners = {"pixel_box_lower_corner": [0, 0], "pixel_box_upper_corner": [0, 0]}
    desc = TensorDescriptorIm2Col.from_tensor(x, [32, 64], layout, **corners)
    out = np.zeros((32, 64), np.float16)
    with emulator.target("sm_90a"), pytest.raises(errors.EmulatorError, match="still in flight"):
        read_too_early[(1,)](desc, out, 0, 32 * 64)


@hocket.jit
def load_pixels_for_all(desc, out, COORD: gl.constexpr, OFFSETS: gl.constexpr, FROM: gl.constexpr):
    """The first block loads for all; each stores its share of the rows."""
    R: gl.constexpr = desc.block_shape[0]
    C: gl.constexpr = desc.block_shape[1]
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    cluster.barrier()
    mbarrier.expect(bar, desc.nbytes_per_cta)
    tma.async_load_im2col(desc, COORD, OFFSETS, bar, tile, multicast=True)
    mbarrier.wait(bar, 0)
    row = gl.arange(0, R, layout=gl.SliceLayout(1, FROM)).expand_dims(1)
    column = gl.arange(0, C, layout=gl.SliceLayout(0, FROM)).expand_dims(0)
    gl.store(out + row * C + column, tile.load(FROM))
    cluster.barrier()


@pytest.mark.parametrize("completion", ["late", "random", "now"])
@pytest.mark.parametrize("num_ctas", [2, 4])
def test_multicast(hopper_device, num_ctas, completion):
    shape, lower, upper, steps, coord, offsets = WALKS["steps"]
    x, block, bits = images(shape), [32, 64], num_ctas.bit_length() - 1
    desc = TensorDescriptorIm2Col.from_tensor(
        hopper_device.to_device(x),
        block,
        gl.NVMMASharedLayout(128, 16, 2, cga_layout=[[0, 0]] * bits),
        element_strides=[1, *steps, 1],
        pixel_box_lower_corner=lower,
        pixel_box_upper_corner=upper,
    )
    out = hopper_device.to_device(np.full(block, 77, x.dtype))
    shares = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0], [[1 << bit, 0] for bit in range(bits)])
    with emulator.schedule(completion=completion):
        load_pixels_for_all[(1,)](desc, out, tuple(coord), tuple(offsets), shares, num_ctas=num_ctas)
    np.testing.assert_array_equal(
        hopper_device.to_host(out), pixels_of(x, block, lower, upper, steps, coord, offsets, 0)
    )
