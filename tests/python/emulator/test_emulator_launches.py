"""Targets, schedules, views, Ctrl-C, threads: launching on the emulator."""

import concurrent.futures
import gc
import os
import signal
import subprocess
import sys
import warnings
import weakref

import numpy as np
import pytest
from patience import HANG_SECONDS

import hocket
from hocket import errors
from hocket import language as gl


@hocket.jit
def lanes_of_a_warp(out):
    gl.store(out, gl.num_lanes())


@hocket.jit
def double(x, n, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.program_id(0) * SIZE + gl.arange(0, SIZE, layout=layout)
    gl.store(x + i, 2 * gl.load(x + i, mask=i < n), mask=i < n)


def lanes() -> int:
    out = np.zeros(1, np.int32)
    lanes_of_a_warp[(1,)](out)
    return int(out[0])


def test_target():
    assert hocket.emulator.current_target() == "sm_90a"
    assert lanes() == 32
    with hocket.emulator.target("gfx950"):
        assert hocket.emulator.current_target() == "gfx950"
        assert lanes() == 64
        with hocket.emulator.target("sm_80"):
            assert lanes() == 32
        assert lanes() == 64
    assert lanes() == 32


def test_unknown_target():
    with pytest.raises(
        errors.LaunchError,
        match=r"^unknown target 'gfx1'; hocket compiles for sm_80, sm_90a, gfx942, gfx950$",
    ):
        with hocket.emulator.target("gfx1"):
            pass


def test_views_are_checked_at_their_own_bounds():
    whole = np.ones(300, np.float32)
    double[(1,)](whole[100:200], 100, SIZE=128)
    np.testing.assert_array_equal(whole, np.repeat([1, 2, 1], 100))
    with pytest.raises(errors.OutOfBoundsError):
        double[(1,)](whole[100:200], 101, SIZE=128)


@hocket.jit
def double_backwards(x, n, stride, SIZE: gl.constexpr):
    i = gl.arange(0, SIZE, layout=gl.row_layout())
    gl.store(x + i * stride, gl.load(x + i * stride, mask=i < n) * 2, mask=i < n)


def test_a_view_that_runs_backwards():
    whole = np.arange(300, dtype=np.float32)
    double_backwards[(1,)](whole[200:100:-1], 100, -1, SIZE=128)
    expected = np.arange(300, dtype=np.float32)
    expected[101:201] *= 2
    np.testing.assert_array_equal(whole, expected)
    with pytest.raises(hocket.errors.OutOfBoundsError, match="index:    -100, but `x` reaches from -99 to 0") as caught:
        double_backwards[(1,)](whole[200:100:-1], 101, -1, SIZE=128)
    assert (caught.value.warp, caught.value.lane, caught.value.index) == (3, 4, -100)
    table = np.arange(300, dtype=np.float32).reshape(20, 15)
    double_backwards[(1,)](table[::-1, ::-1], 128, -1, SIZE=128)
    np.testing.assert_array_equal(table.ravel()[-128:], 2 * np.arange(172, 300))


@hocket.jit
def double_every(x, n, stride, row, SIZE: gl.constexpr):
    i = gl.arange(0, SIZE, layout=gl.row_layout()) * stride
    gl.store(x + i, gl.load(x + i, mask=i < n * stride) * 2, mask=i < n * stride)


@hocket.jit
def double_first(x):
    gl.store(x, gl.load(x) * 2)


def test_views_with_gaps():
    whole = np.arange(300, dtype=np.float32)
    expected = whole.copy()
    expected[10:110:5] *= 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        double_every[(1,)](whole[10:110:5], 20, 5, 0, SIZE=128)
        np.testing.assert_array_equal(whole, expected)
        double_first[(1,)](whole[:50])
        double_first[(1,)](np.zeros((4, 4))[:, ::-1])
        batch = np.ones((3, 4, 8), np.float32)
        double_every[(1,)](batch[:, :, :6], 12, 8, 0, SIZE=128)  # all rows of all matrices have one stride
        np.testing.assert_array_equal(batch[:, :, 0], 2)
    table = np.zeros((8, 6), np.int16)
    double_every[(1,)](table[:, :4], 3, 6, 0, SIZE=128)
    with pytest.raises(errors.OutOfBoundsError, match=r"index:    4 in memory, .* whose strides are \(6, 1\)"):
        double_every[(1,)](table[:, :4], 3, 4, 6, SIZE=128)
    with pytest.warns(UserWarning) as caught:
        for _ in range(3):
            double_first[(1,)](table[:, :4])
            double_first[(1,)](whole[::3])
    assert [str(warning.message) for warning in caught] == [
        "`x` of double_first() is a view whose strides are (6, 1), but the kernel does not receive the strides: x + 1 "
        "points to the next element in memory, not to that of the view. Pass the strides as integers too, or a "
        "contiguous copy."
    ]
    assert caught[0].filename == __file__


@pytest.mark.parametrize("grid, axis", [((2**31,), 0), ((2**40,), 0), ((1, 65536), 1), ((1, 1, 65536), 2)])
def test_a_grid_that_no_gpu_takes(grid, axis):
    x = np.zeros(1, np.float32)
    with pytest.raises(hocket.LaunchError, match=f"a grid has at most .* blocks along axis {axis}, not {grid[axis]}"):
        double[grid](x, 1, SIZE=128)


@pytest.mark.parametrize(
    "value", [np.datetime64("2020"), np.timedelta64(3, "s"), 1j, np.complex64(1), np.complex128(1), b"x"]
)
def test_an_argument_that_is_no_number(value):
    with pytest.raises(hocket.LaunchError, match=r"`x` is a .*, which kernels cannot take"):
        double[(1,)](value, 1, SIZE=128)


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_threads(threads):
    x = np.arange(10000, dtype=np.float32)
    with hocket.emulator.schedule(threads=threads):
        double[(79,)](x, 10000, SIZE=128)
    np.testing.assert_array_equal(x, 2 * np.arange(10000))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"races": 1}, "races must be True or False, not 1"),
        ({"seed": -1}, "seed must be 0 to 18446744073709551615, but is -1"),
        ({"seed": 2**64}, "seed must be 0 to 18446744073709551615, but is 18446744073709551616"),
        ({"seed": 0.5}, "seed must be an integer, not 0.5"),
        ({"threads": -1}, "threads must be 0 to 1024, but is -1"),
        ({"threads": "all"}, "threads must be an integer, not 'all'"),
        ({"races": "off"}, "races must be True or False, not 'off'"),
        ({"completion": "early"}, "completion must be 'late', 'random' or 'now', not 'early'"),
        ({"completion": 3}, "completion must be 'late', 'random' or 'now', not 3"),
    ],
)
@pytest.mark.parametrize(
    "place", [hocket.emulator.schedule, lambda **options: hocket.emulator.target("sm_80", **options)]
)
def test_options_that_do_not_exist(place, options, message):
    with pytest.raises(hocket.LaunchError) as raised, place(**options):
        pass
    assert str(raised.value) == message


@hocket.jit
def all_blocks_write(out):
    gl.store(out, gl.program_id(0))


def test_races_are_looked_for_unless_the_environment_says_no(monkeypatch):
    out = np.zeros(1, np.int32)
    with pytest.raises(errors.RaceError):
        all_blocks_write[(5,)](out)
    monkeypatch.setenv("HOCKET_EMULATOR_RACES", "0")
    all_blocks_write[(5,)](out)
    with hocket.emulator.schedule(races=True), pytest.raises(errors.RaceError):
        all_blocks_write[(5,)](out)
    monkeypatch.setenv("HOCKET_EMULATOR_RACES", "1")
    with hocket.emulator.target("gfx942", races=False):
        all_blocks_write[(5,)](out)
        with hocket.emulator.schedule(seed=3):
            all_blocks_write[(5,)](out)


def test_code_is_optimized_unless_the_environment_says_no(monkeypatch):
    compiled = []
    compile_emulated = hocket._core.compile_emulated

    def note(*arguments):
        compiled.append(arguments[-1])
        return compile_emulated(*arguments)

    monkeypatch.setattr(hocket._core, "compile_emulated", note)
    kernel, results = hocket.jit(double.fn), []
    for value in ("1", "0", "0"):
        monkeypatch.setenv("HOCKET_EMULATOR_OPTIMIZE", value)
        x = np.arange(1000, dtype=np.float32)
        kernel[(8,)](x, 1000, SIZE=128)
        results.append(x.tolist())
    assert compiled == [True, False]
    assert results[0] == results[1] == results[2] == (2 * np.arange(1000)).tolist()


def test_a_kernel_that_nobody_holds_is_freed():
    kernel = hocket.jit(double.fn)
    compiled = kernel[(1,)](np.zeros(128, np.float32), 128, SIZE=128)
    assert isinstance(compiled._device_kernel, hocket._core.DeviceKernel)
    freed = weakref.ref(kernel)
    del kernel, compiled
    gc.collect()
    assert freed() is None


def test_launches_from_several_threads():
    def work(seed):
        x = np.arange(1000, dtype=np.float32)
        with hocket.emulator.schedule(seed=seed):
            double[(8,)](x, 1000, SIZE=128)
        return np.array_equal(x, 2 * np.arange(1000))

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(40)))


def test_a_launch_without_helper_threads(tmp_path):
    """The stack of a thread that is larger than the address space: none can be started."""
    if "tsan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("ThreadSanitizer itself does not start under such a limit")
    script = tmp_path / "alone.py"
    script.write_text(
        "import numpy as np\n"
        "import threading\n"
        "import hocket\n"
        "from hocket import language as gl\n"
        "@hocket.jit\n"
        "def count(x):\n"
        "    gl.atomic_add(x, 1)\n"
        "try:\n"
        "    threading.Thread(target=print).start()\n"
        "except RuntimeError:\n"
        "    x = np.zeros(1, np.int32)\n"
        "    with hocket.emulator.schedule(threads=8):\n"
        "        count[(100,)](x)\n"
        "    print('alone', x[0])\n"
    )
    limit = ["prlimit", f"--stack={1 << 47}:unlimited"]
    alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # NumPy's library starts threads when it is imported
    found = subprocess.run(
        [*limit, sys.executable, script], env=alone, capture_output=True, text=True, timeout=HANG_SECONDS
    )
    assert (found.stdout, found.stderr, found.returncode) == ("alone 100\n", "", 0)


def test_an_endless_loop_ends_at_ctrl_c(tmp_path):
    script = tmp_path / "endless.py"
    script.write_text(
        "import signal\n"
        "import numpy as np\n"
        "import hocket\n"
        "from hocket import language as gl\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background job begins without
        "@hocket.jit\n"
        "def endless(x):\n"
        "    while gl.atomic_add(x, 1) >= 0:\n"
        "        pass\n"
        "try:\n"
        "    print('start', flush=True)\n"
        "    endless[(4,)](np.zeros(1, np.int32))\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "start\n"
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(timeout=1.5)
            process.send_signal(signal.SIGINT)
            assert process.communicate(timeout=HANG_SECONDS)[0] == "interrupted\n"
            assert process.returncode == 0
        finally:
            process.kill()
