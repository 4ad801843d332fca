"""Errors for names of other languages name Hocket's. In kernels: tests/errors/other_languages/names.py."""

import importlib
import re

import pytest

import hocket
from hocket import language as gl
from hocket.language import _foreign_names as foreign

TABLES = ("LANGUAGE", "TENSOR", "POINTER", "SHARED_MEMORY", "PACKAGE", "KEYWORD")


def message_of(error, statement):
    with pytest.raises(error) as caught:
        exec(statement, {"gl": gl, "hocket": hocket})
    return str(caught.value)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("gl.half", "module 'hocket.language' has no attribute 'half'\n  hint: write gl.float16"),
        ("gl.silu", "module 'hocket.language' has no attribute 'silu'\n  hint: write x * gl.sigmoid(x)"),
        ("gl.laod", "module 'hocket.language' has no attribute 'laod'\n  hint: did you mean `load`?"),
        ("gl.xyzzy", "module 'hocket.language' has no attribute 'xyzzy'"),
        ("hocket.store", "module 'hocket' has no attribute 'store'\n  hint: it is hocket.language.store"),
        ("hocket.do_bench", "module 'hocket' has no attribute 'do_bench'\n  hint: write hocket.testing.do_bench"),
        (
            "gl.amd.AMDWMMALayout",
            "module 'hocket.language.amd' has no attribute 'AMDWMMALayout'\n  hint: RDNA and gfx1250 are not supported "
            "yet; for CDNA there are gl.amd.AMDMFMALayout and gl.amd.cdna3.mfma",
        ),
    ],
)
def test_attribute(statement, message):
    assert message_of(AttributeError, statement) == message


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (
            "from hocket.language import half",
            "cannot import name 'half' from 'hocket.language'\n  hint: write gl.float16",
        ),
        ("from hocket import stoer", "cannot import name 'stoer' from 'hocket'"),
        (
            "from hocket import Autotuner",
            "cannot import name 'Autotuner' from 'hocket'\n  hint: it is in hocket.tuning; the decorators are "
            "hocket.autotune and hocket.heuristics",
        ),
        (
            "from hocket.language.extra.libdevice import copysgn",
            "cannot import name 'copysgn' from 'hocket.language.extra.libdevice'\n  hint: did you mean `copysign`?",
        ),
    ],
)
def test_import(statement, message):
    assert message_of(ImportError, statement) == message


def test_asking_for_a_name_is_no_error():
    assert not hasattr(gl, "dot") and not hasattr(hocket, "do_bench") and getattr(gl.amd, "wmma", None) is None


@pytest.mark.parametrize("table", TABLES)
def test_hints_name_what_there_is(table):
    missing = []
    for name, hint in getattr(foreign, table).items():
        for path in re.findall(r"\b(?:gl|hocket)(?:\.\w+)+", hint):
            owner, *parts = path.split(".")
            value = gl if owner == "gl" else hocket
            for part in parts:
                value = getattr(value, part, None) or importlib.import_module(f"{value.__name__}.{part}")
                if value is None:
                    missing.append((name, path))
    assert missing == []


def test_only_what_is_missing_is_foreign():
    assert set(foreign.LANGUAGE) & set(gl.__all__) == set()
    assert set(foreign.PACKAGE) & set(hocket.__all__) == set()
    assert [name for name in foreign.TENSOR if hasattr(gl.tensor, name)] == []
    assert [name for name in foreign.SHARED_MEMORY if hasattr(gl.shared_memory_descriptor, name)] == []
