"""Results of tuning are stored on disk; damaged or missing files only cause new measurements."""

import numpy as np
import pytest
from kernels_to_tune import add_one, blocks, grid

import hocket
from hocket.tuning import store

N = 1000


def tune(cost=lambda: [1.0, 1.0, 1.0], configs=None, n=N, **options):
    """A fresh kernel after a launch, and how often it was timed."""
    timed = []

    def bench(run, quantiles):
        run()
        timed.append(1)
        return [float(len(timed))] * 3

    kernel = hocket.autotune(configs or blocks(64, 128, 256), key=["n"], do_bench=bench, **options)(hocket.jit(add_one))
    x, out = np.arange(n, dtype=np.float32), np.zeros(n, np.float32)
    kernel[grid](x, out, n)
    np.testing.assert_array_equal(out, x + 1)
    return kernel, len(timed)


def test_another_kernel_of_the_same_source_is_not_timed(folder):
    first, timed = tune()
    again, timed_again = tune()
    assert (timed, timed_again) == (3, 0)
    assert again.best_config.kwargs == first.best_config.kwargs
    assert "kept from an earlier process" in again.explain()
    assert again.explain().splitlines()[2:] == first.explain().splitlines()[2:]


def test_changed_dependencies_are_timed_again():
    tune()
    assert tune(n=999)[1] == 3
    assert tune(configs=blocks(64, 128))[1] == 2
    assert tune(configs=blocks(64, 128, 256, num_warps=8))[1] == 3
    with hocket.emulator.target("gfx942"):
        assert tune()[1] == 3
    assert tune(cache_results=False)[1] == 3


def test_nothing_is_kept_without_a_folder(monkeypatch):
    monkeypatch.setenv("HOCKET_CACHE_DIR", "")
    assert tune()[1] == 3 and tune()[1] == 3


@pytest.mark.parametrize("damage", [b"", b"garbage", None])
def test_damaged_files_count_as_none(folder, damage):
    tune()
    files = [path for path in (folder / "tuned").rglob("*") if path.is_file()]
    assert files
    for path in files:
        contents = path.read_bytes()
        path.write_bytes(contents[: len(contents) // 2] if damage is None else damage)
    assert tune()[1] == 3
    assert tune()[1] == 0


@pytest.mark.parametrize(
    "text",
    [b"[]", b"{}", b"nonsense", b'[{"config": 9, "cost": 1.0, "spread": null, "failure": ""}]',
     b'[{"config": 0, "cost": "fast", "spread": null, "failure": ""}]'],
)  # fmt: skip
def test_entries_of_another_form_count_as_none(folder, text):
    configs = blocks(64)
    store._folder().write("a" * 64, {"trials": text})
    assert store.read("a" * 64, configs) is None


def test_hooks_that_nothing_is_known_of_are_not_kept():
    class Hook:
        def __call__(self, args):
            pass

    configs = [hocket.Config({"BLOCK": 64}, pre_hook=Hook()), hocket.Config({"BLOCK": 128})]
    assert tune(configs=configs)[1] == 2 and tune(configs=configs)[1] == 2
