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
# # 5. Reductions and scans
#
# A reduction combines all elements along an axis. A scan computes, for each element, the combination of this element
# and all elements before it. Reductions and scans accept any associative function, also of several values. The index of
# a maximum, a variance or a linear recurrence can therefore be computed in parallel, in few steps.

# %%
import re

import matplotlib.pyplot as plt
import numpy as np

import hocket
from everywhere import bfloat16, run_everywhere
from hocket import language as gl

# %% [markdown]
# ## Three steps of a reduction
#
# `gl.sum`, `gl.max` and `gl.reduce` first combine the registers of a lane, then lanes (by shuffles), then warps
# (through shared memory, with a barrier). The layout determines the amount of work in each step. The next cell computes
# sums of rows of a 64 x 64 tile, with each row in one lane, in one warp, or across all four warps, and counts
# instructions in the PTX.


# %%
@hocket.jit
def row_sums(x, out, LAYOUT: gl.constexpr):
    rows = gl.arange(0, 64, gl.SliceLayout(1, LAYOUT))
    columns = gl.arange(0, 64, gl.SliceLayout(0, LAYOUT))
    gl.store(out + rows, gl.sum(gl.load(x + rows[:, None] * 64 + columns[None, :]), axis=1))


layouts = {
    "a lane": gl.BlockedLayout([1, 64], [32, 1], [4, 1], [1, 0]),
    "a warp": gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0]),
    "four warps": gl.BlockedLayout([1, 4], [8, 4], [1, 4], [1, 0]),
}
KINDS = {"additions": r"add\S*\.f32", "shuffles": r"shfl\.sync", "barriers": r"bar(rier)?\S*\.sync"}
counted = {}
for name, layout in layouts.items():
    ptx = row_sums.warmup(gl.float32, gl.float32, LAYOUT=layout, target="sm_90a").asm["ptx"]
    counted[name] = [len(re.findall(pattern, ptx)) for pattern in KINDS.values()]

figure, axes = plt.subplots(figsize=(6.5, 2.6))
for number, kind in enumerate(KINDS):
    places = [place + 0.27 * (number - 1) for place in range(len(counted))]
    axes.bar_label(axes.bar(places, [counts[number] for counts in counted.values()], 0.25, label=kind))
axes.set_xticks(range(len(counted)), [f"a row is in {name}" for name in counted])
axes.margins(y=0.2)
axes.set_ylabel("instructions of a lane")
axes.legend(fontsize=8)
plt.show()

# %% [markdown]
# ## Custom functions
#
# `gl.reduce` takes a tuple of tensors and a function whose parameters are all values of the left operand, then all of
# the right. Here the values are a number and its index, and the function returns the larger number, or the first of two
# equal ones: an argmax.


# %%
@hocket.jit
def larger(value, index, other, other_index):
    takes_other = (other > value) | ((other == value) & (other_index < index))
    return gl.where(takes_other, other, value), gl.where(takes_other, other_index, index)


@hocket.jit
def argmax_kernel(x, out, columns, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout(4)
    row = gl.program_id(0)
    j = gl.arange(0, BLOCK, layout)
    values = gl.load(x + row * columns + j, mask=j < columns, other=-float("inf"))
    _, index = gl.reduce((values, j), 0, larger)
    gl.store(out + row, index)


def argmax(x):
    out = np.empty(len(x), np.int32)
    argmax_kernel[(len(x),)](x, out, x.shape[1], BLOCK=hocket.next_power_of_2(x.shape[1]))
    return out


rng = np.random.default_rng(0)
x = rng.standard_normal((20, 1000), dtype=np.float32)
np.testing.assert_array_equal(argmax(x), x.argmax(axis=1))
print("argmax agrees with NumPy:", argmax(x)[:5], "..")

# %% [markdown]
# ## Scans
#
# `gl.cumsum` and `gl.cumprod` are scans; `gl.associative_scan` takes a function. Its left operand always precedes the
# right one, so the function need not be commutative.
#
# An exponential moving average, y[t] = d y[t-1] + (1 - d) x[t], seems to be sequential. But "multiply by a, then add b"
# is a pair (a, b), and the composition of two such steps is also a pair: (a, b), then (c, e) is (a c, b c + e).
# Composition is associative, so lanes can combine segments in parallel.


# %%
@hocket.jit
def then(a, b, c, e):
    return a * c, b * c + e


@hocket.jit
def average_kernel(x, out, columns, decay, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout(4)
    row = gl.program_id(0)
    j = gl.arange(0, BLOCK, layout)
    before = 0.0  # the average at the end of the previous tile: rows may be longer than a tile
    for start in range(0, columns, BLOCK):
        inside = start + j < columns
        values = gl.load(x + row * columns + start + j, mask=inside, other=0).to(gl.float32)
        factors = gl.full([BLOCK], decay, gl.float32, layout)
        factor, added = gl.associative_scan((factors, values * (1 - decay)), 0, then)
        average = factor * before + added
        gl.store(out + row * columns + start + j, average.to(out.dtype.element_ty), mask=inside)
        before = gl.sum(gl.where(j == BLOCK - 1, average, 0.0), axis=0)


def average(x, decay=31 / 32, block=512):
    out = x.copy() if isinstance(x, np.ndarray) else x.clone()
    average_kernel[(x.shape[0],)](x, out, x.shape[1], decay, BLOCK=block, num_warps=4)
    return out


def reference(x, decay=31 / 32):
    result, before = np.empty_like(x), 0.0
    for t in range(x.shape[1]):
        before = decay * before + (1 - decay) * x[:, t]
        result[:, t] = before
    return result


walk = (np.sin(np.arange(1500) / 120) + rng.standard_normal(1500)).astype(np.float32)[None, :]
figure, axes = plt.subplots(figsize=(8, 2.6))
axes.plot(walk[0], ".", markersize=2, color="silver", label="x")
for decay in (7 / 8, 31 / 32, 127 / 128):
    axes.plot(average(walk, decay)[0], label=f"decay {decay:.3f}")
axes.legend(fontsize=8)
plt.show()

# %% [markdown]
# A tile of n elements takes about log2(n) rounds of shuffles instead of n steps. Warps that hold different parts of the
# tile exchange values through shared memory, once for the scan and once for the last element.

# %%
rounds = {}
for block in (32, 128, 512, 2048):
    compiled = average_kernel.warmup(gl.float32, gl.float32, 1500, 31 / 32, BLOCK=block, num_warps=4, target="sm_90a")
    ptx = compiled.asm["ptx"]
    rounds[block] = [len(re.findall(pattern, ptx)) for pattern in (r"shfl\.sync", KINDS["barriers"])]
for block, (shuffles, barriers) in rounds.items():
    print(f"{block:5} elements: {shuffles} shuffles, {barriers} barriers")

# %% [markdown]
# ## Segmented sums
#
# A flag that marks the beginning of a segment turns a sum into a segmented sum: if a segment begins in the right
# operand, the left operand is dropped. Sparse matrices and ragged batches are summed in this way.


# %%
@hocket.jit
def add_within(begins, value, next_begins, next_value):
    return begins | next_begins, gl.where(next_begins != 0, next_value, value + next_value)


@hocket.jit
def segment_sums(values, begins, out, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout(4)
    i = gl.arange(0, BLOCK, layout)
    _, sums = gl.associative_scan((gl.load(begins + i), gl.load(values + i)), 0, add_within)
    gl.store(out + i, sums)


values = rng.integers(0, 10, 512).astype(np.int32)
begins = (rng.random(512) < 0.1).astype(np.int32)
begins[0] = 1
out = np.empty_like(values)
segment_sums[(1,)](values, begins, out, BLOCK=512)
last = np.append(np.flatnonzero(begins)[1:], 512) - 1
np.testing.assert_array_equal(out[last], np.add.reduceat(values, np.flatnonzero(begins)))
print(len(last), "segments agree with NumPy")

# %% [markdown]
# The layout determines the order in which floats are added: the result is equal in each run, but may differ between
# layouts.
#
# ## Every target, every dtype, rows longer than a tile

# %%
cases = [
    (rng.standard_normal(shape, dtype=np.float32).astype(dtype),)
    for shape in ((8, 512), (5, 1300))
    for dtype in (np.float32, np.float16, bfloat16)
]
rows = run_everywhere(
    "moving average", average, reference, cases, shape=lambda x: "x".join(map(str, x.shape)), tolerance_ulp=4.0
)
