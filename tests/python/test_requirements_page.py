"""docs/requirements.md and docs/statements.md: every test and script that they name exists, and every requirement has
one or is missing."""

import pathlib
import re

import pytest

pytestmark = pytest.mark.quick

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "requirements.md").read_text()
ROWS = re.findall(r"^\| (\w\d+) \| (.+?) \| (.+) \|$", PAGE, re.MULTILINE)

#: By the ending of a file, how it defines a test.
DEFINITIONS = {
    ".py": r"(?:^def |^    def ){name}\(",
    ".mlir": r"@{name}\b",
    ".cpp": r"^TEST\w*\(\w+, {name}\)",
}


def test_the_tables_are_read():
    assert len(re.findall(r"^\| \w\d+ ", PAGE, re.MULTILINE)) == len(ROWS) > 90
    numbers = [number for number, *_ in ROWS]
    assert len(set(numbers)) == len(numbers)


def is_defined(path, name):
    pattern = DEFINITIONS[path.suffix].format(name=re.escape(name))
    return re.search(pattern, path.read_text(), re.MULTILINE) is not None


@pytest.mark.parametrize(("number", "shown"), [(number, shown) for number, _, shown in ROWS], ids=lambda cell: cell[:4])
def test_every_statement_has_tests_that_exist(number, shown):
    named = re.findall(r"`([^`]+)`", shown.split("missing:")[0])
    assert named or shown == "missing"
    for text in named:
        file, _, name = text.partition("::")
        path = (ROOT if file.startswith("benchmarks/") else ROOT / "tests") / file
        assert path.is_file(), f"{number}: there is no {file}"
        assert not name or is_defined(path, name), f"{number}: {file} has no {name}"


def test_the_tests_of_the_founding_statements_exist():
    page = (ROOT / "docs" / "statements.md").read_text()
    named = re.findall(r"`(tests/[^`]+)`", page)
    assert len(named) > 100
    for text in named:
        file, _, name = text.partition("::")
        assert (ROOT / file).exists(), f"there is no {file}"
        assert not name or is_defined(ROOT / file, name), f"{file} has no {name}"


def test_the_check_finds_names_that_do_not_exist():
    tests = ROOT / "tests"
    assert not is_defined(tests / "python" / "test_requirements_page.py", "test_that_is_not_here")
    assert not is_defined(tests / "lit" / "transforms" / "warp_pipeline" / "slots.mlir", "stages_9")
    assert not is_defined(tests / "unit" / "analysis" / "StageFencesOracleTest.cpp", "PlansAreEnough")
