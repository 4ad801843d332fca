"""tools/check_static_names.py on this tree, and on libraries of two files."""

import pathlib
import subprocess
import sys

import pytest

pytestmark = pytest.mark.quick

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run_check(root):
    command = [sys.executable, str(ROOT / "tools" / "check_static_names.py"), str(root)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout


@pytest.fixture
def check_files(tmp_path):
    """A function that returns the check's answer on a library of the files A.cpp and inner/B.cpp."""

    def check_files(first, second, build="hocket_library(part TIER base SOURCES A.cpp inner/B.cpp)"):
        folder = tmp_path / "csrc" / "part"
        (folder / "inner").mkdir(parents=True)
        (folder / "CMakeLists.txt").write_text(build)
        (folder / "A.cpp").write_text(first)
        (folder / "inner" / "B.cpp").write_text(second)
        return run_check(tmp_path)

    return check_files


def test_this_tree():
    assert run_check(ROOT) == (0, "")


def test_equal_functions(check_files):
    answer = check_files(
        "static int sizeOf(Value value, int count = 1) {}", "static int64_t sizeOf(Value other,\n    int n) {}"
    )
    assert answer == (
        1,
        "csrc/part: sizeOf(Value, int) is static in A.cpp and inner/B.cpp: share it, or rename one, or list one of the "
        "files after ALONE in CMakeLists.txt\n",
    )


def test_equal_constants(check_files):
    status, output = check_files("static constexpr int kSizes[] = {1};", "static const int kSizes = 2;")
    assert status == 1 and "kSizes() is static in A.cpp and inner/B.cpp" in output


@pytest.mark.parametrize(
    "second",
    [
        "static int sizeOf(Type type) {}",
        "static int lengthOf(Value value) {}",
        "int Other::sizeOf(Value value) {}",
        "class Other {\n  static int sizeOf(Value value) {}\n};",
    ],
)
def test_what_may_be_compiled_together(check_files, second):
    assert check_files("static int sizeOf(Value value) {}", second) == (0, "")


def test_a_file_that_is_compiled_alone(check_files):
    build = "hocket_library(part TIER base SOURCES A.cpp inner/B.cpp\n  ALONE inner/B.cpp)"
    text = "static int sizeOf(Value value) {}"
    assert check_files(text, text, build) == (0, "")
