"""IR of the operations of hocket.language.amd."""

import re

import pytest

from hocket import CompileError
from hocket import language as gl
from hocket.language.amd import cdna3, cdna4
from hocket.language.amd.cdna4 import async_copy

ROWS = gl.BlockedLayout([1, 8], [8, 8], [4, 1], [1, 0])
ACC = gl.amd.AMDMFMALayout(4, [32, 32, 16], True, [2, 2], tiles_per_warp=[1, 2])
SCALED = gl.amd.AMDMFMALayout(4, [32, 32, 64], False, [2, 2])
SHARED = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])


@pytest.fixture(name="emit")
def emit_for_gfx950(emit):
    return lambda *arguments, **options: emit(*arguments, _target="gfx950", **options)


def test_layouts_come_back_as_they_were(emit):
    def kernel(layout: gl.constexpr):
        tile = gl.zeros([64, 64], gl.float32, layout)
        gl.static_assert(tile.layout == layout)

    for layout in (ACC, SCALED, gl.DotOperandLayout(1, ACC, 8)):
        emit(kernel, layout=layout)


def test_mfma(emit):
    def kernel(acc: gl.constexpr):
        a = gl.zeros([64, 32], gl.bfloat16, gl.DotOperandLayout(0, acc, 8))
        b = gl.zeros([32, 64], gl.bfloat16, gl.DotOperandLayout(1, acc, 8))
        result = cdna4.mfma(a, b, gl.zeros([64, 64], gl.float32, acc))
        gl.static_assert(result.layout == acc)
        gl.static_assert(result.dtype == gl.float32)

    ir = emit(kernel, acc=ACC)
    assert "transposed = true, warps_per_cta = [2, 2], tiles_per_warp = [1, 2]>" in ir
    assert "hk_amd.mfma" in ir


def test_mfma_scaled_takes_bytes_and_leaves_scales_out(emit):
    def kernel(acc: gl.constexpr):
        a = gl.zeros([64, 64], gl.uint8, gl.DotOperandLayout(0, acc, 16))
        b = gl.zeros([32, 64], gl.uint8, gl.DotOperandLayout(1, acc, 16))
        scale = gl.zeros([64, 2], gl.uint8, cdna4.get_mfma_scale_layout(a.layout, [64, 2]))
        zeros = gl.zeros([64, 64], gl.float32, acc)
        result = cdna4.mfma_scaled(a, scale, "e5m2", b, None, "e2m1", zeros)  # noqa: F841

    assert re.search(r"hk_amd.mfma_scaled %\S+ scale %\S+ +e5m2, %\S+ +e2m1, %", emit(kernel, acc=SCALED))


def test_buffer_accesses(emit):
    def kernel(x, n, layout: gl.constexpr):
        rows = gl.arange(0, 64, layout=gl.SliceLayout(1, layout))[:, None]
        offsets = rows * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]
        value = cdna3.buffer_load(x, offsets, mask=rows < n, other=1, cache=".cg")
        gl.static_assert(value.layout == layout)
        gl.static_assert(value.dtype == gl.float16)
        cdna3.buffer_store(2, x, offsets, mask=rows < n)
        cdna3.buffer_atomic_xchg(x.to(gl.pointer_type(gl.int32)), offsets, 3, sem="release", scope="sys")

    ir = emit(kernel, "*f16, i32", layout=ROWS)
    assert re.search(r"hk_amd.buffer_load %arg0\[%\d+\], mask %\d+, other %\d+ cache =\s?cg :", ir)
    assert re.search(r"hk_amd.buffer_store %\d+, %arg0\[%\d+\], mask %\d+ :", ir)
    assert re.search(r"hk_amd.buffer_atomic_rmw xchg, %\d+\[%\d+\], %\d+ sem =\s?release scope =\s?sys", ir)


@pytest.mark.parametrize("other, is_kept", [("0", False), ("0.0", False), ("-0.0", True), ("1", True)])
def test_what_the_bounds_check_answers_needs_no_other(emit, other, is_kept):
    def kernel(x, n, layout: gl.constexpr, other: gl.constexpr):
        offsets = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))
        cdna3.buffer_load(x, offsets, mask=offsets < n, other=other)

    assert (" other " in emit(kernel, "*f16, i32", layout=ROWS, other=eval(other))) == is_kept


def test_bools_are_bytes_in_memory(emit):
    def kernel(x, layout: gl.constexpr):
        offsets = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))
        value = cdna3.buffer_load(x, offsets)
        gl.static_assert(value.dtype == gl.int1)
        cdna3.buffer_store(value, x, offsets)

    assert "hk_amd.buffer_load %arg0[%0] : !hk.ptr<i8>" in emit(kernel, "*i1", layout=ROWS)


def test_copies_into_lds(emit):
    def kernel(x, n, layout: gl.constexpr, shared: gl.constexpr):
        ring = gl.allocate_shared_memory(gl.float16, [2, 64, 64], shared)
        rows = gl.arange(0, 64, layout=gl.SliceLayout(1, layout))[:, None]
        offsets = rows * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]
        async_copy.buffer_load_to_shared(ring.index(0), x, offsets, mask=rows < n)
        async_copy.global_load_to_shared(ring.index(1), x + offsets, mask=rows < n, other=5)
        async_copy.commit_group()
        async_copy.wait_group(3)
        value = async_copy.load_shared_relaxed(ring.index(0), layout)
        gl.static_assert(value.layout == layout)

    ir = emit(kernel, "*f16, i32", layout=ROWS, shared=SHARED)
    assert re.search(r"hk_amd.buffer_load_to_shared %arg0\[%\d+\], %\d+, mask %\d+ :", ir)
    assert re.search(r"hk.async_copy_to_shared %\d+, %\d+, mask %\d+, other %\d+ :", ir)
    assert "hk.async_commit_group\n    hk.async_wait_group {outstanding = 3 : i32}" in ir
    assert re.search(r"hk.local_load %\d+ relaxed", ir)


def test_scheduling_barriers_by_hand(emit):
    def kernel(x):
        value = gl.load(x)
        gl.amd.hint.sched_barrier()
        gl.store(x + 1, value)
        gl.amd.hint.sched_barrier(None)

    assert emit(kernel, "*f32").count("hk.sched_barrier") == 2


def test_scheduling_barriers_let_nothing_pass(emit):
    def kernel(x):
        gl.amd.hint.sched_barrier(1)

    with pytest.raises(CompileError, match=r"amd\.hint\.sched_barrier lets no instruction pass: leave out `allow`"):
        emit(kernel, "*f32")
