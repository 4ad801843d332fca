"""The tables of docs/warp_pipelines.md name tests that exist, and every file of tests of warp pipelines."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
#: Rows of two columns, the second of which begins with a path.
ROWS = re.findall(r"^\| [^|]* \| (`\w+/[^|]*) \|$", (ROOT / "docs" / "warp_pipelines.md").read_text(), re.MULTILINE)
#: (path below tests/, names of tests in it), as in "`lit/a.mlir` one two, `numerics/b.py`".
NAMED = [(path, names.split()) for row in ROWS for path, names in re.findall(r"`([^`]+)`((?: \w+)*)", row)]
FILES = [
    *(ROOT / "tests" / "lit" / "transforms" / "warp_pipeline").glob("*.mlir"),
    *(ROOT / "tests" / "numerics").rglob("test_*pipeline*.py"),
    *(ROOT / "tests" / "errors").glob("warp_pipeline*.py"),
]


def test_every_test_of_the_tables_exists():
    assert len(NAMED) > 60
    for path, names in NAMED:
        text = (ROOT / "tests" / path).read_text()
        missing = [name for name in names if not re.search(rf"(def |@|, ){name}[()]", text)]
        assert not missing, f"{path} has no {missing}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_file_is_in_the_tables(file):
    assert file.relative_to(ROOT / "tests").as_posix() in {path for path, _ in NAMED}
