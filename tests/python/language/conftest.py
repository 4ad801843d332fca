"""Helpers for tests of what names of the language mean in IR."""

import pytest

from hocket import _core


def emit(function, signature="", /, **constexprs):
    """The hk IR of a kernel; options of the compilation begin with an underscore: `_num_warps=8`."""
    options = {name[1:]: constexprs.pop(name) for name in list(constexprs) if name.startswith("_")}
    entries = [entry.strip() for entry in signature.split(",") if entry.strip()]
    return _core.emit_hk(function, entries, constexprs, **options)


@pytest.fixture(name="emit")
def emit_fixture():
    return emit
