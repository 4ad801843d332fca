"""IR of loads, stores and atomics."""

import re

import pytest

from hocket import language as gl
from hocket.language.nvidia.ampere import FractionalEvictionPolicy

L = gl.BlockedLayout([2], [32], [4], [0])
L2 = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])


def test_load_with_mask_and_other(emit):
    def kernel(x, n, layout: gl.constexpr):
        i = gl.arange(0, 256, layout=layout)
        value = gl.load(x + i, mask=i < n, other=0)
        gl.static_assert(value.dtype == gl.float16)
        gl.static_assert(value.layout == layout)

    ir = emit(kernel, "*f16, i32", layout=L)
    assert "arith.constant 0.000000e+00 : f16" in ir
    assert re.search(r"hk\.load %\d+, mask %\d+, other %\d+ :", ir)


def test_masks_and_values_stretch_to_the_pointers(emit):
    def kernel(x, n, layout: gl.constexpr):
        rows = gl.arange(0, 16, layout=gl.SliceLayout(1, layout))
        columns = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))
        pointers = x + rows[:, None] * 32 + columns[None, :]
        value = gl.load(pointers, mask=(rows < n)[:, None], other=columns[None, :])
        gl.static_assert(value.shape == (16, 32))
        gl.store(pointers, rows[:, None], mask=n > 3)

    ir = emit(kernel, "*f32, i32", layout=L2)
    assert "arith.sitofp" in ir
    assert ir.count("hk.load") == ir.count("hk.store") == 1


def test_scalars(emit):
    def kernel(x, y, n):
        gl.store(y, gl.load(x, mask=n > 0, other=1), mask=n > 1)

    ir = emit(kernel, "*i8, *f32, i32")
    assert ": !hk.ptr<i8> -> i8" in ir
    assert "arith.sitofp" in ir


@pytest.mark.parametrize(
    ("modifier", "text"), [("", ""), (".ca", "cache = ca"), (".cg", "cache = cg"), (".cv", "cache = cv")]
)
def test_load_hints(emit, modifier, text):
    def kernel(x, modifier: gl.constexpr):
        gl.load(x, cache_modifier=modifier, eviction_policy="evict_first", volatile=True)

    ir = emit(kernel, "*f32", modifier=modifier)
    assert text in ir
    # A modifier determines how the access uses the L1 cache.
    assert ("policy = <l2 = evict_first>" if modifier else "policy = <l1 = evict_first, l2 = evict_first>") in ir
    assert "volatile" in ir


def test_store_hints(emit):
    def kernel(x):
        gl.store(x, 1.0, cache_modifier=".wt", eviction_policy="evict_last")

    ir = emit(kernel, "*f32")
    assert "cache = wt" in ir
    assert "policy = <l2 = evict_last>" in ir


def test_policies(emit):
    def kernel(x, policy: gl.constexpr):
        gl.load(x, cache_policy=policy)

    part = gl.CachePolicy(l1="no_allocate", l2=FractionalEvictionPolicy("evict_last", 0.5), l2_prefetch_size=64)
    text = (
        "l1 = no_allocate, l2 = evict_last, fraction = 5.000000e-01 : f32, secondary = evict_unchanged, prefetch = 64"
    )
    assert f"policy = <{text}>" in emit(kernel, "*f32", policy=part)
    usual = gl.CachePolicy(l1="evict_normal", l2=FractionalEvictionPolicy("evict_normal", 1.0, "evict_first"))
    assert "policy" not in emit(kernel, "*f32", policy=usual)
    modified = emit(kernel, "*f32", policy=gl.CachePolicy(".cg"))
    assert "cache = cg" in modified and "policy" not in modified


def test_a_mask_that_is_true_is_no_mask(emit):
    def kernel(x):
        gl.load(x, mask=True, other=1.0)

    assert "mask" not in emit(kernel, "*f32")


def test_bools_are_bytes_in_memory(emit):
    def kernel(x, y):
        value = gl.load(x)
        gl.static_assert(value.dtype == gl.int1)
        gl.store(x, gl.load(y))

    ir = emit(kernel, "*i1, *i32")
    assert "hk.load %arg0 : !hk.ptr<i8> -> i8" in ir
    assert "arith.cmpi ne" in ir
    assert "arith.extui" in ir  # 0 or 1 is stored, whatever the int was


ATOMICS = [
    ("atomic_add", "f32", "fadd"), ("atomic_add", "bf16", "fadd"), ("atomic_add", "i32", "add"),
    ("atomic_add", "u64", "add"), ("atomic_max", "i32", "max"), ("atomic_max", "u32", "umax"),
    ("atomic_min", "i64", "min"), ("atomic_min", "u32", "umin"), ("atomic_and", "i32", "and"),
    ("atomic_or", "u64", "or"), ("atomic_xor", "i32", "xor"), ("atomic_xchg", "f32", "xchg"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "type", "operation"), ATOMICS)
def test_atomics(emit, name, type, operation):
    def kernel(x, n, layout: gl.constexpr, atomic: gl.constexpr):
        i = gl.arange(0, 256, layout=layout)
        old = atomic(x + i, 1, mask=i < n, sem="relaxed", scope="cta")
        gl.static_assert(old.dtype == x.dtype.element_ty)
        atomic(x, 1)

    ir = emit(kernel, f"*{type}, i32", layout=L, atomic=getattr(gl, name))
    assert f"hk.atomic_rmw {operation}, %" in ir
    assert "sem = relaxed scope = cta" in ir


@pytest.mark.parametrize("name", ["atomic_max", "atomic_min"])
@pytest.mark.parametrize("type", ["f32", "f64"])
def test_float_extrema_are_two_integer_atomics(emit, name, type):
    def kernel(x, n, layout: gl.constexpr, atomic: gl.constexpr):
        i = gl.arange(0, 256, layout=layout)
        gl.static_assert(atomic(x + i, 1.5, mask=i < n).dtype == x.dtype.element_ty)

    ir = emit(kernel, f"*{type}, i32", layout=L, atomic=getattr(gl, name))
    signed, unsigned = ("max", "umin") if name == "atomic_max" else ("min", "umax")
    assert f"hk.atomic_rmw {signed}, " in ir
    assert f"hk.atomic_rmw {unsigned}, " in ir


def test_compare_and_swap(emit):
    def kernel(x):
        gl.static_assert(gl.atomic_cas(x, 0, 1, sem="acquire").dtype == gl.int32)

    assert "hk.atomic_cas" in emit(kernel, "*i32")
