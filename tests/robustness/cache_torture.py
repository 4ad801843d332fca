"""Processes that use one cache while it is damaged and they are killed.

    python tests/robustness/cache_torture.py 100000 [SEED]

Eight processes read and write entries. A vandal cuts, alters, moves and replaces files (by folders, FIFOs, links), and
leaves what killed processes leave; the processes are killed at random and started again. Every entry that a read
returns must be one that a process has written. The test is repeated with a full disk and in a read-only folder.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import hashlib
import os
import pathlib
import random
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

from hocket import _core

KEYS = [f"{i:x}" for i in range(24)]
PROCESSES = 8
LIMIT_BYTES = 40 * 8192
#: An operation that takes longer hangs.
PATIENCE_SECONDS = 300
NOBODY = 65534


def _nothing() -> None:
    pass


def entry_of(key: str, random: random.Random) -> dict[str, bytes]:
    """An entry that shows whether it is whole and where it belongs."""
    data = random.randbytes(random.choice([0, 10, 3000, 20000]))
    return {"data": data, "proof": hashlib.sha256(key.encode() + data).digest()}


def is_whole(key: str, entry: dict[str, bytes]) -> bool:
    return entry.keys() == {"data", "proof"} and entry_proof(key, entry) == entry["proof"]


def entry_proof(key: str, entry: dict[str, bytes]) -> bytes:
    return hashlib.sha256(key.encode() + entry["data"]).digest()


# The processes -------------------------------------------------------------------------------------------------------


def use_cache(folder: pathlib.Path, seed: int, results: int) -> None:
    """Reads and writes in an endless loop; a letter for each operation goes to the pipe `results`: h(it), m(iss),
    w(ritten), f(ailed to write), and X for an entry that no process wrote."""
    draw = random.Random(seed)
    cache = _core.DiskCache(folder, LIMIT_BYTES)
    while True:
        key = draw.choice(KEYS)
        if draw.random() < 0.6:
            entry = cache.read(key)
            outcome = "m" if entry is None else "h" if is_whole(key, entry) else "X"
        else:
            outcome = "w" if cache.write(key, entry_of(key, draw)) else "f"
        os.write(results, outcome.encode())


#: Average number of operations after which a process is killed.
OPERATIONS_OF_A_LIFE = 500


class Process:
    """A child that runs `use_cache` until it is killed."""

    def __init__(self, folder: pathlib.Path, seed: int, prepare: Callable[[], None]):
        self.results, theirs = os.pipe()
        self.last = time.monotonic()
        self.pid = os.fork()
        if self.pid == 0:
            status = 1
            with contextlib.suppress(BrokenPipeError):
                prepare()
                use_cache(folder, seed, theirs)
                status = 0
            os._exit(status)
        os.close(theirs)

    def end(self) -> bool:
        """Kills it; whether it had not ended by itself."""
        os.kill(self.pid, signal.SIGKILL)
        os.close(self.results)
        _, status = os.waitpid(self.pid, 0)
        return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


# The vandal ----------------------------------------------------------------------------------------------------------


def damage(folder: pathlib.Path, draw: random.Random) -> None:
    """Does to one file what disks, users and attackers do. Others work with it meanwhile, so it may be gone."""
    path = folder / f"{draw.choice(KEYS)}.hk"
    with contextlib.suppress(OSError):
        draw.choice(DAMAGES)(path, draw)


def _cut(path: pathlib.Path, draw: random.Random) -> None:
    os.truncate(path, draw.randrange(path.stat().st_size))


def _alter(path: pathlib.Path, draw: random.Random) -> None:
    with path.open("r+b") as file:
        file.seek(draw.randrange(path.stat().st_size))
        file.write(draw.randbytes(draw.choice([1, 8, 100])))


def _lengthen(path: pathlib.Path, draw: random.Random) -> None:
    os.truncate(path, path.stat().st_size + draw.choice([1, 1 << 20, 1 << 35]))


def _replaced(make: Callable[[pathlib.Path, random.Random], None]) -> Callable[[pathlib.Path, random.Random], None]:
    def replace(path: pathlib.Path, draw: random.Random) -> None:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        make(path, draw)

    return replace


def _leave_temporary(path: pathlib.Path, draw: random.Random) -> None:
    path.with_name(f"{path.name}.{draw.randrange(50):016x}.part").write_bytes(b"half")


def _move(path: pathlib.Path, draw: random.Random) -> None:
    path.rename(path.with_name(f"{draw.choice(KEYS)}.hk"))


DAMAGES = (
    _cut,
    _alter,
    _lengthen,
    _leave_temporary,
    _move,
    _replaced(lambda path, draw: None),
    _replaced(lambda path, draw: path.mkdir()),
    _replaced(lambda path, draw: (path.mkdir(), (path / "file").touch())),
    _replaced(lambda path, draw: os.mkfifo(path)),
    _replaced(lambda path, draw: path.symlink_to(f"{draw.choice(KEYS)}.hk")),
    _replaced(lambda path, draw: path.symlink_to("/etc/passwd")),
    lambda path, draw: path.chmod(draw.choice([0o600, 0o666, 0o000])),
)


# The torture ---------------------------------------------------------------------------------------------------------


def torture(
    folder: pathlib.Path,
    operations: int,
    seed: int,
    prepare: Callable[[], None] = _nothing,
    vandalize: bool = True,
) -> collections.Counter[str]:
    """Runs `operations` of `PROCESSES` processes and counts what became of them, by the letters of `use_cache`;
    "crashed" and "hung" count processes."""
    draw = random.Random(seed)
    counts: collections.Counter[str] = collections.Counter()
    processes = [Process(folder, draw.getrandbits(64), prepare) for _ in range(PROCESSES)]
    try:
        while sum(counts[letter] for letter in "hmwfX") < operations:
            ready, _, _ = select.select([process.results for process in processes], [], [], 0.05)
            for index, process in enumerate(processes):
                letters = os.read(process.results, 4096).decode() if process.results in ready else None
                if letters:
                    counts.update(letters)
                    process.last = time.monotonic()
                hangs = time.monotonic() - process.last > PATIENCE_SECONDS
                is_doomed = draw.random() < len(letters or "") / OPERATIONS_OF_A_LIFE
                if letters == "" or hangs or is_doomed:
                    counts["hung"] += hangs
                    counts["crashed"] += not process.end()
                    counts["killed"] += 1
                    processes[index] = Process(folder, draw.getrandbits(64), prepare)
            if vandalize:
                damage(folder, draw)
    finally:
        for process in processes:
            counts["crashed"] += not process.end()
    return counts


@contextlib.contextmanager
def full_disk(folder: pathlib.Path) -> Iterator[Callable[[], None]]:
    """`folder` becomes a small file system, where that is allowed; what processes must call first otherwise."""
    folder.mkdir(mode=0o700)
    mounted = (
        os.geteuid() == 0
        and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=200k,mode=700", "tmpfs", folder], capture_output=True
        ).returncode
        == 0
    )
    try:
        yield (_nothing if mounted else functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (10000, 10000)))
    finally:
        if mounted:
            subprocess.run(["umount", folder], check=True)


@contextlib.contextmanager
def read_only(folder: pathlib.Path) -> Iterator[Callable[[], None]]:
    """`folder` holds half of the entries and cannot be written to."""
    folder.mkdir(mode=0o700)
    cache = _core.DiskCache(folder, LIMIT_BYTES)
    for key in KEYS[::2]:
        assert cache.write(key, entry_of(key, random.Random(1)))
    prepare = _nothing
    if os.geteuid() == 0:  # to whom folders are never read-only
        for path in (folder, *folder.iterdir()):
            os.chown(path, NOBODY, NOBODY)
        prepare = functools.partial(os.setresuid, NOBODY, NOBODY, NOBODY)
    folder.chmod(0o500)
    try:
        yield prepare
    finally:
        folder.chmod(0o700)


def run(operations: int, seed: int = 0) -> dict[str, collections.Counter[str]]:
    """Each kind of torture with its counts."""
    memory = pathlib.Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="hocket-torture-", dir=memory if memory.is_dir() else None) as root:
        os.chmod(root, 0o755)
        counts = {"damage": torture(pathlib.Path(root, "damage"), operations * 8 // 10, seed)}
        with full_disk(pathlib.Path(root, "full")) as prepare:
            counts["full disk"] = torture(pathlib.Path(root, "full"), operations // 10, seed, prepare)
        with read_only(pathlib.Path(root, "read-only")) as prepare:
            folder = pathlib.Path(root, "read-only")
            counts["read-only"] = torture(folder, operations // 10, seed, prepare, vandalize=False)
    return counts


def main() -> int:
    operations, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    results = run(operations, seed)
    names = {"h": "hits", "m": "misses", "w": "written", "f": "not written", "X": "wrong"}
    for kind, counts in results.items():
        shown = {names.get(letter, letter): count for letter, count in sorted(counts.items())}
        print(f"{kind}: {shown}")
    return any(counts[what] for counts in results.values() for what in ("X", "crashed", "hung"))


if __name__ == "__main__":
    sys.exit(main())
