"""Errors for races and deadlocks between partitions: the messages name the workers."""

import numpy as np
import pytest
import racing_partitions as kernels
import texts

import hocket
from hocket import errors

_TEXTS = texts.TextsOf(kernels)
place_of, text_of, expected = _TEXTS.place_of, _TEXTS.text_of, _TEXTS.expected


def error_of(kernel, *arguments):
    with hocket.emulator.target("sm_90a"), pytest.raises(errors.EmulatorError) as raised:
        kernel[(1,)](*arguments)
    return raised.value


def test_race_in_shared_memory():
    error = error_of(kernels.through_shared, np.zeros(256, np.int32))
    (read, _, _), (call, _, _) = place_of("tile.load"), place_of("(fill, (tile,))")
    assert isinstance(error, errors.RaceError)
    assert text_of(error) == expected(
        "write to `tile` races with a read by another warp",
        "tile.store(gl.full([256], 1, gl.int32, gl.row_layout()))",
        f"""
        offset:  byte 384 of `tile`
        at:      block (0, 0, 0), warp 3, lane 0
        other:   read in line {read}, warp 7 of worker `drain`, lane 0
        hint:    a barrier waits for the warps of its own partition only: put an mbarrier or a named barrier between the two accesses, or end warp_specialize between them
        in fill, called from racing_partitions.py:{call} in through_shared
        """,  # noqa: E501
    )


def test_race_in_global_memory():
    error = error_of(kernels.through_global, np.zeros(256, np.int32))
    (other, _, _), (call, _, _) = place_of("gl.row_layout()), 2)"), place_of("(put, (out,))")
    assert isinstance(error, errors.RaceError)
    assert text_of(error) == expected(
        "write to `out` races with a write by another warp",
        "gl.store(out + gl.arange(0, 256, layout=gl.row_layout()), 1)",
        f"""
        index:    96
        address:  ADDRESS, 4 bytes
        at:       block (0, 0, 0), warp 3, lane 0
        other:    write in line {other}, warp 7 of worker `put_too`, lane 0
        hint:     gl.barrier() waits for the warps of its own partition only: put an mbarrier or a named barrier between the two accesses, or end warp_specialize between them
        in put, called from racing_partitions.py:{call} in through_global
        """,  # noqa: E501
    )


def test_a_worker_that_waits_for_ever():
    error = error_of(kernels.waits_for_ever, np.zeros(1, np.int32))
    (wait, _, _), (call, _, _) = place_of("gl.atomic_add(flag, 0)"), place_of("(wait_for_more, (flag,))")
    assert isinstance(error, errors.DeadlockError)
    assert text_of(error) == expected(
        "endless loop: lanes wait for values that are never written",
        "gl.atomic_add(flag, 0)",
        f"""
        at:       block (0, 0, 0)
        waiting:  warp 8, lane 0 of worker `wait_for_more` in a loop over line {wait}, where `flag`[0] is 0
        hint:     no other thread can change this value: all other blocks have ended or are waiting
        in wait_for_more, called from racing_partitions.py:{call} in waits_for_ever
        """,
    )
