"""tests/positions.py: lines of messages relative to their function."""

import textwrap

import pytest
from positions import relative

pytestmark = pytest.mark.quick

SOURCE = textwrap.dedent(
    """\
    SIZE = 4

    def helper(x):
        return x

    @decorated
    def kernel(x):
        y = helper(x)
        return y

    class Pair:
        left: int

        def first(self):
            return self.left
    """
)
MESSAGE = "kernels.py:8:9: error: in line 4, for `SIZE` of line 1 and line 12\n    8 |     y = helper(x)\n"
RELATIVE = (
    "kernels.py:+1:9: error: in line helper+1, for `SIZE` of line SIZE+0 and line Pair+1\n   +1 |     y = helper(x)\n"
)


@pytest.fixture
def path(tmp_path):
    """Writes kernels.py with SOURCE below other lines."""

    def path(above=""):
        file = tmp_path / above.strip() / "kernels.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(above + SOURCE)
        return file

    return path


def test_lines_of_the_kernel_and_of_others(path):
    assert relative(MESSAGE, path(), "kernel") == RELATIVE


def test_a_line_above_changes_nothing(path):
    moved = MESSAGE.replace(":8:", ":9:").replace("    8", "    9").replace("line 12", "line 13")
    moved = moved.replace("line 4", "line 5").replace("line 1 ", "line 2 ")
    assert relative(moved, path("NEW = 1\n"), "kernel") == RELATIVE


def test_methods_and_lines_of_other_files(path):
    text = "called from kernels.py:15 in first, from other.py:15, and from line 5"
    assert (
        relative(text, path(), "kernel")
        == "called from kernels.py:Pair.first+1 in first, from other.py:15, and from line 5"
    )
