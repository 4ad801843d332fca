"""PartitionedSharedLayout on CDNA: consecutive parts of a tile in shared memory, each with its own layout."""

import numpy as np
import pytest
from tiles import tile_offsets

import hocket
from hocket import CompileError, devices, emulator
from hocket import language as gl
from hocket.language.amd import PartitionedSharedLayout

WAVE = 64


@pytest.fixture(params=["gfx942", "gfx950"])
def cdna(request):
    with devices.EmulatedDevice(request.param) as device:
        yield device


def partitioned(kind, shape, num_partitions, num_groups, dim):
    piece = [size // (num_partitions * num_groups) if d == dim else size for d, size in enumerate(shape)]
    inner = {
        "swizzled": gl.SwizzledSharedLayout(4, 2, 8, [1, 0]),
        "padded": gl.PaddedSharedLayout.with_identity_for([[16, 4]], piece, [1, 0]),
        "padded tile": gl.PaddedSharedLayout.with_identity_for([[16, 4]], list(shape), [1, 0]),
    }[kind]
    return PartitionedSharedLayout(num_partitions, num_groups, dim, inner)


@hocket.jit
def through(x, out, M: gl.constexpr, N: gl.constexpr, ROWS: gl.constexpr, SHARED: gl.constexpr, PIECE: gl.constexpr):
    """Adds 1 to what lies in slices of the tile, one after the other."""
    tile = gl.allocate_shared_memory(gl.float16, [M, N], SHARED, gl.load(x + tile_offsets(M, N, ROWS)))
    for i in gl.static_range(M // PIECE):
        for j in gl.static_range(N // PIECE):
            part = tile.slice(i * PIECE, PIECE, 0).slice(j * PIECE, PIECE, 1)
            part.store(part.load(ROWS) + 1)
    gl.store(out + tile_offsets(M, N, ROWS), tile.load(ROWS))


@pytest.mark.parametrize("kind", ["swizzled", "padded", "padded tile"])
@pytest.mark.parametrize("num_partitions, num_groups", [(2, 1), (2, 2), (4, 1), (4, 2)])
@pytest.mark.parametrize("dim", [0, 1])
def test_tiles_and_slices(cdna, kind, num_partitions, num_groups, dim):
    x = np.random.default_rng(0).integers(0, 99, (64, 64)).astype(np.float16)
    out = np.zeros_like(x)
    shared = partitioned(kind, x.shape, num_partitions, num_groups, dim)
    through[(1,)](x, out, 64, 64, gl.BlockedLayout([1, 8], [16, 4], [4, 1], [1, 0]), shared, 32)
    np.testing.assert_array_equal(out, x + 1)


def test_a_padded_layout_may_have_the_shape_of_the_tile():
    of_parts, of_tile = (partitioned(kind, (64, 32), 2, 2, 1) for kind in ("padded", "padded tile"))
    assert of_parts.of_tile([64, 32]) == of_tile.of_tile([64, 32])


def test_partitions_lie_behind_each_other():
    layout = partitioned("swizzled", (8, 4), 2, 2, 0)
    assert layout.of_tile([8, 4]).offset_bases[-2:] == [[4, 0], [2, 0]]  # groups, then partitions


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((3, 1, 0), "num_partitions"),
        ((2, 1, 2), "partition_dim"),
    ],
    ids=str,
)
def test_wrong_parameters(arguments, message):
    with pytest.raises(ValueError, match=message):
        PartitionedSharedLayout(*arguments, gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))


@hocket.jit
def allocate(SHAPE: gl.constexpr, LAYOUT: gl.constexpr):
    gl.allocate_shared_memory(gl.float16, SHAPE, LAYOUT)


@pytest.mark.parametrize(
    "target, shape, layout, message",
    [
        ("sm_90a", (64, 64), partitioned("swizzled", (64, 64), 2, 1, 0), "belongs to AMD GPUs"),
        ("gfx950", (2, 64), partitioned("swizzled", (64, 64), 4, 1, 0), "2 elements along dimension 0, too few for 4"),
        (
            "gfx950",
            (64, 32),
            partitioned("padded", (64, 64), 2, 1, 0),
            r"the parts of a tile .* have the shape \[32, 32\]",
        ),
    ],
    ids=["nvidia", "too small", "other pieces"],
)
def test_mistakes(target, shape, layout, message):
    with emulator.target(target), pytest.raises(CompileError, match=message):
        allocate[(1,)](shape, layout)
