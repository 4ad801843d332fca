"""Helpers for tests that look at the IR the front end emits."""

import re

import pytest

from hocket import _core


def emit(function, signature="", **constexprs):
    """The hk IR of a kernel; options of the compilation begin with an underscore: `_num_warps=8`."""
    options = {name[1:]: constexprs.pop(name) for name in list(constexprs) if name.startswith("_")}
    entries = [entry.strip() for entry in signature.split(",") if entry.strip()]
    return _core.emit_hk(function, entries, constexprs, **options)


def check(ir, expected):
    """Every line of `expected` must occur in `ir`, in that order; `{{..}}` holds a regular expression."""
    position = 0
    for line in expected.strip().splitlines():
        parts = re.split(r"\{\{(.*?)\}\}", line.strip())
        pattern = "".join(part if i % 2 else re.escape(part) for i, part in enumerate(parts))
        found = re.compile(pattern).search(ir, position)
        assert found, f"not found after offset {position}: {line.strip()}\n{ir}"
        position = found.end()


@pytest.fixture(name="emit")
def emit_fixture():
    return emit


@pytest.fixture(name="check")
def check_fixture():
    return check
