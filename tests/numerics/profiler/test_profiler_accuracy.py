"""Accuracy of recorded times. On the emulator they are those of the virtual clock; on a GPU they are measured."""

import numpy as np
import pytest

import hocket
from hocket import _core, profiler
from hocket import language as gl

#: One warp in shared memory, 44 bits: what disturbs least.
ONE_WARP = {"buffer": "smem", "clock": 44, "stages": "auto"}


@hocket.jit
def chain(x, LINKS: gl.constexpr, MORE: gl.constexpr = 0):
    """A scope around products that wait for each other, an empty one, and one with MORE products besides."""
    i = gl.arange(0, 32, layout=gl.row_layout())
    factor = gl.load(x + i)
    value = factor
    for _ in range(4):
        with profiler.scope("chain"):
            for _ in gl.static_range(LINKS):
                value = value * factor + 1.0
        with profiler.scope("empty"):
            pass
        with profiler.scope("longer"):
            for _ in gl.static_range(LINKS + MORE):
                value = value * factor + 1.0
    gl.store(x + i, value)


@hocket.jit
def long_chain(x, links):
    """Products that wait for each other, 64 at a time: thousands in a row take a GPU longer than their number says."""
    i = gl.arange(0, 32, layout=gl.row_layout())
    factor = gl.load(x + i)
    value = factor
    for _ in range(4):
        with profiler.scope("chain"):
            for _ in range(links // 64):
                for _ in gl.static_range(64):
                    value = value * factor + 1.0
    gl.store(x + i, value)


def measure_long(device, links):
    x = device.to_device(np.full(32, 0.5, np.float32))
    with profiler.session("chain", **ONE_WARP) as profile:
        long_chain[(1,)](x, links, num_warps=1)
    return shortest(profile, "chain")


def measure(device, links, more=0):
    x = device.to_device(np.full(32, 0.5, np.float32))
    with profiler.session("chain", **ONE_WARP) as profile:
        chain[(1,)](x, LINKS=links, MORE=more, num_warps=1)
    return profile


def shortest(profile, name):
    launch = profile.launches[-1]
    (site,) = [site.id for site in launch.facts.sites if site.name == name]
    spans = launch.spans[launch.spans["site"] == site]
    return int((spans["end"] - spans["begin"]).min())


def quantum(device):
    """Returns the cycles of an empty scope: those of instructions that LLVM moves across a clock read."""
    return 12 if device.is_gpu else 0


def test_an_empty_scope_has_no_cycles(device):
    assert shortest(measure(device, 64), "empty") <= quantum(device)


def test_cycles_grow_with_the_work(device):
    """Each link takes the same number of cycles, for any number of links, and the scope itself takes none."""
    lengths = {links: measure_long(device, links) for links in (256, 512, 1024, 2048, 4096, 8192)}
    slopes = [(lengths[2 * links] - lengths[links]) / links for links in (256, 512, 1024, 2048, 4096)]
    assert max(slopes) <= 1.02 * min(slopes) + 0.01
    assert abs(lengths[256] - 256 * slopes[0]) <= max(0.02 * lengths[256], 2 * quantum(device))


def test_a_deliberate_delay_is_seen(device):
    profile = measure(device, 256, more=125)  # about 500 cycles on Hopper
    per_link = shortest(profile, "chain") / 256
    delay = shortest(profile, "longer") - shortest(profile, "chain")
    assert delay == pytest.approx(125 * per_link, rel=0.02)


def test_children_fit_into_their_parents(device):
    launch = measure(device, 256).launches[-1]
    spans = launch.spans
    kinds = np.array([site.kind for site in launch.facts.sites])[spans["site"]]
    (life,) = spans[kinds == "warp"]
    inside = spans[kinds == "scope"]
    assert (inside["end"] - inside["begin"]).sum() <= life["end"] - life["begin"]
    assert (inside["begin"] >= life["begin"]).all() and (inside["end"] <= life["end"]).all()


@hocket.jit
def many_blocks(x, TURNS: gl.constexpr):
    i = gl.program_id(0) * 256 + gl.arange(0, 256, layout=gl.row_layout())
    value = gl.load(x + i)
    for k in range(TURNS):
        with profiler.scope("turn", k):
            for _ in gl.static_range(64):
                value = value * 0.5 + 1.0
    gl.store(x + i, value)


def test_many_launches_in_flight(device):
    """More than the ring holds, without a pause: nothing is lost or mixed up, results are those of plain launches."""
    blocks, launches = (4096, 60) if device.is_gpu else (3, 5)
    plain, profiled = (device.to_device(np.ones(blocks * 256, np.float32)) for _ in range(2))
    for _ in range(launches):
        many_blocks[(blocks,)](plain, TURNS=8)
    with profiler.session("many") as profile:
        for _ in range(launches):
            many_blocks[(blocks,)](profiled, TURNS=8)
    np.testing.assert_array_equal(device.to_host(plain), device.to_host(profiled))
    assert [launch.blocks for launch in profile.launches] == [blocks] * launches
    row = profile.summary().named("turn")
    assert row.count == blocks * launches * 4 * 8 and profile.dropped == 0


@hocket.jit
def numbered(x, number, TURNS: gl.constexpr):
    i = gl.program_id(0) * 256 + gl.arange(0, 256, layout=gl.row_layout())
    value = gl.load(x + i)
    for _ in range(TURNS):
        with profiler.scope("turn", number):
            for _ in gl.static_range(64):
                value = value * 0.5 + 1.0
    gl.store(x + i, value)


@pytest.mark.parametrize("buffer", ["device", "smem", "static"])
def test_two_streams_do_not_mix(device, buffer):
    """Launches that may run at the same time, each with records of its own, on two streams of a GPU."""
    streams = [None, None]
    if device.is_gpu:
        torch = pytest.importorskip("torch")
        streams = [torch.cuda.Stream() for _ in range(2)]
    blocks, launches, turns = 24, 12, 8
    arrays = [device.to_device(np.ones(blocks * 256, np.float32)) for _ in streams]
    if device.is_gpu:
        torch.cuda.synchronize()
    more = {"max_blocks": blocks} if buffer == "static" else {}
    with profiler.session("streams", buffer=buffer, stages=None, bytes_per_warp=256, **more) as profile:
        for launch in range(launches):
            options = {"stream": streams[launch % 2]} if device.is_gpu else {}
            numbered[(blocks,)](arrays[launch % 2], launch, TURNS=turns, **options)
    assert len(profile.launches) == launches and profile.dropped == 0
    for number, launch in enumerate(profile.launches):
        assert len(launch.spans) == blocks * 4 * turns
        assert set(launch.spans["payload"].tolist()) == {number}
        assert sorted(set(launch.decoded.blocks["cta"].tolist())) == list(range(blocks))


def test_launches_of_a_graph_have_what_its_last_run_wrote(device):
    if not device.is_gpu:
        pytest.skip("the emulator has no graphs")
    torch = pytest.importorskip("torch")
    x = device.to_device(np.ones(256, np.float32))
    number = torch.zeros(1, dtype=torch.int32, device="cuda")
    with profiler.session("graph", stages=None, bytes_per_warp=256) as profile:
        counted[(1,)](x, number)  # compiled, and a launch of its own
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            counted[(1,)](x, number)
        for value in (5, 6, 7):
            number.fill_(value)
            graph.replay()
    assert [launch.records["payload"].tolist() for launch in profile.launches] == [[0] * 4, [7] * 4]
    graph.replay()  # its memory is still there
    torch.cuda.synchronize()


@hocket.jit
def counted(x, number):
    profiler.mark("number", gl.load(number))
    i = gl.arange(0, 256, layout=gl.row_layout())
    gl.store(x + i, gl.load(x + i) + 1)


def test_blocks_take_as_long_as_events_say(device):
    """On the shared clock, from the first block's beginning to the last one's end: the time between two events; and no
    warp lives longer."""
    if not device.is_gpu:
        pytest.skip("the emulator has no events")
    x = device.to_device(np.ones(4096 * 256, np.float32))
    start, stop = (_core.DeviceEvent(0) for _ in range(2))
    with profiler.session("timed") as profile:
        for _ in range(3):
            # Events also enclose times in which the launch waits on the host for memory of records, so existing records
            # are read before. Earlier launches keep the GPU busy until this one is queued.
            assert profile.launches is not None
            for _ in range(4):
                many_blocks[(4096,)](x, TURNS=64, profile="")
            start.record()
            many_blocks[(4096,)](x, TURNS=64)
            stop.record()
            stop.synchronize()
    timed_ns = stop.milliseconds_since(start) * 1e6
    launch = profile.launches[-1]
    blocks = launch.decoded.blocks
    spent_ns = float(blocks["steady_end"].max() - blocks["steady_start"].min()) * launch.steady_ns
    flushed_ns = float(blocks["steady_flushed"].max() - blocks["steady_start"].min()) * launch.steady_ns
    assert spent_ns <= timed_ns + 2000
    assert abs(flushed_ns - timed_ns) <= max(0.05 * timed_ns, 8000)  # the launch itself takes some microseconds
    lives = launch.spans[np.array([site.kind == "warp" for site in launch.facts.sites])[launch.spans["site"]]]
    assert (lives["end_ns"] - lives["begin_ns"]).max() <= timed_ns


def test_a_multiprocessor_runs_no_more_blocks_than_fit(device):
    """On the shared clock, blocks of one multiprocessor: no more at a time than their warps fit (64 on Hopper)."""
    if not device.is_gpu:
        pytest.skip("the emulator gives each block a compute unit of its own")
    blocks = 4096
    with profiler.session("many") as profile:
        many_blocks[(blocks,)](device.to_device(np.ones(blocks * 256, np.float32)), TURNS=64)
    launch = profile.launches[0]
    found = launch.decoded.blocks
    assert launch.frequency_source.startswith("measured")
    for unit in np.unique(found["hardware"]):
        mine = found[found["hardware"] == unit]
        begins, ends = np.sort(mine["steady_start"]), np.sort(mine["steady_end"])
        # When the k-th block begins, all earlier blocks except the resident ones have ended; the global clock has a
        # coarse resolution.
        resident = max(int(k + 1 - np.searchsorted(ends, begin + 32, "right")) for k, begin in enumerate(begins))
        assert resident <= 64 // 4
