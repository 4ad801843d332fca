"""An extension of griffe: examples in docstrings become blocks of code, with their results."""

import re

import griffe

#: A line with a prompt, and all up to the next blank line.
EXAMPLE = re.compile(r"^( *)>>> .*(?:\n.*\S.*)*", re.MULTILINE)


class FenceDoctests(griffe.Extension):
    """Fences examples, which Markdown would take for quotations."""

    def on_object(self, *, obj: griffe.Object, **kwargs) -> None:
        if obj.docstring:
            obj.docstring.value = EXAMPLE.sub(self._fenced, obj.docstring.value)

    @staticmethod
    def _fenced(match: re.Match) -> str:
        return f"{match[1]}```pycon\n{match[0].rstrip()}\n{match[1]}```"
