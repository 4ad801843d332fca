"""`triton._C.libtriton.gluon_ir`: helpers for Gluon's layouts that files import from the compiler."""

from __future__ import annotations

from collections.abc import Sequence

from ... import language

__all__ = ["make_cga_layout"]


def make_cga_layout(ctas_per_cga: Sequence[int], cta_split: Sequence[int], cta_order: Sequence[int]) -> list[list[int]]:
    """`gl.make_cga_layout`, by the name that it has in the compiler's module."""
    return language.make_cga_layout(ctas_per_cga, cta_split, cta_order)
