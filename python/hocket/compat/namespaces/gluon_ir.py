"""`triton._C.libtriton.gluon_ir`: helpers for layouts that Gluon files import from Triton's compiler."""

from __future__ import annotations

from collections.abc import Sequence

from ... import language

__all__ = ["make_cga_layout"]


def make_cga_layout(ctas_per_cga: Sequence[int], cta_split: Sequence[int], cta_order: Sequence[int]) -> list[list[int]]:
    """Returns the result of `gl.make_cga_layout`; Triton has this function in its compiler."""
    return language.make_cga_layout(ctas_per_cga, cta_split, cta_order)
