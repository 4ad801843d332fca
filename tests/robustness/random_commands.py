"""Random signatures and options through `hocket compile`, `check` and `profile`, and files through the report of
`hocket.compat`: status 0, 1 or 2, and no traceback."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import pathlib
import random
import shlex
import tempfile
import traceback

import forked
from campaign import Part

KERNELS = """\
import hocket
from hocket import language as gl

@hocket.jit
def add(x, y, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(out + i, gl.load(x + i, mask=i < n) + gl.load(y + i, mask=i < n), mask=i < n)

@hocket.jit
def total(x, out, rows, columns, scale, ROWS: gl.constexpr, COLUMNS: gl.constexpr = 32):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, gl.num_lanes()], [gl.num_warps(), 1], [1, 0])
    row = gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))[:, None]
    column = gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, layout))[None, :]
    tile = gl.load(x + row * columns + column, mask=(row < rows) & (column < columns), other=0)
    gl.store(out + gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout)), gl.sum(tile, axis=1) * scale)
"""
#: Files that the report of hocket.compat reads besides the kernels.
FILES = {
    "gluon.py": b"from triton.experimental import gluon\nfrom triton.experimental.gluon import language as gl\n\n"
    b"@gluon.jit\ndef copy(x, n: gl.constexpr):\n    for i in range(n):\n        gl.store(x + i, gl.load(x).nope())\n",
    "torn.py": b"import triton.language as tl\n@triton.jit\ndef torn(x",
    "bytes.py": b"\xff\xfe\x00import triton",
    "deep.py": b"import triton\nx = " + b"(" * 150 + b"triton.cdiv(1, 2)" + b")" * 150,
    "names.py": b"import triton.language as a, triton as b\nprint(a.b.c.d(b.runtime.x), b.language.nope.dot, a[b])",
}
PARAMETERS = {"add": ["x", "y", "out", "n"], "total": ["x", "out", "rows", "columns", "scale"]}
CONSTEXPRS = {"add": ["BLOCK"], "total": ["ROWS", "COLUMNS"]}

TYPES = "i1 i8 i16 i32 i64 u8 u16 u32 u64 f8e5 f8e4nv f16 bf16 f32 f64 i128 f33 void".split()
NUMBERS = [0, 1, 2, 3, 16, 64, 128, 1000, 1024, 4096, -1, 2**31 - 1, 2**31, 2**32, 2**63, 2**64, 10**30]
TEXTS = [
    "",
    "None",
    "True",
    "1.5",
    "gl.float32",
    "x",
    "[1]",
    "'a'",
    "1/0",
    "()",
    "lambda: 1",
    "import os",
    "\\x00",
    "é",
]


CPU_SECONDS = 120  # LLVM takes 20 s and more for the largest tiles


def draw_type(draw: random.Random) -> str:
    return draw.choice(
        [
            lambda: f"*{draw.choice(TYPES)}",
            lambda: f"*{draw.choice(TYPES)}:{draw.choice(NUMBERS)}",
            lambda: f"*{draw.choice(TYPES)}[{draw.choice(NUMBERS[:9])}]",
            lambda: f"*{draw.choice(TYPES)}[{draw.choice(NUMBERS[:6])}x{draw.choice(NUMBERS[:6])}]",
            lambda: draw.choice(TYPES),
            lambda: f"{draw.choice(TYPES)}:{draw.choice(NUMBERS)}",
            lambda: f"{draw.choice(TYPES)}={draw.choice([*NUMBERS, *TEXTS])}",
            lambda: draw.choice(TEXTS),
            lambda: "".join(draw.choices("*fiu1368[]x:=-,. bN", k=draw.randrange(8))),
        ]
    )()


def draw_signature(draw: random.Random, kernel: str, for_check: bool) -> str:
    """Mostly one that fits, with a mistake or two."""
    size = draw.choice([64, 256])
    fits = (
        {"add": f"*f32[{size}],*f32[{size}],*f32[{size}],i32={size}", "total": "*f32[8x32],*f32[8],i32=8,i32=32,f32=2"}
        if for_check
        else {"add": "*f32,*f32,*f32,i32", "total": "*f16,*f32,i32,i32:16,f32"}
    )[kernel].split(",")
    for _ in range(draw.choice([0, 0, 0, 1, 1, 2, 5])):
        fits[draw.randrange(len(fits))] = draw_type(draw)
    if draw.random() < 0.1:
        fits.insert(draw.randrange(len(fits) + 1), draw_type(draw))
    return ",".join(fits[: draw.choice([len(fits)] * 9 + [2])])


def draw_report(draw: random.Random) -> list[str]:
    files = draw.choices(
        [*FILES, "kernels.py", "no.py", ".", "", "/dev/null", "--emulate", "sm_80"], k=draw.randrange(4)
    )
    return ["compat", "--report", *files] if draw.random() < 0.9 else ["compat", "--repot", *files]


def draw_profile_options(draw: random.Random) -> list[str]:
    choices = {
        "--units": ["warp", "group", "cta", "block"],
        "--buffer": ["auto", "smem", "device", "static", "shared"],
        "--policy": ["circular", "keep_first", ""],
        "--overflow": ["drop", "flush", "spill"],
        "--clock": [32, 44, 64],
        "--bytes": NUMBERS,
        "--select": ["0", "0,1", "3", "64", "-1", ",", "x", "0,0"],
        "--block": NUMBERS,
        "--max-blocks": NUMBERS[:9],
        "--out": [".", "no", "kernels.py", ""],
        "--grid": ["1", "2", "2,2", "0", "-1", "x"],
    }
    options = [f"{name}={draw.choice(values)}" for name, values in choices.items() if draw.random() < 0.2]
    return options + [flag for flag in ("--no-stages", "--explain", "--json") if draw.random() < 0.2]


def draw_command(draw: random.Random) -> list[str]:
    if draw.random() < 0.1:
        return draw_report(draw)
    kernel = draw.choice(list(PARAMETERS))
    command = draw.choice(["compile", "compile", "compile", "check", "profile"])
    name = kernel if draw.random() < 0.97 else draw.choice(["", "main", "gl", "add.fn"])
    arguments = [command, f"kernels.py::{name}"]
    arguments += ["--target", draw.choice(["sm_80", "sm_90a", "gfx942", "gfx950"] * 5 + TEXTS[:1])]
    arguments += ["--signature", draw_signature(draw, kernel, command != "compile")]
    for constexpr in CONSTEXPRS[kernel]:
        if draw.random() < 0.95:
            value = draw.choice([8, 16, 32, 64, 128, 256] * 3 + [draw.choice(NUMBERS), draw.choice(TEXTS)])
            arguments += ["--constexpr", f"{constexpr}={value}"]
    options = [("--num-warps", [1, 2, 4, 8, 16, 64, *NUMBERS])]
    if command == "compile":
        options += [
            ("--emit", ["hk", "lane", "llvm", "ptx", "amdgcn", "all", "cu"]),
            ("--maxnreg", NUMBERS),
            ("--num-stages", NUMBERS),
            ("--print-ir-after", ["all", "cse", "none"]),
            ("-o", ["out", "/dev/null", "no/out", ".", "-", "/proc/out"]),
        ]
    elif command == "profile":
        arguments += draw_profile_options(draw)
    else:
        arguments += ["--schedules", str(draw.choice([1] * 9 + [2, 0]))]
        options += [("--grid", ["1", "2", "2,2", "0", "-1", "1,1,1,1", "99999999999", "x"])]
        options += [("--seed", NUMBERS), ("--tolerance", ["0", "1e-3", "nan", "-1", "inf"]), ("--threads", [1, 2, -1])]
    for option, values in options:
        if draw.random() < 0.15:
            arguments.append(f"{option}={draw.choice(values)}")
    flags = ["--json", "--debug", "--timing", "--report"]
    arguments += [flag for flag in flags if draw.random() < 0.1]
    return arguments


def command_of(seed: int) -> list[str]:
    return draw_command(random.Random(seed))


def run_command(arguments: list[str]) -> tuple[str, str]:
    """Returns the exit status and the text of stderr; "traceback" for a status that no command may have."""
    from hocket import cli

    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):
        try:
            if arguments[0] == "compat":
                return str(importlib.import_module("hocket.compat.__main__").main(arguments[1:])), said.getvalue()
            return str(cli.main(arguments)), said.getvalue()
        except SystemExit as ended:  # argparse
            return str(ended.code), said.getvalue()
        except BaseException:
            return "traceback", traceback.format_exc()


def try_command(seed: int) -> tuple[str, str] | None:
    status, said = run_command(command_of(seed))
    if status in ("0", "1", "2"):
        return None
    return "wrong", f"{status}: {said.strip().splitlines()[-1] if said.strip() else ''}\n{said}"


def describe(seed: int) -> str:
    return f"hocket {shlex.join(command_of(seed))}\n"


@contextlib.contextmanager
def folder_of_kernels():
    """Commands name their file, and some write one, in the current folder."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "kernels.py").write_text(KERNELS)
        for name, content in FILES.items():
            pathlib.Path(folder, name).write_bytes(content)
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def run_batch(seeds):
    import hocket.cli  # noqa: F401  children share what is imported
    from hocket import _core  # noqa: F401

    with folder_of_kernels():
        return forked.try_all(seeds, try_command, describe, CPU_SECONDS)


PART = Part("random-commands", long=10_000, quick=25, batch=25, run=run_batch)
