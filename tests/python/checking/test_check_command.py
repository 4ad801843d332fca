"""`hocket check`: kernels and functions of a file, the exit status, and mistakes on the command line."""

import json
import pathlib
import sys

import checked
import pytest

from hocket.cli import main

FOLDER = pathlib.Path(checked.__file__).parent
EXAMPLES = FOLDER.parents[2] / "examples"
ADD = ["--signature", "*f32[999],*f32[999],*f32[999],i32=999", "--constexpr", "BLOCK=256", "--grid", "4"]


@pytest.fixture(autouse=True)
def in_this_folder(monkeypatch):
    monkeypatch.chdir(FOLDER)
    monkeypatch.setattr(sys, "path", list(sys.path))


def test_the_right_ring_of_the_example(capsys):
    assert main(["check", f"{EXAMPLES}/ring_check.py::right_ring", "--target", "gfx950", "--schedules", "200"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("right_ring: 200 schedules, 0 races, 0 deadlocks, 0 divergences\n")
    assert "1 result (1 returned array or number, compared bit by bit)\n" in out


def test_the_wrong_ring_of_the_example(capsys):
    assert main(["check", f"{EXAMPLES}/ring_check.py::wrong_ring", "--target", "gfx950", "--schedules", "20"]) == 1
    captured = capsys.readouterr()
    assert captured.out.startswith("wrong_ring: 20 schedules, 1 race\n\nrace in 20 of 20 schedules, first under ")
    assert "read of `buffers` while the asynchronous copy of line" in captured.out
    assert captured.err == ""


def test_the_pipelines_of_the_example(capsys):
    arguments = ["--target", "gfx950", "--schedules", "20"]
    assert main(["check", f"{EXAMPLES}/pipeline_check.py::right_end", *arguments]) == 0
    capsys.readouterr()
    assert main(["check", f"{EXAMPLES}/pipeline_check.py::early_end", *arguments]) == 1
    out = capsys.readouterr().out
    assert out.startswith("early_end: 20 schedules, 1 race\n\nrace in 20 of 20 schedules, first under ")
    assert ', warp 0, lane 0, in stage "read"\n' in out


def test_a_kernel(capsys):
    assert main(["check", f"{EXAMPLES}/vector_add.py::add", "--schedules", "6", *ADD]) == 0
    out = capsys.readouterr().out
    assert "add: 6 schedules, 0 races" in out
    assert "on sm_90a, 4 blocks of 4 warps" in out
    assert "3 returned arrays and numbers" in out


def test_a_kernel_that_races(capsys):
    arguments = ["check", "checked.py::reverse", "--target", "gfx950", "--signature", "*f32[256],*f32[4x64]"]
    assert main([*arguments, "--constexpr", "RELAXED=True", "--fail-fast"]) == 1
    assert capsys.readouterr().out.startswith("reverse: 1 schedule, 1 race\n")
    assert main([*arguments, "--constexpr", "RELAXED=False", "--schedules", "3"]) == 0


def test_every_type_of_a_signature():
    from hocket.cli.kernel_arguments import arguments_of

    names = ["a", "b", "c", "d", "e", "f"]
    make = arguments_of(names, "*f16[2x3], *u8[5], *i1[4], i64=-7, f32=0.5, None", "")
    values = make()
    assert [values[name].dtype.name for name in "abc"] == ["float16", "uint8", "bool"]
    assert [values[name].shape for name in "abc"] == [(2, 3), (5,), (4,)]
    assert [values[name] for name in "def"] == [-7, 0.5, None]
    assert (make()["a"] == values["a"]).all()
    assert make()["a"] is not values["a"]


def test_divergence_and_tolerance(capsys):
    arguments = ["check", "checked.py::sum_by_atomics", "--target", "gfx950", "--schedules", "20"]
    assert main(arguments) == 1
    assert main([*arguments, "--tolerance", "1e-5"]) == 0
    assert "compared within 1e-05 of an array's largest value" in capsys.readouterr().out


def test_one_seed_again(capsys):
    arguments = ["check", "checked.py::flag_that_nobody_sets", "--target", "gfx950"]
    assert main([*arguments, "--fail-fast"]) == 1
    first = capsys.readouterr().out
    seed = first.partition("seed=")[2].partition(",")[0]
    assert main([*arguments, "--seed", seed, "--schedules", "1"]) == 1
    assert f"first under hocket.emulator.schedule(seed={seed}," in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["checked.py"], "checked.py: write the file and the function as FILE.py::FUNCTION"),
        (["other.py::f"], "there is no file other.py"),
        (
            [f"{EXAMPLES}/vector_add.py::sub"],
            f"{EXAMPLES}/vector_add.py has no function sub; it has the functions main and the kernels add",
        ),
        (
            ["checked.py::with_a_barrier", "--target", "sm_70"],
            "unknown target 'sm_70'; hocket compiles for sm_80, sm_90a, gfx942, gfx950",
        ),
        (["checked.py::with_a_barrier", "--schedules", "0"], "schedules must be at least 1, not 0"),
        (
            ["checked.py::with_a_barrier", "--grid", "4"],
            "--grid is for a kernel; with_a_barrier is a Python function",
        ),
        (
            ["checked.py::needs_arguments"],
            "needs_arguments() is called without arguments, but needs size, slots",
        ),
        (
            ["checked.py::returns_nothing", "--target", "gfx950"],
            "returns_nothing() returns nothing to compare: return the arrays that its kernels write",
        ),
        (["checked.py::launches_too_much", "--target", "gfx950"], "a grid has one to three extents, not 4"),
        (
            ["checked.py::fails"],
            "fails() raised IndexError: index 4 is out of bounds for axis 0 with size 3 (checked.py:LINE)",
        ),
        ([f"{EXAMPLES}/vector_add.py::add", *ADD[:2]], "add needs a value for BLOCK: --constexpr BLOCK=..."),
        ([f"{EXAMPLES}/vector_add.py::add", *ADD, "--constexpr", "B=1"], "add has no parameter B"),
        (
            [f"{EXAMPLES}/vector_add.py::add", *ADD[2:]],
            "--signature has 0 types for the parameters x, y, out, n\n"
            "  hint: for example --signature '*f32[1024],*f32[1024],*f32[1024],i32=1024'",
        ),
        (
            [f"{EXAMPLES}/vector_add.py::add", "--signature", "*f32,*f32,*f32,i32", *ADD[2:]],
            "*f32: to check a kernel, give arrays a shape, as in *f32[64x128], and numbers a value, i32=64",
        ),
        (
            [f"{EXAMPLES}/vector_add.py::add", "--signature", "*f33[9],*f32[9],*f32[9],i32=9", *ADD[2:]],
            "*f33[9]: unknown type f33; there are i1, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64, bf16, f8e5, "
            "f8e4nv",
        ),
        (
            [f"{EXAMPLES}/vector_add.py::add", "--signature", "*f32[9],*f32[9],*f32[9],i8=999", *ADD[2:]],
            "i8=999: 999 does not fit i8",
        ),
        (
            [f"{EXAMPLES}/vector_add.py::add", "--signature", "*f32[9],*f32[9],*f32[9],i32=n", *ADD[2:]],
            "i32=n: n is not a number of type i32",
        ),
        (
            [f"{EXAMPLES}/vector_add.py::add", *ADD[:4], "--grid", "4,0"],
            "--grid 4,0: write one to three positive numbers, as in 4 or 4,2",
        ),
        (
            [f"{EXAMPLES}/vector_add.py::add", *ADD, "--num-warps", "3"],
            "num_warps must be a power of two or 12, not 3",
        ),
    ],
    ids=lambda value: "" if isinstance(value, str) else " ".join(map(str, value)).rpartition("/")[2][:40],
)
def test_mistakes_are_told_without_a_traceback(capsys, arguments, message):
    line = next(n for n, text in enumerate(open(checked.__file__), 1) if "np.zeros(3)[4]" in text)
    message = message.replace("LINE", str(line))
    assert main(["check", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.err == f"hocket: error: {message}\n"
    assert captured.out == ""


def test_compile_errors_point_into_the_file(capsys):
    assert main(["check", "checked.py::does_not_compile"]) == 2
    line = next(n for n, text in enumerate(open(checked.__file__), 1) if "undefined" in text)
    assert capsys.readouterr().err.startswith(f"checked.py:{line}:19: error: `undefined` is not defined\n")


def test_an_interruption_names_the_schedule(capsys):
    assert main(["check", "checked.py::interrupted", "--target", "gfx950", "--seed", "3"]) == 130
    assert capsys.readouterr().err.endswith(
        'hocket: interrupted under hocket.emulator.schedule(seed=3, completion="late", threads=1)\n'
    )


def test_json(capsys):
    arguments = ["check", "checked.py::reverse", "--target", "gfx950", "--signature", "*f32[256],*f32[4x64]", "--json"]
    assert main([*arguments, "--constexpr", "RELAXED=True", "--schedules", "2"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["name"], report["ok"], report["schedules"]) == ("reverse", False, 2)
    [finding] = report["findings"]
    assert (finding["kind"], finding["schedules"], finding["file"]) == ("race", 2, str(FOLDER / "checked.py"))
    assert finding["first"] == {"seed": 0, "completion": "late", "threads": 1}
    assert finding["text"].startswith("checked.py:")
    assert main([*arguments, "--constexpr", "RELAXED=False", "--schedules", "2"]) == 0
    assert json.loads(capsys.readouterr().out)["findings"] == []
    assert main(["check", "checked.py::does_not_compile", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["kind"] == "CompileError"
