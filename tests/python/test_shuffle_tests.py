"""tools/shuffle_tests.py finds tests that depend on others, on hashes and on memory, and names their seeds."""

import json
import pathlib
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("pytest_randomly")
TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "shuffle_tests.py"


@pytest.fixture
def shuffle(tmp_path):
    def run(tests, *options):
        """(exit status, output, runs) of the tool on a file of tests."""
        (tmp_path / "pytest.ini").write_text("[pytest]\n")
        (tmp_path / "test_shuffled.py").write_text(textwrap.dedent(tests))
        results = tmp_path / "results.json"
        command = [sys.executable, str(TOOL), "--json", str(results), *options, str(tmp_path / "test_shuffled.py")]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout, json.loads(results.read_text())

    return run


def test_a_test_that_depends_on_another_is_found(shuffle):
    status, text, runs = shuffle(
        """
        seen = []

        def test_first():
            seen.append(1)

        def test_second():
            assert seen, "the first one has not run"
        """,
        "--runs",
        "4",
    )
    failed = [run["seed"] for run in runs if run["failures"]]
    assert status == 1 and 0 < len(failed) < 4, text
    (summary,) = [line for line in text.splitlines() if " of 4 runs" in line]
    assert summary == f"  failed in {len(failed)} of 4 runs, seeds {', '.join(map(str, failed))}"
    assert "the first one has not run" in text
    assert {name for run in runs for name in run["failures"]} == {"test_shuffled.py::test_second"}
    assert "4 runs, 1 tests failed in some of them; again: python tools/shuffle_tests.py --seed SEED" in text


def test_each_run_has_its_own_hash_seed_and_cache_folder(shuffle):
    _, _, runs = shuffle(
        """
        import os

        def test_a():
            raise AssertionError(f"{hash('a')} {os.environ['HOCKET_CACHE_DIR']}")
        """,
        "--runs",
        "3",
    )
    found = [next(iter(run["failures"].values())) for run in runs]
    hashes, caches = zip(*(line.split("AssertionError: ")[1].split()[:2] for line in found), strict=True)
    assert len(set(hashes)) == len(set(caches)) == 3


def test_memory_and_cores_are_limited(shuffle):
    status, text, _ = shuffle(
        """
        import os, resource

        def test_limits():
            size, _ = resource.getrlimit(resource.RLIMIT_AS)
            assert 0 < size < os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
            assert len(os.sched_getaffinity(0)) == 1
        """,
        "--memory",
        "0.5",
        "--cores",
        "1",
    )
    assert status == 0, text
