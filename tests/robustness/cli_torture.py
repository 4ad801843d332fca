"""Random signatures and options through `hocket compile` and `hocket check`.

    python tests/robustness/cli_torture.py 10000 [SEED]

Every command must end with status 0, 1 or 2 and without a traceback. They run in children, some tens in each, so that
one that crashes or hangs is found and the others go on.
"""

from __future__ import annotations

import collections
import contextlib
import io
import os
import pathlib
import random
import signal
import sys
import tempfile
import time
import traceback

KERNELS = """\
import hocket
from hocket import language as gl

@hocket.jit
def add(x, y, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [gl.num_lanes()], [gl.num_warps()], [0])
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
MOST_PER_CHILD = 25
PATIENCE_SECONDS = 300


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


def draw_command(draw: random.Random) -> list[str]:
    kernel = draw.choice(list(PARAMETERS))
    command = draw.choice(["compile", "compile", "check"])
    name = kernel if draw.random() < 0.97 else draw.choice(["", "main", "gl", "add.fn"])
    arguments = [command, f"kernels.py::{name}"]
    arguments += ["--target", draw.choice(["sm_80", "sm_90a", "gfx942", "gfx950"] * 5 + TEXTS[:1])]
    arguments += ["--signature", draw_signature(draw, kernel, command == "check")]
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
    else:
        arguments += ["--schedules", str(draw.choice([1] * 9 + [2, 0]))]
        options += [("--grid", ["1", "2", "2,2", "0", "-1", "1,1,1,1", "99999999999", "x"])]
        options += [("--seed", NUMBERS), ("--tolerance", ["0", "1e-3", "nan", "-1", "inf"]), ("--threads", [1, 2, -1])]
    for option, values in options:
        if draw.random() < 0.15:
            arguments.append(f"{option}={draw.choice(values)}")
    arguments += [flag for flag in ("--json", "--debug", "--timing") if draw.random() < 0.1]
    return arguments


def run_command(arguments: list[str]) -> str:
    """The exit status, or "traceback"."""
    from hocket.cli import main

    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):
        try:
            return str(main(arguments))
        except SystemExit as ended:  # argparse
            return str(ended.code)
        except BaseException:
            print(*map(repr, arguments), traceback.format_exc(), sep="\n", file=sys.__stderr__, flush=True)
            return "traceback"


def run_in_child(commands: list[list[str]]) -> list[str]:
    """What became of each; "crashed" or "hung" for one that ended the child, which ends the list."""
    results, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        for command in commands:
            signal.alarm(PATIENCE_SECONDS)
            os.write(theirs, run_command(command).encode() + b"\n")
        os._exit(0)
    os.close(theirs)
    with open(results) as lines:
        outcomes = lines.read().split()
    _, status = os.waitpid(child, 0)
    if status != 0:
        outcomes.append("hung" if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM else "crashed")
        print(outcomes[-1], *map(repr, commands[len(outcomes) - 1]), file=sys.stderr, flush=True)
    return outcomes


def run(count: int, seed: int = 0) -> collections.Counter[str]:
    """How many commands ended how."""
    import hocket.cli  # noqa: F401  children share what is imported
    from hocket import _core  # noqa: F401

    draw = random.Random(seed)
    outcomes: collections.Counter[str] = collections.Counter()
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "kernels.py").write_text(KERNELS)
        os.chdir(folder)
        try:
            commands = [draw_command(draw) for _ in range(count)]
            while commands:
                found = run_in_child(commands[:MOST_PER_CHILD])
                outcomes.update(found)
                del commands[: len(found)]
        finally:
            os.chdir(before)
    return outcomes


def main() -> int:
    begin = time.monotonic()
    outcomes = run(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    print(f"{dict(outcomes)} in {time.monotonic() - begin:.0f} s")
    return bool(outcomes.keys() - {"0", "1", "2"})


if __name__ == "__main__":
    sys.exit(main())
