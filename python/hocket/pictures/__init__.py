"""Layouts and kernels as pictures, for notebooks and documents.

Pictures are SVG or HTML text, and require no other package. `Picture.save` also writes .png and .pdf files,
with the packages of `pip install "hocket[pictures]"`.

    from hocket import language as gl
    from hocket.pictures import draw_layout

    draw_layout(gl.BlockedLayout([2], [4], [2], [0]), [32]).save("blocked.svg")

`draw_bank_conflicts(register_layout, shared_layout, shape, dtype, target)` draws bank conflicts of shared memory.

At the end of a Jupyter cell, `draw_layout(...)` shows the picture. A layout is shown as a picture of a small tile that
has the layout's pattern. A CompiledKernel is shown with its properties, and with its text at each step of compilation.
"""

from .bank_conflicts import draw_bank_conflicts
from .canvas import Picture
from .layouts import draw_layout

__all__ = ["Picture", "draw_bank_conflicts", "draw_layout"]
