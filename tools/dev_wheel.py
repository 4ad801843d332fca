"""Makes a wheel of this checkout from the extension module that the developer's build has left in it, in seconds.

    python tools/dev_wheel.py FOLDER

What goes into the wheel is decided by pyproject.toml, as for a wheel that is compiled (`make wheel`); only the module
differs, which keeps its assertions and its name for this Python and this machine. Tests install it as users would.
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
    """The wheel, written to `folder`."""
    modules = list(ROOT.glob("python/hocket/_core*.so"))
    if not modules:
        sys.exit(f"there is no module in {ROOT / 'python' / 'hocket'}: make build")
    before = os.getcwd()
    os.chdir(ROOT)  # a build back end works in the folder of pyproject.toml
    try:
        with tempfile.TemporaryDirectory() as scratch, contextlib.redirect_stdout(sys.stderr):
            # Git ignores the module, so the wheel would too.
            settings = {"wheel.cmake": "false", "build-dir": scratch, "sdist.include": ["python/hocket/_core*.so"]}
            return folder / scikit_build_core.build.build_wheel(str(folder), settings)
    finally:
        os.chdir(before)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    print(build(pathlib.Path(sys.argv[1]).resolve()))
