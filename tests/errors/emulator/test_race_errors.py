"""Errors for races between blocks: the whole text, and its parts as attributes."""

import numpy as np
import pytest
import racing as kernels
import texts

import hocket
from hocket import errors

_TEXTS = texts.TextsOf(kernels)
place_of, text_of, expected = _TEXTS.place_of, _TEXTS.text_of, _TEXTS.expected


def race_of(launch) -> errors.RaceError:
    """The race of `launch`. It is reported for any number of host threads, and is not looked for on request."""
    for threads in (4, 2, 1):
        with hocket.emulator.schedule(threads=threads), pytest.raises(errors.RaceError) as raised:
            launch()
    with hocket.emulator.schedule(races=False):
        launch()
    return raised.value


ORDER_HINT = "read data of an earlier launch, or order the blocks by a release and an acquire atomic between them"


def test_blocks_that_write_one_element():
    line, *_ = place_of("gl.store(out, total)")
    error = race_of(
        lambda: kernels.one_result_for_all[(2,)](np.ones(256, np.float32), np.zeros(1, np.float32), SIZE=128)
    )
    assert text_of(error) == expected(
        "write to `out` races with a write by another block",
        "gl.store(out, total)",
        f"""
        index:    0
        address:  ADDRESS, 4 bytes
        at:       block (1, 0, 0), warp 0, lane 0
        other:    write in line {line}, block (0, 0, 0), warp 0, lane 0
        hint:     give each block elements of its own, or combine their values by atomics
        """,
    )
    assert (error.block, error.warp, error.lane, error.array, error.index) == ((1, 0, 0), 0, 0, "out", 0)


def test_histogram_without_atomics():
    x = np.arange(256, dtype=np.int32) % 128 + 7
    line, *_ = place_of("gl.store(counts + value, gl.load(counts + value) + 1)")
    error = race_of(lambda: kernels.count_without_atomics[(2,)](x, np.zeros(135, np.int64), SIZE=128))
    assert text_of(error) == expected(
        "read of `counts` races with a write by another block",
        "gl.load(counts + value)",
        f"""
        index:    7
        address:  ADDRESS, 8 bytes
        at:       block (1, 0, 0), warp 0, lane 0
        other:    write in line {line}, block (0, 0, 0), warp 0, lane 0
        hint:     {ORDER_HINT}
        """,
    )


def test_stencil_in_place():
    line, *_ = place_of("gl.store(x + i, (left_neighbor(x, i) + gl.load(x + i)) / 2)")
    error = race_of(lambda: kernels.smooth_in_place[(2,)](np.zeros(64, np.float32), SIZE=32, num_warps=1))
    assert text_of(error) == expected(
        "read of `x` races with a write by another block",
        "gl.load(x + i - 1, mask=i > 0, other=0.0)",
        f"""
        index:    31
        address:  ADDRESS, 4 bytes
        at:       block (1, 0, 0), warp 0, lane 0
        other:    write in line {line}, block (0, 0, 0), warp 0, lane 31
        hint:     {ORDER_HINT}
        in left_neighbor, called from racing.py:{line} in smooth_in_place
        """,
    )


def test_atomics_of_too_narrow_a_scope():
    line, *_ = place_of('gl.atomic_add(finished, 1, sem="relaxed", scope="cta")')
    error = race_of(lambda: kernels.count_blocks[(2,)](np.zeros(1, np.int32), np.zeros(2, np.int32)))
    assert text_of(error) == expected(
        "atomic access to `finished` races with an atomic access by another block",
        'gl.atomic_add(finished, 1, sem="relaxed", scope="cta")',
        f"""
        index:    0
        address:  ADDRESS, 4 bytes
        at:       block (1, 0, 0), warp 0, lane 0
        other:    atomic access in line {line}, block (0, 0, 0), warp 0, lane 0
        hint:     an atomic of the scope "cta" is atomic for the threads of its block only: widen it to "gpu"
        """,
    )


def test_counter_that_is_read():
    """All lanes read it, but only the first one's value is stored."""
    line, *_ = place_of("gl.atomic_add(finished, 1)")
    error = race_of(lambda: kernels.look_at_a_counter[(2,)](np.zeros(1, np.int32), np.zeros(2, np.int32)))
    assert text_of(error) == expected(
        "read of `finished` races with an atomic access by another block",
        "gl.load(finished)",
        f"""
        index:    0
        address:  ADDRESS, 4 bytes
        at:       block (1, 0, 0), warp 0, lane 0
        other:    atomic access in line {line}, block (0, 0, 0), warp 0, lane 0
        hint:     make both accesses atomic, or order the blocks by a release and an acquire atomic between them
        """,
    )


def test_vectors_that_overlap():
    line, *_ = place_of("gl.store(out + i, gl.load(x + i))")
    error = race_of(lambda: kernels.copy_bytes[(2,)](np.zeros(6144, np.int8), np.zeros(6144, np.int8), SIZE=2048))
    assert text_of(error) == expected(
        "write to `out` races with a write by another block",
        "gl.store(out + i, gl.load(x + i))",
        f"""
        index:    2048 to 2063
        address:  ADDRESS, 16 bytes
        at:       block (1, 0, 0), warp 0, lane 0
        other:    write in line {line}, block (0, 0, 0), warp 0, lane 0
        hint:     give each block elements of its own, or combine their values by atomics
        """,
    )


# Between the warps of one block.


BARRIER_HINT = "put gl.barrier() between the two"


@pytest.mark.parametrize(("target", "lanes"), [("sm_90a", 32), ("gfx950", 64)])
def test_mirror_without_a_barrier(target, lanes):
    line, *_ = place_of("gl.store(out + i, i)")
    with hocket.emulator.target(target):
        error = race_of(lambda: kernels.mirror[(1,)](*np.zeros((2, 1024), np.int32), SIZE=1024))
    assert text_of(error) == expected(
        "write to `out` races with a read by another warp",
        "gl.store(out + i, i)",
        f"""
        index:    {2 * lanes}
        address:  ADDRESS, 4 bytes
        at:       block (0, 0, 0), warp 2, lane 0
        other:    read in line {line + 1}, warp 1, lane {lanes - 1}
        hint:     {BARRIER_HINT}
        """,
    )
    assert (error.block, error.warp, error.lane, error.array) == ((0, 0, 0), 2, 0, "out")


def test_reverse_in_place():
    line, *_ = place_of("gl.store(x + i, gl.load(x + SIZE - 1 - i))")
    error = race_of(lambda: kernels.reverse_in_place[(2,)](np.arange(1024), SIZE=1024))
    assert text_of(error) == expected(
        "read of `x` races with a write by another warp",
        "gl.load(x + SIZE - 1 - i)",
        f"""
        index:    63
        address:  ADDRESS, 8 bytes
        at:       block (0, 0, 0), warp 2, lane 0
        other:    write in line {line}, warp 1, lane 31
        hint:     warps reach this line at different times: load into a variable, put gl.barrier() after it, then store
        """,
    )


def test_elements_written_twice():
    line, *_ = place_of("gl.store(out + gl.load(x + i), i)")
    x = np.arange(1024, dtype=np.int32) // 2 % 300
    error = race_of(lambda: kernels.last_one_wins[(1,)](x, np.zeros(300, np.int32), SIZE=1024))
    assert text_of(error) == expected(
        "write to `out` races with a write by another warp",
        "gl.store(out + gl.load(x + i), i)",
        f"""
        index:    20
        address:  ADDRESS, 4 bytes
        at:       block (0, 0, 0), warp 1, lane 8
        other:    write in line {line}, warp 0, lane 0
        hint:     give each lane its own elements, combine values by atomics, or put gl.barrier() between the two
        """,
    )


def test_counters_read_too_early():
    line, *_ = place_of("gl.store(x + i, gl.load(counts + i))")
    x = np.arange(1024, dtype=np.int32) // 2 % 300
    error = race_of(lambda: kernels.count_and_look[(1,)](x.copy(), np.zeros(1024, np.int32), SIZE=1024))
    assert text_of(error) == expected(
        "atomic access to `counts` races with a read by another warp",
        "gl.atomic_add(counts + gl.load(x + i), 1)",
        f"""
        index:    16
        address:  ADDRESS, 4 bytes
        at:       block (0, 0, 0), warp 1, lane 0
        other:    read in line {line}, warp 0, lane 16
        hint:     make both accesses atomic, or {BARRIER_HINT}
        """,
    )
