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
# # 14. Normalisation: four schedules, and a rule that explains itself
#
# RMSNorm and LayerNorm move memory and do little else. A kernel that reads each row once and writes its result once is
# as fast as the memory, if it asks for enough bytes at a time. Their gradients are harder: every row also adds to the
# gradients of weight and bias, sums over *all* rows.
#
# $$n = (x - \bar x)\, r, \quad g = dy \cdot w, \quad dx = r\,(g - n\,\overline{g n} - \bar g), \quad
# dw = \sum_{\text{rows}} dy \cdot n$$

# %%
import matplotlib.pyplot as plt
import numpy as np

import hocket
from everywhere import run_everywhere
from hocket.kernels import norms

# %% [markdown]
# ## As a user sees it


# %%
def gradients(dy, x, weight, schedule=None):
    _, rstd = norms.rms_norm(x, weight, return_statistics=True)
    return norms.rms_norm_backward(dy, x, weight, rstd, schedule=schedule)


def reference(dy, x, weight, eps=1e-6):
    r = 1 / np.sqrt((x**2).mean(axis=1, keepdims=True) + eps)
    n, g = x * r, dy * weight
    return r * (g - n * (g * n).mean(axis=1, keepdims=True)), (dy * n).sum(axis=0)


rng = np.random.default_rng(0)
x, dy = rng.standard_normal((2, 120, 1024), dtype=np.float32)
weight = rng.standard_normal(1024, dtype=np.float32)
dx, dw = gradients(dy, x, weight)
expected = reference(dy.astype(np.float64), x.astype(np.float64), weight.astype(np.float64))
print("dx: largest error", abs(dx - expected[0]).max(), " dw:", abs(dw - expected[1]).max())

# %% [markdown]
# Both come from one launch. Each block takes tiles of rows in turn and keeps the sums of its columns in registers; at
# the end all blocks write them down, wait for each other (a barrier of the grid), and add up some columns each. No
# atomic adds anything, so the same bits come out each time:

# %%
again = gradients(dy, x, weight)
print("the same bits:", np.array_equal(dx, again[0]) and np.array_equal(dw, again[1]))

# %% [markdown]
# ## Two schedules
#
# Memory answers after about a microsecond, in which an H200 could move more than 4 MB: 32 KB for each of its
# multiprocessors have to be on their way at any time. Where are these 32 KB?
#
# * **multi-wave**: in registers. Each warp loads its part of the next tile before it computes on this one.
# * **warp-specialised**: in shared memory. One warp does nothing but copy rows there by TMA; the others compute.
#
# The emulator's clock shows what each warp does. First multi-wave, in the first block:

# %%
problem = norms.choose(40, 1024, "float32", "rms_norm_backward").problem


def timeline_of(schedule):
    with hocket.emulator.target("sm_90a"), hocket.emulator.record_timeline() as recorded:
        gradients(dy[:40], x[:40], weight, schedule)
    return recorded


recorded = timeline_of("multi-wave")
hocket.emulator.timeline(recorded, end=6000)

# %% [markdown]
# And with warps of two kinds: the last warp copies, the others wait for slots to be filled.

# %%
recorded = timeline_of("warp-specialised")
hocket.emulator.timeline(recorded, end=6000)

# %% [markdown]
# ## Rows that no block can hold: clusters
#
# The sums over rows take a register for each column. A multiprocessor has 65536 registers; of rows of 32768 columns
# half of them hold these sums, and little is left for the rows. So several blocks, a *cluster*, share each row: each
# has an equal part of its columns, and keeps the sums over rows of these. What the blocks must tell each other is
# little, up to two numbers of each row: $\overline{g n}$ and $\bar g$, which they exchange through each other's shared
# memory (distributed shared memory, a network between neighbouring multiprocessors).
#
# Here is the clock of the first block of a cluster, with its share of one tile of rows. At first the copies begin,
# which an engine does (TMA), and all warps wait for them. Then each warp adds up what it has (arithmetic, shuffles),
# the blocks exchange sums (between barriers of the cluster), and dx is computed and stored:

# %%
wide = rng.standard_normal((24, 8192), dtype=np.float32)
_, rstd = norms.rms_norm(wide, return_statistics=True)
with hocket.emulator.target("sm_90a"), hocket.emulator.record_timeline() as recorded:
    norms.rms_norm_backward(wide, wide, None, rstd, schedule="cluster")
hocket.emulator.timeline(recorded)

# %% [markdown]
# Nobody computes while the sums travel, so a cluster is worth it only where a block alone would have to read rows
# twice.
#
# ## Forward: rows that wait in shared memory
#
# The norm itself needs no sums over rows. What limits it is again how much is on its way, and how many registers that
# takes. The schedule *staged* takes none: copies go from global to shared memory past the registers (`cp.async`, on
# CDNA4 straight into LDS), and a long row is read from there for each use, for its sum and for its result. With 32
# registers a lane, a multiprocessor has room for 64 warps, of which some copy while others compute.

# %%
with hocket.emulator.target("sm_90a"), hocket.emulator.record_timeline() as recorded:
    norms.rms_norm(wide, schedule="staged")
hocket.emulator.timeline(recorded)

# %% [markdown]
# ## The choice, read aloud
#
# `norms.choose` compares the schedules for a problem and a GPU. Its answer has every parameter of the launch, and
# sentences: which plan, which rule, the numbers that it compared, and what would change the answer.

# %%
print(norms.choose(16384, 4096, "bfloat16", "rms_norm_backward", "sm_90a").explain())

# %%
print(norms.choose(16384, 4096, "bfloat16", "rms_norm_backward", "gfx950").explain())

# %% [markdown]
# A schedule can be forced, and says what that costs:

# %%
print(norms.choose(16384, 1023, "bfloat16", "layer_norm_backward", schedule="streaming", is_aligned=False).explain())

# %% [markdown]
# ## Why the answer depends on the number of columns
#
# Registers hold the sums of a row's columns *and* what is in flight. The longer the row, the less is left for the
# second; shared memory is not needed for anything else. The model's figures for 16384 rows:

# %%
columns = [512, 1024, 2048, 4096, 8192, 16384]
figure, axes = plt.subplots(figsize=(7, 3.5))
for schedule in ("multi-wave", "warp-specialised"):
    rates = []
    for count in columns:
        plan = norms.choose(16384, count, "bfloat16", "layer_norm_backward", "sm_90a", schedule=schedule)
        rates.append(plan.problem.bytes_moved / plan.seconds / 1e12)
    axes.plot(columns, rates, marker="o", label=schedule)
axes.set_xscale("log", base=2)
axes.set_xlabel("columns")
axes.set_ylabel("TB/s, predicted")
axes.set_title("LayerNorm backward, 16384 rows, bfloat16, H200")
axes.legend()
plt.show()

# %% [markdown]
# ## Every target, odd sizes

# %%
cases = [
    tuple(rng.standard_normal(shape, dtype=np.float32) for shape in ((rows, count), (rows, count), (count,)))
    for rows, count in ((16, 781), (9, 1024), (1, 4000))
]
rows = run_everywhere(
    "rms_norm dx",
    lambda dy, x, weight: gradients(dy, x, weight)[0],
    lambda dy, x, weight: reference(dy, x, weight)[0],
    cases,
    shape=lambda dy, x, weight: "x".join(map(str, x.shape)),
    tolerance_ulp=16.0,
)
