"""Files in Gluon's style, which import `triton` and `torch` only, run unmodified on each emulated GPU."""

import functools
import json
import pathlib

import pytest

pytestmark = pytest.mark.slow

pytest.importorskip("torch")

FILES = pathlib.Path(__file__).parent / "files"
TARGETS = ["sm_80", "sm_90a", "gfx942", "gfx950"]
NAMES = ["softmax", "transpose", "copy_tuned", "histogram", "layer_norm", "aggregates", "persistent"]


@pytest.fixture(scope="module")
def outcomes(run):
    """Results of all files on a target. One process runs them, because importing PyTorch takes seconds."""

    @functools.cache
    def outcomes(target):
        _, output = run("--emulate", target, FILES / "run_all.py", *(FILES / f"{name}.py" for name in NAMES))
        lines = [json.loads(line) for line in output.splitlines() if line.startswith('{"file"')]
        assert len(lines) == len(NAMES), output
        return {line["file"]: line["outcome"] for line in lines}

    return outcomes


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", NAMES)
def test_file(outcomes, name, target):
    assert outcomes(target)[name] == "ran"


def run_suite(run, target, name, *options):
    """Output of a file of tests, all of which pass or are skipped."""
    options = [*options, "-p", "no:cacheprovider", "--rootdir", FILES]
    status, output = run("--emulate", target, "-m", "pytest", *options, FILES / name)
    assert status == 0, output
    return output


@pytest.mark.parametrize(("target", "options"), [("sm_90a", []), ("gfx950", ["-n", "1"])])
def test_pytest_file(run, target, options):
    """Also with pytest-xdist, whose workers are processes of their own."""
    assert "15 passed, 1 skipped" in run_suite(run, target, "gluon_suite.py", *options)


@pytest.mark.parametrize(
    ("target", "counts"),
    [("sm_90a", "14 passed"), ("sm_80", "8 passed, 6 skipped"), ("gfx942", "4 passed, 10 skipped")],
)
def test_shapes_of_tutorials(run, target, counts):
    assert counts in run_suite(run, target, "hopper_suite.py")
