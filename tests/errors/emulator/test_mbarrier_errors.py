"""Errors that the emulator raises for wrong uses of mbarriers: the whole text."""

import textwrap

import misused_mbarriers as kernels
import numpy as np
import pytest
import texts

import hocket
from hocket import errors

_TEXTS = texts.TextsOf(kernels)
HINT_OF_DEADLOCKS = (
    "a phase completes after the number of arrivals given to init and of bytes given to expect; wait for phases 0, 1, "
    "2, ... in order (only the parity of a phase is compared)"
)


def lines_of(kernel):
    """Returns (number, column, text) of the first line of the kernel that contains each text."""
    start = kernel.fn.__code__.co_firstlineno
    lines = _TEXTS.path.read_text().splitlines()
    return {number: lines[number - 1] for number in range(start, start + 20) if number <= len(lines)}


def line_of(kernel, source, nth=0):
    return [number for number, text in lines_of(kernel).items() if source in text][nth]


def phase_of(kernel, count):
    return f"phase 0 of {count} arrivals (init in line {line_of(kernel, 'init(')})"


def expected(kernel, message, at, details, nth=0):
    """The text of an error at `at`, whose line is the nth of the kernel that holds it."""
    number = line_of(kernel, at, nth)
    text = lines_of(kernel)[number]
    column = text.index(at) + 1
    head = f"{_TEXTS.path.name}:{number}:{column}: error: {message}\n{number:5} | {text}\n"
    head += f"      | {' ' * (column - 1)}^{'~' * (len(at) - 1)}\n"
    return head + textwrap.indent(textwrap.dedent(details).strip("\n"), "  ")


def error_of(kernel, kind, *arguments, target="sm_90a", **options):
    with hocket.emulator.target(target, **options), pytest.raises(kind) as raised:
        kernel[(1,)](*arguments)
    return _TEXTS.text_of(raised.value)


def test_wait_without_init():
    kernel = kernels.waits_without_init
    for target in ("sm_80", "sm_90a"):
        assert error_of(kernel, errors.MbarrierError, target=target) == expected(
            kernel,
            "`bar` is used as an mbarrier before it is initialized",
            "mbarrier.wait(bar, 0)",
            """
            at:    block (0, 0, 0), warp 0, lane 0
            hint:  call mbarrier.init(..., count=...) first
            """,
        )


def test_use_after_invalidate():
    kernel = kernels.uses_after_invalidate
    assert error_of(kernel, errors.MbarrierError) == expected(
        kernel,
        "`bar` is used as an mbarrier after it was invalidated",
        "mbarrier.arrive(bar)",
        f"""
        other:  invalidated in line {line_of(kernel, "invalidate(bar)")}
        at:     block (0, 0, 0), warp 0, lane 0
        hint:   invalidate it after its last use, or initialize it again
        """,
    )


def test_init_twice():
    kernel = kernels.inits_twice
    assert error_of(kernel, errors.MbarrierError, 3) == expected(
        kernel,
        "`bars`[0] is initialized although it is already an initialized mbarrier",
        "mbarrier.init(bars.index(i % 2), count=1)",
        f"""
        other:  initialized in line {line_of(kernel, "mbarrier.init")}
        at:     block (0, 0, 0), warp 0, lane 0
        hint:   call mbarrier.invalidate before its memory is initialized again
        """,
    )


def test_more_arrivals_than_the_count():
    kernel = kernels.arrives_too_often
    assert error_of(kernel, errors.MbarrierError) == expected(
        kernel,
        "more arrivals at `bar` than its phase waits for",
        "hopper.mbarrier.arrive(bar, count=4)",
        f"""
        mbarrier:  {phase_of(kernel, 3)}, of which 1 is left, but this arrives 4 times
        at:        block (0, 0, 0), warp 0, lane 0
        hint:      count all arrivals of a phase in init, or wait for the phase before arriving again
        """,
    )


def test_more_threads_copy_than_the_count():
    kernel = kernels.counts_too_few_threads
    text = error_of(kernel, errors.MbarrierError, np.zeros(128, np.float32))
    assert "more arrivals at `half` than its phase waits for" in text
    assert f"phase 0 of 48 arrivals (init in line {line_of(kernel, 'init(')}), of which 16 are left" in text
    assert "but this arrives 32 times" in text


def test_missing_arrival():
    kernel = kernels.never_arrives
    line = line_of(kernel, "wait(")
    assert error_of(kernel, errors.DeadlockError) == expected(
        kernel,
        "deadlock: lanes wait for lanes that never arrive",
        "mbarrier.wait(bars.index(1), 0)",
        f"""
        at:        block (0, 0, 0)
        waiting:   warps 0-3 at the mbarrier `bars`[1] in line {line}, whose phase 0 lacks 1 of 2 arrivals
        arrivals:  at `bars`, expected from line {line_of(kernel, "arrive(")}
        hint:      {HINT_OF_DEADLOCKS}
        """,
    )


def test_functions_of_the_library_have_the_lines_of_their_calls():
    kernel = kernels.fills_a_ring_without_release
    line = line_of(kernel, "acquire(")
    assert error_of(kernel, errors.DeadlockError) == expected(
        kernel,
        "deadlock: lanes wait for lanes that never arrive",
        "ring.producer().acquire(tile)",
        f"""
        at:        block (0, 0, 0)
        waiting:   warps 0-3 at the mbarrier `empty`[0] in line {line}, whose phase 0 lacks 1 of 1 arrival
        arrivals:  no line of the kernel arrives at `empty`
        hint:      {HINT_OF_DEADLOCKS}
        """,
    )


def test_missing_bytes():
    kernel = kernels.brings_no_bytes
    text = error_of(kernel, errors.DeadlockError)
    assert "warps 0-3 at the mbarrier `full` in line" in text
    assert ", whose phase 0 lacks 4096 bytes\n" in text
    assert "bytes:    no copy of the kernel completes on `full`\n" in text


def test_missing_arrivals():
    """In other partitions, some of which have gone on to the next wait, and nowhere."""
    text = error_of(kernels.never_frees_slots, errors.DeadlockError, np.zeros((64, 64), np.float16), 6)
    using, loading = line_of(kernels.use, "wait("), line_of(kernels.load, "wait(")
    assert f"warps 0-3 at the mbarrier `ready`[0] in line {using}, whose phase 1 lacks 1 of 1 arrival" in text
    assert f"`load` at the mbarrier `free`[0] in line {loading}, whose phase 0 lacks 1 of 1 arrival\n" in text
    assert f"arrivals:  at `ready`, expected from line {line_of(kernels.load, 'expect(')} of worker `load`\n" in text
    assert "arrivals:  no line of the kernel arrives at `free`\n" in text
    assert "bytes:" not in text


def test_too_few_bytes():
    kernel = kernels.expects_two_tiles
    text = error_of(kernel, errors.DeadlockError, np.zeros((64, 64), np.float16))
    assert ", whose phase 0 lacks 8192 bytes\n" in text
    assert f"bytes:    at `bar`, expected from line {line_of(kernel, 'async_load(')}\n" in text


@pytest.mark.parametrize("seed", range(5))
def test_wrong_phase(seed):
    """Phase 0 is complete. In the second iteration the wait means phase 2, which has the same parity, and no warp
    arrives for it. (A wait before the arrival that completes phase 1 returns at once.)"""
    kernel = kernels.waits_for_the_wrong_phase
    text = error_of(kernel, errors.DeadlockError, 2, seed=seed)
    line = line_of(kernel, "wait(")
    assert f"at the mbarrier `done` in line {line}, whose phase 2 lacks 1 of 1 arrival\n" in text


def test_memory_that_is_an_mbarrier():
    kernel = kernels.overwrites
    x = np.zeros(128, np.float32)
    assert error_of(kernel, errors.MbarrierError, x, np.zeros_like(x)) == expected(
        kernel,
        "write to memory that is an mbarrier",
        "tile.store(gl.load(x + gl.arange(0, 128, layout=ROW)))",
        f"""
        offset:  byte 0 of `tile`, byte 0 of `bar`
        other:   initialized in line {line_of(kernel, "init(")}
        at:      block (0, 0, 0), warp 0, lane 0
        hint:    call mbarrier.invalidate before its memory is used for other data
        """,
    )


def test_memory_that_is_an_mbarrier_without_looking_for_races():
    kernel = kernels.overwrites
    x = np.zeros(128, np.float32)
    assert "write to memory that is an mbarrier" in error_of(
        kernel, errors.MbarrierError, x, np.zeros_like(x), races=False
    )


def test_copy_over_an_mbarrier():
    text = error_of(kernels.copies_over, errors.MbarrierError, np.zeros(128, np.float32))
    assert "write to memory that is an mbarrier" in text and "byte 0 of `tile`, byte 0 of `bar`" in text


def test_more_bytes_than_are_counted():
    kernel = kernels.expects_too_much
    assert error_of(kernel, errors.MbarrierError) == expected(
        kernel,
        "a phase of `bar` expects more bytes than an mbarrier can count",
        "hopper.mbarrier.expect(bar, 1 << 19)",
        f"""
        mbarrier:  {phase_of(kernel, 2)}, which expects 1048576 bytes, but counts up to 1048575
        at:        block (0, 0, 0), warp 0, lane 0
        hint:      use several mbarriers, or wait between the copies
        """,
        nth=1,
    )


def test_missing_wait():
    kernel = kernels.copies_without_waiting
    line = line_of(kernel, "async_load")
    x = np.zeros(128, np.float32)
    assert error_of(kernel, errors.RaceError, x, np.zeros_like(x), 0) == expected(
        kernel,
        f"read of `tile` while the asynchronous copy of line {line} into it is still in flight",
        "tile.load(ROW)",
        f"""
        offset:  byte 0 of `tile`
        at:      block (0, 0, 0), warp 0, lane 0
        other:   asynchronous copy in line {line}, warp 0, lane 0
        hint:    wait for the copy: at the mbarrier at which it arrives, or commit it to a group and wait for the group
        """,
    )
