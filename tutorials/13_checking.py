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
# # 13. Checking: find a race
#
# A kernel that computes the right result may still be wrong: on another GPU, or in one run of a thousand, its blocks
# and warps run in another order. The emulator detects races even in a run with the right result, and `hocket.check`
# runs a function in many orders. This notebook finds a bug that tests on a GPU rarely reveal.

# %%
import numpy as np

import hocket
from everywhere import run_everywhere
from hocket import language as gl

# %% [markdown]
# ## The last block sums the partial sums
#
# A sum of many numbers by several blocks takes two steps: every block computes a partial sum, and one block sums the
# partial sums. The usual way to do both in one kernel is a *ticket*: every block stores its partial sum and increments
# an atomic counter. When a block gets the last number, all other blocks have stored their partial sums, so this block
# adds them up. Stream-K GEMMs and split-KV attention end in the same way.


# %%
@hocket.jit
def sum_kernel(x, shares, ticket, out, n, BLOCK: gl.constexpr, BLOCKS: gl.constexpr, SEM: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
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
# The sum is right, and on a GPU this kernel usually passes its tests. But a *relaxed* atomic does not order other
# accesses: another block may see the counter's new value before it sees the partial sum that was stored first. The
# emulator does not need a wrong sum to find the bug. The emulator tracks which accesses are ordered by synchronization,
# and the store and the load of a partial sum are not. The message consists of the following parts:
#
# * **The line with the caret** is one access, `other` is the access that it races with. Synchronization between them is
#   missing.
# * **`at`** is the block and warp of the access, and `index` the element of the array.
# * **The hint** names an operation that would order them.
#
# With `acq_rel` (the default, as in Triton) the atomic of each block releases the store of its partial sum, and the
# atomic of the last block acquires them:

# %%
print("sum:", sum_of(x), " NumPy:", x.sum())

# %% [markdown]
# ## In every order
#
# A run has one order: here the blocks run one after another. In another order, blocks may take other branches or get
# other tickets, and races may occur that this run does not have. `hocket.check` calls a function under many
# *schedules*, each of which fixes all choices that hardware is free to make. The first schedule is the natural order;
# random and adversarial schedules follow.


# %%
def with_an_ordering_ticket():
    return sum_of(x)


report = hocket.check(with_an_ordering_ticket, target="sm_90a", schedules=20)
print(report)
assert report.ok

# %% [markdown]
# ## A result that depends on the order
#
# The next kernel has no race, because atomic additions may occur in any order. But its result depends on that order,
# since float addition rounds. `check` compares the results of all schedules bit by bit:


# %%
@hocket.jit
def atomic_sum_kernel(x, out, n, BLOCK: gl.constexpr):
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=gl.row_layout())
    gl.atomic_add(out, gl.sum(gl.load(x + i, mask=i < n, other=0.0), axis=0), sem="relaxed")


noise = np.random.default_rng(1).standard_normal(2000).astype(np.float32)


def by_atomics():
    out = np.zeros(1, np.float32)
    atomic_sum_kernel[(hocket.cdiv(noise.size, 128),)](noise, out, noise.size, BLOCK=128)
    return out


print(hocket.check(by_atomics, target="sm_90a", schedules=20))

# %% [markdown]
# This may or may not be a bug. If the only difference is rounding, pass a tolerance:

# %%
report = hocket.check(by_atomics, target="sm_90a", schedules=20, tolerance=1e-5)
print(report)
assert report.ok

# %% [markdown]
# ## Checks in tests
#
# A check is one line of a test, needs no GPU, and takes a second:
#
# ```python
# def test_sum_in_every_order():
#     report = hocket.check(with_an_ordering_ticket, target="gfx950", schedules=50)
#     assert report.ok, report
# ```
#
# The command line is `hocket check FILE.py::with_an_ordering_ticket --target gfx950 --schedules 50`. `docs/checking.md`
# lists the other bugs that it finds (deadlocks, uses of copies in flight, accesses out of bounds), and the bugs that no
# number of schedules reveals.
#
# The kernel on every target:

# %%
rows = run_everywhere(
    "sum by a ticket",
    launch_sum,
    lambda values, *_: np.array([values.sum()]),
    [(x, np.zeros(64, np.float32), np.zeros(1, np.int32), np.zeros(1, np.float32))],
    lambda values, *_: f"{values.size}",
    tolerance_ulp=1,
)
