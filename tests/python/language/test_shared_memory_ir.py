"""IR of shared memory, checks and facts."""

import re

import pytest

from hocket import language as gl

L = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
S = gl.SwizzledSharedLayout(4, 1, 4, [1, 0])
PADDED = gl.PaddedSharedLayout.with_identity_for([[32, 4]], [16, 32], [1, 0])


@pytest.mark.parametrize("shared", [S, PADDED])
def test_store_and_load(emit, shared):
    def kernel(layout: gl.constexpr, shared: gl.constexpr):
        smem = gl.allocate_shared_memory(gl.float16, [16, 32], shared)
        gl.static_assert(smem.shape == (16, 32))
        gl.static_assert(smem.rank == 2)
        gl.static_assert(smem.numel == 512)
        gl.static_assert(smem.dtype == gl.float16)
        gl.static_assert(smem.layout == shared)
        gl.static_assert(smem.type == gl.shared_memory_descriptor_type(gl.float16, [16, 32], shared))
        smem.store(gl.zeros([16, 32], gl.float16, layout))
        gl.barrier()
        value = smem.load(layout)
        gl.static_assert(value.dtype == gl.float16)
        gl.static_assert(value.layout == layout)
        smem._keep_alive()

    ir = emit(kernel, layout=L, shared=shared)
    for operation in ("hk.local_alloc", "hk.local_store", "hk.barrier", "hk.local_load"):
        assert operation in ir


def test_bytes(emit):
    def kernel(plain: gl.constexpr, padded: gl.constexpr):
        gl.static_assert(gl.allocate_shared_memory(gl.float32, [16, 32], plain).nbytes_per_cta == 2048)
        gl.static_assert(gl.allocate_shared_memory(gl.float32, [3, 16, 32], plain).nbytes_per_cta == 3 * 2048)
        gl.static_assert(gl.allocate_shared_memory(gl.int8, [16, 32], padded).nbytes_per_cta > 512)

    emit(kernel, plain=S, padded=PADDED)


def test_first_contents(emit):
    def kernel(layout: gl.constexpr, shared: gl.constexpr):
        gl.allocate_shared_memory(gl.int32, [16, 32], shared, gl.zeros([16, 32], gl.int32, layout))

    assert "hk.local_alloc %" in emit(kernel, layout=L, shared=S)


def test_ring(emit):
    def kernel(n, layout: gl.constexpr, shared: gl.constexpr):
        ring = gl.allocate_shared_memory(gl.float32, [3, 16, 32], shared)
        slot = ring.index(1)
        gl.static_assert(slot.shape == (16, 32))
        ring.index(n % 3).store(slot.load(layout))
        pair = ring.slice(1, 2)
        gl.static_assert(pair.shape == (2, 16, 32))

    ir = emit(kernel, "i64", layout=L, shared=S)
    assert ir.count("hk.memdesc_index") == 2
    assert "arith.trunci" in ir
    assert "hk.memdesc_slice" in ir


def test_views(emit):
    def kernel(shared: gl.constexpr):
        smem = gl.allocate_shared_memory(gl.float32, [16, 32], shared)
        half = smem.slice(16, 16, dim=1)
        gl.static_assert(half.shape == (16, 16))
        columns = smem.permute([1, 0])
        gl.static_assert(columns.shape == (32, 16))
        gl.static_assert(columns.layout.order == [0, 1])
        words = smem._reinterpret(gl.int16, [16, 64], shared)
        gl.static_assert(words.dtype == gl.int16)
        plain = gl.allocate_shared_memory(gl.float32, [16, 32], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
        gl.static_assert(plain.reshape([2, 8, 32]).shape == (2, 8, 32))

    ir = emit(kernel, shared=S)
    assert "hk.memdesc_slice %0 [0, 16]" in ir
    for operation in ("hk.memdesc_permute", "hk.memdesc_reinterpret", "hk.memdesc_reshape"):
        assert operation in ir


def test_reinterpret_keeps_what_it_is_not_given(emit):
    def kernel(shared: gl.constexpr):
        smem = gl.allocate_shared_memory(gl.float32, [16, 32], shared)
        cube: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [2, 1, 0])
        part = smem._reinterpret(shape=[2, 4, 32], layout=cube)
        gl.static_assert(part.dtype == gl.float32)
        gl.static_assert(part.shape == (2, 4, 32))
        gl.static_assert(part.layout == cube)
        words = smem._reinterpret(gl.int32)
        gl.static_assert(words.dtype == gl.int32)
        gl.static_assert(words.shape == (16, 32))
        gl.static_assert(words.layout == shared)

    assert emit(kernel, shared=S).count("hk.memdesc_reinterpret") == 2


# Checks and facts -----------------------------------------------------------------------------------------------------


def test_static_print(emit, capfd):
    def kernel(x, N: gl.constexpr):
        gl.static_print("N is", N)
        gl.static_print(gl.load(x), N + 1, sep=" | ", end=";\n")

    emit(kernel, "*f32", N=7)
    assert capfd.readouterr().out == "N is 7\na run-time float32 | 8;\n"


def test_device_assert_needs_debug(emit):
    def kernel(x, layout: gl.constexpr):
        i = gl.arange(0, 128, layout=layout)
        gl.device_assert(gl.load(x + i) > 0, "must be positive", mask=i < 100)

    layout = gl.BlockedLayout([1], [32], [4], [0])
    assert "hk.assert" not in emit(kernel, "*i32", layout=layout)
    ir = emit(kernel, "*i32", layout=layout, _debug=True)
    assert re.search(r'hk\.assert %\d+, "must be positive"', ir)
    assert "arith.ori" in ir


def test_facts(emit):
    def kernel(x, n, layout: gl.constexpr):
        gl.assume(n > 0)
        gl.multiple_of(n, 8)
        i = gl.max_contiguous(gl.multiple_of(gl.arange(0, 128, layout=layout) * n, 8), 4)
        gl.max_constancy(i + 1, [2])

    ir = emit(kernel, "*i32, i32", layout=gl.BlockedLayout([1], [32], [4], [0]))
    assert "hk.assume" in ir
    assert "hk.divisibility = 8 : i32" in ir
    assert "hk.contiguity = array<i32: 4>" in ir
    assert "hk.divisibility = array<i32: 8>" in ir
    assert "hk.constancy = array<i32: 2>" in ir
