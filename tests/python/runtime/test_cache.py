"""The disk cache: its folder, its size, and `hocket cache`."""

import os
import pathlib
import pwd

import pytest

from hocket import _core
from hocket.cli import main
from hocket.errors import LaunchError
from hocket.runtime import compiler, environment

ENTRY = {"cubin": b"\x7fELF" + bytes(5000)}


@pytest.fixture(autouse=True)
def user(tmp_path, monkeypatch):
    """A user with a home and no settings."""
    for name in ("HOCKET_CACHE_DIR", "HOCKET_CACHE_SIZE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


class TestFolder:
    @pytest.mark.parametrize(
        ("variables", "expected"),
        [
            ({}, "{home}/.cache/hocket"),
            ({"XDG_CACHE_HOME": "/var/fast"}, "/var/fast/hocket"),
            ({"XDG_CACHE_HOME": "relative"}, "{home}/.cache/hocket"),
            ({"XDG_CACHE_HOME": "/var/fast", "HOME": ""}, "/var/fast/hocket"),
            ({"HOME": ""}, None),
            ({"HOME": "relative"}, None),
            ({"HOCKET_CACHE_DIR": ""}, None),
            ({"HOCKET_CACHE_DIR": "kernels"}, "kernels"),
            ({"HOCKET_CACHE_DIR": "~/kernels"}, "{home}/kernels"),
            ({"HOCKET_CACHE_DIR": "~nobody-of-this-name/kernels"}, None),
        ],
        ids=str,
    )
    def test_by_the_environment(self, user, monkeypatch, variables, expected):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        assert environment.cache_directory() == (expected and pathlib.Path(expected.format(home=user)))

    def test_a_user_without_a_home_and_a_name_has_none(self, monkeypatch):
        def unknown(uid):
            raise KeyError(uid)

        monkeypatch.delenv("HOME")
        monkeypatch.setattr(pwd, "getpwuid", unknown)
        assert environment.cache_directory() is None
        assert compiler.disk_cache() is None


class TestSize:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [("", 2**30), ("0", 0), ("1000", 1000), ("500M", 500 << 20), ("4 GiB", 4 << 30), ("1tb", 2**40)],
    )
    def test_by_the_environment(self, monkeypatch, text, expected):
        monkeypatch.setenv("HOCKET_CACHE_SIZE", text)
        assert environment.cache_limit() == expected

    @pytest.mark.parametrize("text", ["-1", "1.5G", "many", "1X"])
    def test_what_is_no_size(self, monkeypatch, text):
        monkeypatch.setenv("HOCKET_CACHE_SIZE", text)
        with pytest.raises(LaunchError) as caught:
            environment.cache_limit()
        assert str(caught.value) == (
            f"HOCKET_CACHE_SIZE is '{text}'\n  hint: write a number of bytes, or one with K, M, G or T, such as 500M"
        )

    def test_it_is_kept_to(self, monkeypatch):
        monkeypatch.setenv("HOCKET_CACHE_SIZE", "80K")
        cache = compiler.disk_cache()
        for i in range(20):
            assert cache.write(f"{i:x}", ENTRY)
        assert cache.status()[1:] == (8, 8 * 8192)
        assert cache.read("13") == ENTRY

    def test_none(self, user, monkeypatch):
        monkeypatch.setenv("HOCKET_CACHE_SIZE", "0")
        assert not compiler.disk_cache().write("a", ENTRY)
        assert not (user / ".cache").exists()


class TestCommand:
    def test_shows_and_clears(self, user, capsys):
        folder = f"folder   {user}/.cache/hocket/kernels\n"
        assert main(["cache"]) == 0
        assert capsys.readouterr().out == folder + "holds    0 kernels, 0 bytes of 1.0 GiB\n"
        for key in "abc":
            compiler.disk_cache().write(key, ENTRY)
        assert main(["cache"]) == 0
        assert capsys.readouterr().out == folder + "holds    3 kernels, 24.0 KiB of 1.0 GiB\n"
        assert main(["cache", "--clear"]) == 0
        assert capsys.readouterr().out == folder + "removed  3 kernels\n"
        assert os.listdir(user / ".cache/hocket/kernels") == []

    def test_says_why_there_is_none(self, monkeypatch, capsys):
        monkeypatch.setenv("HOCKET_CACHE_DIR", "")
        assert main(["cache"]) == 0
        assert capsys.readouterr().out == "off: HOCKET_CACHE_DIR is empty\n"
        monkeypatch.delenv("HOCKET_CACHE_DIR")
        monkeypatch.setenv("HOME", "")
        assert main(["cache"]) == 0
        assert capsys.readouterr().out == "off: there is no home folder\n"

    def test_says_why_it_is_not_used(self, user, capsys):
        compiler.disk_cache().write("a", ENTRY)
        folder = user / ".cache/hocket/kernels"
        folder.chmod(0o770)
        assert main(["cache", "--clear"]) == 1
        assert capsys.readouterr().out == f"folder   {folder}\nnot used: is writable by other users\n"
        assert len(os.listdir(folder)) == 1


def test_a_folder_of_another_user_is_not_used(user):
    if os.geteuid() != 0:
        pytest.skip("only root can give folders away")
    cache = _core.DiskCache(user / "kernels", 2**30)
    assert cache.write("a", ENTRY)
    os.chown(user / "kernels", 12345, 12345)
    assert cache.read("a") is None
    assert cache.status()[0] == "belongs to another user"
