"""The launch option `profile`: its text, what it refuses, and what kernels refuse."""

import pytest

import hocket
from hocket import CompileError, LaunchError, OutOfResources
from hocket import language as gl
from hocket.language import profiler
from hocket.profiler.facts import ProfileConfig, ProfileFacts


@pytest.mark.parametrize(
    ("config", "text"),
    [
        (
            ProfileConfig(),
            "space=auto;policy=circular;clock=32;units=warp;warps=;bytes=0;stages=1;max_ctas=0;waits=never",
        ),
        (
            ProfileConfig("shared", "flush", bytes=4096, waits="auto"),
            "space=shared;policy=flush;clock=32;units=warp;warps=;bytes=4096;stages=1;max_ctas=0;waits=auto",
        ),
        (
            ProfileConfig("static", "keep_first", 44, "group", (4, 0), 512, False, 9),
            "space=static;policy=keep_first;clock=44;units=group;warps=0,4;bytes=512;stages=0;max_ctas=9;waits=never",
        ),
    ],
)
def test_text_and_back(config, text):
    assert config.text() == text
    assert ProfileConfig.parse(text) == config


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"space": "smem"}, "the profiler's space must be 'auto', 'shared', 'device' or 'static', not 'smem'"),
        ({"policy": "spill"}, "the profiler's policy must be 'circular', 'keep_first' or 'flush', not 'spill'"),
        ({"waits": "all"}, "the profiler's waits must be 'never', 'always' or 'auto', not 'all'"),
        (
            {"policy": "flush", "space": "device"},
            'the profiler\'s policy="flush" cannot be used with space="device": records are moved out of shared memory',
        ),
        ({"clock": 64}, "the profiler's clock must be 32 or 44, not 64"),
        ({"units": "lane"}, "the profiler's units must be 'warp', 'group' or 'cta', not 'lane'"),
        ({"warps": (-1,)}, "the profiler's warps must be numbers of warps, not (-1,)"),
        (
            {"bytes": 24},
            "the profiler's bytes must be 0 or a power of two from 16 to 2**24, not 24: a record has 8",
        ),
        (
            {"space": "static"},
            'the profiler\'s max_ctas=0 cannot be used with space="static": max_ctas must be positive if '
            'space="static", and 0 otherwise',
        ),
        (
            {"max_ctas": 4},
            'the profiler\'s max_ctas=4 cannot be used with space="auto": max_ctas must be positive if '
            'space="static", and 0 otherwise',
        ),
    ],
)
def test_what_a_config_refuses(given, message):
    with pytest.raises(LaunchError) as error:
        ProfileConfig(**given)
    assert str(error.value) == message


@hocket.jit
def kernel(out):
    profiler.mark("here")
    gl.store(out, 1)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("on", "the launch option profile must be ProfileConfig(...).text() or empty, not 'on'"),
        (True, "profile must be a text, ProfileConfig(...).text(), not bool: sessions of the profiler set it"),
        (
            ProfileConfig().text().replace("bytes=0", "bytes=many"),
            "the launch option profile must be ProfileConfig(...).text() or empty, not 'space=auto;policy=circular;"
            "clock=32;units=warp;warps=;bytes=many;stages=1;max_ctas=0;waits=never'",
        ),
    ],
)
def test_what_a_launch_refuses(option, message):
    with pytest.raises(LaunchError) as error:
        kernel.warmup(gl.int32, target="sm_90a", profile=option)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (ProfileConfig(warps=(0, 4)), "the profiler selects warp 4, but a block of this kernel has 4 warps"),
        (
            ProfileConfig(units="group", warps=(1,)),
            "the profiler selects warp 1, but a block of this kernel has 4 warps, "
            'and units="group" does not include this warp',
        ),
    ],
)
def test_warps_that_a_kernel_does_not_have(config, message):
    with pytest.raises(CompileError) as error:
        kernel.warmup(gl.int32, target="sm_90a", profile=config.text())
    assert error.value.args[0].splitlines()[0].endswith(f"error: {message}")
    assert "hint: leave out the selection of warps, or choose among 0 to 3" in str(error.value)


@pytest.mark.parametrize(
    ("config", "message", "hint"),
    [
        (
            ProfileConfig("static", bytes=1 << 20, max_ctas=1 << 12),
            "the records of 4096 blocks do not fit into a static variable, which can hold the records of 255 blocks",
            'lower max_blocks or bytes_per_warp, or leave out buffer="static"',
        ),
        (
            ProfileConfig("shared", bytes=1 << 16),
            "the kernel needs 262208 bytes of shared memory, but a block on sm_90a has 232448",
            "fewer bytes for each warp, fewer warps, or device memory for the records",
        ),
    ],
)
def test_more_memory_than_there_is(config, message, hint):
    with pytest.raises((CompileError, OutOfResources)) as error:
        kernel.warmup(gl.int32, target="sm_90a", profile=config.text())
    assert error.value.args[0].splitlines()[0].endswith(f"error: {message}")
    assert f"hint: {hint}" in str(error.value)


@hocket.jit
def many_places(out):
    for k in gl.static_range(1025):
        profiler.mark(f"mark {k}")


def test_more_places_than_a_record_can_name():
    with pytest.raises(CompileError, match="a kernel can have 1024 sites that the profiler records"):
        many_places.warmup(gl.int32, target="sm_90a", profile=ProfileConfig().text())
    assert many_places.warmup(gl.int32, target="sm_90a").profile is None


@pytest.mark.parametrize("target", ["sm_90a", "gfx942"])
def test_records_in_static_memory(target):
    """The variable is larger than what a thread can hold."""
    config = ProfileConfig(space="static", bytes=4096, max_ctas=64)
    facts = kernel.warmup(gl.int32, target=target, profile=config.text()).profile
    assert "here" in [site.name for site in facts.sites]


def test_facts_of_a_kernel():
    facts = kernel.warmup(gl.int32, target="gfx950", profile=ProfileConfig(stages=False, bytes=64).text()).profile
    assert isinstance(facts, ProfileFacts)
    assert (facts.version, facts.steady_ns, facts.note) == (
        2,
        10.0,
        "records in device memory: in shared memory, they would reduce the number of blocks per SM or the L1 cache, "
        "or only few would fit",
    )
    assert [(site.id, site.name, site.kind, site.payload) for site in facts.sites] == [(0, "here", "mark", False)]
