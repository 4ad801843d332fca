"""Launch options have the same names and defaults in Python and in the front end's table."""

import pathlib
import re
from dataclasses import fields

import pytest

from hocket.runtime.options import Options

pytestmark = pytest.mark.quick

TABLE = pathlib.Path(__file__).parents[3] / "csrc/frontend/semantics/EmitOptions.def"
ROWS = re.findall(r'^OPTION\([\w:]+, \w+, ([^,]+), "(\w+)",', TABLE.read_text(), re.MULTILINE)
IN_PYTHON = {"true": True, "false": False, '""': ""}


@pytest.mark.parametrize(("default", "name"), ROWS, ids=[name for _, name in ROWS])
def test_an_option_of_the_front_end_is_a_launch_option(default, name):
    defaults = {field.name: field.default for field in fields(Options)}
    expected = IN_PYTHON[default] if default in IN_PYTHON else int(default)
    assert (defaults[name] if defaults[name] is not None else 0) == expected


def test_the_table_has_rows():
    assert len(ROWS) == TABLE.read_text().count("\nOPTION(")
