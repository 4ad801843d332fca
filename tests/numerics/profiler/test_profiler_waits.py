"""Waits for barriers, recorded without scopes of the kernel: on the emulator and on a GPU."""

import numpy as np
import pytest
from specialized_rings import one_producer, run

import hocket
from hocket import errors, profiler
from hocket import language as gl
from hocket.devices import EmulatedDevice
from hocket.language.nvidia.hopper import mbarrier

STEPS = 12


def recorded(device, slots=2, **options):
    with profiler.session("ring", **options) as profile:
        run(device, one_producer, STEPS, slots, 4, False, True)
    return profile.launches[0]


@hocket.jit
def one_wait(x, out):
    i = gl.arange(0, 128, layout=gl.row_layout())
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.arrive(bar, count=1)
    mbarrier.wait(bar, 0)
    with profiler.scope("add"):
        gl.store(out + i, gl.load(x + i) + 1)


def spans_of_waits(launch):
    sites = [site.id for site in launch.facts.sites if site.name == "wait"]
    return launch.spans[np.isin(launch.spans["site"], sites)]


@pytest.mark.parametrize("slots", [1, 2, 4])
def test_each_wait_is_recorded_once_by_each_warp(nvidia_device, slots):
    """`run` compares the results of the kernel, too."""
    launch = recorded(nvidia_device, slots, waits=True)
    waits = spans_of_waits(launch)
    assert np.bincount(waits["warp"]).tolist() == [STEPS] * 8
    assert launch.unpaired == 0
    # Two waits in the source: consumers for data, the producer for a free slot.
    sites = {site.id: site for site in launch.facts.sites}
    parents = {sites[sites[site].parent].name for site in np.unique(waits["site"]).tolist()}
    assert parents == {"default", "produce"}


def test_waits_lie_inside_of_their_partitions(nvidia_device):
    launch = recorded(nvidia_device, waits=True)
    lives = [site.id for site in launch.facts.sites if site.kind == "partition"]
    waits = spans_of_waits(launch)
    for warp in range(8):
        (life,) = launch.spans[np.isin(launch.spans["site"], lives) & (launch.spans["warp"] == warp)]
        mine = waits[waits["warp"] == warp]
        assert life["begin"] <= mine["begin"].min() and mine["end"].max() <= life["end"]
        assert (mine["begin"] <= mine["end"]).all() and (mine["end"][:-1] <= mine["begin"][1:]).all()


def test_waits_can_be_left_out(nvidia_device):
    assert len(spans_of_waits(recorded(nvidia_device, waits=False))) == 0


def test_by_default_in_kernels_without_scopes(nvidia_device):
    assert np.bincount(spans_of_waits(recorded(nvidia_device))["warp"]).tolist() == [STEPS] * 8


@pytest.mark.parametrize("on_gpu", [False, True])
def test_by_default_in_kernels_with_scopes_where_records_take_no_time(on_gpu, monkeypatch):
    """`waits=None` with a kernel of scopes: on a GPU each wait would cost two records."""
    monkeypatch.setattr("hocket.profiler.sessions._is_emulated", lambda: not on_gpu)
    with EmulatedDevice("sm_90a") as device, profiler.session("scopes", stages=None) as profile:
        out = device.to_device(np.zeros(128, np.float32))
        one_wait[(1,)](device.to_device(np.ones(128, np.float32)), out)
    (launch,) = profile.launches
    assert {site.name for site in launch.facts.sites} == ({"add"} if on_gpu else {"add", "wait"})
    assert (out == 2).all()


def test_without_stages_waits_are_left(nvidia_device):
    launch = recorded(nvidia_device, stages=None, waits=True)
    assert {site.name for site in launch.facts.sites} == {"wait"}


def test_nothing_to_record(nvidia_device):
    with pytest.raises(errors.LaunchError, match="nothing was recorded"):
        recorded(nvidia_device, stages=None, waits=False)
