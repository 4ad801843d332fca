"""What `import hocket` does and does not load."""

import os
import pathlib
import shutil
import subprocess
import sys

import hocket


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_import_loads_neither_numpy_nor_torch_nor_the_core():
    loaded = run(
        "import sys, hocket; print(*[name for name in sys.modules if name in "
        "('numpy', 'torch', 'cupy', 'hocket._core')])"
    )
    assert loaded == ""


def test_kernels_can_be_declared_without_numpy():
    assert run("import sys, hocket\nfrom hocket import language\nhocket.jit\nprint('numpy' in sys.modules)") == "False"


def test_every_public_name_is_there():
    assert run("import hocket; print(all(hasattr(hocket, name) for name in hocket.__all__))") == "True"


def test_unknown_names_are_attribute_errors():
    assert run("import hocket; print(hasattr(hocket, 'no_such_name'))") == "False"


def test_cdiv_and_next_power_of_2():
    code = "import hocket; print(hocket.cdiv(1000, 256), hocket.next_power_of_2(781), hocket.next_power_of_2(1))"
    assert run(code) == "4 1024 1"


def test_a_process_may_end_while_the_assembler_is_loaded():
    assert run("from hocket.runtime import compiler; compiler.find_assembler(); print('end')") == "end"


def test_a_package_that_is_not_compiled(tmp_path):
    package = pathlib.Path(hocket.__file__).parent
    shutil.copytree(package, tmp_path / "hocket", ignore=shutil.ignore_patterns("_core*.so", "__pycache__"))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}

    def last_line(*arguments):
        command = [sys.executable, *arguments]
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode != 0
        return done.stderr.splitlines()[-1]

    version = ".".join(map(str, sys.version_info[:2]))
    message = (
        f"hocket is not compiled for Python {version}: `make build` in its repository does that, a wheel brings it"
    )
    assert last_line("-c", "import hocket; hocket.jit") == f"ImportError: {message}"
    assert last_line("-c", "from hocket import kernels") == f"ImportError: {message}"
    assert last_line("-m", "hocket", "info") == f"hocket: error: {message}"
