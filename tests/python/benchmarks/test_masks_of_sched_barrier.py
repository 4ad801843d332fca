"""benchmarks/sched_barrier.py: other masks reach the machine code, and the barrier of the prefetcher saves time."""

import pathlib
import sys

import pytest
from built_tools import ROOT

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "benchmarks"
LOOP, PATTERN = "gemm f16 256x128x32", r"^\s*hk\.sched_barrier( loc.*)?$"
needs_hocket_emit = pytest.mark.skipif(
    not (ROOT / "build/dev/csrc/tools/hocket-emit").exists(), reason="hocket-emit has not been built: make build"
)


@pytest.fixture
def modules(monkeypatch):
    names = ("results", "interleave", "isa", "plain_loops", "sched_barrier")
    monkeypatch.syspath_prepend(str(FOLDER))
    for name in names:
        monkeypatch.delitem(sys.modules, name, raising=False)
    import plain_loops
    import sched_barrier

    yield sched_barrier, plain_loops
    for name in names:
        sys.modules.pop(name, None)


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_ten_loops_are_prefetched(modules, target):
    _, plain_loops = modules
    loops = plain_loops.loops(target)
    assert len(loops) == 10
    for compile_for in loops.values():
        assert compile_for(2).asm["hk"].count("hk.sched_barrier") == 1


@needs_hocket_emit
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_a_barrier_that_nothing_crosses_is_faster_than_none(modules, target):
    sched_barrier, plain_loops = modules
    kernel = plain_loops.loops(target)[LOOP](2)
    clocks = {
        allowed: sched_barrier.clocks_of(sched_barrier.report_with(kernel, mask, PATTERN))
        for allowed, mask in sched_barrier.MASKS.items()
        if allowed in ("nothing", "no barrier")
    }
    assert clocks["nothing"] == pytest.approx(sched_barrier.clocks_of(kernel.report()))
    assert clocks["nothing"] < 0.9 * clocks["no barrier"]


def test_masks_are_written_into_the_ir(modules):
    sched_barrier, _ = modules
    hk = "  hk.sched_barrier loc(#loc1)\n  hk.barrier\n"
    assert sched_barrier.with_mask(hk, 2, PATTERN) == "  hk.sched_barrier {allow = 2 : i32} loc(#loc1)\n  hk.barrier"
    assert sched_barrier.with_mask(hk, 0, PATTERN) == hk.rstrip("\n")
    assert sched_barrier.with_mask(hk, None, PATTERN) == "  hk.barrier"
