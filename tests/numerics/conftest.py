"""Every numerics test takes `device` and runs on the emulated GPUs, or with `--target cuda` on the GPU."""

import pytest

from hocket import devices


def pytest_addoption(parser):
    parser.addoption(
        "--target",
        choices=["emulated", "cuda"],
        default="emulated",
        help="where the numerics tests run: the emulated sm_90a and gfx950 (default) or the CUDA GPU",
    )


def pytest_generate_tests(metafunc):
    if "device" not in metafunc.fixturenames:
        return
    if metafunc.config.getoption("--target") == "emulated":
        chosen = devices.emulated()
    elif (gpu := devices.cuda()) is not None:
        chosen = [gpu]
    else:
        raise pytest.UsageError("--target cuda: PyTorch finds no CUDA GPU on this machine")
    metafunc.parametrize("device", chosen, ids=lambda device: device.name.split()[0])


@pytest.fixture(autouse=True)
def _on_device(request):
    """Launches of a test with a `device` go to that device."""
    if "device" in request.fixturenames:
        with request.getfixturevalue("device"):
            yield
    else:
        yield
