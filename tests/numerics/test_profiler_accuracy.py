"""How true recorded times are. On the emulator they are those of the virtual clock; on a GPU they are measured."""

import numpy as np
import pytest

import hocket
from hocket import language as gl
from hocket import profiler

#: One warp in shared memory, 44 bits: what disturbs least.
ONE_WARP = {"buffer": "smem", "clock": 44, "stages": "auto"}


@hocket.jit
def chain(x, LINKS: gl.constexpr, MORE: gl.constexpr = 0):
    """A scope around products that wait for each other, an empty one, and one with MORE products besides."""
    i = gl.arange(0, 32, layout=gl.BlockedLayout([1], [gl.num_lanes()], [gl.num_warps()], [0]))
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
    """What is left of a scope that holds nothing: instructions that the back end moves past a clock."""
    return 12 if device.is_gpu else 0


def test_an_empty_scope_has_no_cycles(device):
    assert shortest(measure(device, 64), "empty") <= quantum(device)


def test_cycles_grow_with_the_work(device):
    """The same number of cycles for each link, whatever their number, and none for the scope itself."""
    lengths = {links: shortest(measure(device, links), "chain") for links in (256, 512, 1024, 2048)}
    slopes = [(lengths[2 * links] - lengths[links]) / links for links in (256, 512, 1024)]
    assert max(slopes) <= 1.02 * min(slopes) + 0.01
    assert abs(lengths[256] - 256 * slopes[0]) <= max(0.02 * lengths[256], 2 * quantum(device))


def test_a_deliberate_delay_is_seen(device):
    profile = measure(device, 256, more=125)  # about 500 cycles on Hopper
    per_link = shortest(profile, "chain") / 256
    delay = shortest(profile, "longer") - shortest(profile, "chain")
    assert delay == pytest.approx(125 * per_link, rel=0.02, abs=quantum(device))


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
    i = gl.program_id(0) * 256 + gl.arange(
        0, 256, layout=gl.BlockedLayout([1], [gl.num_lanes()], [gl.num_warps()], [0])
    )
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
        # When the k-th block begins, all but the resident ones have ended; the shared clock has steps.
        resident = max(int(k + 1 - np.searchsorted(ends, begin + 32, "right")) for k, begin in enumerate(begins))
        assert resident <= 64 // 4
