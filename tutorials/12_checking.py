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
# # 12. Checking: a race to find
#
# A kernel that gives the right result may still be wrong: on another GPU, or on one run of a thousand, its blocks and
# warps come in another order. The emulator sees what may go wrong in a run that went right, and `hocket.check` looks
# at many orders. This notebook finds a bug that tests on a GPU rarely show.

# %%
import numpy as np

import hocket
from everywhere import run_everywhere
from hocket import language as gl

# %% [markdown]
# ## The last block adds up
#
# A sum of many numbers by several blocks takes two steps: every block adds up its share, and somebody adds up the
# shares. The usual way to do both in one kernel is a *ticket*. Every block stores its share and draws a number; the
# block that draws the last number knows that all others are done, and adds up what they have stored. Stream-K matrix
# products and attention with split keys end in the same way.


# %%
@hocket.jit
def sum_kernel(x, shares, ticket, out, n, BLOCK: gl.constexpr, BLOCKS: gl.constexpr, SEM: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [gl.num_lanes()], [gl.num_warps()], [0])
    block = gl.program_id(0)
    i = block * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(shares + block, gl.sum(gl.load(x + i, mask=i < n, other=0.0), axis=0))
    if gl.atomic_add(ticket, 1, sem=SEM) == gl.num_programs(0) - 1:
        j = gl.arange(0, BLOCKS, layout=layout)
        gl.store(out, gl.sum(gl.load(shares + j, mask=j < gl.num_programs(0), other=0.0), axis=0))


def launch_sum(x, shares, ticket, out, sem="acq_rel"):
    n = x.shape[0]
    sum_kernel[(hocket.cdiv(n, 128),)](x, shares, ticket, out, n, BLOCK=128, BLOCKS=64, SEM=sem)
    return out


def sum_of(x, sem="acq_rel"):
    return launch_sum(x, np.zeros(64, np.float32), np.zeros(1, np.int32), np.zeros(1, np.float32), sem)


x = np.random.default_rng(0).integers(-10, 10, 2000).astype(np.float32)
try:
    sum_of(x, "relaxed")
except hocket.EmulatorError as error:
    print(error)

# %% [markdown]
# The sum is right: on a GPU this kernel passes its tests, today and mostly. But a *relaxed* atomic orders nothing but
# itself. Another block may see the ticket before it sees the share that was stored first. The emulator does not wait
# for a wrong sum; it keeps account of what orders what, and nothing orders these two accesses. How to read it:
#
# * **The line with the caret** is one access, `other` is the one that it races with. What is missing belongs between
#   them.
# * **`at`** is who did it, and `index` where in the array.
# * **The hint** says what would order them.
#
# With `acq_rel` (the default, as in Triton) the store of a share is released with the ticket, and acquired by the
# block that draws the last one:

# %%
print("sum:", sum_of(x), " NumPy:", x.sum())

# %% [markdown]
# ## In every order
#
# One run is one order: here block after block. Others may take another branch, draw another ticket, meet a race that
# this one did not. `hocket.check` calls a function under many *schedules*, which decide all that hardware is free to
# choose. It takes the natural order first, then random and hostile ones.


# %%
def with_an_ordering_ticket():
    return sum_of(x)


report = hocket.check(with_an_ordering_ticket, target="sm_90a", schedules=20)
print(report)
assert report.ok

# %% [markdown]
# ## Right in every order, but not the same
#
# The next kernel has no race: an atomic addition may come at any time. Its result depends on the order nevertheless,
# since float addition rounds. `check` compares the results of all schedules bit by bit:


# %%
@hocket.jit
def atomic_sum_kernel(x, out, n, BLOCK: gl.constexpr):
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=gl.BlockedLayout([1], [gl.num_lanes()], [4], [0]))
    gl.atomic_add(out, gl.sum(gl.load(x + i, mask=i < n, other=0.0), axis=0), sem="relaxed")


noise = np.random.default_rng(1).standard_normal(2000).astype(np.float32)


def by_atomics():
    out = np.zeros(1, np.float32)
    atomic_sum_kernel[(hocket.cdiv(noise.size, 128),)](noise, out, noise.size, BLOCK=128)
    return out


print(hocket.check(by_atomics, target="sm_90a", schedules=20))

# %% [markdown]
# Whether that is a bug is for you to say. If rounding is all, say how much of it is expected:

# %%
report = hocket.check(by_atomics, target="sm_90a", schedules=20, tolerance=1e-5)
print(report)
assert report.ok

# %% [markdown]
# ## In your tests
#
# A check is one line of a test, needs no GPU, and takes a second:
#
# ```python
# def test_sum_in_every_order():
#     report = hocket.check(with_an_ordering_ticket, target="gfx950", schedules=50)
#     assert report.ok, report
# ```
#
# On the command line it is `hocket check FILE.py::with_an_ordering_ticket --target gfx950 --schedules 50`. What else
# is found (deadlocks, copies in flight, accesses out of bounds), and what no number of schedules can show:
# `docs/checking.md`.
#
# And now it runs everywhere:

# %%
rows = run_everywhere(
    "sum by a ticket",
    launch_sum,
    lambda values, *_: np.array([values.sum()]),
    [(x, np.zeros(64, np.float32), np.zeros(1, np.int32), np.zeros(1, np.float32))],
    lambda values, *_: f"{values.size}",
    tolerance_ulp=1,
)
