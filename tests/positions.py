"""Source positions in messages, relative to the function that contains them.

A message names lines of its file: `calls.py:25:31: error: ...`, `   25 | source`, `in line 25`. An expected text with
these numbers changes whenever a line is added above. Relative to the `def` line of the kernel it is
`calls.py:+3:31: error: ...`, `   +3 | source`, `in line +3`; a line of another function, method, class or assignment at
top level has its name in front: `calls.py:helper+1:5`.
"""

import ast
import functools
import pathlib
import re


@functools.cache
def _definitions(path: pathlib.Path) -> list[tuple[int, int, int, str]]:
    """(first line, last line, line to count from, name) of each function, method, class and assignment at top level."""
    found = []

    def add(node: ast.stmt, name: str) -> None:
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
        found.append((first, node.end_lineno, node.lineno, name))

    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            add(node, node.name)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            add(node, node.targets[0].id)
        for method in node.body if isinstance(node, ast.ClassDef) else []:
            if isinstance(method, ast.FunctionDef):
                add(method, f"{node.name}.{method.name}")
    return found[::-1]  # methods before their classes


def relative(text: str, path: str | pathlib.Path, kernel: str) -> str:
    """Returns `text` with its lines of the file `path` relative to `kernel`, a top-level function of that file."""
    path = pathlib.Path(path)

    def of(number: str, with_name: bool = True) -> str:
        for first, last, start, name in _definitions(path):
            if first <= int(number) <= last:
                return ("" if name == kernel or not with_name else name) + f"{int(number) - start:+d}"
        return number

    def in_margin(match: re.Match) -> str:
        return f"{of(match[1], with_name=False):>5} | "

    text = re.sub(rf"(?<![\w.]){re.escape(path.name)}:(\d+)", lambda match: f"{path.name}:{of(match[1])}", text)
    text = re.sub(r"^ *(\d+) \| ", in_margin, text, flags=re.MULTILINE)
    return re.sub(r"\bline (\d+)\b", lambda match: f"line {of(match[1])}", text)
