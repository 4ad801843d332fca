"""Completion of `hocket.kernels` offers the ready kernels, not the modules that they consist of."""

import pytest

import hocket.kernels
from hocket.kernels import norms


@pytest.mark.parametrize("module", [hocket.kernels, norms])
def test_completion_offers_the_public_names(module):
    assert dir(module) == sorted(module.__all__)
    assert all(hasattr(module, name) for name in dir(module))
