"""README.md as a new user follows it: a wheel in a fresh virtual environment, then every command and program in order.

The wheel is packed as pyproject.toml says from the module of this checkout (tools/dev_wheel.py); nothing is compiled.
Commands run in one shell, in a folder that is empty except for the wheel. Output that the page shows must be what they
print; a line `...` matches any lines, and `...` within a line any text.
"""

import ast
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

import pytest
from built_tools import needs_module

from hocket.cli import info_command

ROOT = pathlib.Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
BLOCK = re.compile(r'^( *)```(\w+)(?: title="([\w.]+)")?\n(.*?)^\1```$', re.MULTILINE | re.DOTALL)
#: Kind, name of the file, text and section of each fenced block.
BLOCKS = [
    (match[2], match[3], textwrap.dedent(match[4]), re.findall(r"^## (.*)", README[: match.start()], re.MULTILINE)[-1:])
    for match in BLOCK.finditer(README)
]
PROGRAMS = {name: text for _, name, text, _ in BLOCKS if name}

#: The functions of PyTorch that the first program calls, by NumPy: its arrays go to the emulator.
STAND_IN = """\
import numpy

empty_like = numpy.empty_like


def randn(*shape, device):
    assert device == "cuda"
    return numpy.random.default_rng(0).standard_normal(shape, dtype=numpy.float32)
"""


def commands_of(text):
    """(command, the output that the page shows, or None) of a console block."""
    found = []
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        found.append((command, output or None))
    return found


def all_commands():
    """Returns the commands of the page, with those of the installation first, because earlier ones need it."""
    consoles = [(section == ["Install"], text) for kind, _, text, section in BLOCKS if kind == "console"]
    ordered = [text for first, text in consoles if first] + [text for first, text in consoles if not first]
    return [pair for text in ordered for pair in commands_of(text)]


def run_in_one_shell(commands, folder, environment):
    """Output and exit status of each command."""
    script = "".join(f"printf '\\036'\n{{ {command}\n}} 2>&1\nprintf '\\037%d' $?\n" for command in commands)
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    parts = [part.rpartition("\037") for part in done.stdout.split("\036")[1:]]
    return [(output, int(status)) for output, _, status in parts]


def matches(shown, printed):
    lines = [re.escape(line).replace(r"\.\.\.", ".*") + r"\n" for line in shown.splitlines()]
    pattern = "".join(r"(?:.*\n)*?" if line == r".*\n" else line for line in lines)
    return re.fullmatch(pattern, printed if printed.endswith("\n") else printed + "\n") is not None


def fresh_environment(tmp_path, **more):
    """Returns the environment of a user with this Python and without this checkout."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    path = os.pathsep.join([os.path.dirname(sys.executable), kept["PATH"]])
    return {**kept, "PATH": path, "HOCKET_CACHE_DIR": str(tmp_path / "cache"), **more}


@needs_module
@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_everything_on_the_page_works(tmp_path):
    folder, environment = tmp_path / "user", fresh_environment(tmp_path)
    folder.mkdir()
    subprocess.run([sys.executable, ROOT / "tools" / "dev_wheel.py", folder], check=True, capture_output=True)
    commands = all_commands()
    assert [command for command, _ in commands[:2]] == [
        "python3 -m venv hocket-env && . hocket-env/bin/activate",
        "pip install hocket-*.whl",
    ]
    program = PROGRAMS["add.py"]
    assert program.count("1 << 28") == 1
    (folder / "add.py").write_text(program.replace("1 << 28", "1 << 14"))  # the emulator is slower than a GPU
    (tmp_path / "stand_in").mkdir()
    (tmp_path / "stand_in" / "torch.py").write_text(STAND_IN)
    last = [
        (f"PYTHONPATH={tmp_path / 'stand_in'} python add.py", "... GB/s\n"),
        ("hocket info", f"...\ntry next, in an empty folder\n{textwrap.indent(NEXT, '  ')}\n"),
        *((command, None) for command in NEXT.splitlines()),
        ("python -c 'import hocket; print(hocket.__file__)'", f"{folder}/hocket-env/...\n"),
    ]
    results = run_in_one_shell([command for command, _ in commands + last], folder, environment)
    assert len(results) == len(commands + last)
    for (command, shown), (printed, status) in zip(commands + last, results, strict=True):
        fails = "error:" in (shown or "") or "wrong_ring" in command
        assert bool(status) == fails, f"{command}\n{printed}"
        assert shown is None or matches(shown, printed), f"{command}\n{printed}"


NEXT = "\n".join(info_command._NEXT)


def test_the_page_is_short():
    assert len(README.splitlines()) <= 150
    assert "hocket" in README.splitlines()[-1]  # the story of the name comes last


def test_blocks_are_of_known_kinds():
    kinds = [kind for kind, *_ in BLOCKS]
    assert set(kinds) == {"text", "console", "python"}
    assert kinds.count("console") >= 4
    assert set(PROGRAMS) == {"add.py", "ready.py"}


def test_operators_of_pytorch_exist():
    """Checks names without importing PyTorch, which may be missing."""
    used = set(re.findall(r"\bht\.(\w+)", PROGRAMS["ready.py"]))
    tree = ast.parse((ROOT / "python" / "hocket" / "torch" / "__init__.py").read_text())
    [public] = [ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign)]
    assert used
    assert used <= set(public)


@pytest.mark.parametrize("name, printed", [("add.py", r"\d+ GB/s\n"), ("ready.py", "")])
def test_programs_run_on_a_gpu(name, printed, tmp_path):
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("needs a GPU")
    (tmp_path / name).write_text(PROGRAMS[name])
    done = subprocess.run([sys.executable, name], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(printed, done.stdout), done.stdout


@pytest.mark.parametrize(
    "shown, printed, expected",
    [
        ("a\n", "a\n", True),
        ("a\n", "b\n", False),
        ("...\nb\n", "1\n2\nb\n", True),
        ("a\n...\n", "a\n", True),
        ("a\n", "a\nb\n", False),
        ("at 0x..., 4\n", "at 0x12ef, 4\n", True),
        ("(1\n", "(1\n", True),
    ],
)
def test_how_outputs_are_compared(shown, printed, expected):
    assert matches(shown, printed) is expected
