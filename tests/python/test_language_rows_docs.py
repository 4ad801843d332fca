"""The tables of docs/language_rows.md name tests that exist, and every name of the language."""

import pathlib
import re

import pytest

from hocket import language as gl

ROOT = pathlib.Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "language_rows.md").read_text()
#: (what, state, tests) of each row.
ROWS = [row for row in re.findall(r"^\| (.*) \| (.*) \| (.*) \|$", TEXT, re.MULTILINE) if row[0] != "row"]
NAMED_IN_ROWS = {name for what, _, _ in ROWS for name in re.findall(r"\w+", what)}
#: Rows for the modules of vendors are elsewhere, as is the profiler's.
ELSEWHERE = {"amd", "nvidia", "extra", "profiler", "shared_memory_descriptor", "warp_pipeline_stage"}
#: Names that `int1 .. int64` abbreviates.
DTYPES = {f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)}


@pytest.mark.parametrize("what, state, tests", ROWS, ids=[row[0][:40] for row in ROWS])
def test_every_row_names_tests_that_exist(what, state, tests):
    named = re.findall(r"`([\w/]+\.py)`((?: \w+)*)", tests)
    assert state and named
    for path, names in named:
        text = (ROOT / "tests" / path).read_text()
        missing = [name for name in names.split() if f"def {name}(" not in text]
        assert not missing, f"{path} has no {missing}"


def test_every_name_of_the_language_has_a_row():
    assert len(ROWS) > 60
    missing = set(gl.__all__) - NAMED_IN_ROWS - ELSEWHERE - DTYPES
    assert not missing
