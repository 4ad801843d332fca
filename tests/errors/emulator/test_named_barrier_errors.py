"""Errors that the emulator raises for partitions with missing named barriers, or with deadlocks at them."""

import numpy as np
import pytest
import racing_named_barriers as kernels
import texts

import hocket
from hocket import errors

_TEXTS = texts.TextsOf(kernels)
place_of, text_of, expected = _TEXTS.place_of, _TEXTS.text_of, _TEXTS.expected


def error_of(kernel, *arguments):
    with hocket.emulator.target("sm_90a"), pytest.raises(errors.EmulatorError) as raised:
        kernel[(1,)](*arguments)
    return raised.value


@pytest.mark.parametrize("arrives_first, waits, place", [(True, True, (0, 0, 4)), (False, False, (128, 1, 5))])
def test_race_in_shared_memory(arrives_first, waits, place):
    """One arrives before it has stored; the other reads before it waits."""
    error = error_of(kernels.through_a_tile, np.zeros(128, np.int32), arrives_first, waits)
    (store, _, _), (call, _, _) = place_of("tile.store("), place_of("(drain, (tile,")
    offset, warp, other = place
    assert isinstance(error, errors.RaceError)
    assert text_of(error) == expected(
        "read of `tile` races with a write by another warp",
        "tile.load(gl.row_layout())",
        f"""
        offset:  byte {offset} of `tile`
        at:      block (0, 0, 0), warp {warp}, lane 0
        other:   write in line {store}, warp {other} of worker `fill`, lane 16
        hint:    a barrier waits for the warps of its own partition only: put an mbarrier or a named barrier between the two accesses, or end warp_specialize between them
        in drain, called from racing_named_barriers.py:{call} in through_a_tile
        """,  # noqa: E501
    )


def test_race_in_global_memory():
    error = error_of(kernels.through_an_array, np.zeros(128, np.int32), False)
    (store, _, _), (call, _, _) = place_of("gl.row_layout()), 1)"), place_of("(store_and_arrive, (out,")
    assert isinstance(error, errors.RaceError)
    assert text_of(error) == expected(
        "read of `out` races with a write by another warp",
        "gl.load(out + i)",
        f"""
        index:    0
        address:  ADDRESS, 4 bytes
        at:       block (0, 0, 0), warp 4 of worker `wait_and_add`, lane 0
        other:    write in line {store}, warp 0, lane 0
        hint:     gl.barrier() waits for the warps of its own partition only: put an mbarrier or a named barrier between the two accesses, or end warp_specialize between them
        in wait_and_add, called from racing_named_barriers.py:{call} in through_an_array
        """,  # noqa: E501
    )


def test_no_race_in_the_right_order():
    out = np.zeros(128, np.int32)
    with hocket.emulator.target("sm_90a"):
        kernels.through_a_tile[(1,)](out, False, True)
        np.testing.assert_array_equal(out, np.arange(128))
        kernels.through_an_array[(1,)](out, True)
        np.testing.assert_array_equal(out, 2)


HINT = (
    "a phase of a named barrier completes when the number of warps given to allocate have arrived; the first barrier "
    "allocated is number 0"
)


def test_missing_first_arrival():
    error = error_of(kernels.without_a_first_turn, 3)
    (wait, _, _), (call, _, _) = place_of("named_barrier.arrive_and_wait(own)"), place_of("(take_turn, (first,")
    assert isinstance(error, errors.DeadlockError)
    assert text_of(error) == expected(
        "deadlock: lanes wait for lanes that never arrive",
        "named_barrier.arrive_and_wait(own)",
        f"""
        at:       block (0, 0, 0)
        waiting:  warps 0-3 at named barrier 0 in line {wait}, where 4 of 6 warps have arrived
        waiting:  warps 4-5 of worker `take_turn` at named barrier 1 in line {wait}, where 2 of 6 warps have arrived
        hint:     {HINT}
        in take_turn, called from racing_named_barriers.py:{call} in without_a_first_turn
        """,
    )


def test_a_partition_that_comes_once_more():
    error = error_of(kernels.one_round_more, 3)
    start = "gl.warp_specialize([(meet, (met, rounds)), (meet, (met, rounds + 1))], [2])"
    (wait, _, _), (end, _, _) = place_of("named_barrier.arrive_and_wait(met)"), place_of(start)
    assert isinstance(error, errors.DeadlockError)
    assert text_of(error) == expected(
        "deadlock: lanes wait for lanes that never arrive",
        start,
        f"""
        at:       block (0, 0, 0)
        waiting:  warps 0-3 at the barrier in line {end}, where 128 of 192 threads have arrived
        waiting:  warps 4-5 of worker `meet` at named barrier 0 in line {wait}, where 2 of 6 warps have arrived
        hint:     {HINT}
        """,
    )


def test_a_warp_that_arrives_twice():
    """Four warps that arrive twice count as eight: the barrier completes, and the warps that arrive later wait
    forever."""
    with hocket.emulator.target("sm_90a"):
        kernels.twice_for_others[(1,)](1)
        messages = set()
        for seed in range(8):
            with hocket.emulator.schedule(seed=seed), pytest.raises(errors.EmulatorError) as raised:
                kernels.twice_for_others[(1,)](2)
            messages.add(raised.value.message)
    again = "a warp arrives again at named barrier 0 before its phase is complete"
    assert again in messages
    assert messages <= {
        again,
        "deadlock: lanes wait for lanes that never arrive",
    }
