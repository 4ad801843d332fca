"""Full segments of records move from shared to device memory while the kernel runs: no record is lost."""

import json

import numpy as np
import pytest
from specialized_rings import one_producer, run

import hocket
from hocket import errors, profiler
from hocket import language as gl
from hocket.profiler.decoding import BEGIN, END, MARK

#: Marks of each of the four warps of a block: a million records per block on a GPU.
MARKS_ON_GPU, MARKS_ON_EMULATOR = 250_000, 1_500


@hocket.jit
def count_up(out, n):
    for k in range(n):
        profiler.mark("k", k)
    gl.store(out + gl.program_id(0), n)


@hocket.jit
def nested(x, n, STEPS: gl.constexpr):
    i = gl.arange(0, 256, layout=gl.row_layout())
    for k in range(n):
        with profiler.scope("outer", payload=k):
            for j in gl.static_range(STEPS):
                with profiler.scope("inner", payload=j, when=k % 3 != 1):
                    gl.store(x + i, gl.load(x + i) + 1)
            profiler.mark("added", k)
        if k % 4 == 0:
            profiler.mark("fourth", k)


@hocket.jit
def flights(x, n):
    token = profiler.null_token()
    for k in range(n):
        profiler.end(token)
        token = profiler.begin("flight", payload=k)
    profiler.end(token)
    gl.store(x, n)


def session(**options):
    return profiler.session("flush", overflow="flush", **options)


def site_of(launch, name):
    (site,) = [site for site in launch.facts.sites if site.name == name]
    return site


def records_of(launch, cta, warp):
    records = launch.decoded.records
    return records[(records["cta"] == cta) & (records["warp"] == warp)]


def own_records(launch, records):
    """Records of the kernel, without those of flushes."""
    return records[records["site"] != site_of(launch, "flush").id]


def assert_flushes(launch, records, lanes):
    """Each full segment was moved once, and the records of a move are adjacent."""
    positions = np.flatnonzero(records["site"] == site_of(launch, "flush").id)
    assert len(positions) == 2 * (len(records) // lanes)
    assert records["kind"][positions].tolist() == [BEGIN, END] * (len(positions) // 2)
    assert (positions[1::2] == positions[::2] + 1).all()


def lanes_of(launch):
    return 64 if launch.target.startswith("gfx") else 32


@pytest.mark.parametrize("clock", [32, 44])
def test_no_record_of_many_is_lost(every_device, clock):
    marks, size = (MARKS_ON_GPU, 1 << 22) if every_device.is_gpu else (MARKS_ON_EMULATOR, 1 << 14)
    out = every_device.to_device(np.zeros(2, np.int32))
    with session(clock=clock, stages=None, bytes_per_warp=size) as profile:
        count_up[(2,)](out, marks)
    (launch,) = profile.launches
    assert profile.dropped == 0
    assert (launch.facts.policy, launch.facts.space, launch.facts.staging) == ("flush", "device", 16 * lanes_of(launch))
    bits = (1 << (20 if clock == 32 else 8)) - 1
    for cta in range(2):
        for warp in range(4):
            records = records_of(launch, cta, warp)
            own = own_records(launch, records)
            assert (own["payload"] == np.arange(marks) & bits).all() and len(own) == marks
            assert (np.diff(records["cycle"]) >= 0).all()
            assert_flushes(launch, records, lanes_of(launch))


def expected_records(n, steps):
    records = []
    for k in range(n):
        records.append(("outer", BEGIN, k))
        for j in range(steps):
            if k % 3 != 1:
                records += [("inner", BEGIN, j), ("inner", END, 0)]
        records += [("added", MARK, k), ("outer", END, 0)]
        if k % 4 == 0:
            records.append(("fourth", MARK, k))
    return records


def test_order_and_nesting_are_kept(every_device):
    """Twelve records in a row are more than one check follows; half of the scopes are not recorded."""
    n, steps = 40, 6
    x = every_device.to_device(np.zeros(256, np.int32))
    with session(stages=None) as profile:
        nested[(1,)](x, n, steps)
    assert (every_device.to_host(x) == n * steps).all()
    (launch,) = profile.launches
    assert profile.dropped == launch.unpaired == 0
    names = {site.id: site.name for site in launch.facts.sites}
    for warp in range(4):
        records = records_of(launch, 0, warp)
        assert_flushes(launch, records, lanes_of(launch))
        own = own_records(launch, records)
        found = [(names[site], kind, payload) for site, kind, payload in own[["site", "kind", "payload"]].tolist()]
        assert found == expected_records(n, steps)
        spans = launch.spans[launch.spans["warp"] == warp]
        outer = spans[spans["site"] == site_of(launch, "outer").id]
        inner = spans[spans["site"] == site_of(launch, "inner").id]
        around = np.searchsorted(outer["begin"], inner["begin"], "right") - 1
        assert (inner["end"] <= outer["end"][around]).all()


def test_tokens_are_paired_across_segments(device):
    n = 200
    with session(stages=None, units="cta") as profile:
        flights[(1,)](device.to_device(np.zeros(1, np.int32)), n)
    (launch,) = profile.launches
    flown = launch.spans[launch.spans["site"] == site_of(launch, "flight").id]
    assert flown["payload"].tolist() == list(range(n)) and launch.unpaired == 0


@pytest.mark.parametrize("options", [{"select": [1, 2]}, {"units": "cta"}, {"units": "group"}])
def test_only_selected_warps_flush(device, options):
    with session(stages=None, **options) as profile:
        count_up[(3,)](device.to_device(np.zeros(3, np.int32)), 300)
    (launch,) = profile.launches
    warps = options.get("select", [0])
    assert launch.facts.unit_warps == warps
    for cta in range(3):
        for warp in warps:
            assert own_records(launch, records_of(launch, cta, warp))["payload"].tolist() == list(range(300))


def test_partitions_flush_on_their_own(nvidia_device):
    """The warps of a partition write other numbers of records than those of another; results are right."""
    with session(waits=True) as profile:
        run(nvidia_device, one_producer, 60, 2, 4, False, True)
    (launch,) = profile.launches
    assert profile.dropped == launch.unpaired == 0
    for warp in range(8):
        assert_flushes(launch, records_of(launch, 0, warp), 32)
        waits = [site.id for site in launch.facts.sites if site.name == "wait"]
        assert (np.isin(launch.spans["site"], waits) & (launch.spans["warp"] == warp)).sum() == 60


def test_device_memory_that_is_too_small(device):
    """The number of records is exact even though most are lost, so the hint of the error suffices."""
    out = device.to_device(np.zeros(1, np.int32))
    with pytest.raises(errors.LaunchError) as caught, session(stages=None, bytes_per_warp=1024):
        count_up[(1,)](out, 1000)
    text = str(caught.value)
    written = int(text.split(" wrote ")[1].split(";")[0])
    assert text == (
        'device memory is too small for the records that the session "flush" has flushed: 128 fit for each warp, and a '
        f"warp of count_up wrote {written}; {4 * (written - 128)} records are lost\n  hint: bytes_per_warp=16384"
    )
    with session(stages=None, bytes_per_warp=16384) as profile:
        count_up[(1,)](out, 1000)
    assert profile.dropped == 0 and profile.launches[0].written == written


def test_what_did_fit_is_kept(device):
    out = device.to_device(np.zeros(1, np.int32))
    profile = session(stages=None, bytes_per_warp=1024, units="cta")
    with pytest.raises(errors.LaunchError), profile:
        count_up[(1,)](out, 1000)
    (launch,) = profile.launches
    kept = own_records(launch, launch.decoded.records)["payload"].tolist()
    assert len(launch.decoded.records) == 128 and kept == list(range(len(kept)))


def test_flushes_are_scopes_of_summary_timeline_and_trace(device, tmp_path):
    with session(stages=None, out=tmp_path / "flush.json") as profile:
        count_up[(1,)](device.to_device(np.zeros(1, np.int32)), 400)
    row = profile.summary().named("flush")
    (launch,) = profile.launches
    assert row.kind == "flush" and row.count == (launch.spans["site"] == site_of(launch, "flush").id).sum()
    assert row.count >= 4 * (400 // 64)
    assert sum(s.label == "flush" for s in profile.timeline().slices) == row.count
    events = json.loads((tmp_path / "flush.json").read_text())["traceEvents"]
    assert sum(event.get("cat") == "flush" for event in events) == row.count
    assert any(note.startswith("note: records in shared memory, flushed to device memory") for note in profile.notes())
