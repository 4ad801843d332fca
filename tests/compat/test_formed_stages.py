"""A file in Gluon's style gets warp pipelines by a launch option or an environment variable."""

import pathlib

import pytest

FILE = pathlib.Path(__file__).parent / "files" / "pipelined.py"


@pytest.mark.parametrize(
    ("arguments", "environment", "has_stages"),
    [([], {}, False), (["option"], {}, True), ([], {"HOCKET_WARP_PIPELINE": "auto"}, True)],
    ids=["plain", "launch option", "environment"],
)
def test_stages_of_a_file_that_names_none(run, arguments, environment, has_stages):
    status, output = run("--emulate", "gfx950", FILE, *arguments, **environment)
    assert status == 0, output
    # Stages have priorities.
    assert ("priorities: 0" not in output) == has_stages, output
