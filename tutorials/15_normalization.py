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
# # 15. Normalization: four algorithm variants, and a model that chooses
#
# RMSNorm and LayerNorm are bound by memory bandwidth. A kernel that reads each row once and writes its result once runs
# at that bandwidth if enough loads are in flight. Their gradients are harder: every row also contributes to the
# gradients of weight and bias, which are sums over *all* rows.
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
# ## Usage


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
# One launch computes dx and dw. Each block loops over tiles of rows and keeps the sums of its columns in registers. At
# the end all blocks store their partial sums, synchronize at a grid barrier, and each block adds up the partial sums of
# some columns. The kernel uses no atomic additions, so results are bitwise equal in each run:

# %%
again = gradients(dy, x, weight)
print("the same bits:", np.array_equal(dx, again[0]) and np.array_equal(dw, again[1]))

# %% [markdown]
# ## Two variants
#
# The latency of memory under load is about a microsecond, in which an H200 can transfer more than 4 MB: each SM must
# have 32 KB in flight at any time. The variants differ in the destination of these 32 KB:
#
# * **multi-wave**: in registers. Each warp loads its part of the next tile before it computes on the current tile.
# * **warp-specialized**: in shared memory. A producer warp copies rows there by TMA; the other warps compute.
#
# The emulator's virtual clock shows the activities of each warp. The first picture shows the first block of the
# multi-wave variant:

# %%
problem = norms.choose(40, 1024, "float32", "rms_norm_backward").problem


def timeline_of(schedule):
    with hocket.emulator.target("sm_90a"), hocket.emulator.record_timeline() as recorded:
        gradients(dy[:40], x[:40], weight, schedule)
    return recorded


recorded = timeline_of("multi-wave")
hocket.emulator.timeline(recorded, end=6000)

# %% [markdown]
# In the warp-specialized variant, the last warp copies, and the other warps wait until buffers are filled.

# %%
recorded = timeline_of("warp-specialized")
hocket.emulator.timeline(recorded, end=6000)

# %% [markdown]
# ## Clusters, for rows that do not fit in a block
#
# The sums over rows take a register for each column. An SM has 65536 registers; with 32768 columns, half of them hold
# these sums, and few are left for the rows. So the columns of each row are split over the blocks of a *cluster*, and
# each block keeps the sums over rows of its columns. The blocks exchange only two numbers per row, $\overline{g n}$ and
# $\bar g$, through distributed shared memory (the shared memory of the other blocks of the cluster).
#
# Here is the timeline of the first block of a cluster, with its part of one tile of rows. The block starts TMA copies,
# and all warps wait for them. Then each warp computes its partial sums (arithmetic, shuffles), the blocks exchange sums
# (between cluster barriers), and the warps compute and store dx:

# %%
wide = rng.standard_normal((24, 8192), dtype=np.float32)
_, rstd = norms.rms_norm(wide, return_statistics=True)
with hocket.emulator.target("sm_90a"), hocket.emulator.record_timeline() as recorded:
    norms.rms_norm_backward(wide, wide, None, rstd, schedule="cluster")
hocket.emulator.timeline(recorded)

# %% [markdown]
# All warps are idle during the exchange of sums, so a cluster is only faster if a single block would have to read rows
# twice.
#
# ## Forward: rows in shared memory
#
# The norm itself needs no sums over rows. Again the number of loads in flight and the registers for them are the
# limits. The variant *staged* needs no registers for loads: copies go directly from global to shared memory
# (`cp.async`, on CDNA4 direct copies to LDS), and the kernel reads a long row from there twice, for its sum and for its
# result. With 32 registers per lane, an SM has 64 resident warps, of which some copy while others compute.

# %%
with hocket.emulator.target("sm_90a"), hocket.emulator.record_timeline() as recorded:
    norms.rms_norm(wide, schedule="staged")
hocket.emulator.timeline(recorded)

# %% [markdown]
# ## The choice and its explanation
#
# `norms.choose` compares the variants for a problem and a GPU. It returns a plan with every parameter of the launch,
# and an explanation: the plan, the rule, the compared numbers, and the changes that would lead to another plan.

# %%
print(norms.choose(16384, 4096, "bfloat16", "rms_norm_backward", "sm_90a").explain())

# %%
print(norms.choose(16384, 4096, "bfloat16", "rms_norm_backward", "gfx950").explain())

# %% [markdown]
# A variant can be forced; the explanation then contains its predicted cost:

# %%
print(norms.choose(16384, 1023, "bfloat16", "layer_norm_backward", schedule="streaming", is_aligned=False).explain())

# %% [markdown]
# ## The choice by number of columns
#
# In multi-wave, registers hold the sums of a row's columns *and* the loads in flight. The longer the row, the fewer
# registers are left for loads, whereas shared memory has no other use. The model's predictions for 16384 rows:

# %%
columns = [512, 1024, 2048, 4096, 8192, 16384]
figure, axes = plt.subplots(figsize=(7, 3.5))
for schedule in ("multi-wave", "warp-specialized"):
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
