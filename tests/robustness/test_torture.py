"""The quick parts of what `make torture` runs at length."""

import subprocess
import sys
from pathlib import Path

import cache_torture
import pytest
import random_commands
from patience import HANG_SECONDS

pytestmark = pytest.mark.slow


def test_whatever_happens_to_the_cache():
    results = cache_torture.run(2000)
    for counts in results.values():
        assert not counts["X"] and not counts["crashed"] and not counts["hung"], results
    damaged, full, read_only = results.values()
    assert damaged["killed"] and damaged["h"] and damaged["m"] and damaged["w"], results
    assert full["f"] and full["w"], results
    assert read_only["h"] and read_only["f"] and not read_only["w"], results


def test_random_commands_are_good_and_bad_ones():
    with random_commands.folder_of_kernels():
        statuses = {random_commands.run_command(random_commands.command_of(seed))[0] for seed in range(25)}
    assert statuses >= {"0", "2"}


def test_forks_among_threads():
    """In a process of its own: those of pytest's that run side by side should not be forked."""
    subprocess.run(
        [sys.executable, Path(__file__).with_name("process_torture.py"), "4"], check=True, timeout=HANG_SECONDS
    )
