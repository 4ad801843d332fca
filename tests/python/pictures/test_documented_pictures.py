"""tools/draw_pictures.py draws the pictures that the documentation shows."""

import pathlib
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from picture_contents import Contents, overlapping

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictures")
    command = [sys.executable, str(ROOT / "tools" / "draw_pictures.py"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize(("name", "rows"), [("warp_pipeline.svg", 8), ("leapfrogging.svg", 8)])
def test_pictures_of_kernels(drawn, name, rows):
    svg = (drawn / name).read_text(encoding="utf-8")
    texts = [text.text for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert sum(text.startswith("warp ") for text in texts) == rows
    assert overlapping(Contents.of(svg).texts) == []
