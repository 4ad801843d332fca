"""`hocket profile`: what it prints and writes."""

import json

import pytest
from perfetto import check_trace

from hocket.cli import main

FILE = """
import numpy as np
import hocket
from hocket import language as gl
from hocket import profiler

@hocket.jit
def slow(x, ITERATIONS: gl.constexpr = 12):
    layout: gl.constexpr = gl.row_layout()
    i = gl.program_id(0) * 256 + gl.arange(0, 256, layout=layout)
    value = gl.load(x + i)
    for k in range(ITERATIONS):
        with profiler.scope("scale", k):
            for _ in gl.static_range(20):
                value = value * 0.5 + 1.0
        with profiler.scope("shift"):
            value += 1.0
    gl.store(x + i, value)

@hocket.jit
def silent(x):
    gl.store(x, 1.0)

def main():
    print("this is not the summary")
    slow[(2,)](np.ones(512, np.float32))

def fails():
    raise ValueError("no data")

def of_size(n):
    slow[(n,)](np.ones(256 * n, np.float32))
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(FILE)
    return path


def run(capsys, *arguments):
    status = main(["profile", *map(str, arguments)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_a_function(file, tmp_path, capsys):
    status, out, err = run(capsys, f"{file}::main", "--explain", "--target", "gfx950", "--out", tmp_path)
    assert status == 0, err
    lines = out.splitlines()
    assert lines[0].split() == ["slow", "count", "p50", "p95", "max", "share", "where"]
    assert [line.split()[:2] for line in lines[1:4]] == [["warp", "8"], ["scale", "96"], ["shift", "96"]]
    assert "bound by scale (" in out and "this is not the summary" in err
    assert lines[-1] == f"wrote {tmp_path}/main.json (open it with https://ui.perfetto.dev) and {tmp_path}/main.svg"
    check_trace(json.loads((tmp_path / "main.json").read_text()))
    assert "scale" in (tmp_path / "main.svg").read_text()


def test_the_folder_is_made(file, tmp_path, capsys):
    folder = tmp_path / "new" / "profiles"
    status, _, err = run(capsys, f"{file}::main", "--out", folder)
    assert status == 0, err
    assert sorted(path.name for path in folder.iterdir()) == ["main.json", "main.svg"]


def test_a_static_buffer(file, capsys):
    out = str(file.parent)
    assert main(["profile", f"{file}::main", "--out", out, "--buffer", "static", "--max-blocks", "1"]) == 0
    assert "note: blocks for which the static variable has no room: 1" in capsys.readouterr().out


def test_a_kernel_as_json(file, tmp_path, capsys):
    arguments = ["--signature", "*f32[256]", "--constexpr", "ITERATIONS=7", "--num-warps", 2, "--json", "--explain"]
    status, out, err = run(capsys, f"{file}::slow", *arguments, "--select", "1", "--out", tmp_path)
    assert status == 0, err
    found = json.loads(out)
    assert {site["name"]: site["count"] for site in found["sites"]} == {"warp": 1, "scale": 7, "shift": 7}
    assert found["explanation"]["bound"] == "scale" and found["explanation"]["is_reliable"]
    assert any("virtual clock" in note for note in found["notes"])


def test_flushes(file, tmp_path, capsys):
    """Each of the eight warps writes 2 records of its life and 4 in each of 100 iterations, more than a segment."""
    arguments = ["--signature", "*f32[512]", "--constexpr", "ITERATIONS=100", "--grid", "2", "--json"]
    status, out, err = run(capsys, f"{file}::slow", *arguments, "--overflow", "flush", "--out", tmp_path)
    assert status == 0, err
    counts = {site["name"]: site["count"] for site in json.loads(out)["sites"]}
    assert counts == {"warp": 8, "scale": 800, "shift": 800, "flush": 8 * 13}


MISTAKES = {
    "a block": (
        ["slow", "--signature", "*f32[256]", "--block", "7"],
        "hocket: error: --block 7: no slice of block 7 of launch 0 was recorded; there are slices of blocks 0 to 0\n",
    ),
    "arguments": (["of_size"], "hocket: error: of_size() is called without arguments, but needs n\n"),
    "a file for a folder": (
        ["main", "--out", "kernels.py"],
        "hocket: error: --out kernels.py: File exists: kernels.py\n",
    ),
    "no numbers": (["main", "--select", "a"], "hocket: error: --select a: write numbers of warps, as in 0,4\n"),
    "a signature": (["main", "--grid", "2"], "hocket: error: --grid is for a kernel; main is a Python function\n"),
    "an error": (["fails"], "hocket: error: fails() raised ValueError: no data ({file}:29)\n"),
    "bytes": (
        ["main", "--bytes", "100"],
        "hocket: error: bytes_per_warp must be a power of two from 16 to 16777216, or 0, not 100\n",
    ),
    "nothing": (
        ["silent", "--signature", "*f32[1]", "--no-stages"],
        'hocket: error: nothing was recorded in the session "silent": no kernel with records was launched\n'
        '  hint: put `with profiler.scope(...)` into the kernel, or leave stages="auto"\n',
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(mistake, file, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (function, *arguments), message = MISTAKES[mistake]
    status, out, err = run(capsys, f"kernels.py::{function}", *arguments)
    assert (status, out) == (2, "")
    assert err == message.format(file="kernels.py")
