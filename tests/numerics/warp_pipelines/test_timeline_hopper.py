"""Times of asynchronous operations on Hopper, on the emulator's virtual clock: TMA, mbarriers, wgmma."""

import numpy as np
import pytest

import hocket
from hocket import language as gl
from hocket.kernels import matmul
from hocket.language.nvidia import ampere
from hocket.language.nvidia.hopper import mbarrier

#: The constants of target/CostTable.cpp.
BYTES_PER_CLOCK, MEMORY_LATENCY = 64, 500


@pytest.fixture(scope="module")
def product():
    """256 x 256 x 1024 of float16: tiles of 64 x 64, whose slices of 64 along k a warp copies."""
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((256, 1024), (1024, 256)))
    with hocket.emulator.target("sm_90a"), hocket.emulator.record_timeline() as recorded:
        matmul(a, b)
    return recorded


def of(recorded, warp, kind):
    return [s for s in recorded.slices if (s.block, s.warp, s.kind) == (0, warp, kind)]


def test_workers_have_names(product):
    names = [product.name_of(0, warp) for warp in range(8)]
    assert names[:5] == [*(f"warp {warp} (default)" for warp in range(4)), "warp 4 (copy_tiles)"]
    assert "warp 4 (copy_tiles)" in hocket.emulator.timeline(product).svg
    tracks = [e["args"]["name"] for e in product.trace()["traceEvents"] if e["name"] == "thread_name"]
    assert "warp 4 (copy_tiles)" in tracks and "warp 0: matrix core" in tracks


def test_products_take_the_time_of_their_columns(product):
    """A wgmma of 64 columns: 32 clocks of a matrix core for 16 rows and 16 along k."""
    for warp in range(4):
        assert sum(s.clocks for s in of(product, warp, "mma")) == 1024 // 16 * 32
    assert product.summary().matrix == pytest.approx(64 * 32 / product.summary().clocks, abs=0.05)


def test_products_wait_for_what_tma_brings(product):
    """16 KB for each step: the first are there after the latency, the next ones as fast as memory brings them."""
    products = of(product, 0, "mma")
    copies = of(product, 4, "copy")
    slice_clocks = 2 * 64 * 64 * 2 // BYTES_PER_CLOCK
    assert len(products) == 16  # each step waits for its slice
    assert products[0].begin - copies[0].begin >= MEMORY_LATENCY + slice_clocks
    steps = np.diff([s.begin for s in products])
    assert (abs(steps - slice_clocks) <= 8).all()


@hocket.jit
def copied(x, out):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    i = gl.arange(0, 512, layout=layout)
    tile = gl.allocate_shared_memory(gl.float32, [512], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=128)
    ampere.async_copy.async_copy_global_to_shared(tile, x + i)
    ampere.async_copy.mbarrier_arrive(bar, increment_count=False)
    mbarrier.wait(bar, 0)
    gl.store(out + i, tile.load(layout))


def test_copies_that_arrive_at_an_mbarrier_take_their_time():
    x = np.arange(512, dtype=np.float32)
    out = np.zeros_like(x)
    with hocket.emulator.target("sm_90a"), hocket.emulator.record_timeline() as recorded:
        copied[(1,)](x, out)
    np.testing.assert_array_equal(out, x)
    for warp in range(4):
        copy, loaded = of(recorded, warp, "copy")[0], of(recorded, warp, "shared load")[0]
        assert loaded.begin - copy.begin >= MEMORY_LATENCY
