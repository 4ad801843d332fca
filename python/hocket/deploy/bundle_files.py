"""Writes and reads the files of a bundle: all or none, with checksums."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import pathlib
import secrets
import shutil
from collections.abc import Iterator

from ..errors import LaunchError
from .manifest import FILE_NAME, Manifest, parse_manifest


def write_bundle(folder: str | os.PathLike, manifest: Manifest, files: dict[str, bytes]) -> None:
    """Writes a bundle to `folder`, and replaces an earlier bundle in the folder.

    The files are written to a new folder beside `folder`, which is then renamed. If writing fails, `folder` is
    unchanged. Of several processes that write to one folder at the same time, the last one replaces the bundles of the
    others. Raises LaunchError if `folder` exists and holds other files than a bundle, is the current folder, or cannot
    be written.
    """
    path = pathlib.Path(os.path.abspath(folder))
    manifest.files = {name: entry_of(contents) for name, contents in sorted(files.items())}
    contents = {**files, FILE_NAME: manifest.to_json().encode()}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(path.parent):
            _check_replaceable(path)
        new = _new_folder(path)
    except OSError as error:
        raise LaunchError(f"{path} cannot be written: {error.strerror}") from None
    try:
        for name, text in contents.items():
            _write(new / name, text)
        with _locked(path.parent):
            _rename(new, path)
    except OSError as error:
        raise LaunchError(f"{path} cannot be written: {error.strerror}") from None
    finally:
        shutil.rmtree(new, ignore_errors=True)


def read_manifest(folder: str | os.PathLike) -> Manifest:
    """Returns the manifest of a bundle. Raises LaunchError if `folder` is not an intact bundle."""
    path = pathlib.Path(folder)
    try:
        text = (path / FILE_NAME).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = "is damaged" if isinstance(error, UnicodeDecodeError) else f"cannot be read: {error.strerror}"
        raise LaunchError(f"{path} is not a bundle: {FILE_NAME} {why}") from None
    return parse_manifest(text, str(path))


def read_file(folder: str | os.PathLike, manifest: Manifest, name: str) -> bytes:
    """Returns the contents of a file of a bundle. Raises LaunchError if the file differs from the exported one."""
    path = pathlib.Path(folder) / name
    try:
        contents = path.read_bytes()
    except OSError as error:
        raise LaunchError(f"{path} cannot be read: {error.strerror}") from None
    expected, found = manifest.files[name], entry_of(contents)
    if found != expected:
        raise LaunchError(
            f"{path} was changed after the export: its SHA-256 is {found['sha256']}, and the manifest has "
            f"{expected['sha256']}"
        )
    return contents


def check_files(folder: str | os.PathLike, manifest: Manifest) -> None:
    """Raises LaunchError if a file of a bundle is missing or differs from the exported one."""
    for name in manifest.files:
        read_file(folder, manifest, name)


def entry_of(contents: bytes) -> dict[str, object]:
    return {"bytes": len(contents), "sha256": hashlib.sha256(contents).hexdigest()}


@contextlib.contextmanager
def _locked(folder: pathlib.Path) -> Iterator[None]:
    """Returns a context manager in which no other export replaces a folder in `folder`. File systems without locks of
    folders, such as NFS, have none."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _check_replaceable(path: pathlib.Path) -> None:
    if not os.path.lexists(path):
        return
    if path.is_symlink() or not path.is_dir():
        raise LaunchError(f"{path} exists and is not a folder")
    if os.path.samefile(path, os.curdir):
        raise LaunchError(f"{path} is the current folder, which an export cannot replace\n  hint: name a new folder")
    others = {entry.name for entry in path.iterdir()} - _files_of_bundle(path)
    if others:
        raise LaunchError(
            f"{path} exists and holds other files than a bundle: {', '.join(sorted(others)[:3])}\n"
            "  hint: name a new or empty folder"
        )


def _files_of_bundle(path: pathlib.Path) -> set[str]:
    """Returns the names of the files that an export has written to a folder, in any version of the format; no names if
    the folder has no manifest of a bundle."""
    try:
        fields = json.loads((path / FILE_NAME).read_text("utf-8"))
        is_bundle = {"format", "build", "kernels", "launches", "sha256"} <= set(fields)
        return {FILE_NAME, *fields["files"]} if is_bundle else set()
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def _write(path: pathlib.Path, contents: bytes) -> None:
    with path.open("wb") as file:
        file.write(contents)
        file.flush()
        os.fsync(file.fileno())


def _new_folder(path: pathlib.Path) -> pathlib.Path:
    """Makes a folder beside `path`, whose name no other process uses."""
    new = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.part")
    new.mkdir()
    return new


#: Largest number of attempts to replace a folder that other processes replace at the same time.
_MOST_ATTEMPTS = 100


def _rename(new: pathlib.Path, path: pathlib.Path) -> None:
    """Renames the folder `new` to `path`. An earlier folder `path` is moved away first, and comes back if the renaming
    fails."""
    with contextlib.suppress(OSError):
        os.rmdir(path)  # an empty folder
    for attempt in range(_MOST_ATTEMPTS):
        try:
            _replace(new, path)
            return
        except OSError as error:
            is_race = error.errno in (errno.ENOENT, errno.ENOTEMPTY, errno.EEXIST)
            if not is_race or attempt + 1 == _MOST_ATTEMPTS:
                raise


def _replace(new: pathlib.Path, path: pathlib.Path) -> None:
    if not path.exists():
        os.rename(new, path)
        return
    old = _new_folder(path)
    try:
        os.rename(path, old)
        try:
            os.rename(new, path)
        except BaseException:
            with contextlib.suppress(OSError):  # another process has written a bundle to `path`
                os.rename(old, path)
            raise
    finally:
        shutil.rmtree(old, ignore_errors=True)
