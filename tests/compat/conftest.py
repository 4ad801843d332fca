"""Files of others run in processes of their own: what they import as Triton must not stay in this one."""

import os
import subprocess
import sys

import pytest


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    """Runs `python -m hocket.compat` with arguments: (exit status, output)."""

    def run(*arguments, **environment):
        folder = tmp_path_factory.mktemp("run")
        done = subprocess.run(
            [sys.executable, "-m", "hocket.compat", *map(str, arguments)],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "HOCKET_CACHE_DIR": str(folder / "cache"), **environment},
        )
        return done.returncode, done.stdout

    return run


@pytest.fixture
def python(tmp_path, run):
    """Runs a text as a file: (exit status, output)."""

    def python(text, *options):
        path = tmp_path / "program.py"
        path.write_text(text)
        return run(*options, path)

    return python
