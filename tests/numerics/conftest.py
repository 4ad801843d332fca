"""Every numerics test takes `device` and runs on the emulated GPUs, or with `--target cuda` or `hip` on the GPU."""

import pytest

from hocket import devices


def pytest_addoption(parser):
    parser.addoption(
        "--target",
        choices=["emulated", "cuda", "hip"],
        default="emulated",
        help="where the numerics tests run: the emulated sm_90a and gfx950 (default), or PyTorch's GPU",
    )


def pytest_generate_tests(metafunc):
    if "device" not in metafunc.fixturenames:
        return
    target = metafunc.config.getoption("--target")
    if target == "emulated":
        chosen = devices.emulated()
    elif (gpu := getattr(devices, target)()) is not None:
        chosen = [gpu]
    else:
        raise pytest.UsageError(f"--target {target}: PyTorch finds no such GPU on this machine")
    metafunc.parametrize("device", chosen, ids=lambda device: device.name.split()[0])


@pytest.fixture(autouse=True)
def _on_device(request):
    """Launches of a test with a `device` go to that device."""
    if "device" in request.fixturenames:
        with request.getfixturevalue("device"):
            yield
    else:
        yield
