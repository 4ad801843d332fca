"""The `hocket` command."""

import subprocess
import sys
import textwrap

import pytest

import hocket
from hocket.cli import main

KERNELS = """\
import hocket
from hocket import language as gl

print("loading")

@hocket.jit
def add(x, y, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([4], [gl.num_lanes()], [gl.num_warps()], [0])
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(out + i, gl.load(x + i, mask=i < n) + gl.load(y + i, mask=i < n), mask=i < n)

@hocket.jit
def typed(out, DTYPE: gl.constexpr, SIZE: gl.constexpr = 128):
    layout: gl.constexpr = gl.BlockedLayout([1], [gl.num_lanes()], [gl.num_warps()], [0])
    i = gl.arange(0, SIZE, layout=layout)
    gl.store(out + i, i.to(DTYPE))

@hocket.jit
def wrong(x):
    gl.store(x, undefined)
"""
ADD = ["--signature", "*f32,*f32,*f32,i32:16", "--constexpr", "BLOCK=1024"]


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "kernels.py"
    path.write_text(KERNELS)
    return path


@pytest.mark.parametrize(
    ("target", "emit", "expected"),
    [
        ("sm_80", None, ".target sm_80"),
        ("sm_90a", "ptx", "ld.global.v4.b32"),
        ("sm_90a", "hk", "hk.load"),
        ("sm_90a", "lane", "llvm.func"),
        ("sm_90a", "llvm", "define"),
        ("gfx942", None, "global_load_dwordx4"),
        ("gfx950", "amdgcn", "amdgcn-amd-amdhsa--gfx950"),
    ],
)
def test_compile_prints_texts(file, capfdbinary, target, emit, expected):
    arguments = ["compile", "kernels.py::add", "--target", target, *ADD]
    assert main(arguments + (["--emit", emit] if emit else [])) == 0
    out = capfdbinary.readouterr().out.decode()
    assert expected in out
    assert "loading" not in out


def test_compile_writes_binaries(file):
    assert main(["compile", "kernels.py::add", "--target", "gfx950", *ADD, "--emit", "hsaco", "-o", "add.hsaco"]) == 0
    assert (file.parent / "add.hsaco").read_bytes()[:4] == b"\x7fELF"


def test_constexprs_are_python_expressions_of_the_file(file, capfdbinary):
    arguments = ["compile", "kernels.py::typed", "--signature", "*f16", "--constexpr", "DTYPE=gl.float16"]
    assert main([*arguments, "--emit", "hk", "--num-warps", "2"]) == 0
    out = capfdbinary.readouterr().out.decode()
    assert "tensor<128xf16" in out
    assert "hk.num_warps = 2" in out


def test_pointers_are_aligned_unless_said_otherwise(file, capfdbinary):
    main(["compile", "kernels.py::add", "--signature", "*f32:4,*f32,*f32:64,i32", *ADD[2:], "--emit", "hk"])
    out = capfdbinary.readouterr().out.decode()
    assert "%arg0: !hk.ptr<f32> {hk.divisibility = 4 : i32}, %arg1: !hk.ptr<f32> {hk.divisibility = 16 : i32}" in out
    assert "%arg2: !hk.ptr<f32> {hk.divisibility = 64 : i32}, %arg3: i32)" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["kernels.py"], "kernels.py: write the file and the kernel as FILE.py::KERNEL"),
        (["other.py::add"], "there is no file other.py"),
        (["kernels.py::sub"], "kernels.py has no kernel sub; it has add, typed, wrong"),
        (["kernels.py::add", "--target", "sm_70"], "unknown target 'sm_70'; hocket compiles for sm_80, sm_90a, gfx942"),
        (
            ["kernels.py::add", "--emit", "hsaco"],
            "--emit hsaco: a kernel for sm_90a becomes hk, lane, llvm, ptx, cubin",
        ),
        (["kernels.py::add"], "--signature has 0 types for the parameters x, y, out, n"),
        (
            ["kernels.py::add", "--signature", "*f32,*f32,*f32,i32"],
            "add needs a value for BLOCK: --constexpr BLOCK=...",
        ),
        (["kernels.py::add", *ADD, "--constexpr", "B=1"], "add has no parameter B"),
        (["kernels.py::add", *ADD, "--constexpr", "BLOCK"], "--constexpr BLOCK: write NAME=VALUE"),
        (["kernels.py::add", "--signature", "*f32,*f33,*f32,i32", *ADD[2:]], "unknown type `f33`"),
        (
            ["kernels.py::add", "--signature", "*f32,*f32,*f32,i32,i32", *ADD[2:]],
            "--signature has 1 types too many: i32",
        ),
        (["kernels.py::add", *ADD, "--num-warps", "3"], "num_warps must be a power of two, not 3"),
        (["kernels.py::add", *ADD, "--num-warps", f"{2**40}"], "num_warps must fit in 32 bits, but is 1099511627776"),
        (
            ["kernels.py::typed", "--signature", "*f16", "--constexpr", "DTYPE=nope"],
            "NameError: name 'nope' is not defined",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value)[:30],
)
def test_mistakes_are_one_line(file, capsys, arguments, message):
    assert main(["compile", *arguments]) == 1
    lines = capsys.readouterr().err.removeprefix("loading\n").splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("hocket: error: ")
    assert message in lines[0]


def test_compile_errors_point_into_the_file(file, capsys):
    assert main(["compile", "kernels.py::wrong", "--signature", "*f32"]) == 1
    assert capsys.readouterr().err.removeprefix("loading\n") == textwrap.dedent("""\
        kernels.py:20:17: error: `undefined` is not defined
           20 |     gl.store(x, undefined)
              |                 ^~~~~~~~~
        """)


def test_a_file_that_cannot_be_imported(file, capsys):
    file.write_text("import no_such_module")
    assert main(["compile", "kernels.py::add"]) == 1
    assert capsys.readouterr().err == (
        "hocket: error: kernels.py cannot be imported: ModuleNotFoundError: No module named 'no_such_module'\n"
    )


def test_info(capsys):
    assert main(["info"]) == 0
    out = capsys.readouterr().out
    for expected in ("hocket     0.1.0, build ", "LLVM       22.1", "sm_90a   Hopper", "gfx950   CDNA4", "devices"):
        assert expected in out


def test_version(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert (ended.value.code, capsys.readouterr().out) == (0, f"hocket {hocket.__version__}\n")


def test_unknown_commands_show_the_usage(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["frobnicate"])
    assert caught.value.code == 2
    assert "usage: hocket" in capsys.readouterr().err


def test_the_package_is_the_command():
    result = subprocess.run([sys.executable, "-m", "hocket", "info"], capture_output=True, text=True, check=True)
    assert result.stdout.startswith("hocket ")


def test_nobody_reads_the_output():
    process = subprocess.Popen(
        [sys.executable, "-m", "hocket", "info"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait() == 141
