"""What a user reads of an error: their own frames, and the message."""

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


@pytest.mark.parametrize("name", ERRORS)
def test_all_frames(name, monkeypatch):
    monkeypatch.setenv("HOCKET_FULL_TRACEBACK", "1")
    assert set(files_in_traceback(name)) & {"jit.py", "emulated.py"}


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
