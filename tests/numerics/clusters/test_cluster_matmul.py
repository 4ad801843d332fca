"""A warp-specialized GEMM by clusters: the blocks receive the same tiles of b by multicast."""

import sys

import numpy as np
import pytest
from lane_edits import edited

import hocket
from hocket import emulator, errors
from hocket import language as gl
from hocket.language.nvidia import hopper
from hocket.language.nvidia.hopper import cluster, mbarrier, tma
from hocket.nvidia.hopper import TensorDescriptor

SLOTS = gl.constexpr(2)


@hocket.jit
def load(a_desc, b_desc, a_ring, b_ring, ready, free, steps):
    """Each block loads its rows of a; the first also loads b, for all."""
    K: gl.constexpr = a_desc.block_shape[1]
    first = cluster.cta_rank() == 0
    for i in range(0, steps):
        slot = i % SLOTS
        # Its own consumers must have read a, and those of all blocks b: all arrive at the first block, which signals
        # the others.
        mbarrier.wait(free.index(slot), i // SLOTS + 1)
        mbarrier.expect(ready.index(slot), a_desc.nbytes_per_cta + b_desc.nbytes_per_cta)
        tma.async_load(a_desc, [0, i * K], ready.index(slot), a_ring.index(slot))
        tma.async_load(b_desc, [i * K, 0], ready.index(slot), b_ring.index(slot), pred=first, multicast=True)


@hocket.jit
def relay(done, free, steps, RELAXED: gl.constexpr):
    """In the first block: when the consumers of all blocks have released a slot, all blocks may load into it."""
    for i in range(0, steps):
        slot = i % SLOTS
        mbarrier.wait(done.index(slot), i // SLOTS, pred=cluster.cta_rank() == 0)
        mbarrier.arrive(free.index(slot), from_cta=0, relaxed=RELAXED)


@hocket.jit
def compute(
    a_ring,
    b_ring,
    ready,
    done,
    steps,
    ACC: gl.constexpr,
    M: gl.constexpr,
    N: gl.constexpr,
    RELAXED: gl.constexpr,
    PER_WARP: gl.constexpr,
):
    acc = gl.zeros([M, N], gl.float32, ACC)
    for i in range(0, steps):
        slot = i % SLOTS
        mbarrier.wait(ready.index(slot), i // SLOTS)
        acc = hopper.warpgroup_mma(a_ring.index(slot), b_ring.index(slot), acc)
        mbarrier.arrive(done.index(slot), relaxed=RELAXED, per_warp=PER_WARP)
    return acc


@hocket.jit
def matmul(
    a_desc,
    b_desc,
    out,
    steps,
    ACC: gl.constexpr,
    SHARED: gl.constexpr,
    SYNC: gl.constexpr,
    RELAXED: gl.constexpr,
    PER_WARP: gl.constexpr,
):
    M: gl.constexpr = a_desc.block_shape[0]
    N: gl.constexpr = b_desc.block_shape[1]
    a_ring = gl.allocate_shared_memory(a_desc.dtype, [SLOTS, M, a_desc.block_shape[1]], a_desc.layout)
    b_ring = gl.allocate_shared_memory(b_desc.dtype, [SLOTS, b_desc.block_shape[0], N], b_desc.layout)
    ready = mbarrier.allocate_mbarrier(batch=SLOTS)
    free = mbarrier.allocate_mbarrier(batch=SLOTS)
    done = gl.allocate_shared_memory(gl.int64, [SLOTS, 1], SHARED)
    for slot in gl.static_range(SLOTS):
        mbarrier.init(ready.index(slot), count=1)
        mbarrier.init(free.index(slot), count=1)
        mbarrier.init(done.index(slot), count=gl.num_ctas() * (gl.num_warps() if PER_WARP else 1))
    if SYNC:
        cluster.barrier()
    acc = gl.warp_specialize(
        [
            (compute, (a_ring, b_ring, ready, done, steps, ACC, M, N, RELAXED, PER_WARP)),
            (load, (a_desc, b_desc, a_ring, b_ring, ready, free, steps)),
            (relay, (done, free, steps, RELAXED)),
        ],
        worker_num_warps=[1, 1],
    )
    row = gl.arange(0, M, layout=gl.SliceLayout(1, ACC)).expand_dims(1)
    column = gl.arange(0, N, layout=gl.SliceLayout(0, ACC)).expand_dims(0)
    gl.store(out + row * N + column, acc)
    cluster.barrier()


def run(device, num_ctas, steps, sync=True, relaxed=True, per_warp=False):
    m, n, k = 64 * num_ctas, 64, 64
    rng = np.random.default_rng(4)
    a, b = (rng.integers(-9, 9, shape).astype(np.float16) for shape in ((m, k * steps), (k * steps, n)))
    rows = [[1 << bit, 0] for bit in range(num_ctas.bit_length() - 1)]
    copies = [[0, 0]] * len(rows)
    a_layout = gl.NVMMASharedLayout.get_default_for([m, k], gl.float16, cga_layout=rows)
    b_layout = gl.NVMMASharedLayout.get_default_for([k, n], gl.float16, cga_layout=copies)
    a_desc = TensorDescriptor.from_tensor(device.to_device(a), [m, k], a_layout)
    b_desc = TensorDescriptor.from_tensor(device.to_device(b), [k, n], b_layout)
    out = device.to_device(np.zeros((m, n), np.float32))
    acc = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16], rows)
    shared = mbarrier.MBarrierLayout([[0]] * len(rows))
    matmul[(1,)](a_desc, b_desc, out, steps, acc, shared, sync, relaxed, per_warp, num_ctas=num_ctas)
    np.testing.assert_array_equal(device.to_host(out), a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.parametrize("seed, completion", [(0, "late"), (1, "random"), (2, "random"), (4, "late"), (3, "now")])
@pytest.mark.parametrize("num_ctas", [2, 4])
def test_matmul(hopper_device, num_ctas, seed, completion):
    with emulator.schedule(seed=seed, completion=completion):
        run(hopper_device, num_ctas, 7)


def test_ordered_arrivals(hopper_device):
    run(hopper_device, 2, 7, relaxed=False)


@pytest.mark.parametrize("completion", ["late", "random", "now"])
@pytest.mark.parametrize("num_ctas", [2, 4])
def test_each_warp_arrives(hopper_device, num_ctas, completion):
    """No warp of a block waits for the others before it arrives at the first block."""
    with emulator.schedule(seed=5, completion=completion):
        run(hopper_device, num_ctas, 7, per_warp=True)


def test_without_the_barrier(hopper_device, monkeypatch):
    if not isinstance(hopper_device, hocket.devices.EmulatedDevice):
        pytest.skip("what happens is up to chance")
    fresh = hocket.jit(matmul.fn)
    monkeypatch.setattr(sys.modules[__name__], "matmul", fresh)
    with edited(lambda lane: lane.delete_cluster_barriers(0, 1)), pytest.raises(errors.EmulatorError):
        run(hopper_device, 2, 7, sync=False)


def test_the_compiler_inserts_the_barrier(hopper_device):
    """After mbarrier.init, before the partitions."""
    run(hopper_device, 2, 7, sync=False)
