"""tests/skip_summary.py: what the end of a run says about skipped tests."""

import pathlib
import subprocess
import sys
import textwrap

import pytest
from skip_summary import summary


def test_reasons_are_counted_and_files_named():
    tests = [(f"tests/test_{i % 5}.py", "needs a GPU") for i in range(7)] + [("tests/test_a.py", "needs bash")]
    files = {("tests/test_torch.py", "could not import 'torch'")}
    assert summary(tests, files) == [
        "8 tests and 1 whole file",
        "  7 tests: needs a GPU (test_0.py, test_1.py, test_2.py and 2 more)",
        "  1 test: needs bash (test_a.py)",
        "  1 whole file: could not import 'torch' (test_torch.py)",
    ]


def test_nothing_is_said_if_nothing_was_skipped():
    assert summary([], set()) == []


@pytest.mark.parametrize("workers", [0, 2])
def test_skipped_tests_and_files_are_counted_at_the_end(tmp_path, workers):
    """Files that are skipped as a whole are named under xdist, too."""
    (tmp_path / "conftest.py").write_text(
        "from skip_summary import SkipSummary\n\n\n"
        "def pytest_configure(config):\n    config.pluginmanager.register(SkipSummary())\n"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_whole.py").write_text("import pytest\npytest.importorskip('no_such_module')\n")
    (tmp_path / "test_one.py").write_text(
        textwrap.dedent(
            """
            import pytest

            def test_passes():
                pass

            def test_is_skipped():
                pytest.skip("without a reason")
            """
        )
    )
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *(["-n", str(workers)] if workers else [])]
    path = str(pathlib.Path(__file__).parents[1])
    done = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": path}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    at = lines.index("1 test and 1 whole file")
    assert lines[at + 1 : at + 3] == [
        "  1 test: without a reason (test_one.py)",
        "  1 whole file: could not import 'no_such_module': No module named 'no_such_module' (test_whole.py)",
    ]
