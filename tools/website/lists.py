"""Converts the lists of GitHub's Markdown to those of Python-Markdown, which indents the contents of an item by four
columns."""

import re

ITEM = re.compile(r"( *)([*-]|\d+\.) +")
_COLUMNS = 4


def indent_items(text: str) -> str:
    """Indents the continuation lines of list items by four columns per level, instead of by the width of the item's
    marker."""
    lines, levels, in_fence = [], [], False
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        if line.strip() and not in_fence:
            while levels and indent < levels[-1]:
                levels.pop()
        depth = len(levels)
        if line.strip() and levels:
            line = " " * (_COLUMNS * depth) + line[min(levels[-1], indent) :]
        if line.lstrip().startswith("```"):
            in_fence = not in_fence
        elif not in_fence and (item := ITEM.match(line)) and len(item[1]) == _COLUMNS * depth:
            levels.append((levels[-1] if levels else 0) + len(item[0]) - len(item[1]))
        lines.append(line)
    return "\n".join(lines) + "\n"
