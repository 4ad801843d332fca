"""The texts of errors that kernels of one file raise on the emulator."""

import pathlib
import re
import textwrap

from hocket import errors


class TextsOf:
    """Returns the messages of the kernels in the module `kernels`."""

    def __init__(self, kernels):
        self.path = pathlib.Path(kernels.__file__)

    def place_of(self, source: str) -> tuple[int, int, str]:
        """Line and column (from 1) of the only place in the file that holds `source`, and the line."""
        lines = self.path.read_text().splitlines()
        found = [(n, line.index(source) + 1, line) for n, line in enumerate(lines, 1) if source in line]
        assert len(found) == 1, found
        return found[0]

    def text_of(self, error: errors.EmulatorError) -> str:
        """The text without what differs between runs and places: folders, addresses."""
        text = re.sub(r"0x[0-9a-f]+", "ADDRESS", str(error))
        return re.sub(rf"(\S*/)?{self.path.name}", self.path.name, text)

    def expected(self, message: str, at: str, details: str) -> str:
        """The text of an error at the source `at`."""
        line, column, source = self.place_of(at)
        head = f"{self.path.name}:{line}:{column}: error: {message}\n{line:5} | {source}\n"
        head += f"      | {' ' * (column - 1)}^{'~' * (len(at) - 1)}\n"
        return head + textwrap.indent(textwrap.dedent(details).strip("\n"), "  ")
