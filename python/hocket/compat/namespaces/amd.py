"""`triton.experimental.gluon.language.amd`: the names that Hocket has in another module."""

from __future__ import annotations

from ..other_gpus.amd.gfx1250 import AMDWMMALayout

__all__ = ["AMDWMMALayout"]
