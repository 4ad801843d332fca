"""The quick part of seeded_torture.py: a few inputs of each kind."""

import campaign
import pytest
import seeded_torture


@pytest.mark.parametrize("name", seeded_torture.PARTS)
def test_nothing_crashes_or_hangs(name):
    part = seeded_torture.PARTS[name]
    tally = campaign.run_part(part, part.quick)
    assert tally.tried == part.quick
    assert not tally.findings, "\n".join(campaign.table({name: tally}))
