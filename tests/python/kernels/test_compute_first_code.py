"""A warp pipeline that begins with the matrix cores: nothing stands between the barrier and their first instruction."""

import numpy as np
import pytest
from pipelined_loop import MEMORY, SCALAR, having, read_loop

import hocket
from hocket import language as gl
from hocket.language import amd

pytestmark = pytest.mark.codegen

SIZE, STEP, SLOTS = 128, 32, 4
#: Bytes that a lane copies at once, straight into LDS.
WIDTHS = {"gfx942": 4, "gfx950": 16}
ROWS = {width: gl.BlockedLayout([1, width // 2], [width, 64 // width], [8, 1], [1, 0]) for width in WIDTHS.values()}
SHARED = gl.SwizzledSharedLayout(8, 1, 1, [1, 0])


@hocket.jit
def copy(ring, x, step, ROWS: gl.constexpr):
    rows = gl.arange(0, SIZE, layout=gl.SliceLayout(1, ROWS))[:, None]
    columns = gl.arange(0, STEP, layout=gl.SliceLayout(0, ROWS))[None, :]
    amd.cdna4.async_copy.buffer_load_to_shared(
        ring.index(step % SLOTS), x + step * (SIZE * STEP), rows * STEP + columns
    )


@hocket.jit
def compute_first(a, b, c, steps, ROWS: gl.constexpr, ACC: gl.constexpr):
    """`a` and `b` are `steps + 3` slices of 128 x 32, of which the last three are not used."""
    ring_a = gl.allocate_shared_memory(a.dtype.element_ty, [SLOTS, SIZE, STEP], SHARED)
    ring_b = gl.allocate_shared_memory(b.dtype.element_ty, [SLOTS, SIZE, STEP], SHARED)
    for step in gl.static_range(3):
        copy(ring_a, a, step, ROWS)
        copy(ring_b, b, step, ROWS)
        amd.cdna4.async_copy.commit_group()
    amd.cdna4.async_copy.wait_group(1)
    acc = gl.zeros([SIZE, SIZE], gl.float32, ACC)
    x = ring_a.index(0).load(gl.DotOperandLayout(0, ACC, 8))
    y = ring_b.index(0).permute([1, 0]).load(gl.DotOperandLayout(1, ACC, 8))
    for step in range(steps):
        with amd.warp_pipeline_stage("compute", priority=0):
            acc = amd.cdna3.mfma(x, y, acc)
        # Slice step + 2 has arrived; it is read an iteration later.
        amd.cdna4.async_copy.wait_group(0)
        with amd.warp_pipeline_stage("load", priority=1):
            x = ring_a.index((step + 1) % SLOTS).load(gl.DotOperandLayout(0, ACC, 8))
            y = ring_b.index((step + 1) % SLOTS).permute([1, 0]).load(gl.DotOperandLayout(1, ACC, 8))
            copy(ring_a, a, step + 3, ROWS)
            copy(ring_b, b, step + 3, ROWS)
            amd.cdna4.async_copy.commit_group()
    rows = gl.arange(0, SIZE, layout=gl.SliceLayout(1, ACC))[:, None]
    columns = gl.arange(0, SIZE, layout=gl.SliceLayout(0, ACC))[None, :]
    gl.store(c + rows * SIZE + columns, acc)


def constants(target):
    version, instruction = (3, [32, 32, 8]) if target == "gfx942" else (4, [32, 32, 16])
    return {"ROWS": ROWS[WIDTHS[target]], "ACC": amd.AMDMFMALayout(version, instruction, True, [2, 4])}


@pytest.fixture(params=WIDTHS)
def target(request):
    return request.param


@pytest.fixture
def loop(target):
    arguments = [gl.float16, gl.float16, gl.float32, 1000]
    return read_loop(compute_first.warmup(*arguments, **constants(target), num_warps=8, target=target).asm["amdgcn"])


def test_multiplying_begins_at_the_barrier(loop):
    in_front, compute, load = loop.stages
    # The operands are waited for; nothing is computed.
    assert compute[0] == "s_waitcnt lgkmcnt(0)"
    assert compute[1].startswith("v_mfma")
    # The priority, and what may as well be done in the last stage of the iteration before.
    assert not having(in_front, "v_mfma|" + MEMORY)
    assert having(in_front, "s_setprio") == ["s_setprio 0"]
    # Counting and jumping back are the last stage's work.
    assert having(load, SCALAR)
    assert having(load[-2:], "s_cbranch")


def test_what_multiplies_waits_for_its_operands_only(loop):
    _, compute, _ = loop.stages
    last = max(i for i, line in enumerate(compute) if line.startswith("v_mfma"))
    assert having(compute[:last], "s_waitcnt") == ["s_waitcnt lgkmcnt(0)"]
    assert not having(compute, MEMORY)
    # The copies, before the next barrier.
    assert [wait for wait in having(compute, "s_waitcnt") if "vmcnt" in wait] == loop.waits_at_barriers[1]


def test_copies_are_as_wide_as_the_target_has_them(loop, target):
    name = "buffer_load_dword" if target == "gfx942" else "buffer_load_dwordx4"
    copies = having(loop.loop, "buffer_load")
    assert copies == having(loop.loop, name + r" .* lds$")
    assert len(copies) == 2 * SIZE * STEP * 2 // (512 * WIDTHS[target])
    assert not having(loop.loop, "ds_write")


def test_accesses_keep_the_order_of_the_program(loop):
    kinds = [line.split("_")[0] for line in having(loop.loop, MEMORY)]
    assert kinds == sorted(kinds, reverse=True)


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_products(target, steps):
    rng = np.random.default_rng(steps)
    a, b = (rng.integers(-3, 4, (steps + 3, SIZE, STEP)).astype(np.float16) for _ in range(2))
    expected = np.einsum("smk,snk->mn", a[:steps].astype(np.float32), b[:steps].astype(np.float32))
    for seed in range(3):
        c = np.full((SIZE, SIZE), -1, np.float32)
        with hocket.emulator.target(target), hocket.emulator.schedule(seed=seed):
            compute_first[(1,)](a, b, c, steps, **constants(target), num_warps=8)
        np.testing.assert_array_equal(c, expected)
