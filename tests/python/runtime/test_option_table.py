"""Launch options have the same names and defaults in Python and in the front end's table."""

import pathlib
import re

import pytest

from hocket.runtime.options import Options

pytestmark = pytest.mark.quick

TABLE = pathlib.Path(__file__).parents[3] / "csrc/frontend/semantics/EmitOptions.def"
ROWS = re.findall(r'^OPTION\([\w:]+, \w+, ([^,]+), "(\w+)",', TABLE.read_text(), re.MULTILINE)
IN_PYTHON = {"true": True, "false": False, '""': ""}


@pytest.mark.parametrize(("default", "name"), ROWS, ids=[name for _, name in ROWS])
def test_an_option_of_the_front_end_is_a_launch_option(default, name):
    """Some are properties of launch options of another form: `forms_stages` of `warp_pipeline`."""
    expected = IN_PYTHON[default] if default in IN_PYTHON else int(default)
    assert (getattr(Options(), name) or 0) == (expected or 0)


def test_the_table_has_rows():
    assert len(ROWS) == TABLE.read_text().count("\nOPTION(")
