"""tests/COVERAGE.md lists existing tests for each row of the tables in docs/, which have all names of the language."""

import pathlib
import re

import pytest

from hocket import language as gl
from hocket.language.nvidia import ampere, hopper

pytestmark = pytest.mark.quick

ROOT = pathlib.Path(__file__).parents[2]
TESTS = ROOT / "tests"
COVERAGE = (TESTS / "COVERAGE.md").read_text()


def tables_of(text, *columns):
    """Returns the rows of the tables with these columns, as tuples of their cells."""
    head = re.escape("| " + " | ".join(columns) + " |")
    row = r"^\| (.*)" + r" \| (.*)" * (len(columns) - 1) + r" \|$"
    tables = re.findall(rf"^{head}\n\|[-|]*\n((?:\|.*\n?)+)", text, re.MULTILINE)
    return [found for table in tables for found in re.findall(row, table, re.MULTILINE)]


def section(title):
    return COVERAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


#: (row, tests) of the language, (names, tests) of NVIDIA's operations, (property, tests) of warp pipelines.
LANGUAGE = tables_of(section("The language"), "row", "tests")
NVIDIA = tables_of(section("NVIDIA's operations"), "name", "tests")
PIPELINES = tables_of(section("Warp pipelines"), "property", "test")


def is_defined(name, text):
    return re.search(rf"(def |@|, ){name}[()]", text)


@pytest.mark.parametrize("what, tests", [*LANGUAGE, *PIPELINES], ids=lambda cell: cell[:40])
def test_every_row_names_tests_that_exist(what, tests):
    named = re.findall(r"`([\w/]+\.\w+)`((?: \w+)*)", tests)
    assert named
    for path, names in named:
        text = (TESTS / path).read_text()
        missing = [name for name in names.split() if not is_defined(name, text)]
        assert not missing, f"{path} has no {missing}"


@pytest.mark.parametrize(
    "page, name, rows",
    [("language_rows", "row", LANGUAGE), ("hopper_operations", "name", NVIDIA)],
    ids=["all", "nvidia"],
)
def test_every_row_of_the_documentation_has_tests(page, name, rows):
    documented = tables_of((ROOT / "docs" / f"{page}.md").read_text(), name, "state")
    assert len(documented) > 20
    assert all(state for _, state in documented)
    assert [what for what, _ in documented] == [what for what, _ in rows]


# The language ---------------------------------------------------------------------------------------------------------

#: Rows for the modules of vendors are elsewhere, as is the profiler's.
ELSEWHERE = {"amd", "nvidia", "extra", "profiler", "shared_memory_descriptor", "warp_pipeline_stage"}
#: Names that `int1 .. int64` abbreviates.
DTYPES = {f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)}


def test_every_name_of_the_language_has_a_row():
    in_rows = {name for what, _ in LANGUAGE for name in re.findall(r"\w+", what)}
    assert not set(gl.__all__) - in_rows - ELSEWHERE - DTYPES


# NVIDIA's operations --------------------------------------------------------------------------------------------------

#: Modules, and the types of values, which kernels do not write.
NOT_WRITTEN = {
    *("cluster", "mbarrier", "named_barrier", "NamedBarrier", "tma", "async_copy"),
    *("tensor_descriptor", "tensor_descriptor_im2col", "tensor_descriptor_type", "warpgroup_mma_accumulator"),
}
#: Older names of operations, which are the same objects.
ALIASES = {
    "async_copy_global_to_shared": "async_load",
    "async_copy_shared_to_global": "async_store",
    "async_copy_global_to_shared_im2col": "async_load_im2col",
}


def names_of(cell):
    """Returns the last parts of the names in backticks."""
    return {re.sub(r"[(=].*", "", name).split(".")[-1] for name in re.findall(r"`([^`]+)`", cell)}


@pytest.mark.parametrize("what, tests", NVIDIA, ids=lambda cell: cell[:40])
def test_every_operation_names_tests_that_use_it(what, tests):
    files = re.findall(r"`(\w+\.py)`", tests)
    assert files or tests == "the same"
    texts = [next((TESTS / "numerics").rglob(file)).read_text() for file in files]
    texts += [path.read_text() for file in files if (path := ROOT / "examples" / file.removeprefix("test_")).exists()]
    unused = {
        name
        for name in names_of(what) - NOT_WRITTEN - ALIASES.keys()
        if files and not any(name in text for text in texts)
    }
    assert not unused


@pytest.mark.parametrize("old, new", ALIASES.items())
def test_older_names_are_the_same_operations(old, new):
    assert getattr(hopper.tma, old) is getattr(hopper.tma, new)


@pytest.mark.parametrize(
    "module",
    [
        *(ampere, ampere.async_copy, ampere.mbarrier, ampere.named_barrier),
        *(hopper, hopper.mbarrier, hopper.tma, hopper.cluster),
    ],
)
def test_every_name_has_a_row(module):
    in_rows = {name for what, _ in NVIDIA for name in names_of(what)}
    assert not set(module.__all__) - in_rows - NOT_WRITTEN


# Warp pipelines -------------------------------------------------------------------------------------------------------

FILES = [
    *(TESTS / "lit" / "transforms" / "warp_pipeline").glob("*.mlir"),
    *(TESTS / "numerics").rglob("test_*pipeline*.py"),
    *(TESTS / "errors" / "warp_pipeline").glob("*.py"),
]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_file_of_warp_pipelines_has_a_row(file):
    assert f"`{file.relative_to(TESTS).as_posix()}`" in section("Warp pipelines")
