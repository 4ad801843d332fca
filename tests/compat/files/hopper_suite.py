"""A pytest file in the shapes of Gluon's tutorials: layouts, cp.async, TMA, wgmma in a persistent loop, warps that
specialize."""

# ruff: noqa: RUF005  lists are added up as files for Gluon do

import functools

import pytest
import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy as cp
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    mbarrier,
    tma,
    warpgroup_mma,
    warpgroup_mma_init,
    warpgroup_mma_wait,
)
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor
from triton.language.core import _aggregate as aggregate


def is_hopper():
    target = triton.runtime.driver.active.get_current_target()
    return target.backend == "cuda" and torch.cuda.get_device_capability()[0] == 9


def is_ampere_or_newer():
    target = triton.runtime.driver.active.get_current_target()
    return target.backend == "cuda" and torch.cuda.get_device_capability()[0] >= 8


# Layouts chosen on the host, by keyword ------------------------------------------------------------------------------


@gluon.jit
def get_mask_and_offsets(start, x_size, y_size, XBLOCK: gl.constexpr, YBLOCK: gl.constexpr, layout: gl.constexpr):
    indices_x = start + gl.arange(0, XBLOCK, layout=gl.SliceLayout(dim=1, parent=layout))
    indices_y = gl.arange(0, YBLOCK, layout=gl.SliceLayout(dim=0, parent=layout))
    mask = (indices_x[:, None] < x_size) & (indices_y[None, :] < y_size)
    return mask, indices_x[:, None], indices_y[None, :]


@gluon.jit
def transpose_copy_kernel(
    in_ptr, out_ptr, xnumel, ynumel, xstride, ystride, layout_in: gl.constexpr, layout_out: gl.constexpr,
    XBLOCK: gl.constexpr, YBLOCK: gl.constexpr, num_warps: gl.constexpr,
):  # fmt: skip
    start = gl.program_id(0) * XBLOCK
    mask, x, y = get_mask_and_offsets(start, xnumel, ynumel, XBLOCK, YBLOCK, layout_in)
    value = gl.load(in_ptr + x * xstride + y * ystride, mask=mask, other=0.0)
    value = gl.convert_layout(value, layout_out)
    mask, x, y = get_mask_and_offsets(start, xnumel, ynumel, XBLOCK, YBLOCK, layout_out)
    gl.store(out_ptr + y * xnumel + x, value, mask=mask)


@pytest.mark.parametrize("shape", [(100, 64), (33, 50)])
@pytest.mark.parametrize("num_warps", [2, 4])
def test_layouts(shape, num_warps):
    lanes = triton.runtime.driver.active.get_current_target().warp_size
    rows = gl.BlockedLayout([1, 1], [1, lanes], [1, num_warps], order=[1, 0])
    columns = gl.BlockedLayout([1, 1], [lanes, 1], [num_warps, 1], order=[0, 1])
    x = torch.randn(shape, device="cuda")
    out = torch.empty(shape[::-1], device="cuda")
    grid = (triton.cdiv(shape[0], 32),)
    launch = functools.partial(transpose_copy_kernel[grid], x, out, *shape, *x.stride(), num_warps=num_warps)
    launch(layout_in=rows, layout_out=columns, XBLOCK=32, YBLOCK=triton.next_power_of_2(shape[1]))
    torch.testing.assert_close(out, x.T, atol=0, rtol=0)


# cp.async ------------------------------------------------------------------------------------------------------------


@gluon.jit
def issue_loads(copy_index, a_smem, b_smem, a_ptr, b_ptr, offsets, numel, BLOCK: gl.constexpr, BUFFERS: gl.constexpr):
    where = copy_index * BLOCK + offsets
    cp.async_copy_global_to_shared(a_smem.index(copy_index % BUFFERS), a_ptr + where, mask=where < numel)
    cp.async_copy_global_to_shared(b_smem.index(copy_index % BUFFERS), b_ptr + where, mask=where < numel)
    cp.commit_group()
    return copy_index + 1


@gluon.jit
def perform_add(read_index, a_smem, b_smem, c_ptr, offsets, numel, BLOCK: gl.constexpr, BUFFERS: gl.constexpr,
                layout: gl.constexpr):  # fmt: skip
    where = read_index * BLOCK + offsets
    total = a_smem.index(read_index % BUFFERS).load(layout) + b_smem.index(read_index % BUFFERS).load(layout)
    gl.store(c_ptr + where, total, mask=where < numel)
    return read_index + 1


@gluon.jit
def elementwise_add_pipelined(a_ptr, b_ptr, c_ptr, numel, BLOCK: gl.constexpr, BUFFERS: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0])
    smem_layout: gl.constexpr = gl.SwizzledSharedLayout(vec=1, per_phase=1, max_phase=1, order=[0])
    offsets = gl.arange(0, BLOCK, layout=layout)
    a_smem = gl.allocate_shared_memory(a_ptr.dtype.element_ty, [BUFFERS, BLOCK], layout=smem_layout)
    b_smem = gl.allocate_shared_memory(b_ptr.dtype.element_ty, [BUFFERS, BLOCK], layout=smem_layout)
    copy_index, read_index = 0, 0
    for _ in gl.static_range(BUFFERS - 1):
        copy_index = issue_loads(copy_index, a_smem, b_smem, a_ptr, b_ptr, offsets, numel, BLOCK, BUFFERS)
    for _ in range(gl.cdiv(numel, BLOCK) - (BUFFERS - 1)):
        copy_index = issue_loads(copy_index, a_smem, b_smem, a_ptr, b_ptr, offsets, numel, BLOCK, BUFFERS)
        cp.wait_group(BUFFERS - 1)
        read_index = perform_add(read_index, a_smem, b_smem, c_ptr, offsets, numel, BLOCK, BUFFERS, layout)
    for i in gl.static_range(BUFFERS - 1):
        cp.wait_group(BUFFERS - 2 - i)
        read_index = perform_add(read_index, a_smem, b_smem, c_ptr, offsets, numel, BLOCK, BUFFERS, layout)


@pytest.mark.parametrize("buffers", [2, 3])
@pytest.mark.parametrize("numel", [1000, 2048])
@pytest.mark.skipif(not is_ampere_or_newer(), reason="Requires Ampere or newer")
def test_async_copy(numel, buffers):
    a, b = (torch.randn(numel, device="cuda") for _ in range(2))
    c = torch.empty_like(a)
    elementwise_add_pipelined[(1,)](a, b, c, numel, 128, buffers, num_warps=4)
    torch.testing.assert_close(a + b, c, atol=0, rtol=0)


# TMA -----------------------------------------------------------------------------------------------------------------


@gluon.jit
def tma_add_kernel(a_desc, b_desc, c_desc, xnumel, ynumel, BUFFERS: gl.constexpr):
    XBLOCK: gl.constexpr = a_desc.block_type.shape[0]
    YBLOCK: gl.constexpr = a_desc.block_type.shape[1]
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [1, gl.num_warps()], [1, 0])
    dtype: gl.constexpr = a_desc.type.block_type.element_ty
    a_smem = gl.allocate_shared_memory(dtype, [BUFFERS, XBLOCK, YBLOCK], a_desc.layout)
    b_smem = gl.allocate_shared_memory(dtype, [BUFFERS, XBLOCK, YBLOCK], b_desc.layout)
    c_smem = gl.allocate_shared_memory(dtype, [XBLOCK, YBLOCK], c_desc.layout)
    bars = gl.allocate_shared_memory(gl.int64, [BUFFERS, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(BUFFERS):
        mbarrier.init(bars.index(i), count=1)
    fence_async_shared()
    xoff = gl.program_id(0) * XBLOCK
    steps = gl.cdiv(ynumel, YBLOCK)
    for k in range(steps + BUFFERS - 1):
        is_copied = k < steps
        if is_copied:
            bar = bars.index(k % BUFFERS)
            mbarrier.expect(bar, a_desc.block_type.nbytes + b_desc.block_type.nbytes)
            tma.async_copy_global_to_shared(a_desc, [xoff, k * YBLOCK], bar, a_smem.index(k % BUFFERS))
            tma.async_copy_global_to_shared(b_desc, [xoff, k * YBLOCK], bar, b_smem.index(k % BUFFERS))
        read = k - (BUFFERS - 1)
        if read >= 0:
            slot = read % BUFFERS
            mbarrier.wait(bars.index(slot), phase=(read // BUFFERS) & 1)
            total = a_smem.index(slot).load(layout) + b_smem.index(slot).load(layout)
            tma.store_wait(pendings=0)
            c_smem.store(total)
            fence_async_shared()
            tma.async_copy_shared_to_global(c_desc, [xoff, read * YBLOCK], c_smem)
    tma.store_wait(pendings=0)
    for i in gl.static_range(BUFFERS):
        mbarrier.invalidate(bars.index(i))


@pytest.mark.parametrize(("xnumel", "ynumel"), [(64, 256), (60, 200)])
@pytest.mark.skipif(not is_hopper(), reason="Requires Hopper")
def test_tma(xnumel, ynumel, BUFFERS=2):
    a, b = (torch.randn(xnumel, ynumel, device="cuda") for _ in range(2))
    c = torch.empty_like(a)
    block_shape = [32, 64]
    layout = gl.NVMMASharedLayout.get_default_for(block_shape, gl.float32)
    descs = [TensorDescriptor.from_tensor(t, block_shape, layout) for t in (a, b, c)]
    tma_add_kernel[(triton.cdiv(xnumel, 32),)](*descs, xnumel, ynumel, BUFFERS)
    torch.testing.assert_close(a + b, c, atol=0, rtol=0)


# wgmma, in a persistent loop with a scheduler of tiles ---------------------------------------------------------------


@aggregate
class Counter:
    index: gl.tensor
    phase: gl.tensor
    size: gl.constexpr

    @gluon.constexpr_function
    def __init__(self, index, phase, size):
        self.index = index
        self.phase = phase
        self.size = gl.constexpr(size)

    @gluon.jit
    def create(phase, size: gl.constexpr):
        return Counter(gl.to_tensor(0), gl.to_tensor(phase), size)

    @gluon.must_use_result
    @gluon.jit
    def next(self, pred=True):
        incr = self.index + gl.where(pred, 1, 0)
        rollover = incr == self.size
        index = gl.where(rollover, 0, incr)
        phase = gl.where(rollover, self.phase ^ 1, self.phase)
        return Counter(index, phase, self.size)


@aggregate
class GroupedScheduler:
    start_pid: gl.tensor
    num_pid_m: gl.tensor
    num_pid_n: gl.tensor
    GROUP: gl.constexpr

    @gluon.jit
    def initialize(M, N, BLOCK_M: gl.constexpr, BLOCK_N: gl.constexpr, GROUP: gl.constexpr):
        return GroupedScheduler(gl.program_id(axis=0), gl.cdiv(M, BLOCK_M), gl.cdiv(N, BLOCK_N), GROUP)

    @gluon.jit
    def get_num_tiles(self):
        return gl.cdiv(self.num_pid_m * self.num_pid_n - self.start_pid, gl.num_programs(axis=0))

    @gluon.jit
    def get_tile(self, idx):
        tile_id = self.start_pid + idx * gl.num_programs(axis=0)
        width = self.GROUP * self.num_pid_n
        first_m = tile_id // width * self.GROUP
        rows = min(self.num_pid_m - first_m, self.GROUP)
        return first_m + tile_id % rows, tile_id % width // rows


@gluon.jit
def persistent_matmul_kernel(a_desc, b_desc, c_desc, GROUP: gl.constexpr, BUFFERS: gl.constexpr,
                             num_warps: gl.constexpr):  # fmt: skip
    BLOCK_M: gl.constexpr = c_desc.block_type.shape[0]
    BLOCK_N: gl.constexpr = c_desc.block_type.shape[1]
    BLOCK_K: gl.constexpr = a_desc.block_type.shape[1]
    dtype: gl.constexpr = a_desc.dtype
    K = a_desc.shape[1]
    a_bufs = gl.allocate_shared_memory(dtype, [BUFFERS] + a_desc.block_type.shape, a_desc.layout)
    b_bufs = gl.allocate_shared_memory(dtype, [BUFFERS] + b_desc.block_type.shape, b_desc.layout)
    c_smem = gl.allocate_shared_memory(c_desc.dtype, c_desc.block_type.shape, c_desc.layout)
    bars = gl.allocate_shared_memory(gl.int64, [BUFFERS, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(BUFFERS):
        mbarrier.init(bars.index(i), count=1)
    mma_layout: gl.constexpr = gl.NVMMADistributedLayout(
        version=[3, 0], warps_per_cta=[num_warps, 1], instr_shape=[16, BLOCK_N, 256 // dtype.primitive_bitwidth]
    )
    state = Counter.create(0, BUFFERS)
    scheduler = GroupedScheduler.initialize(c_desc.shape[0], c_desc.shape[1], BLOCK_M, BLOCK_N, GROUP)
    for idx in range(scheduler.get_num_tiles()):
        pid_m, pid_n = scheduler.get_tile(idx)
        off_m, off_n = pid_m * BLOCK_M, pid_n * BLOCK_N
        acc = warpgroup_mma_init(gl.zeros((BLOCK_M, BLOCK_N), dtype=gl.float32, layout=mma_layout))
        for k in range(0, K, BLOCK_K):
            bar = bars.index(state.index)
            acc = warpgroup_mma_wait(num_outstanding=0, deps=(acc,))
            mbarrier.expect(bar, a_desc.block_type.nbytes + b_desc.block_type.nbytes)
            tma.async_copy_global_to_shared(a_desc, [off_m, k], bar, a_bufs.index(state.index))
            tma.async_copy_global_to_shared(b_desc, [k, off_n], bar, b_bufs.index(state.index))
            mbarrier.wait(bar, phase=state.phase)
            acc = warpgroup_mma(a_bufs.index(state.index), b_bufs.index(state.index), acc, is_async=True)
            state = state.next()
        acc = warpgroup_mma_wait(num_outstanding=0, deps=(acc,))
        tma.store_wait(pendings=0)
        c_smem.store(acc.to(c_desc.dtype))
        fence_async_shared()
        tma.async_copy_shared_to_global(c_desc, [off_m, off_n], c_smem)
    tma.store_wait(pendings=0)
    for i in gl.static_range(BUFFERS):
        mbarrier.invalidate(bars.index(i))


def matmul(A, B, C, block, GROUP=2, BUFFERS=2, num_warps=4, programs=3):
    M, N = C.shape
    BLOCK_M, BLOCK_N, BLOCK_K = block
    shapes = [BLOCK_M, BLOCK_K], [BLOCK_K, BLOCK_N], [BLOCK_M, BLOCK_N]
    descs = [
        TensorDescriptor.from_tensor(t, shape, gl.NVMMASharedLayout.get_default_for(shape, gl.float16))
        for t, shape in zip((A, B, C), shapes, strict=True)
    ]
    grid = (min(programs, triton.cdiv(M, BLOCK_M) * triton.cdiv(N, BLOCK_N)),)
    persistent_matmul_kernel[grid](*descs, GROUP, BUFFERS, num_warps=num_warps)


@pytest.mark.parametrize(("M", "N", "K"), [(128, 96, 64), (192, 64, 128)])
@pytest.mark.skipif(not is_hopper(), reason="Requires Hopper")
def test_persistent_matmul(M, N, K):
    torch.manual_seed(0)
    A, B = torch.randn(M, K, device="cuda", dtype=torch.float16), torch.randn(K, N, device="cuda", dtype=torch.float16)
    C = torch.empty(M, N, device="cuda", dtype=torch.float16)
    matmul(A, B, C, (64, 32, 32))
    torch.testing.assert_close((A.float() @ B.float()).half(), C, rtol=1e-3, atol=1e-1)


# Warps that specialize -----------------------------------------------------------------------------------------------


@aggregate
class Ring:
    """Values that the partitions use in common."""

    desc: tma.tensor_descriptor
    slots: gl.shared_memory_descriptor
    full: gl.shared_memory_descriptor
    empty: gl.shared_memory_descriptor
    SIZE: gl.constexpr

    @gluon.constexpr_function
    def __init__(self, desc, slots, full, empty, SIZE):
        self.desc = desc
        self.slots = slots
        self.full = full
        self.empty = empty
        self.SIZE = gl.constexpr(SIZE)


@gluon.jit
def load_partition(ring, steps, YBLOCK: gl.constexpr):
    state = Counter.create(1, ring.SIZE)
    for k in range(steps):
        bar = ring.full.index(state.index)
        mbarrier.wait(ring.empty.index(state.index), state.phase)
        mbarrier.expect(bar, ring.desc.block_type.nbytes)
        slot = ring.slots.index(state.index)
        tma.async_copy_global_to_shared(ring.desc, [gl.program_id(0) * 16, k * YBLOCK], bar, slot)
        state = state.next()


@gluon.jit
def sum_partition(ring, steps, out_ptr, layout: gl.constexpr):
    state = Counter.create(0, ring.SIZE)
    total = gl.zeros(ring.desc.block_type.shape, gl.float32, layout)
    for _ in range(steps):
        mbarrier.wait(ring.full.index(state.index), state.phase)
        total += ring.slots.index(state.index).load(layout)
        mbarrier.arrive(ring.empty.index(state.index), count=1)
        state = state.next()
    rows = gl.program_id(0) * 16 + gl.arange(0, 16, layout=gl.SliceLayout(1, layout))
    gl.store(out_ptr + rows, gl.sum(total, axis=1))


@gluon.jit
def row_sums_kernel(desc, out_ptr, SIZE: gl.constexpr, num_warps: gl.constexpr):
    YBLOCK: gl.constexpr = desc.block_type.shape[1]
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [num_warps, 1], [1, 0])
    slots = gl.allocate_shared_memory(desc.dtype, [SIZE] + desc.block_type.shape, desc.layout)
    full = gl.allocate_shared_memory(gl.int64, [SIZE, 1], mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [SIZE, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(SIZE):
        mbarrier.init(full.index(i), count=1)
        mbarrier.init(empty.index(i), count=1)
    fence_async_shared()
    ring = Ring(desc, slots, full, empty, SIZE)
    steps = gl.cdiv(desc.shape[1], YBLOCK)
    gl.warp_specialize([
        (sum_partition, (ring, steps, out_ptr, layout)),
        (load_partition, (ring, steps, YBLOCK)),
    ], [1], [24])  # fmt: skip
    for i in gl.static_range(SIZE):
        mbarrier.invalidate(full.index(i))
        mbarrier.invalidate(empty.index(i))


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.skipif(not is_hopper(), reason="Requires Hopper")
def test_specialized(size):
    x = torch.randint(-8, 8, (32, 256), device="cuda").float()
    out = torch.zeros(32, device="cuda")
    desc = TensorDescriptor.from_tensor(x, [16, 32], gl.NVMMASharedLayout.get_default_for([16, 32], gl.float32))
    row_sums_kernel[(2,)](desc, out, size, num_warps=4)
    assert torch.equal(out, x.sum(1))
