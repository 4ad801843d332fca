"""Records without scopes: stages of warp pipelines, partitions of warps, lifetimes of warps. They change only the time
of a kernel."""

import hopper_pipelines as kernels
import numpy as np
import pytest
from hopper_attention_pipeline import attended
from hopper_pipeline_forms import ATTENTION, PRODUCTS, name_of
from pipelined_kernels import LAUNCHES
from record_buffers import BEGIN, END, recorded

import hocket
from hocket import devices
from hocket import language as gl
from hocket.language import profiler

pytestmark = pytest.mark.usefixtures("unoptimized")


def intervals(unit, name):
    """(begin, end) of each time that a unit was in `name`, in order."""
    found, begin = [], None
    for record in unit.records:
        if record.name == name and record.kind == BEGIN:
            assert begin is None
            begin = record.clock
        elif record.name == name and record.kind == END:
            found.append((begin, record.clock))
            begin = None
    assert begin is None
    return found


# Partitions -----------------------------------------------------------------------------------------------------------


@hocket.jit
def negate(x, out, n):
    for k in range(n):
        with profiler.scope("negate", k):
            i = gl.arange(0, 256, layout=gl.row_layout())
            gl.store(out + i, -gl.load(x + i))


@hocket.jit
def double(x, out, n):
    for k in range(n):
        with profiler.scope("double", k):
            i = gl.arange(0, 256, layout=gl.row_layout())
            gl.store(out + i, 2 * gl.load(x + i))


@hocket.jit
def in_partitions(x, negated, doubled, n, ROUNDS: gl.constexpr):
    for _ in range(ROUNDS):
        gl.warp_specialize([(negate, (x, negated, n)), (double, (x, doubled, n + 1))], [2])


@pytest.mark.parametrize("space", ["device", "shared"])
@pytest.mark.parametrize("rounds", [1, 3])
def test_each_warp_of_a_partition_is_a_unit(nvidia_device, space, rounds):
    x = np.arange(256, dtype=np.int32)
    given = [nvidia_device.to_device(array) for array in (x, np.zeros_like(x), np.zeros_like(x))]
    with recorded(nvidia_device, space=space, bytes=512) as launches:
        in_partitions[(1,)](*given, 2, rounds)
    np.testing.assert_array_equal(nvidia_device.to_host(given[1]), -x)
    np.testing.assert_array_equal(nvidia_device.to_host(given[2]), 2 * x)
    facts = launches[0].facts
    assert facts.unit_warps == [0, 1, 2, 3, 4, 5]
    assert facts.partition_of_warp == ["", "", "", "", "double", "double"]
    kinds = {site.name: site.kind for site in facts.sites}
    assert (kinds["default"], kinds["warp"], kinds["negate"]) == ("partition", "warp", "scope")
    assert [site.kind for site in facts.sites if site.name == "double"] == ["partition", "scope"]
    for block in launches[0].blocks:
        for unit in block.of[:4]:
            assert len(intervals(unit, "warp")) == 1
            assert len(intervals(unit, "default")) == rounds
            assert len(intervals(unit, "negate")) == 2 * rounds
            assert unit.count == 2 + 2 * rounds + 4 * rounds
        for unit in block.of[4:]:
            # Partition and scope have one name: a begin each, then an end each.
            assert [record.kind for record in unit.records] == ([BEGIN] + [BEGIN, END] * 3 + [END]) * rounds
            assert [record.payload for record in unit.records if record.kind == BEGIN] == [0, 0, 1, 2] * rounds


@hocket.jit
def give(out):
    gl.store(out + 1, 2)


@hocket.jit
def token_through_a_capture(out):
    token = profiler.begin("handed over", 7)
    gl.warp_specialize([(give, (out,)), (end_of, (out, token))], [1])


@hocket.jit
def end_of(out, token):
    profiler.end(token)
    gl.store(out, 1)


def test_a_token_ends_in_another_partition(nvidia_device):
    out = nvidia_device.to_device(np.zeros(2, np.int32))
    with recorded(nvidia_device, stages=False, bytes=64) as launches:
        token_through_a_capture[(1,)](out, num_warps=1)
    (block,) = launches[0].blocks
    begins, ends = [[(r.kind, r.name, r.payload) for r in unit.records] for unit in block.of]
    assert begins == [(BEGIN, "handed over", 7)]
    assert ends == [(END, "handed over", 7)]


# Warp pipelines -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", PRODUCTS, ids=name_of)
@pytest.mark.parametrize("space", ["device", "shared"])
def test_stages_on_hopper(hopper_device, case, space):
    """If groups synchronize after each stage, they are never in the same instance at the same time, and warps 0-3 lead.
    With exclusive stages (`by_turns` always has one) they synchronize only at these: on a GPU, the groups may overlap
    in the others. The clocks of a GPU's partitions differ a little."""
    kernel, options = case
    with recorded(hopper_device, space=space, bytes=512) as launches:
        out, expected = kernels.product(hopper_device, kernel, 5, **options)
    np.testing.assert_array_equal(out, expected)
    (block,) = launches[0].blocks
    stages = [site.name for site in launches[0].facts.sites if site.kind == "stage"]
    is_exclusive = options.get("EXCLUSIVE", False) or (hopper_device.is_gpu and kernel is kernels.by_turns)
    for stage in stages:
        low, high = stage_of_groups(block, stage)
        assert len(low) == len(high) == 5
        if not is_exclusive:
            skew = 100 if hopper_device.is_gpu else 0
            assert all(of_low[1] <= of_high[0] + skew for of_low, of_high in zip(low, high, strict=True))


def stage_of_groups(block, stage):
    """(begin, end) of each instance of a stage, in both groups of the eight warps that run it."""
    warps = [found for unit in block.of if (found := intervals(unit, stage))]
    assert len(warps) == 8
    return [
        [(min(begin for begin, _ in same), max(end for _, end in same)) for same in zip(*group, strict=True)]
        for group in (warps[:4], warps[4:])
    ]


@pytest.mark.parametrize("name", sorted(LAUNCHES))
@pytest.mark.parametrize("space", ["device", "shared"])
def test_pipelined_kernels_of_cdna_are_the_same(name, space):
    target, launch = LAUNCHES[name]
    device = devices.EmulatedDevice(target)
    with device:
        plain, _ = launch()
        with recorded(device, space=space, bytes=4096 if space == "device" else 256) as launches:
            profiled, _ = launch()
    np.testing.assert_array_equal(plain, profiled)
    facts = launches[0].facts
    stages = [site for site in facts.sites if site.kind == "stage"]
    assert len(stages) >= 2
    assert facts.group_of_warp == [0, 0, 0, 0, 1, 1, 1, 1]
    for block in launches[0].blocks:
        assert len({unit.count for unit in block.of}) == 1
    if space == "shared":
        return
    for block in launches[0].blocks:
        for stage in {site.name for site in stages}:
            low, high = stage_of_groups(block, stage)
            assert len(low) == len(high) > 0
            # The groups are never in one instance of a stage at the same time, and the low one leads.
            assert all(of_low[1] <= of_high[0] for of_low, of_high in zip(low, high, strict=True))


def total_overlap(one, other):
    """Cycles in which some interval of each of two lists runs."""
    return sum(max(0, min(a[1], b[1]) - max(a[0], b[0])) for a in one for b in other)


@pytest.mark.parametrize("form", ["turns", "turns in flight"])
def test_exclusive_stages_alternate(hopper_device, form):
    """Ping-pong: products of one group never run beside those of the other, but under its softmax. All blocks are
    loaded before: a group that loads besides is the slower one, for which the other one waits."""
    with recorded(hopper_device, bytes=2048) as launches:
        out, expected = attended(hopper_device, 12, **ATTENTION[form] | {"SLOTS": 12, "AHEAD": 12})
    np.testing.assert_allclose(out, expected, atol=5e-3)
    (block,) = launches[0].blocks
    products, softmax = (stage_of_groups(block, stage) for stage in ("products", "softmax"))
    assert all(len(stage) == 11 for group in (products, softmax) for stage in group)
    for one, other in ((0, 1), (1, 0)):
        spent = sum(end - begin for begin, end in products[one])
        assert total_overlap(products[one], products[other]) <= 0.1 * spent
        # In the steady state: the first and the last have nothing beside them. (On a GPU, a stage that only starts
        # products is over long before they are. On the virtual clock, softmax is mostly over when products begin that
        # are waited for.)
        inner = products[one][2:-2]
        spent = sum(end - begin for begin, end in inner)
        if (form == "turns") == hopper_device.is_gpu:
            assert total_overlap(inner, softmax[other]) >= 0.7 * spent
