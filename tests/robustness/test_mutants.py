"""The quick part of mutation_torture.py: a few mutants of each kind."""

import campaign
import mutation_torture
import pytest


@pytest.mark.parametrize("name", mutation_torture.PARTS)
def test_nothing_crashes_or_hangs(name):
    part = mutation_torture.PARTS[name]
    tally = campaign.run_part(part, part.quick)
    assert tally.tried == part.quick
    assert not tally.findings, "\n".join(campaign.table({name: tally}))
