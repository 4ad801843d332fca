"""Packs the disk cache of compiled kernels in an archive, and unpacks an archive on other machines.

An archive is a gzip-compressed tar file:

    manifest.json       format, version and build of Hocket, and for each entry its key, kernel, target, size, SHA-256
    kernels/KEY.hk      the entries, in the order of their keys: files of the cache (csrc/runtime/Cache.h)

Equal entries give equal archives. The manifest contains the SHA-256 of each entry and of itself, so the SHA-256 of the
manifest identifies the contents of an archive: `Summary.digest`.

Entries are found by keys, which contain the build of the compiler. `unpack` therefore refuses archives of other builds.
It verifies all entries before it writes the first one. Entries are written to a new folder beside the cache, and then
renamed one after another, so a reader of the cache sees either a complete entry or no entry.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import secrets
import shutil
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from .. import __version__, _core
from ..errors import LaunchError
from . import environment
from .compiler import BUILD_PART, FACTS_PART, build_fingerprint

FORMAT = 1
_MANIFEST = "manifest.json"
_SUFFIX = ".hk"
_KEY = re.compile(r"[0-9a-f]{1,128}")
#: Largest size of a manifest: that of several hundred thousand entries.
_MOST_MANIFEST_BYTES = 1 << 28


class Summary(NamedTuple):
    """Result of `pack` and `unpack`: numbers of kernels, and the digest of the archive."""

    kernels: int
    #: `pack`: skipped entries, of other builds. `unpack`: entries that the cache already had.
    others: int
    digest: str


class _Entry(NamedTuple):
    key: str
    kernel: str
    target: str
    bytes: int
    sha256: str


def pack(output: str | os.PathLike, kernels: Sequence[str] = ()) -> Summary:
    """Writes the entries of the cache to an archive.

    Args:
        output: the archive, which is replaced as a whole.
        kernels: names of kernels; without names, all kernels are packed.

    Raises: LaunchError if the cache cannot be used or has no such kernel, or the archive cannot be written.
    """
    cache, folder = _open_cache()
    build = build_fingerprint().encode()
    entries: list[_Entry] = []
    others = 0
    for path in sorted(folder.glob(f"*{_SUFFIX}")):
        parts = cache.read(path.stem)
        facts = _core.KernelFacts.from_bytes(parts[FACTS_PART]) if parts and FACTS_PART in parts else None
        if parts is None or facts is None or parts.get(BUILD_PART) != build:
            others += 1
        elif not kernels or facts.name in kernels:
            with contextlib.suppress(FileNotFoundError):  # another process has removed the entry
                contents = path.read_bytes()
                entries.append(_Entry(path.stem, facts.name, facts.target, len(contents), _sha256(contents)))
    _check_found(kernels, entries)
    manifest = _manifest(entries)
    path = pathlib.Path(os.path.abspath(output))
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.part")
    try:
        with temporary.open("xb") as file:
            with (
                gzip.GzipFile("", "wb", mtime=0, fileobj=file) as compressed,
                tarfile.open(fileobj=compressed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
            ):
                _add(archive, _MANIFEST, manifest.encode())
                for entry in entries:
                    _add(archive, f"kernels/{entry.key}{_SUFFIX}", (folder / f"{entry.key}{_SUFFIX}").read_bytes())
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise LaunchError(f"{path} cannot be written: {error.strerror}") from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()
    return Summary(len(entries), others, json.loads(manifest)["sha256"])


def unpack(archive: str | os.PathLike, digest: str | None = None) -> Summary:
    """Adds the entries of an archive to the cache.

    Args:
        archive: the archive that `pack` has written.
        digest: the expected digest of the archive, or None.

    Raises: LaunchError if the archive is damaged, was written by another build of Hocket, has another digest, or does
    not fit the cache. The cache is then unchanged.
    """
    path = pathlib.Path(archive)
    entries, found = _read_manifest(path)
    if digest is not None and digest.lower().removeprefix("sha256:") != found:
        raise LaunchError(f"{path} has the digest {found}, not {digest}: the cache is unchanged")
    cache, folder = _open_cache()
    _check_fits(path, cache, entries)
    for _ in _contents(path, entries):  # verifies all entries
        pass
    present = {name.stem for name in folder.glob(f"*{_SUFFIX}")}
    new = folder.with_name(f".{folder.name}.{os.getpid()}.{secrets.token_hex(4)}.part")
    try:
        new.mkdir(mode=0o700, parents=True)
        missing = [entry for entry in entries if entry.key not in present]
        _write_entries(path, entries, new, {entry.key for entry in missing})
        _check_entries(path, new, missing)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for entry in missing:
            os.rename(new / f"{entry.key}{_SUFFIX}", folder / f"{entry.key}{_SUFFIX}")
    except OSError as error:
        raise LaunchError(f"the cache {folder} cannot be written: {error.strerror}") from None
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return Summary(len(missing), len(entries) - len(missing), found)


def _open_cache() -> tuple[_core.DiskCache, pathlib.Path]:
    """Returns the cache and its folder. Raises LaunchError if there is none, or its folder cannot be trusted."""
    directory = environment.cache_directory()
    if directory is None:
        raise LaunchError("there is no cache of compiled kernels\n  hint: set HOCKET_CACHE_DIR to a folder")
    folder = directory / "kernels"
    cache = _core.DiskCache(folder, min(environment.cache_limit(), 2**63))
    if problem := cache.status()[0]:
        raise LaunchError(f"the cache {folder} is not used: it {problem}")
    return cache, folder


def _check_found(kernels: Sequence[str], entries: list[_Entry]) -> None:
    found = {entry.kernel for entry in entries}
    if missing := [name for name in kernels if name not in found]:
        raise LaunchError(f"the cache has no kernel {', '.join(missing)} of this build of Hocket")


def _check_fits(path: pathlib.Path, cache: _core.DiskCache, entries: list[_Entry]) -> None:
    size, limit = sum(entry.bytes for entry in entries), environment.cache_limit()
    if size > limit:
        raise LaunchError(
            f"{path} has {size} bytes of kernels, and the cache holds at most {limit}\n"
            "  hint: set HOCKET_CACHE_SIZE to a larger size, such as 4G"
        )


# Manifests ------------------------------------------------------------------------------------------------------------


def _manifest(entries: list[_Entry]) -> str:
    fields = {
        "format": FORMAT,
        "hocket": __version__,
        "build": build_fingerprint(),
        "kernels": [entry._asdict() for entry in entries],
    }
    return json.dumps({**fields, "sha256": _digest(fields)}, indent=1) + "\n"


def _digest(fields: dict[str, Any]) -> str:
    return _sha256(json.dumps(fields, sort_keys=True, separators=(",", ":")).encode())


def _sha256(contents: bytes) -> str:
    return hashlib.sha256(contents).hexdigest()


def _read_manifest(path: pathlib.Path) -> tuple[list[_Entry], str]:
    """Returns the entries and the digest of an archive. Raises LaunchError for other files, and for archives of another
    format or build."""
    text = next(iter(_members(path, [(_MANIFEST, None)])))
    try:
        fields = json.loads(text)
        digest = fields.pop("sha256")
        version, hocket, build = fields["format"], fields["hocket"], fields["build"]
    except (ValueError, KeyError, AttributeError, TypeError):
        raise _damaged(path, f"{_MANIFEST} is damaged") from None
    if version != FORMAT:
        raise LaunchError(
            f"{path} was packed by Hocket {hocket} in version {version} of the format; this Hocket reads version "
            f"{FORMAT}"
        )
    if digest != _digest(fields):
        raise _damaged(path, f"the SHA-256 of {_MANIFEST} is wrong")
    if build != build_fingerprint():
        raise LaunchError(
            f"{path} was packed by another build of Hocket ({hocket}), whose kernels this build ({__version__}) would "
            "not use\n  hint: install the same wheel on all machines, or pack the kernels with this build"
        )
    try:
        entries = [_Entry(**entry) for entry in fields["kernels"]]
    except (KeyError, TypeError):
        raise _damaged(path, "an entry is invalid") from None
    for key, kernel, target, size, sha256 in entries:
        if not all(isinstance(text, str) for text in (key, kernel, target, sha256)) or not _KEY.fullmatch(key):
            raise _damaged(path, "a key is invalid")
        if type(size) is not int or size < 0:
            raise _damaged(path, f"the size of {key} is invalid")
    if len({entry.key for entry in entries}) < len(entries):
        raise _damaged(path, "a key occurs twice")
    return entries, digest


def _damaged(path: pathlib.Path, why: str) -> LaunchError:
    return LaunchError(f"{path} is not an intact archive of kernels: {why}; the cache is unchanged")


# Contents -------------------------------------------------------------------------------------------------------------


def _add(archive: tarfile.TarFile, name: str, contents: bytes) -> None:
    """Adds a file without a time and an owner, so that equal entries give equal archives."""
    member = tarfile.TarInfo(name)
    member.size, member.mode = len(contents), 0o600
    archive.addfile(member, io.BytesIO(contents))


def _members(path: pathlib.Path, expected: Sequence[tuple[str, int | None]]) -> Iterator[bytes]:
    """Yields the contents of the first files of an archive. `expected`: their names and sizes, None for an unknown
    size."""
    try:
        with tarfile.open(path, "r|gz") as archive:
            for name, size in expected:
                member = archive.next()
                if member is None or member.name != name or not member.isfile():
                    raise _damaged(path, f"{name} is missing")
                if member.size > _MOST_MANIFEST_BYTES if size is None else member.size != size:
                    raise _damaged(path, f"{name} has {member.size} bytes")
                file = archive.extractfile(member)
                assert file
                contents = file.read(member.size)
                if len(contents) != member.size:
                    raise _damaged(path, f"{name} ends early")
                yield contents
    except (tarfile.TarError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise _damaged(path, str(error)) from None
    except OSError as error:
        raise LaunchError(f"{path} cannot be read: {error.strerror or error}") from None


def _contents(path: pathlib.Path, entries: list[_Entry]) -> Iterator[tuple[_Entry, bytes]]:
    """Yields all entries and their verified contents."""
    expected: list[tuple[str, int | None]] = [(f"kernels/{entry.key}{_SUFFIX}", entry.bytes) for entry in entries]
    members = _members(path, [(_MANIFEST, None), *expected])
    next(members)
    for entry, contents in zip(entries, members, strict=True):
        if _sha256(contents) != entry.sha256:
            raise _damaged(path, f"the SHA-256 of {entry.key}{_SUFFIX} is wrong")
        yield entry, contents


def _write_entries(path: pathlib.Path, entries: list[_Entry], folder: pathlib.Path, wanted: set[str]) -> None:
    for entry, contents in _contents(path, entries):
        if entry.key in wanted:
            descriptor = os.open(folder / f"{entry.key}{_SUFFIX}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(descriptor, "wb") as file:
                file.write(contents)


def _check_entries(path: pathlib.Path, folder: pathlib.Path, entries: list[_Entry]) -> None:
    """Raises LaunchError if the cache would not read an entry that was written to `folder`."""
    cache = _core.DiskCache(folder, 2**63)
    for entry in entries:
        if cache.read(entry.key) is None:
            raise _damaged(path, f"{entry.key}{_SUFFIX} is not an entry of the cache")
