"""Kernels with and without profiling have equal results and barriers; without a session they have equal code."""

import re
from collections import Counter

import numpy as np
import pytest
from record_buffers import recorded

import hocket
from hocket import kernels
from hocket import language as gl
from hocket.language import profiler
from hocket.profiler.facts import ProfileConfig

TEXTS = {"sm_80": "ptx", "sm_90a": "ptx", "gfx942": "amdgcn", "gfx950": "amdgcn"}


def with_records():
    @hocket.jit
    def kernel(x, n):
        token = profiler.null_token()
        for k in range(n):
            profiler.end(token)
            with profiler.scope("step", k, when=k > 2):
                gl.store(x + k, gl.load(x + k) * 2)
            profiler.mark("stepped", k)
            token = profiler.begin("next", k)
        profiler.end(token)

    return kernel


def without_records():
    @hocket.jit
    def kernel(x, n):
        for k in range(n):
            gl.store(x + k, gl.load(x + k) * 2)

    return kernel


@pytest.mark.parametrize("target", TEXTS)
def test_code_without_records_is_the_same(target):
    texts = [make().warmup(gl.int32, 3, target=target).asm[TEXTS[target]] for make in (with_records, without_records)]
    assert texts[0] == texts[1]


def random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float16)


def product():
    return kernels.matmul(random(160, 96), random(96, 72, seed=1), out_dtype="float32")


def attention():
    q, k, v = (random(1, 2, 160, 64, seed=seed) for seed in range(3))
    return kernels.attention(q, k, v)


@pytest.mark.parametrize("function", [product, attention], ids=lambda function: function.__name__)
def test_results_of_kernels_are_the_same(device, function):
    if device.is_gpu:
        pytest.skip("the operands are on the host")
    plain = function()
    with recorded(device) as launches:
        profiled = function()
    np.testing.assert_array_equal(plain, profiled)
    assert launches
    for launch in launches:
        for block in launch.blocks:
            assert block.magic == 0x46504B48
            assert any(unit.count for unit in block.of)


@hocket.jit
def transpose(x, out, n):
    rows: gl.constexpr = gl.BlockedLayout([1, 1], [1, gl.num_lanes()], [gl.num_warps(), 1], [1, 0])
    columns: gl.constexpr = gl.BlockedLayout([1, 1], [gl.num_lanes(), 1], [1, gl.num_warps()], [0, 1])
    i = gl.arange(0, 64, layout=gl.SliceLayout(1, rows))[:, None]
    j = gl.arange(0, 64, layout=gl.SliceLayout(0, rows))[None, :]
    tile = gl.load(x + 64 * i + j)
    for _ in range(n):
        with profiler.scope("there"):
            turned = gl.convert_layout(tile, columns)
        with profiler.scope("back"):
            tile = gl.convert_layout(turned + 1, rows)
    gl.store(out + 64 * i + j, tile)


@pytest.mark.parametrize("space", ["device", "shared"])
@pytest.mark.parametrize("target", TEXTS)
def test_loops_have_the_same_barriers(target, space):
    config = ProfileConfig(space=space, bytes=128)
    barrier = "bar.sync" if target.startswith("sm") else "s_barrier"
    plain, profiled = (
        transpose.warmup(gl.float32, gl.float32, 5, target=target, profile=text).asm[TEXTS[target]]
        for text in ("", config.text())
    )
    assert plain.count(barrier) == profiled.count(barrier) > 0


def lines_of_kernel(target, space):
    """The lane form of a kernel that records: what each line does, without the names of values."""
    config = ProfileConfig(space=space, bytes=128, max_ctas=2 if space == "static" else 0)
    text = transpose.warmup(gl.float32, gl.float32, 5, target=target, profile=config.text()).asm["lane"]
    lines = (re.sub(r"%[\w#:]+", "%", line).strip() for line in text.splitlines())
    return Counter(line for line in lines if not line.startswith("module"))


#: Operations that may be in only one of two spaces: the variable or the argument, addresses, the flush (a loop), and
#: the check that a block has memory for records.
OF_A_SPACE = re.compile(
    r"prof\.|^llvm\.func|^llvm\.mlir\.global|addressof|llvm\.mlir\.zero|^llvm\.return|getelementptr|llvm\.icmp|llvm\.and|"
    r"llvm\.select|llvm\.br|llvm\.cond_br|llvm\.load|llvm\.store|lane\.store|mlir\.constant|llvm\.add|llvm\.mul|\^bb|"
    r"warp\.barrier|bar\.warp\.sync|wave\.barrier|llvm\.mlir\.poison|llvm\.fence|^}|hk\."
)


@pytest.mark.parametrize("target", TEXTS)
@pytest.mark.parametrize("space", ["static", "shared"])
def test_another_space_changes_only_where_records_go(target, space):
    device, other = (lines_of_kernel(target, which) for which in ("device", space))
    different = (device - other) + (other - device)
    assert different
    assert not [line for line in different if not OF_A_SPACE.search(line)]
    # Operations of the user's kernel and of records: shuffles, clock reads, barriers, arithmetic.
    kept = re.compile(r"clock|memtime|barrier|shfl|fadd|bpermute|lane\.load")
    assert [line for line in device if kept.search(line)]
    if space == "static":
        assert not [line for line in different if kept.search(line)]
    else:  # at the end, warps copy their records
        copying = re.compile(r"warp\.barrier|bar\.warp\.sync|wave\.barrier|lane\.load")
        assert not [line for line in different if kept.search(line) and not copying.search(line)]
