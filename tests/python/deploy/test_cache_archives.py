"""`hocket cache pack` and `hocket cache unpack`."""

import gzip
import io
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tarfile
import zlib

import pytest

import hocket
from hocket import _core
from hocket.cli import main
from hocket.runtime import cache_archives, compiler
from hocket.runtime.cache_archives import pack, unpack


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A user with a cache of their own: the folder of its entries."""
    monkeypatch.delenv("HOCKET_CACHE_SIZE", raising=False)
    use(monkeypatch, tmp_path / "cache")
    return tmp_path / "cache" / "kernels"


def use(monkeypatch, folder):
    monkeypatch.setenv("HOCKET_CACHE_DIR", str(folder))


def parts(name, build=None):
    facts = _core.KernelFacts(name=name, target="sm_90a", num_warps=4)
    build = compiler.build_fingerprint() if build is None else build
    return {"facts": facts.to_bytes(), "build": build.encode(), "cubin": f"code of {name}".encode() * 20}


def add(key, name, build=None):
    assert compiler.disk_cache().write(key, parts(name, build))


def entry_file(key, entry):
    """The bytes of an entry's file, as csrc/runtime/Cache.h describes them."""
    texts = [key.encode(), *(text for name, value in entry.items() for text in (name.encode(), value))]
    payload = b"".join(struct.pack("<Q", len(text)) + text for text in texts)
    return struct.pack("<8sIIQ", b"HOCKETKC", 1, zlib.crc32(payload), len(payload)) + payload


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def archive(tmp_path, cache):
    for i, name in enumerate(["add", "add", "softmax"]):
        add(f"{i}a", name)
    pack(tmp_path / "kernels.tar.gz")
    return tmp_path / "kernels.tar.gz"


class TestRoundTrip:
    def test_into_an_empty_cache(self, tmp_path, cache, archive, monkeypatch):
        use(monkeypatch, tmp_path / "other")
        summary = unpack(archive)
        assert summary[:2] == (3, 0)
        assert contents(tmp_path / "other" / "kernels") == contents(cache)
        assert compiler.disk_cache().read("2a") == parts("softmax")
        assert [path.name for path in (tmp_path / "other").iterdir()] == ["kernels"]
        assert (tmp_path / "other" / "kernels").stat().st_mode & 0o777 == 0o700
        assert {path.stat().st_mode & 0o777 for path in (tmp_path / "other" / "kernels").iterdir()} == {0o600}

    def test_entries_that_are_there_stay(self, tmp_path, archive, monkeypatch):
        use(monkeypatch, tmp_path / "other")
        add("1a", "add")
        before = (tmp_path / "other" / "kernels" / "1a.hk").stat().st_ino
        assert unpack(archive)[:2] == (2, 1)
        assert unpack(archive)[:2] == (0, 3)
        assert (tmp_path / "other" / "kernels" / "1a.hk").stat().st_ino == before

    def test_equal_entries_give_equal_archives(self, tmp_path, cache, archive):
        os.utime(cache / "0a.hk", (1, 1))
        digest = pack(tmp_path / "again.tar.gz").digest
        assert (tmp_path / "again.tar.gz").read_bytes() == archive.read_bytes()
        add("3a", "add")
        assert pack(tmp_path / "more.tar.gz").digest != digest

    def test_kernels_by_name(self, tmp_path, archive, monkeypatch):
        assert pack(tmp_path / "one.tar.gz", ["softmax"])[:2] == (1, 0)
        with pytest.raises(hocket.LaunchError, match="the cache has no kernel gemm of this build of Hocket"):
            pack(tmp_path / "two.tar.gz", ["softmax", "gemm"])
        assert not (tmp_path / "two.tar.gz").exists()

    def test_entries_of_other_builds_are_skipped(self, tmp_path, cache, archive):
        add("4a", "add", build="an older one")
        (cache / "5a.hk").write_bytes(b"damaged")
        assert pack(tmp_path / "again.tar.gz")[:2] == (3, 2)
        assert (tmp_path / "again.tar.gz").read_bytes() == archive.read_bytes()

    def test_an_empty_cache(self, tmp_path, monkeypatch):
        assert pack(tmp_path / "empty.tar.gz")[:2] == (0, 0)
        assert unpack(tmp_path / "empty.tar.gz")[:2] == (0, 0)

    def test_10000_entries(self, tmp_path, cache, monkeypatch):
        cache.mkdir(mode=0o700, parents=True)
        for i in range(10_000):
            path = cache / f"{i:064x}.hk"
            path.write_bytes(entry_file(path.stem, parts(f"kernel_{i % 100}")))
            path.chmod(0o600)
        assert pack(tmp_path / "all.tar.gz")[:2] == (10_000, 0)
        use(monkeypatch, tmp_path / "other")
        assert unpack(tmp_path / "all.tar.gz")[:2] == (10_000, 0)
        assert compiler.disk_cache().status()[:2] == ("", 10_000)
        assert contents(tmp_path / "other" / "kernels") == contents(cache)


def rewritten(archive, change):
    """Writes the archive again, with the list of names and contents that `change` has edited."""
    with tarfile.open(archive) as tar:
        files = [[member.name, tar.extractfile(member).read()] for member in tar]
    change(files)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, text in files:
            member = tarfile.TarInfo(name)
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text))
    archive.write_bytes(gzip.compress(buffer.getvalue()))


def with_fields(**changes):
    """A change of the manifest, whose SHA-256 is right."""

    def change(files):
        fields = json.loads(files[0][1])
        del fields["sha256"]
        fields.update(changes)
        files[0][1] = json.dumps({**fields, "sha256": cache_archives._digest(fields)}).encode()

    return change


class TestRefusals:
    @pytest.fixture(autouse=True)
    def other(self, tmp_path, archive, monkeypatch):
        """Another machine, whose cache stays as it is."""
        use(monkeypatch, tmp_path / "other")
        add("9a", "mine")
        before = contents(tmp_path / "other" / "kernels")
        yield
        assert contents(tmp_path / "other" / "kernels") == before
        assert [path.name for path in (tmp_path / "other").iterdir()] == ["kernels"]

    @pytest.mark.parametrize("index", [1, 2, 3])
    def test_a_changed_entry(self, archive, index):
        def change(files):
            files[index][1] = files[index][1].replace(b"code", b"evil", 1)

        rewritten(archive, change)
        with pytest.raises(hocket.LaunchError, match=rf"the SHA-256 of {index - 1}a\.hk is wrong; the cache is"):
            unpack(archive)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda files: files.pop(), r"kernels/2a\.hk is missing"),
            (lambda files: files.reverse(), r"manifest\.json is missing"),
            (lambda files: files[1].__setitem__(0, "../../0a.hk"), r"kernels/0a\.hk is missing"),
            (lambda files: files[1].__setitem__(1, b"short"), r"kernels/0a\.hk has 5 bytes"),
            (lambda files: files[0].__setitem__(1, b"{}"), r"manifest\.json is damaged"),
            (lambda files: files[0].__setitem__(1, files[0][1].replace(b"add", b"dad")), "the SHA-256 of manifest"),
            (with_fields(format=2, hocket="7.0"), r"packed by Hocket 7\.0 in version 2 of the format"),
            (
                with_fields(build="other", hocket="7.0"),
                r"by another build of Hocket \(7\.0\), whose kernels this",
            ),
            (
                with_fields(kernels=[{"key": "../a", "kernel": "a", "target": "", "bytes": 1, "sha256": ""}]),
                "a key is invalid",
            ),
        ],
    )
    def test_other_archives(self, archive, change, message):
        rewritten(archive, change)
        with pytest.raises(hocket.LaunchError, match=message):
            unpack(archive)

    def test_an_entry_that_the_cache_would_not_read(self, archive):
        """The checksums are right, and the file is none of the cache's."""
        import hashlib

        text = b"not an entry"

        def change(files):
            files[1][1] = text
            fields = json.loads(files[0][1])
            fields["kernels"][0].update(bytes=len(text), sha256=hashlib.sha256(text).hexdigest())
            with_fields(kernels=fields["kernels"])(files)

        rewritten(archive, change)
        with pytest.raises(hocket.LaunchError, match=r"0a\.hk is not an entry of the cache"):
            unpack(archive)

    def test_an_archive_that_ends_early(self, archive):
        whole = archive.read_bytes()
        for size in (0, 10, len(whole) // 2, len(whole) - 40):
            archive.write_bytes(whole[:size])
            with pytest.raises(hocket.LaunchError, match="is not an intact archive of kernels"):
                unpack(archive)

    def test_another_digest(self, archive):
        with pytest.raises(hocket.LaunchError, match=r"has the digest [0-9a-f]{64}, not 1234: the cache is unchanged"):
            unpack(archive, "1234")

    def test_no_file(self, tmp_path):
        with pytest.raises(hocket.LaunchError, match="nothing cannot be read: No such file or directory"):
            unpack(tmp_path / "nothing")

    def test_a_cache_that_is_too_small(self, archive, monkeypatch):
        monkeypatch.setenv("HOCKET_CACHE_SIZE", "1K")
        with pytest.raises(hocket.LaunchError, match="bytes of kernels, and the cache holds at most 1024"):
            unpack(archive)

    def test_a_full_disk(self, archive, monkeypatch):
        def fail(path, flags, *rest, **named):
            if flags & os.O_CREAT:
                raise OSError(28, "No space left on device")
            return real(path, flags, *rest, **named)

        real = os.open
        monkeypatch.setattr(os, "open", fail)
        with pytest.raises(hocket.LaunchError, match="cannot be written: No space left on device"):
            unpack(archive)


def test_a_folder_that_others_can_write(cache, archive):
    cache.chmod(0o770)
    for action in (lambda: unpack(archive), lambda: pack(archive)):
        with pytest.raises(hocket.LaunchError, match="is not used: it is writable by other users"):
            action()


def test_no_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HOCKET_CACHE_DIR", "")
    with pytest.raises(hocket.LaunchError, match="there is no cache of compiled kernels"):
        pack(tmp_path / "all.tar.gz")


def test_an_output_that_cannot_be_written(tmp_path, archive):
    with pytest.raises(hocket.LaunchError, match="cannot be written: No such file or directory"):
        pack(tmp_path / "no" / "folder.tar.gz")


def test_an_output_below_a_file(tmp_path, archive):
    (tmp_path / "file").write_text("")
    with pytest.raises(hocket.LaunchError, match="cannot be written: Not a directory"):
        pack(tmp_path / "file" / "kernels.tar.gz")


def test_an_output_that_is_the_current_folder(tmp_path, archive, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(hocket.LaunchError, match="cannot be written: Is a directory"):
        pack(".")


ENTRY = {"key": "ab", "kernel": "a", "target": "", "bytes": 3, "sha256": ""}


@pytest.mark.parametrize(
    ("kernels", "message"),
    [
        (5, "an entry is invalid"),
        ([{"key": "ab"}], "an entry is invalid"),
        ([{**ENTRY, "key": 5}], "a key is invalid"),
        ([{**ENTRY, "bytes": "3"}], "the size of ab is invalid"),
        ([{**ENTRY, "bytes": 2**60}, {**ENTRY, "key": "ac", "bytes": -(2**60)}], "the size of ac is invalid"),
        ([ENTRY, ENTRY], "a key occurs twice"),
    ],
)
def test_forged_manifests(archive, cache, kernels, message):
    rewritten(archive, with_fields(kernels=kernels))
    with pytest.raises(hocket.LaunchError, match=f"is not an intact archive of kernels: {message}"):
        unpack(archive)


def test_commands(tmp_path, archive, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["cache", "pack", "some.tar.gz", "--kernels", "add"]) == 0
    size = os.path.getsize("some.tar.gz")
    packed, digest = capsys.readouterr().out.splitlines()
    assert packed in (f"packed   2 kernels to some.tar.gz, {size} bytes", f"packed   2 kernels to some.tar.gz, "
                      f"{size / 1024:.1f} KiB")  # fmt: skip
    use(monkeypatch, tmp_path / "other")
    assert main(["cache", "unpack", "some.tar.gz", "--sha256", digest.split()[1]]) == 0
    assert capsys.readouterr().out.splitlines() == ["added    2 kernels", digest]
    assert main(["cache", "unpack", "some.tar.gz", "--sha256", "0" * 64]) == 2
    assert capsys.readouterr().err.startswith("hocket: error: some.tar.gz has the digest ")


def test_installations_of_one_wheel_have_equal_keys(tmp_path):
    """The times and the folder of the files do not matter, their contents do."""
    package = pathlib.Path(hocket.__file__).parent
    copy = tmp_path / "hocket"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"), copy_function=shutil.copyfile)

    def fingerprint(path):
        code = "from hocket.runtime import compiler; print(compiler.build_fingerprint())"
        environment = {**os.environ, "PYTHONPATH": str(path), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    assert fingerprint(tmp_path) == fingerprint(package.parent)
    with (copy / "language" / "_dtype.py").open("a") as file:
        file.write("# changed\n")
    assert fingerprint(tmp_path) != fingerprint(package.parent)
