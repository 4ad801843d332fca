"""Sessions on the emulator: they receive the records of kernels, and results are equal to those without a session."""

import json
import warnings

import numpy as np
import pytest
from perfetto import check_trace

import hocket
from hocket import language as gl
from hocket import profiler
from hocket.errors import LaunchError, shown_path

TARGETS = ("sm_80", "sm_90a", "gfx942", "gfx950")


@hocket.jit
def scopes(x, n, ITERATIONS: gl.constexpr):
    i = gl.arange(0, 256, layout=gl.row_layout())
    i += gl.program_id(0) * 256
    value = gl.load(x + i, mask=i < n, other=0.0)
    for k in range(ITERATIONS):
        with profiler.scope("outer", payload=k):
            with profiler.scope("inner"):
                value = value * 2.0
            profiler.mark("seen", k + 7)
    gl.store(x + i, value, mask=i < n)


@hocket.jit
def plain(x):
    gl.store(x, 1.0)


@hocket.jit
def flights(x, ITERATIONS: gl.constexpr):
    token = profiler.null_token()
    for k in range(ITERATIONS):
        profiler.end(token)
        token = profiler.begin("flight", payload=k)
    profiler.end(token)
    gl.store(x, 1.0)


def launch(iterations=3, blocks=2, kernel=scopes):
    x = np.ones(blocks * 256, np.float32)
    kernel[(blocks,)](x, x.size, ITERATIONS=iterations)
    return x


@pytest.mark.parametrize("target", TARGETS)
def test_records_arrive(target):
    with hocket.emulator.target(target), profiler.session("test") as profile:
        x = launch()
    assert (x == 8).all()
    (only,) = profile.launches
    assert (only.kernel, only.target, only.grid) == ("scopes", target, (2, 1, 1))
    sites = {site.id: site.name for site in only.facts.sites}
    records = profile.records()
    warps = np.unique(records["warp"]).tolist()
    assert warps == [0, 1, 2, 3]
    for block in (0, 1):
        for warp in warps:
            mine = records[(records["cta"] == block) & (records["warp"] == warp)]
            found = [(profiler.KINDS[r["kind"]], sites[r["site"]], int(r["payload"])) for r in mine]
            iteration = [("begin", "outer"), ("begin", "inner"), ("end", "inner"), ("mark", "seen"), ("end", "outer")]
            inner = [entry[:2] for entry in found if entry[1] in ("outer", "inner", "seen")]
            assert inner == iteration * 3
            assert [payload for _, name, payload in found if name == "seen"] == [7, 8, 9]
            assert (np.diff(mine["cycle"]) >= 0).all()
            assert (mine["cycle"] == mine["raw_cycle"]).all()
            assert np.allclose(np.diff(mine["ns"]), np.diff(mine["cycle"]))
    assert profile.summary().named("inner").count == 2 * 4 * 3
    check_trace(profile.trace())


def test_the_bytes_are_those_that_the_kernel_wrote():
    with profiler.session("test") as profile:
        launch(blocks=3)
    raw = profile.raw()
    facts = profile.launches[0].facts
    assert len(raw) == 3 * facts.bytes_per_cta
    for block in range(3):
        words = np.frombuffer(raw[block * facts.bytes_per_cta :][:24], np.uint32)
        assert words[[0, 2, 4, 5]].tolist() == [0x46504B48, block, len(facts.unit_warps), facts.bytes_per_unit]


def test_launches_come_in_order_and_on_their_own():
    with profiler.session("test", out=None) as profile:
        launch(iterations=1)
        assert len(profile.launches) == 1
        launch(iterations=2)
        flights[(1,)](np.zeros(1, np.float32), ITERATIONS=2)
    assert [launch.kernel for launch in profile.launches] == ["scopes", "scopes", "flights"]
    assert [row.count for row in profile.summary() if row.name == "inner"] == [8 + 16]


def test_variants_have_keys_of_their_own():
    x = launch()
    with profiler.session("test") as profile:
        y = launch()
    again = launch()
    assert len(profile.launches) == 1
    assert (x == y).all() and (x == again).all()


def test_tokens_cross_iterations():
    with profiler.session("test", units="cta") as profile:
        flights[(1,)](np.zeros(1, np.float32), ITERATIONS=4)
    spans = profile.launches[0].spans
    of_token = spans[[profile.launches[0].facts.sites[s].kind == "token" for s in spans["site"]]]
    assert of_token["payload"].tolist() == [0, 1, 2, 3]
    check_trace(profile.trace())


@hocket.jit
def half(x):
    kept = profiler.begin("kept")
    _lost = profiler.begin("lost")
    profiler.end(kept)
    profiler.end(kept)
    gl.store(x, 1.0)


def test_halves_that_are_lost_are_named():
    with profiler.session("test", units="cta") as profile:
        half[(1,)](np.zeros(1, np.float32))
    line = half.fn.__code__.co_firstlineno + 2
    places = ", ".join(f'"{name}" ({shown_path(__file__)}:{line + i})' for i, name in enumerate(("kept", "lost")))
    assert f"note: 2 records have lost their other half, of {places}; a token ends once" in profile.notes()


def test_units_and_selected_warps():
    for options, warps in (
        ({"units": "cta"}, [0]),
        ({"units": "group"}, [0, 4]),
        ({"select": [1, 6]}, [1, 6]),
    ):
        with profiler.session("test", **options) as profile:
            x = np.ones(256, np.float32)
            scopes[(1,)](x, 256, ITERATIONS=2, num_warps=8)
        assert np.unique(profile.records()["warp"]).tolist() == warps


@pytest.mark.parametrize("policy", ("circular", "keep_first"))
@pytest.mark.parametrize("clock", (32, 44))
def test_what_does_not_fit_is_dropped_exactly(policy, clock):
    iterations = 20
    with pytest.warns(profiler.ProfileWarning) as warned:
        with profiler.session(
            "gemm", policy=policy, clock=clock, bytes_per_warp=64, units="cta", stages=None
        ) as profile:
            launch(iterations=iterations, blocks=1)
    (row,) = [row for row in profile.summary() if row.name == "seen"]
    assert profile.dropped == 5 * iterations - 8
    payloads = profile.records()["payload"][profile.records()["kind"] == 2].tolist()
    assert payloads == ([iterations + 5, iterations + 6] if policy == "circular" else [7])
    assert row.count == len(payloads)
    which = "first" if policy == "circular" else "last"
    assert str(warned[0].message) == (
        f'the session "gemm" has dropped 92 of 100 records, the {which} ones of their warps: 8 fit for each warp\n'
        "  hint: a larger `bytes_per_warp`, fewer warps (`select`, `units`), or a shorter loop"
    )


def test_pictures_and_traces_are_written(tmp_path):
    with profiler.session("test", out=tmp_path / "trace.json") as profile:
        launch()
    check_trace(json.loads((tmp_path / "trace.json").read_text()))
    assert "outer" in profile.picture(block=1).svg
    assert "not the speed of any hardware" in profile._repr_html_()


def test_a_clock_that_wraps():
    from hocket.runtime.profiling import clock_start

    def cycles(start):
        choice = clock_start.set(start)
        try:
            with profiler.session("test") as profile:
                launch(iterations=30)
        finally:
            clock_start.reset(choice)
        return profile.records()["cycle"], profile.launches[0].spans

    wrapping, spans = cycles(2**32 - 100)
    plain_cycles, plain_spans = cycles(0)
    assert wrapping.min() >= 2**32 - 100 and wrapping.max() > 2**32
    assert (wrapping - plain_cycles == 2**32 - 100).all()
    assert (spans["end"] - spans["begin"] == plain_spans["end"] - plain_spans["begin"]).all()


def test_a_launch_that_fails_records_nothing():
    with profiler.session("test") as profile:
        launch()
        with pytest.raises(hocket.EmulatorError):
            scopes[(2,)](np.ones(10, np.float32), 512, ITERATIONS=1)
        launch()
    assert len(profile.launches) == 2


# Mistakes -------------------------------------------------------------------------------------------------------------


def raised(function):
    with pytest.raises(LaunchError) as error:
        function()
    return str(error.value)


OPTIONS = {
    "buffer": ("shared", "buffer must be 'auto', 'smem', 'device' or 'static', not 'shared'"),
    "max_blocks": (4, 'max_blocks=4 needs buffer="static": other buffers hold the records of all blocks'),
    "policy": ("spill", "policy must be 'circular' or 'keep_first', not 'spill'"),
    "overflow": ("spill", "overflow must be 'drop' or 'flush', not 'spill'"),
    "units": ("lane", "units must be 'warp', 'group' or 'cta', not 'lane'"),
    "stages": (True, "stages must be 'auto' or None, not True"),
    "clock": (64, "clock must be 32 or 44, not 64"),
    "on_overflow": ("ignore", "on_overflow must be 'warn' or 'raise', not 'ignore'"),
    "select": ("0,4", "select must be numbers of warps, 0 to 63, not '0,4'"),
    "correct": ("yes", "correct must be True or False, not 'yes'"),
    "bytes_per_warp": (24, "bytes_per_warp must be a power of two from 16 to 16777216, or 0, not 24"),
    "name": ("", "name must be a text, not ''"),
}


@pytest.mark.parametrize("option", OPTIONS)
def test_options_that_are_none(option):
    value, message = OPTIONS[option]
    assert raised(lambda: profiler.session(**{option: value})) == message


FLUSHES = {
    "buffer": (
        "device",
        "overflow=\"flush\" moves records from shared memory to device memory, so buffer must be 'auto' or 'smem', not "
        "'device'",
    ),
    "policy": (
        "keep_first",
        "overflow=\"flush\" keeps all records, so policy='keep_first' has no effect\n  hint: leave it out",
    ),
    "bytes_per_warp": (512, 'with overflow="flush", bytes_per_warp must be at least 1024, or 0, not 512'),
}


@pytest.mark.parametrize("option", FLUSHES)
def test_options_that_do_not_go_with_flushes(option):
    value, message = FLUSHES[option]
    assert raised(lambda: profiler.session(overflow="flush", **{option: value})) == message


def test_room_for_a_negative_number_of_blocks():
    message = "max_blocks must be a number of blocks, or 0, not -1"
    assert raised(lambda: profiler.session(buffer="static", max_blocks=-1)) == message


def test_blocks_that_a_static_variable_has_no_room_for():
    with profiler.session("static", buffer="static", max_blocks=2) as profile:
        launch(blocks=5)
    assert profile.launches[0].blocks == 2
    assert "note: blocks for which the static variable has no room: 3" in str(profile.summary())


def test_more_blocks_than_a_static_variable_may_hold():
    """The size of the variable used to overflow, or to be more than the machine has."""
    with pytest.raises(hocket.CompileError) as error:
        with profiler.session("static", buffer="static", max_blocks=2**40):
            launch()
    assert "the records of 1099511627776 blocks do not fit into a static variable, which can hold" in str(error.value)
    assert str(error.value).endswith('hint: lower max_blocks or bytes_per_warp, or leave out buffer="static"')


def test_warps_that_do_not_exist():
    assert raised(lambda: profiler.session(select=[0, 64])) == "select must be numbers of warps, 0 to 63, not [0, 64]"
    assert raised(lambda: profiler.session(select=[])) == "select names no warp\n  hint: None for all of them"


def test_a_session_inside_a_session():
    def inner():
        with profiler.session("inner"):
            pass

    with profiler.session("outer") as profile:
        message = raised(inner)
        launch()
    assert len(profile.launches) == 1
    first, _, hint = message.partition("\n")
    assert first.startswith('the profiling session "outer" is open, since ')
    assert "test_sessions.py:" in first and first.endswith("; there can be one at a time")
    assert hint == "  hint: launch inside that one, or leave it first"


def test_a_session_is_used_once():
    session = profiler.session("gemm")
    with session:
        launch()

    def again():
        with session:
            pass

    assert raised(again) == 'the session "gemm" was entered before\n  hint: make another one'


def test_nothing_was_launched():
    def empty():
        with profiler.session("gemm"):
            pass

    assert raised(empty) == (
        'nothing was recorded in the session "gemm": no kernel with records was launched\n'
        '  hint: put `with profiler.scope(...)` into the kernel, or leave stages="auto"'
    )


def test_a_kernel_without_records():
    def without():
        with profiler.session("gemm", stages=None):
            plain[(1,)](np.zeros(1, np.float32))

    assert raised(without).startswith('nothing was recorded in the session "gemm"')


def test_an_error_inside_is_the_one_that_is_seen():
    with pytest.raises(ZeroDivisionError):
        with profiler.session("gemm"):
            _ = 1 / 0
    with profiler.session("gemm"):  # the other one is closed
        launch()


def test_drops_may_be_errors():
    def drop():
        with profiler.session("gemm", bytes_per_warp=16, units="cta", stages=None, on_overflow="raise"):
            launch(iterations=1, blocks=1)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert raised(drop) == (
            'the session "gemm" has dropped 3 of 5 records, the first ones of their warps: 2 fit for each warp\n'
            "  hint: a larger `bytes_per_warp`, fewer warps (`select`, `units`), or a shorter loop"
        )


def test_scopes_outside_of_kernels():
    with pytest.raises(RuntimeError, match=r"can only be used inside a @hocket.jit kernel"):
        profiler.scope("load")
