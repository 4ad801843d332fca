"""Errors for races between warps in shared memory, and for missing waits for copies."""

import re
import textwrap

import numpy as np
import pytest
import racing_warps
import texts

import hocket
from hocket import _core, errors
from hocket.runtime import emulated

_TEXTS = texts.TextsOf(racing_warps)
place_of, text_of, expected = _TEXTS.place_of, _TEXTS.text_of, _TEXTS.expected


@pytest.fixture
def without_barriers(monkeypatch):
    """Inside, kernels run without the barriers and fences that the compiler has inserted."""

    def compile_emulated(*request):
        facts, artifacts = _core.compile(*request[:5], ["lane"])
        lines = artifacts["lane"].decode().splitlines()
        kept = [line for line in lines if not re.match(r"\s*(nvvm\.barrier|rocdl\.s\.barrier|llvm\.fence)", line)]
        assert len(kept) < len(lines)
        return facts, _core.emulate_lane("\n".join(kept), facts.parameters)

    class Core:
        def __getattr__(self, name):
            return compile_emulated if name == "compile_emulated" else getattr(_core, name)

    monkeypatch.setattr(emulated, "_core", Core())


@pytest.mark.parametrize("target", ["sm_90a", "gfx950"])
def test_missing_barrier(without_barriers, target):
    x = np.arange(64 * 64, dtype=np.float32)
    with hocket.emulator.target(target), pytest.raises(errors.RaceError) as raised:
        racing_warps.transpose[(1,)](x, np.empty_like(x), SIZE=64)
    error = raised.value
    # The lane form that was edited has no lines of this file.
    assert re.sub(r"-:\d+:\d+", "PLACE", re.sub(r"line \d+", "LINE", str(error))) == textwrap.dedent(
        """
        PLACE: error: write to `tile` races with a read by another warp
          offset:  byte 256 of `tile`
          at:      block (0, 0, 0), warp 1, lane 0
          other:   read in LINE, warp 0, lane 1
          hint:    put gl.barrier() between the two accesses
        """
    ).strip("\n")
    assert (error.block, error.warp, error.array, error.index) == ((0, 0, 0), 1, "shared memory", 256)


@pytest.mark.parametrize("target", ["sm_90a", "gfx950"])
@pytest.mark.parametrize("seed", range(5))
def test_missing_barrier_for_every_seed(without_barriers, target, seed):
    x = np.arange(64 * 64, dtype=np.float32)
    with hocket.emulator.target(target, seed=seed), pytest.raises(errors.RaceError):
        racing_warps.transpose[(1,)](x, np.empty_like(x), SIZE=64)
    with hocket.emulator.target(target, seed=seed, races=False):
        racing_warps.transpose[(1,)](x, np.empty_like(x), SIZE=64)


def test_copy_without_waiting():
    x = np.arange(2048, dtype=np.float32)
    with hocket.emulator.target("gfx950"), pytest.raises(errors.RaceError) as raised:
        racing_warps.copy_without_waiting[(1,)](x, np.empty_like(x), 0)
    line, *_ = place_of("amd.cdna4.async_copy.buffer_load_to_shared(")
    assert text_of(raised.value) == expected(
        f"read of `tile` while the asynchronous copy of line {line} into it is still in flight",
        "tile.load(layout)",
        f"""
        offset:  byte 0 of `tile`
        at:      block (0, 0, 0), warp 0, lane 0
        other:   asynchronous copy in line {line}, warp 0, lane 0
        hint:    commit the copy to a group, and wait for it: wait_group(n) leaves the n newest groups in flight
        """,
    )


def test_what_a_copy_brings_before_it_is_waited_for():
    x, out = np.arange(2048, dtype=np.float32), np.empty(2048, np.float32)
    with hocket.emulator.target("gfx950", races=False):
        racing_warps.copy_without_waiting[(1,)](x, out, 0)
        assert np.isnan(out).all()
        with hocket.emulator.schedule(completion="now"):
            racing_warps.copy_without_waiting[(1,)](x, out, 0)
        np.testing.assert_array_equal(out, x)
