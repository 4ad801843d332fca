"""hocket.devices.properties: the properties of a GPU that the host code of kernels uses."""

import ast
import pathlib

import numpy as np
import pytest

import hocket
from hocket import devices
from hocket import language as gl


def test_targets():
    assert devices.targets() == ["sm_80", "sm_90a", "gfx942", "gfx950"]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("sm_90a", ("nvidia", 32, 1024, 232448, 32, 1)),
        ("gfx942", ("amd", 64, 1024, 65536, 32, 8)),
        ("gfx950", ("amd", 64, 1024, 163840, 64, 8)),
    ],
)
def test_properties_of_a_target(target, expected):
    found = devices.properties(target)
    assert (found.name, found.target, found.is_gpu, found.multiprocessors) == (target, target, False, None)
    assert found[2] == expected[0] and found[4:9] == expected[1:]


def test_properties_of_arrays():
    for target in devices.targets():
        with hocket.emulator.target(target):
            assert devices.properties(np.zeros(4)) == devices.properties(target)
            if not hocket._core.device_count():
                assert devices.properties() == devices.properties(target)


@hocket.jit
def lanes_of(out):
    gl.store(out, gl.num_lanes())


def test_properties_are_those_of_the_kernel():
    for device in devices.emulated():
        with device:
            out = device.to_device(np.zeros(1, np.int32))
            lanes_of[(1,)](out)
            assert out[0] == devices.properties(out).warp_size


def test_unknown_devices():
    with pytest.raises(hocket.LaunchError) as caught:
        devices.properties("sm_100")
    assert str(caught.value) == ("there is no target 'sm_100'\n  hint: the targets are sm_80, sm_90a, gfx942, gfx950")
    with pytest.raises(hocket.LaunchError):
        devices.properties(99)


def test_addresses():
    x = np.zeros((8, 8), np.float32)
    assert devices.address_of(x[2:]) == x.ctypes.data + 64


def test_kernels_use_the_public_api():
    """Ready kernels show users how to write their own, so their host code must not need private modules."""
    folder = pathlib.Path(hocket.__file__).parent / "kernels"
    private = {
        f"{path.relative_to(folder)}: {alias.name}"
        for path in sorted(folder.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if alias.name == "_core" or (getattr(node, "module", None) or "").endswith("runtime.jit")
    }
    assert private == set()
