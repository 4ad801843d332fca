"""The `hocket` command."""

import json
import os
import pathlib
import re
import resource
import stat
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
    layout: gl.constexpr = gl.row_layout(4)
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(out + i, gl.load(x + i, mask=i < n) + gl.load(y + i, mask=i < n), mask=i < n)

@hocket.jit
def typed(out, DTYPE: gl.constexpr, SIZE: gl.constexpr = 128):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, SIZE, layout=layout)
    gl.store(out + i, i.to(DTYPE))

@hocket.jit
def wrong(x):
    gl.store(x, undefined)

@hocket.autotune([hocket.Config({"BLOCK": 64}), hocket.Config({"BLOCK": 128})])
@hocket.heuristics({"num_warps": lambda args: 4})
@hocket.jit
def tuned(out, BLOCK: gl.constexpr):
    gl.store(out + gl.arange(0, BLOCK), 1.0)
"""
ADD = ["--signature", "*f32,*f32,*f32,i32:16", "--constexpr", "BLOCK=1024"]


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "kernels.py"
    path.write_text(KERNELS)
    (tmp_path / "exits.py").write_text("raise SystemExit(7)")
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


def test_the_kernel_of_a_tuned_one_is_compiled(file, capfdbinary):
    arguments = ["--target", "sm_90a", "--signature", "*f32", "--constexpr", "BLOCK=64"]
    assert main(["compile", "kernels.py::tuned", *arguments]) == 0
    assert b".target sm_90a" in capfdbinary.readouterr().out


def test_compile_takes_descriptors(file, capfdbinary):
    file.write_text(
        file.read_text()
        + """
@hocket.jit
def size(desc, out):
    gl.store(out + gl.arange(0, 128, layout=gl.row_layout()), desc.shape[0] * desc.block_shape[1])
"""
    )
    signature = "tensordesc<bf16[128x64]>, *i32"
    assert main(["compile", "kernels.py::size", "--target", "sm_90a", "--signature", signature]) == 0
    assert b".param .align 64 .b8 size_param_0[128]" in capfdbinary.readouterr().out


def test_compile_writes_binaries(file):
    assert main(["compile", "kernels.py::add", "--target", "gfx950", *ADD, "--emit", "hsaco", "-o", "add.hsaco"]) == 0
    assert (file.parent / "add.hsaco").read_bytes()[:4] == b"\x7fELF"
    assert set(os.listdir(file.parent)) - {"__pycache__"} == {"add.hsaco", "exits.py", "kernels.py"}


def test_compile_emits_all(file, capsys):
    assert main(["compile", "kernels.py::add", "--target", "gfx950", *ADD, "--emit", "all", "-o", "out"]) == 0
    assert sorted(os.listdir("out")) == ["add.amdgcn", "add.hk", "add.hsaco", "add.lane", "add.llvm"]
    assert all(os.path.getsize(f"out/{name}") > 500 for name in os.listdir("out"))
    assert capsys.readouterr().out == ""


def test_a_file_is_written_whole_or_not_at_all(file, monkeypatch, capsys):
    """The disk is full before the last bytes are written."""
    target = pathlib.Path("add.ptx")
    target.write_text("before")
    size = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, size[1]))
    try:
        assert main(["compile", "kernels.py::add", *ADD, "-o", "add.ptx"]) == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, size)
    assert capsys.readouterr().err.endswith("hocket: error: -o add.ptx: File too large\n")
    assert target.read_text() == "before"
    assert set(os.listdir()) - {"__pycache__"} == {"add.ptx", "exits.py", "kernels.py"}


def test_devices_and_pipes_are_written_to(file, capfdbinary):
    assert main(["compile", "kernels.py::add", *ADD, "-o", "/dev/null"]) == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert main(["compile", "kernels.py::add", *ADD, "-o", "-"]) == 0
    assert b".target sm_90a" in capfdbinary.readouterr().out


def test_resources_of_amd_code(file, capsys):
    assert main(["compile", "kernels.py::add", "--target", "gfx950", *ADD, "-o", "add.s"]) == 0
    line = capsys.readouterr().err.splitlines()[-1]
    assert re.fullmatch(
        r"hocket: add for gfx950: 4 warps, 0 bytes of shared memory, \d+ registers, 0 accumulation registers, "
        r"\d+ scalar registers, 0 registers spilled, 0 scalar registers spilled",
        line,
    ), line


@pytest.mark.parametrize("emit", ["ptx", "cubin"])
def test_resources_of_nvidia_code(file, capsys, emit):
    from hocket import _core
    from hocket.runtime import compiler

    compiler.find_assembler()
    if not _core.cubin_assembler():
        pytest.skip("neither nvJitLink nor ptxas is installed")
    assert main(["compile", "kernels.py::add", *ADD, "--emit", emit, "-o", "/dev/null"]) == 0
    line = capsys.readouterr().err.splitlines()[-1]
    assert re.fullmatch(
        r"hocket: add for sm_90a: 4 warps, 0 bytes of shared memory, [1-9]\d registers, 0 stack bytes", line
    ), line


def test_maxnreg_and_num_stages_reach_the_compiler(file, capfdbinary):
    assert main(["compile", "kernels.py::add", *ADD, "--maxnreg", "40", "--num-stages", "2"]) == 0
    assert b".maxnreg 40" in capfdbinary.readouterr().out


def test_print_ir_after_a_pass(file, capsys):
    arguments = ["compile", "kernels.py::add", *ADD, "--emit", "hk", "-o", "/dev/null", "--print-ir-after"]
    assert main([*arguments, "hocket-allocate-memory"]) == 0
    printed = capsys.readouterr().err
    assert printed.count("// after ") == 1
    assert "// after hocket-allocate-memory\n#blocked" in printed
    assert main([*arguments, "all"]) == 0
    assert capsys.readouterr().err.count("// after ") > 5


def test_timing(file, capsys):
    assert main(["compile", "kernels.py::add", *ADD, "-o", "/dev/null", "--timing"]) == 0
    steps = [line.split(" ms  ")[1] for line in capsys.readouterr().err.splitlines() if " ms  " in line]
    assert steps[0] == "front end"
    assert steps[-3:] == ["optimize", "select instructions", "total"]
    assert "canonicalize" in steps and "hocket-convert-hk-to-lane" in steps


class TestJson:
    def test_of_compile(self, file, capsys):
        assert main(["compile", "kernels.py::add", "--target", "gfx950", *ADD, "--json"]) == 0
        outcome = json.loads(capsys.readouterr().out)
        assert (outcome["kernel"], outcome["target"], outcome["num_warps"]) == ("add", "gfx950", 4)
        assert outcome["shared_bytes"] == 0 and outcome["registers_spilled"] == 0 and outcome["registers"] > 0
        assert "global_load_dwordx4" in outcome["artifacts"]["amdgcn"]
        assert {"step", "seconds"} == set(outcome["seconds"]["steps"][0])

    def test_of_files(self, file, capsys):
        assert main(["compile", "kernels.py::add", *ADD, "--json", "-o", "add.ptx"]) == 0
        outcome = json.loads(capsys.readouterr().out)
        assert outcome["files"] == {"ptx": "add.ptx"}
        assert "artifacts" not in outcome

    def test_of_a_mistake_in_a_kernel(self, file, capsys):
        assert main(["compile", "kernels.py::wrong", "--signature", "*f32", "--json"]) == 2
        error = json.loads(capsys.readouterr().out)["error"]
        assert error.pop("text").startswith("kernels.py:20:17: error: ")
        assert error == {
            "kind": "CompileError",
            "file": str(file),
            "line": 20,
            "column": 17,
            "message": "`undefined` is not defined",
        }

    def test_of_a_mistake_on_the_command_line(self, file, capsys):
        assert main(["compile", "no.py::add", "--json"]) == 2
        assert json.loads(capsys.readouterr().out) == {
            "error": {"kind": "UsageError", "text": "there is no file no.py"}
        }

    def test_of_info(self, capsys):
        assert main(["info", "--json"]) == 0
        facts = json.loads(capsys.readouterr().out)
        assert facts["version"] == hocket.__version__
        assert [target["name"] for target in facts["targets"]] == ["sm_80", "sm_90a", "gfx942", "gfx950"]


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
            "--emit hsaco: the outputs for sm_90a are hk, lane, llvm, ptx, cubin, or all",
        ),
        (
            ["kernels.py::add", "--constexpr", "BLOCK=1024"],
            "--signature has 0 types for the parameters x, y, out, n\n"
            "  hint: for example --signature '*f32,*f32,*f32,i32'",
        ),
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
        (["kernels.py::add", *ADD, "--maxnreg", "1000"], "maxnreg must be from 1 to 255, not 1000"),
        (["kernels.py::add", *ADD, "--num-stages", "0"], "num_stages must be at least 1, but is 0"),
        (
            ["kernels.py::add", *ADD, "--emit", "hk", "--print-ir-after", "cleanup"],
            "--print-ir-after cleanup: no such pass was run; the passes are hocket-decide-layouts, ",
        ),
        (["kernels.py::add", *ADD, "--emit", "all"], "--emit all writes files: name a folder for them with -o"),
        (
            ["kernels.py::add", *ADD, "--emit", "all", "-o", "kernels.py"],
            "-o kernels.py: --emit all writes several files, so this must be a folder",
        ),
        (["kernels.py::add", *ADD, "-o", "no/add.ptx"], "-o no/add.ptx: No such file or directory: no"),
        (["kernels.py::add", *ADD, "-o", "."], "-o .: this is a folder; name a file in it"),
        (["kernels.py::add", *ADD, "-o", "/proc/add.ptx"], "-o /proc/add.ptx: "),
        (["exits.py::add"], "exits.py cannot be imported: SystemExit: 7"),
        (["kernels.py::add", *ADD, "--num-warps", "3"], "num_warps must be a power of two or 12, not 3"),
        (["kernels.py::add", *ADD, "--num-warps", f"{2**40}"], "num_warps must fit in 32 bits, but is 1099511627776"),
        (
            ["kernels.py::typed", "--signature", "*f16", "--constexpr", "DTYPE=nope"],
            "NameError: name 'nope' is not defined",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value)[:30],
)
def test_mistakes_are_told_without_a_traceback(file, capsys, arguments, message):
    assert main(["compile", *arguments]) == 2
    error = capsys.readouterr().err.removeprefix("loading\n")
    assert error.startswith("hocket: error: ")
    assert message in error
    assert len(error.splitlines()) == 1 + message.count("\n")


def test_compile_errors_point_into_the_file(file, capsys):
    assert main(["compile", "kernels.py::wrong", "--signature", "*f32"]) == 2
    assert capsys.readouterr().err.removeprefix("loading\n") == textwrap.dedent("""\
        kernels.py:20:17: error: `undefined` is not defined
           20 |     gl.store(x, undefined)
              |                 ^~~~~~~~~
        """)


def test_a_file_that_cannot_be_imported(file, capsys):
    file.write_text("import no_such_module")
    assert main(["compile", "kernels.py::add"]) == 2
    assert capsys.readouterr().err == (
        "hocket: error: kernels.py cannot be imported: ModuleNotFoundError: No module named 'no_such_module' "
        "(kernels.py:1)\n"
    )


def test_a_file_that_raises_names_its_line(file, capsys):
    file.write_text("import json\n\n\ndef read():\n    json.loads('{')\n\n\nread()\n")
    assert main(["compile", "kernels.py::add"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("hocket: error: kernels.py cannot be imported: JSONDecodeError: ")
    assert error.endswith("(kernels.py:5)\n")


def test_a_function_without_the_decorator(file, capsys):
    file.write_text("import hocket\n\n\ndef add(x):\n    pass\n")
    assert main(["compile", "kernels.py::add", "--report"]) == 2
    assert capsys.readouterr().err == (
        "hocket: error: add of kernels.py:4 is a function of Python, not a kernel\n"
        "  hint: write @hocket.jit above its `def`\n"
    )


def test_info(capsys):
    assert main(["info"]) == 0
    out = capsys.readouterr().out
    for expected in ("hocket     0.1.0, build ", "LLVM       22.1", "sm_90a   Hopper", "gfx950   CDNA4", "devices"):
        assert expected in out
    assert out.endswith(
        "try next, in an empty folder\n"
        "  hocket examples --all\n"
        "  hocket check ring_check.py::wrong_ring --target gfx950\n"
        "  hocket profile profiled_gemm.py::blocking_loads --explain\n"
    )


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


def test_a_closed_pipe():
    process = subprocess.Popen(
        [sys.executable, "-m", "hocket", "info"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait() == 141
