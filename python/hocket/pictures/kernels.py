"""A compiled kernel as HTML: its properties, and collapsed sections with its text at each step of compilation."""

from __future__ import annotations

from html import escape

from ..errors import HocketError
from ..runtime.compiled import CompiledKernel
from .palette import PAGE_BOX

# The texts of `kernel.asm` that are shown, by name, with their descriptions.
_TEXTS = {
    "hk": "hk: tiles and layouts",
    "ptx": "ptx: NVIDIA's assembly",
    "amdgcn": "amdgcn: AMD's assembly",
}
# Largest number of lines shown per text. More lines would slow down browsers, and enlarge saved notebooks.
_MAX_LINES = 2000

_TEXT = "max-height:28em;overflow:auto;margin:6px 0;padding:8px;font-size:12px;line-height:1.35;white-space:pre"
_CELL = "text-align:left;padding:2px 18px 2px 0;border:none;background:none"


def kernel_html(kernel: CompiledKernel) -> str:
    """Returns the HTML that Jupyter shows for `kernel`. The HTML sets no colors of text and background, so the page
    determines whether they are light or dark."""
    rows = "".join(
        f'<tr style="background:none"><td style="{_CELL};opacity:.8">{escape(name)}</td>'
        f'<td style="{_CELL}">{escape(value)}</td></tr>'
        for name, value in _facts(kernel)
    )
    signature = escape(", ".join(f"{name} {type}" for name, type in kernel.arguments.items()))
    sections = "".join(_section(kernel, name) for name in kernel.asm if name in _TEXTS)
    return (
        f'<div style="{PAGE_BOX}"><strong>{escape(kernel.name)}</strong> <code>({signature})</code>'
        f'<table style="margin:4px 0;border-collapse:collapse">{rows}</table>{sections}</div>'
    )


def _facts(kernel: CompiledKernel) -> list[tuple[str, str]]:
    metadata = kernel.metadata
    warps = metadata.num_warps + metadata.worker_warps
    facts = [
        ("target", metadata.target),
        ("block", f"{warps * metadata.warp_size} threads: {warps} warps of {metadata.warp_size} lanes"),
        ("shared memory", f"{metadata.shared} bytes per block"),
    ]
    if kernel.n_regs is not None:
        facts.append(("registers", f"{kernel.n_regs} per thread"))
    if kernel.n_spills is not None:
        facts.append(("spills", f"{kernel.n_spills} words per thread"))
    return facts


def _section(kernel: CompiledKernel, name: str) -> str:
    try:
        lines = kernel.asm[name].splitlines()
    except HocketError as error:  # a text that cannot be made is replaced by its error; the other texts are shown
        lines = [str(error)]
    shown = lines[:_MAX_LINES]
    if len(lines) > len(shown):
        shown.append(f"... {len(lines) - len(shown)} more lines in kernel.asm[{name!r}]")
    return (
        f'<details><summary style="cursor:pointer">{escape(_TEXTS[name])}, {len(lines)} lines</summary>'
        f'<pre style="{_TEXT}">{escape(chr(10).join(shown))}</pre></details>'
    )
