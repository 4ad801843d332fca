# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 12. Warp pipelining on Hopper: softmax during wgmmas
#
# A Hopper SM has four partitions, each with a tensor core. With eight warps, each partition runs two, one of each
# *warpgroup*, as a SIMD does on CDNA (notebook 11). Here `gl.warp_pipeline_stage` divides the loop of attention, whose
# two halves use different units: wgmmas use tensor cores, the softmax uses ALUs and the transcendental units. If both
# run sequentially, the tensor cores are idle during the softmax. With the warpgroups one stage apart, one computes its
# softmax during the wgmmas of the other.
#
# This notebook needs no GPU; with a Hopper GPU it ends with a measurement. TMA, ring buffers and waits for wgmmas are
# explained in notebooks 7 and 8.

# %%
import re
from functools import partial
from itertools import groupby

import matplotlib.pyplot as plt
import numpy as np

import hocket
from everywhere import hopper_gpu, hopper_places, run_everywhere
from hocket import devices
from hocket import language as gl
from hocket.language.nvidia.hopper import tma, warpgroup_mma, warpgroup_mma_wait
from hocket.nvidia.hopper import TensorDescriptor
from hocket.testing import do_bench

# %% [markdown]
# ## Attention in blocks of keys
#
# Attention computes P V, where P is the softmax of the scores S = Q K^T. Each block of the grid computes 128 rows of
# the result. It goes through the keys in blocks of 128, and never holds a whole row of scores. But the softmax needs
# the largest score of a row, and a later block of keys may contain a larger one. Then the sums so far are *rescaled*:
# multiplied by `exp2(old row max - new row max)`. This is the *online softmax*:


# %%
ROWS, DEPTH = 128, 128
SCORES = gl.NVMMADistributedLayout([3, 0], [8, 1], [16, 128, 16])
BY_ROW = gl.SliceLayout(1, SCORES)
SWIZZLED = gl.NVMMASharedLayout.get_default_for([ROWS, DEPTH], gl.float16)


@hocket.aggregate
class Softmax:
    """State of the online softmax: P of the last block of keys, and the row max and row sum of all blocks so far."""

    p: gl.tensor
    row_max: gl.tensor
    row_sum: gl.tensor
    rescale: gl.tensor  # factor of the sums before the last block


@hocket.jit
def add_scores(scores, row_max, row_sum, scale):
    """Returns the state after a further block of keys."""
    new_max = gl.maximum(row_max, gl.max(scores, axis=1) * scale)
    p = gl.exp2(scores * scale - new_max[:, None])
    rescale = gl.exp2(row_max - new_max)
    operand = gl.convert_layout(p.to(gl.float16), gl.DotOperandLayout(0, SCORES, 2))
    return Softmax(operand, new_max, row_sum * rescale + gl.sum(p, axis=1), rescale)


# %% [markdown]
# A stage of the ring buffer holds a block of keys, and the block of values of the same rows. The scores of the first
# block of keys are computed before the loop. An iteration computes the scores of the next block, and P V of the block
# before, in one group of wgmmas; then the softmax of the new scores. So it reads the keys of one stage of the ring
# buffer, and the values of the stage before.


# %%
@hocket.jit
def load_block(ring, k, v, row, i, pred):
    slot = ring.acquire(i, pred)
    tma.async_load(k, [row + i * ROWS, 0], slot.full, slot.buffers[0], pred)
    tma.async_load(v, [row + i * ROWS, 0], slot.full, slot.buffers[1], pred)


@hocket.jit
def multiply(queries, p, ring, acc, i):
    """Computes the scores of block i, and P V of the block before."""
    keys = ring.wait(i).buffers[0]
    values = ring.slot(i - 1).buffers[1]
    scores = warpgroup_mma(queries, keys.permute([1, 0]), gl.zeros([ROWS, ROWS], gl.float32, SCORES), is_async=True)
    acc = warpgroup_mma(p, values, acc, is_async=True)
    return warpgroup_mma_wait(0, deps=[scores, acc])


@hocket.jit
def attention(q, k, v, out, n, scale, BUFFERS: gl.constexpr, STAGED: gl.constexpr, EXCLUSIVE: gl.constexpr):
    row = gl.program_id(1) * n
    first = row + gl.program_id(0) * ROWS
    blocks = n // ROWS
    queries = gl.RingBuffer(gl.allocate_shared_memory(gl.float16, [1, ROWS, DEPTH], q.layout), consumers=0)
    keys = gl.allocate_shared_memory(gl.float16, [BUFFERS, ROWS, DEPTH], k.layout)
    values = gl.allocate_shared_memory(gl.float16, [BUFFERS, ROWS, DEPTH], v.layout)
    ring = gl.RingBuffer((keys, values), consumers=0)
    producer, consumer = ring.producer(), ring.consumer()
    slot = queries.producer().acquire(0)
    tma.async_load(q, [first, 0], slot.full, slot.buffer)
    for i in gl.static_range(2):
        load_block(producer, k, v, row, i, i < blocks)
    q_tile = queries.consumer().wait(0).buffer
    acc = gl.zeros([ROWS, DEPTH], gl.float32, SCORES)
    scores = warpgroup_mma(q_tile, consumer.wait(0).buffers[0].permute([1, 0]), acc)
    minus_infinity = gl.full([ROWS], float("-inf"), gl.float32, BY_ROW)
    state = add_scores(scores, minus_infinity, gl.zeros([ROWS], gl.float32, BY_ROW), scale)
    for i in range(1, blocks):
        if STAGED:
            with gl.warp_pipeline_stage("wgmma", exclusive=EXCLUSIVE):
                scores, acc = multiply(q_tile, state.p, consumer, acc, i)
            with gl.warp_pipeline_stage("softmax"):
                load_block(producer, k, v, row, i + 1, i + 1 < blocks)
                state = add_scores(scores, state.row_max, state.row_sum, scale)
                acc *= state.rescale[:, None]
        else:
            scores, acc = multiply(q_tile, state.p, consumer, acc, i)
            load_block(producer, k, v, row, i + 1, i + 1 < blocks)
            state = add_scores(scores, state.row_max, state.row_sum, scale)
            acc *= state.rescale[:, None]
    acc = warpgroup_mma(state.p, ring.slot(blocks - 1).buffers[1], acc) / state.row_sum[:, None]
    rows = first + gl.arange(0, ROWS, layout=BY_ROW)
    columns = gl.arange(0, DEPTH, layout=gl.SliceLayout(0, SCORES))
    gl.store(out + rows[:, None] * DEPTH + columns[None, :], acc.to(gl.float16))


def describe(x):
    return TensorDescriptor.from_tensor(x.reshape(-1, DEPTH), [ROWS, DEPTH], SWIZZLED)


def attend(q, k, v, out, staged=True, exclusive=False, buffers=3):
    """Computes attention of arrays of shape [heads, n, 128] and writes `out`."""
    heads, n, _ = q.shape
    scale = DEPTH**-0.5 * float(np.log2(np.e))
    options = {"BUFFERS": buffers, "STAGED": staged, "EXCLUSIVE": exclusive, "num_warps": 8}
    attention[(n // ROWS, heads)](describe(q), describe(k), describe(v), out, n, scale, **options)
    return out


# %% [markdown]
# ## Differences from CDNA
#
# * Barriers are *named barriers* (`bar.sync 2, 256`). They count the arrivals of both warpgroups and order all their
#   memory accesses: every barrier is a fence.
# * wgmmas are asynchronous. `warpgroup_mma_wait` waits only for those of its own warpgroup, so it may be in a stage,
#   like the wait for a stage of the ring buffer.
# * TMA overwrites a buffer while the warpgroups are in different stages. The rule for stages that use the same memory
#   also holds here; a wgmma counts as reading until the end of the stage that waits for it. With two buffers:

# %%
rng = np.random.default_rng(0)
q, k, v = rng.standard_normal((3, 1, 512, DEPTH)).astype(np.float16)
with hocket.emulator.target("sm_90a"):
    try:
        attend(q, k, v, np.empty_like(q), buffers=2)
    except hocket.CompileError as error:
        print(error)

# %% [markdown]
# One warpgroup's wgmma still reads the values of the last block when a thread of the other warpgroup starts the copy
# that overwrites them. With three buffers the copy goes to another buffer, and the results are those of the loop
# without stages:

# %%
with hocket.emulator.target("sm_90a"):
    plain = attend(q, k, v, np.empty_like(q), staged=False)
    for seed in range(4):
        with hocket.emulator.schedule(seed=seed, completion="random"):
            assert np.array_equal(attend(q, k, v, np.empty_like(q)), plain)
            assert np.array_equal(attend(q, k, v, np.empty_like(q), exclusive=True), plain)
print("equal with and without stages")

# %% [markdown]
# ## Exclusive stages
#
# `exclusive=True` selects the other form of pipeline on Hopper. With a barrier of both warpgroups before every stage,
# an iteration takes the time of the longer of the two concurrent stages. But only the tensor cores need exclusive use:
# with exclusive stages the warpgroups alternate in the stage with the wgmmas (*ping-pong*), do not wait for each other
# elsewhere, and may run ahead. Two stages that use the same memory must then be two exclusive stages apart, including
# themselves.
#
# ## The PTX of the loop
#
# Barriers separate the wgmmas from the softmax, whose exponentials are `ex2`. The first wgmmas and the first softmax
# are those before the loop. The code of the loop begins with its softmax:

# %%
compiled = attention.warmup(
    *[describe(q)] * 3, gl.float16, 4096, 0.1, BUFFERS=3, STAGED=True, EXCLUSIVE=False, num_warps=8, target="sm_90a"
)
KINDS = r"(bar\.sync|wgmma\.mma_async|wgmma\.wait|ex2|cp\.async\.bulk|shfl|mbarrier\.try_wait)"
for instruction, run_of_it in groupby(re.findall(KINDS, compiled.asm["ptx"])):
    print(f"{len(list(run_of_it)):4} x {instruction}")

# %% [markdown]
# ## Every Hopper target


# %%
def expected(q, k, v):
    weights = np.exp(q @ k.transpose(0, 2, 1) / DEPTH**0.5)
    return weights @ v / weights.sum(axis=-1, keepdims=True)


rows = run_everywhere(
    "warp-pipelined attention",
    lambda q, k, v: attend(q, k, v, q * 0),
    expected,
    [(q, k, v)],
    shape=lambda q, k, v: "x".join(map(str, q.shape)),
    tolerance_ulp=4.0,
    places=hopper_places(),
)

# %% [markdown] The next step from here is `hocket/kernels/_attention/attention_simple.py`: a producer warp, masks, and
# sequences of any length. `kernel_hopper.py` in the same folder is the tuned kernel.

# %% [markdown]
# ## Measurement
#
# On a Hopper GPU, this cell measures the effect of the stages:

# %%
FORMS = {"without stages": (False, False), "barrier before every stage": (True, False), "exclusive stage": (True, True)}
if hopper_gpu() and (gpu := devices.cuda()):
    heads, lengths = 16, [1024, 2048, 4096, 8192, 16384]
    speeds = {form: [] for form in FORMS}
    with gpu:
        for n in lengths:
            arrays = [gpu.to_device(x) for x in rng.standard_normal((3, heads, n, DEPTH)).astype(np.float16)]
            result = gpu.to_device(np.zeros((heads, n, DEPTH), np.float16))
            for form, options in FORMS.items():
                milliseconds = do_bench(partial(attend, *arrays, result, *options), return_mode="median")
                speeds[form].append(4 * heads * n * n * DEPTH / milliseconds * 1e-9)
    _, axes = plt.subplots(figsize=(6, 3))
    for form, measured in speeds.items():
        axes.plot(lengths, measured, marker="o", label=form)
        print(f"{form:28}", *(f"{speed:8.0f}" for speed in measured), "TFLOP/s")
    axes.set(xscale="log", xticks=lengths, xticklabels=lengths, xlabel="keys", ylabel="TFLOP/s", title=gpu.name)
    axes.legend()
    plt.show()
else:
    print("This machine has no Hopper GPU: the measurement is skipped.")
