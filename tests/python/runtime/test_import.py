"""Modules that `import hocket` loads, and modules that it does not load."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import types

import pytest

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


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs PyTorch")
def test_operators_of_pytorch_are_imported_on_first_use():
    code = "import sys, hocket; print('torch' in sys.modules, hocket.torch.__name__, 'torch' in sys.modules)"
    assert run(code) == "False hocket.torch True"


def test_all_names_can_be_imported_without_pytorch():
    without = "import sys, hocket; sys.modules['torch'] = None\nfrom hocket import *\n"
    assert run(f"{without}print('torch' in dir(hocket), 'torch' in globals())") == "True False"


def test_names_of_public_classes_are_unique():
    """Two classes of one name in different modules confuse readers of errors and documentation."""
    homes = {}
    for module in sorted(set(hocket.__all__) & set(dir(hocket))):
        module = getattr(hocket, module)
        if isinstance(module, types.ModuleType) and module is not hocket.errors:
            for name in module.__all__ if hasattr(module, "__all__") else ():
                value = getattr(module, name)
                if isinstance(value, type):
                    homes.setdefault(name, set()).add(value)
    assert {name: classes for name, classes in homes.items() if len(classes) > 1} == {}


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
