"""`hocket examples [NAME ...]`: the example programs that come with the package."""

from __future__ import annotations

import argparse
import ast
import difflib
import pathlib

from .kernel_files import UsageError

DESCRIPTION = """\
List the example programs that come with Hocket, or copy some of them into a folder, to run, change and pass to the
other commands. Without NAME it prints the list.
"""

EPILOG = """\
examples
  hocket examples
  hocket examples vector_add
  hocket examples --all --to hocket_examples
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", metavar="NAME", nargs="*", help="an example of the list")
    parser.add_argument("--all", action="store_true", help="copy every example")
    parser.add_argument("--to", metavar="FOLDER", default=".", help="the folder of the copies (default: this folder)")
    parser.add_argument("--force", action="store_true", help="overwrite files that differ from the example")


def run(arguments: argparse.Namespace) -> int:
    """Prints the list of examples, or copies the named examples. Returns the exit status."""
    known = example_files()
    if not arguments.names and not arguments.all:
        print(_list_text(known))
        return 0
    for name in arguments.names:
        if name.removesuffix(".py") not in known:
            near = difflib.get_close_matches(name, known, n=1)
            advice = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise UsageError(f"there is no example {name}: {advice}")
    names = list(known) if arguments.all else [name.removesuffix(".py") for name in dict.fromkeys(arguments.names)]
    _copy({name: known[name] for name in names}, pathlib.Path(arguments.to), arguments.force)
    return 0


def example_files() -> dict[str, pathlib.Path]:
    """Returns the file of each example by name, from the installed package or from the repository that contains this
    module."""
    package = pathlib.Path(__file__).resolve().parents[1]
    for folder in (package / "examples", package.parents[1] / "examples"):
        if found := {path.stem: path for path in sorted(folder.glob("*.py"))}:
            return found
    raise UsageError(f"{package} is installed without its examples: reinstall Hocket")


def _list_text(files: dict[str, pathlib.Path]) -> str:
    width = max(map(len, files)) + 2
    lines = [f"{name:<{width}}{_summary(path)}" for name, path in files.items()]
    return "\n".join([*lines, "", "hocket examples NAME copies one into this folder."])


def _summary(path: pathlib.Path) -> str:
    """Returns the first sentence of an example's docstring."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split()).partition(". ")[0].rstrip(".:")


def _copy(files: dict[str, pathlib.Path], folder: pathlib.Path, overwrites: bool) -> None:
    texts = {folder / path.name: path.read_bytes() for path in files.values()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        changed = [path for path, text in texts.items() if path.exists() and path.read_bytes() != text]
        if changed and not overwrites:
            raise UsageError(f"{changed[0]} exists and differs from the example: --force overwrites it")
        for path, text in texts.items():
            path.write_bytes(text)
            print(f"wrote {path}")
    except OSError as error:
        raise UsageError(f"cannot write {error.filename}: {error.strerror}") from None
