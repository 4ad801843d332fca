"""The kernels of `hocket.kernels` in profiling sessions: the same bits as without, and records that make sense."""

import numpy as np
import pytest
from pipelined_kernels import LAUNCHES

import hocket
from hocket import profiler
from hocket.kernels import attention, matmul, norms


def random(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float16)


def check_profile(profile):
    """Completeness and order of what every launch has recorded."""
    assert profile.dropped == 0
    for launch in profile.launches:
        assert launch.decoded.missing_blocks == 0 and launch.unpaired == 0
        lives = [site.id for site in launch.facts.sites if site.kind == "warp"]
        spans, is_life = launch.spans, np.isin(launch.spans["site"], lives)
        assert is_life.sum() == launch.blocks * len(np.unique(spans["warp"][is_life]))
        assert (spans["end"] >= spans["begin"]).all()


def backward(function, *statistics):
    """Of 16 rows of 264 columns."""
    return function(random(16, 264), random(16, 264), random(264), *statistics)


ROW = np.linspace(0.5, 1.5, 16, dtype=np.float32)
PLAIN = {
    "matmul": lambda: matmul(random(150, 200), random(200, 130)),
    "attention": lambda: attention(random(1, 2, 130, 64), random(1, 2, 140, 64), random(1, 2, 140, 64)),
    "rms_norm": lambda: norms.rms_norm(random(16, 264), random(264), residual=random(16, 264)),
    "layer_norm": lambda: norms.layer_norm(random(16, 264), random(264), random(264)),
    "rms_norm_backward": lambda: backward(norms.rms_norm_backward, ROW),
    "layer_norm_backward": lambda: backward(norms.layer_norm_backward, ROW, ROW),
}


def bits(results):
    return [
        result.tobytes() for result in (results if isinstance(results, tuple) else (results,)) if result is not None
    ]


@pytest.mark.parametrize("target", ["sm_80", "sm_90a", "gfx942", "gfx950"])
@pytest.mark.parametrize("kernel", PLAIN)
@pytest.mark.parametrize("buffer", ["device", "smem"])
def test_profiling_changes_no_bit(target, kernel, buffer):
    if (kernel, target) == ("attention", "sm_80"):
        pytest.skip("attention has no form for sm_80")
    with hocket.emulator.target(target):
        plain = PLAIN[kernel]()
        try:
            with profiler.session(kernel, buffer=buffer) as profile:
                profiled = PLAIN[kernel]()
        except hocket.OutOfResources:
            assert buffer == "smem"  # these take all of it
            return
    assert bits(plain) == bits(profiled)
    check_profile(profile)


@pytest.mark.parametrize("launch", LAUNCHES)
def test_stages_of_the_pipelined_kernels(launch):
    target, run = LAUNCHES[launch]
    with hocket.emulator.target(target):
        plain, _ = run()
        with profiler.session(launch, units="group") as profile:
            profiled, _ = run()
    assert plain.tobytes() == profiled.tobytes()
    check_profile(profile)
    last = profile.launches[-1]
    stages = [site for site in last.facts.sites if site.kind == "stage"]
    assert len(stages) >= 2 and all(site.line > 0 for site in stages)
    for cta in range(last.blocks):
        of_groups = [last.spans[(last.spans["cta"] == cta) & (last.spans["warp"] == warp)] for warp in (0, 4)]
        order = [
            [int(span["site"]) for span in spans if last.facts.sites[span["site"]].kind == "stage"]
            for spans in of_groups
        ]
        assert order[0] == order[1] and len(order[0]) > len(stages)
