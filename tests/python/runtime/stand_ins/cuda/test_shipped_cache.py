"""Kernels of an archive of the cache are not compiled again, in another process with another cache."""

import os
import subprocess
import sys

PROGRAM = """\
import sys
import hocket
from stand_ins.arrays import CudaArray, aligned
from stand_ins.exported_kernels import add
from hocket.runtime import cache_archives

if sys.argv[1] == "unpack":
    print(cache_archives.unpack(sys.argv[2]).kernels)
hocket.hooks.compilation.add(lambda event: print(event.kernel.name, event.is_cached))
for block in (128, 256):
    add[(1,)](*(CudaArray(aligned(1024)) for _ in range(3)), 1000, BLOCK=block)
if sys.argv[1] == "pack":
    print(cache_archives.pack(sys.argv[2]).kernels)
"""


def test_no_kernel_is_compiled_again(tmp_path):
    def lines(action, cache):
        command = [sys.executable, "-c", PROGRAM, action, tmp_path / "kernels.tar.gz"]
        environment = {**os.environ, "HOCKET_CACHE_DIR": str(tmp_path / cache)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    assert lines("pack", "first") == ["add False", "add False", "2"]
    assert lines("unpack", "second") == ["2", "add True", "add True"]
