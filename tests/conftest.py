"""Tests of results take `device` and run on the emulated GPUs, or with `--target cuda` or `hip` on the GPU; one that
takes `every_device` runs on all four emulated targets. A test of NVIDIA's operations takes `nvidia_device`: the
emulated sm_80 and sm_90a, or the GPU; one of Hopper's operations takes `hopper_device`."""

import os
import warnings

import pytest
from codegen_budgets import Budgets
from skip_summary import SkipSummary

import hocket
from hocket import devices

_BUDGETS = pytest.StashKey[Budgets]()
#: Fixtures of which each value is a device.
DEVICES = ("device", "every_device", "nvidia_device", "hopper_device")
#: Variables that choose what the tests do; all others of HOCKET's would change what they see.
_OF_TESTS = ("HOCKET_CACHE_DIR", "HOCKET_RANDOM_", "HOCKET_ALL_", "HOCKET_UPDATE_")


def pytest_configure(config):
    """Gives every machine the same environment: no options of a user's own, no terminal of their width or colors."""
    for name in [name for name in os.environ if name.startswith("HOCKET_") and not name.startswith(_OF_TESTS)]:
        del os.environ[name]
    os.environ |= {"COLUMNS": "80", "PYTHON_COLORS": "0"}
    os.environ.pop("FORCE_COLOR", None)
    config.pluginmanager.register(SkipSummary())
    is_updated = config.getoption("--update-codegen")
    if is_updated and getattr(config.option, "numprocesses", None):
        raise pytest.UsageError("--update-codegen needs a single process: leave -n out")
    config.stash[_BUDGETS] = Budgets(is_updated=is_updated)


def pytest_sessionfinish(session):
    budgets = session.config.stash[_BUDGETS]
    if budgets.is_updated:
        budgets.write()


def pytest_addoption(parser):
    parser.addoption(
        "--update-codegen", action="store_true", help="write the instruction counts as they are into the table"
    )
    parser.addoption(
        "--target",
        choices=["emulated", "cuda", "hip"],
        default="emulated",
        help="where tests of results run: the emulated sm_90a and gfx950 (default), or PyTorch's GPU",
    )


@pytest.fixture(scope="session")
def budgets(request) -> Budgets:
    """Budgets of instruction counts (codegen_budgets.py)."""
    return request.config.stash[_BUDGETS]


def pytest_generate_tests(metafunc):
    target = metafunc.config.getoption("--target")
    for fixture, emulated in (
        ("device", devices.emulated()),
        ("every_device", [devices.EmulatedDevice(name) for name in ("sm_80", "sm_90a", "gfx942", "gfx950")]),
        ("nvidia_device", [devices.EmulatedDevice("sm_80"), devices.EmulatedDevice("sm_90a")]),
        ("hopper_device", [devices.EmulatedDevice("sm_90a")]),
    ):
        if fixture not in metafunc.fixturenames:
            continue
        if target == "emulated":
            chosen = emulated
        elif (gpu := getattr(devices, target)()) is not None:
            chosen = [gpu] if target == "cuda" or fixture in ("device", "every_device") else []
        else:
            raise pytest.UsageError(f"--target {target}: PyTorch finds no such GPU on this machine")
        metafunc.parametrize(fixture, chosen, ids=lambda device: device.name.split()[0])


def pytest_collection_modifyitems(items):
    for item in items:
        if not set(DEVICES).isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker("gpu")


@pytest.fixture
def hopper(nvidia_device):
    """The emulated sm_90a, or the GPU."""
    if getattr(nvidia_device, "target", "sm_90a") != "sm_90a":
        pytest.skip("what is tested came with Hopper")
    return nvidia_device


@pytest.fixture
def set_norm_schedule(monkeypatch):
    """A function that sets HOCKET_NORM_SCHEDULE as at the start of a process."""
    from hocket.kernels.norms import forced

    def set_norm_schedule(value):
        monkeypatch.setenv("HOCKET_NORM_SCHEDULE", value)
        forced.of_process.cache_clear()

    yield set_norm_schedule
    set_norm_schedule("")
    forced.of_process.cache_clear()


@pytest.fixture
def no_compile_warnings():
    """Makes warnings of the compiler errors, e.g. that a loop is not prefetched."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", hocket.CompileWarning)
        yield


@pytest.fixture
def unoptimized(monkeypatch):
    """Compiles for the emulator in less than half the time: for kernels that run for a moment."""
    monkeypatch.setenv("HOCKET_EMULATOR_OPTIMIZE", "0")


@pytest.fixture(autouse=True)
def _on_device(request):
    """Launches of a test with a device go to that device."""
    for fixture in DEVICES:
        if fixture in request.fixturenames:
            with request.getfixturevalue(fixture):
                yield
            return
    yield
