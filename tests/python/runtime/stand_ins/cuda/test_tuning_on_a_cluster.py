"""Tuning for a GPU while a Dask cluster compiles: what one thread would choose, whatever becomes of workers."""

import os
import signal
import warnings

import pytest
from stand_ins.arrays import CudaArray, aligned

import hocket
from hocket import language as gl
from hocket.tuning import building, cluster

distributed = pytest.importorskip("distributed")

CONFIGS = [hocket.Config({"BLOCK": block}, num_warps=warps) for block in (64, 128, 256, 512) for warps in (1, 2, 4, 8)]
N = 1000


def add_one(x, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(out + i, gl.load(x + i, mask=i < n) + 1, mask=i < n)


@pytest.fixture(scope="module")
def client():
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as local, distributed.Client(local) as client:
        yield client
    hocket.autotune.use(None)


def tune(driver, folder, client=None, compile_remotely=cluster.compile_remotely):
    """Returns the chosen configuration, the time of each one, and the numbers of those compiled here and on workers."""
    counts = {"here": 0, "on workers": 0}

    def counted(where, function):
        def count(*arguments):
            counts[where] += 1
            return function(*arguments)

        return count

    def bench(run, quantiles):
        """A cost of its own for each grid and block that reached the driver; the least is neither first nor last."""
        run()
        return [1.0 + driver.last.grid[0] * driver.last.block[0] * 37 % 101]

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOCKET_CACHE_DIR", str(folder))  # nothing is compiled there
        request = hocket.runtime.compiler.Request
        patch.setattr(request, "run", counted("here", request.run))
        patch.setattr(cluster, "compile_remotely", counted("on workers", compile_remotely))
        patch.setattr(building.os, "cpu_count", lambda: 1)
        hocket.autotune.use(client)
        kernel = hocket.autotune(CONFIGS, key=["n"], cache_results=False, do_bench=bench)(hocket.jit(add_one))
        arrays = [CudaArray(aligned(1024)) for _ in range(2)]
        launched = kernel[lambda meta: (hocket.cdiv(meta["n"], meta["BLOCK"]),)](*arrays, N)
    assert launched.num_warps == kernel.best_config.num_warps
    return kernel.best_config, kernel.explain(), counts


def test_the_choice_is_that_of_one_thread(driver, tmp_path, client):
    best, table, counts = tune(driver, tmp_path / "here")
    assert counts == {"here": len(CONFIGS), "on workers": 0}
    assert best not in (CONFIGS[0], CONFIGS[-1]) and "16 of 16 configurations ran" in table
    # The first is compiled here, and tells which GPU there is.
    assert tune(driver, tmp_path / "there", client) == (best, table, {"here": 1, "on workers": len(CONFIGS) - 1})


def test_a_worker_that_is_killed_changes_no_choice(driver, tmp_path, client):
    pid = next(iter(client.run(os.getpid).values()))
    calls = []

    def kill_and_compile(*arguments):
        calls.append(1)
        if len(calls) == 5:
            os.kill(pid, signal.SIGKILL)
        return cluster_compiles(*arguments)

    cluster_compiles = cluster.compile_remotely
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a task may have been on workers that died too often
        best, table, counts = tune(driver, tmp_path / "there", client, kill_and_compile)
    assert counts["on workers"] == len(CONFIGS) - 1 and pid not in client.run(os.getpid).values()
    assert (best, table) == tune(driver, tmp_path / "here")[:2]
