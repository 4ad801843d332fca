"""Profiled kernels: the bytes that they write, read back word by word (docs/profiling_format.md)."""

import itertools

import numpy as np
import pytest
from record_buffers import BEGIN, END, MARK, recorded

import hocket
from hocket import language as gl
from hocket.language import profiler
from hocket.profiler.facts import ProfileConfig
from hocket.runtime import profiling

SPACES = ["device", "shared", "static"]


@hocket.jit
def scale(x, n, N: gl.constexpr):
    i = gl.arange(0, N, layout=gl.row_layout())
    for k in range(n):
        with profiler.scope("double", k):
            with profiler.scope("load"):
                value = gl.load(x + i)
            gl.store(x + i, value * 2)
        profiler.mark("doubled", k)


def run(device, kernel, *arguments, grid=(1,), **options):
    given = [device.to_device(a) if isinstance(a, np.ndarray) else a for a in arguments]
    kernel[grid](*given, **options)
    return [device.to_host(a) for a, b in zip(given, arguments, strict=True) if isinstance(b, np.ndarray)]


def names(records):
    return [(record.kind, record.name, record.payload) for record in records]


def iteration(k):
    return [(BEGIN, "double", k), (BEGIN, "load", 0), (END, "load", 0), (END, "double", 0), (MARK, "doubled", k)]


def assert_ordered(block):
    for unit in block.of:
        clocks = [record.clock for record in unit.records]
        assert clocks == sorted(clocks)


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("clock", [32, 44])
def test_each_warp_records_what_it_does(every_device, space, clock):
    with recorded(every_device, space=space, clock=clock, stages=False, bytes=256) as launches:
        (out,) = run(every_device, scale, np.ones(256, np.int32), 3, 256)
    assert (out == 8).all()
    (launch,) = launches
    assert [launch.facts.space, launch.facts.origin] == {
        "static": ["device", "static"],
        "device": ["device", "launch"],
        "shared": ["shared", "launch"],
    }[space]
    assert [launch.facts.clock_bits, launch.facts.units] == [clock, 4]
    (block,) = launch.blocks
    for unit in block.of:
        assert unit.count == 15
        assert names(unit.records) == iteration(0) + iteration(1) + iteration(2)
    assert_ordered(block)


def test_both_spaces_hold_the_same(every_device):
    """Records in device memory, of both origins."""
    found = []
    for space in SPACES:
        with recorded(every_device, space=space, stages=False, bytes=128) as launches:
            run(every_device, scale, np.ones(256, np.int32), 2, 256)
        found.append([[names(unit.records) for unit in block.of] for block in launches[0].blocks])
    assert found[0] == found[1] == found[2]


@hocket.jit
def where_am_i(out):
    block = gl.program_id(0) + gl.num_programs(0) * (gl.program_id(1) + gl.num_programs(1) * gl.program_id(2))
    profiler.mark("here", block)
    gl.store(out + block, block)


def test_the_header_says_what_was_launched(device):
    with recorded(device, space="device", policy="keep_first", clock=44, stages=False, bytes=64) as launches:
        run(device, where_am_i, np.zeros(30, np.int32), grid=(5, 3, 2), num_warps=2)
    facts, _, blocks = launches[0]
    assert facts.bytes_per_cta == 256  # 64 + 2 * 8 + 2 * 64 = 208, and up to a multiple of 128
    for number, block in enumerate(blocks):
        assert (block.magic, block.version, block.flags) == (0x46504B48, 2, 1 << 8 | 1 << 9)
        assert (block.cta, block.units, block.bytes_per_unit) == (number, 2, 64)
        assert block.g0 <= block.g1 <= block.g2
        assert block.c0 <= block.c1
        assert [names(unit.records) for unit in block.of] == [[(MARK, "here", number)]] * 2


@hocket.jit
def count_up(out, n):
    for k in range(n):
        profiler.mark("k", k)
    gl.store(out, n)


@pytest.mark.parametrize("space", SPACES)
def test_a_ring_keeps_the_last_records(device, space):
    capacity = 16
    written = 3 * capacity + 1
    with recorded(device, space=space, stages=False, bytes=8 * capacity) as launches:
        run(device, count_up, np.zeros(1, np.int32), written)
    for unit in launches[0].blocks[0].of:
        assert unit.count == written
        in_order = [unit.records[number % capacity].payload for number in range(written - capacity, written)]
        assert in_order == list(range(written - capacity, written))


@pytest.mark.parametrize("space", SPACES)
def test_keep_first_keeps_the_first_records(device, space):
    with recorded(device, space=space, policy="keep_first", stages=False, bytes=128) as launches:
        run(device, count_up, np.zeros(1, np.int32), 49)
    for unit in launches[0].blocks[0].of:
        assert unit.count == 49
        assert [record.payload for record in unit.records] == list(range(16))


@hocket.jit
def steps(out, n):
    profiler.mark("before")
    for k in range(n):
        with profiler.scope("step", k):
            gl.store(out, k)


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("warps", [(0, 1, 3), ()])
@pytest.mark.parametrize("n", [0, 5, 7, 8, 20])
def test_pairs_of_records_share_a_store(every_device, space, warps, n):
    """The mark is an odd number of records before the loop, so it has the index 1 and the scope's records are pairs."""
    capacity = 16
    with recorded(every_device, space=space, warps=warps, stages=False, bytes=8 * capacity) as launches:
        run(every_device, steps, np.zeros(1, np.int32), n)
    (block,) = launches[0].blocks
    assert block.flags & 1 << 13
    written = [(MARK, "before", 0)]
    for k in range(n):
        written += [(BEGIN, "step", k), (END, "step", 0)]
    for unit in block.of:
        assert unit.count == len(written)
        in_order = [unit.records[number % capacity] for number in range(max(0, len(written) - capacity), len(written))]
        assert names(in_order) == written[-capacity:]
        clocks = [record.clock for record in in_order]
        assert clocks == sorted(clocks)


@hocket.jit
def every_third(out, n):
    for k in range(n):
        with profiler.scope("third", k, when=k % 3 == 0):
            gl.store(out, k)
    with profiler.scope("never", when=False):
        gl.store(out + 1, n)


def test_what_is_not_recorded_takes_no_place(device):
    with recorded(device, stages=False, bytes=256) as launches:
        run(device, every_third, np.zeros(2, np.int32), 8)
    for unit in launches[0].blocks[0].of:
        assert unit.count == 6
        expected = [(kind, "third", k if kind == BEGIN else 0) for k in (0, 3, 6) for kind in (BEGIN, END)]
        assert names(unit.records) == expected


@pytest.mark.parametrize(
    ("config", "warps"),
    [
        ({"warps": (1, 6)}, [1, 6]),
        ({"units": "group"}, [0, 4]),
        ({"units": "cta"}, [0]),
        ({"units": "group", "warps": (4,)}, [4]),
    ],
)
def test_only_chosen_warps_record(device, config, warps):
    with recorded(device, space="device", stages=False, bytes=64, **config) as launches:
        run(device, count_up, np.zeros(1, np.int32), 2, num_warps=8)
    facts, _, (block,) = launches[0]
    assert facts.unit_warps == warps
    assert [unit.count for unit in block.of] == [2] * len(warps)
    if not device.is_gpu:
        assert [unit.slot for unit in block.of] == warps


def test_payloads_are_kept_modulo_their_bits(device):
    for clock, bits in ((32, 20), (44, 8)):
        with recorded(device, clock=clock, stages=False, bytes=64) as launches:
            run(device, mark_once, np.zeros(1, np.int32), 0x12345678)
        assert launches[0].blocks[0].of[0].records[0].payload == 0x12345678 % 2**bits


@hocket.jit
def mark_once(out, value):
    profiler.mark("value", value)
    gl.store(out, value)


@hocket.jit
def ring_of_tokens(out, n):
    first = profiler.null_token()
    second = profiler.null_token()
    for k in range(n):
        profiler.end(first)
        first = second
        second = profiler.begin("slot", k)
        gl.store(out, k)
    profiler.end(first)
    profiler.end(second)


def test_tokens_end_where_they_are_handed_to(device):
    with recorded(device, stages=False, bytes=256) as launches:
        run(device, ring_of_tokens, np.zeros(1, np.int32), 4)
    expected = [
        (BEGIN, "slot", 0),
        (BEGIN, "slot", 1),
        (END, "slot", 0), (BEGIN, "slot", 2),
        (END, "slot", 1), (BEGIN, "slot", 3),
        (END, "slot", 2), (END, "slot", 3),
    ]  # fmt: skip
    for unit in launches[0].blocks[0].of:
        assert names(unit.records) == expected
    assert launches[0].facts.sites[0].kind == "token"


@hocket.jit
def inner(x, out):
    with profiler.scope("inside"):
        gl.store(out, gl.load(x) + 1)


@hocket.jit
def outer(x, out):
    with profiler.scope("around"):
        inner(x, out)
    inner(x, out + 1)


def test_sites_know_their_scopes_and_lines(device):
    with recorded(device, stages=False) as launches:
        run(device, outer, np.zeros(1, np.int32), np.zeros(2, np.int32))
    sites = launches[0].facts.sites
    assert [(site.name, site.parent, site.kind) for site in sites] == [
        ("around", -1, "scope"),
        ("inside", 0, "scope"),
        ("inside", -1, "scope"),
    ]
    source = open(__file__).read().splitlines()
    assert [source[site.line - 1].strip() for site in sites] == [
        'with profiler.scope("around"):',
        'with profiler.scope("inside"):',
        'with profiler.scope("inside"):',
    ]
    assert sites[0].file == __file__


def test_warps_live_as_long_as_the_kernel(device):
    with recorded(device, space="device") as launches:
        run(device, count_up, np.zeros(1, np.int32), 1)
    facts, _, (block,) = launches[0]
    assert [(site.name, site.kind) for site in facts.sites] == [("warp", "warp"), ("k", "mark")]
    for unit in block.of:
        assert names(unit.records) == [(BEGIN, "warp", 0), (MARK, "k", 0), (END, "warp", 0)]


def test_nothing_is_recorded_without_a_session(device):
    kernel = scale.warmup(gl.int32, 3, 256, target="sm_90a")
    assert (kernel.metadata.profile, kernel.profile, kernel.metadata.implicit_arguments) == ("", None, [])


def test_a_kernel_without_records_is_left_alone(device):
    config = ProfileConfig(stages=False)
    for target in ("sm_90a", "gfx950"):
        plain = plain_copy.warmup(gl.int32, target=target)
        asked = plain_copy.warmup(gl.int32, target=target, profile=config.text())
        assert asked.profile is None
        text = "ptx" if target == "sm_90a" else "amdgcn"
        assert plain.asm[text] == asked.asm[text]


@hocket.jit
def plain_copy(x):
    gl.store(x + 1, gl.load(x))


def test_launches_without_a_sink_drop_records(device):
    config = ProfileConfig(stages=False, bytes=64)
    (out,) = run(device, count_up, np.zeros(1, np.int32), 9, profile=config.text())
    assert out[0] == 9


def test_profiled_and_plain_launches_compile_two_kernels(device):
    x = device.to_device(np.ones(256, np.int32))
    plain = scale[(1,)](x, 1, 256)
    with recorded(device, stages=False):
        profiled = scale[(1,)](x, 1, 256)
    assert plain.profile is None
    assert profiled.profile is not None
    assert scale[(1,)](x, 1, 256) is plain


@pytest.mark.parametrize("space", SPACES)
def test_no_barrier_is_added(space):
    config = ProfileConfig(space=space, bytes=64, max_ctas=4 if space == "static" else 0)
    for target, text, barrier in (("sm_90a", "ptx", "bar.sync"), ("gfx950", "amdgcn", "s_barrier")):
        plain = scale.warmup(gl.int32, 3, 256, target=target).asm[text]
        profiled = scale.warmup(gl.int32, 3, 256, target=target, profile=config.text()).asm[text]
        assert plain.count(barrier) == profiled.count(barrier)


def test_a_static_variable_has_room_for_some_blocks():
    config = ProfileConfig(space="static", max_ctas=5, stages=False, bytes=64)
    kernel = count_up.warmup(gl.int32, 9, target="sm_90a", num_warps=2, profile=config.text())
    facts = kernel.profile
    assert (facts.origin, facts.symbol, facts.max_ctas) == ("static", "count_up_profile", 5)
    assert kernel.metadata.implicit_arguments == []
    assert f".visible .global .align 256 .b8 count_up_profile[{5 * facts.bytes_per_cta}]" in kernel.asm["ptx"]
    symbol = count_up.warmup(gl.int32, 9, target="gfx950", num_warps=2, profile=config.text()).asm["amdgcn"]
    assert f".size\tcount_up_profile, {5 * facts.bytes_per_cta}" in symbol


def test_two_kernels_have_variables_of_their_own():
    config = ProfileConfig(space="static", max_ctas=1, stages=False, bytes=64)
    texts = [
        kernel.warmup(gl.int32, *more, target="sm_90a", profile=config.text()).asm["ptx"]
        for kernel, more in ((count_up, (3,)), (where_am_i, ()))
    ]
    names = ["count_up_profile", "where_am_i_profile"]
    assert [[name in text for name in names] for text in texts] == [[True, False], [False, True]]


def test_a_static_variable_is_read_back(every_device):
    """Each launch's records, though all share the variable; none of blocks that have no room, or of a launch before."""
    config = {"space": "static", "max_ctas": 2, "stages": False, "bytes": 64}
    with recorded(every_device, **config) as launches:
        for grid in (2, 3, 1):
            run(every_device, where_am_i, np.zeros(30, np.int32), grid=(grid,), num_warps=2)
    assert [len(launch.blocks) for launch in launches] == [2, 2, 1]
    for facts, _, blocks in launches:
        assert (facts.origin, facts.symbol) == ("static", "where_am_i_profile")
        for number, block in enumerate(blocks):
            assert (block.magic, block.cta, block.flags & 1 << 11) == (0x46504B48, number, 1 << 11)
            assert [names(unit.records) for unit in block.of] == [[(MARK, "here", number)]] * 2


@hocket.jit
def silent_but_for_one(out):
    profiler.mark("first", when=gl.program_id(0) == 0)
    gl.store(out + gl.program_id(0), 1)


@pytest.mark.parametrize("space", ["device", "shared", "static"])
def test_what_nothing_wrote_is_zero(every_device, space):
    """In a session: of the first launch, and of one whose memory another launch has used."""
    from hocket import profiler as host

    buffer = {"shared": "smem"}.get(space, space)
    with host.session("zero", buffer=buffer, stages=None, bytes_per_warp=64) as profile:
        for _ in range(2):
            run(every_device, count_up, np.zeros(1, np.int32), 8)
            run(every_device, silent_but_for_one, np.zeros(2, np.int32), grid=(2,))
    for launch in profile.launches[1::2]:
        for cta in range(2):
            of_block = launch.memory[cta * launch.facts.bytes_per_cta :][: launch.facts.bytes_per_cta]
            records = of_block[64 + 8 * 4 :].view(np.uint32)
            assert np.count_nonzero(records.reshape(-1, 2)[:, 0]) == (4 if cta == 0 else 0)


# Only in the emulator -----------------------------------------------------------------------------------------------


def emulated(device):
    if device.is_gpu:
        pytest.skip("the emulator's clock is chosen")


def test_the_virtual_clock_is_the_same_every_time(device):
    emulated(device)
    raws = []
    for _ in range(2):
        with recorded(device, stages=False) as launches:
            run(device, where_am_i, np.zeros(3, np.int32), grid=(3,))
        raws.append(launches[0].raw)
    assert raws[0] == raws[1]


def test_clocks_of_32_bits_wrap(device):
    emulated(device)
    choice = profiling.clock_start.set(2**32 - 100)
    try:
        with recorded(device, stages=False, bytes=1024) as launches:
            run(device, scale, np.ones(256, np.int32), 6, 256)
    finally:
        profiling.clock_start.reset(choice)
    block = launches[0].blocks[0]
    assert 2**32 - 100 <= block.c0 < 2**32 < block.c1
    for unit in block.of:
        clocks = [record.clock for record in unit.records]
        assert sum(b < a for a, b in itertools.pairwise(clocks)) == 1


def test_profiling_costs_no_virtual_time(device):
    emulated(device)
    times = []
    for config in ({"warps": (0,)}, {"space": "shared"}, {"clock": 44}):
        with recorded(device, stages=False, bytes=512, **config) as launches:
            run(device, scale, np.ones(256, np.int32), 3, 256)
        block = launches[0].blocks[0]
        times.append((block.c1 - block.c0, [record.clock for record in block.of[0].records]))
    assert times[0] == times[1] == times[2]
