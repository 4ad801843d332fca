"""Litmus tests of the memory model: outcomes that the emulator's schedules show, and that none may (docs/checking.md).

Threads are blocks, or partitions of warps of one block (`cta`). Variables begin as 0, each is 128 bytes from the next.
One host thread runs all blocks (`threads=1`): with several, the outcome of a seed also depends on their timing.
"""

import numpy as np
import pytest

import hocket
from hocket import emulator
from hocket import language as gl

SEEDS = 64
X, Y, RESULTS = gl.constexpr(0), gl.constexpr(32), gl.constexpr(64)


@hocket.jit
def message_passing(m, thread, WRITE: gl.constexpr, READ: gl.constexpr, SCOPE: gl.constexpr):
    if thread == 0:
        gl.atomic_store(m + X, 1, sem="relaxed", scope=SCOPE)
        gl.atomic_store(m + Y, 1, sem=WRITE, scope=SCOPE)
    else:
        flag = gl.atomic_load(m + Y, sem=READ, scope=SCOPE)
        gl.store(m + RESULTS, flag)
        gl.store(m + RESULTS + 1, gl.atomic_load(m + X, sem="relaxed", scope=SCOPE))


@hocket.jit
def store_buffering(m, thread, WRITE: gl.constexpr, READ: gl.constexpr, SCOPE: gl.constexpr):
    if thread == 0:
        gl.atomic_store(m + X, 1, sem=WRITE, scope=SCOPE)
        gl.store(m + RESULTS, gl.atomic_load(m + Y, sem=READ, scope=SCOPE))
    else:
        gl.atomic_store(m + Y, 1, sem=WRITE, scope=SCOPE)
        gl.store(m + RESULTS + 32, gl.atomic_load(m + X, sem=READ, scope=SCOPE))


@hocket.jit
def store_buffering_by_exchanges(m, thread, WRITE: gl.constexpr, READ: gl.constexpr, SCOPE: gl.constexpr):
    if thread == 0:
        before = gl.atomic_xchg(m + X, 1, sem=WRITE, scope=SCOPE)
        gl.store(m + RESULTS, gl.atomic_load(m + Y, sem=READ, scope=SCOPE) + before * 4)
    else:
        before = gl.atomic_xchg(m + Y, 1, sem=WRITE, scope=SCOPE)
        gl.store(m + RESULTS + 32, gl.atomic_load(m + X, sem=READ, scope=SCOPE) + before * 4)


@hocket.jit
def load_buffering(m, thread, WRITE: gl.constexpr, READ: gl.constexpr, SCOPE: gl.constexpr):
    if thread == 0:
        gl.store(m + RESULTS, gl.atomic_load(m + X, sem=READ, scope=SCOPE))
        gl.atomic_store(m + Y, 1, sem=WRITE, scope=SCOPE)
    else:
        gl.store(m + RESULTS + 32, gl.atomic_load(m + Y, sem=READ, scope=SCOPE))
        gl.atomic_store(m + X, 1, sem=WRITE, scope=SCOPE)


@hocket.jit
def coherence(m, thread, WRITE: gl.constexpr, READ: gl.constexpr, SCOPE: gl.constexpr):
    if thread == 0:
        gl.atomic_store(m + X, 1, sem=WRITE, scope=SCOPE)
        gl.atomic_store(m + X, 2, sem=WRITE, scope=SCOPE)
    else:
        first = gl.atomic_load(m + X, sem=READ, scope=SCOPE)
        gl.store(m + RESULTS, first)
        gl.store(m + RESULTS + 32, gl.atomic_load(m + X, sem=READ, scope=SCOPE))


@hocket.jit
def own_stores(m, thread, WRITE: gl.constexpr, READ: gl.constexpr, SCOPE: gl.constexpr):
    """A thread never reads a value that is older than its own last store."""
    if thread == 0:
        gl.atomic_store(m + X, 1, sem=WRITE, scope=SCOPE)
        gl.store(m + RESULTS, gl.atomic_load(m + X, sem=READ, scope=SCOPE))
    else:
        gl.atomic_add(m + X, 4, sem="relaxed", scope=SCOPE)
        gl.store(m + RESULTS + 32, gl.atomic_load(m + X, sem=READ, scope=SCOPE))


@hocket.jit
def lost_update(m, thread, WRITE: gl.constexpr, READ: gl.constexpr, SCOPE: gl.constexpr):
    count = gl.atomic_load(m + X, sem=READ, scope=SCOPE)
    gl.atomic_store(m + X, count + 1, sem=WRITE, scope=SCOPE)


@hocket.jit
def atomic_update(m, thread, WRITE: gl.constexpr, READ: gl.constexpr, SCOPE: gl.constexpr):
    gl.atomic_add(m + X, 1, sem=WRITE, scope=SCOPE)


@hocket.jit
def independent_reads(m, thread, WRITE: gl.constexpr, READ: gl.constexpr, SCOPE: gl.constexpr):
    if thread == 0:
        gl.atomic_store(m + X, 1, sem=WRITE, scope=SCOPE)
    elif thread == 1:
        gl.atomic_store(m + Y, 1, sem=WRITE, scope=SCOPE)
    elif thread == 2:
        gl.store(m + RESULTS, gl.atomic_load(m + X, sem=READ, scope=SCOPE))
        gl.store(m + RESULTS + 1, gl.atomic_load(m + Y, sem=READ, scope=SCOPE))
    else:
        gl.store(m + RESULTS + 32, gl.atomic_load(m + Y, sem=READ, scope=SCOPE))
        gl.store(m + RESULTS + 33, gl.atomic_load(m + X, sem=READ, scope=SCOPE))


@hocket.jit
def by_blocks(m, TEST: gl.constexpr, WRITE: gl.constexpr, READ: gl.constexpr, SCOPE: gl.constexpr):
    TEST(m, gl.program_id(0), WRITE, READ, SCOPE)


@hocket.jit
def partition(m, thread: gl.constexpr, TEST: gl.constexpr, WRITE: gl.constexpr, READ: gl.constexpr):
    TEST(m, thread, WRITE, READ, "cta")


@hocket.jit
def by_partitions(m, TEST: gl.constexpr, WRITE: gl.constexpr, READ: gl.constexpr):
    gl.warp_specialize([(partition, (m, 0, TEST, WRITE, READ)), (partition, (m, 1, TEST, WRITE, READ))], [4], [40])


def outcomes_of_blocks(test, write, read, *, threads=2, scope="gpu"):
    """Triples of X and all that the threads have read, each with the seeds that show it."""
    shown = {}
    for seed in range(SEEDS):
        memory = np.zeros(128, np.int32)
        with emulator.target("sm_90a", seed=seed, threads=1):
            by_blocks[(threads,)](memory, TEST=test, WRITE=write, READ=read, SCOPE=scope, num_warps=1)
        shown.setdefault((memory[0], *memory[64:66], *memory[96:98]), []).append(seed)
    return {tuple(int(number) for number in outcome): seeds for outcome, seeds in shown.items()}


WEAKEST, ORDERED = ("relaxed", "relaxed"), ("release", "acquire")

#: test, threads, semantics, what is looked for, allowed by PTX and by AMD's model, shown by some schedule
LITMUS = {
    "message passing": (message_passing, 2, ORDERED, lambda x, flag, data, *_: flag == 1 and data == 0, False, False),
    "message passing, relaxed": (
        message_passing, 2, WEAKEST, lambda x, flag, data, *_: flag == 1 and data == 0, True, True,
    ),
    "store buffering": (store_buffering, 2, ORDERED, lambda x, r0, _, r1, __: r0 == r1 == 0, True, True),
    "store buffering, relaxed": (store_buffering, 2, WEAKEST, lambda x, r0, _, r1, __: r0 == r1 == 0, True, True),
    "store buffering, exchanges": (
        store_buffering_by_exchanges, 2, ("acq_rel", "acquire"), lambda x, r0, _, r1, __: r0 == r1 == 0, True, False,
    ),
    "load buffering": (load_buffering, 2, WEAKEST, lambda x, r0, _, r1, __: r0 == r1 == 1, True, False),
    "load buffering, ordered": (load_buffering, 2, ORDERED, lambda x, r0, _, r1, __: r0 == r1 == 1, False, False),
    "coherence": (coherence, 2, WEAKEST, lambda x, r0, _, r1, __: r0 > r1 or x != 2, False, False),
    "own stores": (
        own_stores, 2, WEAKEST, lambda x, r0, _, r1, __: r0 not in (1, 5) or r1 not in (4, 5, 1), False, False,
    ),
    "lost update": (lost_update, 2, ORDERED, lambda x, *_: x == 1, True, True),
    "atomic update": (atomic_update, 4, WEAKEST, lambda x, *_: x != 4, False, False),
    "independent reads": (
        independent_reads, 4, ORDERED, lambda x, a, b, c, d: (a, b, c, d) == (1, 0, 1, 0), True, False,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LITMUS)
def test_outcomes_between_blocks(name):
    test, threads, (write, read), wanted, allowed, is_shown = LITMUS[name]
    outcomes = outcomes_of_blocks(test, write, read, threads=threads)
    seeds = sorted(seed for outcome, some in outcomes.items() if wanted(*outcome) for seed in some)
    assert allowed or not seeds, f"forbidden, but shown with the seeds {seeds}"
    assert bool(seeds) == is_shown, outcomes
    assert 0 not in seeds, "in the natural order one block follows the other"
    assert len(outcomes) > 1 or not is_shown


@pytest.mark.parametrize("name", LITMUS)
def test_forbidden_outcomes_in_the_scope_of_the_system(name):
    test, threads, (write, read), wanted, allowed, _ = LITMUS[name]
    outcomes = outcomes_of_blocks(test, write, read, threads=threads, scope="sys")
    assert allowed or not any(wanted(*outcome) for outcome in outcomes), outcomes


@pytest.mark.parametrize("name", [name for name, litmus in LITMUS.items() if litmus[1] == 2])
def test_forbidden_outcomes_within_a_block(name):
    test, _, (write, read), wanted, allowed, _ = LITMUS[name]
    for seed in range(SEEDS // 4):
        memory = np.zeros(128, np.int32)
        with emulator.target("sm_90a", seed=seed):
            by_partitions[(1,)](memory, TEST=test, WRITE=write, READ=read, num_warps=4)
        outcome = (memory[0], *memory[64:66], *memory[96:98])
        assert allowed or not wanted(*outcome), (seed, outcome)


@pytest.mark.parametrize("target", ["sm_80", "gfx942", "gfx950"])
@pytest.mark.parametrize("name", ["lost update", "store buffering", "message passing"])
def test_other_targets_have_the_same_outcomes(name, target):
    test, threads, (write, read), wanted, _, is_shown = LITMUS[name]
    shown = False
    for seed in range(SEEDS):
        memory = np.zeros(128, np.int32)
        with emulator.target(target, seed=seed, threads=1):
            by_blocks[(threads,)](memory, TEST=test, WRITE=write, READ=read, SCOPE="gpu", num_warps=1)
        shown |= bool(wanted(memory[0], *memory[64:66], *memory[96:98]))
    assert shown == is_shown


def lost_updates():
    memory = np.zeros(128, np.int32)
    by_blocks[(2,)](memory, TEST=lost_update, WRITE="release", READ="acquire", SCOPE="gpu", num_warps=1)
    return memory[:1]


def test_check_finds_a_lost_update():
    report = hocket.check(lost_updates, target="gfx950", schedules=40)
    assert [finding.kind for finding in report.findings] == ["divergence"]
