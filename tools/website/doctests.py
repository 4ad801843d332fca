"""An extension of griffe: makes code blocks of the examples in docstrings, including their results."""

import re

import griffe

#: Matches a line with the prompt `>>>`, and all further lines up to the next blank line.
EXAMPLE = re.compile(r"^( *)>>> .*(?:\n.*\S.*)*", re.MULTILINE)


class FenceDoctests(griffe.Extension):
    """Encloses examples in fences, because Markdown would interpret `>>>` as a quotation."""

    def on_object(self, *, obj: griffe.Object, **kwargs) -> None:
        if obj.docstring:
            obj.docstring.value = EXAMPLE.sub(self._fenced, obj.docstring.value)

    @staticmethod
    def _fenced(match: re.Match) -> str:
        return f"{match[1]}```pycon\n{match[0].rstrip()}\n{match[1]}```"
