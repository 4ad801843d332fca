"""Checks the wording of the project against the glossary (docs/glossary.md).

The checked text is: comments of C++, TableGen, MLIR, Python, CMake, shell, make, YAML and TOML files; summaries and
descriptions in TableGen; docstrings; string literals that contain sentences, such as messages; and Markdown pages. Each
rule of prose_rules.py has a regular expression for the words to avoid, and a replacement. The rules of American
spelling also apply to each word of an identifier, such as the words of isSynchronized.

Usage: python tools/check_prose.py [--root ROOT] [PATH ...]
    --root    the repository (default: the one this file is in)
    PATH      files or folders (default: the whole repository)

Prints `file:line: rule: excerpt; write: replacement` for each finding. The exit status is 1 if there are findings.
"""

from __future__ import annotations

import argparse
import ast
import functools
import io
import pathlib
import re
import subprocess
import sys
import tokenize
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

from prose_rules import AMERICAN_SPELLING, NOT_OURS, RULES, Rule

ROOT = pathlib.Path(__file__).resolve().parent.parent
#: Files that are not checked: files that quote the words to avoid, the changelog, notes of experiments, and third-party
#: code.
NOT_PROSE = (
    *("docs/glossary.md", "tools/prose_rules.py", "tests/python/test_check_prose.py"),
    *("CHANGELOG.md", "docs/lab/", "third_party/"),
)


class Passage(NamedTuple):
    line: int
    text: str


def split_lines(text: str, line: int) -> list[Passage]:
    return [Passage(line + i, part) for i, part in enumerate(text.splitlines())]


def is_sentence(literal: str) -> bool:
    return len(literal) >= 25 and literal.count(" ") >= 3 and "\n" not in literal.strip()


def cpp_passages(text: str) -> list[list[Passage]]:
    """Returns the comment blocks of C++ code, and the string literals that contain sentences."""
    blocks: list[list[Passage]] = []
    current: list[Passage] = []
    for number, line in enumerate(text.splitlines(), 1):
        match = re.search(r"(?:^|[;{})\s])//+[-/!<]*\s?(.*)$", line)
        own = re.match(r"^\s*//", line)
        if match and "clang-format" not in line and "NOLINT" not in line:
            passage = Passage(number, re.sub(r"^(===.*?===|-+)\s*", "", match.group(1)))
            if own and current and current[-1].line == number - 1:
                current.append(passage)
            else:
                if current:
                    blocks.append(current)
                current = [passage]
        elif current:
            blocks.append(current)
            current = []
        code = line[: match.start()] if match else line
        if not code.lstrip().startswith("#"):
            blocks += [[Passage(number, s)] for s in re.findall(r'"((?:[^"\\]|\\.)*)"', code) if is_sentence(s)]
    return [*blocks, *([current] if current else [])]


def tablegen_passages(text: str) -> list[list[Passage]]:
    blocks = cpp_passages(text)
    for match in re.finditer(r"\[\{(.*?)\}\]", text, re.DOTALL):
        body = re.sub(r"```.*?```", lambda m: "\n" * m.group().count("\n"), match.group(1), flags=re.DOTALL)
        if ";" in body and "return" in body:
            continue  # C++ code
        blocks.append(split_lines(body, text.count("\n", 0, match.start()) + 1))
    return blocks


def python_passages(text: str) -> list[list[Passage]]:
    blocks: list[list[Passage]] = []
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return blocks
    docstrings = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)) and node.body:
            first = node.body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                docstrings.add(first.value)
                body = re.sub(r"```.*?```", lambda m: "\n" * m.group().count("\n"), first.value.value, flags=re.DOTALL)
                kept = [re.sub(r"^\s*(>>>|\.\.\.).*$", "", line) for line in body.splitlines()]
                blocks.append(split_lines("\n".join(kept), first.value.lineno))
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node not in docstrings
            and is_sentence(node.value)
        ):
            blocks.append([Passage(node.lineno, node.value)])
    current: list[Passage] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            comment = re.sub(r"^#[:!]?\s?", "", token.string)
            if comment.startswith(("noqa", "fmt:", "type:", "%%", "pyright")):
                continue
            if current and token.start[0] == current[-1].line + 1:
                current.append(Passage(token.start[0], comment))
            else:
                blocks += [current] if current else []
                current = [Passage(token.start[0], comment)]
    return [*blocks, *([current] if current else [])]


def markdown_passages(text: str) -> list[list[Passage]]:
    text = re.sub(r"```.*?```", lambda m: "\n" * m.group().count("\n"), text, flags=re.DOTALL)
    blocks: list[list[Passage]] = []
    current: list[Passage] = []
    for number, line in enumerate(text.splitlines(), 1):
        starts_item = re.match(r"^\s*([*-]|\d+\.)\s+", line)
        if not line.strip() or starts_item or line.startswith(("#", "|")):
            blocks += [current] if current else []
            current = []
        if line.strip():
            current.append(Passage(number, re.sub(r"^\s*([*-]|\d+\.|#+)\s+", "", line)))
    return [*blocks, *([current] if current else [])]


def hash_passages(text: str) -> list[list[Passage]]:
    """Returns the blocks of comment lines that begin with #, as in CMake, shell, make, YAML and TOML files."""
    blocks: list[list[Passage]] = []
    last = 0
    for number, line in enumerate(text.splitlines(), 1):
        if match := re.match(r"^\s*#+(?!!)\s?(.*)$", line):
            if blocks and last == number - 1:
                blocks[-1].append(Passage(number, match.group(1)))
            else:
                blocks.append([Passage(number, match.group(1))])
            last = number
    return blocks


def mlir_passages(text: str) -> list[list[Passage]]:
    """Returns the comment blocks of MLIR, without the directives of lit, FileCheck and mlir-opt -verify-diagnostics."""
    for_tools = re.compile(r"//\s*(?:[A-Z][A-Z0-9_-]*(?:\{[A-Z#, ]+\})?:|expected-|-----|@expected)")
    return cpp_passages("\n".join("" if for_tools.search(line) else line for line in text.splitlines()))


READERS = {
    ".cpp": cpp_passages,
    ".h": cpp_passages,
    ".c": cpp_passages,
    ".def": cpp_passages,
    ".td": tablegen_passages,
    ".mlir": mlir_passages,
    ".test": mlir_passages,
    ".py": python_passages,
    ".pyi": python_passages,
    ".md": markdown_passages,
    ".sh": hash_passages,
    ".cmake": hash_passages,
    ".yml": hash_passages,
    ".yaml": hash_passages,
    ".toml": hash_passages,
    "CMakeLists.txt": hash_passages,
    "Makefile": hash_passages,
    "CMakePresets.json": lambda text: [],  # spelling only
    "run": hash_passages,
}


def reader_of(path: str) -> Callable[[str], list[list[Passage]]] | None:
    name = pathlib.PurePath(path)
    return READERS.get(name.suffix) or READERS.get(name.name)


class Finding(NamedTuple):
    path: str
    line: int
    rule: Rule
    excerpt: str


def check_text(path: str, text: str) -> list[Finding]:
    findings = []
    in_markdown = path.endswith(".md")
    reader = reader_of(path)
    for block in reader(text) if reader else []:
        for i, passage in enumerate(block):
            plain = re.sub(r"`[^`]*`", "`code`", passage.text)
            for each in RULES:
                if each.opens:
                    if i == 0 and not in_markdown and (match := each.pattern.match(plain.lstrip())):
                        findings.append(Finding(path, passage.line, each, plain.strip()[:100]))
                elif match := each.pattern.search(plain):
                    start = max(0, match.start() - 30)
                    findings.append(Finding(path, passage.line, each, plain[start : match.end() + 30].strip()))
    return findings


def words_of(name: str) -> str:
    """Returns the words of an identifier, separated by spaces: "is Synchronized" for isSynchronized."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_|(?<=[a-zA-Z])(?=[0-9])", " ", name)


@functools.cache
def spelling_rule(name: str) -> Rule | None:
    """Returns the first rule of American spelling that a word of the identifier `name` breaks; None if it breaks no
    rule."""
    return next((rule for rule in AMERICAN_SPELLING if rule.pattern.search(words_of(name))), None)


def check_spelling(path: str, text: str) -> list[Finding]:
    """Returns a finding for each word or identifier in `text` that breaks a rule of American spelling."""
    text = NOT_OURS.sub("", text)
    findings = []
    for name in sorted(filter(spelling_rule, set(re.findall(r"\w+", text)))):
        for match in re.finditer(rf"\b{name}\b", text):
            findings.append(Finding(path, text.count("\n", 0, match.start()) + 1, spelling_rule(name), name))
    return findings


def check_file(root: pathlib.Path, path: str) -> list[Finding]:
    """Returns the findings in a file: of all rules in comments and other prose, of spelling in all lines. A line has at
    most one finding per rule."""
    text = (root / path).read_text()
    first: dict[tuple[int, Rule], Finding] = {}
    for finding in (*check_text(path, text), *check_spelling(path, text)):
        first.setdefault((finding.line, finding.rule), finding)
    return list(first.values())


def files_under(root: pathlib.Path, paths: list[str]) -> list[str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *(paths or ["."])]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.split("\n")
    return [name for name in listed if reader_of(name) and not name.startswith(NOT_PROSE) and (root / name).exists()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("paths", nargs="*")
    arguments = parser.parse_args()
    names = files_under(arguments.root, arguments.paths)
    with ProcessPoolExecutor() as pool:
        files = pool.map(functools.partial(check_file, arguments.root), names, chunksize=32)
        findings = [finding for file in files for finding in file]
    for finding in findings:
        position = f"{finding.path}:{finding.line}"
        print(f"{position}: {finding.rule.name}: {finding.excerpt!r}; write: {finding.rule.instead}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
