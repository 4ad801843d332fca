"""The quick form of cluster_tiles.py, and what it notices."""

import campaign
import cluster_tiles
import pytest

pytestmark = pytest.mark.slow


def test_views_of_tiles_distributed_over_ctas():
    assert campaign.run_part(cluster_tiles.PART, cluster_tiles.PART.quick).findings == []


def test_few_kernels_are_refused(unoptimized):
    outcomes = [cluster_tiles.run(number) for number in range(40)]
    refused = [outcome for outcome in outcomes if outcome and outcome[0] == "refused"]
    assert [outcome for outcome in outcomes if outcome and outcome[0] != "refused"] == []
    assert len(refused) < 8


def test_a_short_turn_that_begins_with_lanes_that_converge():
    """With this seed, a warp's turn ends at once."""
    assert cluster_tiles.run(3205) is None


@pytest.mark.parametrize("seed", [0, 3])
def test_a_wrong_result_is_found(monkeypatch, unoptimized, seed):
    begin = cluster_tiles.Kernel.__init__

    def changed(self, number):
        begin(self, number)
        self.expected[-1] = self.expected[-1] + 1

    monkeypatch.setattr(cluster_tiles.Kernel, "__init__", changed)
    kind, what = cluster_tiles.run(seed)
    assert kind == "wrong" and what.startswith("another result than NumPy's")
