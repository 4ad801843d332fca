"""gl.sched_group_barrier changes no result, and AMD's machine code has the requested order."""

import random
import re

import numpy as np
import pytest
from tile_layouts import lanes

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.language import amd

KINDS = ["alu", "valu", "salu", "mfma", "vmem", "vmem_read", "vmem_write", "lds", "lds_read", "lds_write", "trans",
         "lds_copy"]  # fmt: skip
LINE = gl.constexpr(gl.BlockedLayout([4], [64], [1], [0]))
SHARED = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))
ACC = gl.constexpr(amd.AMDMFMALayout(3, [32, 32, 8], True, [1, 1]))


@hocket.jit
def request(pattern: gl.constexpr):
    for i in gl.static_range(len(pattern)):
        gl.sched_group_barrier(pattern[i][0], pattern[i][1], i % 3)


@hocket.jit
def through_shared_memory(x, y, out, layout: gl.constexpr, pattern: gl.constexpr):
    i = gl.arange(0, 256, layout=layout)
    smem = gl.allocate_shared_memory(gl.float32, [2, 256], SHARED)
    total = gl.zeros([256], gl.float32, layout)
    for step in range(3):
        smem.index(0).store(gl.load(x + i) + step)
        request(pattern)
        smem.index(1).store(gl.exp(gl.load(y + i)))
        total += smem.index(0).load(layout) * smem.index(1).load(layout)
        request(pattern)
    gl.store(out + i, total)


@pytest.mark.parametrize("seed", range(4))
def test_results_do_not_change(device, seed):
    """Random kinds, counts and sequences, on each target."""
    rng = random.Random(seed)
    pattern = [
        (rng.choice([rng.choice(KINDS), tuple(rng.sample(KINDS, 3))]), rng.choice([1, 2, 5, 2**31 - 1]))
        for _ in range(12)
    ]
    x, y = np.random.default_rng(seed).standard_normal((2, 256), np.float32)
    out = device.to_device(np.zeros(256, np.float32))
    layout = gl.BlockedLayout([2], [lanes(device)], [4], [0])
    through_shared_memory[(1,)](device.to_device(x), device.to_device(y), out, layout=layout, pattern=tuple(pattern))
    np.testing.assert_allclose(device.to_host(out), (3 * x + 3) * np.exp(y), rtol=1e-5, atol=1e-5)


@hocket.jit
def mfmas_and_reads(x, out, mfmas: gl.constexpr, reads: gl.constexpr, pattern: gl.constexpr):
    """`mfmas` MFMAs and `reads` reads of LDS, all independent of each other."""
    a = gl.full([32, 8], 1, gl.float16, gl.DotOperandLayout(0, ACC, 4))
    b = gl.full([8, 32], 1, gl.float16, gl.DotOperandLayout(1, ACC, 4))
    i = gl.arange(0, 256, layout=LINE)
    smem = gl.allocate_shared_memory(gl.float32, [reads, 256], SHARED)
    for tile in gl.static_range(reads):
        smem.index(tile).store(gl.load(x + tile * 256 + i))
    sums = [gl.full([32, 32], tile, gl.float32, ACC) for tile in range(mfmas)]
    gl.sched_barrier(computed=sums)
    tiles = [smem.index(tile).load(LINE) for tile in range(reads)]
    sums = [amd.cdna3.mfma(a, b, acc) for acc in sums]
    for group in gl.static_range(len(pattern)):
        gl.sched_group_barrier(pattern[group][0], pattern[group][1])
    gl.sched_barrier()
    for tile in gl.static_range(reads):
        gl.store(out + tile * 256 + i, tiles[tile])
    total = sums[0]
    for acc in sums[1:]:
        total += acc
    gl.store(out + reads * 256, gl.sum(gl.sum(total, 1), 0))


def random_pattern(rng, mfmas, reads):
    """Groups of random sizes, which alternate between the two kinds."""
    left = {"mfma": mfmas, "lds_read": reads}
    kind, pattern = rng.choice(["mfma", "lds_read"]), []
    while any(left.values()):
        count = min(left[kind], rng.randint(1, 3))
        if count:
            pattern.append((kind, count))
            left[kind] -= count
        kind = "lds_read" if kind == "mfma" else "mfma"
    return tuple(pattern)


@pytest.mark.codegen
@pytest.mark.parametrize("seed", range(8))
def test_amd_orders_instructions_as_requested(seed):
    """The order of independent instructions in the assembly is that of a random pattern."""
    rng = random.Random(seed)
    mfmas, reads = rng.randint(2, 6), rng.randint(2, 8)
    pattern = random_pattern(rng, mfmas, reads)
    x, out = np.zeros(reads * 256, np.float32), np.zeros(reads * 256 + 1, np.float32)
    options = {"mfmas": mfmas, "reads": reads, "pattern": pattern, "num_warps": 1}
    asm = mfmas_and_reads.warmup(x, out, **options, grid=(1,), target="gfx942").asm["amdgcn"]
    order = re.findall(r"^\s+(v_mfma|ds_read_b128)", asm, re.MULTILINE)
    names = {"mfma": "v_mfma", "lds_read": "ds_read_b128"}
    assert order == [names[kind] for kind, count in pattern for _ in range(count)]
    with emulator.target("gfx942"):
        x = np.random.default_rng(seed).standard_normal(reads * 256, np.float32)
        mfmas_and_reads[(1,)](x, out, **options)
    np.testing.assert_array_equal(out[:-1], x)
    assert out[-1] == 32 * 32 * sum(tile + 8 for tile in range(mfmas))


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_nvidia_code_does_not_change(target):
    x = np.zeros(256, np.float32)
    layout = gl.BlockedLayout([2], [32], [4], [0])
    with_groups, without = (
        through_shared_memory.warmup(x, x, x, layout=layout, pattern=pattern, grid=(1,), target=target).asm["ptx"]
        for pattern in ((("mfma", 1), ("lds", 2)), ())
    )
    assert re.sub(r"\.loc.*|//.*", "", with_groups) == re.sub(r"\.loc.*|//.*", "", without)


@hocket.jit
def both_spellings(x):
    value = gl.load(x)
    gl.sched_group_barrier(["lds_read", "vmem_write"], 3, group=2)
    amd.cdna3.sched_group_barrier(0x140, 3, 2)
    gl.store(x, value)


def test_both_spellings_are_the_same_operation():
    asm = both_spellings.warmup(np.zeros(1, np.float32), grid=(1,), target="gfx950").asm
    assert asm["hk"].count("hk_amd.sched_group_barrier 320, 3, 2") == 2
    assert asm["llir"].count("call void @llvm.amdgcn.sched.group.barrier(i32 320, i32 3, i32 2)") == 2
