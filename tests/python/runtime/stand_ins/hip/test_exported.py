"""Bundles on AMD GPUs, from C and from Python: their kernels run in the emulator, and results are those of a launch."""

import ctypes

import numpy as np
import pytest
from stand_in import GFX942, GFX950
from stand_ins.c_programs import CBundle
from stand_ins.exported_kernels import add

import hocket
from hocket import language as gl
from hocket.kernels import norms

TARGETS = {GFX942: "gfx942", GFX950: "gfx950"}
LAUNCHERS = ["c", "python"]


@pytest.fixture(params=TARGETS, ids=TARGETS.values())
def gpu(request):
    return request.param


def random(*shape, dtype=np.float32):
    return np.random.default_rng(len(shape)).standard_normal(shape, np.float32).astype(dtype)


def launch(hip, launcher, folder, name, gpu, arrays, *numbers):
    """Launches a bundle with copies of `arrays` on a GPU. Returns the arrays after the launch."""
    on_gpu = [hip.array(array, gpu) for array in arrays]
    loaded = hocket.load(folder)
    if launcher == "python":
        loaded(*on_gpu, *numbers)
    else:
        bundle = CBundle(folder, name, len(loaded.manifest.kernels))
        hip.hipSetDevice(gpu)
        assert bundle.load() == 0, bundle.error
        addresses = [ctypes.c_void_p(array.array.ctypes.data) for array in on_gpu]
        assert bundle.launch(*addresses, *numbers) == 0, bundle.error
        unloaded = hip.stand_in_unloaded()
        bundle.unload()
        assert hip.stand_in_unloaded() == unloaded + len(loaded.manifest.kernels)
        hip.hipSetDevice(0)
    assert hip.error is None
    return [array.array.copy() for array in on_gpu]


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_vector_add(hip, gpu, launcher, tmp_path):
    types = [gl.float32] * 3
    add.export(tmp_path / "add", *types, 1000, BLOCK=256, target=TARGETS[gpu], grid="cdiv(n, BLOCK)")
    x, y = random(1000), random(1000)
    *_, out = launch(hip, launcher, tmp_path / "add", "add", gpu, [x, y, np.zeros_like(x)], 1000)
    np.testing.assert_array_equal(out, x + y)
    assert list(hip.last.grid) == [4, 1, 1]
    assert list(hip.last.block) == [256, 1, 1]
    assert hip.last.shared_bytes == 0


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_matmul(hip, gpu, launcher, tmp_path):
    a, b = random(128, 64, dtype=np.float16), random(64, 128, dtype=np.float16)
    hocket.export(hocket.kernels.matmul, tmp_path / "matmul", a, b, target=TARGETS[gpu])
    with hocket.emulator.target(TARGETS[gpu]):
        expected = hocket.kernels.matmul(a, b)
    *_, out = launch(hip, launcher, tmp_path / "matmul", "matmul", gpu, [a, b, np.zeros_like(expected)])
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_rms_norm(hip, gpu, launcher, tmp_path):
    x, weight = random(24, 512), random(512)
    hocket.export(norms.rms_norm, tmp_path / "norm", x, weight, target=TARGETS[gpu], name="norm")
    with hocket.emulator.target(TARGETS[gpu]):
        expected = norms.rms_norm(x, weight)
    parameters = hocket.load(tmp_path / "norm").manifest.parameters
    outputs = [np.zeros(parameter.shape, np.float32) for parameter in parameters[2:]]
    results = launch(hip, launcher, tmp_path / "norm", "norm", gpu, [x, weight, *outputs])
    expected = expected if isinstance(expected, tuple) else (expected,)
    for result, wanted in zip(results[2:], expected, strict=True):
        np.testing.assert_array_equal(result, wanted)


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_attention(hip, gpu, launcher, tmp_path):
    q, k, v = (random(1, 1, 128, 64, dtype=np.float16) for _ in range(3))
    hocket.export(hocket.kernels.attention, tmp_path / "attention", q, k, v, target=TARGETS[gpu])
    with hocket.emulator.target(TARGETS[gpu]):
        expected = hocket.kernels.attention(q, k, v)
    *_, out = launch(hip, launcher, tmp_path / "attention", "attention", gpu, [q, k, v, np.zeros_like(expected)])
    np.testing.assert_array_equal(out, expected)


def test_another_gpu(hip, tmp_path):
    add.export(tmp_path / "add", *[gl.float32] * 3, 1000, BLOCK=256, target="gfx950", grid=4)
    arrays = [hip.array(random(1000), GFX942) for _ in range(3)]
    loads = hip.loads
    with pytest.raises(hocket.LaunchError, match="add was exported for gfx950, and GPU 0 is a gfx942"):
        hocket.load(tmp_path / "add")(*arrays, 1000)
    bundle = CBundle(tmp_path / "add", "add")
    assert bundle.load() != 0
    assert bundle.error == "add was exported for gfx950, and the GPU is a gfx942:sramecc+:xnack-"
    assert hip.loads == loads


def test_a_changed_file(hip, tmp_path):
    add.export(tmp_path / "add", *[gl.float32] * 3, 1000, BLOCK=256, target="gfx942", grid=4)
    code = tmp_path / "add" / "add.hsaco"
    code.write_bytes(code.read_bytes() + b"!")
    loads = hip.loads
    bundle = CBundle(tmp_path / "add", "add")
    assert bundle.load() != 0
    assert "add.hsaco was changed after the export" in bundle.error
    assert hip.loads == loads
