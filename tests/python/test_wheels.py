"""Wheels: their linked libraries, their licenses, and messages of builds that cannot start."""

import fnmatch
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import hocket._core

ROOT = pathlib.Path(__file__).parents[2]
sys.path.append(str(ROOT / "tools"))
import check_wheel  # noqa: E402
import write_sbom  # noqa: E402

pytestmark = pytest.mark.slow


@pytest.mark.skipif(not shutil.which("readelf"), reason="needs readelf")
def test_the_module_is_linked_as_it_should_be():
    """Wheels are compiled with more options, and checked by `make wheels`."""
    assert check_wheel.link_problems(pathlib.Path(hocket._core.__file__)) == []


def linked_archives() -> set[str]:
    """The archives, outside of the build, that the module is linked from."""
    build = ROOT / "build" / "dev" / "build.ninja"
    if not build.exists():
        pytest.skip("needs the folder of the developer's build")
    module = re.search(r"^build \S+/_core\.\S+\.so: .*\n(?:  .*\n)+", build.read_text(), re.MULTILINE)
    libraries = re.search(r"LINK_LIBRARIES = (.*)", module[0])[1].split()
    return {pathlib.Path(item).name for item in libraries if item.startswith("/") and item.endswith(".a")}


def test_every_archive_that_is_linked_is_a_listed_component():
    patterns = [pattern for component in write_sbom.read_components() for pattern in component["archives"]]
    archives = linked_archives()
    assert len(archives) > 50
    assert [name for name in archives if not any(fnmatch.fnmatch(name, pattern) for pattern in patterns)] == []
    assert [pattern for pattern in patterns if not fnmatch.filter(archives, pattern)] == []


def test_every_notice_that_must_be_passed_on_is():
    sections = re.findall(r"^---- (.+) ----$", (ROOT / "third_party" / "LICENSES.txt").read_text(), re.MULTILINE)
    assert sections == [component["name"] for component in write_sbom.read_components() if component["notice"]]


def test_the_build_is_locked():
    """To versions within the bounds that pyproject.toml gives, with hashes."""
    lock = (ROOT / "tools" / "build.lock").read_text()
    pinned = set(re.findall(r"^([\w-]+)==\S+ \\\n    --hash=sha256:[0-9a-f]{64}", lock, re.MULTILINE))
    assert {"scikit-build-core", "pybind11"} <= pinned


@pytest.mark.skipif(not shutil.which("cmake"), reason="needs cmake")
def test_a_build_without_llvm_says_in_one_line_what_to_do():
    script = ["cmake", "-DCMAKE_CXX_COMPILER=no-such-clang++", "-P", ROOT / "cmake" / "Requirements.cmake"]
    done = subprocess.run(script, capture_output=True, text=True)
    assert done.returncode != 0
    form = r" hocket is compiled with LLVM 22, of which (.+) was not found\. (.+)$"
    said = re.search(form, done.stderr, re.MULTILINE)
    assert said is not None, done.stderr
    assert "no-such-clang++" in said[1].split(", ")
    assert said[2] == (
        "Install it: apt-get install clang-22 lld-22 llvm-22-dev libmlir-22-dev mlir-22-tools liblld-22-dev "
        "libboost-context-dev zlib1g-dev libzstd-dev (Debian 12; https://apt.llvm.org has LLVM 22 for other "
        "releases), or install a wheel of hocket, which needs none of these."
    )


def test_the_packages_that_a_build_names_are_those_of_the_set_up():
    """docs/install.md lists the same packages as the other two files, because users who build read all three."""
    named = re.search(r'"apt-get install (.*?)\(', (ROOT / "cmake" / "Requirements.cmake").read_text(), re.DOTALL)[1]
    packages = set(re.findall(r"[\w-]{3,}", named))
    assert {"clang-22", "libmlir-22-dev"} <= packages
    installed = re.search(r"^packages=\((.*?)\)", (ROOT / "tools" / "setup.sh").read_text(), re.MULTILINE | re.DOTALL)
    assert packages <= set(installed[1].split())
    page = re.search(r"apt-get install (clang-22 .*?)^```", (ROOT / "docs" / "install.md").read_text(), re.M | re.S)
    assert packages == set(page[1].replace("\\", "").split())
