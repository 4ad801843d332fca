"""Runs the tests of stand_ins/hip/ in processes whose HIP runtime is a stand-in, see libamdhip64_stand_in.c there."""

import pathlib
import subprocess
import sys

import pytest
from patience import HANG_SECONDS
from stand_ins.library import build, environment, run_pytest

HERE = pathlib.Path(__file__).parent / "stand_ins" / "hip"
NAME = "libamdhip64.so"


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory):
    """A function: the folder with the stand-in as these flags make it."""
    folders = {}

    def folder(*flags: str) -> pathlib.Path:
        if flags not in folders:
            made = tmp_path_factory.mktemp("hip")
            folders[flags] = build(made, HERE / "libamdhip64_stand_in.c", NAME, *flags)
        return folders[flags]

    return folder


def output_of(folder: pathlib.Path, program: str) -> list[str]:
    """The lines that a Python program prints that finds its libraries in `folder`."""
    command = [sys.executable, "-c", program]
    found = subprocess.run(command, env=environment(folder, ""), capture_output=True, text=True, timeout=HANG_SECONDS)
    assert found.returncode == 0, found.stderr
    return found.stdout.splitlines()


INFO = "from hocket.cli import main; main(['info'])"
WHY_NOT = "from hocket import _core; print(_core.hip.device_count, _core.hip.why_no_device)"


@pytest.mark.parametrize("file", sorted(path.name for path in HERE.glob("test_*.py")))
def test_with_stand_in(stand_in, tmp_path, file):
    run_pytest(HERE / file, stand_in(), tmp_path / "cache")


def test_results_with_rocm_5(stand_in, tmp_path):
    """A runtime whose hipDeviceProp_t has another layout."""
    run_pytest(HERE / "test_results.py", stand_in("-DROCM=5"), tmp_path / "cache")


def test_info_lists_the_devices(stand_in):
    lines = output_of(stand_in("-DDEVICE_COUNT=3"), INFO)
    assert [line for line in lines if line.startswith("  hip:")] == [
        "  hip:0     Stand-in GPU, 304 multiprocessors, 192 GiB, runs gfx942",
        "  hip:1     Stand-in GPU, 256 multiprocessors, 192 GiB, runs gfx950",
        "  hip:2     Stand-in GPU has the architecture gfx1100; hocket supports gfx942, gfx950",
    ]


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        (["-DDEVICE_COUNT=0"], f"the HIP runtime ({NAME}) sees no GPU"),
        (["-DINIT_RESULT=100"], f"the HIP runtime ({NAME}) sees no GPU"),
        (["-DINIT_RESULT=101"], f"the HIP runtime ({NAME}) sees no GPU"),
        (
            ["-DINIT_RESULT=3"],
            f"the HIP runtime ({NAME}) does not start: the stand-in was told to fail (hipErrorStandIn)",
        ),
        (["-DINIT_RESULT=3", "-DROCM=5"], f"the HIP runtime ({NAME}) does not start: hipErrorStandIn"),
        (["-DWITHOUT_LAUNCH"], f"the HIP runtime ({NAME}) is too old: it has no function hipModuleLaunchKernel"),
    ],
)
def test_why_there_is_no_device(stand_in, flags, reason):
    assert output_of(stand_in(*flags), WHY_NOT) == [f"0 {reason}"]
    lines = output_of(stand_in(*flags), INFO)
    assert [line for line in lines if f"{reason}; every target runs on the emulator" in line]


def test_a_library_that_is_loaded_already_is_taken(stand_in, tmp_path):
    """PyTorch brings its own HIP runtime, in a folder of its own; a process must not have two."""
    library = stand_in("-DDEVICE_COUNT=7") / NAME
    assert output_of(tmp_path, f"import ctypes; ctypes.CDLL({str(library)!r}); {WHY_NOT}") == ["7 "]


class TestPrints:
    """Kernels on the first device, a gfx942."""

    PROGRAM = f"""
import sys
sys.path.insert(0, {str(HERE)!r})
from stand_in import StandIn
hip = StandIn()
import hocket

@hocket.jit
def say(n):
    print("n is", n)

try:
    say[(2,)](5)
except hocket.LaunchError as error:
    print(error)
print("launched", flush=True)
"""

    @pytest.fixture
    def lines(self, tmp_path):
        """A function: what the program prints."""
        path = tmp_path / "program.py"
        path.write_text(self.PROGRAM)
        return lambda folder: output_of(folder, f"import runpy; runpy.run_path({str(path)!r})")

    def test_the_end_of_the_process_waits_for_them(self, stand_in, lines):
        assert lines(stand_in()) == [
            "launched",
            "block (0, 0, 0), warp 0, lane 0: n is 5",
            "block (1, 0, 0), warp 0, lane 0: n is 5",
        ]

    def test_a_library_without_functions_of_the_host(self, stand_in, lines):
        folder = stand_in("-DWITHOUT_HOST_FUNCTIONS")
        assert lines(folder) == [
            f"kernel 'say' prints or asserts, for which the HIP runtime ({folder / NAME}) is too old: it has no "
            "function hipLaunchHostFunc",
            "launched",
        ]


class TestBothVendors:
    """A machine with NVIDIA's and AMD's GPUs."""

    TARGET = "from hocket import _core; print(_core.device_info(0).target)"
    TORCH = "import sys, types; sys.modules['torch'] = torch = types.ModuleType('torch')"

    @pytest.fixture
    def both(self, tmp_path):
        build(tmp_path, HERE / "libamdhip64_stand_in.c", NAME)
        return build(tmp_path, HERE.parent / "cuda" / "libcuda_stand_in.c", "libcuda.so.1")

    def test_launches_go_to_cuda(self, both):
        assert output_of(both, self.TARGET) == ["sm_90a"]

    @pytest.mark.parametrize(("hip", "target"), [("'6.4'", "gfx942"), ("None", "sm_90a")])
    def test_pytorch_decides(self, both, hip, target):
        version = f"torch.version = types.SimpleNamespace(hip={hip})"
        assert output_of(both, f"{self.TORCH}; {version}; {self.TARGET}") == [target]

    def test_info_lists_all(self, both):
        names = [line.split()[0] for line in output_of(both, INFO) if line.startswith(("  cuda:", "  hip:"))]
        assert names[:3] == ["cuda:0", "cuda:1", "hip:0"]
