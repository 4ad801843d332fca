"""`hocket export`."""

import json
import pathlib
import textwrap

import numpy as np
import pytest

import hocket
from hocket.cli import main

KERNELS = """\
import hocket
from hocket import language as gl
from hocket.language.nvidia.hopper import mbarrier, tma

@hocket.jit
def add(x, y, out, n, BLOCK: gl.constexpr):
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=gl.row_layout(4))
    gl.store(out + i, gl.load(x + i, mask=i < n) + gl.load(y + i, mask=i < n), mask=i < n)

@hocket.jit
def load_tile(desc, out):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, desc.nbytes_per_cta)
    tma.async_load(desc, [0, 0], bar, tile)
    mbarrier.wait(bar, 0)
    layout: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    values = tile.load(layout)
    i = gl.arange(0, 16, layout=gl.SliceLayout(1, layout))[:, None] * 64
    gl.store(out + i + gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :], values)

def twice(x, out, block=256):
    add[(hocket.cdiv(x.size, block),)](x, x, out, x.size, BLOCK=block)

number = 7
"""
ADD = ["kernels.py::add", "--signature", "*f32,*f32,*f32,i32", "--constexpr", "BLOCK=1024"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kernels.py").write_text(KERNELS)
    return tmp_path


def test_a_kernel(capsys):
    assert main(["export", *ADD, "--grid", "cdiv(n, BLOCK)", "-o", "out/add", "--emulator"]) == 0
    line = capsys.readouterr().out.splitlines()[0]
    assert line.startswith("out/add: add for sm_90a, add.c, ")
    assert line.endswith(", manifest.json")
    x, out = np.ones(1500, np.float32), np.zeros(1500, np.float32)
    hocket.load("out/add")(x, x, out, 1500)
    assert set(out) == {2.0}


def test_options_of_launches(capsys):
    options = ["--target", "gfx950", "--num-warps", "8", "--name", "sum", "--json"]
    assert main(["export", *ADD, "-o", "add", *options]) == 0
    manifest = json.loads(capsys.readouterr().out)
    assert (manifest["name"], manifest["target"], manifest["kernels"][0]["num_warps"]) == ("sum", "gfx950", 8)
    assert manifest == json.loads(pathlib.Path("add/manifest.json").read_text())


@pytest.mark.parametrize(
    ("type_", "box", "swizzle"),
    [("tensordesc<f16[16x64]>", [64, 16], 128), ("tensordesc<f16[16x64], 32>", [16, 16], 32)],
)
def test_a_descriptor(capsys, type_, box, swizzle):
    arguments = ["kernels.py::load_tile", "--signature", f"{type_},*f16", "--grid", "1", "--emulator"]
    assert main(["export", *arguments, "-o", "tile", "--json"]) == 0
    argument = json.loads(capsys.readouterr().out)["launches"][0]["arguments"][0]
    assert (argument["map"]["box"], argument["map"]["swizzle_bytes"]) == (box, swizzle)
    values = np.arange(16 * 64, dtype=np.float16).reshape(16, 64)
    out = np.zeros_like(values)
    hocket.load("tile")(values, out)
    np.testing.assert_array_equal(out, values)


def test_a_function_of_a_file():
    shapes = ["--shapes", "x=f32[1000], out=f32[1000]", "--argument", "block=128"]
    assert main(["export", "kernels.py::twice", *shapes, "-o", "twice", "--emulator"]) == 0
    x, out = np.ones(1000, np.float32), np.zeros(1000, np.float32)
    bundle = hocket.load("twice")
    assert bundle.manifest.launches[0].grid == ["8", "1", "1"]
    bundle(x, out)
    assert set(out) == {2.0}


def test_a_ready_kernel():
    shapes = ["--shapes", "f16[64x128],f16[128x64]:1,128", "--argument", "activation='relu'"]
    assert main(["export", "hocket.kernels.matmul", *shapes, "-o", "matmul", "--emulator"]) == 0
    random = np.random.default_rng(0)
    a, b = random.standard_normal((64, 128)).astype(np.float16), random.standard_normal((64, 128)).astype(np.float16).T
    out = np.zeros((64, 64), np.float16)
    hocket.load("matmul")(a, b, out)
    np.testing.assert_array_equal(out, hocket.kernels.matmul(a, b, activation="relu"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["kernels.py::nothing"], "kernels.py has no function nothing"),
        (["kernels.py::number"], "kernels.py has no function number"),
        (["kernels.py"], "write FILE.py::NAME, or a function of a module"),
        (["hocket.kernels.nothing"], "hocket.kernels.nothing: the module hocket.kernels has no function nothing"),
        (["no_such_module.f"], "write FILE.py::NAME, or a function of a module"),
        (["kernels.py::twice"], "kernels.py::twice is a function: name the dtypes and shapes of its arrays"),
        (["kernels.py::twice", "--grid", "1"], "--grid is for kernels, and kernels.py::twice is none"),
        ([*ADD, "--shapes", "f32[4]"], "--shapes is for functions that launch kernels, and kernels.py::add is none"),
        ([*ADD, "--grid", "cdiv(k, 2)"], "the grid `cdiv(k, 2)` is not a rule: `k` is not an integer parameter"),
        ([*ADD, "--target", "sm_70"], "unknown target 'sm_70'; hocket compiles for sm_80, sm_90a, gfx942, gfx950"),
        ([ADD[0], "--signature", "*f32", *ADD[3:]], "--signature has 1 types for the parameters x, y, out, n"),
        (["kernels.py::twice", "--shapes", "f32"], "--shapes: f32: write an array as bf16[512x256]"),
        (["kernels.py::twice", "--shapes", "f31[4]"], "unknown type f31"),
        (["kernels.py::twice", "--shapes", "x=f32[4],f32[4]"], "follows an array with a name, so it needs a name, too"),
        (["kernels.py::twice", "--shapes", "f32[4x4]:1"], "has 2 dimensions and 1 strides"),
        (["kernels.py::twice", "--shapes", "f32[4]"], "twice cannot be called with these arguments: missing a requi"),
        (
            ["kernels.py::load_tile", "--signature", "tensordesc<f16[16x4]>,*f16"],
            "tensordesc<f16[16x4]>: TensorDescriptor: ",
        ),
        (["kernels.py::load_tile", "--signature", "tensordesc<f16>,*f16"], "write a descriptor as tensordesc<f16[128x"),
    ],
)
def test_mistakes(capsys, arguments, message):
    assert main(["export", *arguments, "-o", "out"]) == 2
    assert message in capsys.readouterr().err
    assert not pathlib.Path("out").exists()


def test_the_examples_of_the_help(capsys):
    with pytest.raises(SystemExit):
        main(["export", "--help"])
    text = capsys.readouterr().out
    assert main(["examples", "vector_add"]) == 0
    commands = text[text.index("examples, with") :].replace("\\\n", " ").splitlines()[1:]
    commands = [line.split() for line in textwrap.dedent("\n".join(commands)).splitlines() if line.strip()]
    assert len(commands) == 3
    for command in commands:
        assert command.pop(0) == "hocket"
        assert main([part.strip("'") for part in _joined(command)]) == 0


def _joined(words):
    """Joins the words of a quoted argument."""
    joined, inside = [], False
    for word in words:
        if inside:
            joined[-1] += " " + word
        else:
            joined.append(word)
        if word.count("'") % 2:
            inside = not inside
    return joined
