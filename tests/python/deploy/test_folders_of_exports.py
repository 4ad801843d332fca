"""Folders that an export writes or refuses, and exports at the same time."""

import json
import os
import threading

import numpy as np
import pytest
from stand_ins.exported_kernels import add, scale

import hocket
from hocket import language as gl
from hocket.deploy import bundle_files
from hocket.deploy.manifest import parse_manifest


def export_add(folder, **settings):
    given = {"target": "sm_90a", "grid": "cdiv(n, BLOCK)", "emulator": True, **settings}
    add.export(folder, gl.float32, gl.float32, gl.float32, 1000, BLOCK=256, **given)


def names(folder):
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("manifest", ['{"name": "an app", "icons": []}', '{"format": 1}', "[]", "", "not JSON"])
def test_a_manifest_of_another_program_is_not_a_bundle(tmp_path, manifest):
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "manifest.json").write_text(manifest)
    (tmp_path / "app" / "app.js").write_text("mine")
    with pytest.raises(hocket.LaunchError, match=r"app exists and holds other files than a bundle: app\.js, manifest"):
        export_add(tmp_path / "app")
    assert names(tmp_path / "app") == {"manifest.json", "app.js"}


def test_files_of_the_user_beside_a_bundle_remain(tmp_path):
    export_add(tmp_path / "add")
    (tmp_path / "add" / "main.c").write_text("mine")
    with pytest.raises(hocket.LaunchError, match=r"holds other files than a bundle: main\.c\n"):
        export_add(tmp_path / "add", name="other")
    assert (tmp_path / "add" / "main.c").read_text() == "mine"
    assert hocket.load(tmp_path / "add").name == "add"


def test_a_bundle_of_another_format_is_replaced(tmp_path):
    export_add(tmp_path / "add")
    fields = json.loads((tmp_path / "add" / "manifest.json").read_text())
    (tmp_path / "add" / "manifest.json").write_text(json.dumps({**fields, "format": 7}))
    export_add(tmp_path / "add", name="other")
    assert hocket.load(tmp_path / "add").name == "other"


@pytest.mark.parametrize("given", [".", "../here", ""])
def test_the_current_folder(tmp_path, monkeypatch, given):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(hocket.LaunchError, match="here is the current folder, which an export cannot replace"):
        export_add(given)
    assert names(tmp_path) == {"here"}


def test_a_program_that_changes_its_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    export_add("a b/\N{GREEK SMALL LETTER PI}")
    bundle = hocket.load("a b/\N{GREEK SMALL LETTER PI}")
    monkeypatch.chdir("/")
    x, out = np.ones(1000, np.float32), np.zeros(1000, np.float32)
    bundle(x, x, out, 1000)
    assert (out == 2).all()


def test_an_interrupted_renaming_restores_the_earlier_bundle(tmp_path, monkeypatch):
    export_add(tmp_path / "add")
    real, calls = os.rename, []

    def rename(*arguments):
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        real(*arguments)

    monkeypatch.setattr(bundle_files.os, "rename", rename)
    with pytest.raises(KeyboardInterrupt):
        export_add(tmp_path / "add", name="other")
    assert hocket.load(tmp_path / "add").name == "add"
    assert names(tmp_path) == {"add"}


def test_threads_that_write_one_bundle(tmp_path):
    """Each export succeeds, and the folder has one of the bundles as a whole."""
    export_add(tmp_path / "add")
    text = (tmp_path / "add" / "manifest.json").read_text()
    files = {path.name: path.read_bytes() for path in (tmp_path / "add").iterdir() if path.name != "manifest.json"}
    problems = []

    def write():
        for _ in range(20):
            try:
                bundle_files.write_bundle(tmp_path / "many", parse_manifest(text, "add"), files)
            except Exception as error:
                problems.append(error)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    hocket.load(tmp_path / "many")
    assert names(tmp_path) == {"add", "many"}


class TestArrays:
    def test_an_address_among_arrays_of_the_host(self, tmp_path):
        export_add(tmp_path / "add")
        x = np.ones(1000, np.float32)
        with pytest.raises(hocket.LaunchError, match="`out` is an address, and the other arrays are in host memory"):
            hocket.load(tmp_path / "add")(x, x, x.ctypes.data, 1000)

    def test_tensors_without_memory(self, tmp_path):
        torch = pytest.importorskip("torch")
        export_add(tmp_path / "add")
        x = torch.ones(1000)
        with pytest.raises(hocket.LaunchError, match="`y` is an array without memory"):
            hocket.load(tmp_path / "add")(x, torch.empty(1000, device="meta"), x, 1000)

    def test_booleans_of_numpy(self, tmp_path):
        scale.export(
            tmp_path / "scale",
            gl.float32,
            2.5,
            True,
            2**40,
            (3, 4.0),
            target="sm_90a",
            grid="1 + 0 // 1",
            emulator=True,
        )
        out = np.zeros(128, np.float32)
        hocket.load(tmp_path / "scale")(out, 0.5, np.True_, 2, 5, 0.25)
        assert set(out[:100]) == {0.5 + 2 + 1.25}
