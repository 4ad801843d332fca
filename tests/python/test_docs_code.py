"""The code in the guides that teach runs as it stands, on the emulator. That of README.md: test_readme.py."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
#: Page -> how many of its first blocks are one program.
PAGES = {"docs/language.md": 3}


@pytest.mark.parametrize("page", PAGES)
def test_code_runs(page, tmp_path):
    blocks = BLOCK.findall((ROOT / page).read_text())[: PAGES[page]]
    assert len(blocks) == PAGES[page]
    program = tmp_path / "program.py"
    program.write_text("\n\n".join(blocks))
    done = subprocess.run([sys.executable, program.name], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
