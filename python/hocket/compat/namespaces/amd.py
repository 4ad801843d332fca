"""`triton.experimental.gluon.language.amd`: the names that Hocket has in another module."""

from __future__ import annotations

from ...language.amd.gfx1250 import AMDWMMALayout

__all__ = ["AMDWMMALayout"]
