"""Compiling on a Dask cluster: the same code, whatever happens to workers."""

import os
import signal
import warnings

import pytest
from kernels_to_tune import add_one, needs_shared_memory

import hocket
from hocket import language as gl
from hocket.tuning import building, cluster

distributed = pytest.importorskip("distributed")

CONFIGS = [hocket.Config({"BLOCK": block}, num_warps=warps) for block in (64, 128, 256, 512) for warps in (1, 2, 4, 8)]


@pytest.fixture(scope="module")
def client():
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as local, distributed.Client(local) as client:
        yield client


@pytest.fixture
def used(client):
    hocket.autotune.use(client)
    yield client
    hocket.autotune.use(None)


@pytest.fixture
def local_calls(monkeypatch):
    """Targets of what this process compiles itself."""
    calls = []
    run = hocket.runtime.compiler.Request.run

    def counted(self, wanted, trace=None):
        calls.append(self.target)
        return run(self, wanted, trace)

    monkeypatch.setattr(hocket.runtime.compiler.Request, "run", counted)
    return calls


def texts(target, kind="ptx"):
    kernel = hocket.autotune(CONFIGS)(hocket.jit(add_one))
    return [one.asm[kind] for one in kernel.warmup(gl.float32, gl.float32, 1000, target=target)]


@pytest.mark.parametrize(("target", "kind"), [("sm_90a", "ptx"), ("gfx950", "amdgcn")])
def test_workers_compile_the_same_code(used, local_calls, target, kind):
    remote = texts(target, kind)
    assert local_calls == []
    hocket.autotune.use(None)
    assert texts(target, kind) == remote
    assert len(local_calls) == len(CONFIGS)


def test_facts_come_back_too(used, local_calls):
    kernel = hocket.autotune([hocket.Config({"BLOCK": size}) for size in (64, 128)])(hocket.jit(needs_shared_memory))
    compiled = kernel.warmup(gl.float32, gl.float32, 64, target="sm_90a")
    assert [one.metadata.shared for one in compiled] == [256, 512]
    assert compiled[0].metadata.parameters == ["x", "out", "n"]
    assert local_calls == []


def test_mistakes_read_as_ever(used):
    @hocket.autotune(CONFIGS[:2])
    @hocket.jit
    def wrong(x, out, n, BLOCK: gl.constexpr):
        gl.store(out, undefined_name)  # noqa: F821

    with pytest.raises(hocket.CompileError, match="undefined_name") as caught:
        wrong.warmup(gl.float32, gl.float32, 64, target="sm_90a")
    assert caught.value.filename == __file__


def test_another_build_compiles_nothing(used, monkeypatch, local_calls):
    monkeypatch.setattr(cluster, "compile_on_worker", _of_another_build)
    assert len(texts("sm_90a")) == len(CONFIGS)
    assert len(local_calls) == len(CONFIGS)


def _of_another_build(*arguments):
    return cluster.compile_on_worker(*arguments[:-1], "another build")


def test_a_worker_that_dies_loses_nothing(used, monkeypatch):
    """Killed while there is work for it; its nanny starts another."""
    pid = next(iter(used.run(os.getpid).values()))
    remote = cluster.compile_remotely
    calls = []

    def kill_and_compile(*arguments):
        calls.append(1)
        if len(calls) == 3:
            os.kill(pid, signal.SIGKILL)
        return remote(*arguments)

    monkeypatch.setattr(cluster, "compile_remotely", kill_and_compile)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a task may have been on workers that died too often
        found = texts("sm_80")
    assert len(calls) == len(CONFIGS)
    hocket.autotune.use(None)
    assert found == texts("sm_80")


def test_a_cluster_that_is_gone_is_done_without(local_calls):
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as local:
        gone = distributed.Client(local)
    gone.close()
    hocket.autotune.use(gone)
    try:
        with pytest.warns(UserWarning, match="the Dask cluster could not compile, so this process does"):
            assert len(texts("sm_90a")) == len(CONFIGS)
    finally:
        hocket.autotune.use(None)
    assert len(local_calls) == len(CONFIGS)


def test_only_a_client_or_none_is_accepted():
    with pytest.raises(hocket.LaunchError, match=r"autotune\.use takes a distributed\.Client or None, not 'tcp:"):
        hocket.autotune.use("tcp://127.0.0.1:8786")


def test_without_a_cluster_threads_compile(local_calls):
    assert cluster.workers() == 0
    kernels = building.build_all(lambda config: config.kwargs["BLOCK"], CONFIGS[:3], "numbers")
    assert kernels == [64, 64, 64]
