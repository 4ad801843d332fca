"""Mistakes with stores to the shared memory of other blocks."""

from cases import mistake

import hocket.language as gl
from hocket.language.nvidia import hopper
from hocket.language.nvidia.hopper import mbarrier

TWO = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0], [[1]]))
COPIES = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0], [[0]]))
FLAT = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))
ROW = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))


@mistake()
def in_a_single_block():
    smem = gl.allocate_shared_memory(gl.int32, [128], FLAT)
    hopper.async_store(smem, gl.arange(0, 128, ROW), mbarrier.allocate_mbarrier())


@mistake(target="sm_80")
def on_ampere():
    smem = gl.allocate_shared_memory(gl.int32, [128], FLAT)
    hopper.async_store(smem, gl.arange(0, 128, ROW), smem)


@mistake("*i32", num_ctas=2)
def to_an_array(x):
    hopper.async_store(x, gl.arange(0, 256, TWO), mbarrier.allocate_mbarrier())


@mistake(num_ctas=2)
def of_another_shape():
    smem = gl.allocate_shared_memory(gl.int32, [128], COPIES)
    hopper.async_store(smem, gl.arange(0, 256, TWO), mbarrier.allocate_mbarrier())


@mistake(num_ctas=2)
def of_another_dtype():
    smem = gl.allocate_shared_memory(gl.int64, [256], COPIES)
    hopper.async_store(smem, gl.arange(0, 256, TWO), mbarrier.allocate_mbarrier())


@mistake(num_ctas=2)
def of_a_scalar():
    smem = gl.allocate_shared_memory(gl.int32, [256], COPIES)
    hopper.async_store(smem, 0, mbarrier.allocate_mbarrier())


@mistake(num_ctas=2)
def at_a_ring_of_mbarriers():
    smem = gl.allocate_shared_memory(gl.int32, [256], COPIES)
    hopper.async_store(smem, gl.arange(0, 256, TWO), mbarrier.allocate_mbarrier(batch=2))


@mistake(num_ctas=2)
def at_the_tile_itself():
    smem = gl.allocate_shared_memory(gl.int32, [256], COPIES)
    hopper.async_store(smem, gl.arange(0, 256, TWO), smem)


@mistake(num_ctas=2, lowered=True)
def two_bytes_at_a_time():
    smem = gl.allocate_shared_memory(gl.int16, [256], COPIES)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, smem.nbytes_per_cta)
    hopper.async_store(smem, gl.arange(0, 256, TWO).to(gl.int16), bar)
    mbarrier.wait(bar, 0)
    smem.load(TWO)
