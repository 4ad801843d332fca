"""tools/setup.sh with stand-ins for apt and Python: the packages that it installs, and its output."""

import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
STATUS_LINES = """\
dlstatus:1:0.0000:Retrieving file 1 of 2
dlstatus:2:45.5:Retrieving file 2 of 2
Selecting previously unselected package cmake.
pmstatus:cmake:10.0:Preparing cmake
pmstatus:cmake:19.9:Unpacking cmake
pmstatus:cmake:61.25:Installed cmake
"""


@pytest.fixture
def machine(tmp_path):
    """A folder of stand-ins for programs of a system, and one for those of a virtual environment."""

    def add(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)

    log = tmp_path / "log"
    for name in ("bash", "env", "grep", "sed", "cat"):
        add(f"bin/{name}", f'exec /usr/bin/{name} "$@"')
    add("bin/python3", "exit 0")
    add("bin/id", "echo ${USER_ID:-0}")
    add("bin/dpkg-query", '[ "${@: -1}" = cmake ] || echo installed')
    add("bin/apt-cache", "echo '  Candidate: 1:22'")
    status = tmp_path / "status"
    status.write_text(STATUS_LINES)
    add("bin/apt-get", f'echo "apt-get $DEBIAN_FRONTEND $*" >>{log}; [[ "$*" != *install* ]] || cat {status}')
    for name in ("python", "uv"):
        add(f"venv/bin/{name}", "exit 0")
    return tmp_path


def set_up(machine, python="python3", **environment):
    done = subprocess.run(
        ["/bin/bash", str(ROOT / "tools" / "setup.sh"), python, str(machine / "venv")],
        cwd=ROOT,
        env={"PATH": str(machine / "bin"), **environment},
        capture_output=True,
        text=True,
    )
    log = machine / "log"
    return done.returncode, done.stdout, done.stderr, log.read_text() if log.exists() else ""


def test_missing_packages_are_installed_and_progress_is_said(machine):
    status, out, err, log = set_up(machine)
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "hocket: installing system packages (up to 350 MB to download, 2 GB on the disk): cmake",
        "  downloaded 0 %",
        "  downloaded 40 %",
        "  installed 0 %",
        "  installed 60 %",
        f"hocket: installing Python packages into {machine}/venv",
    ]
    options = "-o DPkg::Lock::Timeout=600 -qq"
    assert log.splitlines() == [
        f"apt-get noninteractive {options} update",
        f"apt-get noninteractive {options} install -y --no-install-recommends -o APT::Status-Fd=1 cmake",
    ]


def test_apt_that_fails_ends_the_set_up(machine):
    (machine / "bin" / "apt-get").write_text("#!/bin/bash\n[[ $* != *install* ]] || exit 100\n")
    status, out, _, _ = set_up(machine)
    assert status == 100
    assert "Python packages" not in out


def test_an_old_python_is_refused(machine):
    (machine / "bin" / "python3").write_text("#!/bin/bash\nexit 1\n")
    message = "hocket: python3 is not Python 3.10 or newer; run: make PYTHON=/path/to/python3 ...\n"
    assert set_up(machine) == (1, "", message, "")


def test_neither_root_nor_sudo(machine):
    status, _, err, _ = set_up(machine, USER_ID="1000")
    assert status == 1
    assert err == "hocket: installing packages takes root; as root: apt-get install cmake\n"


def test_a_system_without_apt(machine):
    os.remove(machine / "bin" / "apt-get")
    status, out, err, _ = set_up(machine)
    assert (status, err) == (0, "")
    assert out.startswith("hocket: there is no apt-get; the build needs what Debian calls git make cmake ")


@pytest.fixture
def optional_packages(tmp_path):
    """Runs tools/optional_packages.sh with a `uv` of this text: (exit status, output)."""

    def run(uv, *arguments):
        program = tmp_path / "bin" / "uv"
        program.parent.mkdir()
        program.write_text(f"#!/bin/bash\n{uv}\n")
        program.chmod(0o755)
        command = ["bash", str(ROOT / "tools" / "optional_packages.sh"), str(tmp_path), *arguments]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        return done.returncode, re.sub(r"\d+ s\b", "N s", done.stdout + done.stderr)

    return run


def test_optional_packages_are_installed(optional_packages):
    assert optional_packages("exit 0") == (
        0,
        "hocket: NVIDIA's assembler (100 MB): installed in N s\n"
        "hocket: PyTorch with its CUDA libraries (3 GB): installed in N s\n"
        "hocket: transformers (90 MB): installed in N s\n",
    )


def test_a_package_that_cannot_be_installed_fails_nothing(optional_packages):
    status, said = optional_packages('[[ "$*" != *torch* ]] || { echo no network >&2; exit 2; }')
    assert (status, said) == (
        0,
        "hocket: NVIDIA's assembler (100 MB): installed in N s\n"
        "hocket: PyTorch with its CUDA libraries (3 GB): not installed after N s; tests that need it are skipped\n"
        "  no network\n"
        "hocket: transformers (90 MB): installed in N s\n",
    )


def test_a_download_that_takes_too_long_is_given_up(optional_packages):
    status, said = optional_packages("while :; do :; done", "0.2")
    assert status == 0
    assert said.count("not installed after") == 3
