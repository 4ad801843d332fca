"""The traceback of an error contains only the user's frames and the message."""

import pathlib
import subprocess
import sys
import textwrap
import traceback

import numpy as np
import pytest

import hocket
from hocket import language as gl


@hocket.jit
def wrong(x):
    gl.store(x, undefined)  # noqa: F821


@hocket.jit
def beyond(x):
    gl.store(x + 4, 1.0)


@hocket.jit
def fill(out):
    i = gl.arange(0, 128, layout=gl.BlockedLayout([1], [gl.num_lanes()], [gl.num_warps()], [0]))
    gl.store(out + i, 1.0)


NUMBERS = np.zeros(4, np.float32)
ERRORS = {
    "compile": (hocket.CompileError, lambda: wrong[(1,)](NUMBERS)),
    "warmup": (hocket.CompileError, lambda: wrong.warmup(gl.float32, target="gfx942")),
    "options": (hocket.LaunchError, lambda: wrong[(1,)](NUMBERS, num_warps=3)),
    "emulator": (hocket.EmulatorError, lambda: beyond[(1,)](NUMBERS)),
}


def files_in_traceback(name):
    error, run = ERRORS[name]
    with pytest.raises(error) as caught:
        run()
    return [pathlib.Path(frame.filename).name for frame in traceback.extract_tb(caught.value.__traceback__)]


@pytest.mark.parametrize("name", ERRORS)
def test_frames_are_those_of_the_user(name):
    assert set(files_in_traceback(name)) == {"test_tracebacks.py"}


@pytest.mark.parametrize("name", sorted(set(ERRORS) - {"emulator"}))
def test_all_frames(name, monkeypatch):
    monkeypatch.setenv("HOCKET_FULL_TRACEBACK", "1")
    assert "jit.py" in files_in_traceback(name)


@pytest.mark.parametrize("target", ["sm_90a", "gfx950"])
def test_a_launch_of_a_compiled_kernel_calls_no_function_of_hocket(target):
    out = np.zeros(128, np.float32)
    called = []
    with hocket.emulator.target(target, seed=3):
        fill[(1,)](out)
        sys.setprofile(lambda frame, event, _: called.append(frame.f_code.co_name) if event == "call" else None)
        try:
            fill[(1,)](out)
        finally:
            sys.setprofile(None)
    assert called == []


def test_the_frames_of_a_function_that_makes_a_grid_stay():
    def grid(arguments):
        return (1 // 0,)

    with pytest.raises(ZeroDivisionError) as caught:
        beyond[grid](NUMBERS)
    assert traceback.extract_tb(caught.value.__traceback__)[-1].name == "grid"


def test_cells_of_a_notebook():
    pytest.importorskip("IPython")
    cell = """
    import hocket
    from hocket import language as gl

    @hocket.jit
    def kernel(x):
        gl.store(x, undefined)

    kernel.warmup(gl.float32, target="sm_90a")
    """
    program = f"""
    from IPython.core.interactiveshell import InteractiveShell
    shell = InteractiveShell.instance()
    shell.run_cell("1", store_history=True, silent=False)
    result = shell.run_cell({textwrap.dedent(cell)!r}, store_history=True)
    print("text:", result.error_in_exec)
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True)
    assert run.stdout.partition("text: ")[2] == textwrap.dedent(
        """\
        Cell In[2]:6:17: error: `undefined` is not defined
            6 |     gl.store(x, undefined)
              |                 ^~~~~~~~~
        """
    )


def test_reports_about_the_cells_of_a_notebook():
    """No message contains the file name that IPython gives to a cell: neither notes of races, which C++ formats, nor
    pictures, counts, or notes about the caller."""
    pytest.importorskip("IPython")
    first_cell = """
    import hocket
    from hocket import language as gl

    @hocket.jit
    def put(p, value):
        gl.store(p, value)
    """
    cell = """
    import numpy as np

    @hocket.jit
    def turn(x):
        layout: gl.constexpr = gl.row_layout()
        i = gl.arange(0, 256, layout=layout)
        buffer = gl.allocate_shared_memory(gl.float32, [256], gl.SwizzledSharedLayout(1, 1, 1, [0]))
        buffer.store(gl.load(x + i))
        put(x + (i + 64) % 256, buffer.load(layout))
        gl.store(x + i, 1.0)

    def launch():
        turn[(2,)](x := np.ones(256, np.float32))
        return x

    with hocket.emulator.target("gfx950"):
        report = hocket.check(launch, schedules=2)
        with hocket.emulator.count_bank_conflicts() as counts, hocket.emulator.schedule(races=False):
            launch()
        with hocket.emulator.record_timeline() as timeline, hocket.emulator.schedule(races=False):
            launch()
    hocket.emulator.target("gfx950")
    try:
        launch()
    except hocket.LaunchError as error:
        unused = error
    shown = [report, repr(counts), timeline._repr_html_(), timeline.trace(), repr(timeline), unused]
    print("text:", *shown, sep="\\n")
    """
    program = f"""
    from IPython.core.interactiveshell import InteractiveShell
    shell = InteractiveShell.instance()
    shell.run_cell({textwrap.dedent(first_cell)!r}, store_history=True)
    result = shell.run_cell({textwrap.dedent(cell)!r}, store_history=True)
    result.raise_error()
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True)
    _, found, text = run.stdout.partition("text:")
    assert found, run.stdout
    assert "ipython-input" not in text
    assert "ipykernel" not in text
    assert "  Cell In[2]:8:18: error: read of `x` races with a write by another warp" in text
    assert "    other:    write in line 6 of Cell In[1], warp 0, lane 0" in text
    assert "turn (Cell In[2]:4) on gfx950" in text
    assert "Cell In[2]:8  store of 4 B" in text
    assert "clocks, Cell In[2]:8</title>" in text
    assert "'line': 'Cell In[2]:8'" in text
    assert "was called without `with`, in Cell In[2]:22" in text
