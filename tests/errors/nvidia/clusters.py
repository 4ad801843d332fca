"""Mistakes with clusters."""

from cases import jit, mistake

import hocket.language as gl
from hocket.language.nvidia import hopper
from hocket.language.nvidia.ampere import async_copy
from hocket.language.nvidia.hopper import cluster, mbarrier

ROW = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))
TWO = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0], [[1]]))
FOUR = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0], [[1], [2]]))
FLAT = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0], [[1]]))


@jit
def idle():
    pass


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


@mistake("*i32", num_ctas=2)
def asynchronous_copy_to_another_block(x):
    tile = gl.allocate_shared_memory(gl.int32, [256], FLAT)
    async_copy.async_copy_global_to_shared(tile, x + gl.arange(0, 256, layout=ROW))


@mistake(num_ctas=2)
def padded_tile_without_boxes():
    padded: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[16, 4]], [16, 16], [1, 0], [[0, 1]])
    gl.allocate_shared_memory(gl.int32, [16, 16], padded).reshape([256])


@jit
def exchange_in_a_partition(tile, out):
    tile.store(gl.arange(0, 256, layout=TWO))
    gl.store(out + gl.arange(0, 256, layout=ROW), tile.load(ROW))


@mistake("*i32", num_ctas=2)
def memory_of_other_blocks_in_a_partition(out):
    tile = gl.allocate_shared_memory(gl.int32, [256], FLAT)
    gl.warp_specialize([(idle, ()), (exchange_in_a_partition, (tile, out))], worker_num_warps=[4])


@mistake("*i32", num_ctas=2)
def old_values_for_all_blocks(x):
    gl.store(x + 1, gl.atomic_add(x, 1))


@mistake(num_ctas=2)
def arrival_at_a_shared_mbarrier():
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout([[0]]))
    mbarrier.arrive(bar, from_cta=0)


@jit
def arrive_in_a_partition():
    cluster.arrive()


@mistake(num_ctas=2)
def arrival_in_a_partition():
    gl.warp_specialize([(arrive_in_a_partition, ()), (idle, ())], worker_num_warps=[4])


@mistake("f16[2x8x64]", num_ctas=2)
def operand_of_other_blocks(desc):
    acc: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 16, 16], [[0, 1]])
    a = gl.allocate_shared_memory(gl.float16, [128, 64], gl.NVMMASharedLayout(128, 16, cga_layout=[[1, 0]]))
    b = gl.allocate_shared_memory(gl.float16, [64, 32], gl.NVMMASharedLayout(32, 16, cga_layout=[[0, 1]]))
    result = hopper.warpgroup_mma(a, b, gl.zeros([128, 32], gl.float32, acc))


@mistake(num_ctas=2)
def relaxed_arrival_within_a_block():
    bar = mbarrier.allocate_mbarrier()
    mbarrier.arrive(bar, relaxed=True)


@mistake()
def barrier_by_its_name_in_cuda():
    cluster.sync()


@mistake()
def rank_by_its_name_in_cuda():
    cluster.block_rank()
