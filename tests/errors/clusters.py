"""Mistakes with clusters."""

from cases import mistake

import hocket.language as gl
from hocket.language.nvidia.hopper import cluster, mbarrier, tma

ROW = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))
TWO = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0], [[1]]))
FOUR = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0], [[1], [2]]))
FLAT = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0], [[1]]))


@mistake()
def tile_for_a_cluster():
    gl.arange(0, 256, layout=TWO)


@mistake(num_ctas=2)
def tile_for_a_larger_cluster():
    gl.arange(0, 256, layout=FOUR)


@mistake(num_ctas=4)
def memory_for_a_smaller_cluster():
    gl.allocate_shared_memory(gl.float32, [256], FLAT)


@mistake(target="sm_80")
def cluster_barrier_on_ampere():
    cluster.barrier()


@mistake(target="gfx950")
def cluster_barrier_on_amd():
    cluster.arrive()


@mistake(target="sm_80")
def block_barrier_of_clusters():
    gl.barrier(cluster=True)


@mistake(target="sm_80")
def rank_on_ampere():
    cluster.cta_rank()


@mistake("f16[16x64]", lowered=True)
def multicast_without_a_cluster(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    bar = mbarrier.allocate_mbarrier()
    tma.async_load(desc, [0, 0], bar, tile, multicast=True)


@mistake("f16[2x8x64]", num_ctas=2)
def multicast_of_parts(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    bar = mbarrier.allocate_mbarrier()
    tma.async_load(desc, [0, 0], bar, tile, multicast=True)


@mistake("f16[2x8x64]", num_ctas=4)
def descriptor_for_a_smaller_cluster(desc):
    gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)


@mistake()
def arrival_from_another_block():
    bar = mbarrier.allocate_mbarrier()
    mbarrier.arrive(bar, from_cta=0)


@mistake(num_ctas=2)
def arrival_from_a_block_that_is_not():
    bar = mbarrier.allocate_mbarrier()
    mbarrier.expect(bar, 16, from_cta=2)


@mistake(num_ctas=2)
def other_parts_in_memory():
    tile = gl.allocate_shared_memory(gl.int32, [256], FLAT)
    tile.store(gl.arange(0, 256, layout=ROW))


@mistake("*i32", num_ctas=2)
def old_values_for_all_blocks(x):
    gl.store(x + 1, gl.atomic_add(x, 1))


@mistake(num_ctas=2)
def arrival_of_each_warp_from_another_block():
    bar = mbarrier.allocate_mbarrier()
    mbarrier.arrive(bar, from_cta=0, per_warp=True)
