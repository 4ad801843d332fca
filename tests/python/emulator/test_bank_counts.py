"""hocket.emulator.count_bank_conflicts: what is counted where, and how it adds up."""

import numpy as np

import hocket
from hocket import language as gl
from hocket.emulator import BankCount

ROWS = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])
COLUMNS = gl.BlockedLayout([1, 1], [32, 1], [1, 4], [0, 1])
PLAIN = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
PADDED = gl.PaddedSharedLayout.with_identity_for([[32, 1]], [32, 32], [1, 0])


@hocket.jit
def transpose(x, out, SHARED: gl.constexpr, TURNS: gl.constexpr = 1):
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, ROWS))
    cols = gl.arange(0, 32, layout=gl.SliceLayout(0, ROWS))
    smem = gl.allocate_shared_memory(gl.float32, [32, 32], SHARED)
    for _ in range(TURNS):
        smem.store(gl.load(x + rows[:, None] * 32 + cols[None, :]))
        value = smem.load(COLUMNS)
        m = gl.arange(0, 32, layout=gl.SliceLayout(1, COLUMNS))
        n = gl.arange(0, 32, layout=gl.SliceLayout(0, COLUMNS))
        gl.store(out + n[None, :] * 32 + m[:, None], value)


STORE = transpose.fn.__code__.co_firstlineno + 6
LOAD = STORE + 1


def run(shared, grid=1, **kwargs):
    x = np.arange(32 * 32, dtype=np.float32).reshape(32, 32)
    out = np.zeros_like(x)
    with hocket.emulator.target("sm_90a", races=False):
        transpose[(grid,)](x, out, shared, **kwargs)
    np.testing.assert_array_equal(out, x.T)


def test_lines_and_numbers():
    with hocket.emulator.count_bank_conflicts() as counts:
        run(PLAIN)
    # 4 warps, 8 rows each: two stmatrix of 4 rows, and loads of columns that take 32 wavefronts where 1 would do.
    assert counts.entries == [
        BankCount(__file__, STORE, "store", 16, 8, 32, 32),
        BankCount(__file__, LOAD, "load", 4, 32, 32 * 32, 32),
    ]
    assert counts.by_line == {STORE: 0, LOAD: 31 * 32}
    assert counts.total == 31 * 32
    assert counts.entries[1].extra == 31 * 32


def test_padding_mends_it():
    with hocket.emulator.count_bank_conflicts() as counts:
        run(PADDED)
    assert counts.total == 0
    assert {entry.wavefronts for entry in counts.entries} == {32}


def test_blocks_turns_and_launches_add_up():
    with hocket.emulator.count_bank_conflicts() as counts:
        run(PLAIN, grid=3, TURNS=2)
        run(PLAIN)
    assert [entry.instructions for entry in counts.entries] == [7 * 8, 7 * 32]
    assert counts.total == 7 * 31 * 32


def test_seeds_do_not_change_the_count():
    totals = set()
    for seed in range(4):
        with hocket.emulator.schedule(seed=seed), hocket.emulator.count_bank_conflicts() as counts:
            run(PLAIN, TURNS=2)
        totals.add(counts.total)
    assert totals == {2 * 31 * 32}


def test_nothing_is_counted_outside():
    with hocket.emulator.count_bank_conflicts() as counts:
        pass
    run(PLAIN)
    assert counts.entries == [] and counts.total == 0 and counts.by_line == {}
    assert repr(counts) == "BankCounts: no accesses to shared memory"


def test_the_inner_of_two_counts():
    with hocket.emulator.count_bank_conflicts() as outer:
        with hocket.emulator.count_bank_conflicts() as inner:
            run(PLAIN)
        run(PADDED)
    assert inner.total == 31 * 32 and outer.total == 0 and outer.entries != []


def test_a_table():
    with hocket.emulator.count_bank_conflicts() as counts:
        run(PLAIN)
    header, store, load = repr(counts).splitlines()
    assert header.split() == ["place", "access", "instructions", "wavefronts", "ideal", "extra"]
    place = hocket.errors.shown_path(__file__)
    assert store.split() == [f"{place}:{STORE}", "store", "of", "16", "B", "8", "32", "32", "0"]
    assert load.split() == [f"{place}:{LOAD}", "load", "of", "4", "B", "32", "1024", "32", "992"]
    assert len(header) == len(store) == len(load)
