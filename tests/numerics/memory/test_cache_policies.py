"""Cache policies of loads, stores and cp.async: they change no result, and the instructions have them."""

import re

import numpy as np
import pytest

import hocket
from hocket import _core
from hocket import language as gl
from hocket.language.nvidia import ampere
from hocket.runtime import compiler

Policy, L2 = ampere.CachePolicy, ampere.FractionalEvictionPolicy

KEEP = Policy(l1="evict_last", l2=L2("evict_last"))
STREAM = Policy(l1="no_allocate", l2=L2("evict_first"), l2_prefetch_size=256)
HALF = Policy(".cg", l2=L2("evict_last", 0.5, "evict_first"))
UNCHANGED = Policy(l2=L2("evict_unchanged"))
USUAL = Policy(l1="evict_normal", l2=L2("evict_normal"))
OUT = Policy(l1="no_allocate", l2=L2("evict_first"))


@hocket.jit
def copy_kernel(x, y, n, LOAD: gl.constexpr, STORE: gl.constexpr):
    i = gl.arange(0, 512, gl.row_layout(4))
    v = gl.load(x + i, mask=i < n, other=7.0, cache_policy=LOAD)
    gl.store(y + i, v, mask=i < n, cache_policy=STORE)


@pytest.mark.parametrize(
    "load, store", [(None, None), (KEEP, OUT), (STREAM, HALF), (HALF, OUT), (UNCHANGED, USUAL), (USUAL, UNCHANGED)]
)
def test_results_are_the_same(every_device, load, store):
    x = np.random.default_rng(0).standard_normal(512).astype(np.float32)
    y = every_device.to_device(np.zeros_like(x))
    copy_kernel[(1,)](every_device.to_device(x), y, 500, load, store)
    np.testing.assert_array_equal(every_device.to_host(y), np.where(np.arange(512) < 500, x, 0))


def instructions(kernel, target, *arguments):
    text = kernel.warmup(*arguments, target=target).asm["ptx" if target.startswith("sm") else "amdgcn"]
    return re.findall(r"(?:ld\.global|st\.global|createpolicy|cp\.async\.c|global_load|global_store)[^;\n]*", text)


X = np.zeros(512, np.float32)


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
@pytest.mark.parametrize(
    "load, loads, policy",
    [
        (KEEP, "ld.global.L1::evict_last.L2::cache_hint.v4.b32", "createpolicy.fractional.L2::evict_last.b64"),
        (
            STREAM,
            "ld.global.L1::no_allocate.L2::cache_hint.L2::256B.v4.b32",
            "createpolicy.fractional.L2::evict_first.b64",
        ),
        (HALF, "ld.global.cg.L2::cache_hint.v4.b32", "createpolicy.fractional.L2::evict_last.L2::evict_first.b64"),
        (UNCHANGED, "ld.global.L2::cache_hint.v4.b32", "createpolicy.fractional.L2::evict_unchanged.b64"),
        (USUAL, "ld.global.v4.b32", None),
    ],
)
def test_instructions_of_nvidia(target, load, loads, policy):
    found = instructions(copy_kernel, target, X, X, 496, load, None)
    assert any(line.startswith(loads + " ") for line in found), found
    policies = [line for line in found if line.startswith("createpolicy")]
    assert bool(policies) == (policy is not None)
    assert all(line.startswith(policy + " ") for line in policies)
    if load is HALF:
        assert all(line.endswith(", 0.5") for line in policies)


def test_stores_of_nvidia():
    found = instructions(copy_kernel, "sm_90a", X, X, 496, None, OUT)
    assert any(line.startswith("st.global.L1::no_allocate.L2::cache_hint.v4.b32 ") for line in found), found


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_instructions_of_amd(target):
    """Their caches have one hint: that data will not be used again soon."""
    plain = instructions(copy_kernel, target, X, X, 496, KEEP, USUAL)
    hinted = instructions(copy_kernel, target, X, X, 496, STREAM, OUT)
    assert not any(" nt" in line for line in plain)
    assert all(any(" nt" in line for line in hinted if kind in line) for kind in ("global_load", "global_store"))


@hocket.jit
def async_kernel(x, y, POLICY: gl.constexpr, WORD: gl.constexpr):
    i = gl.arange(0, 512, gl.row_layout(4))
    tile = gl.allocate_shared_memory(gl.float32, [512], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    if POLICY is None:
        ampere.async_copy.async_load(tile, x + i, mask=i < 500, eviction_policy=WORD)
    else:
        ampere.async_copy.async_load(tile, x + i, mask=i < 500, cache_policy=POLICY)
    ampere.async_copy.commit_group()
    ampere.async_copy.wait_group(0)
    gl.store(y + i, tile.load(i.type.layout))


COPIES = [
    (Policy(l2=L2("evict_first")), "", "cp.async.cg.shared.global.L2::cache_hint "),
    (Policy(l2=L2("evict_last", 0.25), l2_prefetch_size=128), "", "cp.async.cg.shared.global.L2::cache_hint.L2::128B "),
    (Policy(".ca", l2_prefetch_size=64), "", "cp.async.ca.shared.global.L2::64B "),
    (None, "evict_last", "cp.async.cg.shared.global.L2::cache_hint "),
    (None, "", "cp.async.cg.shared.global "),
]


@pytest.mark.parametrize("policy, word, expected", COPIES)
def test_asynchronous_copies(nvidia_device, policy, word, expected):
    x = np.random.default_rng(1).standard_normal(512).astype(np.float32)
    y = nvidia_device.to_device(np.zeros_like(x))
    async_kernel[(1,)](nvidia_device.to_device(x), y, policy, word)
    np.testing.assert_array_equal(nvidia_device.to_host(y), np.where(np.arange(512) < 500, x, 0))


@pytest.mark.parametrize("policy, word, expected", COPIES)
def test_instructions_of_copies(policy, word, expected):
    found = instructions(async_kernel, "sm_80", X, X, policy, word)
    assert any(line.startswith(expected) for line in found), found


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_the_assembler_takes_them(target):
    compiler.find_assembler()
    if not _core.cubin_assembler():
        pytest.skip("neither nvJitLink nor ptxas is installed")
    kernels = [(copy_kernel, (496, *pair)) for pair in [(KEEP, OUT), (STREAM, HALF), (HALF, OUT), (UNCHANGED, USUAL)]]
    kernels += [(async_kernel, (policy, word)) for policy, word, _ in COPIES]
    for kernel, arguments in kernels:
        assert kernel.warmup(X, X, *arguments, target=target).asm["cubin"].startswith(b"\x7fELF")


@hocket.jit
def word_kernel(x, y, MODIFIER: gl.constexpr, WORD: gl.constexpr):
    i = gl.arange(0, 512, gl.row_layout(4))
    gl.store(y + i, gl.load(x + i, cache_modifier=MODIFIER, eviction_policy=WORD), eviction_policy=WORD)


@pytest.mark.parametrize("modifier", [None, "", ".cg"])
@pytest.mark.parametrize("word", [None, "", "evict_first", "evict_last"])
def test_words(every_device, modifier, word):
    """None is as good as "", as in Triton 3.9."""
    x = np.arange(512, dtype=np.float32)
    y = every_device.to_device(np.zeros_like(x))
    word_kernel[(1,)](every_device.to_device(x), y, modifier, word)
    np.testing.assert_array_equal(every_device.to_host(y), x)
