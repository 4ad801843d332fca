"""The quick part of seeded_torture.py: a few inputs of each kind."""

import ast

import campaign
import mutated_ir
import mutated_kernels
import pytest
import seeded_torture
from built_tools import needs_hocket_opt

pytestmark = pytest.mark.slow


PARTS = [
    pytest.param(name, marks=needs_hocket_opt) if part is mutated_ir.PART else name
    for name, part in seeded_torture.PARTS.items()
]


@pytest.mark.parametrize("name", PARTS)
def test_nothing_crashes_or_hangs(name):
    part = seeded_torture.PARTS[name]
    tally = campaign.run_part(part, part.quick)
    assert tally.tried == part.quick
    assert not tally.findings, "\n".join(campaign.table({name: tally}))


def test_waits_in_loops_within_loops_take_bounded_time():
    """Copies and waits in loops that are nested up to four levels deep. Without a bound, the compiler walks through the
    combinations of their iterations for minutes, and the CPU limit of a program ends it."""
    tally = campaign.run_part(seeded_torture.PARTS["legal-copies"], 1, first=50101)
    assert tally.tried == 1
    assert not tally.findings, "\n".join(campaign.table({"legal-copies": tally}))


@pytest.mark.parametrize("seed", [*mutated_kernels.seeds_of_features()], ids=lambda seed: seed.name)
def test_features_compile_before_they_are_mutated(seed):
    text = ast.unparse(ast.fix_missing_locations(seed.function)) + "\n"
    kernel = mutated_kernels.define(f"<{seed.name}>", text, seed)
    mutated_kernels.lower(kernel.fn, seed, "asm")
