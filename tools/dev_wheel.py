"""Makes a wheel of this checkout with the extension module of the last `make build`, without compiling.

    python tools/dev_wheel.py FOLDER

As for a compiled wheel (`make wheel`), pyproject.toml determines the files of the wheel. Only the extension module
differs: it has assertions, and its name is for this Python version and machine. Tests install the wheel with pip.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import sys
import tempfile

import scikit_build_core.build

ROOT = pathlib.Path(__file__).resolve().parent.parent


def build(folder: pathlib.Path) -> pathlib.Path:
    """Writes the wheel to `folder`, and returns its path."""
    modules = list(ROOT.glob("python/hocket/_core*.so"))
    if not modules:
        sys.exit(f"there is no module in {ROOT / 'python' / 'hocket'}: make build")
    before = os.getcwd()
    os.chdir(ROOT)  # the build back end reads pyproject.toml from the working directory
    try:
        with tempfile.TemporaryDirectory() as scratch, contextlib.redirect_stdout(sys.stderr):
            # The build back end leaves out files that git ignores, such as the module, unless `sdist.include` lists
            # them.
            settings = {"wheel.cmake": "false", "build-dir": scratch, "sdist.include": ["python/hocket/_core*.so"]}
            return folder / scikit_build_core.build.build_wheel(str(folder), settings)
    finally:
        os.chdir(before)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    print(build(pathlib.Path(sys.argv[1]).resolve()))
