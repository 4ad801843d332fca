"""Converts a notebook to a Markdown page: its cells, and their printed and drawn output."""

import base64
import itertools
import pathlib
import re

import jupytext
import latex2mathml.converter

DISPLAYED_MATHS = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def notebook_page(notebook: pathlib.Path, folder: pathlib.Path) -> str:
    """Returns the page of a notebook, or of a source file in jupytext's format. Writes the notebook's pictures to
    `folder`."""
    pictures = (f"{notebook.stem}_{number}.png" for number in itertools.count())
    parts = []
    for cell in jupytext.read(notebook).cells:
        if cell.cell_type == "markdown":
            parts.append(DISPLAYED_MATHS.sub(_maths, cell.source))
        elif cell.source.strip():
            parts.append(f"```python\n{cell.source}\n```")
            parts += [_output(output, folder, pictures) for output in cell.get("outputs", ())]
    return "\n\n".join(part for part in parts if part) + "\n"


def _maths(match: re.Match) -> str:
    return latex2mathml.converter.convert(match[1].replace("\n", " "), display="block")


def _output(output, folder: pathlib.Path, names) -> str:
    """Returns Markdown for the printed text, error or displayed object of a cell. For an object with several formats,
    the order of preference is HTML, SVG, PNG, text."""
    if output.output_type == "stream":
        return _text(output.text)
    if output.output_type == "error":
        return _text("\n".join(output.traceback))
    data = output.data
    for kind in ("text/html", "image/svg+xml"):
        if kind in data:
            without_gaps = re.sub(r"\n\s*\n", "\n", data[kind].strip())  # a blank line would end the HTML block
            return f'<div class="output">\n{without_gaps}\n</div>'
    if "image/png" in data:
        folder.mkdir(parents=True, exist_ok=True)
        name = next(names)
        (folder / name).write_bytes(base64.b64decode(data["image/png"]))
        return f'<div class="output"><img src="{name}" alt="{data.get("text/plain", "picture")}"></div>'
    return _text(data.get("text/plain", ""))


def _text(text: str) -> str:
    text = ESCAPES.sub("", text).rstrip()
    return f'<div class="output" markdown="1">\n\n````text\n{text}\n````\n\n</div>' if text else ""
