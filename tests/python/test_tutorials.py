"""Every tutorial runs to its end as a script; its own assertions compare it with NumPy."""

import os
import pathlib
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

pytest.importorskip("matplotlib")
TUTORIALS = pathlib.Path(__file__).parents[2] / "tutorials"


@pytest.mark.parametrize("tutorial", sorted(TUTORIALS.glob("[0-9]*.py")), ids=lambda path: path.stem)
def test_tutorial_runs(tutorial):
    environment = {**os.environ, "MPLBACKEND": "Agg"}  # figures are drawn, windows are not opened
    command = [sys.executable, "-W", "ignore:FigureCanvasAgg is non-interactive", tutorial.name]
    done = subprocess.run(command, cwd=TUTORIALS, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
