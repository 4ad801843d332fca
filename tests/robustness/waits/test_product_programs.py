"""A quick part of product_programs.py: ptxas says nothing that the documentation does not explain."""

import pathlib

import ptxas
import pytest
from product_programs import EXPLAINED, Program, has_products, warnings_of

pytestmark = pytest.mark.slow

DOCS = pathlib.Path(__file__).parents[3] / "docs" / "asynchronous_waits.md"


@ptxas.needed
@pytest.mark.parametrize("seed", range(8))
def test_a_random_program(seed):
    ptx = Program(seed).ptx()
    if has_products(ptx):
        assert set(warnings_of(ptx)) <= set(EXPLAINED)


@pytest.mark.parametrize("code", EXPLAINED)
def test_explained_codes_are_in_the_documentation(code):
    assert code in DOCS.read_text()
