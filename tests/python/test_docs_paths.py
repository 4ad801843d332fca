"""Guides and comments name files and folders that exist."""

import pathlib
import re

import pytest

pytestmark = pytest.mark.quick

ROOT = pathlib.Path(__file__).parents[2]
GUIDES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("**/*.md"))]
#: `csrc/emulator/races`, `tests/errors/test_errors.py`; a `*` matches any name.
PATH = re.compile(r"`((?:cmake|csrc|docs|examples|python/hocket|tests|tools|tutorials)/[\w./*-]+)[`:]")
LINK = re.compile(r"\]\(([\w./-]+)\)")
#: `RingSlots.h`, `hk_to_lane/patterns/Elementwise.cpp`, in the comments of csrc.
SOURCE = re.compile(r"(?<![\w./<*-])((?:[\w-]+/)*\w+\.(?:h|cpp|td|def))(?![\w.]*\w)")
#: Files of LLVM that comments cite.
OF_LLVM = ("AMDGPU.td", "SIDefines.h", "SIInsertWaitcnts.cpp", "SISchedule.td")
#: Events for which ARCHITECTURE.md lists the steps and their files.
HAPPENINGS = (
    "a race",
    "a barrier",
    "`gl.load`",
    "a wgmma",
    "an MFMA",
    "a wait",
    "the stages of a plain loop",
    "the stages of a warp pipeline",
    "an exchange between warps",
    "the buffer",
    "a norm's variant",
    "PTX",
    "an AMD instruction",
    "a fact of one pass",
    "a launch argument",
)


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: str(guide.relative_to(ROOT)))
def test_every_path_exists(guide):
    text = guide.read_text()
    missing = [path for path in PATH.findall(text) if not any(ROOT.glob(path.rstrip("/")))]
    missing += [link for link in LINK.findall(text) if not (guide.parent / link).exists()]
    assert missing == []


def test_every_file_in_a_comment_exists():
    files = [path for path in sorted((ROOT / "csrc").rglob("*")) if path.suffix in (".h", ".cpp", ".td", ".def")]
    parts = [path.relative_to(ROOT).parts for path in files]
    known = {"/".join(path[i:]) for path in parts for i in range(len(path))} | set(OF_LLVM)
    missing = []
    for path in files:
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            comment = re.search(r"//.*", line)
            for name in SOURCE.findall(comment[0]) if comment and "#include" not in line else ():
                if name not in known and not name.startswith("llvm/") and not (ROOT / name).exists():
                    missing.append(f"{path.relative_to(ROOT)}:{number}: {name}")
    assert missing == []


def test_architecture_says_where_things_happen():
    section = (ROOT / "docs" / "ARCHITECTURE.md").read_text().split("## Where things happen")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ") and not line.startswith("| what")]
    assert len(rows) == len(HAPPENINGS)
    for row, happening in zip(rows, HAPPENINGS, strict=True):
        assert row.startswith(f"| {happening} ")
        assert PATH.search(row), row


ARCHITECTURE = (ROOT / "docs" / "ARCHITECTURE.md").read_text()


def folders_in(path):
    return {entry.name for entry in path.iterdir() if entry.is_dir() and any(entry.iterdir())}


def test_architecture_lists_the_folders_of_csrc():
    table = ARCHITECTURE.split("## The folders of csrc")[1].split("\n\n")[1]
    first_cells = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    listed = {name for cell in first_cells for name in re.findall(r"`([\w/]+)`", cell)}
    assert [name for name in listed if not (ROOT / "csrc" / name).is_dir()] == []
    assert folders_in(ROOT / "csrc") == {name.split("/")[0] for name in listed}


def test_architecture_lists_the_folders_inside():
    table = ARCHITECTURE.split("Inside the larger folders:")[1].split("\n\n")[1]
    for folder, inside in re.findall(r"^\| `(\w+)` \| (.*) \|$", table, re.MULTILINE):
        named = {name for name in re.findall(r"`(\w+)`:", inside)}
        assert named == folders_in(ROOT / "csrc" / folder), folder
