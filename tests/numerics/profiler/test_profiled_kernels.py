"""The kernels of `hocket.kernels` in profiling sessions: the same bits as without, and records that make sense."""

import functools

import numpy as np
import pytest
import scaled_cases
from pipelined_kernels import LAUNCHES

import hocket
from hocket import profiler
from hocket.kernels import attention, attention_varlen, matmul, norms

pytestmark = pytest.mark.slow


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


def weights(device, *sizes):
    """A tensor of each size on a device."""
    return [device.to_device(random(size)) for size in sizes]


def product(device, m, n, k, **options):
    return matmul(*(device.to_device(random(*shape)) for shape in ((m, k), (k, n))), **options)


def attended(device, queries, keys, causal):
    shapes = (1, 1, queries, 64), (1, 1, keys, 64), (1, 1, keys, 64)
    return attention(*(device.to_device(random(*shape)) for shape in shapes), causal=causal)


def attended_sequences(device):
    starts = np.array([0, 70, 70, 199], np.int32)
    return attention_varlen(
        *(device.to_device(x) for x in (*(random(199, 1, 64) for _ in range(3)), starts, starts)), 129, causal=True
    )


def backward(device, function, statistics):
    """Normalizes 16 rows of 264 columns."""
    rows = [device.to_device(random(16, 264)) for _ in range(2)]
    ones = [device.to_device(np.linspace(0.5, 1.5, 16, dtype=np.float32)) for _ in range(statistics)]
    return function(*rows, *weights(device, 264), *ones)


def normalized(device, function, tensors):
    x, residual = (device.to_device(random(16, 264)) for _ in range(2))
    return function(x, *weights(device, *[264] * tensors), residual=residual)


#: Kernels to run, and their targets.
ALL, AMD = ("sm_80", "sm_90a", "gfx942", "gfx950"), ("gfx942", "gfx950")
PLAIN = {
    "matmul": (lambda device: product(device, 150, 130, 200), ALL),
    "matmul of aligned sizes": (lambda device: product(device, 128, 128, 128), ALL),
    "matmul of few tiles": (lambda device: product(device, 32, 32, 1024), ALL),
    "attention": (lambda device: attended(device, 130, 140, False), ALL[1:]),
    "causal attention": (lambda device: attended(device, 200, 200, True), ALL[1:]),
    "attention_varlen": (attended_sequences, ALL[1:]),
    "matmul_scaled": (lambda device: scaled_cases.product("float8_e4m3fn", 100, 70, 544)[0], AMD[1:]),
    "rms_norm": (lambda device: normalized(device, norms.rms_norm, 1), ALL),
    "layer_norm": (lambda device: normalized(device, norms.layer_norm, 2), ALL),
    "rms_norm_backward": (lambda device: backward(device, norms.rms_norm_backward, 1), ALL),
    "layer_norm_backward": (lambda device: backward(device, norms.layer_norm_backward, 2), ALL),
}


def bits(device, results):
    some = results if isinstance(results, tuple) else (results,)
    return [device.to_host(result).tobytes() for result in some if result is not None]


@functools.cache
def bits_without_profile(device, kernel):
    return bits(device, PLAIN[kernel][0](device))


@pytest.mark.parametrize("kernel", PLAIN)
@pytest.mark.parametrize("buffer", ["device", "smem"])
def test_profiling_changes_no_bit(every_device, kernel, buffer):
    run, targets = PLAIN[kernel]
    if getattr(every_device, "target", "sm_90a") not in targets:
        pytest.skip("has no form for this target")
    plain = bits_without_profile(every_device, kernel)
    try:
        with profiler.session(kernel, buffer=buffer) as profile:
            profiled = run(every_device)
    except hocket.OutOfResources:
        assert buffer == "smem"  # these take all of it
        return
    assert plain == bits(every_device, profiled)
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
