"""The tables of docs/hopper_operations.md have every name of NVIDIA's modules, and name tests that use it."""

import pathlib
import re

import pytest

from hocket.language.nvidia import ampere, hopper

ROOT = pathlib.Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "hopper_operations.md").read_text()
#: The tables whose first column is called "name"; the page has others, of fences.
TABLES = re.findall(r"^\| name \|.*\n\|--.*\n((?:\|.*\n)+)", TEXT, re.MULTILINE)
#: (names, state, tests) of each row.
ROWS = [row for table in TABLES for row in re.findall(r"^\| (.*) \| (.*) \| (.*) \|$", table, re.MULTILINE)]
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


@pytest.mark.parametrize("what, state, tests", ROWS, ids=[row[0][:40] for row in ROWS])
def test_every_row_names_tests_that_use_it(what, state, tests):
    files = re.findall(r"`(\w+\.py)`", tests)
    assert state and (files or tests == "the same")
    texts = [path.read_text() for file in files for path in (ROOT / "tests" / "numerics").rglob(file)]
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
    in_rows = {name for what, _, _ in ROWS for name in names_of(what)}
    assert not set(module.__all__) - in_rows - NOT_WRITTEN
