"""Mistakes with wgmma."""

from cases import mistake

import hocket.language as gl
from hocket.language.nvidia import hopper
from hocket.language.nvidia.hopper import fence_async_shared, warpgroup_mma, warpgroup_mma_init, warpgroup_mma_wait

WGMMA = gl.constexpr(gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16]))
TF32 = gl.constexpr(gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 8]))
INT8 = gl.constexpr(gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 32]))
MMA = gl.constexpr(gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8]))
A = gl.constexpr(gl.DotOperandLayout(0, WGMMA.value, 2))
WIDE_A = gl.constexpr(gl.DotOperandLayout(0, WGMMA.value, 4))
SHARED = gl.constexpr(gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16))
BYTES = gl.constexpr(gl.NVMMASharedLayout.get_default_for([64, 64], gl.int8))
WORDS = gl.constexpr(gl.NVMMASharedLayout.get_default_for([64, 64], gl.float32))
BLOCKED = gl.constexpr(gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0]))
PLAIN = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
PADDED = gl.constexpr(gl.PaddedSharedLayout.with_identity_for([[64, 8]], [64, 64], [1, 0]))


@mistake(target="gfx942")
def product_on_another_vendor():
    warpgroup_mma(None, None, None)


@mistake(target="sm_80")
def product_on_ampere():
    warpgroup_mma(None, None, None)


@mistake(target="sm_80")
def fence_on_ampere():
    fence_async_shared()


@mistake(target="sm_80")
def layout_on_ampere():
    gl.zeros([64, 64], gl.float32, WGMMA)


@mistake()
def accumulators_of_half_a_warpgroup():
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [2, 2], [16, 32, 16])
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED)
    warpgroup_mma(tile, tile, gl.zeros([64, 64], gl.float32, layout))


@mistake()
def accumulators_of_a_batch():
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [1, 4, 1], [16, 64, 16])
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED)
    warpgroup_mma(tile, tile, gl.zeros([1, 64, 64], gl.float32, layout))


@mistake()
def two_warps():
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [8, 1], [16, 64, 16])
    gl.zeros([64, 64], gl.float32, layout)


@mistake()
def b_in_registers():
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED)
    b = gl.zeros([64, 64], gl.float16, A)
    warpgroup_mma(tile, b, gl.zeros([64, 64], gl.float32, WGMMA))


@mistake()
def number_for_a():
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED)
    warpgroup_mma(1.0, tile, gl.zeros([64, 64], gl.float32, WGMMA))


@mistake()
def ring_of_tiles():
    ring = gl.allocate_shared_memory(gl.float16, [2, 64, 64], SHARED)
    warpgroup_mma(ring, ring.index(0), gl.zeros([64, 64], gl.float32, WGMMA))


@mistake()
def accumulator_of_mma_v2():
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED)
    warpgroup_mma(tile, tile, gl.zeros([64, 64], gl.float32, MMA))


@mistake()
def shapes_that_do_not_fit():
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED)
    warpgroup_mma(tile, tile.slice(0, 32), gl.zeros([64, 64], gl.float32, WGMMA))


@mistake()
def two_types():
    a = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED)
    b = gl.allocate_shared_memory(gl.bfloat16, [64, 64], SHARED)
    warpgroup_mma(a, b, gl.zeros([64, 64], gl.float32, WGMMA))


@mistake()
def double():
    tile = gl.allocate_shared_memory(gl.float64, [64, 64], PLAIN)
    warpgroup_mma(tile, tile, gl.zeros([64, 64], gl.float32, WGMMA))


@mistake()
def half_accumulator_of_bfloat():
    tile = gl.allocate_shared_memory(gl.bfloat16, [64, 64], SHARED)
    warpgroup_mma(tile, tile, gl.zeros([64, 64], gl.float16, WGMMA))


@mistake()
def float_accumulator_of_integers():
    tile = gl.allocate_shared_memory(gl.int8, [64, 64], BYTES)
    warpgroup_mma(tile, tile, gl.zeros([64, 64], gl.float32, INT8))


@mistake()
def depth_of_another_type():
    tile = gl.allocate_shared_memory(gl.int8, [64, 64], BYTES)
    warpgroup_mma(tile, tile, gl.zeros([64, 64], gl.int32, WGMMA))


@mistake()
def too_few_rows():
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED)
    warpgroup_mma(tile.slice(0, 32), tile, gl.zeros([32, 64], gl.float32, WGMMA))


@mistake()
def too_few_columns():
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED)
    warpgroup_mma(tile, tile.slice(0, 32, 1), gl.zeros([64, 32], gl.float32, WGMMA))


@mistake()
def depth_of_eight():
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED)
    warpgroup_mma(tile.slice(0, 8, 1), tile.slice(0, 8), gl.zeros([64, 64], gl.float32, WGMMA))


@mistake()
def registers_with_another_k_width():
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED)
    warpgroup_mma(gl.zeros([64, 64], gl.float16, WIDE_A), tile, gl.zeros([64, 64], gl.float32, WGMMA))


@mistake()
def row_major_memory():
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], PLAIN)
    warpgroup_mma(tile, tile, gl.zeros([64, 64], gl.float32, WGMMA))


@mistake()
def padded_memory():
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED)
    padded = gl.allocate_shared_memory(gl.float16, [64, 64], PADDED)
    warpgroup_mma(tile, padded, gl.zeros([64, 64], gl.float32, WGMMA))


@mistake()
def bytes_with_n_fastest():
    tile = gl.allocate_shared_memory(gl.int8, [64, 64], BYTES)
    warpgroup_mma(tile, tile, gl.zeros([64, 64], gl.int32, INT8))


@mistake()
def full_precision():
    tile = gl.allocate_shared_memory(gl.float32, [64, 64], WORDS)
    warpgroup_mma(tile, tile.permute([1, 0]), gl.zeros([64, 64], gl.float32, TF32), precision="ieee")


@mistake()
def unknown_precision():
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED)
    warpgroup_mma(tile, tile, gl.zeros([64, 64], gl.float32, WGMMA), precision="high")


@mistake()
def short_sums():
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED)
    warpgroup_mma(tile, tile, gl.zeros([64, 64], gl.float32, WGMMA), max_num_imprecise_acc=32)


@mistake()
def use_of_a_tensor():
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED)
    acc = gl.zeros([64, 64], gl.float32, WGMMA)
    warpgroup_mma(tile, tile, acc, use_acc=acc)


@mistake("*f16", lowered=True)
def sum_before_the_wait(x):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED, gl.zeros([64, 64], gl.float16, BLOCKED))
    acc = warpgroup_mma(tile, tile, gl.zeros([64, 64], gl.float32, WGMMA), is_async=True)
    more = acc + 1.0
    warpgroup_mma_wait(0, deps=[acc])
    gl.store(x + gl.max(gl.max(more, 1), 0).to(gl.int32), 1.0)


@mistake("*f16", lowered=True)
def wait_that_leaves_the_product(x):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED, gl.zeros([64, 64], gl.float16, BLOCKED))
    acc = warpgroup_mma(tile, tile, gl.zeros([64, 64], gl.float32, WGMMA), is_async=True)
    acc = warpgroup_mma_wait(1, deps=[acc])
    gl.store(x + gl.max(gl.max(acc, 1), 0).to(gl.int32), 1.0)


@mistake("*f16", lowered=True)
def newer_of_two_products(x):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED, gl.zeros([64, 64], gl.float16, BLOCKED))
    first = warpgroup_mma(tile, tile, gl.zeros([64, 64], gl.float32, WGMMA), is_async=True)
    second = warpgroup_mma(tile, tile, gl.zeros([64, 64], gl.float32, WGMMA), is_async=True)
    first, second = warpgroup_mma_wait(1, deps=[first, second])
    total = first + second
    warpgroup_mma_wait(0, deps=[second])
    gl.store(x + gl.max(gl.max(total, 1), 0).to(gl.int32), 1.0)


@mistake("*f16", lowered=True)
def older_of_two_products(x):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED, gl.zeros([64, 64], gl.float16, BLOCKED))
    first = warpgroup_mma(tile, tile, gl.zeros([64, 64], gl.float32, WGMMA), is_async=True)
    second = warpgroup_mma(tile, tile, gl.zeros([64, 64], gl.float32, WGMMA), is_async=True)
    highest = gl.max(gl.max(first, 1), 0)
    second = warpgroup_mma_wait(0, deps=[second])
    gl.store(x + (highest + gl.max(gl.max(second, 1), 0)).to(gl.int32), 1.0)


@mistake("*f16", lowered=True)
def no_wait_after_the_loop(x):
    ring = gl.allocate_shared_memory(gl.float16, [2, 64, 64], SHARED)
    acc = gl.zeros([64, 64], gl.float32, WGMMA)
    for step in range(8):
        ring.index(step % 2).store(gl.zeros([64, 64], gl.float16, BLOCKED))
        acc = warpgroup_mma(ring.index(step % 2), ring.index(step % 2), acc, is_async=True)
        acc = warpgroup_mma_wait(1, deps=[acc])
    gl.store(x + gl.max(gl.max(acc, 1), 0).to(gl.int32), 1.0)


@mistake("*f16", lowered=True)
def product_of_the_iteration_before(x):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED, gl.zeros([64, 64], gl.float16, BLOCKED))
    zeros = gl.zeros([64, 64], gl.float32, WGMMA)
    acc = zeros
    highest = 0.0
    for step in range(8):
        highest += gl.max(gl.max(acc, 1), 0)
        acc = warpgroup_mma(tile, tile, zeros, is_async=True)
    acc = warpgroup_mma_wait(0, deps=[acc])
    gl.store(x + (highest + gl.max(gl.max(acc, 1), 0)).to(gl.int32), 1.0)


@mistake("*f16", lowered=True)
def two_products_on_one_accumulator(x):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED, gl.zeros([64, 64], gl.float16, BLOCKED))
    acc = warpgroup_mma(tile, tile, gl.zeros([64, 64], gl.float32, WGMMA), is_async=True)
    first = warpgroup_mma(tile, tile, acc, is_async=True)
    second = warpgroup_mma(tile, tile, acc, is_async=True)
    first, second = warpgroup_mma_wait(0, deps=[first, second])
    gl.store(x + gl.max(gl.max(first + second, 1), 0).to(gl.int32), 1.0)


@mistake("*f16", lowered=True)
def product_as_operand_before_the_wait(x):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED, gl.zeros([64, 64], gl.float16, BLOCKED))
    zeros = gl.zeros([64, 64], gl.float32, WGMMA)
    scores = warpgroup_mma(tile, tile, zeros, is_async=True)
    acc = warpgroup_mma(gl.convert_layout(scores.to(gl.float16), A), tile, zeros, is_async=True)
    acc = warpgroup_mma_wait(0, deps=[acc])
    gl.store(x + gl.max(gl.max(acc, 1), 0).to(gl.int32), 1.0)


@mistake("*f16", lowered=True)
def accumulators_that_change_places(x):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED, gl.zeros([64, 64], gl.float16, BLOCKED))
    here = gl.zeros([64, 64], gl.float32, WGMMA)
    there = gl.full([64, 64], 1.0, gl.float32, WGMMA)
    for step in range(8):
        here = warpgroup_mma(tile, tile, here, is_async=True)
        here, there = there, here
    here, there = warpgroup_mma_wait(0, deps=[here, there])
    gl.store(x + gl.max(gl.max(here + there, 1), 0).to(gl.int32), 1.0)


@mistake("*f16, i32", lowered=True)
def accumulators_that_change_places_in_a_branch(x, n):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED, gl.zeros([64, 64], gl.float16, BLOCKED))
    here = warpgroup_mma(tile, tile, gl.zeros([64, 64], gl.float32, WGMMA), is_async=True)
    there = warpgroup_mma(tile, tile, gl.zeros([64, 64], gl.float32, WGMMA), is_async=True)
    if n > 5:
        here, there = there, here
    else:
        here, there = warpgroup_mma_wait(0, deps=[here, there])
    here, there = warpgroup_mma_wait(0, deps=[here, there])
    gl.store(x + gl.max(gl.max(here - there, 1), 0).to(gl.int32), 1.0)


@mistake()
def initial_accumulator_of_a_blocked_layout():
    warpgroup_mma_init(gl.zeros([64, 64], gl.float32, gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])))


@mistake()
def wait_without_deps():
    warpgroup_mma_wait(0)


@mistake()
def wait_for_a_number():
    warpgroup_mma_wait(0, deps=[3])


@mistake()
def wait_for_too_many():
    warpgroup_mma_wait(8, deps=[gl.zeros([64, 64], gl.float32, WGMMA)])


@mistake("*f16", lowered=True)
def operand_overwritten_before_the_wait(x):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED, gl.zeros([64, 64], gl.float16, BLOCKED))
    acc = warpgroup_mma(tile, tile, gl.zeros([64, 64], gl.float32, WGMMA), is_async=True)
    tile.store(gl.full([64, 64], 1.0, gl.float16, BLOCKED))
    acc = warpgroup_mma_wait(0, deps=[acc])
    gl.store(x + gl.max(gl.max(acc, 1), 0).to(gl.int32), 1.0)


@mistake()
def result_that_is_dropped():
    a = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED)
    acc = gl.zeros([64, 64], gl.float32, WGMMA)
    warpgroup_mma(a, a, acc)


@mistake()
def accumulates_by_another_name():
    a = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED)
    warpgroup_mma(a, a, gl.zeros([64, 64], gl.float32, WGMMA), use_accumulator=False)


@mistake()
def multiplies_by_the_name_of_the_instruction():
    hopper.wgmma(None, None)
