"""hocket.hooks: events of launches and compilations."""

import threading

import numpy as np
import pytest

import hocket
from hocket import hooks
from hocket import language as gl


def work(grid, metadata, arguments):
    return {"bytes": 4 * arguments["n"], "where": f"{metadata.name} on {metadata.target}, {metadata.num_warps} warps"}


@hocket.jit(launch_metadata=work)
def count(out, n, BLOCK: gl.constexpr):
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, gl.row_layout())
    gl.store(out + i, i, mask=i < n)


@hocket.jit
def plain(out):
    gl.store(out, 1)


def test_a_launch_has_two_events():
    out, events = np.zeros(300, np.int32), []
    with (
        hooks.launch_enter.added(lambda launch: events.append(("enter", int(out[1]), launch))),
        hooks.launch_exit.added(lambda launch: events.append(("exit", int(out[1]), launch))),
        hocket.emulator.target("sm_90a"),
    ):
        kernel = count[lambda meta: (hocket.cdiv(meta["n"], meta["BLOCK"]),)](out, 300, BLOCK=128, num_warps=2)
    assert [(kind, value) for kind, value, _ in events] == [("enter", 0), ("exit", 1)]
    launch = events[0][2]
    assert launch is events[1][2]
    assert launch.kernel is kernel and launch.function is count
    assert (launch.grid, launch.place, launch.stream) == ((3, 1, 1), "sm_90a", 0)
    assert launch.arguments["out"] is out
    assert {name: launch.arguments[name] for name in ("n", "BLOCK", "num_warps", "debug")} == (
        {"n": 300, "BLOCK": 128, "num_warps": 2, "debug": False}
    )
    assert launch.metadata == {"bytes": 1200, "where": "count on sm_90a, 2 warps"}
    assert repr(launch) == "<launch of count on sm_90a, grid (3, 1, 1)>"


def test_launches_outside_and_without_metadata():
    events = []
    plain[(1,)](np.zeros(1, np.int32))
    with hooks.launch_exit.added(events.append):
        plain[(1,)](np.zeros(1, np.int32))
    plain[(1,)](np.zeros(1, np.int32))
    assert [event.metadata for event in events] == [{}]


def test_hooks_of_one_thread_see_launches_of_others():
    events = []
    with hooks.launch_enter.added(events.append):
        thread = threading.Thread(target=lambda: plain[(1,)](np.zeros(1, np.int32)))
        thread.start()
        thread.join()
    assert len(events) == 1


def test_an_exception_reaches_the_launch():
    def refuse(launch):
        raise RuntimeError("no launches today")

    out = np.zeros(1, np.int32)
    with hooks.launch_enter.added(refuse), pytest.raises(RuntimeError, match="no launches today"):
        plain[(1,)](out)
    assert out[0] == 0
    plain[(1,)](out)
    assert out[0] == 1


def test_a_failing_launch_has_no_exit():
    events = []

    @hocket.jit
    def outside(out):
        gl.store(out + 100, 1)

    with hooks.launch_enter.added(events.append), hooks.launch_exit.added(events.append):
        with pytest.raises(hocket.EmulatorError):
            outside[(1,)](np.zeros(1, np.int32))
    assert len(events) == 1


def test_compilations():
    events = []

    @hocket.jit
    def fresh(out, n):
        gl.store(out, n)

    with hooks.compilation.added(events.append):
        first = fresh.warmup(gl.int32, 7, target="gfx950", num_warps=2)
        assert fresh.warmup(gl.int32, 9, target="gfx950", num_warps=2) is first
        fresh[(1,)](np.zeros(1, np.int32), 7)
    assert [event.kernel.place for event in events] == ["compile:gfx950", events[1].kernel.target]
    event = events[0]
    assert event.kernel is first and event.function is fresh and event.options.num_warps == 2
    assert event.specialization.signature == {"out": "*i32", "n": "i32"} and event.specialization.constants == {}
    assert [name for name, _ in event.steps][:2] == ["front end", "hocket-decide-layouts"]
    assert 0 < sum(seconds for _, seconds in event.steps) <= event.seconds
    assert event.seconds > 0 and not event.is_cached
    assert repr(event).startswith("<fresh for gfx950 compiled in 0.")


def test_a_compilation_has_two_events():
    events = []

    @hocket.jit
    def fresh(out, n, SIZE: gl.constexpr):
        gl.store(out + gl.arange(0, SIZE, gl.row_layout()), n)

    with hooks.compilation_enter.added(events.append), hooks.compilation.added(events.append):
        fresh.warmup(gl.int32, 7, SIZE=64, target="gfx950")
    start, end = events
    assert end.start is start and (start.function, start.place) == (fresh, "compile:gfx950")
    assert start.specialization.constants == {"SIZE": 64} and start.options is end.options
    assert repr(start) == "<compilation of fresh for compile:gfx950>"


def test_a_failing_compilation_has_no_end():
    events = []

    @hocket.jit
    def wrong(out):
        gl.store(7, out)

    with hooks.compilation_enter.added(events.append), hooks.compilation.added(events.append):
        with pytest.raises(hocket.CompileError):
            wrong.warmup(gl.int32, target="gfx950")
    assert [event.function for event in events] == [wrong]


def test_chains():
    chain, calls = hooks.HookChain(), []
    first, second = (lambda event: calls.append((1, event))), (lambda event: calls.append((2, event)))
    chain.add(first)
    chain.add(second)
    chain("a")
    chain.remove(first)
    chain("b")
    assert calls == [(1, "a"), (2, "a"), (2, "b")] and len(chain) == 1
    with pytest.raises(ValueError):
        chain.remove(first)
    with pytest.raises(TypeError, match="a hook is a function of one event, not 3"):
        chain.add(3)
